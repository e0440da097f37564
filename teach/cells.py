"""一份作业的代码格，与它们各检查哪几道练习。"""

import ast
import json
import re
import stat
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


def definitions(cell: Cell) -> Cell:
    """只留下一格里的 import 与定义：运行它们不会卡住；语法不对的一格什么也没有。"""
    kinds = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)
    try:
        body = ast.parse(TransformerManager().transform_cell(cell.code)).body
    except (SyntaxError, ValueError, RuntimeError, MemoryError):
        body = []
    return Cell("\n".join(ast.unparse(node) for node in body if isinstance(node, kinds)), ())
