"""学生的那个进程：运行一份作业的各格，把答案登记过去，评判来问时在这里运行它们。

只由 `process.Pupil` 起动；与那边一行一句 JSON，走原来的标准输入与输出，学生的代码印什么都不会混进来。
"""

import dataclasses
import json
import os
import sys
from collections.abc import Callable

from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

import course_lib.exercises as exercises
from course_lib.exercises.exercise import Exercise
from course_lib.exercises.raised import details, plain_words
from course_lib.exercises.running import call, sandbox, takes

from .cells import Cell, definitions
from .wire import LIMIT, encode

MEGABYTE = 2**20
LARGEST_FILE = 256 * MEGABYTE


class Line:
    """与评判那边的一问一答。"""

    def __init__(self):
        # 先把原来的标准输入输出收起来，换成空的；新的描述符不会传给学生另起的进程
        self._inbox = os.fdopen(os.dup(0), encoding="utf-8")
        self._outbox = os.fdopen(os.dup(1), "w", encoding="utf-8")
        nothing = os.open(os.devnull, os.O_RDWR)
        for standard in (0, 1, 2):
            os.dup2(nothing, standard)

    def say(self, **message: object) -> None:
        self._outbox.write(json.dumps(message) + "\n")
        self._outbox.flush()

    def hear(self) -> dict:
        heard = self._inbox.readline()
        if not heard:  # 那边已经不等了
            os._exit(0)
        return json.loads(heard)


def limit_memory(megabytes: int) -> bool:
    """此后最多再多占这么多内存；系统限制不了就返回 False。"""
    try:
        import resource

        with open("/proc/self/statm") as file:
            used = int(file.read().split()[0]) * resource.getpagesize()
        # 软硬一起设，学生的代码放不宽
        limits = {
            resource.RLIMIT_AS: used + megabytes * MEGABYTE,
            resource.RLIMIT_FSIZE: LARGEST_FILE,
            resource.RLIMIT_CORE: 0,
        }
        for kind, limit in limits.items():
            resource.setrlimit(kind, (limit, limit))
    except (ImportError, OSError, ValueError):
        return False
    return True


def fitting(value: object) -> object:
    """写成 JSON 写得下的样子；太大的只说太大。"""
    try:
        written = encode(value)
    except Exception:  # 装着自己的列表，没有数据的张量
        written = {"other": type(value).__name__}
    return written if len(json.dumps(written)) < LIMIT // 3 else {"other": "太大的结果"}


def outcome(exercise: Exercise, answer: Callable, case: tuple) -> dict:
    """学生的函数在一组数据上的结果；题目要看由它得到的东西（例如梯度），也在这里看，结果才还连着数据。"""
    result = call(answer, case)
    said = {"result": fitting(result)}
    if exercise.observe is not None:
        try:
            said["observed"] = fitting(exercise.observe(result, *case))
        except Exception as error:  # 结果不成样子；成样子的，那边会说检查自己出了错
            said["failed"] = details(error)
    return said


def register(line: Line) -> None:
    """把 `course_lib.exercises` 的 check 与 verdict 换成去登记的；题目只留下数据，解答从这个进程里拿走。"""
    table = {
        name: dataclasses.replace(exercise, right=None, wrong={}, otherwise="", praise="")
        for name, exercise in exercises.EXERCISES.items()
    }
    names = exercises.exercise_names()
    exercises.EXERCISES.clear()
    for name, module in list(sys.modules.items()):
        if name.startswith("course_lib.exercises.topics.") and hasattr(module, "EXERCISES"):
            del module.EXERCISES
    asking = []

    def answer_questions(exercise: Exercise, answer: object) -> str:
        with sandbox():
            while "verdict" not in (heard := line.hear()):
                if heard["call"] == 0:  # 从头问起：上一遍的数据也许被改过
                    cases = exercise.inputs()
                line.say(**outcome(exercise, answer, cases[heard["call"]]))
        return heard["verdict"]

    def verdict(name: str, answer: object) -> str:
        if name not in table:
            raise ValueError(f"没有名叫 {name!r} 的练习，现有：{'、'.join(names)}。")
        if asking:
            raise RuntimeError("检查里面不能再检查。")
        exercise = table[name]
        asking.append(name)
        try:
            if exercise.cases is not None and callable(answer):
                line.say(check=name, takes=takes(answer, exercise.inputs()[0]))
            else:
                line.say(check=name, value=fitting(answer))
            return answer_questions(exercise, answer)
        finally:
            asking.clear()

    def check(name: str, answer: object) -> None:
        print(verdict(name, answer))

    exercises.check, exercises.verdict = check, verdict


def plainly(error: BaseException) -> str:
    """异常，先用中文说一遍。"""
    if isinstance(error, SyntaxError):
        where = f"第 {error.lineno} 行" if error.lineno else ""
        return f"{where}语法不对（{type(error).__name__}：{error.msg}）"
    return f"{plain_words(error)}（{details(error)}）"


def main() -> None:
    line = Line()
    register(line)
    task = line.hear()
    cells = [Cell(code, tuple(asks)) for code, asks in task["cells"]]
    # 与笔记本里一样运行：魔法命令照认，出错的一行找得到
    shell = InteractiveShell.instance(config=Config({"HistoryManager": {"enabled": False}}))
    shell.enable_gui = lambda *_, **__: None  # %matplotlib inline 要它，这里没有窗口
    shell.showtraceback = shell.showsyntaxerror = lambda *_, **__: None
    line.say(limited=limit_memory(task["memory"]))
    line.say(cell=-1)
    # 练习的头一格里有 import；它语法不对，后面的也不必都跟着错
    shell.user_ns["check"] = exercises.check
    for i, cell in enumerate(cells):
        if i in task["skip"]:  # 上一次停在这里：只留下别处用得到的定义
            cell = definitions(cell)
        if not cell.code.strip() or i in task["drop"]:
            continue
        line.say(cell=i)
        done = shell.run_cell(cell.code, silent=True)
        if error := done.error_before_exec or done.error_in_exec:
            line.say(error=plainly(error))
    line.say(done=True)
    # 学生留下的线程不必等
    os._exit(0)


if __name__ == "__main__":
    main()
