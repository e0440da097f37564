"""从成书时写好的数据里读出一道练习的 facts；有哪几样，见 course_lib/exercises/judging.py。

数据是 as_source.py 写的一段 Python，运行它就得到各样；张量写成 tensor(类型, 形状, 一串数)。
"""

import torch

from .judging import Judge, Known, check_broke
from .running import NotHere, Raised


def record(kind, fields):
    """只有几个字段的对象，代替 course_lib 里的各种 Config。"""
    made = type(kind, (), {})()
    for name in fields:
        setattr(made, name, fields[name])
    return made


def tensor(dtype, shape, data):
    read = float if dtype.startswith("float") else int
    numbers = [x == "1" for x in data] if dtype == "bool" else [read(x) for x in data.split()]
    return torch.tensor(numbers, dtype=getattr(torch, dtype)).reshape(shape)


class Facts:
    def __init__(self, text):
        scope = {"tensor": tensor, "record": record, "Known": Known, "Raised": Raised}
        exec(text, scope)
        for name in (
            "names",
            "fresh",
            "raw",
            "right",
            "known",
            "accepts",
            "observe",
            "atol",
            "otherwise",
            "praise",
        ):
            setattr(self, name, scope[name])


def verdict(data, answer):
    """一道练习的那句结论；`data` 是它的数据，`answer` 是读者写的函数或算出的值。"""
    torch.manual_seed(0)
    try:
        return Judge(Facts(data["judge"])).verdict(answer)
    except NotHere as error:
        return f"⚠ {error}"
    except Exception as error:  # 检查自己的毛病不能算在读者头上
        return check_broke(data["name"], error)
