"""把 Python 的值写成源码：张量、列表、字典，还有函数，连同它们用到的名字，运行这段源码就又得到它们。

网页里的 Python 没有 torch，只有 live/python/tensor.py；写出的源码里，`torch` 就是它。
张量写成 tensor(类型, 形状, "一串数")，`tensor`、`record` 由 live/python/facts.py 给。
写不了的抛出 `NotCarried`，说明为什么。
"""

import ast
import builtins
import dataclasses
import dis
import inspect
import math
import types
from functools import cache
from pathlib import Path

import numpy as np
import torch

MODULES = {
    math: "math",
    torch: "torch",
    torch.nn.functional: "torch.nn.functional",
    torch.special: "torch.special",
}
DTYPES = {
    torch.bool: "bool",
    torch.int32: "int64",
    torch.int64: "int64",
    torch.float16: "float16",
    torch.float32: "float32",
    torch.float64: "float64",
}


class NotCarried(Exception):
    """这个值写不成网页里能运行的源码。"""


class Source:
    """写出的一段源码：`value(值)` 给出写这个值的式子，它用到的定义记在 `lines` 里，先用到的在前。"""

    def __init__(self):
        self.lines: list[str] = []
        self.names: dict[str, object] = {}
        self._tensors: dict[str, str] = {}
        self._functions: dict[int, tuple[str, object]] = {}

    def text(self) -> str:
        return "".join(f"{line}\n" for line in self.lines)

    def value(self, value: object) -> str:
        if isinstance(value, float) and not math.isfinite(value):
            return f"float({str(value)!r})"
        if value is None or value is ... or isinstance(value, bool | int | float | str | bytes):
            return repr(value)
        if isinstance(value, torch.Tensor):
            return self._tensor(value)
        if isinstance(value, list):
            return f"[{self._items(value)}]"
        if isinstance(value, tuple):
            return f"({self._items(value)}{',' * (len(value) == 1)})"
        if isinstance(value, set):
            return f"{{{self._items(sorted(value))}}}" if value else "set()"
        if isinstance(value, dict):
            return f"{{{', '.join(f'{self.value(k)}: {self.value(v)}' for k, v in value.items())}}}"
        if isinstance(value, types.FunctionType):
            return self._function(value)
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
            return f"record({type(value).__name__!r}, {self.value(fields)})"
        return self._from_library(value)

    def define(self, name: str, value: object) -> None:
        """源码里的 `name` 就是这个值。"""
        if name in self.names:
            if self.names[name] is not value:
                raise NotCarried(f"两样东西都叫 {name}")
            return
        self.names[name] = value
        if isinstance(value, types.ModuleType):
            if value not in MODULES:
                raise NotCarried(f"用到了模块 {value.__name__}")
            whole = MODULES[value]
            self.lines.append(f"import {whole}" if whole == name else f"import {whole} as {name}")
        else:
            said = self.value(value)
            if said != name:
                self.lines.append(f"{name} = {said}")

    def _items(self, values) -> str:
        return ", ".join(map(self.value, values))

    def _tensor(self, tensor: torch.Tensor) -> str:
        if tensor.requires_grad:
            raise NotCarried("要算梯度")
        if tensor.dtype not in DTYPES:
            raise NotCarried(f"张量的类型是 {tensor.dtype}")
        dtype = DTYPES[tensor.dtype]
        numbers = tensor.detach().contiguous().view(-1)
        if dtype == "bool":
            data = "".join("01"[x] for x in numbers.tolist())
        else:
            data = " ".join(map(_shortest, numbers.numpy()))
        said = f"tensor({dtype!r}, {tuple(tensor.shape)!r}, {data!r})"
        if said not in self._tensors:
            self._tensors[said] = f"_t{len(self._tensors)}"
            self.lines.append(f"{self._tensors[said]} = {said}")
        return f"{self._tensors[said]}.clone()"

    def _from_library(self, value: object) -> str:
        for module, whole in MODULES.items():
            name = getattr(value, "__name__", None)
            if isinstance(name, str) and getattr(module, name, None) is value:
                self.define(whole.split(".")[0], math if module is math else torch)
                return f"{whole}.{name}"
        if isinstance(value, types.BuiltinFunctionType | type) and value is getattr(
            builtins, value.__name__, None
        ):
            return value.__name__
        kind = value if isinstance(value, type) else type(value)
        raise NotCarried(f"用到了 {kind.__module__}.{kind.__qualname__}")

    def _function(self, function: types.FunctionType) -> str:
        if id(function) in self._functions:
            return self._functions[id(function)][0]
        library = getattr(function, "__module__", "").split(".")[0]
        if library == "torch":
            return self._from_library(function)
        node = _node_of(function)
        closed = inspect.getclosurevars(function).nonlocals
        for name in sorted(_globals_of(function.__code__) | _names_in_defaults(node)):
            if name in closed or (hasattr(builtins, name) and name not in function.__globals__):
                continue
            if name not in function.__globals__:
                raise NotCarried(f"默认值里用到了外层的 {name}")
            known = function.__globals__[name]
            if known is not function:
                self.define(name, inspect.unwrap(known) if callable(known) else known)
        outer = {name: self.value(value) for name, value in sorted(closed.items())}
        bare = ast.unparse(_bare(node))
        is_lambda = isinstance(node, ast.Lambda)
        name = f"_f{len(self._functions)}" if is_lambda or outer else node.name
        if outer:
            made = f"lambda {', '.join(outer)}: {bare}"
            if is_lambda:
                self.lines.append(f"{name} = ({made})({', '.join(outer.values())})")
            else:
                indented = "".join(f"    {line}\n" for line in bare.splitlines())
                self.lines.append(f"def {name}({', '.join(outer)}):\n{indented}    return {node.name}")
                self.lines.append(f"{name} = {name}({', '.join(outer.values())})")
        elif is_lambda:
            self.lines.append(f"{name} = {bare}")
        else:
            if self.names.setdefault(name, function) is not function:
                raise NotCarried(f"两样东西都叫 {name}")
            self.lines.append(bare)
        self._functions[id(function)] = name, function
        return name


def _shortest(number: np.generic) -> str:
    said = str(number) if number.dtype.kind == "f" else str(int(number))
    return said.removesuffix(".0")


@cache
def _tree(path: str) -> ast.Module:
    return ast.parse(Path(path).read_text(encoding="utf-8"))


def _node_of(function: types.FunctionType) -> ast.AST:
    """函数在源文件里的那个节点；同一行上有几个 lambda，就看哪一个最小的恰好包着它的指令。"""
    code = function.__code__
    functions = [
        node
        for node in ast.walk(_tree(code.co_filename))
        if isinstance(node, ast.FunctionDef | ast.Lambda)
        and node.lineno <= max(line for line, *_ in code.co_positions() if line) <= node.end_lineno
    ]
    if function.__name__ != "<lambda>":
        (node,) = (
            node
            for node in functions
            if isinstance(node, ast.FunctionDef)
            and node.name == code.co_name
            and code.co_firstlineno in {node.lineno, *(d.lineno for d in node.decorator_list)}
        )
        return node
    places = [(p[0], p[2], p[1], p[3]) for p in code.co_positions() if None not in p and p[2] != p[3]]
    around = [
        node
        for node in functions
        if isinstance(node, ast.Lambda)
        and all(
            (node.body.lineno, node.body.col_offset) <= place[:2]
            and place[2:] <= (node.body.end_lineno, node.body.end_col_offset)
            for place in places
        )
        and [arg.arg for arg in node.args.args] == [*code.co_varnames[: code.co_argcount]]
    ]
    if not around:
        raise NotCarried("找不到源码")
    return min(around, key=lambda node: (node.end_lineno - node.lineno, len(ast.dump(node))))


def _globals_of(code: types.CodeType) -> set[str]:
    names = {
        instruction.argval
        for instruction in dis.get_instructions(code)
        if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME")
    }
    return names.union(*(_globals_of(const) for const in code.co_consts if isinstance(const, types.CodeType)))


def _names_in_defaults(node: ast.AST) -> set[str]:
    defaults = [d for d in (*node.args.defaults, *node.args.kw_defaults) if d is not None]
    inside = {sub.arg for d in defaults for sub in ast.walk(d) if isinstance(sub, ast.arg)}
    return {n.id for d in defaults for n in ast.walk(d) if isinstance(n, ast.Name)} - inside


class _Bare(ast.NodeTransformer):
    """去掉类型、说明与装饰：网页里用不着。"""

    def visit_FunctionDef(self, node):
        self.generic_visit(node)
        node.decorator_list, node.returns = [], None
        if ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:] or [ast.Pass()]
        return node

    def visit_arg(self, node):
        node.annotation = None
        return node


def _bare(node: ast.AST) -> ast.AST:
    tree = _Bare().visit(ast.parse(ast.unparse(node)).body[0])
    return tree.value if isinstance(tree, ast.Expr) else tree
