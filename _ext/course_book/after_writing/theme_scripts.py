"""主题的脚本里去掉一段：它一打开就量每一块代码与输出滚不滚得动，收在折叠里的也先排一遍，一页要停住半秒；book.js 只在浏览器刚排好它时量。"""

from pathlib import Path

SCRIPT = "_static/scripts/pydata-sphinx-theme.js"
DROPPED = ".forEach(()=>{})"
MEASURES = ".forEach(e=>{e.tabIndex=e.scrollWidth>e.clientWidth||e.scrollHeight>e.clientHeight?0:-1})"


def drop_measuring(app, exception):
    if exception is not None or app.builder.name != "html":
        return
    path = Path(app.outdir, SCRIPT)
    script = path.read_text(encoding="utf-8")
    if DROPPED in script:  # 上一次成书时改过
        return
    if MEASURES not in script:
        raise SystemExit(
            f"主题的 {path.name} 改了写法，找不到要去掉的那一段：请改 {__name__} 里的 MEASURES。"
        )
    path.write_text(script.replace(MEASURES, DROPPED), encoding="utf-8")


def setup(app):
    app.connect("build-finished", drop_measuring)
