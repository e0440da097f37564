"""放映：一次一节，字大一些，图照样可以动手；键盘归谁分得清，结束时回到原处。"""

import pytest
from live_pages import axe_faults, prepare_axe

from chapters import page_of

PAGE = page_of("scaled_dot_product_attention")
SHOWN = "[...document.querySelectorAll('.bd-article :is(p, pre, table, figure.explore, li):not(.chapter-place, .ran-with, figure.explore *)')].filter(e => e.checkVisibility())"
ON = f"{SHOWN}.map(e => e.closest('section').id)"


@pytest.fixture
def tab(browser):
    context = browser.new_context(viewport={"width": 1280, "height": 720}, locale="zh-CN")
    page = context.new_page()
    page.errors = []
    page.on("pageerror", lambda error: page.errors.append(str(error)))
    yield page
    assert not page.errors
    context.close()


def start(tab, url):
    tab.goto(url)
    tab.click(".projection-start")


def place(tab):
    name, count = tab.locator(".projection-place > *").all_inner_texts()
    return name, count


def to(tab, section):
    while place(tab)[0] != section:
        before = place(tab), tab.evaluate("scrollY")
        tab.keyboard.press("PageDown")
        assert (place(tab), tab.evaluate("scrollY")) != before, f"走不到{section}"


@pytest.mark.parametrize("scheme", ["http", "file"])
def test_one_section_at_a_time_and_all_of_them(tab, roots, scheme):
    tab.goto(roots[scheme] + PAGE)
    every = tab.evaluate(f"{SHOWN}.filter(e => !e.closest('details.claims')).length")
    start(tab, roots[scheme] + PAGE)
    seen, wide = 0, []
    for number in range(1, int(place(tab)[1].split(" / ")[1]) + 1):
        on = tab.evaluate(ON)
        assert len(set(on)) <= 1, place(tab)
        seen += len(on)
        wide += [place(tab)] * (tab.evaluate("document.documentElement.scrollWidth") > 1280)
        assert place(tab)[1].startswith(f"{number} / ")
        if number > 1:
            tab.click("[data-move='-1']")
            tab.click("[data-move='1']")
        if tab.is_enabled("[data-move='1']"):
            tab.click("[data-move='1']")
    assert seen == every and not wide
    assert place(tab)[0] == "延伸阅读" and tab.is_disabled("[data-move='1']")


def test_keys_walk_by_screens_and_then_by_sections(tab, roots):
    start(tab, roots["http"] + PAGE)
    assert place(tab)[0] == "缩放点积注意力" and place(tab)[1].startswith("1 / ")
    tab.keyboard.press("ArrowRight")
    assert place(tab)[0] == "缩放点积注意力" and tab.evaluate("scrollY") > 0
    to(tab, "直觉")
    assert tab.evaluate("scrollY") == 0
    tab.keyboard.press("ArrowLeft")
    assert place(tab)[0] == "缩放点积注意力" and tab.evaluate("scrollY") > 0
    tab.keyboard.press("End")
    assert place(tab)[0] == "延伸阅读"
    tab.keyboard.press("Home")
    assert place(tab)[0] == "缩放点积注意力"
    to(tab, "公式与形状")
    tab.keyboard.press("Escape")
    assert not tab.query_selector(".projection-bar") and tab.is_visible(".bd-header-article")
    top = tab.locator("[id='公式与形状'] > h2").bounding_box()["y"]
    assert 0 <= top < 300 and tab.evaluate("document.activeElement.className").endswith("projection-start")


@pytest.mark.parametrize("composing", ["keyCode: 229", "isComposing: true"])
def test_paging_through_what_an_input_method_offers_stays(tab, roots, composing):
    start(tab, roots["http"] + PAGE)
    pressed = """document.body.dispatchEvent(
      new KeyboardEvent("keydown", { key: "PageDown", %s, bubbles: true, cancelable: true }))"""
    assert tab.evaluate(pressed % composing) and tab.evaluate("scrollY") == 0
    assert not tab.evaluate(pressed % "keyCode: 34") and tab.evaluate("scrollY") > 0


def test_a_figure_keeps_its_keys_and_still_works(tab, roots):
    start(tab, roots["http"] + PAGE)
    to(tab, "亲手走一遍")
    figure = tab.locator("figure.explore:visible")
    figure.scroll_into_view_if_needed()
    drawn, size = figure.inner_html(), figure.bounding_box()["width"]
    button = figure.get_by_role("button", name="上一步")
    button.focus()
    tab.keyboard.press("ArrowRight")
    assert place(tab)[0] == "亲手走一遍"
    tab.keyboard.press("Enter")
    assert figure.inner_html() != drawn and size > 900
    tab.keyboard.press("Escape")  # 焦点在图里，Esc 也归图
    assert tab.is_visible(".projection-bar")


def test_the_size_is_remembered_and_a_link_leads_to_its_section(tab, roots):
    start(tab, roots["http"] + PAGE)
    height = tab.locator("h1").bounding_box()["height"]
    for _ in range(2):
        tab.click("[data-size='1']")
    larger = tab.locator("h1").bounding_box()["height"]
    assert larger == pytest.approx(height * 2 / 1.5, rel=0.05)
    tab.evaluate("location.hash = '#手算'")
    tab.wait_for_function("document.querySelector('.projection-place b').textContent === '手算'")
    address = tab.url
    tab.goto("about:blank")
    tab.goto(address)
    tab.click(".projection-start")
    assert place(tab)[0] == "手算"
    tab.click("[data-move='-1']")
    tab.keyboard.press("Home")
    assert tab.locator("h1").bounding_box()["height"] == pytest.approx(larger, rel=0.02)


@pytest.mark.parametrize("language", ["", "zh-TW/"])
def test_it_is_accessible(tab, roots, language):
    start(tab, roots["http"] + language + PAGE)
    prepare_axe(tab)
    assert tab.inner_text("[data-end]") == ("結束放映" if language else "结束放映")
    assert not axe_faults(tab, "body")


def test_an_ill_formed_address_is_no_place(tab, roots):
    start(tab, roots["http"] + PAGE + "#%E4%A")
    assert place(tab)[1].startswith("1 / ")
    tab.evaluate("location.hash = '#%E4'")
    tab.keyboard.press("End")
    assert place(tab)[0] == "延伸阅读"


def test_the_bar_is_not_printed(tab, roots):
    start(tab, roots["http"] + PAGE)
    tab.emulate_media(media="print")
    assert not tab.is_visible(".projection-bar")


def test_a_phone_has_no_button(tab, roots):
    tab.set_viewport_size({"width": 390, "height": 800})
    tab.goto(roots["http"] + PAGE)
    assert not tab.is_visible(".projection-start")
