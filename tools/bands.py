"""`make bands`：用到 `Record` 的各章换几个种子各执行一遍，记下 `holds` 问到的数，写进 course_lib/records/。

换种子是把 `torch.manual_seed` 与 `np.random.seed` 收到的都加上同一个数；数据多由自己的 `torch.Generator` 造出，不变。
第 0 遍什么也不加，就是书里的那一遍。有断言在别的种子里不成立的，也记下：行文里应当说明。
连第 0 遍也不成立的是几个种子之间的比较，一遍里看不出，不记。
"""

import ast
import contextlib
import io
import json
import linecache
import os
import platform
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import numpy as np
from joblib import cpu_count

from course_lib.record import FOLDER, as_numbers

from . import made_of

SEEDS = 5
APART = 1000  # 一章里自己用到种子 0、1、2……，几遍之间不能重合


class Noting(ast.NodeTransformer):
    """断言不成立，记下来，接着执行。"""

    def visit_Assert(self, node):
        noted = ast.parse(f"try: pass\nexcept AssertionError: unheld({ast.unparse(node.test)!r})").body[0]
        noted.body = [node]
        return noted


def run(chapter: Path, turn: int) -> dict:
    """执行一遍；返回问到的数与不成立的断言。"""
    import matplotlib
    import torch

    from course_lib.record import Record

    matplotlib.use("agg")
    asked, unheld = {}, {}

    def holds(self, name, value):
        rounded = as_numbers(value).round(3).tolist()
        if asked.setdefault(name, rounded) != rounded:  # 先读记录、后来才练的，问两次，应当相同
            raise ValueError(f"{chapter.name} 里“{name}”问了两次，两次不同。")
        return np.stack([as_numbers(value)] * SEEDS)

    old = Record.read
    Record.holds = holds
    # 没说怎样练的，后面自有 holds 重记：先读旧的
    Record.read = lambda self, name, make=None: holds(self, name, make()) if make else old(self, name)
    for module, name in ((torch, "manual_seed"), (np.random, "seed")):
        plain = getattr(module, name)
        setattr(module, name, lambda seed, plain=plain: plain(seed + APART * turn))
    names = {"__name__": "__main__", "unheld": lambda text: unheld.setdefault(text)}
    with contextlib.redirect_stdout(io.StringIO()):
        for place, code in enumerate(asking(chapter)):
            tree = ast.fix_missing_locations(Noting().visit(made_of.parsed(code)))
            file = f"{chapter.name}[{place}]"
            linecache.cache[file] = len(code), None, code.splitlines(keepends=True), file  # show_source 要读
            exec(compile(tree, file, "exec"), names)  # 我们自己的一章
    return {"asked": asked, "unheld": list(unheld)}


def asking(chapter: Path) -> list[str]:
    """一章的代码，到末一次问记录为止。"""
    codes = made_of.codes(chapter)
    return codes[: 1 + max(k for k, code in enumerate(codes) if "record." in code)]


def renew(chapter: Path) -> None:
    with ThreadPoolExecutor(int(os.environ.get("BOOK_WORKERS") or cpu_count())) as pool:
        runs = list(pool.map(lambda turn: apart(chapter, turn), range(SEEDS)))
    (FOLDER / f"{made_of.record_of(chapter)}.json").write_text(written(runs), encoding="utf-8")


def apart(chapter: Path, turn: int) -> dict:
    """另起一个进程，几遍互不相干。"""
    command = [sys.executable, "-m", "tools.bands", chapter.stem, str(turn)]
    options = {
        "env": {**os.environ, "OMP_NUM_THREADS": "1", "TQDM_DISABLE": "1"},
        "stdout": subprocess.PIPE,
        "check": True,
    }
    return json.loads(subprocess.run(command, **options).stdout)


def written(runs: list[dict]) -> str:
    """记录的文字：一个名字一行。"""
    made = {name: version(name) for name in ("torch", "numpy", "scikit-learn")}
    made = {"date": f"{datetime.now(UTC):%F}", "python": platform.python_version(), **made}
    unheld = {
        text: [k for k, run in enumerate(runs) if text in run["unheld"]]
        for text in sorted({text for run in runs for text in run["unheld"]} - {*runs[0]["unheld"]})
    }
    bands = {name: band([run["asked"][name] for run in runs]) for name in runs[0]["asked"]}
    parts = {"made": made, "unheld": unheld, "runs": bands}
    return "{\n" + ",\n".join(f"{json.dumps(part)}: " + lines(rows) for part, rows in parts.items()) + "\n}\n"


def lines(rows: dict) -> str:
    inside = (
        f"  {json.dumps(k, ensure_ascii=False)}: {json.dumps(v, ensure_ascii=False)}" for k, v in rows.items()
    )
    return "{\n" + ",\n".join(inside) + "\n}" if rows else "{}"


def band(rows: list) -> dict:
    """几个种子的最小、平均、最大，与各个种子的。"""
    rows = np.array(rows)
    found = {"min": rows.min(axis=0), "mean": rows.mean(axis=0), "max": rows.max(axis=0), "seeds": rows}
    return {name: numbers.round(3).tolist() for name, numbers in found.items()}


def main() -> None:
    names = sys.argv[1:]
    if len(names) == 2 and names[1].isdigit():
        (chapter,) = made_of.ROOT.glob(f"chapters/{names[0]}.ipynb")
        return print(json.dumps(run(chapter, int(names[1])), ensure_ascii=False))
    for chapter in sorted(made_of.ROOT.glob("chapters/*.ipynb")):
        if made_of.record_of(chapter) and (not names or any(name in chapter.stem for name in names)):
            print(chapter.stem)
            renew(chapter)


if __name__ == "__main__":
    main()
