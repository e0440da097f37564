"""nbmake 运行各章，一章一个时限；加上 --for-book，结果就放进成书的缓存：书里的输出正是测试时的输出，一章也不执行两遍。"""

from functools import partial
from pathlib import Path
from time import perf_counter

import nbmake.nb_run
import nbmake.pytest_items
import pytest
import yaml
from filelock import FileLock
from nbclient import NotebookClient
from nbmake.nb_result import NotebookError, NotebookResult
from nbmake.nb_run import NotebookRun
from tools.changed import changed_files

from course_book.before_reading.execute_chapters import (
    CLIENT_OPTIONS,
    TimeLimit,
    bundle,
    open_cache,
)

ROOT = Path(__file__).parents[1]
CONFIG = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
CACHE = ROOT / "_build/.jupyter_cache"


class ChapterRun(NotebookRun):
    """与成书时同样地运行一章；`for_book`：没有出错的，留下结果。"""

    for_book = False

    def execute(self) -> NotebookResult:
        limit = TimeLimit(self.filename, CONFIG["execute"]["timeout"])
        nbmake.nb_run.NotebookClient = partial(
            NotebookClient, timeout_func=limit, **CLIENT_OPTIONS
        )
        start = perf_counter()
        result = super().execute()
        seconds = perf_counter() - start
        if result.error and limit.over():
            said = limit.exceeded()
            result.error = NotebookError(
                said, said, result.error.failing_cell_index
            )
        if self.for_book and not result.error:
            keep(result.nb, self.filename, seconds)
        return result


def keep(notebook, path: Path, seconds: float) -> None:
    for cell in notebook.cells:
        # 几点几分执行的，每次都不同
        cell.metadata.pop("execution", None)
    CACHE.mkdir(parents=True, exist_ok=True)
    with FileLock(CACHE / "lock"):  # 几个进程写的是同一个数据库
        open_cache(CACHE).cache_notebook_bundle(
            bundle(notebook, path, seconds),
            check_validity=False,
            overwrite=True,
        )


def pytest_addoption(parser):
    parser.addoption(
        "--for-book", action="store_true", help="把各章的输出留给成书用"
    )


def pytest_configure(config):
    ChapterRun.for_book = config.option.for_book
    nbmake.pytest_items.NotebookRun = ChapterRun


def pytest_collection_modifyitems(config, items):
    for item in items:
        if getattr(item, "nbmake", False):
            # 时限只有 TimeLimit 一个；pytest-timeout 的说不出是哪一格
            item.add_marker(pytest.mark.timeout(0))
    if config.option.for_book:
        # 改过的最可能出错，其次后面的章多半慢
        changed = {Path(ROOT, name) for name in changed_files()}
        items.sort(
            key=lambda item: (item.path in changed, item.path), reverse=True
        )
