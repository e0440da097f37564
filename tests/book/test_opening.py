"""一章的开头：问题的问号也是粗的；小框收着能做什么与要读几分钟，后面的一节不在里面。"""

import pytest
from docutils import nodes

from course_book.doctree.opening import box_opening, whole_question


def chapter(order):
    able = [
        nodes.paragraph("", "读完这一章，你能："),
        nodes.bullet_list("", nodes.list_item("", nodes.paragraph("", "造"))),
    ]
    parts = {
        "故事": [nodes.paragraph("", "一个故事，三分钟讲完。")],
        "时间": [nodes.paragraph("", "正文大约 40 分钟，练习另计 20 分钟。")],
        "能": able,
        "节": [nodes.section("", nodes.title("", "下一节"), nodes.paragraph("", "三分钟的事。"))],
    }
    top = nodes.section("", nodes.title("", "题目"), *(node for name in order for node in parts[name]))
    document = nodes.document(None, None)
    document += top
    return document


@pytest.mark.parametrize("order", [["故事", "能", "时间", "节"], ["故事", "时间", "能", "节"]])
def test_the_box_holds_what_one_can_and_the_minutes(order):
    document = chapter(order)
    box_opening(None, document)
    kinds = [type(node) for node in document[0].children]
    assert kinds == [nodes.title, nodes.paragraph, nodes.container, nodes.section]
    box = document[0][2]
    assert box["classes"] == ["opening"] and box.parent is document[0]
    assert [node.astext() for node in box[0].children] == ["读完这一章，你能：", "造"]
    assert [node.astext() for node in box.children[1:]] == ["正文大约 40 分钟，练习另计 20 分钟。"]


def test_without_the_minutes_there_is_still_a_box():
    document = chapter(["能", "节"])
    box_opening(None, document)
    assert [type(node) for node in document[0].children] == [nodes.title, nodes.container, nodes.section]


def test_the_question_is_bold_with_its_mark():
    def bold():
        return nodes.strong("", "为什么")

    asked = nodes.paragraph("", "", nodes.Text(""), bold(), nodes.Text("？\n"), bold(), nodes.Text("？"))
    told = nodes.paragraph("", "", bold(), nodes.Text("？因为"))
    document = nodes.document(None, None)
    document += [asked, told]
    whole_question(None, document)
    parts = [part.astext() for part in (*asked, *told)]
    assert parts == ["", "为什么？", "\n", "为什么？", "", "为什么", "？因为"]
