"""打开网页的测试共用的：打开一页，看它要过什么，axe 找到的毛病。"""

import pytest
from axe_playwright_python.base import AXE_SCRIPT

both_ways = pytest.mark.parametrize("scheme", ["http", "file"])
# 费时而少变的：双击打开的那一遍留给 make test-thorough
mostly_http = pytest.mark.parametrize("scheme", ["http", pytest.param("file", marks=pytest.mark.thorough)])

AXE = "([panel, rules]) => axe.run(panel, {resultTypes: ['violations'], ...rules})"
# 输入法选字的那一下回车，Safari 的写法：不说自己在 composing；页面动了它没有
COMPOSING_ENTER = """(area) => !area.dispatchEvent(
  new KeyboardEvent("keydown", { key: "Enter", keyCode: 229, bubbles: true, cancelable: true }))"""
EVERYTHING = {"rules": {"region": {"enabled": False}}}
# 换一种明暗，换一个宽度，结论会变的只有这些规则
COLORS = ["color-contrast", "link-in-text-block"]
NARROW = ["scrollable-region-focusable", "target-size"]

# web.dev 的定义：相隔不到 1 秒、总长不到 5 秒的移动算作一段，取最大的一段
WATCH_SHIFTS = """
if (window === top) {
  let first = 0, last = 0, sum = 0;
  window.shift = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      if (entry.hadRecentInput) continue;
      if (entry.startTime - last > 1000 || entry.startTime - first > 5000) [first, sum] = [entry.startTime, 0];
      last = entry.startTime;
      sum += entry.value;
      window.shift = Math.max(window.shift, sum);
    }
  }).observe({type: 'layout-shift', buffered: true});
}"""


def new_page(browser, address, **settings):
    """打开一页；`asked` 里依次是它要过的网址，`sizes` 是要到的各有多少字节，`errors` 里是控制台的错误。"""
    context = browser.new_context(locale="zh-CN", **settings)
    page = context.new_page()
    page.asked, page.sizes, page.errors = [], {}, []
    page.on("request", lambda request: page.asked.append(request.url))
    page.on("requestfinished", lambda r: page.sizes.__setitem__(r.url, r.sizes()["responseBodySize"]))
    page.on("console", lambda text: page.errors.append(text.text) if text.type == "error" else None)
    page.on("pageerror", lambda error: page.errors.append(str(error)))
    page.add_init_script(WATCH_SHIFTS)
    page.goto(address)
    return page


def prepare_axe(page):
    for frame in page.frames:
        frame.evaluate(AXE_SCRIPT)
    page.add_style_tag(content="* { transition: none !important }")  # 颜色一下子就换好，也不等侧栏慢慢滑动


def axe_faults(page, panel, narrow=False):
    """axe 在 panel 里找到的毛病，深色里只看颜色；narrow：宽处看过了，窄处只看大小。先要 `prepare_axe`。"""
    faults = []
    runs = (
        [("light", {"runOnly": NARROW})] if narrow else [("light", EVERYTHING), ("dark", {"runOnly": COLORS})]
    )
    for scheme, rules in runs:
        page.emulate_media(color_scheme=scheme)
        page.wait_for_function("(scheme) => document.documentElement.dataset.theme === scheme", arg=scheme)
        for fault in page.evaluate(AXE, [panel, rules])["violations"]:
            faults += [(scheme, fault["id"], node["target"], node["html"][:120]) for node in fault["nodes"]]
    return faults
