"""网页里的练习要用的数据：一章一个文件，由练习的表、章里的练习格与参考解答而来。

一个文件是 JSON：
- `modules`：{模块的名字: 源码}，这一章的练习的表照原样，与它 import 的课程模块里用到的函数；
  不带进网页的，换成用到才报错的几个名字。
- `exercises`：{练习的名字: {`name`, `answer`, `given`, `data`}}。`answer` 是交给 `check` 的式子，`given` 先于读者的代码运行，
  `data` 是一段 Python：各组数据，对的与错的答案在它们上面的结果，都已由 torch 算好（见 live/python/facts.py）。
说给读者的话换成这本书的语言，数据里的字不换，所以两本书各有一份。
"""

import ast
import dataclasses
import json
import math
from collections.abc import Iterator
from functools import cache, partial
from importlib import import_module
from importlib.util import resolve_name
from pathlib import Path

import nbformat
import numpy as np
import torch

from course_book import ROOT
from course_book.after_writing.live_python import MODULES
from course_book.doctree import taiwan_chinese
from course_book.doctree.traditional_chinese import in_book_language
from course_book.kept import digest, kept
from course_lib.exercises import EXERCISES
from course_lib.exercises.computed import Computed
from course_lib.exercises.exercise import Random
from course_lib.exercises.running import Raised, sandbox
from tools.made_of import codes, environment
from tools.notebook_form import solutions

# 网页里做不了的，与为什么
NOT_HERE = {
    "attention_masks.masked-weights": "要算梯度",
    "positional_encoding.is-equivariant": "要试几百遍，太慢",
}
# 带进网页的课程模块，用到的函数照原样；后一个给前一个用
LIBRARY = ("course_lib.attention", "course_lib.precision", "course_lib.checks")
ABSENT = "from course_lib.exercises.running import absent\n"
# 网页总是给的
ALWAYS = {"torch": "import torch", "F": "import torch.nn.functional as F", "math": "import math"}
# 课程库里画图用的，与 Python 自己留下的
NOT_CODE = {".js", ".css", "__pycache__"}
DTYPES = (torch.bool, torch.int32, torch.int64, torch.float32, torch.float64)


def in_the_page() -> list[str]:
    """能在网页里做的练习。"""
    return [name for name in EXERCISES if name not in NOT_HERE]


def topics() -> list[str]:
    return list(dict.fromkeys(name.partition(".")[0] for name in in_the_page()))


def data_file(topic: str) -> bytes:
    return json.dumps(chapter(topic), ensure_ascii=False, separators=(",", ":")).encode()


def data_files() -> Iterator[tuple[str, bytes]]:
    for topic in topics():
        yield f"{topic}.json", data_file(topic)


def kept_data_files(folder: Path) -> Iterator[tuple[str, bytes]]:
    """同样的文件；库、一章的代码与参考解答都没有变的，用 folder 里留着的。"""
    for topic in topics():
        path = chapter_path(topic)
        made_of = digest(library(), *codes(path), "", *solutions(path))
        yield f"{topic}.json", kept(folder, f"exercises/{topic}", made_of, partial(data_file, topic))


@cache
def library() -> str:
    """数据由什么而来，章自己不算：整个课程库，装着的各个包，与把字换成繁体的术语表。"""
    files = [
        path for path in (ROOT / "course_lib").rglob("*.*") if not NOT_CODE & {path.parent.name, path.suffix}
    ]
    contents = [path.read_bytes() for path in [*sorted(files), taiwan_chinese.GLOSSARY]]
    return digest(repr(environment()), *contents)


def chapter_path(topic: str) -> Path:
    (path,) = (ROOT / "chapters").glob(f"[0-9][0-9]_{topic}.ipynb")
    return path


@cache
def chapter(topic: str) -> dict:
    """一章的数据。"""
    path = chapter_path(topic)
    cells = nbformat.read(path, as_version=4).cells
    imported, exercises = Imported(cells), {}
    for solution in solutions(path):
        tree = ast.parse(solution)
        calls = [node.value for node in tree.body if is_check(node)]
        given = imported.given(tree)
        for name, answer in [(call.args[0].value, ast.unparse(call.args[1])) for call in calls]:
            if name not in NOT_HERE:
                exercises[name] = {"name": name, "answer": answer, "given": given, "data": data_text(name)}
    texts = with_imports(f"course_lib.exercises.topics.{topic}", imported.wanted)
    modules = {name: in_book_language(text) for name, text in texts.items()}
    return {"modules": modules, "exercises": exercises}


def is_check(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and ast.unparse(node).startswith("check(")


# ---- 数据 ----


class Recorder(Random):
    """抽到的随机数一一记下。"""

    def __init__(self, name: str):
        super().__init__(name)
        self.drawn = []

    def __getattr__(self, name: str):
        def draw(*size):
            self.drawn.append(Random.__getattr__(self, name)(*size))
            return self.drawn[-1].clone()

        return draw


def data_text(name: str) -> str:
    """一道练习的数据写成 Python；张量各记一个名字，相同的只写一份。"""
    exercise, tensors = EXERCISES[name], {}
    with sandbox():
        facts = Computed(exercise)
        cases = [
            [f"made[{i}][{j}]" if has_function(arg) else written(arg, tensors) for j, arg in enumerate(case)]
            for i, case in enumerate(facts.fresh())
        ]
        recorder = Recorder(name)
        again = any(map(has_function, facts.fresh()))
        if again:
            exercise.cases(recorder)
        lines = {
            "drawn": written(recorder.drawn, tensors),
            "names": repr(facts.names),
            "raw": written(facts.raw, tensors),
            "right": written(facts.right, tensors),
            "known": written([way.outcomes for way in facts.known], tensors),
        }
    fresh = f"[{', '.join(map(in_brackets, cases))}]"
    lines["fresh"] = f"lambda: (lambda made: {fresh})(again())" if again else f"lambda: {fresh}"
    named = {said_of: said for said, said_of in tensors.items()}
    return "".join(f"{key} = {value}\n" for key, value in (named | lines).items())


def has_function(value: object) -> bool:
    return any(map(has_function, value)) if isinstance(value, list | tuple) else callable(value)


def in_brackets(items: list[str]) -> str:
    return f"({''.join(f'{item}, ' for item in items)})"


def written(value: object, tensors: dict[str, str]) -> str:
    """写这个值的式子；`tensors` 是写过的张量：式子 → 名字。写不了的抛出 `TypeError`。"""
    if isinstance(value, torch.Tensor):
        said = written_tensor(value)
        return f"{tensors.setdefault(said, f'_{len(tensors)}')}.clone()"
    if isinstance(value, Raised):
        return f"Raised({value.error!r}, {value.message!r}, '')"
    if isinstance(value, float) and not math.isfinite(value):
        return f"float({str(value)!r})"
    if value is None or isinstance(value, bool | int | float | str | bytes):
        return repr(value)
    if dataclasses.is_dataclass(value):
        return f"record({type(value).__name__!r}, {written(vars(value), tensors)})"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{written(k, tensors)}: {written(v, tensors)}' for k, v in value.items())}}}"
    if isinstance(value, set):
        return f"set({written(sorted(value), tensors)})"
    if not isinstance(value, list | tuple):
        raise TypeError(f"{type(value).__qualname__} 写不进网页里的练习；这一道列进 NOT_HERE，说明为什么。")
    items = [written(item, tensors) for item in value]
    return f"[{', '.join(items)}]" if isinstance(value, list) else in_brackets(items)


def written_tensor(tensor: torch.Tensor) -> str:
    if tensor.requires_grad or tensor.dtype not in DTYPES:
        raise TypeError(
            f"{tensor.dtype} 或要算梯度的张量写不进网页里的练习；这一道列进 NOT_HERE，说明为什么。"
        )
    numbers = tensor.contiguous().view(-1).numpy()
    if tensor.dtype == torch.bool:
        data = "".join("01"[x] for x in numbers.tolist())
    else:
        data = " ".join(map(shortest, numbers))
    return f"tensor({str(tensor.dtype)[6:]!r}, {tuple(tensor.shape)!r}, {data!r})"


def shortest(number: np.generic) -> str:
    return str(number).removesuffix(".0")


# ---- 章里早已有的名字，与课程自己的模块 ----


class Imported:
    """一章里 import 过的名字。"""

    def __init__(self, cells: list):
        self.names, self.wanted = {}, {}
        for cell in cells:
            if cell.cell_type == "code" and cell.id != "setup" and not cell.source.startswith("%"):
                for node in ast.parse(cell.source).body:
                    if isinstance(node, ast.ImportFrom):
                        self.names |= {a.asname or a.name: (node.module, a.name) for a in node.names}

    def given(self, solution: ast.Module) -> str:
        """网页总是给的几个模块，与解答用到的、章里早已有的名字：函数照样 import，数据写出来。"""
        used, lines = {n.id for n in ast.walk(solution) if isinstance(n, ast.Name)}, [*ALWAYS.values()]
        for name in sorted(used & self.names.keys() - {"check", *ALWAYS}):
            module, original = self.names[name]
            value = getattr(import_module(module), original)
            if callable(value):
                lines.append(f"from {module} import {original} as {name}")
                if module.startswith("course_lib."):
                    self.wanted.setdefault(module, set()).add(original)
            else:
                lines.append(f"{name} = {written(value, {})}")
        return "\n".join(lines) + "\n"


def with_imports(topic: str, wanted: dict[str, set[str]]) -> dict[str, str]:
    """练习的表与它 import 的模块，各自的源码；`wanted` 是还要从课程模块里取的名字。"""
    texts, topics = {}, [topic]
    for module in topics:
        texts[module] = source_of(module)
        for other, names in imports_of(ast.parse(texts[module]), module).items():
            if ".topics." in other:
                topics += [other] * (other not in topics)
            elif other not in MODULES:
                wanted.setdefault(other, set()).update(names)
    for module in filter(wanted.get, LIBRARY):
        tree = only_functions(ast.parse(source_of(module)), wanted[module])
        texts[module] = f"{ast.unparse(tree)}\n"
        wanted[module] -= set().union(*map(defined_by, tree.body))
        for other, names in imports_of(tree, module).items():
            wanted.setdefault(other, set()).update(names)
    for module, names in wanted.items():
        absent = "".join(f'{name} = absent("{module}.{name}")\n' for name in sorted(names))
        texts[module] = f"{ABSENT}{texts.get(module, '')}{absent}"
    return texts


def source_of(module: str) -> str:
    return (ROOT / f"{module.replace('.', '/')}.py").read_text(encoding="utf-8")


def imports_of(tree: ast.Module, module: str) -> dict[str, set[str]]:
    """{课程的模块: 从里面取的名字}。"""
    found, package = {}, module.rpartition(".")[0]
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level:
            other = resolve_name("." * node.level + (node.module or ""), package)
            found.setdefault(other, set()).update(alias.name for alias in node.names)
    return found


def only_functions(tree: ast.Module, names: set[str]) -> ast.Module:
    """文件里叫这几个名字的函数与数据，连同它们用到的；import 也只留用到的名字。"""
    body = [node for node in tree.body if not isinstance(node, ast.ClassDef)]
    defined = {name: node for node in body for name in defined_by(node)}
    queue, wanted = [*names], set()
    while queue:
        name = queue.pop()
        if name in defined and name not in wanted:
            wanted.add(name)
            queue += [node.id for node in ast.walk(defined[name]) if isinstance(node, ast.Name)]
    kept = [node for node in body if wanted & defined_by(node)]
    for node in kept:
        if isinstance(node, ast.Import | ast.ImportFrom):
            node.names = [alias for alias in node.names if (alias.asname or alias.name) in wanted]
    return ast.Module(kept, [])


def defined_by(node: ast.stmt) -> set[str]:
    if isinstance(node, ast.Import | ast.ImportFrom):
        return {alias.asname or alias.name for alias in node.names}
    if isinstance(node, ast.FunctionDef):
        return {node.name}
    return {target.id for target in getattr(node, "targets", []) if isinstance(target, ast.Name)}
