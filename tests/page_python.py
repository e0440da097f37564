"""在 CPython 里照网页的样子装起那几个 Python 文件：torch 是 live/python/tensor.py，exercises 是一个包，别的模块没有。"""

import builtins
import math
import sys
import types
from functools import reduce

from course_book.after_writing.as_source import NotCarried, Source
from course_book.after_writing.live_exercises import in_the_page
from course_book.after_writing.live_python import MODULES
from course_lib.exercises import EXERCISES, verdict
from course_lib.exercises.exercise import Symptom

# 浏览器里才有的两样不装
SOURCES = {name: path for name, path in MODULES.items() if name not in ("sys", "page")}


class PagePython:
    """里面的代码 import 到的只有网页里有的；`self[名字]` 是其中一个模块。"""

    def __init__(self):
        own = types.ModuleType("builtins")
        vars(own).update(vars(builtins), __import__=self.load)
        self.builtins, self.modules = vars(own), {"builtins": own, "math": math, "sys": sys}
        self["mended"]

    def __getitem__(self, name):
        if name not in self.modules:
            # 不能与真的 torch 同名：它在 sys.modules 里登记了自己的名字空间
            module = self.modules[name] = types.ModuleType(f"page.{name}")
            path = SOURCES[name]
            vars(module)["__builtins__"] = self.builtins
            exec(compile(path.read_text(encoding="utf8"), str(path), "exec"), vars(module))
        return self.modules[name]

    def load(self, name, globals=None, locals=None, fromlist=(), level=0):
        name = f"exercises.{name}" if level else name
        if name in SOURCES or name in self.modules:
            return self[name]
        first, *inner = name.split(".")
        if first != "torch":
            raise ImportError(f"网页里没有 {name}")
        return reduce(getattr, inner if fromlist else [], self["torch"])

    def value(self, value):
        """torch 那边的值或函数，在网页里的样子。"""
        source, facts = Source(), self["exercises.facts"]
        said = source.value(value)
        names = {"__builtins__": self.builtins, "tensor": facts.tensor, "record": facts.record}
        exec(f"{source.text()}value = {said}\n", names)
        return names["value"]


def reader_answers():
    """（练习，读者的代码，该得到的结论）：参考解答、没写的练习格，与表里写得成代码的每一种错答。"""
    for name, data in in_the_page().items():
        exercise = EXERCISES[name]
        yield name, data["solution"], f"✓ 正确。{exercise.praise}"
        yield name, data["skeleton"], "○ 还没有写完：把 ... 换成你的答案，再运行一次。"
        for _, way in exercise.wrong_ways():
            way, source = way.example if isinstance(way, Symptom) else way, Source()
            try:
                said = source.value(way)
            except NotCarried:
                continue
            # 放在一个函数里：里面的名字也许就是要交的那一个
            lines = [
                "from exercises.facts import record, tensor",
                *source.text().splitlines(),
                f"return {said}",
            ]
            body = "".join(f"    {line}\n" for line in lines)
            yield name, f"def made():\n{body}\n\n{data['answer']} = made()\n", verdict(name, way)
