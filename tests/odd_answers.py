"""读者可能交来的各种东西，一种一份，写成读者的代码；`answer` 是交上去的。三处都用：CPython 里、CPython 里的网页、浏览器里。"""

import linecache
import math

import torch

ODD = {
    "没写": "def answer(*args): ...",
    "只有 pass": "def answer(*args):\n    pass",
    "没写完": "def answer(*args):\n    raise NotImplementedError",
    "None": "answer = None",
    "...": "answer = ...",
    "有一项没填的字典": "answer = {'a': ..., 'b': 1}",
    "数": "answer = -7",
    "小数": "answer = 0.125",
    "字符串": "answer = '三'",
    "布尔值": "answer = True",
    "张量": "answer = torch.zeros(2)",
    "列表": "answer = [1, 2]",
    "元组": "answer = ()",
    "字典": "answer = {'a': 1}",
    "模块": "answer = math",
    "类": "class Empty:\n    pass\n\n\nanswer = Empty",
    "对象": "class Empty:\n    pass\n\n\nanswer = Empty()",
    "可以调用的对象": "class Answer:\n    def __call__(self, *args):\n        return 1\n\n\nanswer = Answer()",
    "方法": "class Answer:\n    def go(self, only):\n        return 1\n\n\nanswer = Answer().go",
    "内置函数": "answer = len",
    "参数太少的函数": "answer = lambda: 1",
    "参数太多的函数": "answer = lambda a, b, c, d, e, f, g, h, i: 1",
    "有默认值的函数": "def answer(a=1, b=2, c=3, d=4, e=5, f=6, g=7, h=8):\n    return 1",
    "只收关键字的函数": "def answer(*args, mode):\n    return 1",
    "关键字有默认值的函数": "def answer(*args, mode=1, **rest):\n    return mode",
    "返回 None": "def answer(*args):\n    print\n    return None",
    "返回 ...": "def answer(*args):\n    return ...",
    "返回字符串": "def answer(*args):\n    return '三'",
    "返回函数": "def answer(*args):\n    return answer",
    "返回列表": "def answer(*args):\n    return [1, 2]",
    "返回很多层": "def answer(*args):\n    return [[(1,)]]",
    "返回一个数的张量": "def answer(*args):\n    return torch.tensor(3.0)",
    "返回 NaN": "def answer(*args):\n    return math.nan",
    "返回无穷大": "def answer(*args):\n    return float('inf')",
    "返回参数": "def answer(*args):\n    return args[0] if args else 0",
    "改了参数": "def answer(*args):\n    for arg in args:\n        if isinstance(arg, torch.Tensor):\n            arg[...] = 1\n    return 1",
    "返回生成器": "def answer(*args):\n    yield 1",
    "没有这个键": "def answer(*args):\n    x = {}\n\n    return x['q']  # 查一查",
    "除以 0": "def answer(*args):\n    return 1 / 0",
    "没有这个名字": "def answer(*args):\n    return nothing + 1",
    "下标越界": "def answer(*args):\n    return [1, 2][5]",
    "没有这个属性": "def answer(*args):\n    return (3).shape",
    "类型不合": "def answer(*args):\n    return 'a' + 1",
    "值不合": "def answer(*args):\n    return int('三')",
    "别的错": "def answer(*args):\n    assert False, '不会到这里'",
    "自己的错": "class Mine(Exception):\n    pass\n\n\ndef answer(*args):\n    raise Mine('哎\\n呀')",
    "里层的错": "def inner(x):\n    return x / 0\n\n\ndef answer(*args):\n    return inner(1)",
    "库里的错": "def answer(*args):\n    return math.sqrt(-1)",
}


def by_reader(code, name="<读者的一格>"):
    """像笔记本那样运行读者的代码，源码在 linecache 里，行号从这一格数起；返回 `answer`。"""
    linecache.cache[name] = (len(code), None, code.splitlines(True), name)
    scope = {"torch": torch, "math": math, "F": torch.nn.functional}
    exec(compile(code, name, "exec"), scope)
    return scope["answer"]


def changed(right):
    """对的结果，样子改过：一个改法一个结果。"""

    def each(value, change):
        return tuple(each(part, change) for part in value) if isinstance(value, tuple) else change(value)

    return {what: each(right, change) for what, change in CHANGES.items()}


def no_number(value):
    return torch.full_like(value, math.nan, dtype=torch.float) if torch.is_tensor(value) else math.nan


def other_type(value):
    if not torch.is_tensor(value):
        return str(value).encode()
    return value.float() if value.dtype == torch.bool else value.bool()


CHANGES = {
    "全是 NaN": no_number,
    "类型不对": other_type,
    "多一维": lambda value: value[None] if torch.is_tensor(value) else [value, value],
    "列表而不是张量": lambda value: value.tolist() if torch.is_tensor(value) else [value],
    "张量而不是数": lambda value: value if torch.is_tensor(value) else torch.tensor(1.5),
    "双精度": lambda value: value.double() if torch.is_tensor(value) else 1.5,
    "整数而不是小数": lambda value: value.long() if torch.is_tensor(value) else value,
}
