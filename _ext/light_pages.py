"""让网页轻：主题载入而本书用不到的脚本不要，图标的字体只留用到的字形。"""

import re
from pathlib import Path

from fontTools import subset
from traditional_chinese import edit_pages

SCRIPT = r'\s*<script[^>]* src="[^"]*/?(?:%s)\.js[^"]*"></script>'
# 它把每个图标另画成 SVG，1.5 MB；样式表里的图标字体已经够用
REDUNDANT = re.compile(SCRIPT % "fontawesome")
# 检索只在检索页进行，别的页不必载入索引
SEARCH = re.compile(SCRIPT % "searchtools|language_data|searchindex")
FONT = "vendor/fontawesome/webfonts/fa-solid-900.woff2"
ICON = re.compile(r"\bfa-[\w-]+")
ICON_RULE = re.compile(r'([^{}]*):before\{content:"\\(\w+)"\}')
ESCAPE = re.compile(r'"\\(\w{4})"')


def without_scripts(page: str, name: str) -> str:
    page = REDUNDANT.sub("", page)
    return page if name == "search.html" else SEARCH.sub("", page)


def characters(css: str, icons: set[str]) -> set[int]:
    """名叫 icons 的图标所用的字符，加上样式表在别处直接写出的字符。"""
    wanted = {code for names, code in ICON_RULE.findall(css) if icons & set(ICON.findall(names))}
    return {int(code, 16) for code in wanted.union(ESCAPE.findall(ICON_RULE.sub("", css)))}


def shrink_font(path: Path, kept: set[int]) -> None:
    options = subset.Options(flavor="woff2", recalc_timestamp=False)
    font = subset.load_font(path, options)
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=kept)
    subsetter.subset(font)
    subset.save_font(font, path, options)


def lighten(app, exception):
    if exception is not None or app.builder.name != "html":
        return
    icons = set()

    def without_unused(text, path):
        icons.update(ICON.findall(text))
        return without_scripts(text, path.name)

    edit_pages(app, without_unused)
    static = Path(app.outdir, "_static")
    for script in static.rglob("*theme.js"):  # 有的图标由脚本放上去
        icons.update(ICON.findall(script.read_text(encoding="utf8")))
    css = "".join(path.read_text(encoding="utf8") for path in static.glob("styles/*.css"))
    shrink_font(static / FONT, characters(css, icons))


def setup(app):
    app.connect("build-finished", lighten)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
