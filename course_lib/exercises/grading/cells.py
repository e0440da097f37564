"""一份作业里要运行的格：练习格整个运行，别的格只留下练习格用得到的语句。"""

import ast
import json
import re
import stat
import symtable
from dataclasses import dataclass
from pathlib import Path

from IPython.core.inputtransformer2 import TransformerManager

# 比一章的笔记本大几十倍：多半带着许多输出
TOO_LARGE = 30 * 2**20
ASKED = re.compile(r"""\bcheck\(\s*["']([\w.-]+)["']""")


class NotANotebookError(Exception):
    """打不开，或者不是笔记本；说明是一句中文。"""


@dataclass(frozen=True)
class Cell:
    """一个代码格；`asks` 是它检查的练习，`code` 是要运行的代码。"""

    code: str
    asks: tuple[str, ...]


def read(path: Path) -> list[Cell]:
    """一份作业的各个代码格；打不开的抛出 `NotANotebookError`。"""
    # 只要各格的文字；nbformat 会因为缺了用不着的元数据就不收
    try:
        kind = path.stat()
        if kind.st_size > TOO_LARGE:
            raise NotANotebookError(f"文件有 {kind.st_size >> 20} MB，太大了：请清除全部输出再交。")
        # 管道与设备读起来没有尽头
        if not (stat.S_ISREG(kind.st_mode) or stat.S_ISDIR(kind.st_mode)):
            raise NotANotebookError("打不开这个文件（它不是普通的文件）。")
        notebook = json.loads(path.read_text(encoding="utf-8-sig"))
        if "cells" not in notebook and "worksheets" in notebook:
            raise NotANotebookError("这是旧格式的笔记本：请在 Jupyter 里打开，保存一次再交。")
        cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
        sources = ["".join(cell["source"]) for cell in cells]
    except FileNotFoundError:
        raise NotANotebookError("没有这个文件。") from None
    except OSError as error:
        raise NotANotebookError(f"打不开这个文件（{error.strerror}）。") from None
    except (ValueError, RecursionError):
        raise NotANotebookError("不是笔记本：它的内容不是 JSON，可能存坏了，也可能交错了文件。") from None
    except (KeyError, TypeError, AttributeError):
        raise NotANotebookError("不是笔记本：它虽是 JSON，里面却没有格。") from None
    return [Cell(source, tuple(dict.fromkeys(ASKED.findall(source)))) for source in sources]


def only_exercises(cells: list[Cell]) -> list[Cell]:
    """练习格照旧，别的格只留下练习格用得到的语句：凡是给它们读到的名字赋过值的，一层层往回找。"""
    last = max((i for i, cell in enumerate(cells) if cell.asks), default=-1)
    wanted, own, candidates = set(), set(), []
    for i, cell in enumerate(cells[: last + 1]):
        for statement in statements(cell.code):
            if cell.asks:  # 练习格自己定义的，不必去别处找同名的
                wanted |= statement.reads - own
                own |= statement.binds
            else:
                candidates.append((i, statement))
    kept, before = set(), -1
    while before != len(kept):
        before = len(kept)
        for place, (_, statement) in enumerate(candidates):
            if place not in kept and (statement.binds & wanted or "*" in statement.binds):
                kept.add(place)
                wanted |= statement.reads
    chosen = ["" if not cell.asks else cell.code for cell in cells]
    for place in sorted(kept):
        i, statement = candidates[place]
        chosen[i] += statement.code + "\n"
    return [Cell(code, cell.asks) for code, cell in zip(chosen, cells, strict=True)]


def definitions(cell: Cell) -> Cell:
    """只留下一格里的 import 与定义：运行它们不会卡住。"""
    kinds = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)
    kept = [part.code for part in statements(cell.code) if isinstance(ast.parse(part.code).body[0], kinds)]
    return Cell("\n".join(kept), ())


@dataclass(frozen=True)
class Statement:
    """最外一层的一条语句：它给哪些名字赋值，读哪些名字。"""

    code: str
    binds: frozenset[str]
    reads: frozenset[str]


def statements(code: str) -> list[Statement]:
    """一格里最外层的语句；语法不对的一格没有。"""
    try:
        return [statement(node) for node in ast.parse(TransformerManager().transform_cell(code)).body]
    except (SyntaxError, ValueError, RuntimeError, MemoryError):
        return []


def statement(node: ast.stmt) -> Statement:
    code = ast.unparse(node)
    table = symtable.symtable(code, "cell", "exec")
    top = table.get_symbols()
    binds = {s.get_name() for s in top if s.is_assigned() or s.is_imported()}
    reads = {s.get_name() for s in top if s.is_referenced()} | set(_globals_inside(table))
    for inner in ast.walk(node):
        if isinstance(inner, ast.ImportFrom) and inner.names[0].name == "*":
            binds.add("*")
        # 改一个字典的一项，也算给那个字典赋值
        if isinstance(inner, ast.Attribute | ast.Subscript) and not isinstance(inner.ctx, ast.Load):
            base = inner
            while isinstance(base, ast.Attribute | ast.Subscript):
                base = base.value
            binds |= {base.id} if isinstance(base, ast.Name) else set()
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        reads -= binds  # 递归
    return Statement(code, frozenset(binds), frozenset(reads))


def _globals_inside(table: symtable.SymbolTable):
    for child in table.get_children():
        yield from (s.get_name() for s in child.get_symbols() if s.is_global())
        yield from _globals_inside(child)
