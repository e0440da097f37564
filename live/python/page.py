"""网页里的 Python 从这里进：运行读者的一格代码，打印的交给网页，再请 judging 判断；出了错只说读者的那一行。

它在 Brython 里运行；`_output.write` 是 worker.js 给的，把字交给网页。
"""

import builtins
import math
import sys
from _json import dumps, loads

import _output
import mended
import torch
import torch.nn  # 头一次 import 它们，torch 里就多一个名字
import torch.special

from course_lib.exercises import comparing, facts, judging, raised, running

MOST_CHARACTERS, MOST_LINES = 10_000, 200
ONLY_AST = 0x400
CUT = f"\n……输出太长，到这里为止：最多 {MOST_CHARACTERS} 个字符、{MOST_LINES} 行。\n"


def absent(name):
    """浏览器里做不到的内建函数：说一声，不让 Brython 说它自己的话。"""

    def missing(*_, **__):
        raise OSError(f"网页里没有 {name}，到 Jupyter 里用")

    return missing


for _name in ("input", "open", "exit", "quit", "breakpoint", "help"):
    setattr(builtins, _name, absent(_name))


class Output:
    """print 写到这里；太长就不再往外送。"""

    def __init__(self):
        self.characters, self.lines, self.full = MOST_CHARACTERS, MOST_LINES, False

    def write(self, text):
        if self.full:
            return
        kept = "".join(text[: self.characters].splitlines(True)[: self.lines])
        self.characters -= len(kept)
        self.lines -= kept.count("\n")
        self.full = len(kept) < len(text)
        _output.write(kept + CUT if self.full else kept)

    def flush(self):
        pass


def is_chinese_mark(c):
    """手机上用中文输入法，括号、引号、冒号常常打成这样的。"""
    return "\uff01" <= c <= "\uff5e" or "\u3001" <= c <= "\u3011" or "\u2018" <= c <= "\u201d"


def says(error):
    """读者的代码出错时说的一句，与练习的检查同一套话。"""
    name, message = type(error).__name__, str(error)
    if isinstance(error, SyntaxError):
        where = f"第 {error.lineno} 行第 {error.offset} 个字符那里"
        found = [c for c in error.msg.partition("invalid ")[2] if is_chinese_mark(c)]
        if found:
            return f"{where}，{found[0]} 是中文的标点，换成英文的（{name}）。"
        guess = "，看看缩进" if isinstance(error, IndentationError) else ""
        return f"{where}，Python 读不懂{guess}（{name}：{error.msg}）。"
    if name == "JavascriptError" and "call stack" in message:  # Brython 没有替它换成 Python 的
        error = RecursionError("maximum recursion depth exceeded").with_traceback(error.__traceback__)
    if isinstance(error, ImportError):
        error.args = (f"{message.partition(' (')[0]}；网页里没有它，到 Jupyter 里用",)
    try:
        return running.blame(error, "运行你的代码时").sentence
    except running.NotHere as here:
        return str(here)


def run(source, given):
    """运行读者的一格；最后单独一个表达式的值，像 Jupyter 那样打印出来。返回它留下的名字。"""
    lines = source.split("\n")
    last = compile(source, "<string>", "exec", ONLY_AST).body[-1:]
    alone = last and type(last[0]).__name__ == "Expr" and not last[0].col_offset
    shown = lines[:]
    if alone:
        shown[last[0].lineno - 1] = "_ = " + shown[last[0].lineno - 1]
    try:
        names = running.run("\n".join(shown), given)
    finally:
        running.reader_lines[:] = lines
    if alone and names["_"] is not None:
        print(repr(names["_"]))
    return names


def check(exercise, names):
    """一道练习的结论。"""
    try:
        value = eval(exercise["answer"], names)
    except NameError:
        return f"✗ 还不对：没有找到 {exercise['answer']}，名字要与题目里的一样。"
    return facts.verdict(exercise["name"], exercise["data"], value)


# 读者的代码改了这些，这一次就不算，这个线程也不能再用
WATCHED = (
    *(builtins, math, mended, mended.Key, torch, torch.Tensor, torch.nn, torch.nn.functional),
    *(comparing, facts, facts.Facts, judging, judging.Judge, judging.Known, raised, raised.Raised, running),
    *(Output, sys.modules[__name__]),
)
DOORS = "browser", "javascript", "start"  # worker.js 随后就拿走
LOADED = {name: sys.modules[name] for name in list(sys.modules) if name.partition(".")[0] not in DOORS}
SPOILED = "⚠ 你的代码改了 Python 自己的，或者 torch、math 里的名字，这一次不算：自己的函数另取一个名字，再检查一次。"


def state():
    return [(each, dict(vars(each))) for each in WATCHED]


def changed(before, *, modules=sys.modules, vars=vars, len=len, any=any):  # 读者也可能换掉这几个
    for each, was in before:
        now = vars(each)
        if len(now) != len(was):
            return True
        for name in was:
            if now.get(name) is not was[name]:
                return True
    return any(modules.get(name) is not LOADED[name] for name in LOADED)


def answer(text):
    """一次请求：{code, given, exercises} → {error, verdicts, spoiled}；exercises 为空就只运行。"""
    request, before, result, is_changed = loads(text), state(), {}, changed
    sys.stdout = Output()
    try:
        names = run(running.own(request["code"]), request["given"])
        result["verdicts"] = [check(exercise, names) for exercise in request["exercises"]]
    except BaseException as error:
        result["error"] = says(error)
    result["spoiled"] = is_changed(before)
    if result["spoiled"]:
        result["verdicts"] = [SPOILED for _ in request["exercises"]]
    return dumps(result)
