"""写成 HTML 之前改好的几处；这里不必成书就能查。"""

from docutils import nodes

from course_book.doctree import markup


def test_no_gap_after_full_width_punctuation():
    """只去掉全角标点后的换行：行末是西文时，换行就是词间的空格。"""
    pieces = [
        nodes.Text("一句。"),
        nodes.Text("\n"),
        nodes.Text("two"),
        nodes.Text("\n"),
        nodes.math("", "x"),
    ]
    pieces += [nodes.Text("，"), nodes.Text("\n"), nodes.Text("末句。")]
    paragraph = nodes.paragraph("", "", *pieces)
    markup.join_lines(None, paragraph)
    assert paragraph.astext() == "一句。two\nx，末句。"


def test_d3_is_linked_from_any_depth():
    page = "&lt;script data-library=&quot;d3&quot;&gt;var d3&lt;/script&gt;|"
    doctree = nodes.section("", nodes.raw("", page * 2, format="html"))
    markup.share_d3(None, doctree, "chapters/a")
    link = "&lt;script src=&quot;../_static/d3.v5.min.js&quot;&gt;&lt;/script&gt;|"
    assert doctree.astext() == link * 2
