"""中文网页的 Sphinx 扩展里，不必成书就能查的部分。"""

from types import SimpleNamespace

import chinese_pages
from docutils import nodes


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
    chinese_pages.join_lines(None, paragraph)
    assert paragraph.astext() == "一句。two\nx，末句。"


def test_tooltips_are_translated(tmp_path):
    page = tmp_path / "a.html"
    page.write_text('<a title="Launch on Colab" aria-label="Mainly">Launch on Colab</a>', encoding="utf-8")
    chinese_pages.translate_tooltips(SimpleNamespace(outdir=tmp_path), None)
    assert (
        page.read_text(encoding="utf-8")
        == '<a title="在 Colab 中打开" aria-label="Mainly">Launch on Colab</a>'
    )
