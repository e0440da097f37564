"""网页里的练习有多快：头一次检查要取来并准备好 Python，以后每次只要运行。结果是 bench/pages.md 的一节，由 `make bench-pages` 写。"""

import gzip
from statistics import median

from built_book import BOOK
from exercise_times import MILLISECONDS, PAGE

REPEATS = 5
DATA = {
    "Brython（两本书共用）": "live/data/python/brython.js",
    "课程自己的 Python": "live/data/exercises/python.js",
}


def measure(browser, root: str) -> list[float]:
    """一页新开的网页里，依次几次检查各用了几毫秒。"""
    page = browser.new_context().new_page()
    page.goto(root + PAGE)
    page.wait_for_load_state("networkidle")
    times = page.evaluate(MILLISECONDS)
    page.context.close()
    return times


def section(browser, root: str) -> str:
    found = [measure(browser, root) for _ in range(REPEATS)]
    first, later = [times[0] for times in found], [time for times in found for time in times[1:]]
    rows = [
        f"| {name} | {median(times):.0f}（{min(times):.0f}–{max(times):.0f}） |"
        for name, times in {"头一次检查（毫秒）": first, "以后每次（毫秒）": later}.items()
    ]
    for name, path in DATA.items():
        rows.append(
            f"| {name}，经 gzip（kB） | {len(gzip.compress((BOOK / path).read_bytes(), 6)) / 1000:.0f} |"
        )
    return "\n".join(
        [
            "## 网页里的练习",
            "",
            f"`{PAGE}` 的头一道，经本机的 http，CPU 不放慢；新开 {REPEATS} 页，每页检查 {len(found[0])} 次，取中位数，括号里是范围。",
            "",
            "| | |",
            "|---|---:|",
            *rows,
            "",
        ]
    )
