"""网页里的练习判得与 `course_lib.exercises` 一样：同样的答案，同一句话，一字不差。

网页的那几个 Python 文件在 CPython 里运行，torch 换成 live/python/tensor.py（见 tests/page_python.py）；
浏览器里再试一遍的，在 tests/browser/ 里。
"""

import linecache
import math
import re

import pytest
import torch
from page_python import PagePython

from course_book.after_writing.as_source import NotCarried
from course_book.after_writing.live_exercises import data_files, in_the_page, judge_text, not_in_the_page
from course_book.doctree import taiwan_chinese
from course_lib.exercises import EXERCISES, raised, running, verdict
from course_lib.exercises.computed import Computed
from course_lib.exercises.exercise import Symptom
from course_lib.exercises.judging import UNFINISHED

PAGE = PagePython()
FACTS, RUNNING = PAGE["exercises.facts"], PAGE["exercises.running"]
NAMES = list(in_the_page())

# 读者可能交来的各种东西，写成读者的代码；`answer` 是交上去的
CODES = {
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


def takes_one(name):
    cases = EXERCISES[name].cases and EXERCISES[name].inputs()
    return not cases or len(cases[0]) == 1


# 两边说得不一样的，与为什么；哪一条不再不同，也要从这里去掉
DIFFERENT = {
    (name, "内置函数"): "不是用 Python 写的函数，网页里看不出它收几个参数，要调用了才知道"
    for name in NAMES
    if not takes_one(name)
}


def by_reader(code):
    """像笔记本那样运行读者的代码，源码在 linecache 里。"""
    name = "<读者的一格>"
    linecache.cache[name] = (len(code), None, code.splitlines(True), name)
    scope = {"torch": torch, "math": math, "F": torch.nn.functional}
    exec(compile(code, name, "exec"), scope)
    return scope["answer"]


def recorded(exercise, results):
    """不管收下什么，依次交出这些结果。"""
    if exercise.cases is None:
        return PAGE.value(results[0])
    results = iter([r if isinstance(r, running.Raised) else PAGE.value(r) for r in results])
    return lambda *args: next(results)


def in_page(name, answer):
    return FACTS.verdict(in_the_page()[name], answer)


def way_in_page(name, way):
    """一种写在表里的答案在网页里的结论：能照原样运行就运行，不能就交出 torch 算得的结果。"""
    try:
        said = in_page(name, PAGE.value(way))
        if "到 Jupyter 里用 torch" not in said:
            return said
    except NotCarried:
        pass
    with running.sandbox():
        results = Computed(EXERCISES[name]).raw_outcomes(way)
    return in_page(name, recorded(EXERCISES[name], results))


def changed(name):
    """对的结果，样子改过：一个改法一个结果。"""
    exercise = EXERCISES[name]
    with running.sandbox():
        right = Computed(exercise).raw[0]

    def each(value, change):
        return tuple(each(part, change) for part in value) if isinstance(value, tuple) else change(value)

    def no_number(value):
        return torch.full_like(value, math.nan, dtype=torch.float) if torch.is_tensor(value) else math.nan

    def other_type(value):
        if not torch.is_tensor(value):
            return str(value).encode()
        return value.float() if value.dtype == torch.bool else value.bool()

    changes = {
        "全是 NaN": no_number,
        "类型不对": other_type,
        "多一维": lambda value: value[None] if torch.is_tensor(value) else [value, value],
        "列表而不是张量": lambda value: value.tolist() if torch.is_tensor(value) else [value],
        "张量而不是数": lambda value: value if torch.is_tensor(value) else torch.tensor(1.5),
        "双精度": lambda value: value.double() if torch.is_tensor(value) else 1.5,
        "整数而不是小数": lambda value: value.long() if torch.is_tensor(value) else value,
    }
    return {what: each(right, change) for what, change in changes.items()}


def answers(name):
    """（哪一种，torch 判的是什么，网页里怎样判）。"""
    exercise, data = EXERCISES[name], in_the_page()[name]
    yield "对的", exercise.right, lambda: way_in_page(name, exercise.right)
    for hint, way in exercise.wrong_ways():
        way = way.example if isinstance(way, Symptom) else way
        yield hint, way, lambda way=way: way_in_page(name, way)
    for what, value in changed(name).items():
        given = value if exercise.cases is None else lambda *args, value=value: value
        results = [value] * len(exercise.inputs())
        yield what, given, lambda results=results: in_page(name, recorded(exercise, results))
    for what, code in CODES.items():
        run = lambda code=code: RUNNING.run(code, data["given"])["answer"]  # noqa: E731
        yield what, by_reader(code), lambda run=run: in_page(name, run())


@pytest.mark.parametrize("name", NAMES)
def test_the_page_says_the_same(name):
    different = {what for what, answer, page in answers(name) if verdict(name, answer) != page()}
    assert different == {what for exercise, what in DIFFERENT if exercise == name}


@pytest.mark.parametrize("name", NAMES)
def test_what_the_chapter_shows_is_judged(name):
    """参考解答算对，没写的练习格算没写完；两者都只用 `given` 与网页里有的。"""
    data, said = in_the_page()[name], []
    for code in (data["solution"], data["skeleton"]):
        names = RUNNING.run(code, data["given"])
        said.append(in_page(name, names[data["answer"]]))
    assert said == [f"✓ 正确。{EXERCISES[name].praise}", UNFINISHED]


# 由 torch 抛出的错，网页里说的是 tensor.py 自己的话，括号以外一样
ERRORS_OF_TORCH = [
    "torch.zeros(2, 3) @ torch.zeros(2, 3)",
    "torch.zeros(2, 3) + torch.zeros(2, 4)",
    "torch.zeros(2, 3)[5]",
    "torch.zeros(2, 3).reshape(4, 2)",
    "1 if torch.zeros(2) else 0",
    "int(torch.zeros(2))",
    "torch.zeros(2, 3).sum(dim=7)",
    "torch.cat([torch.zeros(2), torch.zeros(1, 1)])",
    "torch.zeros(2).view('三')",
]


@pytest.mark.parametrize("code", ERRORS_OF_TORCH)
def test_errors_of_torch_differ_in_the_brackets_alone(code):
    name, code = "scaled_dot_product_attention.one-query", f"def answer(q, keys, values):\n    return {code}"
    said = verdict(name, by_reader(code)), in_page(name, RUNNING.run(code, "import torch")["answer"])
    ours, theirs = (re.fullmatch(r"(.*你的答案运行到第 2 行 .* 出错了，.*（\w+)：.*）。", s)[1] for s in said)
    assert ours == theirs


def test_what_the_page_lacks_is_not_called_wrong():
    name = "feed_forward.swiglu-width"
    code = "def answer(d_model, d_ff):\n    return torch.fft.rfft(d_ff)"
    said = in_page(name, RUNNING.run(code, "import torch")["answer"])
    assert said == (
        "⚠ 你的答案运行到第 2 行 return torch.fft.rfft(d_ff) 停下了：这里没有 torch.fft，到 Jupyter 里用 torch。"
    )


def test_few_exercises_are_left_out():
    assert not_in_the_page() == {
        "attention_masks.masked-weights": "要算梯度",
        "positional_encoding.is-equivariant": "用到了 course_lib.exercises.positional_encoding.Draw",
    }


def test_the_data_are_small_and_the_same_every_time():
    assert max(len(content) for _, content in data_files()) < 60_000
    for name in NAMES[::10]:
        assert judge_text(name) == in_the_page()[name]["judge"]


@pytest.mark.parametrize("name", NAMES)
def test_all_that_is_said_can_be_said_in_the_other_book(name):
    said = []
    text = judge_text(name, lambda words: said.append(words) or "说")
    exercise = EXERCISES[name]
    assert {*exercise.wrong, exercise.praise} <= set(said) and not any(words in text for words in said)
    for words in said:
        assert not [*taiwan_chinese.undecided(words)], words


def test_both_runners_use_the_same_words():
    page = PAGE["exercises.raised"]
    assert page.PLAIN_WORDS == raised.PLAIN_WORDS and RUNNING.Raised is page.Raised


def test_brython_compares_as_python_does():
    x = PAGE["torch"].tensor([3.0, 1.0, 2.0])
    mended = PAGE.builtins
    assert [float(v) for v in mended["sorted"](x, reverse=True)] == [3, 2, 1]
    assert (mended["max"](x).item(), mended["min"](x).item()) == (3, 1)
    assert mended["max"](["a", "bb"], key=len) == "bb" and mended["max"]([], default=0) == 0
    assert mended["divmod"](x, 2)[0].tolist() == [1, 0, 1] and mended["divmod"](7, 2) == (3, 1)
