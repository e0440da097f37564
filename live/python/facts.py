"""一道练习的 facts（有哪几样，见 course_lib/exercises/judging.py）：话与函数来自练习的表，张量成书时已由 torch 算好。

数据是 live_exercises.py 写的一段 Python，运行它就得到各样；张量写成 tensor(类型, 形状, 一串数)，
参数里有函数的，请表再造一次（again），随机数照成书时抽到的。
"""

import torch

from .exercise import Symptom
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


class Drawn:
    """随机数：不管要什么，依次给成书时抽到的。"""

    def __init__(self, tensors):
        self.tensors = iter(tensors)

    def __getattr__(self, name):
        return lambda *size: next(self.tensors).clone()


def exercise_of(name):
    """练习的表里的这一道。"""
    topic = f"course_lib.exercises.topics.{name.partition('.')[0]}"
    table = __import__(topic, fromlist=["EXERCISES"]).EXERCISES
    return next(exercise for exercise in table if exercise.name == name)


class Facts:
    def __init__(self, exercise, data):
        def again():
            return exercise.cases(Drawn(scope["drawn"]))

        scope = {"tensor": tensor, "record": record, "again": again, "Raised": Raised}
        exec(data, scope)
        for name in ("names", "fresh", "raw", "right"):
            setattr(self, name, scope[name])
        for name in ("accepts", "observe", "atol", "otherwise", "praise"):
            setattr(self, name, getattr(exercise, name))
        ways, self.known = exercise.wrong_ways(), []
        for i in range(len(ways)):
            hint, way = ways[i]
            shows = way.shows if isinstance(way, Symptom) else None
            self.known.append(Known(hint, scope["known"][i], shows))


def verdict(name, data, answer):
    """一道练习的那句结论；`data` 是它的数据，`answer` 是读者写的函数或算出的值。"""
    torch.manual_seed(0)
    try:
        return Judge(Facts(exercise_of(name), data)).verdict(answer)
    except NotHere as error:
        return f"⚠ {error}"
    except Exception as error:  # 检查自己的毛病不能算在读者头上
        return check_broke(name, error)
