"""“打开一个大语言模型”里选哪一个模型：在成好的书上装作带着两个，不必真的带着，也不打开。"""

import re

import pytest
from built_book import BOOK
from live_pages import axe_faults, prepare_axe
from llm_panel import PAGE, PARIS

pytestmark = pytest.mark.guards("live", "_ext", "chapters/llm.md")

CHINESE = "中国的首都是北京，法国的首都是"


@pytest.fixture
def both(browser, roots):
    """一本带着两个模型的书的那一页，网址后面写着 fragment；一页一个窗口，宽 width。"""
    pages = []

    def open_page(fragment="", width=1280, zh=True):
        body = re.sub(r" data-bytes-zh=\"\d+\"", "", (BOOK / PAGE).read_text(encoding="utf-8"))
        if zh:
            body = re.sub(r"( data-bytes=\"\d+\")", r'\1 data-bytes-zh="299358306"', body)
        page = browser.new_context(viewport={"width": width, "height": 800}).new_page()
        page.asked = []
        page.on("request", lambda request: page.asked.append(request.url))
        page.route(
            f"**/{PAGE}", lambda route: route.fulfill(body=body, content_type="text/html; charset=utf-8")
        )
        page.goto(roots["http"] + PAGE + fragment)
        page.wait_for_selector(".llm-opening .live-open")
        pages.append(page)
        return page

    yield open_page
    for page in pages:
        page.context.close()


def choose(page, name):
    page.locator(".live-models label", has_text=name).click()


def text(page):
    return page.locator(".llm-ask textarea").input_value()


def examples(page):
    return page.locator(".live-examples button").all_inner_texts()


def test_each_model_has_its_own_button_examples_and_address(both):
    page = both()
    english = examples(page)
    assert page.locator(".live-models :checked").input_value() == "" and text(page) == PARIS
    choose(page, "Qwen")
    assert "Qwen2.5-Coder（下载约 299 MB）" in page.inner_text(".llm-opening .live-open")
    assert text(page) == CHINESE and examples(page) != english and "model=zh" in page.url
    assert page.locator(".llm-ask textarea").get_attribute("lang") == "zh"
    assert page.locator(".llm-han").inner_text() == "" and "懂中文" in page.inner_text(".live-llm")
    assert "24 层 × 14 个头" in page.inner_text("[data-view=attention] > summary")
    page.go_back()
    page.wait_for_function("!location.hash.includes('model=zh')")
    assert text(page) == PARIS and examples(page) == english
    assert "30 层 × 9 个头" in page.inner_text("[data-view=attention] > summary")
    # 自己写的带过去，一问一答也是
    page.locator(".llm-ask textarea").fill("你好")
    assert "几乎只懂英文" in page.inner_text(".llm-han")
    choose(page, "Qwen")
    assert text(page) == "你好" and page.locator(".llm-han").inner_text() == ""
    assert not any("/live/data/" in asked for asked in page.asked)


def test_an_address_opens_its_model(both):
    fragment = "#model=zh&text=%E4%BD%A0%E5%A5%BD&layer=30&head=20"
    page = both(fragment)
    assert page.locator(".live-models :checked").input_value() == "zh" and text(page) == "你好"
    assert (
        page.evaluate("LlmState.toState({ model: 'zh', layer: 30, head: 20 })").items()
        >= {"layer": 24, "head": 14}.items()
    )
    for odd in ("xx", "constructor", "__proto__"):
        assert page.evaluate("(model) => LlmState.toState({ model }).model", odd) == ""
    # 没有带着它的书：不问，网址里写着也还是英文的
    page = both(fragment, zh=False)
    assert page.locator(".live-models").count() == 0
    assert "SmolLM2" in page.inner_text(".llm-opening .live-open") and text(page) == "你好"


@pytest.mark.parametrize("width", [1280, 360])
def test_the_choice_can_be_read_and_pressed(both, width):
    page = both(width=width)
    choose(page, "Qwen")
    prepare_axe(page)
    assert axe_faults(page, ".live-llm", width == 360) == []
    boxes = [label.bounding_box() for label in page.locator(".live-models label").all()]
    assert boxes[0]["y"] == boxes[1]["y"]
    assert all(box["height"] >= 36 and box["x"] + box["width"] <= width for box in boxes)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
