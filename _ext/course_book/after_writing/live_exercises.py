"""网页里的练习要用的数据：一道练习一个文件，由练习的表、章里的练习格与参考解答而来。

一个文件是 JSON：
- `name`、`cell`：练习的名字，它所在的格；`answer`：交给 `check` 的式子。
- `skeleton`、`solution`：练习格与参考解答，去掉了 `check` 与网页自己给的 import；`given`：先于它们运行的源码。
  同一格的几道练习，这三样相同。
- `judge`：一段 Python，live/python/facts.py 运行它，就得到 `course_lib.exercises.judging` 要的 facts。
说给读者的话换成这本书的语言，代码与数据里的字不换，所以两本书各有一份。
"""

import ast
import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module

import nbformat

from course_book import ROOT
from course_book.after_writing.as_source import NotCarried, Source
from course_book.doctree.traditional_chinese import in_book_language
from course_lib.exercises import EXERCISES
from course_lib.exercises.computed import Computed
from course_lib.exercises.running import Raised, sandbox

SOLUTION = re.compile(r"```python\n(.*?)```", re.S)
# 网页总是给的
ALWAYS = {"torch": "import torch", "F": "import torch.nn.functional as F", "math": "import math"}


def data_files() -> Iterator[tuple[str, bytes]]:
    for name, data in in_the_page().items():
        yield f"{name}.json", json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode()


@cache
def in_the_page() -> dict[str, dict]:
    """能在网页里做的练习：名字 → 它的数据。"""
    return {name: data for name, data in _all().items() if isinstance(data, dict)}


@cache
def not_in_the_page() -> dict[str, str]:
    """不能在网页里做的练习：名字 → 为什么。"""
    return {name: data for name, data in _all().items() if isinstance(data, str)}


@cache
def _all() -> dict[str, dict | str]:
    data = {}
    for path in sorted((ROOT / "chapters").glob("[0-9]*.ipynb")):
        chapter = Chapter(nbformat.read(path, as_version=4).cells)
        for cell, checks in chapter.exercises():
            for name, answer in checks.items():
                try:
                    data[name] = {
                        "name": name,
                        "cell": cell.id,
                        "answer": answer,
                        **chapter.texts(cell, checks),
                        "judge": judge_text(name, in_book_language),
                    }
                except NotCarried as reason:
                    data[name] = str(reason)
    return data


class Chapter:
    def __init__(self, cells: list):
        self.cells = cells
        sources = [cell.source for cell in cells if cell.cell_type == "code" and cell.id != "setup"]
        self.trees = [ast.parse(re.sub(r"(?m)^%.*$", "pass", source)) for source in sources]

    def exercises(self) -> Iterator[tuple[object, dict[str, str]]]:
        """（练习格，{练习的名字: 交给 check 的式子}）。"""
        for cell in self.cells:
            if cell.cell_type == "code" and cell.id.startswith("exercise-"):
                calls = [node.value for node in ast.parse(cell.source).body if _is_check(node)]
                yield cell, {call.args[0].value: ast.unparse(call.args[1]) for call in calls}

    def texts(self, cell, checks: dict[str, str]) -> dict[str, str]:
        said = "\n".join(c.source for c in self.cells if c.cell_type == "markdown")
        (solution,) = (code for code in SOLUTION.findall(said) if f'check("{next(iter(checks))}"' in code)
        return {
            "skeleton": in_book_language(_own(cell.source)),
            "given": in_book_language(self.given(ast.parse(_own(solution)))),
            "solution": in_book_language(_own(solution)),
        }

    def given(self, solution: ast.Module) -> str:
        """网页总是给的几个模块，与解答用到的、章里早已有的名字。"""
        assigned = {
            n.id for n in ast.walk(solution) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
        }
        assigned |= {n.name for n in ast.walk(solution) if isinstance(n, ast.FunctionDef)}
        assigned |= {n.arg for n in ast.walk(solution) if isinstance(n, ast.arg)}
        used = {n.id for n in ast.walk(solution) if isinstance(n, ast.Name)} - assigned - set(ALWAYS)
        source, imported = Source(), self.imported()
        for name in sorted(used & imported.keys()):
            module, original = imported[name]
            source.define(name, getattr(import_module(module), original))
        lines = [line for line in source.lines if line not in ALWAYS.values()]
        return "\n".join([*ALWAYS.values(), *lines]) + "\n"

    def imported(self) -> dict[str, tuple[str, str]]:
        return {
            alias.asname or alias.name: (node.module, alias.name)
            for tree in self.trees
            for node in tree.body
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }


def _is_check(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and _name(node.value.func) == "check"
    )


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else ""


def _own(source: str) -> str:
    """读者自己写的那些行。"""
    lines, given = source.splitlines(), {*ALWAYS.values(), "from course_lib.exercises import check"}
    for node in ast.parse(source).body:
        if _is_check(node) or ast.unparse(node) in given:
            lines[node.lineno - 1 : node.end_lineno] = [None] * (node.end_lineno - node.lineno + 1)
    return re.sub(r"\n{3,}", "\n\n\n", "\n".join(line for line in lines if line is not None)).strip() + "\n"


def judge_text(name: str, words: Callable[[str], str] = lambda text: text) -> str:
    """一道练习的 facts 写成源码；`words` 把说给读者的话换成另一种汉字。"""
    exercise, source = EXERCISES[name], Source()
    with sandbox():
        facts = Computed(exercise)
        cases = [source.value(case) for case in facts.fresh()]
        known = []
        for way in facts.known:
            shows = "" if way.shows is None else f", {source.value(way.shows)}"
            known.append(f"Known({words(way.hint)!r}, {_results(source, way.outcomes)}{shows})")
        otherwise = facts.otherwise
        lines = {
            "names": repr(facts.names),
            "raw": _results(source, facts.raw),
            "right": _results(source, facts.right),
            "known": f"[{', '.join(known)}]",
            "accepts": source.value(facts.accepts),
            "observe": source.value(facts.observe),
            "atol": repr(facts.atol),
            "otherwise": repr(words(otherwise) if isinstance(otherwise, str) else [*map(words, otherwise)]),
            "praise": repr(words(facts.praise)),
        }
    if taken := lines.keys() & source.names.keys():
        raise NotCarried(f"两样东西都叫 {taken}")
    made = "".join(f"{key} = {value}\n" for key, value in lines.items())
    return f"{source.text()}def fresh():\n    return [{', '.join(cases)}]\n{made}"


def _results(source: Source, results: list) -> str:
    return f"[{', '.join(_result(source, result) for result in results)}]"


def _result(source: Source, result: object) -> str:
    if isinstance(result, Raised):
        return f"Raised({result.error!r}, {result.message!r}, '')"
    said = source.value(result)
    return said
