"""字：标题一级比一级小，汉字不斜，行长合适，两种文字的书各用各的字体，图标一个不少。"""

from itertools import pairwise

import pytest
from built_book import BOOK
from fontTools.ttLib import TTFont

from chapters import page_of

PAGE = page_of("attention_masks")


@pytest.fixture
def page(browser, roots):
    tab = browser.new_page(viewport={"width": 1280, "height": 900}, locale="zh-CN")
    tab.goto(roots["http"] + PAGE)
    yield tab
    tab.close()


def test_each_heading_outranks_the_next(page):
    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        looks = page.evaluate("""() => ['h1', 'h2', 'h3', 'h4', 'p'].map((name) => {
          const node = document.createElement(name);
          document.querySelector('article').append(node);
          const { fontSize, fontWeight, marginTop } = getComputedStyle(node);
          return [fontSize, fontWeight, marginTop].map(parseFloat);
        })""")
        sizes, weights, spaces = zip(*looks, strict=True)
        assert all(a >= 1.14 * b for a, b in pairwise(sizes[:4])) and sizes[3] >= sizes[4], width
        assert list(weights) == sorted(weights, reverse=True)
        assert list(spaces[1:]) == sorted(spaces[1:], reverse=True)


def test_chinese_is_never_slanted(page):
    """画出来看：标作斜体与不标，汉字一模一样；许浏览器自己去斜，就不一样了，可见这样查得出来。"""
    for tag in ("em", "i", "cite", "dfn", "figcaption"):
        page.evaluate("""(tag) => {
          document.body.innerHTML = `<article class="bd-article"><p><${tag} id="here">注意力掩码</${tag}></p></article>`;
        }""", tag)  # fmt: skip
        here = page.locator("#here")

        def drawn(here=here, **style):
            here.evaluate("(node, style) => Object.assign(node.style, style)", style)
            return here.screenshot()

        marked = drawn(fontStyle="italic")
        assert marked == drawn(fontStyle="normal"), tag
        assert marked != drawn(fontStyle="italic", fontSynthesisStyle="auto"), tag


def test_a_line_holds_about_forty_characters(page):
    for width in (1280, 1440, 1920):
        page.set_viewport_size({"width": width, "height": 900})
        letters, leading = page.evaluate("""() => {
          const p = document.querySelector('article section > p');
          const { fontSize, lineHeight } = getComputedStyle(p);
          return [p.clientWidth / parseFloat(fontSize), parseFloat(lineHeight) / parseFloat(fontSize)];
        }""")
        assert 38 <= letters <= 42 and 1.7 <= leading <= 1.85, width


@pytest.mark.parametrize(("folder", "named", "other"), [("", "SC", "TC"), ("zh-TW/", "TC", "SC")])
def test_each_book_names_its_own_fonts(page, roots, folder, named, other):
    page.goto(roots["http"] + folder + PAGE)
    for selector in ("article p", "article h1", "article pre"):
        family = page.locator(selector).first.evaluate("(node) => getComputedStyle(node).fontFamily")
        assert f"Noto Sans CJK {named}" in family and f"CJK {other}" not in family


def test_links_and_ground_come_from_the_palette(page):
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.wait_for_function("(scheme) => document.documentElement.dataset.theme === scheme", arg=scheme)
        seen, wanted = page.evaluate("""() => {
          const probe = document.body.appendChild(document.createElement('i'));
          const colour = (name) => { probe.style.color = `var(--${name})`; return getComputedStyle(probe).color; };
          const { color } = getComputedStyle(document.querySelector('article p a.reference.internal'));
          const { backgroundColor } = getComputedStyle(document.body);
          return [[color, backgroundColor], [colour('key'), colour('paper')]];
        }""")
        assert seen == wanted, scheme


def test_icons_in_use_are_in_the_font():
    """字体裁小之后，页眉里的图标都还在，而没有用到的不在。"""
    font = TTFont(BOOK / "_static/vendor/fontawesome/webfonts/fa-solid-900.woff2")
    kept = set(font.getBestCmap())
    bars, download, expand, sun, moon, search = 0xF0C9, 0xF019, 0xF065, 0xF185, 0xF186, 0xF002
    assert {bars, download, expand, sun, moon, search} <= kept
    assert len(kept) < 200
