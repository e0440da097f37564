"""一页从打开到滚到底，再把每幅可以动手的图点一下：页面的主线程一件一件事各做了多久。"""

import json
from typing import NamedTuple

LONG = 50  # 毫秒，web.dev 的定义：超过它的那一段，读者点什么都要等
SCROLL = """async () => {
  const wait = (ms) => new Promise((done) => setTimeout(done, ms));
  for (let before = -1; before !== scrollY; ) {
    before = scrollY;
    scrollBy({ top: 0.8 * innerHeight, behavior: "instant" });
    await wait(40);
  }
  await wait(200);
}"""
# 每幅图点一下头一个能点的
CLICK = """async () => {
  for (const stage of document.querySelectorAll(".explore-stage")) {
    const control = stage.checkVisibility() && stage.querySelector("button, input[type=range]");
    if (control) control.click();
    await new Promise((done) => setTimeout(done, 20));
  }
}"""


class Task(NamedTuple):
    """一件事：wall 是墙上的毫秒，cpu 是它自己用去的毫秒，别的程序抢走的不算。"""

    wall: float
    cpu: float


def blocked(times: list[float]) -> float:
    """超过 LONG 的那些，超过的部分加起来。"""
    return sum(max(0, time - LONG) for time in times)


def visit(browser, url: str, width: int, slowdown: int = 1) -> tuple[list[Task], list[Task]]:
    """打开一页，一路滚到底，再点每幅图：前一段与后一段的各件事；slowdown 把处理器放慢几倍。"""
    context = browser.new_context(locale="zh-CN", viewport={"width": width, "height": 844})
    page = context.new_page()
    page.set_default_timeout(120_000)
    if slowdown > 1:
        context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": slowdown})
    page.goto(url.rpartition("/")[0] + "/")  # 头一次打开一个站点要另起进程，那是浏览器的事
    browser.start_tracing(page=page, categories=["toplevel", "blink.user_timing"])
    page.wait_for_timeout(300)
    page.evaluate("performance.mark('open')")
    page.goto(url)
    page.wait_for_timeout(400)
    page.evaluate(SCROLL)
    page.evaluate("performance.mark('click')")
    page.evaluate(CLICK)
    events = json.loads(browser.stop_tracing())["traceEvents"]
    context.close()
    opened, clicked = (next(event for event in events if event["name"] == mark) for mark in ("open", "click"))
    main = [
        event
        for event in events
        if event["name"] == "ThreadControllerImpl::RunTask"
        and (event["pid"], event["tid"]) == (opened["pid"], opened["tid"])
        and "dur" in event
    ]
    return tuple(
        [
            Task(event["dur"] / 1000, event.get("tdur", 0) / 1000)
            for event in main
            if start < event["ts"] < end
        ]
        for start, end in ((opened["ts"], clicked["ts"]), (clicked["ts"], float("inf")))
    )
