"""图的号码与一章的开头：依次编号，指到图的链接写号码；读完能做什么与分钟收在一个框里。"""

from types import SimpleNamespace

import pytest
from docutils import nodes
from docutils.utils import new_document
from sphinx import addnodes

from course_book.before_reading.contents import chapters
from course_book.doctree.figures import number_figures
from course_book.doctree.opening import box_opening

FIGURE = "<figure><svg></svg><figcaption>看{}</figcaption></figure>"


def cell(name, *outputs):
    made = nodes.container(ids=[name], nb_element="cell_code")
    made += [nodes.raw("", output, format="html") for output in outputs]
    return made


def link(target):
    return addnodes.pending_xref("", nodes.inline("", "上图"), reftarget=target)


@pytest.mark.parametrize(("page", "first"), [(chapters()[3].name, "4-1"), ("errata", "1")])
def test_captions_are_numbered_and_cited(page, first):
    doctree = new_document("页")
    doctree += cell("two", FIGURE.format("一") + FIGURE.format("二"))
    doctree += cell("plain", "<svg></svg>")
    doctree += cell("numbers", "<table><caption>数</caption></table>")
    folded = nodes.section("", nodes.title("", "深入：另一幅"), cell("deep", FIGURE.format("深")))
    doctree += [folded, cell("last", FIGURE.format("三"))]
    doctree += nodes.paragraph(
        "", "见", link("two"), link("numbers"), link("plain"), link("deep"), link("last")
    )
    env = SimpleNamespace(docname=f"chapters/{page}", note_dependency=lambda name: None)
    number_figures(SimpleNamespace(env=env), doctree)
    second = first[:-1] + "2"
    two, _, numbers, _, _, said = doctree.children
    mark = '<figcaption><b class="figure-number">图 {}　</b>看'
    assert mark.format(first) + "一" in two.astext() and mark.format(second) + "二" in two.astext()
    assert f'<caption><b class="figure-number">表 {first}　</b>数' in numbers.astext()
    assert said.astext() == f"见图 {first}表 {first}上图图 {first[:-1]}A图 {first[:-1]}3"
    assert [each["refid"] for each in said.findall(nodes.reference)] == ["two", "numbers", "deep", "last"]


def paragraph(text):
    return nodes.paragraph("", text)


def test_the_opening_is_boxed():
    able = nodes.bullet_list("", nodes.list_item("", paragraph("手算")))
    doctree = new_document("页")
    doctree += nodes.section(
        "", nodes.title("", "题"), paragraph("故事"), paragraph("读完这一章，你能："), able
    )
    doctree[0] += [paragraph("正文大约 40 分钟。"), paragraph("接着说")]
    box_opening(None, doctree)
    _, _, box, after = doctree[0].children
    assert box["classes"] == ["opening"] and after.astext() == "接着说"
    assert [part.astext() for part in box.children] == ["读完这一章，你能：\n\n手算", "正文大约 40 分钟。"]


def test_another_opening_is_left_alone():
    doctree = new_document("页")
    doctree += nodes.section("", nodes.title("", "题"), paragraph("故事"))
    box_opening(None, doctree)
    assert len(doctree[0]) == 2
