"""公式在成书时就写成 MathML：不要脚本，不会后到而把字推开；选得中，读屏软件读得出，印出来是矢量。

笔记本不受影响：Jupyter 与 Colab 自己会画 `$…$`。字形由 `after_writing.fonts` 备好。
"""

import html
import re
from functools import cache

from bs4 import BeautifulSoup
from docutils import nodes
from math_core import LatexError, LatexToMathML
from sphinx.locale import _
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number

STYLE = "formulas.css"
# 字体虽写在样式里，浏览器仍要解开它：解开以前先不画，字就不会画好了再挪
WAIT = """{
  const page = document.documentElement;
  page.classList.add("unlettered");
  document.fonts.load("1em 'STIX Two Math'").finally(() => page.classList.remove("unlettered"));
}"""
# 一行里并列的几个式子，放不下时各占一行
BETWEEN = re.compile(r"(?:\\qquad\s*)+")
HAN = re.compile("[\u4e00-\u9fff\uff00-\uffef]")
# 右上角伸出字身之外的大写斜体：TeX 在它们后面多留一点空，Chromium 不留
LEANING = set("CFHJKMNTUVWXY")
OPENING, CLOSING = re.compile("[（“「《]+$"), re.compile("[，。；：？！、）”」》…]+")

logger = logging.getLogger(__name__)


@cache
def converter() -> LatexToMathML:
    return LatexToMathML(annotation=True, fancy_error=False)


def to_mathml(latex: str, display: bool) -> str:
    formula = BeautifulSoup(
        converter().convert_with_local_state(latex.strip(), displaystyle=display), "html.parser"
    )
    # 带上下标的大括号，不另包一层就不会变大
    for fence in formula.select(":is(msub, msup, msubsup) > mo[minsize]:first-child"):
        fence.wrap(formula.new_tag("mrow"))
    # 公式的字体里没有汉字与全角标点，用正文的字体，与正文一样大就好
    for text in formula.find_all("mtext", string=HAN):
        text["class"] = "han"
    for letter in formula.find_all("mi", string=lambda text: text in LEANING, mathvariant=False):
        letter["class"] = "leaning"
    # Firefox 以为 ⊙ 是 ∑ 那样的大算符
    for product in formula.find_all("mo", string="⊙"):
        product["largeop"] = "false"
    # 看不见的支柱：根号里的字再矮，根号也不掉到行下去；表里各行一样高，并排的矩阵就对得齐
    for root in formula.find_all("msqrt"):
        root.insert(0, formula.new_tag("mspace", height="0.78em"))
    for row in formula.find_all("mtr"):
        row.mtd.insert(0, formula.new_tag("mspace", height="0.85em", depth="0.35em"))
    return str(formula)


def display_to_mathml(latex: str) -> str:
    try:
        return "".join(to_mathml(part, True) for part in BETWEEN.split(latex))
    except LatexError:  # `\\qquad` 在括号或环境里面，不能从那里分开
        return to_mathml(latex, True)


def visit_formula(self, node):
    display = isinstance(node, nodes.math_block)
    tag = "div" if display else "span"
    self.body.append(self.starttag(node, tag, "", CLASS="math notranslate"))
    if display and node["number"]:
        self.body.append(f'<span class="eqno">({get_node_equation_number(self, node)})')
        self.add_permalink_ref(node, _("Link to this equation"))
        self.body.append("</span>")
    latex = node.astext()
    try:
        self.body.append(display_to_mathml(latex) if display else to_mathml(latex, False))
    except LatexError as error:
        logger.warning("公式写不成 MathML：%s（%s）", latex, error, location=node)
        self.body.append(f"<code>{html.escape(latex)}</code>")
    self.body.append(f"</{tag}>")
    raise nodes.SkipNode


def hold_punctuation(app, doctree):
    """浏览器不管标点，在公式前后都会换行：前引号不在行尾，逗号不在行首。"""
    for formula in list(doctree.findall(nodes.math)):
        row = formula.parent
        place = row.index(formula)
        before, after = row[:place][-1:], row[place + 1 :][:1]
        opening = OPENING.search(before[0]) if before and isinstance(before[0], nodes.Text) else None
        closing = CLOSING.match(after[0]) if after and isinstance(after[0], nodes.Text) else None
        group = nodes.inline("", "", classes=["unbroken"])
        if opening:
            row[place - 1] = nodes.Text(before[0][: opening.start()])
            group += nodes.Text(opening[0])
        if closing:
            row[place + 1] = nodes.Text(after[0][closing.end() :])
        if opening or closing:
            row[place] = group
            group += [formula, *([nodes.Text(closing[0])] if closing else [])]


def load_style(app, pagename, templatename, context, doctree):
    if "<math" in context.get("body", ""):
        app.add_css_file(STYLE)
        app.add_js_file(None, body=WAIT)


def setup(app):
    app.add_html_math_renderer("mathml", (visit_formula, None), (visit_formula, None))
    app.connect("config-inited", lambda app, config: setattr(config, "html_math_renderer", "mathml"))
    app.connect("doctree-read", hold_punctuation, priority=600)  # 句间的换行已去掉
    app.connect("html-page-context", load_style)
