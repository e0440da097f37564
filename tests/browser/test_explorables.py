"""可以动手的图，在真的 Chromium 里：成书里脚本共用一份，没有脚本时有一句话，来两遍也不乱，手机上放得下、点得中。"""

from importlib import import_module
from pathlib import Path

import pytest
from explorable_helpers import fits_a_phone_and_a_finger

from course_lib.show.explore import page as figure

DATA = {"tokens": ["time", "flies"], "scores": [[1.0, 2.0], [0.5, -1.0]], "padding": [False, False]}


FIGURES = [path.stem for path in sorted(Path(__file__).parent.glob("test_explore_*.py"))]


@pytest.mark.parametrize("file", FIGURES)
def test_fits_a_phone_and_a_finger(open_figure, file):
    page = open_figure(file.removeprefix("test_explore_"), import_module(file).DATA, width=360)
    fits_a_phone_and_a_finger(page)


@pytest.mark.parametrize("scheme", ["http", "file"])
@pytest.mark.parametrize("language", ["", "zh-TW/"])
def test_alive_in_the_book(blank, roots, scheme, language):
    """成书里脚本共用一份；指到折叠的小节，它就展开。"""
    errors = []
    blank.on("pageerror", lambda error: errors.append(error))
    blank.goto(
        f"{roots[scheme]}{language}chapters/04_scaled_dot_product_attention.html#深入-饱和时梯度还剩多少"
    )
    figures = blank.locator("figure.explore")
    assert figures.count() == blank.locator("figure.explore[data-ready]").count() == 2
    assert "Explore.define" not in blank.content() and "data-library" not in blank.content()
    assert blank.locator("section.deep > details").first.evaluate("fold => fold.open") is False
    assert blank.locator("[id='深入-饱和时梯度还剩多少'] > details").evaluate("fold => fold.open") is True
    blank.get_by_role("button", name="下一步", exact=True).click()
    assert blank.locator("caption", has_text="Q").count() and not errors


def test_without_scripts_a_sentence(browser):
    page = browser.new_context(java_script_enabled=False).new_page()
    page.set_content(figure("mask", "说明", DATA))
    assert "要有脚本" in page.locator(".explore-stage").inner_text()
    page.context.close()


def test_scripts_may_arrive_twice(open_figure):
    """笔记本里每格输出都带着脚本。"""
    page = open_figure("mask", DATA)
    page.evaluate(
        "html => document.body.append(document.createRange().createContextualFragment(html))",
        figure("mask", "又一幅", DATA),
    )
    assert page.locator("figure.explore[data-ready]").count() == 2
    page.get_by_role("button", name="因果", exact=True).nth(1).click()
    assert (
        page.locator("figure").nth(0).get_by_role("button", name="都可以看").get_attribute("aria-pressed")
        == "true"
    )
