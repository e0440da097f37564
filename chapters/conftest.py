"""nbmake 运行各章；加上 --for-book，结果就放进成书的缓存：书里的输出正是测试时的输出，一章也不执行两遍。"""

from functools import partial
from pathlib import Path
from time import perf_counter

import nbmake.nb_run
import nbmake.pytest_items
from filelock import FileLock
from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn
from nbclient import NotebookClient
from nbmake.nb_run import NotebookRun

from course_book.before_reading.execute_chapters import CLIENT_OPTIONS
from course_book.before_reading.local_files import library_digest

CACHE = Path(__file__).parents[1] / "_build/.jupyter_cache" / library_digest()


class KeptRun(NotebookRun):
    """运行一章；没有出错的，留下结果。"""

    def execute(self):
        start = perf_counter()
        result = super().execute()
        seconds = perf_counter() - start
        if result.error is None:
            for cell in result.nb.cells:
                # 几点几分执行的，每次都不同
                cell.metadata.pop("execution", None)
            bundle = CacheBundleIn(
                result.nb,
                str(self.filename),
                data={"execution_seconds": seconds},
            )
            CACHE.mkdir(parents=True, exist_ok=True)
            with FileLock(CACHE / "lock"):  # 几个进程写的是同一个数据库
                get_cache(CACHE).cache_notebook_bundle(
                    bundle, check_validity=False, overwrite=True
                )
        return result


def pytest_addoption(parser):
    parser.addoption(
        "--for-book", action="store_true", help="把各章的输出留给成书用"
    )


def pytest_configure(config):
    if config.option.for_book:
        nbmake.pytest_items.NotebookRun = KeptRun
        # 与成书时同样地执行
        nbmake.nb_run.NotebookClient = partial(NotebookClient, **CLIENT_OPTIONS)


def pytest_collection_modifyitems(config, items):
    if config.option.for_book:
        # 后面的章多半慢，先执行
        items.sort(key=lambda item: item.path, reverse=True)
