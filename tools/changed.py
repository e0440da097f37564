"""make check-changed 的后一半：与 main 相比改过的章、练习与网页，要另跑些什么。

一章用到哪些文件，见 tools/made_of.py。
"""

import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

from . import made_of

ROOT = Path(__file__).parents[1]
BIN = Path(sys.executable).parent
# 这些一变，每一页都变，只看几种页面各一页
WHOLE_BOOK = ("_ext/", "_config.yml", "_toc.yml", "chapters/questions.yml", "live/")
SAMPLE = [
    "index",
    "*_scaled_dot_product_attention",
    "*_bertviz",
    "live",
    "train",
    "llm",
    "course_lib",
    "glossary",
]
ON_EVERY_PAGE = [f"tests/browser/test_{name}.py" for name in ("pages", "reading_pages")]
FIGURES = [f"tests/browser/{path.name}" for path in sorted(ROOT.glob("tests/browser/test_explore_*.py"))]
# 改了什么，另跑哪些；库与文字的测试 make check 跑过，只差另起进程的
ALSO = {
    "course_lib/": ["tests/library"],
    "course_lib/show/explorables/": FIGURES,
    "tests/browser/figure_rows/": FIGURES,
    ".ci/": ["tests/text"],
    "tools/": ["tests/text"],
    "bench/": ["tests/text"],
    "live/": [f"tests/browser/{path.name}" for path in sorted(ROOT.glob("tests/browser/test_live_*.py"))],
    "_ext/": ["tests/book", *(f"tests/browser/test_{name}.py" for name in ("search", "type", "wayfinding"))],
}
# 种错与从头成书各要好几分钟，查的是库的测试与缓存够不够，留给 make test
SLOW = ["tests/book/test_planted_faults.py", "tests/book/test_builds.py"]


def git(*command: str) -> list[str]:
    done = subprocess.run(["git", "-C", ROOT, *command], capture_output=True, text=True)
    return done.stdout.splitlines()


def start_of_change() -> list[str]:
    """与 main 分开的那一次提交；没有 main 就没有。"""
    return git("merge-base", "HEAD", "origin/main") or git("merge-base", "HEAD", "main")


def changed_files() -> list[str]:
    """与 main 分开以来改过的、还没有提交的与新添的文件。"""
    if not (start := start_of_change()):
        return []
    names = git("-c", "core.quotepath=off", "diff", "--name-only", *start)
    return sorted({*names, *git("-c", "core.quotepath=off", "ls-files", "--others", "--exclude-standard")})


def uses(chapter: Path, text: str, file: str) -> bool:
    """一章的输出用到了一个文件没有；它的练习在 topics/ 里。"""
    if file.startswith("course_lib/exercises/topics/"):
        return f'check(\\"{Path(file).stem}.' in text
    return ROOT / file in used(chapter)


used = cache(made_of.chapter_files)
CHAPTERS = {path: path.read_text(encoding="utf-8") for path in sorted((ROOT / "chapters").glob("*.ipynb"))}


def choose(files: list[str]) -> tuple[list[str], list[str], list[str]]:
    """改过的文件 → 要运行的章、要成书来看的页、要跑的测试。"""
    chapters = [
        f"chapters/{path.name}"
        for path, text in CHAPTERS.items()
        if f"chapters/{path.name}" in files or any(uses(path, text, file) for file in files)
    ]
    pages = {
        f"chapters/{Path(file).stem}.html"
        for file in files
        if re.fullmatch(r"chapters/\w+\.(md|ipynb)", file)
    }
    if any(file.startswith(WHOLE_BOOK) for file in files):
        pages |= {
            f"chapters/{path.stem}.html" for name in SAMPLE for path in (ROOT / "chapters").glob(f"{name}.*")
        }
    tests = {
        file for file in files if re.fullmatch(r"tests/\w+/test_\w+\.py", file) and (ROOT / file).exists()
    }
    for start, also in ALSO.items():
        if any(file.startswith(start) for file in files):
            tests |= set(also)
    return chapters, sorted(pages), sorted(tests | set(ON_EVERY_PAGE if pages else []))


def main() -> None:
    if not start_of_change():
        sys.exit("这里没有 main 这个分支，不知道与什么相比：请运行 make test。")
    files = changed_files()
    chapters, pages, tests = choose(files)
    print(
        f"\n与 main 相比改了 {len(files)} 个文件：另跑 {len(chapters)} 章，看 {len(pages)} 页，跑 {len(tests)} 组测试。"
    )
    pytest = [BIN / "pytest", "-n", "logical", "--dist", "loadfile", "--no-loadscope-reorder"]
    one_thread = {"OMP_NUM_THREADS": "1"} | os.environ
    failed = False
    if chapters:
        failed |= run([*pytest, "--for-book", *chapters], one_thread)
    begun = [test for test in tests if test.startswith(("tests/library", "tests/text"))]
    if begun:
        failed |= run([*pytest, "-m", "subprocess and not thorough", *begun], one_thread)
    if tests := [test for test in tests if test not in begun]:
        if any(file.startswith("course_lib/") for file in files):
            print("库也改了，成书要重新执行用到它的章。")
        failed |= run(["make", "book"], os.environ)
        slow = [f"--ignore={test}" for test in SLOW if test not in tests]
        only = {"BOOK_PAGES": " ".join(pages), "LEFT_OUT": "没有改到的章与页，种错与从头成书（make test）"}
        failed |= run([*pytest, *slow, *tests], one_thread | only)
    sys.exit(failed)


def run(command: list, variables: dict[str, str]) -> bool:
    """失败了也接着跑别的，一次看全。"""
    nothing_to_run = 5
    return subprocess.run(command, cwd=ROOT, env=variables).returncode not in (0, nothing_to_run)


if __name__ == "__main__":
    main()
