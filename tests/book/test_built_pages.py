"""成书里的附录：参考页由 docstring 而来，各章的耗时都记下了。"""

import chapter_times
import pytest
from built_book import BOOK, parsed, part, tags


def test_reference_page_is_built():
    page = (BOOK / "chapters/course_lib.html").read_text(encoding="utf8")
    assert 'id="course_lib.attention.MultiHeadAttention.forward"' in page
    assert "<strong>返回</strong>：output (B, N, D)" in page
    assert "Alias for field number" not in page


def test_every_chapter_was_timed():
    found = chapter_times.seconds()
    assert set(found) == {path.stem for path in (chapter_times.ROOT / "chapters").glob("*.ipynb")}
    assert all(0 < spent < 3600 for spent in found.values())


@pytest.mark.parametrize("page", ["index", "notation"])
def test_quick_reading_sees_what_a_parser_sees(page):
    """别的测试只读标记时用的 `tags` 与 `part`。"""
    path = BOOK / f"chapters/{page}.html"

    def words(attributes):
        listed = lambda value: value if isinstance(value, list) else value.split()  # noqa: E731
        return {key.lower(): listed(value) for key, value in attributes.items()}

    nodes = [(node.name, words(node.attrs)) for node in parsed(path)(True)]
    assert [(name.lower(), words(attributes)) for name, attributes in tags(path)] == nodes
    assert str(part(path, "nav", "bd-docs-nav")) == str(parsed(path).select_one("nav.bd-docs-nav"))
    assert part(path, "nav", "no-such-name") is None
