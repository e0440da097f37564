"""写成 HTML 之前改好的几处；这里不必成书就能查。"""

import html
import json
from types import SimpleNamespace

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


def test_a_view_becomes_a_script_of_its_own(tmp_path):
    """框里先写着它是什么；脚本给同名的框原来的整页，重复的视图只存一份。"""
    page = '<p>&lt;"q"</p></script>'
    frame = f'<iframe title="头视图：a &amp; b" loading="lazy" srcdoc="{html.escape(page)}" style="x">'
    doctree = nodes.section("", nodes.raw("", frame * 2, format="html"))
    app = SimpleNamespace(builder=SimpleNamespace(name="html"), outdir=tmp_path)
    markup.load_views_later(app, doctree, "chapters/a")
    (script,) = (tmp_path / "_static/views").iterdir()
    assert json.dumps(page, ensure_ascii=False) in script.read_text(encoding="utf-8")
    text = doctree.astext()
    assert text.count(f'data-view="../_static/views/{script.name}" srcdoc="') == text.count('style="x"') == 2
    assert "头视图：a &amp;amp; b" in text and 'data-view$="' + script.name in script.read_text(
        encoding="utf-8"
    )


def test_d3_is_linked_from_any_depth():
    page = "&lt;script data-library=&quot;d3&quot;&gt;var d3&lt;/script&gt;|"
    doctree = nodes.section("", nodes.raw("", page * 2, format="html"))
    markup.share_d3(None, doctree, "chapters/a")
    link = "&lt;script src=&quot;../_static/d3.v5.min.js&quot;&gt;&lt;/script&gt;|"
    assert doctree.astext() == link * 2
