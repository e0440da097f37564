"""网页里的 Python 从这里进：运行读者的一格代码，打印的交给网页，再请 judging 判断；出了错只说读者的那一行。

它在 Brython 里运行；`_output.write` 是 worker.js 给的，把字交给网页。
"""

import builtins
import math
import sys
from _json import dumps, loads

import _output
import torch
from exercises import comparing, facts, judging, running

MOST_CHARACTERS, MOST_LINES = 10_000, 200
ONLY_AST = 0x400
CUT = f"\n……输出太长，到这里为止：最多 {MOST_CHARACTERS} 个字符、{MOST_LINES} 行。\n"


class Output:
    """print 写到这里；太长就不再往外送。"""

    def __init__(self):
        self.characters, self.lines = MOST_CHARACTERS, MOST_LINES

    def write(self, text):
        if self.lines <= 0:
            return
        kept = "".join(text[: self.characters].splitlines(True)[: self.lines])
        self.characters -= len(kept)
        self.lines -= kept.count("\n")
        _output.write(kept)
        if len(kept) < len(text):
            self.lines = 0
            _output.write(CUT)

    def flush(self):
        pass


def says(error):
    """读者的代码出错时说的一句，与练习的检查同一套话；还有是第几行。"""
    name, message = type(error).__name__, str(error)
    if isinstance(error, SyntaxError):
        said = f"第 {error.lineno} 行第 {error.offset} 个字符那里，Python 读不懂（{name}：{error.msg}）。"
        return {"line": error.lineno, "said": said}
    if name == "JavascriptError":  # Brython 没有替它换成 Python 的
        if "call stack" in message:
            error = RecursionError().with_traceback(error.__traceback__)
    if isinstance(error, ImportError):
        error.args = (message.partition(" (")[0],)
    return {"said": running.blame(error).sentence}


def parts(source):
    """一格代码分成两截：前面的语句，与最后单独一个的表达式（没有就是空的），像 Jupyter 那样显示它的值。"""
    last = compile(source, running.READER, "exec", ONLY_AST).body[-1:]
    if not last or type(last[0]).__name__ != "Expr" or last[0].col_offset:
        return source, ""
    lines, start = source.split("\n"), last[0].lineno - 1
    return "\n".join(lines[:start]), "\n" * start + "\n".join(lines[start:])


def run(source, given):
    """运行读者的一格；返回它留下的名字。"""
    names = {"__name__": "__main__"}
    exec(given, names)
    statements, expression = parts(source)
    exec(compile(statements, running.READER, "exec"), names)
    if expression:
        value = eval(compile(expression, running.READER, "eval"), names)
        if value is not None:
            print(repr(value))
    return names


def check(exercise, names):
    """一道练习的结论。"""
    try:
        return facts.verdict(exercise, eval(exercise["answer"], names))
    except NameError:
        return f"✗ 还不对：没有找到 {exercise['answer']}，名字要与题目里的一样。"


MODULES = builtins, math, torch, torch.Tensor, comparing, facts, judging, running


def state():
    """这些模块里现在有什么；读者的代码改了它们，这个线程就不再用了。"""
    return [dict(vars(module)) for module in MODULES]


def answer(text):
    """一次请求：{code, given, exercises} → {error, verdicts, spoiled}；exercises 为空就只运行。"""
    request = loads(text)
    before, result = state(), {}
    sys.stdout = Output()
    running.reader_lines[:] = request["code"].split("\n")
    try:
        names = run(request["code"], request["given"])
        result["verdicts"] = [check(exercise, names) for exercise in request["exercises"]]
    except BaseException as error:
        result["error"] = says(error)
    result["spoiled"] = state() != before
    return dumps(result)
