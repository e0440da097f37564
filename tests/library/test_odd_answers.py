"""什么答案都有一句话：读者交来的再怪，也是 ✗ 或者 ○，从不说成检查自己的毛病。"""

import contextlib
import io
import re

import pytest
import torch
from odd_answers import ODD, by_reader

from course_lib.exercises import EXERCISES, check
from course_lib.exercises.computed import Computed
from course_lib.exercises.running import sandbox

pytestmark = pytest.mark.guards("course_lib/exercises")

RAISES = """
class Trap:
    def no(self, *args):
        raise Boom
    {names} = no
class Boom(Exception):
    __str__ = __repr__ = lambda self: 1 / 0
"""
QUIETLY = "import warnings\nwith warnings.catch_warnings(action='ignore'):\n"
DUNDERS = (
    "__eq__ __hash__ __len__ __bool__ __iter__ __getitem__ __getattr__ __float__ __int__ __repr__ __str__"
)


def trap(base, *names):
    """一个类，问它什么它都抛出异常，连异常也说不出话。"""
    return RAISES.replace("Trap:", f"Trap({base}):").format(names=" = ".join(names or DUNDERS.split()))


# 怪的值：交一个值的题，交它；要函数的题，函数返回它
VALUES = {
    "极大的整数": "value = 10**400",
    "大得写不成十进制的整数": "value = -(10**5000)",
    "极大的整数，在列表里": "value = [10**5000, 10**400]",
    "极大的整数，作字典的键": "value = {10**5000: 10**5000}",
    "无穷大与 NaN": "value = [float('inf'), float('nan'), complex('nan')]",
    "NaN 作字典的键": "value = {float('nan'): 1}",
    "装着自己的列表": "value = []\nvalue.append(value)",
    "装着自己的字典": "value = {}\nvalue['a'] = value",
    "十万层的元组": "value = ()\nfor _ in range(100_000):\n    value = (value,)",
    "一千万字的字符串": "value = '长' * 10_000_000",
    "半个字符": "value = '\\ud800'",
    "字节": "value = b'\\xff'",
    "集合": "value = {1, frozenset([2])}",
    "没有尽头的生成器": "import itertools\nvalue = itertools.count()",
    "range": "value = range(10**15)",
    "object": "value = object()",
    "枚举的一项": "import enum\nvalue = enum.IntEnum('Colour', 'RED').RED",
    "有数据的类的对象": "import dataclasses\n@dataclasses.dataclass\nclass Pair:\n    a: int\nvalue = Pair(1)",
    "异常": "value = ValueError('三')",
    "模块": "value = torch",
    "类": "value = int",
    "泛型": "value = list[int]",
    "没有实现": "value = NotImplemented",
    "还没有换的一项": "value = {'a': ...}",
    "问什么都抛出异常的对象": trap("object") + "value = Trap()",
    "问什么都抛出异常的列表": trap("list") + "value = Trap([1])",
    "问什么都抛出异常的字典": trap("dict", "items", "values", "keys", "get", "__len__") + "value = Trap(a=1)",
    "问什么都抛出异常的整数": trap("int") + "value = Trap(3)",
    "问什么都抛出异常的小数": trap("float") + "value = Trap(3)",
    "问什么都抛出异常的字符串": trap("str") + "value = Trap('a')",
    "问什么都抛出异常的键": trap("object", "__eq__", "__repr__") + "Trap.__hash__ = lambda self: hash('a')\nvalue = {Trap(): 1}",
    "不说自己是什么的对象": trap("object", "__getattr__", "__class__ = property(no) #") + "value = Trap()",
    "冒充列表的对象": "class Liar:\n    __class__ = list\nvalue = Liar()",
    "没有数据的张量": "value = torch.empty(2, 3, device='meta')",
    "十亿项的张量": "value = torch.zeros(1).expand(10**9)",
    "没有一项的张量": "value = torch.zeros(0, 10**9)",
    "稀疏张量": "value = torch.eye(3).to_sparse()",
    "量化的张量": "value = torch.quantize_per_tensor(torch.ones(3), 0.1, 0, torch.quint8)",
    "复数张量": "value = torch.ones(3, dtype=torch.complex64).conj()",
    "要梯度的张量": "value = torch.nn.Parameter(torch.ones(3))",
    "八位小数的张量": "value = torch.ones(3).to(torch.float8_e4m3fn)",
    "长短不一的张量": QUIETLY + "    value = torch.nested.nested_tensor([torch.ones(2), torch.ones(3)])",
    "问什么都抛出异常的张量": "class Trap(torch.Tensor):\n    @classmethod\n    def __torch_function__(cls, *args, **kwargs):\n        raise KeyError\nvalue = torch.ones(3).as_subclass(Trap)",
    "装着对象的数组": "import numpy as np\nvalue = np.array([object(), 'a', 10**5000], dtype=object)",
    "有遮盖的数组": "import numpy as np\nvalue = np.ma.masked_array([1, 2], [True, False])",
    "日期的数组": "import numpy as np\nvalue = np.array(['2026-01-01'], dtype='datetime64')",
    "NumPy 的一个复数": "import numpy as np\nvalue = np.complex64(1j)",
}  # fmt: skip

FUNCTIONS = {
    "返回自己": "def answer(*args):\n    return answer",
    "一层层往里调用": "def answer(*args):\n    return answer(*args)",
    "要结束程序": "import sys\ndef answer(*args):\n    sys.exit('再见')",
    "占满内存": "def answer(*args):\n    raise MemoryError",
    "一组异常": "def answer(*args):\n    raise ExceptionGroup('几个', [ValueError(1), KeyError(2)])",
    "说不出话的异常": trap("object") + "def answer(*args):\n    raise Boom",
    "话里有半个字符的异常": "def answer(*args):\n    raise ValueError('\\ud800')",
    "没有话可说的断言": "def answer(*args):\n    assert args is None",
    "不说收几个参数的函数": "class Answer:\n    @property\n    def __signature__(self):\n        raise KeyError\n    def __call__(self, *args):\n        return 1\nanswer = Answer()",
    "收几个参数是乱写的": "def answer(*args):\n    return 1\nanswer.__signature__ = 3",
    "改了递归的限度": "import sys\ndef answer(*args, before=sys.getrecursionlimit()):\n    sys.setrecursionlimit(10**6)\n    sys.setrecursionlimit(before)\n    return [[1]]",
    "换了默认的类型与设备": "def answer(*args):\n    with torch.device('meta'):\n        return torch.ones(2, 3)",
    "在推断的模式里算": "@torch.inference_mode()\ndef answer(*args):\n    return args[0] * 1 if args else torch.ones(2)",
    "已经是字典的函数": "class Answer(dict):\n    def __call__(self, *args):\n        return self\nanswer = Answer(a=1)",
    "异步的函数": "async def answer(*args):\n    return 1",
    "一边产生一边出错": "def answer(*args):\n    yield 1 / 0",
    "torch 的函数": "answer = torch.add",
    "装好的模块": "answer = torch.nn.ReLU()",
    "NumPy 数组": "import numpy\nanswer = numpy.zeros(3)",
    "只写好一半参数的函数": "import functools\nanswer = functools.partial(max, 1)",
}  # fmt: skip

# 名字 → 读者的代码，`answer` 是交上去的；网页里也有的，每道练习都在 test_page_judge.py 里另判一遍
ODDER = (
    ODD
    | {name: f"{code}\nanswer = value" for name, code in VALUES.items()}
    | {f"返回{name}": f"{code}\ndef answer(*args):\n    return value" for name, code in VALUES.items()}
    | FUNCTIONS
)


def kind(value):
    """结果的样子：同一个样子的题，检查走的是同样的路。"""
    if isinstance(value, torch.Tensor):
        return str(value.dtype)
    if isinstance(value, tuple | dict):
        parts = value.values() if isinstance(value, dict) else value
        return type(value).__name__, *sorted({str(kind(part)) for part in parts})
    return type(value).__name__


def of_each_kind():
    """一种样子一道题。"""
    found = {}
    for exercise in EXERCISES.values():
        with sandbox():
            right = Computed(exercise).raw[0]
        asks = exercise.cases is None, bool(exercise.accepts), bool(exercise.observe), kind(right)
        found.setdefault(asks, (exercise, right))
    return list(found.values())


@pytest.fixture(scope="module")
def kinds():
    kinds = of_each_kind()
    assert len(kinds) > 15
    return kinds


def said_of(name, answer):
    with contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO(), encoding="utf-8")) as out:
        check(name, answer)
    out.seek(0)
    return out.read()


# 读者看得懂的一句：没有写完，或者哪里不对
SENTENCE = re.compile(r"(○ 还没有写完|✗ 还不对：\d* ?[^\x00-\x7f]|✗ 还不对：\w+=).*\n")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("code", ODDER.values(), ids=ODDER)
def test_an_odd_answer_is_wrong_not_our_fault(kinds, code):
    answer = by_reader(code)
    for exercise, _ in kinds:
        said = said_of(exercise.name, answer)
        assert SENTENCE.fullmatch(said) and len(said) < 300, (exercise.name, said)


class Loud(torch.Tensor):
    """一用就抛出异常的张量。"""

    @classmethod
    def __torch_function__(cls, *args, **kwargs):
        raise KeyError


class Whole(int):
    __eq__ = __float__ = __abs__ = lambda *_: 1 / 0
    __hash__ = int.__hash__


class Decimal(float):
    __eq__ = __float__ = __abs__ = lambda *_: 1 / 0
    __hash__ = float.__hash__


# 形状与对的一样，里面却怪：张量怎样改，数怎样改
LIKE_RIGHT = {
    "没有数据": (lambda x: x.to("meta"), lambda n: 10**400),
    "稀疏": (lambda x: x.to_sparse(), lambda n: -(10**5000)),
    "复数": (lambda x: x * (1 + 0j), complex),
    "八位小数": (lambda x: x.to(torch.float8_e4m3fn), Whole),
    "无符号的整数": (lambda x: x.to(torch.uint16), Decimal),
    "一用就抛出异常": (lambda x: x.as_subclass(Loud), lambda n: torch.tensor(n).as_subclass(Loud)),
    "与数据断开的梯度": (
        lambda x: (x * 1.0).detach().requires_grad_(),
        lambda n: torch.tensor(n, device="meta"),
    ),
    "推断的模式": (torch.inference_mode()(lambda x: x * 1.0), lambda n: torch.tensor([[n]])),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("changes", LIKE_RIGHT.values(), ids=LIKE_RIGHT)
def test_a_result_like_the_right_one_is_judged(kinds, changes):
    def changed(value):
        if isinstance(value, tuple | list):
            return tuple(map(changed, value))
        if isinstance(value, dict):
            return {key: changed(item) for key, item in value.items()}
        change = changes[isinstance(value, int | float)]
        return change(value) if isinstance(value, torch.Tensor | int | float) else value

    for exercise, right in kinds:
        given = exercise.right
        answer = (
            changed(right) if exercise.cases is None else lambda *case, given=given: changed(given(*case))
        )
        said = said_of(exercise.name, answer)
        assert said.startswith("✓") or SENTENCE.fullmatch(said), (exercise.name, said)
