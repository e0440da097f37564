"""图标的字体只留用到的字形。"""

import re
from pathlib import Path

from fontTools import subset

FONT = "vendor/fontawesome/webfonts/fa-solid-900.woff2"
ICON = re.compile(r"\bfa-[\w-]+")
ICON_RULE = re.compile(r'([^{}]*):before\{content:"\\(\w+)"\}')
ESCAPE = re.compile(r'"\\(\w{4})"')


def characters(css: str, icons: set[str]) -> set[int]:
    """名叫 icons 的图标所用的字符，加上样式表在别处直接写出的字符。"""
    wanted = {code for names, code in ICON_RULE.findall(css) if icons & set(ICON.findall(names))}
    return {int(code, 16) for code in wanted.union(ESCAPE.findall(ICON_RULE.sub("", css)))}


def shrink_font(app, exception):
    if exception is not None or app.builder.name != "html":
        return
    static = Path(app.outdir, "_static")
    # 有的图标由脚本放上去
    sources = [
        *Path(app.outdir).glob("*.html"),
        *Path(app.outdir).glob("chapters/*.html"),
        *static.rglob("*theme.js"),
    ]
    icons = {icon for path in sources for icon in ICON.findall(path.read_text(encoding="utf8"))}
    css = "".join(path.read_text(encoding="utf8") for path in static.glob("styles/*.css"))
    options = subset.Options(flavor="woff2", recalc_timestamp=False)
    font = subset.load_font(static / FONT, options)
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=characters(css, icons))
    subsetter.subset(font)
    subset.save_font(font, static / FONT, options)


def setup(app):
    app.connect("build-finished", shrink_font)
