"""测试分几档：说清这一次没有跑哪些，不让慢的混进快的里，房间没有变的睡着。要用浏览器的共用一个。"""

import os
import re
import sys
import traceback
from collections import Counter
from pathlib import Path

import pytest
import sleeping

from tools.chromium import open_browser

# 标记 → 由哪条命令来跑
TIERS = {
    "subprocess": "make test",
    "thorough": "make test-thorough",
    "guards": "房间没有变，AWAKE=1 make test",
}
# 另起进程，或者开一个等人来连的端口
BEGINNINGS = {"subprocess.Popen", "os.posix_spawn", "os.fork", "socket.bind"}
# 失败了的网页留在这里
FAILED = sleeping.ROOT / "_build/failed"
left_out = Counter()
watched = opened = None
# 要记进 asleep.json 的：跑过、通过了的与它的摘要，失败了的
passed, failed = {}, set()


def pytest_addoption(parser):
    parser.addoption("--awake", action="store_true", help="守着的房间没有变的，也跑")
    parser.addoption("--put-to-sleep", action="store_true", help="也跑，并且记下都通过了的文件")
    parser.addoption("--after-check", action="store_true", help="make check 跑过的不再跑")


def pytest_collection_modifyitems(config, items):
    option = config.option
    named = {(config.invocation_params.dir / arg.partition("::")[0]).resolve() for arg in config.args}
    if option.put_to_sleep and (option.keyword or any("::" in arg for arg in config.args)):
        raise pytest.UsageError("只跑了一部分，就不知道一个文件是不是全都通过。")

    def left(item):
        if not (option.awake or option.put_to_sleep) and sleeping.is_asleep(item, named):
            item.asleep = "guards"
            return True
        return option.after_check and is_quick(item)

    if option.put_to_sleep:
        for item in items:
            if it := sleeping.guard(item):
                item.user_properties.append(("guards", (it.key, sleeping.digest(it))))
    gone = {item: None for item in items if left(item)}
    items[:] = [item for item in items if item not in gone]
    config.hook.pytest_deselected(items=list(gone))


def is_quick(item):
    """make check 跑的：不另起进程的库与文字的测试。"""
    return item.path.parent.name in ("library", "text") and not item.get_closest_marker("subprocess")


def pytest_runtest_logreport(report):
    for name, told in report.user_properties:
        if name == "guards" and report.failed:
            failed.add(told[0])
        elif name == "guards" and report.when == "call" and report.passed:
            passed[told[0]] = told[1]


def pytest_deselected(items):
    for item in items:
        asleep = getattr(item, "asleep", None)
        left_out.update([asleep or next((mark for mark in TIERS if item.get_closest_marker(mark)), "")])


def pytest_sessionfinish(session):
    if hasattr(session.config, "workeroutput"):  # 在别的进程里跑的，交给主进程去说
        session.config.workeroutput["left_out"] = dict(left_out)
    elif session.config.option.put_to_sleep:
        sleeping.put_to_sleep(passed, failed)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node, error):
    # 每个进程收集的都是全部，不相加
    told = getattr(node, "workeroutput", {})
    left_out.update(Counter(told.get("left_out", {})) - left_out)


def pytest_terminal_summary(terminalreporter):
    parts = [f"{left_out[mark]} 个标了 {mark} 的测试（{TIERS[mark]}）" for mark in TIERS if left_out[mark]]
    parts += [os.environ["LEFT_OUT"]] if os.environ.get("LEFT_OUT") else []
    if parts:
        terminalreporter.write_line(f"没有跑：{'；'.join(parts)}。")


def watch(event, args):
    # urllib3 被导入时在 ::1 上占一个端口，只为看看有没有 IPv6；假的 hub 与索引都在 127.0.0.1 上
    probe = event == "socket.bind" and args[1] == ("::1", 0)
    if watched is not None and event in BEGINNINGS and not probe:
        watched.append(event)
    if opened is not None and event == "open" and isinstance(args[0], str) and not for_hypothesis(args[0]):
        opened.add(os.path.abspath(args[0]))


def for_hypothesis(path):
    """hypothesis 翻看每个载入了的模块的源文件，取里面的常数来试；载入了哪些，要看先跑了什么，不算测试读的。"""
    names = (frame.f_globals.get("__name__") for frame, _ in traceback.walk_stack(None))
    return path.endswith(".py") and "hypothesis.internal.constants_ast" in names


sys.addaudithook(watch)


@pytest.fixture(autouse=True)
def what_it_begins(request):
    """库与文字的测试，没有标 subprocess 的，不许另起进程，也不许起一个假的 hub。"""
    global watched
    folder = request.path.parent.name
    if folder not in ("library", "text") or request.node.get_closest_marker("subprocess"):
        yield
        return
    watched = begun = []
    yield
    watched = None
    assert not begun, f"它会 {begun[0]}：请标上 @pytest.mark.subprocess，make check 才快得起来。"


@pytest.fixture(autouse=True)
def what_it_reads(request):
    """睡着的那一档：读的源文件都在守着的房间里，房间变了它才醒得来。"""
    global opened
    guard = sleeping.guard(request.node)
    if not guard:
        yield
        return
    opened = read = set()
    yield
    opened = None
    beyond = sleeping.outside(read, guard)
    assert not beyond, f"它还读了 {'、'.join(sorted(beyond))}：请写进 guards。"


@pytest.fixture(scope="session")
def browser(request):
    """一个进程一个 Chromium：playwright 在同一个线程里开不了第二个。"""
    with open_browser() as browser:
        request.config.browser = browser
        yield browser
        request.config.browser = None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    browser = getattr(item.config, "browser", None)
    if report.failed and browser:
        name = re.sub(r"[^\w.-]+", "_", item.nodeid)[-120:]
        pages = [page for context in browser.contexts for page in context.pages]
        for number, page in enumerate(pages):
            keep_trace(page, FAILED / f"{name}.{number}", report)
    return report


def keep_trace(page, path, report):
    """浏览器里失败了的，留下那一刻的样子与整页的标记；页面已经不答的，说一声。"""
    from playwright.sync_api import Error  # 不开浏览器的测试不 import 它

    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        page.screenshot(path=f"{path}.png", timeout=10_000)
        Path(f"{path}.html").write_text(page.content(), encoding="utf-8")
        told = f"{page.url} 那一刻的样子：{path}.png，{path}.html"
    except Error as error:
        told = f"{page.url} 那一刻的样子留不下来：{error}"
    report.sections.append(("网页", told))
