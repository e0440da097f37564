"""人人读得到：主题与 docutils 写出的标记里妨碍读屏软件的几处，在成书时改掉；键盘与打印由一小段脚本照管。

插图写明大小，网速慢时它后到，也不会把正读着的字推开。
"""

import re
from pathlib import Path

from traditional_chinese import edit_pages, in_book_language

WHOLE = in_book_language("全书")
FIXES = [
    # 已废弃的角色；列表里也不该夹着别的东西
    (re.compile(r' role="list"(?= class="citation-list")| role="doc-biblioentry"'), ""),
    # 侧栏里的书名不在任何一个区域里
    (
        re.compile(r'(?<=<div id="pst-primary-sidebar") (?=class)'),
        f' role="complementary" aria-label="{WHOLE}" ',
    ),
    # 只在打印时出现的第二个大标题与目录：打印也用正文自己的标题
    (re.compile(r'<div id="jb-print-docs-body".*?</h1>.*?(?=<div id="searchbox">)', re.DOTALL), ""),
    # 表格左上角的空格不是表头
    (re.compile(r'<th class="head[^"]*">(?:<p></p>)?</th>'), "<td></td>"),
]
FIGURE = re.compile(r'(<img alt="[^"]*" src="([^"]+\.svg)") />')
SIZE = re.compile(r'<svg\b[^>]*?\s(width="\d+" height="\d+")')
SCRIPT = Path(__file__).with_name("book.js")


def repair(text: str) -> str:
    for fault, right in FIXES:
        text = fault.sub(right, text)
    return text


def with_sizes(text: str, folder: Path) -> str:
    """给 folder 里一页的 SVG 插图写上各自的宽和高。"""

    def add_size(match):
        size = SIZE.search((folder / match[2]).read_text(encoding="utf-8"))
        return f"{match[1]} {size[1]} />" if size else match[0]

    return FIGURE.sub(add_size, text)


def repair_pages(app, exception):
    if exception is None:
        edit_pages(app, lambda text, path: with_sizes(repair(text), path.parent))


def carry_script(app, config):
    config.html_static_path.append(str(SCRIPT))


def setup(app):
    app.add_js_file(SCRIPT.name, defer="defer")
    app.connect("config-inited", carry_script)
    app.connect("build-finished", repair_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
