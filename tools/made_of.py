"""一章的输出由什么而来：它 import 的库，连同库 import 的；它展示的插图、比对的记录；装着的每个包的版本，用的是哪几个模型。

`python -m tools.made_of 章名` 列出它用到的文件。只读代码的文字，不执行；写在函数里的 import 也算。
"""

import ast
import hashlib
import json
import os
import sys
from functools import cache
from importlib.metadata import distributions
from pathlib import Path

from IPython.core.inputtransformer2 import TransformerManager

ROOT = Path(__file__).parents[1]
# 换一个模型，各章的数就变了
VARIABLES = ("COURSE_BERT", "COURSE_MULTILINGUAL_BERT", "COURSE_LLM")
# 训练出来的数，一章一份
RECORDS = "course_lib/records"
# 各章都这样执行
EXECUTION = "_ext/course_book/before_reading/execute_chapters.py"
# 章里的练习都还没有写，印出来的只有 judging.py 的那一句：题目的表不算
TOPICS = "course_lib.exercises.topics"


def chapter_files(chapter: Path) -> set[Path]:
    """一章（笔记本）的输出用到的文件，它自己不算。"""
    names, figures, records = set(), set(), set()
    for tree in cells(chapter):
        names |= imported(tree, "")
        figures |= named(tree, "figure")
        records |= named(tree, "Record")
    drawn = {path for name in figures for path in ROOT.glob(f"figures/{name}*.svg")}
    drawn = {path for path in drawn if path.stem.removesuffix("_narrow") in figures}
    return library_files(names) | drawn | {ROOT / RECORDS / f"{name}.json" for name in records}


def record_of(chapter: Path) -> str | None:
    """一章里 `Record("名字")` 用的是哪一份记录；没有就是 None。"""
    return next((name for tree in cells(chapter) for name in named(tree, "Record")), None)


def digest(chapter: Path) -> str:
    """它变了，一章才要重新执行；这一章自己的代码另由缓存去比。"""
    found = hashlib.sha256(repr(environment()).encode())
    for path in sorted({*chapter_files(chapter), ROOT / EXECUTION}):
        found.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + path.read_bytes())
    return found.hexdigest()[:12]


@cache
def environment() -> list:
    packages = sorted({f"{package.name}={package.version}" for package in distributions()})
    return [packages, sys.version, [os.environ.get(name) for name in VARIABLES]]


def codes(chapter: Path) -> list[str]:
    """一章的各格代码。"""
    notebook = json.loads(chapter.read_text(encoding="utf-8"))
    return ["".join(c["source"]) for c in notebook["cells"] if c["cell_type"] == "code"]


def cells(chapter: Path) -> list[ast.Module]:
    """一章的各格代码，读成 Python。"""
    return [parsed(code) for code in codes(chapter)]


def parsed(code: str) -> ast.Module:
    """`%pip` 之类的行换成函数调用；没有这样的行就不必换，那要慢几倍。"""
    try:
        return ast.parse(code)
    except SyntaxError:
        return ast.parse(TransformerManager().transform_cell(code))


def named(tree: ast.AST, function: str) -> set[str]:
    """代码里调用 `function("名字")` 时写的名字。"""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    first = [node.args[0] for node in calls if getattr(node.func, "id", None) == function and node.args]
    return {name.value for name in first if isinstance(name, ast.Constant)}


def library_files(names: set[str], places: tuple[Path, ...] = ()) -> set[Path]:
    """这些模块与它们 import 的，一路到底；模块的数据与它同名，只是后缀不同。`places`：从哪些文件夹 import，不写就是从仓库。"""
    found, asked = set(), set()
    while names := names - asked:
        asked |= names
        new = {path for name in names for path in module_files(name, places)} - found
        found |= new
        names = {name for path in new for name in imports_of(path) if not name.startswith(f"{TOPICS}.")}
    beside = {data for path in found for data in path.parent.glob(f"{path.stem}.*")}
    return found | {data for data in beside if data.suffix != ".js"}


def module_files(name: str, places: tuple[Path, ...] = ()) -> list[Path]:
    """一个带点的名字一路经过的各个文件；末一截可能只是模块里的一个名字，装来的包一个也没有。"""
    parts = name.split(".")
    starts = [place.joinpath(*parts[: i + 1]) for place in places or (ROOT,) for i in range(len(parts))]
    places = [path for start in starts for path in (start / "__init__.py", start.with_suffix(".py"))]
    return [path for path in places if path.is_file()]


@cache
def _imports(path: Path, package: str, modified: float) -> set[str]:
    return imported(ast.parse(path.read_text(encoding="utf-8")), package)


def imports_of(path: Path) -> set[str]:
    """一个模块里 import 的名字。"""
    return _imports(path, ".".join(path.parent.relative_to(ROOT).parts), path.stat().st_mtime)


def imported(tree: ast.AST, package: str) -> set[str]:
    """代码里 import 的名字；`package` 是它所在的包，相对的 import 从那里数起。"""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: 1 - node.level or None] if node.level else []
            start = ".".join([*above, *([node.module] if node.module else [])])
            names |= {start, *(f"{start}.{alias.name}" for alias in node.names)}
    return names


def main() -> None:
    for name in sys.argv[1:]:
        (chapter,) = (ROOT / "chapters").glob(f"*{name}*.ipynb")
        print(
            chapter.name,
            *sorted(path.relative_to(ROOT).as_posix() for path in chapter_files(chapter)),
            sep="\n  ",
        )


if __name__ == "__main__":
    main()
