"""三层：断言收成一行，“深入”的小节只露出标题与头一句；不必成书就能查的，与成书里的。"""

import re

import pytest
from built_book import BOOK
from docutils import nodes
from docutils.utils import new_document

from chapters import CHAPTERS, cells, source
from course_book.doctree.folds import Fold, count_asserts, fold_claims, fold_deep


def test_asserts_are_counted():
    code = "assert a\nassert_close(a, b)\ntorch.testing.assert_close(a, b)\nfor x in y:\n    assert x, '说明'\nprint(assert_not)"
    assert count_asserts(code) == 4


def document(*children):
    doctree = new_document("页")
    doctree += children
    return doctree


def test_claims_become_one_line_without_the_form_title():
    code = '# @title 断言 { display-mode: "form" }\nassert x == 1\nassert y'
    cell = nodes.container(classes=["cell", "tag_claims"])
    cell += nodes.literal_block(code, code)
    fold_claims(None, document(cell))
    (fold,) = cell.children
    assert isinstance(fold, Fold) and fold["summary"] == "✓ 2 条断言，运行时都成立"
    assert fold.astext() == "assert x == 1\nassert y"


@pytest.mark.parametrize(
    ("lead", "shown", "hidden"),
    [
        (["一句。\n又一句。"], "一句。", "又一句。\n\n后文"),
        (["只有一句。"], "只有一句。", "后文"),
        (["没有句号：", nodes.strong("", "粗"), "，完。\n再来。"], "没有句号：粗，完。", "再来。\n\n后文"),
    ],
)
def test_deep_sections_show_their_first_sentence(lead, shown, hidden):
    section = nodes.section("", nodes.title("", "深入：细节"))
    section += nodes.paragraph(
        "", "", *[nodes.Text(part) if isinstance(part, str) else part for part in lead]
    )
    section += nodes.paragraph("", "后文")
    fold_deep(None, document(section))
    title, first, fold = section.children
    assert (title.astext(), first.astext(), fold.astext()) == ("深入：细节", shown, hidden)


def test_other_sections_stay_open():
    section = nodes.section("", nodes.title("", "手算"), nodes.paragraph("", "一句。又一句。"))
    fold_deep(None, document(section))
    assert not list(section.findall(Fold))


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_every_fold_is_in_the_book(path):
    page = (BOOK / "chapters" / f"{path.stem}.html").read_text(encoding="utf-8")
    claims = [source(c) for c in cells(path, "code") if "claims" in c["metadata"].get("tags", [])]
    shown = re.findall(r'<details class="claims">\s*<summary>✓ (\d+) 条断言，运行时都成立</summary>', page)
    assert [int(number) for number in shown] == [count_asserts(code) for code in claims]
    deep = re.findall(r"(?m)^#+ 深入：", "\n".join(source(c) for c in cells(path, "markdown")))
    assert len(re.findall(r'<details class="deep">', page)) == len(deep)
