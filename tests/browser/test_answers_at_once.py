"""每一页随时都答得上来：从打开到滚到底，每幅图点一下，没有一件事让读者等 0.1 秒，加起来也停不了多久。

量的是主线程自己用去的时间，机器忙不忙都一样；机器的快慢，由一页标准的网页来比。
"""

import pytest
from built_book import PAGES, serve
from long_tasks import blocked, visit

LONGEST, BLOCKED, SLOW, BLOCKED_SLOW = 100, 200, 4, 800  # 毫秒；后两个是处理器慢四倍时
TRIES = 3  # 别的程序也会挤掉缓存：取最快的一次
# 一页标准的网页：四千段话。在量出上面几个数的机器上，它最久的一件事要多少毫秒
STANDARD = "<!doctype html><script>document.write('<p>每个词元给别的词元多少权重，写在它的一行里。</p>'.repeat(4000))</script>"
ITS_LONGEST = 120


@pytest.fixture(scope="module")
def slower(browser, tmp_path_factory):
    """此刻这台机器比那一台慢几倍，快的算一倍；别的进程在旁边抢缓存时也要慢一些，所以重来的一次旁边再量。"""
    folder = tmp_path_factory.mktemp("standard")
    (folder / "index.html").write_text(STANDARD, encoding="utf-8")
    with serve(folder) as root:
        longest = lambda: max(task.cpu for task in visit(browser, root, 1280)[0])  # noqa: E731
        quiet = min(longest() for _ in range(3))
        yield lambda again: max(1, (longest() if again else quiet) / ITS_LONGEST)


@pytest.mark.guards(page=True)
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("name", [name for name in PAGES if name.startswith("chapters/")])
def test_no_page_keeps_its_reader_waiting(browser, roots, slower, name, width):
    tries = []
    for again in range(TRIES):
        times = slower(again)
        read, clicked = (
            [task.cpu / times for task in part] for part in visit(browser, roots["http"] + name, width)
        )
        tries.append([max(read + clicked), blocked(read), blocked([SLOW * time for time in read])])
        if all(
            found <= limit for found, limit in zip(tries[-1], (LONGEST, BLOCKED, BLOCKED_SLOW), strict=True)
        ):
            return
    pytest.fail(f"最久的一件事、停住的时间、慢四倍时停住的时间（毫秒）：{tries}；这台机器慢 {times:.2f} 倍。")
