"""测试分几档：说清这一次没有跑哪些，不让慢的混进快的里。要用浏览器的共用一个。"""

import os
import sys
from collections import Counter

import pytest

from tools.chromium import open_browser

# 标记 → 由哪条命令来跑
TIERS = {"subprocess": "make test", "thorough": "make test-thorough"}
# 另起进程，或者开一个等人来连的端口
BEGINNINGS = {"subprocess.Popen", "os.posix_spawn", "os.fork", "socket.bind"}
left_out = Counter()
watched = None


def pytest_deselected(items):
    for item in items:
        left_out.update([next((mark for mark in TIERS if item.get_closest_marker(mark)), "")])


def pytest_sessionfinish(session):
    if hasattr(session.config, "workeroutput"):  # 在别的进程里跑的，交给主进程去说
        session.config.workeroutput["left_out"] = dict(left_out)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node, error):
    # 每个进程收集的都是全部，不相加
    left_out.update(Counter(getattr(node, "workeroutput", {}).get("left_out", {})) - left_out)


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


@pytest.fixture(scope="session")
def browser():
    """一个进程一个 Chromium：playwright 在同一个线程里开不了第二个。"""
    with open_browser() as browser:
        yield browser
