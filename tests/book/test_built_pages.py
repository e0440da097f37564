"""成书里的附录：参考页由 docstring 而来，与讲义的对照指得到格，各章的耗时都记下了。"""

import functools
import re

import chapter_times
from bs4 import BeautifulSoup
from built_book import BOOK

from chapters import PLACE, ROOT, cells


def test_reference_page_is_built():
    page = (BOOK / "chapters/course_lib.html").read_text(encoding="utf8")
    assert 'id="course_lib.attention.MultiHeadAttention.forward"' in page
    assert "<strong>返回</strong>：output (B, N, D)" in page


@functools.cache
def soup_of(chapter):
    page = BOOK / "chapters" / f"{chapter}.html"
    return BeautifulSoup(page.read_text(encoding="utf8"), "html.parser")


def section_of(chapter, cell):
    """这一格在哪一节里，取最里面的。"""
    return soup_of(chapter).find(id=cell).find_parent("section")["id"]


def test_places_are_links_in_the_book():
    page = (BOOK / "chapters" / "lesson_map.html").read_text(encoding="utf8")
    links = set(re.findall(r'href="(\w+)\.html#([\w-]+)"', page))
    ran = set(PLACE.findall((ROOT / "chapters" / "lesson_map.md").read_text(encoding="utf8")))
    code = {
        (name, cell["id"]) for name, _ in ran for cell in cells(ROOT / "chapters" / f"{name}.ipynb", "code")
    }
    assert {name for name, _ in ran} == {name for name, _ in ran & links}
    # 同一格里几处在同一节的，只有头一处是链接（见 test_addresses.py）；每一节都点得到
    assert {(name, section_of(name, cell)) for name, cell in ran & code} <= {
        (name, section_of(name, cell)) for name, cell in links & code
    }


def test_every_chapter_was_timed():
    found = chapter_times.seconds()
    assert set(found) == {path.stem for path in (chapter_times.ROOT / "chapters").glob("*.ipynb")}
    assert all(0 < spent < 3600 for spent in found.values())
