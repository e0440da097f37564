"""成书里的附录：参考页由 docstring 而来，与讲义的对照指得到格，各章的耗时都记下了。"""

import re

import chapter_times
from built_book import BOOK

from chapters import PLACE, ROOT, cells


def test_reference_page_is_built():
    page = (BOOK / "chapters/course_lib.html").read_text(encoding="utf8")
    assert 'id="course_lib.attention.MultiHeadAttention.forward"' in page
    assert "<strong>返回</strong>：output (B, N, D)" in page


def test_places_are_links_in_the_book():
    page = (BOOK / "chapters" / "lesson_map.html").read_text(encoding="utf8")
    links = set(re.findall(r'href="(\w+)\.html#([\w-]+)"', page))
    ran = set(PLACE.findall((ROOT / "chapters" / "lesson_map.md").read_text(encoding="utf8")))
    # 同一格里几处在同一节的，只有头一处是链接（见 test_addresses.py）；写到的每一章都点得到
    assert {chapter for chapter, _ in ran} == {chapter for chapter, _ in ran & links}
    for name in {page for page, _ in ran}:
        html = (BOOK / "chapters" / f"{name}.html").read_text(encoding="utf8")
        anchors = set(re.findall(r'\bid="([\w-]+)"', html))
        code = {c["id"] for c in cells(ROOT / "chapters" / f"{name}.ipynb", "code")}
        assert {cell for chapter, cell in ran if chapter == name and cell in code} <= anchors


def test_every_chapter_was_timed():
    found = chapter_times.seconds()
    assert set(found) == {path.stem for path in (chapter_times.ROOT / "chapters").glob("*.ipynb")}
    assert all(0 < spent < 3600 for spent in found.values())
