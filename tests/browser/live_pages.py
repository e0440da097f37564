"""两个活的网页的测试共用的：打开一页，看它要过什么；后台线程占了多少处理器；axe 找到的毛病。"""

from contextlib import suppress
from pathlib import Path

from axe_playwright_python.base import AXE_SCRIPT
from page_scripts import WATCH_SHIFTS

AXE = "(panel) => axe.run(panel, {resultTypes: ['violations'], rules: {region: {enabled: false}}})"


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
    page.evaluate(AXE_SCRIPT)
    page.add_style_tag(content="* { transition: none !important }")  # 颜色一下子就换好


def axe_faults(page, panel):
    """浅色与深色里，axe 在 panel 里找到的毛病；先要 `prepare_axe`。"""
    faults = []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.wait_for_function("(scheme) => document.documentElement.dataset.theme === scheme", arg=scheme)
        for fault in page.evaluate(AXE, panel)["violations"]:
            faults += [(scheme, fault["id"], node["target"], node["html"][:120]) for node in fault["nodes"]]
    return faults


def processes(browser):
    return browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")["processInfo"]


def worker_threads(browser) -> list[Path]:
    """各个后台线程在 /proc 里的文件夹。"""
    found = []
    for process in processes(browser):
        for task in Path(f"/proc/{process['id']}/task").iterdir():
            with suppress(FileNotFoundError):  # 别的线程可能刚好结束
                if (task / "comm").read_text().startswith("DedicatedWorker"):
                    found.append(task)
    assert found
    return found


def busy_milliseconds(threads) -> float:
    """占用处理器的时间：别的进程抢核时，钟走得快，它不变。"""
    return sum(int((thread / "schedstat").read_text().split()[0]) for thread in threads) / 1e6
