"""网页的重量：连同各页共用的与它的视图，经 gzip 不超过多少字节。"""

import pages
import pytest
from built_book import BOOK, PAGES
from fontTools.ttLib import TTFont

LIMITS = {"chapters/index.html": 350_000, "chapters/13_bertviz.html": 700_000}


@pytest.mark.parametrize("name", [name for name in PAGES if name.startswith("chapters/")])
def test_page_is_light(browser, roots, name):
    page = browser.new_page()
    files = pages.open_page(page, roots["http"] + name)
    page.close()
    assert BOOK / name in files
    assert 10_000 < sum(map(pages.gzipped, files)) <= LIMITS.get(name, 500_000)


def test_icons_in_use_are_in_the_font():
    """字体裁小之后，页眉里的图标都还在，而没有用到的不在。"""
    font = TTFont(BOOK / "_static/vendor/fontawesome/webfonts/fa-solid-900.woff2")
    kept = set(font.getBestCmap())
    bars, download, expand, sun, moon, search = 0xF0C9, 0xF019, 0xF065, 0xF185, 0xF186, 0xF002
    assert {bars, download, expand, sun, moon, search} <= kept
    assert len(kept) < 200
