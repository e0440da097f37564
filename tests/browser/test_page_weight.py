"""网页的重量：首页连同它要的一切，每一章连同它的视图，经 gzip 不超过多少字节。"""

import pages
import pytest
from built_book import BOOK, PAGES
from fontTools.ttLib import TTFont

FRONT = "chapters/index.html"
FRONT_LIMIT, CHAPTER_LIMIT = 350_000, 900_000


@pytest.fixture
def weigh(browser, roots):
    def by_kind(name):
        page = browser.new_page()
        files = pages.open_page(page, roots["http"] + name)
        page.close()
        assert BOOK / name in files
        return [sum(pages.gzipped(f) for f in files if pages.is_shared(f) == kind) for kind in (False, True)]

    return by_kind


def test_front_page_is_light(weigh):
    assert 10_000 < sum(weigh(FRONT)) <= FRONT_LIMIT


@pytest.mark.parametrize("name", [name for name in PAGES if name.startswith("chapters/")])
def test_page_is_light(weigh, name):
    own, shared = weigh(name)
    assert own <= CHAPTER_LIMIT
    assert shared < 1_300_000  # 多半是 MathJax


def test_icons_in_use_are_in_the_font():
    """字体裁小之后，页眉里的图标都还在，而没有用到的不在。"""
    font = TTFont(BOOK / "_static/vendor/fontawesome/webfonts/fa-solid-900.woff2")
    kept = set(font.getBestCmap())
    bars, download, expand, sun, moon, search = 0xF0C9, 0xF019, 0xF065, 0xF185, 0xF186, 0xF002
    assert {bars, download, expand, sun, moon, search} <= kept
    assert len(kept) < 200
