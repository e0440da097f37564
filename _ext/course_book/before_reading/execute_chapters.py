"""Sphinx 读页面之前，把没有缓存的章并行执行完；它随后只从缓存里取输出。一章的代码、它用到的库与插图（`tools.made_of`）变了，才重新执行。

代码头一行给 Colab 看的标题（`tools.colab_title`），书里没有，缓存也不管它。

同时执行几章由环境变量 BOOK_WORKERS 决定，不设就是可用的核数。
make test 里各章由 nbmake 执行，输出也放进这个缓存（chapters/conftest.py）。
"""

import json
import math
import os
import re
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from threading import Event
from time import monotonic

import nbformat
from joblib import cpu_count
from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn, JupyterCacheAbstract
from jupyter_cache.executors.utils import single_nb_execution
from nbclient.exceptions import CellTimeoutError
from tqdm import tqdm

from tools import colab_title, made_of

# 留下最近用过的几份输出：改了一章又改回来，不必重新执行
KEPT = 5 * 24
COLOR = re.compile(r"\x1b\[[\d;]*m")
# 一章自己的代码与 course_lib 用了将要去掉的写法，就是错；别的库里的只是警告
STRICT = (
    "import warnings; [warnings.filterwarnings('error', category=kind, module='__main__|course_lib')"
    " for kind in (DeprecationWarning, FutureWarning)]"
)
# 一次 print 可能分几段送来，如何分段每次不同；MyST-NB 自己来合并时会在接缝处换行
CLIENT_OPTIONS = {
    "coalesce_streams": True,
    "extra_arguments": ["--log-level=ERROR", f"--IPKernelApp.exec_lines={STRICT}"],
}


class ChapterError(Exception):
    """一章没有执行完；文字里有章名、格名与错误的最后几行。"""


class TimeLimit:
    """一整章的时限，`_config.yml` 里的 `execute.timeout`；各章只有这一个，成书与 nbmake 都用它。

    交给 nbclient 作 `timeout_func`：每格开始时问一次还剩几秒，头一次问时开始数。`cell` 是正在执行的那一格。
    """

    def __init__(self, path: Path, seconds: int):
        self.path, self.seconds = path, seconds
        self.cell, self.end = "第一", math.inf

    def __call__(self, cell) -> int:
        self.cell, self.end = cell.id, min(self.end, monotonic() + self.seconds)
        return max(1, round(self.end - monotonic()))

    def over(self) -> bool:
        return monotonic() >= self.end

    def tell(self, error: str) -> str:
        return f"{self.path.name} 的 {self.cell} 格没有执行完：{error}"

    def exceeded(self) -> str:
        return self.tell(f"整章用了 {self.seconds} 秒还没有完（时限在 _config.yml 的 execute.timeout）")


def without_titles(notebook: dict) -> dict:
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            cell["source"] = colab_title.removed("".join(cell["source"]))
    return notebook


def read(path: Path) -> nbformat.NotebookNode:
    return without_titles(nbformat.read(path, as_version=4))


def drop_titles(app, docname, content):
    if app.env.doc2path(docname).endswith(".ipynb"):
        content[0] = json.dumps(without_titles(json.loads(content[0])))


def execute(path: Path, seconds: int, stopped: Event) -> CacheBundleIn:
    """与 MyST-NB 同样地执行一章：同样的内核与文件夹。"""
    notebook = read(path)
    limit = TimeLimit(path, seconds)

    def on_cell_start(cell, cell_index):
        if stopped.is_set():
            raise InterruptedError

    try:
        result = single_nb_execution(
            notebook,
            cwd=str(path.parent),
            timeout=None,
            timeout_func=limit,
            allow_errors=False,
            on_cell_start=on_cell_start,
            **CLIENT_OPTIONS,
        )
        error = result.err
    except Exception as lost:  # 内核没有起来，或者被系统杀掉
        error = lost
    if isinstance(error, CellTimeoutError):
        raise ChapterError(limit.exceeded()) from error
    if error:
        last = COLOR.sub("", str(error)).rstrip().splitlines()[-8:]
        raise ChapterError(limit.tell("\n" + "\n".join(last))) from error
    return bundle(notebook, path, result.time)


def bundle(notebook, path: Path, seconds: float) -> CacheBundleIn:
    """执行好的一章，连同它由什么而来、执行了几秒。"""
    return CacheBundleIn(
        without_titles(notebook),
        str(path),
        data={"execution_seconds": seconds, "made_of": made_of.digest(path)},
    )


def open_cache(folder: Path) -> JupyterCacheAbstract:
    cache = get_cache(folder)
    cache.change_cache_limit(KEPT)
    return cache


def is_kept(cache: JupyterCacheAbstract, path: Path) -> bool:
    """缓存里有没有这一章，而且它用到的都还没有变。"""
    try:
        record = cache.match_cache_notebook(read(path))
    except KeyError:
        return False
    return record.data.get("made_of") == made_of.digest(path)


def find_outdated(app, env, added, changed, removed):
    """用到的库变了的章，Sphinx 也要重读。"""
    chapters = {name: Path(env.doc2path(name)) for name in env.found_docs}
    known = getattr(env, "chapters_made_of", {})
    env.chapters_made_of = {
        name: made_of.digest(path) for name, path in chapters.items() if path.suffix == ".ipynb"
    }
    return [name for name, digest in env.chapters_made_of.items() if known.get(name) != digest]


def execute_missing(app, env, docnames):
    """执行将要读的各章里没有缓存的；有一章失败就停在这里，不写网页。"""
    chapters = [path for path in map(Path, map(env.doc2path, docnames)) if path.suffix == ".ipynb"]
    if not chapters:
        return
    cache = open_cache(Path(app.config.nb_execution_cache_path))
    missing = [path for path in chapters if not is_kept(cache, path)]
    missing.sort(reverse=True)  # 后面的章多半慢，先执行，免得最后只剩它一个
    # 一章一个线程，几章就不会互相抢核，输出也与同时执行几章无关
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    pool = ThreadPoolExecutor(int(os.environ.get("BOOK_WORKERS") or cpu_count()))
    stopped, failures = Event(), []
    running = [pool.submit(execute, path, app.config.nb_execution_timeout, stopped) for path in missing]
    try:
        for done in tqdm(as_completed(running), "执行各章", len(missing), unit="章", disable=not missing):
            try:
                cache.cache_notebook_bundle(done.result(), check_validity=False, overwrite=True)
            except ChapterError as error:
                failures.append(f"{error}\n")
    finally:
        stopped.set()  # 按了 Ctrl+C：正在执行的章到下一格就停
        pool.shutdown(cancel_futures=True)
    if failures:
        # 换成 Sphinx 的异常，Jupyter Book 会接上它自己的一长串
        raise SystemExit("\n".join(["", *failures, "书没有写出。"]))


def setup(app):
    app.connect("env-get-outdated", find_outdated)
    app.connect("env-before-read-docs", execute_missing)
    app.connect("source-read", drop_titles)
