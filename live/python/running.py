"""网页里怎样运行读者的答案；与 course_lib/exercises/running.py 是同样的几样，这里没有 inspect 与 traceback，都自己来。"""

READER = "__main__"  # 读者的代码里 __name__ 是它
reader_lines = []  # 读者的代码，一行一项

# 常见的异常先用中文说一遍
PLAIN_WORDS = {
    ZeroDivisionError: "除以了 0",
    KeyError: "字典里没有这个键",
    IndexError: "下标越界",
    NameError: "用了没有定义的名字",
    AttributeError: "没有这个属性或方法",
    TypeError: "类型不合",
    ValueError: "值不合",
    RecursionError: "递归没有停下来",
    RuntimeError: "张量的形状或类型不合",
}


class Raised:
    """答案没有给出结果，而是抛出了异常。"""

    def __init__(self, error, message, sentence):
        self.error, self.message, self.sentence = error, message, sentence

    def __eq__(self, other):
        return (self.error, self.message) == (other.error, other.message)


class NotHere(Exception):
    """读者的代码用到了 tensor.py 里没有的：对不对，这里判断不了。"""


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
        text = reader_lines[line - 1].strip() if line <= len(reader_lines) else ""
        where = f"你的答案运行到第 {line} 行" + (f" {text} " if text else "")
    name, message = type(error).__name__, " ".join(str(error).split())
    if message.startswith("这里没有 torch."):
        raise NotHere(f"{where}停下了：{message}")
    words = next((said for kind, said in PLAIN_WORDS.items() if isinstance(error, kind)), "抛出了异常")
    details = f"{name}：{message[:120]}" if message else name
    return Raised(name, message, f"{where}出错了，{words}（{details}）。")
