"""公式在成书时就写成 MathML：不要脚本，不会后到而把字推开；选得中，读屏软件读得出，印出来是矢量。

字形取自 ziamath 带来的 STIX Two Math，只留书里用到的，连同样式写在一个文件里，所以第一笔就画得对。
笔记本不受影响：Jupyter 与 Colab 自己会画 `$…$`。
"""

import base64
import html
import re
from functools import cache
from io import BytesIO
from pathlib import Path

from docutils import nodes
from fontTools import subset
from math_core import LatexError, LatexToMathML
from sphinx.locale import _
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number

from course_book.before_reading.local_files import package_file

MACROS = {"bm": r"\boldsymbol{#1}", "argmax": r"\operatorname*{arg\,max}"}
FAMILY = "Book Math"
STYLE = "formulas.css"
FORMULA = re.compile(r"<math\b.*?</math>", re.DOTALL)
ANNOTATION = re.compile(r"<annotation\b.*?</annotation>", re.DOTALL)

logger = logging.getLogger(__name__)


@cache
def converter() -> LatexToMathML:
    return LatexToMathML(macros=MACROS, annotation=True)


def to_mathml(latex: str, display: bool, node=None) -> str:
    try:
        return converter().convert_with_local_state(latex.strip(), displaystyle=display)
    except LatexError as error:
        logger.warning("公式写不成 MathML：%s（%s）", latex, error, location=node)
        return f"<code>{html.escape(latex)}</code>"


def visit_inline(self, node):
    self.body.append(self.starttag(node, "span", "", CLASS="math"))
    self.body.append(f"{to_mathml(node.astext(), False, node)}</span>")
    raise nodes.SkipNode


def visit_display(self, node):
    self.body.append(self.starttag(node, "div", CLASS="math"))
    if node["number"]:
        self.body.append(f'<span class="eqno">({get_node_equation_number(self, node)})')
        self.add_permalink_ref(node, _("Link to this equation"))
        self.body.append("</span>")
    self.body.append(f"{to_mathml(node.astext(), True, node)}</div>\n")
    raise nodes.SkipNode


def small_font(characters: set[str]) -> bytes:
    """只含这些字符（连同拉长的括号、根号等）的 STIX Two Math，woff2。"""
    options = subset.Options(flavor="woff2", layout_features=["*"], recalc_timestamp=False)
    font = subset.load_font(package_file("ziamath", "fonts/STIXTwoMath-Regular.ttf"), options)
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=map(ord, characters))
    subsetter.subset(font)
    for record in font["name"].names:  # 改过的字体不用原来的名字
        if record.nameID in (1, 4, 6, 16):
            record.string = FAMILY.replace(" ", "") if record.nameID == 6 else FAMILY
    small = BytesIO()
    subset.save_font(font, small, options)
    return small.getvalue()


def write_font(app, exception):
    if exception is not None or app.builder.name != "html":
        return
    characters = set()
    for path in Path(app.outdir).rglob("*.html"):
        for formula in FORMULA.findall(path.read_text(encoding="utf-8")):
            text = html.unescape(re.sub(r"<[^>]*>", "", ANNOTATION.sub("", formula)))
            characters |= set(text) | {mathematical(letter) for letter in text}
    font = base64.b64encode(small_font(characters)).decode()
    Path(app.outdir, "_static", STYLE).write_text(
        f'@font-face {{ font-family: "{FAMILY}"; src: url("data:font/woff2;base64,{font}") format("woff2"); }}\n'
        f'math {{ font-family: "{FAMILY}", math; }}\n',
        encoding="utf-8",
    )


def mathematical(letter: str) -> str:
    """浏览器画单个字母的 `<mi>` 时换用的斜体。"""
    if letter == "h":
        return "ℎ"
    for first, last, italic in (("A", "Z", 0x1D434), ("a", "z", 0x1D44E), ("Α", "Ω", 0x1D6E2), ("α", "ω", 0x1D6FC)):
        if first <= letter <= last:
            return chr(italic + ord(letter) - ord(first))
    return {"∂": "𝜕", "ϵ": "𝜖", "ϕ": "𝜙", "ı": "𝚤", "ȷ": "𝚥"}.get(letter, letter)


def setup(app):
    app.add_html_math_renderer("mathml", inline_renderers=(visit_inline, None), block_renderers=(visit_display, None))
    app.add_css_file(STYLE)
    app.connect("config-inited", lambda app, config: setattr(config, "html_math_renderer", "mathml"))
    app.connect("build-finished", write_font)
