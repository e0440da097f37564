"""网页里的 Python 从这里进：运行读者的一格代码，打印的交给网页，再请 judging 判断；出了错只说读者的那一行。

它在 Brython 里运行；`_output.write` 是 worker.js 给的，把字交给网页。
"""

import builtins
from _json import dumps, loads

import _output
import _sys
import judging
import torch
from running import PLAIN_WORDS

HERE = "<你的代码>"
MOST_CHARACTERS, MOST_LINES = 10_000, 200
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


def says(error, source):
    """读者的代码出错时说的一句；与练习的检查同一套话。"""
    name, message = type(error).__name__, " ".join(str(error).split())[:120]
    lines = source.split("\n")
    if isinstance(error, SyntaxError):
        return {
            "line": error.lineno,
            "said": f"第 {error.lineno} 行第 {error.offset} 个字符那里，Python 读不懂（{name}：{error.msg}）。",
        }
    words = next((words for kind, words in PLAIN_WORDS.items() if isinstance(error, kind)), "抛出了异常")
    if isinstance(error, ImportError):
        words, message = "网页里没有它，到 Jupyter 里用", message.partition(" (")[0]
    if name == "JavascriptError":  # Brython 没有替它换成 Python 的
        deep = "call stack" in message
        words, name, message = ("递归没有停下来", "RecursionError", "") if deep else ("网页里做不到", name, message)
    line, step = None, error.__traceback__
    while step:
        if step.tb_frame.f_code.co_filename == HERE:
            line = step.tb_lineno
        step = step.tb_next
    where = "运行你的代码时" if line is None else f"你的代码运行到第 {line} 行 {lines[line - 1].strip()} "
    return {"line": line, "said": f"{where}出错了，{words}（{name}{message and '：'}{message}）。"}


def parts(source):
    """一格代码分成两截：前面的语句，与最后单独一个的表达式（没有就是空的），像 Jupyter 那样显示它的值。"""
    compile(source, HERE, "exec")  # 写得不对，在这里就抛出
    lines = source.rstrip().split("\n")
    for start in range(len(lines) - 1, -1, -1):
        if lines[start][:1] in ("", " ", "\t", "#", ")", "]", "}"):
            continue
        last = "\n" * start + "\n".join(lines[start:])
        for mode in ("eval", "exec"):
            try:
                compile(last, HERE, mode)
            except SyntaxError:
                continue
            return ("\n".join(lines[:start]), last) if mode == "eval" else (source, "")
    return source, ""


def run(source, given):
    """运行读者的一格；返回它留下的名字。"""
    names = {"__name__": "__main__", "torch": torch}
    exec(given, names)
    statements, expression = parts(source)
    exec(compile(statements, HERE, "exec"), names)
    if expression:
        value = eval(compile(expression, HERE, "eval"), names)
        if value is not None:
            print(repr(value))
    return names


def check(exercise, names):
    """一道练习的结论。"""
    try:
        return judging.verdict(exercise, eval(exercise["answer"], names))
    except NameError as error:
        return f"✗ 还不对：没有找到 {exercise['answer']}，名字要与题目里的一样。"


MODULES = builtins, torch, judging


def state():
    """这些模块里现在有什么；读者的代码改了它们，这个线程就不再用了。"""
    return [dict(vars(module)) for module in MODULES]


def answer(text):
    """一次请求：{code, given, exercises} → {error, verdicts, spoiled}；exercises 为空就只运行。"""
    request = loads(text)
    before, result = state(), {}
    _sys.stdout = Output()
    try:
        names = run(request["code"], request["given"])
        result["verdicts"] = [check(exercise, names) for exercise in request["exercises"]]
    except BaseException as error:
        result["error"] = says(error, request["code"])
    result["spoiled"] = state() != before
    return dumps(result)
