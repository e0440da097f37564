"""成书里的附录：参考页由 docstring 而来，各章的耗时都记下了。"""

import chapter_times
from built_book import BOOK


def test_reference_page_is_built():
    page = (BOOK / "chapters/course_lib.html").read_text(encoding="utf8")
    assert 'id="course_lib.attention.MultiHeadAttention.forward"' in page
    assert "<strong>返回</strong>：output (B, N, D)" in page
    assert "Alias for field number" not in page


def test_every_chapter_was_timed():
    found = chapter_times.seconds()
    assert set(found) == {path.stem for path in (chapter_times.ROOT / "chapters").glob("*.ipynb")}
    assert all(0 < spent < 3600 for spent in found.values())
