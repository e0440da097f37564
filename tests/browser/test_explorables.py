"""可以动手的图，在真的 Chromium 里：成书里脚本共用一份，没有脚本时有一句话，来两遍也不乱，手机上放得下、点得中。"""

from importlib import import_module
from pathlib import Path

import pytest

from course_lib.show.explore import page as figure

DATA = {"tokens": ["time", "flies"], "scores": [[1.0, 2.0], [0.5, -1.0]], "padding": [False, False]}


FIGURES = [path.stem for path in sorted(Path(__file__).parent.glob("test_explore_*.py"))]


# 每个能点、能拖的都试一遍：图高了多少，各块又各挪了多少；最宽到哪里，按钮与滑杆最小的一个
TRY_ALL = """async () => {
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  const stage = document.querySelector(".explore-stage");
  const look = () => [stage.offsetHeight, ...[...stage.children].map((part) => part.offsetTop ?? 0)];
  const first = look();
  let moved = 0, wide = 0, button = Infinity, slider = Infinity;
  const smallest = (least, selector, size) => Math.min(least, ...[...document.querySelectorAll(selector)]
    .map((each) => each.getBoundingClientRect()).filter(({ width }) => width).map(size));
  const compare = () => {
    look().forEach((now, i) => { moved = Math.max(moved, Math.abs(now - first[i])); });
    wide = Math.max(wide, document.documentElement.scrollWidth);
    button = smallest(button, ".explore :is(button:not(.explore-dot), td[role=button])", ({ width, height }) => Math.min(width, height));
    slider = smallest(slider, ".explore input[type=range]", ({ width }) => width);
  };
  compare();
  for (const control of stage.querySelectorAll("button, input[type=range]")) {
    if (!control.isConnected || control.textContent === "播放") continue;
    control.click();
    compare();
    for (const at of control.max ? [0, Math.floor(control.max / 2), control.max] : []) {
      control.value = at;
      control.dispatchEvent(new Event("input"));
      compare();
    }
  }
  return { moved, wide, button, slider };
}"""


@pytest.mark.parametrize("width", [720, 360])
@pytest.mark.parametrize("file", FIGURES)
def test_nothing_jumps_while_it_is_used_and_it_fits_a_phone_and_a_finger(open_figure, file, width):
    """从打开到走完每一步，图的高矮、各块的位置都不变：下面的字不跳，按钮也不从手指底下跑开；手机上放得下，点得中。"""
    module = import_module(file)
    for data in (module.DATA, *getattr(module, "ALSO", [])):
        page = open_figure(file.removeprefix("test_explore_"), data, width=width)
        seen = page.evaluate(TRY_ALL)
        assert seen["moved"] <= 1 and seen["wide"] <= width
        assert width > 360 or (seen["button"] >= 39 and seen["slider"] > 100)


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
    assert figures.count() == blank.locator("figure.explore[data-ready]").count() > 1
    assert "Explore.define" not in blank.content() and "data-library" not in blank.content()
    assert blank.locator("section.deep > details").first.evaluate("fold => fold.open") is False
    assert blank.locator("[id='深入-饱和时梯度还剩多少'] > details").evaluate("fold => fold.open") is True
    walk = figures.nth(1)
    before = walk.inner_text()
    walk.get_by_role("button", name="下一步", exact=True).click()
    assert walk.inner_text() != before and not errors


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
