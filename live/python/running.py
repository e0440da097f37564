"""网页里怎样运行读者的答案；与 course_lib/exercises/running.py 是同样的几样，这里没有 inspect 与 traceback，都自己来。"""

from .raised import Raised, message_of, raised, reader_line

__all__ = ["NotHere", "Raised", "absent", "blame", "call", "own", "plain", "run", "takes"]

READER = "__main__"  # 读者的代码里 __name__ 是它
reader_lines = []  # 读者的代码，一行一项


class NotHere(BaseException):
    """用到了网页里没有的：对不对，这里判断不了；不是 `Exception`，评判里的 except 接不住它。"""


def absent(name):
    """课程库里没有带进网页的函数或类；读进来无妨，用到才说。"""

    def missing(*_, **__):
        raise RuntimeError(f"这里没有 {name}，到 Jupyter 里用。")

    return missing


def own(code):
    """读者自己写的：整格贴来的参考解答里，请 Jupyter 检查的那几行换成空行，行数不变。"""
    given = "from course_lib.exercises import check"
    return "\n".join(
        ["" if line.rstrip() == given or line.startswith('check("') else line for line in code.split("\n")]
    )


def run(code, given):
    """先运行 given，再运行读者的代码；返回读者的全部名字。

    Brython 的 exec 不肯用 compile 的结果，文件名都是 <string>，所以两段代码靠 __name__ 分辨。
    """
    before = {"__name__": "given"}
    exec(given, before)
    reader_lines[:] = code.split("\n")
    names = {name: value for name, value in before.items() if name[0] != "$" and name[:2] != "__"}
    names["__name__"] = READER
    exec(code, names)
    return names


def plain(value):
    return value


def takes(answer, case):
    """函数收得下这么多参数；看不出来的算收得下。"""
    given = len(case)
    if isinstance(answer, type):
        if answer.__init__ is object.__init__:
            return given == 0
        answer, given = answer.__init__, given + 1
    elif hasattr(answer, "__func__"):  # 方法
        answer, given = answer.__func__, given + 1
    elif not hasattr(answer, "__code__"):
        answer, given = type(answer).__call__, given + 1
    code = getattr(answer, "__code__", None)
    if code is None:
        return True
    if code.co_kwonlyargcount > len(answer.__kwdefaults__ or ()):
        return False
    least = code.co_argcount - len(answer.__defaults__ or ())
    return least <= given and (given <= code.co_argcount or bool(code.co_flags & 4))


def call(answer, case):
    """读者的函数在一组数据上的结果；还没有写完是 None，出错是 `Raised`。"""
    try:
        result = answer(*case)
    except NotImplementedError:
        return None
    except Exception as error:  # 读者的代码可能以任何方式出错
        return blame(error)
    return None if result is ... else result


def blame(error, where="运行你的答案时"):
    """最深的一层读者的代码，就是读者的那一行。"""
    line, frame = None, error.__traceback__
    while frame:
        if frame.tb_frame.f_globals.get("__name__") == READER:
            line = frame.tb_lineno
        frame = frame.tb_next
    if line is not None:
        where = reader_line(line, reader_lines[line - 1] if line <= len(reader_lines) else "")
    message = message_of(error)
    if message.startswith(("这里没有 torch.", "这里没有 course_lib.")):
        raise NotHere(f"{where}停下了：{message}")
    return raised(error, where)
