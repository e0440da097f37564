"""公式写成 MathML：写得对，写不成就停下来说在哪里；字体里每个字都有；标点不离开公式。"""

import base64
import re
from io import BytesIO, StringIO

import pytest
from bs4 import BeautifulSoup
from built_book import ALL_PAGES, BOOK
from docutils import nodes
from fontTools.ttLib import TTFont
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace

from course_book.after_writing.fonts import letters_in_formulas
from course_book.doctree.formulas import STYLE, display_to_mathml, hold_punctuation, to_mathml


@pytest.mark.parametrize(
    ("latex", "pieces"),
    [
        (r"\mathrm{softmax}(x)", ["<mi>softmax</mi>", "<mi>x</mi>"]),
        (r"\mathrm{W}W+A", ['"normal">W</mi>', '<mi class="leaning">W</mi>', "<mi>A</mi>"]),
        (r"\text{RNN：}\text{RNN}", ['"han">RNN：<', "<mtext>RNN<"]),
        (r"x\odot y", ['<mo largeop="false"']),
        (r"\sqrt n", ["<msqrt><mspace height="]),
        (r"12.5\,\Delta x_i", ["<mn>12.5</mn>", '<mi mathvariant="normal">Δ</mi>', "<msub>"]),
        (r"\boldsymbol{x}\tilde y\hat z", ["<mi>𝒙</mi>", ">˜</mo>", ">ˆ</mo>"]),
        (r"\begin{pmatrix}a&b\\c&d\end{pmatrix}", ["<mo>(</mo>", "<mtr><mtd><mspace depth=", "<mo>)</mo>"]),
        (r"\begin{cases}0&x<1\end{cases}", ["<mo>{</mo>", "&lt;"]),
        (r"\begin{aligned}a&=b\\c&=d\end{aligned}", ["text-align: right", "text-align: left"]),
        (r"\operatorname*{arg\,max}_x\underbrace{a+b}_n", ["<munder", "<mi>arg", "⏟"]),
        (r"\big(a\big)^2", ["<msup><mrow><mo"]),
        (r"x_{\text{词元}}", ['<mtext class="han">词元</mtext>']),
    ],
)
def test_latex_becomes_mathml(latex, pieces):
    formula = to_mathml(latex, True)
    assert [piece for piece in pieces if piece not in formula] == []
    assert BeautifulSoup(formula, "html.parser").annotation.get_text() == latex


@pytest.mark.parametrize(
    ("latex", "count"),
    [
        (r"a=1,\qquad b=2,\qquad\qquad c=3", 3),
        (r"\begin{cases}a&\text{如果}\qquad b\end{cases}", 1),
        (r"\left(a\qquad b\right)", 1),
    ],
)
def test_statements_side_by_side_can_wrap(latex, count):
    assert display_to_mathml(latex).count("<math ") == count


def build(folder, text):
    """用 Sphinx 成一页；返回网页与警告。"""
    (folder / "index.rst").write_text(text, encoding="utf-8")
    warnings = StringIO()
    with docutils_namespace():
        Sphinx(
            *(folder, None, folder / "html", folder / "doctrees", "html"),
            confoverrides={"extensions": ["course_book.doctree.formulas"], "html_theme": "basic"},
            status=None,
            warning=warnings,
        ).build()
    return BeautifulSoup((folder / "html/index.html").read_text(encoding="utf-8"), "html.parser"), warnings


def test_an_unknown_command_is_reported_with_its_place(tmp_path):
    page, warnings = build(tmp_path, "题目\n====\n\n一段\n\n又一段 :math:`\\softmax(x)`\n")
    assert re.search(r"index\.rst:6: WARNING: 公式写不成 MathML：.*Unknown command", warnings.getvalue())
    assert page.select_one(".math code").get_text() == r"\softmax(x)"


def test_a_labelled_equation_has_its_number(tmp_path):
    page, warnings = build(tmp_path, "题目\n====\n\n.. math:: a=b\n   :label: one\n\n见 :eq:`one`\n")
    assert warnings.getvalue() == ""
    box = page.select_one("div.math#equation-one")
    assert box.select_one(".eqno").get_text().startswith("(1)") and box.find("math")
    assert page.select_one('a.reference[href="#equation-one"]').get_text() == "(1)"


def test_punctuation_stays_with_its_formula():
    row = nodes.paragraph(
        "", "", nodes.Text("宽度（"), nodes.math("", "D"), nodes.Text("），再乘 "), nodes.math("", "N")
    )
    hold_punctuation(None, row)
    assert [child.astext() for child in row.children] == ["宽度", "（D），", "再乘 ", "N"]
    assert row[1]["classes"] == ["unbroken"] and isinstance(row[1][1], nodes.math)


def pages():
    return {name: (BOOK / name).read_text(encoding="utf-8") for name in ALL_PAGES}


def test_every_formula_of_the_book_is_mathml_without_a_script():
    formulas = 0
    for name, text in pages().items():
        scripts = re.findall("<script.*?</script>", text, re.DOTALL)
        assert not [script for script in scripts if re.search("mathjax|katex|tex-svg", script, re.I)], name
        inside = re.findall(r'<(?:span|div) class="math [^>]*>(<\w+)', text)
        assert set(inside) <= {"<math"}, name
        # 没有公式的页不取公式的字体
        assert (f"_static/{STYLE}" in text) == bool(inside), name
        formulas += len(inside)
    assert formulas > 1000


@pytest.mark.parametrize("folder", ["", "zh-TW/"])
def test_the_font_has_every_letter_of_the_formulas(folder):
    style = (BOOK / folder / "_static" / STYLE).read_text(encoding="utf-8")
    font = TTFont(BytesIO(base64.b64decode(re.search(r"base64,([^\"]+)", style)[1])))
    names = font.getBestCmap()
    used = set().union(
        *(letters_in_formulas(text) for name, text in pages().items() if name.startswith(f"{folder}chapters"))
    )
    # 汉字与全角标点用正文的字体
    missing = {letter for letter in used if not letter.isspace() and letter < "⺀"} - set(map(chr, names))
    assert missing <= {"\ufe00"} and "√" in set(map(chr, names))
    assert len(style) < 60_000 and "MATH" in font
