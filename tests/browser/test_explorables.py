"""可以动手的图，在真的 Chromium 里：各章的每一幅，每个能点、能拖的都试一遍；没有脚本时有一句话，来两遍也不乱。"""

import pytest

from chapters import CHAPTERS, cells, page_of, source
from course_lib.show.explore import page as figure

DATA = {"tokens": ["time", "flies"], "scores": [[1.0, 2.0], [0.5, -1.0]], "padding": [False, False]}
WITH_FIGURES = [path.stem for path in CHAPTERS if any("explore(" in source(cell) for cell in cells(path))]

SHOW_ALL = """() => {
  for (const fold of document.querySelectorAll("section.deep > details")) fold.open = true;
  for (const part of document.querySelectorAll(".veiled")) part.classList.remove("veiled");
}"""
# 走遍一幅图：每个能点、能拖的都试一遍，再倒着试一遍，记下看到的毛病
WALK = """async (figure) => {
  const stage = figure.querySelector(".explore-stage"), found = new Set();
  const frames = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  figure.scrollIntoView();
  while (!("ready" in figure.dataset)) await frames();
  await frames();
  const parts = [stage, ...stage.querySelectorAll(":scope > :not(svg)")];
  const places = () => parts.map((part) => [part.offsetTop, part.offsetHeight]);
  const first = places();
  const name = (control) => control.ariaLabel ?? (control.labels?.[0] ?? control).textContent.trim();
  const look = (control) => {
    places().forEach(([top, high], i) => {
      if (Math.abs(top - first[i][0]) > 1) found.add(`${name(control)}：第 ${i} 块挪了 ${top - first[i][0]}`);
      if (high && first[i][1] && Math.abs(high - first[i][1]) > 1) found.add(`${name(control)}：第 ${i} 块高了 ${high - first[i][1]}`);
    });
    const wrong = stage.textContent.match(/undefined|Infinity|\\[object/);
    if (wrong) found.add(`${name(control)}：写着 ${wrong[0]}`);
    if (document.documentElement.scrollWidth > innerWidth) found.add(`${name(control)}：比屏幕宽`);
  };
  const controls = [...stage.querySelectorAll("button, input, select, [role=button]")];
  for (const control of controls) {
    if (!name(control)) found.add(`没有名字：${control.outerHTML.slice(0, 80)}`);
    const { width, height } = control.getBoundingClientRect();
    if (!width || innerWidth > 600) continue;
    if (control.type === "range" ? width <= 100 : !control.matches(".explore-dot") && Math.min(width, height) < 24) {
      found.add(`${name(control)}：手指点不中，${width.toFixed()}×${height.toFixed()}`);
    }
  }
  const toTry = controls.filter((control) => control.matches("button, [type=range]") && control.textContent !== "播放");
  for (const control of [...toTry, ...toTry.toReversed()]) {
    if (!control.isConnected) continue;
    control.click();
    look(control);
    for (let at = 0; control.max && at <= control.max; at += Math.max(1, control.max / 40)) {
      control.value = at;
      control.dispatchEvent(new Event("input"));
      look(control);
    }
  }
  return [...found];
}"""


@pytest.mark.guards(page=True)
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("name", WITH_FIGURES)
def test_every_control_of_every_figure(open_tab, name, width):
    """从打开到走完每一步：图的高矮、各块的位置都不变，下面的字不跳；没有写坏的数；都有名字，手机上放得下，点得中。"""
    page = open_tab(f"chapters/{name}.html", viewport={"width": width, "height": 800})
    page.evaluate(SHOW_ALL)
    seen = {
        f"{i} {figure.get_attribute('data-explore')}": figure.evaluate(WALK)
        for i, figure in enumerate(page.query_selector_all("figure.explore"))
    }
    assert seen and {which: faults for which, faults in seen.items() if faults} == {}
    assert page.errors == []


@pytest.mark.parametrize("scheme", ["http", "file"])
@pytest.mark.parametrize("language", ["", "zh-TW/"])
def test_alive_in_the_book(blank, roots, scheme, language):
    """成书里脚本共用一份；指到折叠的小节，它就展开。"""
    errors = []
    blank.on("pageerror", lambda error: errors.append(error))
    blank.goto(f"{roots[scheme]}{language}{page_of('scaled_dot_product_attention')}#深入-饱和时梯度还剩多少")
    figures = blank.locator("figure.explore")
    for figure_ in figures.all():
        figure_.scroll_into_view_if_needed()
    blank.wait_for_function("!document.querySelector('figure.explore:not([data-ready])')")
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
    # 快看到时才画
    page.wait_for_function("document.querySelectorAll('figure.explore[data-ready]').length === 2")
    page.get_by_role("button", name="因果", exact=True).nth(1).click()
    assert (
        page.locator("figure").nth(0).get_by_role("button", name="都可以看").get_attribute("aria-pressed")
        == "true"
    )
