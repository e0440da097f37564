"""各章执行了多久，由慢到快，写进 chapter_times.md：读的是 make book 留在缓存里的记录。"""

import os
import platform
from pathlib import Path

from jupyter_cache import get_cache

from course_book.before_reading.execute_chapters import read

ROOT = Path(__file__).parents[1]
TABLE = Path(__file__).with_suffix(".md")


def seconds() -> dict[str, float]:
    """各章最近一次执行的秒数，连同起内核；没有缓存的章抛出 `KeyError`。"""
    cache = get_cache(ROOT / "_build/.jupyter_cache")
    chapters = sorted((ROOT / "chapters").glob("*.ipynb"))
    records = {path.stem: cache.match_cache_notebook(read(path)) for path in chapters}
    return {name: record.data["execution_seconds"] for name, record in records.items()}


def main() -> None:
    found = sorted(seconds().items(), key=lambda item: -item[1])
    rows = "\n".join(f"| `{name}` | {spent:.0f} |" for name, spent in found)
    TABLE.write_text(
        f"# 各章执行多久\n\n由 `make bench-chapters` 写成：{platform.machine()}，{os.cpu_count()} 个核，一章一个线程，连同起内核，单位是秒。\n\n"
        f"| 章 | 秒 |\n|---|---:|\n{rows}\n",
        encoding="utf8",
    )
    print(TABLE.read_text(encoding="utf8"))


if __name__ == "__main__":
    main()
