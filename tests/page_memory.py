"""一个网页占多少内存：单独开一个浏览器，不接调试器，因为接上的调试器会留着网页取过的一切；网页做到了哪一步，写在它自己的标题里。"""

import json
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.request import urlopen

import psutil

from tools import chromium

EMPTY, DONE, WRONG = "空", "完", "错："
REST = 3  # 空白的一页，歇几秒再看
FRAME = """<!doctype html><meta charset="utf-8"><title>%s</title>
%s
<script>
  async function work() { %s }
  const done = () => (document.title = "%s");
  setTimeout(() => work().then(done, ({ message }) => (document.title = "%s" + message)), %d);
</script>
"""


def write_page(path: Path, scripts: str, work: str) -> None:
    """一页：载入 scripts，歇一会儿，再做 work（async 函数的正文）。"""
    path.write_text(FRAME % (EMPTY, scripts, work, DONE, WRONG, 2000 * REST), encoding="utf-8")


def weigh(address: str, seconds: float = 120) -> tuple[float, float]:
    """`write_page` 写的一页，比它空白的时候多占多少兆字节：途中最多的，做完的。"""
    with open_alone(address) as (title, memory):
        time.sleep(REST)
        assert title() == EMPTY
        empty, most, end = memory(), 0.0, time.monotonic() + seconds
        while (now := title()) != DONE:
            assert not now.startswith(WRONG), now
            assert time.monotonic() < end, f"等了 {seconds} 秒还没有做完"
            most = max(most, memory() - empty)
            time.sleep(0.05)
        return most, memory() - empty


@contextmanager
def open_alone(address: str) -> Iterator[tuple]:
    """打开 address；给出两个函数：它现在的标题，浏览器全部进程的匿名内存（RssAnon，兆字节，还没有回收的垃圾也算）。"""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        port = Path(folder, "DevToolsActivePort")
        command = [chromium.find(), *chromium.FLAGS, "--remote-debugging-port=0", f"--user-data-dir={folder}"]
        with subprocess.Popen([*command, address], stderr=subprocess.DEVNULL) as browser:

            def title() -> str:
                with urlopen(f"http://127.0.0.1:{port.read_text().split()[0]}/json/list") as answer:
                    return next(target["title"] for target in json.load(answer) if target["type"] == "page")

            def memory() -> float:
                total, main = 0, psutil.Process(browser.pid)
                for process in [main, *main.children(recursive=True)]:
                    with suppress(FileNotFoundError, ProcessLookupError):  # 刚好结束的
                        for line in Path(f"/proc/{process.pid}/status").read_text().splitlines():
                            total += int(line.split()[1]) if line.startswith("RssAnon") else 0
                return total / 1e3

            try:
                while not (port.is_file() and "\n" in port.read_text()):
                    assert browser.poll() is None, "浏览器没有打开。"
                    time.sleep(0.05)
                yield title, memory
            finally:
                browser.terminate()
