"""图标与公式的字体只留用到的字形。"""

import base64
import html
import re
import unicodedata
from io import BytesIO
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont

from course_book.before_reading.local_files import package_file
from course_book.doctree.formulas import STYLE
from course_book.kept import digest, kept, kept_folder

ICONS = "vendor/fontawesome/webfonts/fa-solid-900.woff2"
ICON = re.compile(r"\bfa-[\w-]+")
ICON_RULE = re.compile(r'(?<![^{}])([^{}]*):before\{content:"\\(\w+)"\}')
ESCAPE = re.compile(r'"\\(\w{4})"')
FORMULA = re.compile(r"<math\b.*?</math>", re.DOTALL)
# TeX 的源文与标记
NOT_DRAWN = re.compile(r"<annotation\b.*?</annotation>|<[^>]*>", re.DOTALL)
STRETCHED = "()[]{}⌈⌉⌊⌋⟨⟩√"
# 只有一个字母的 <mi>，浏览器画它的斜体
ITALIC = {
    chr(int(unicodedata.decomposition(letter).split()[1], 16)): letter
    for letter in [
        "ℎ",
        *map(chr, [*range(0x1D434, 0x1D455), *range(0x1D456, 0x1D468), *range(0x1D6E2, 0x1D71C)]),
    ]
}


def smaller(font: TTFont, characters: set[int], **options) -> bytes:
    options = subset.Options(flavor="woff2", **options)
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=characters)
    subsetter.subset(font)
    file = BytesIO()
    subset.save_font(font, file, options)
    return file.getvalue()


def icons_in_use(css: str, icons: set[str]) -> set[int]:
    """名叫 icons 的图标所用的字符，加上样式表在别处直接写出的字符。"""
    wanted = {code for names, code in ICON_RULE.findall(css) if icons & set(ICON.findall(names))}
    return {int(code, 16) for code in wanted.union(ESCAPE.findall(ICON_RULE.sub("", css)))}


def shrink_icons(app, exception):
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
    font, characters = static / ICONS, icons_in_use(css, icons)

    def shrunk() -> bytes:
        return smaller(TTFont(font, recalcTimestamp=False), characters)

    made_of = digest(font.read_bytes(), repr(sorted(characters)))
    font.write_bytes(kept(kept_folder(app), "icons", made_of, shrunk))


def letters_in_formulas(page: str) -> set[str]:
    text = "".join(html.unescape(NOT_DRAWN.sub("", formula)) for formula in FORMULA.findall(page))
    return {*text, *(ITALIC[letter] for letter in text if letter in ITALIC)}


def fit_for_browsers(font: TTFont):
    """字体照 TeX 的排法设计，浏览器的排法有几处不同。"""
    # TeX 只让上下标挨着盒子的上下沿，对单个字母不这样；浏览器一律当作盒子，y 的下标就会比 x 的低一截
    constants = font["MATH"].table.MathConstants
    constants.SubscriptBaselineDropMin.Value, constants.SuperscriptBaselineDropMax.Value = 0, 380
    # 撇本身是上标，浏览器又把它缩小一次：换成为此备的大一号
    for table in font["cmap"].tables:
        table.cmap[ord("′")] = "minute.ssty"
    # 括号与根号不论多高，Chromium 都留出最高的那一种的宽度：让各种高度差不多一样宽
    variants, widths, names = font["MATH"].table.MathVariants, font["hmtx"].metrics, font.getBestCmap()
    taller = dict(zip(variants.VertGlyphCoverage.glyphs, variants.VertGlyphConstruction, strict=True))
    narrowed = set()
    for name in (names[ord(letter)] for letter in STRETCHED):
        others = {record.VariantGlyph for record in taller[name].MathGlyphVariantRecord}
        if parts := taller[name].GlyphAssembly:
            others |= {part.glyph for part in parts.PartRecords}
        for other in others - narrowed:
            width, left = widths[other]
            ratio = min(1, (1 if name == names[ord("√")] else 1.1) * widths[name][0] / width)
            font["glyf"][other].coordinates.scale((ratio, 1))
            widths[other] = round(ratio * width), round(ratio * left)
        narrowed |= others


def formula_font_file() -> Path:
    return package_file("ziamath", "fonts/STIXTwoMath-Regular.ttf")


def formula_font() -> TTFont:
    return TTFont(formula_font_file(), recalcTimestamp=False)


def face(name: str, font: TTFont, letters: set[str], descriptors: str = "", **options) -> str:
    """一条 @font-face，字体就写在里面；不改字形的，连同版权与许可的话。"""
    small = smaller(font, set(map(ord, letters)), hinting=False, name_IDs=["*"], **options)
    return (
        f'@font-face {{ font-family: "{name}"; {descriptors}'
        f'src: url("data:font/woff2;base64,{base64.b64encode(small).decode()}") format("woff2"); }}\n'
    )


def formula_faces(letters: set[str]) -> tuple[str, str]:
    """公式的字体，与行文里根号的字体。"""
    font = formula_font()
    fit_for_browsers(font)
    # 汉字的字体里，行文的根号自带一横，与后面的字接不上：只有这一个字另有字体
    # 别的字照旧，行高也是：不写 unicode-range，它一到，每一行都要挪动
    root_sign = face("Root Sign", formula_font(), {"√"}, "unicode-range: U+221A; ", layout_features=[])
    return face("STIX Two Math", font, letters, layout_features=["dtls", "flac"]), root_sign


def forget_formula_font(app):
    """上一回的：留着，这一回写的网页就带着它的校验和，从头成的却没有。"""
    Path(app.outdir, "_static", STYLE).unlink(missing_ok=True)


def write_formula_font(app, exception):
    """写在样式里，与它一同到；画第一笔之前等它解开，见 `doctree.formulas`。"""
    if exception is not None or app.builder.name != "html":
        return
    pages = (Path(app.builder.get_outfilename(name)) for name in app.env.found_docs)
    letters = {"√"}.union(*(letters_in_formulas(page.read_text(encoding="utf-8")) for page in pages))
    static = Path(app.outdir, "_static")
    made_of = digest(formula_font_file().read_bytes(), repr(sorted(letters)))
    formulas, root_sign = kept(kept_folder(app), "formulas", made_of, lambda: formula_faces(letters))
    (static / STYLE).write_text(formulas, encoding="utf-8")
    style = static / "type.css"  # 没有一页要重写时，它也没有重抄：上一回已经添上了
    if not (type_css := style.read_text(encoding="utf-8")).endswith(root_sign):
        style.write_text(type_css + root_sign, encoding="utf-8")


def setup(app):
    app.connect("builder-inited", forget_formula_font)
    app.connect("build-finished", shrink_icons)
    app.connect("build-finished", write_formula_font)
