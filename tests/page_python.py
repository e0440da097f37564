"""在 CPython 里照网页的样子装起那几个 Python 文件：torch 是 live/python/tensor.py，exercises 是一个包，别的模块没有。"""

import builtins
import math
import sys
import types
from functools import reduce

from chapters import ROOT

SOURCES = {
    "torch": "live/python/tensor.py",
    "exercises.running": "live/python/running.py",
    "exercises.comparing": "course_lib/exercises/comparing.py",
    "exercises.judging": "course_lib/exercises/judging.py",
    "exercises.facts": "live/python/facts.py",
}
# Brython 自己有的，或者网页另外带着的
ALLOWED = {"math": math, "sys": sys}


class PagePython:
    """里面的代码 import 到的只有网页里有的；`self[名字]` 是其中一个模块。"""

    def __init__(self):
        self.modules = dict(ALLOWED)
        self.builtins = {**vars(builtins), "__import__": self.load}

    def __getitem__(self, name):
        if name not in self.modules:
            module = self.modules[name] = types.ModuleType(f"page.{name}")  # 不与真的 torch 同名
            module.__dict__["__builtins__"] = self.builtins
            path = ROOT / SOURCES[name]
            exec(compile(path.read_text(encoding="utf8"), str(path), "exec"), vars(module))
        return self.modules[name]

    def load(self, name, globals=None, locals=None, fromlist=(), level=0):
        name = f"exercises.{name}" if level else name
        if name in SOURCES or name in ALLOWED:
            return self[name]
        first, *inner = name.split(".")
        if first != "torch":
            raise ImportError(f"网页里没有 {name}")
        return reduce(getattr, inner if fromlist else [], self["torch"])

    def run(self, code, **names):
        """运行一段代码，返回它的全部名字。"""
        scope = {"__builtins__": self.builtins, **names}
        exec(code, scope)
        return scope
