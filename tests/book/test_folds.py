"""三层：代码与断言收成图下面的一行，“深入”的小节只露出标题与头一句；不必成书就能查的，与成书里的。"""

import re

import pytest
from built_book import BOOK
from docutils import nodes
from docutils.utils import new_document

from chapters import CHAPTERS, cells, source
from course_book.doctree.folds import Fold, count_asserts, fold_code, fold_deep, fold_exercises


def test_asserts_are_counted():
    code = "assert a\nassert_close(a, b)\ntorch.testing.assert_close(a, b)\nfor x in y:\n    assert x, '说明'\nprint(assert_not)"
    assert count_asserts(code) == 4


def document(*children):
    doctree = new_document("页")
    doctree += children
    return doctree


def cell(name, code, *tags, output=None, **attributes):
    made = nodes.container(classes=["cell", *tags], ids=[name], nb_element="cell_code", **attributes)
    made += nodes.container("", nodes.literal_block(code, code), nb_element="cell_code_source")
    if output:
        made += nodes.container("", nodes.paragraph("", output), nb_element="cell_code_output")
    return made


def lines(doctree):
    """各格下面的一行：格的名字 → 收着的各样。"""
    cells = [node for node in doctree.children if "cell" in node["classes"]]
    return {each["ids"][0]: [fold["summary"] for fold in each.findall(Fold)] for each in cells}


CLAIMS = ("assert x == 1\nassert y", "tag_claims")


def test_code_and_claims_share_one_line_under_the_picture():
    doctree = document(
        cell("picture", "draw()", output="图", hide_mode="input"),
        cell("picture-claims", *CLAIMS),
        cell("seen", "x", output="1"),
        cell("seen-claims", *CLAIMS),
        nodes.paragraph("", "一段话"),
        cell("alone-claims", *CLAIMS),
        nodes.paragraph("", "又一段话"),
        cell("ready-claims", *CLAIMS),
        cell("ready", "train()", hide_mode="input"),
        cell("curve", "plot()", output="线", hide_mode="input"),
    )
    fold_code(None, doctree)
    two = "✓ 2 条断言"
    assert lines(doctree) == {
        "picture": ["代码", two],
        "seen": [two],
        "alone-claims": [two],
        "curve": [two, "代码"],
    }
    picture, seen, _, alone, _, curve = doctree.children
    assert [part.astext() for part in picture.children] == ["图", "draw()\n\nassert x == 1\nassert y"]
    assert [part.astext() for part in seen.children][:2] == ["x", "1"]
    assert [fold["ids"] for fold in doctree.findall(Fold)] == [
        [],
        ["picture-claims"],
        ["seen-claims"],
        [],
        ["ready-claims"],
        ["ready"],
    ]
    assert curve.astext() == "线\n\nassert x == 1\nassert y\n\ntrain()\n\nplot()"
    assert "hide_mode" not in picture and "meta" in alone[0]["classes"]


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


def test_an_exercise_is_one_line_and_the_first_is_open():
    section = nodes.section("", nodes.title("", "练习"), nodes.paragraph("", "先试一试。"))
    for name in "甲乙":
        section += nodes.paragraph("", "", nodes.strong("", name), nodes.Text("。题目。"))
        section += nodes.paragraph("", "", nodes.strong("", "先猜"), nodes.Text("：几个？"))
    fold_exercises(None, document(section))
    tasks = section.children[2:]
    assert [[part.astext() for part in task] for task in tasks] == [
        ["甲。题目。", "先猜：几个？"],
        ["乙。题目。", "先猜：几个？"],
    ]
    assert ["open" in task[1]["html"] for task in tasks] == [True, False]


def test_other_sections_stay_open():
    section = nodes.section("", nodes.title("", "手算"), nodes.paragraph("", "一句。又一句。"))
    fold_deep(None, document(section))
    assert not list(section.findall(Fold))


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_every_fold_is_in_the_book(path):
    page = (BOOK / "chapters" / f"{path.stem}.html").read_text(encoding="utf-8")
    claims = [source(c) for c in cells(path, "code") if "claims" in c["metadata"].get("tags", [])]
    shown = re.findall(r'<details class="claims"[^>]*>\s*<summary>✓ (\d+) 条断言</summary>', page)
    assert [int(number) for number in shown] == [count_asserts(code) for code in claims]
    hidden = [c for c in cells(path, "code") if "hide-input" in c["metadata"].get("tags", [])]
    folded = "".join(re.findall(r'(?s)<details class="code".*?</details>', page))
    assert folded.count('class="cell_input') == len(hidden) - 1  # 开场的一格在页尾
    assert "展开代码" not in page and page.count('class="ran-with"') == 1
    deep = re.findall(r"(?m)^#+ 深入：", "\n".join(source(c) for c in cells(path, "markdown")))
    assert len(re.findall(r'<details class="deep">', page)) == len(deep)
