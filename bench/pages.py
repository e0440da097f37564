"""网页有多重、多快：每页经 gzip 传多少字节，CPU 慢四倍时多久出现内容、多久画完最后一个视图，从打开到滚到底停住多久；网页里的练习多久检查完。

结果写进 bench/pages.md；数字随机器而变，表里写明了是什么机器。
"""

import gzip
import platform
from functools import cache
from pathlib import Path
from statistics import median
from urllib.parse import unquote, urlsplit

from built_book import BOOK, serve
from long_tasks import blocked, visit
from playwright.sync_api import Page
from tqdm import tqdm

from chapters import page_of
from tools.chromium import open_browser

SLOWDOWN = 4
REPEATS = 3
# 停住多久在哪里量：宽，放慢几倍
VISITS = {"1280": (1280, 1), "390": (390, 1), "1280，慢四倍": (1280, SLOWDOWN)}
TABLE = Path(__file__).with_suffix(".md")
# 头一次检查要取来并准备好 Python，以后每次只要运行
FRESH = 5
PYTHON = {
    "Brython（两本书共用）": "live/data/python/brython.js",
    "课程自己的 Python": "live/data/exercises/python.js",
    "这一章的练习": "live/data/exercises/scaled_dot_product_attention.json.js",
}
# 依次检查几次各要几毫秒
PAGE = page_of("scaled_dot_product_attention")
MILLISECONDS = """async () => {
  const box = document.querySelector(".exercise"), said = box.querySelector(".exercise-said");
  const times = [];
  for (let i = 0; i < 6; i++) {
    said.replaceChildren();
    const start = performance.now();
    box.querySelector(".main").click();
    while (!/^[✓✗○⚠]/.test(said.innerText)) await new Promise((resolve) => setTimeout(resolve, 5));
    times.push(performance.now() - start);
  }
  return times;
}"""
PAINTED = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"


@cache
def gzipped(path: Path) -> int:
    return len(gzip.compress(path.read_bytes(), 6))


def is_shared(path: Path) -> bool:
    """各页共用、浏览器会留着的：样式、脚本、字体。"""
    return "_static" in path.parts


def open_page(page: Page, url: str) -> set[Path]:
    """打开一页，一路滚到底，等每个视图画完；返回它要来的文件。"""
    asked = set()
    page.on("request", lambda request: asked.add(unquote(urlsplit(request.url).path).lstrip("/")))
    page.goto(url)
    for frame in page.query_selector_all("iframe"):
        frame.scroll_into_view_if_needed()
        frame.content_frame().wait_for_selector("svg line", state="attached", timeout=30_000)
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    page.wait_for_timeout(500)
    return {BOOK / name for name in asked if (BOOK / name).is_file()}


def measure(browser, root: str, name: str) -> dict:
    paints, views = [], []
    for _ in range(REPEATS):
        context = browser.new_context(viewport={"width": 1200, "height": 900})
        page = context.new_page()
        context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": SLOWDOWN})
        files = open_page(page, root + name)
        views.append(page.evaluate("performance.now()"))
        paints.append(page.evaluate(PAINTED))
        count = page.locator("iframe").count()
        context.close()
    own, shared = (sum(gzipped(f) for f in files if is_shared(f) == kind) for kind in (False, True))
    waits = {
        where: [task.wall for task in visit(browser, root + name, *how)[0]] for where, how in VISITS.items()
    }
    return {"own": own, "shared": shared, "views": count, "paint": paints, "drawn": views, "waits": waits}


def row(name: str, found: dict) -> str:
    paint, drawn = (f"{median(found[key]) / 1000:.1f}" for key in ("paint", "drawn"))
    own, shared = (f"{found[key] / 1000:.0f}" for key in ("own", "shared"))
    waits = " | ".join(f"{blocked(times):.0f}（{max(times):.0f}）" for times in found["waits"].values())
    return f"| `{name}` | {own} | {shared} | {found['views']} | {paint} | {drawn if found['views'] else '—'} | {waits} |"


def check_times(browser, root: str) -> list[float]:
    """一页新开的网页里，依次几次检查各用了几毫秒。"""
    page = browser.new_context().new_page()
    page.goto(root + PAGE)
    page.wait_for_load_state("networkidle")
    times = page.evaluate(MILLISECONDS)
    page.context.close()
    return times


def exercises(browser, root: str) -> str:
    found = [check_times(browser, root) for _ in range(FRESH)]
    kinds = {
        "头一次检查（毫秒）": [times[0] for times in found],
        "以后每次（毫秒）": [time for times in found for time in times[1:]],
    }
    rows = [f"| {name} | {median(ms):.0f}（{min(ms):.0f}–{max(ms):.0f}） |" for name, ms in kinds.items()]
    rows += [
        f"| {name}，经 gzip（kB） | {gzipped(BOOK / path) / 1000:.0f} |" for name, path in PYTHON.items()
    ]
    return (
        f"## 网页里的练习\n\n`{PAGE}` 的头一道，经本机的 http，CPU 不放慢；新开 {FRESH} 页，每页检查 {len(found[0])} 次，"
        "取中位数，括号里是范围。\n\n| | |\n|---|---:|\n" + "\n".join(rows) + "\n"
    )


def main() -> None:
    names = sorted(path.relative_to(BOOK).as_posix() for path in BOOK.glob("chapters/*.html"))
    with serve(BOOK) as root, open_browser() as browser:
        rows = [row(name, measure(browser, root, name)) for name in tqdm(names, desc="网页")]
        version = browser.version
        last = exercises(browser, root)
    TABLE.write_text(
        f"# 网页有多重、多快\n\n由 `make bench-pages` 写成：Chromium {version}，{platform.machine()}，"
        f"CPU 放慢到四分之一，{REPEATS} 次取中位数，经本机的 http 打开。\n"
        "“本页”是网页自己与它的图，“共用”是样式、脚本与字体，浏览器只取一次；单位 kB，按 gzip 计。\n"
        "“出现内容”从打开算起，“画完视图”还要算上一路滚到最后一个视图，单位是秒。\n"
        "后几栏是从打开到滚到底停住多少毫秒（主线程上超过 50 毫秒的，超过的部分加起来），括号里是最久的一件事；宽度是像素。\n\n"
        f"| 网页 | 本页 | 共用 | 视图 | 出现内容 | 画完视图 | {' | '.join(VISITS)} |\n|---|{'---:|' * (5 + len(VISITS))}\n"
        + "\n".join(rows)
        + f"\n\n{last}",
        encoding="utf8",
    )
    print(TABLE.read_text(encoding="utf8"))


if __name__ == "__main__":
    main()
