"""在 CPython 里照网页的样子装起那几个 Python 文件：torch 是 live/python/tensor.py，course_lib 里只有网页里有的。"""

import builtins
import math
import sys
import types
from functools import cache, reduce
from importlib.util import resolve_name

from chapters import CHAPTERS, cells, source
from course_book.after_writing.live_exercises import chapter
from course_book.after_writing.live_python import MODULES, PACKAGES
from course_lib.exercises import EXERCISES, verdict
from course_lib.exercises.judging import UNFINISHED
from tools.notebook_form import solutions

# 浏览器里才有的两样不装
SOURCES = {
    name: path.read_text(encoding="utf8") for name, path in MODULES.items() if name not in ("sys", "page")
}


def data_of(name):
    """网页里这道练习的数据。"""
    return chapter(name.partition(".")[0])["exercises"][name]


@cache
def page_of(name):
    """这道练习所在的网页。"""
    return PagePython(name.partition(".")[0])


class PagePython:
    """一章的网页里的 Python：里面的代码 import 到的只有网页里有的；`self[名字]` 是其中一个模块。"""

    def __init__(self, topic):
        own = types.ModuleType("builtins")
        vars(own).update(vars(builtins), __import__=self.load)
        self.builtins, self.modules = vars(own), {"builtins": own, "math": math, "sys": sys}
        self.sources = SOURCES | dict.fromkeys(PACKAGES, "") | chapter(topic)["modules"]
        self["mended"]

    def __getitem__(self, name):
        package = name.rpartition(".")[0]
        if package and package not in self.sources:
            raise ModuleNotFoundError(f"网页里没有 {package}")
        if name not in self.modules:
            # 不能与真的 torch 同名：它在 sys.modules 里登记了自己的名字空间
            module = self.modules[name] = types.ModuleType(f"page.{name}")
            vars(module).update(__builtins__=self.builtins, __package__=package)
            exec(compile(self.sources[name], f"网页里的 {name}", "exec"), vars(module))
        return self.modules[name]

    def load(self, name, globals=None, locals=None, fromlist=(), level=0):
        if level:
            name = resolve_name("." * level + name, globals["__package__"])
        if name in self.sources or name in self.modules:
            package = self[name]
            for each in fromlist or ():
                if f"{name}.{each}" in self.sources:
                    setattr(package, each, self[f"{name}.{each}"])
            return package
        first, *inner = name.split(".")
        if first != "torch":
            raise ImportError(f"网页里没有 {name}")
        return reduce(getattr, inner if fromlist else [], self["torch"])

    def run(self, name, code):
        """读者在这道练习里运行这些代码，留下的名字。"""
        running = self["course_lib.exercises.running"]
        return running.run(running.own(code), data_of(name)["given"])

    def verdict(self, name, answer):
        return self["course_lib.exercises.facts"].verdict(name, data_of(name)["data"], answer)

    def judge(self, name):
        """这道练习的评判，好判许多个答案。"""
        facts = self["course_lib.exercises.facts"]
        return facts.Judge(facts.Facts(facts.exercise_of(name), data_of(name)["data"]))

    def ways(self, name):
        """练习的表在网页里读进来之后：对的答案，再是各种错答。"""
        exercise = self["course_lib.exercises.facts"].exercise_of(name)
        ways = [way for _, way in exercise.wrong_ways()]
        return [exercise.right, *(getattr(way, "example", way) for way in ways)]


@cache
def texts(name):
    """章里这道练习的（参考解答，练习格），照原样，连同其中的 import 与 check。"""
    (path,) = [path for path in CHAPTERS if path.stem[3:] == name.partition(".")[0]]
    asked = f'check("{name}"'
    both = [solutions(path), [source(c) for c in cells(path, "code")]]
    return tuple(next(code for code in codes if asked in code) for codes in both)


def reader_answers(name):
    """（读者的代码，该得到的结论）：参考解答、没写的练习格，与表里的每一种错答。"""
    exercise, answer = EXERCISES[name], data_of(name)["answer"]
    solution, skeleton = texts(name)
    yield solution, f"✓ 正确。{exercise.praise}"
    yield skeleton, UNFINISHED
    for i, (_, way) in enumerate(exercise.wrong_ways()):
        lines = [
            "from course_lib.exercises.facts import exercise_of",
            f"way = exercise_of({name!r}).wrong_ways()[{i}][1]",
            f"{answer} = getattr(way, 'example', way)",
        ]
        yield "\n".join(lines), verdict(name, getattr(way, "example", way))
