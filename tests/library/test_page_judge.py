"""网页里的练习判得与 `course_lib.exercises` 一样：同样的答案，同一句话，一字不差。

网页的那几个 Python 文件在 CPython 里运行，torch 换成 live/python/tensor.py（见 tests/page_python.py）；
浏览器里再试一遍的，在 tests/browser/ 里。
"""

import math
import re

import pytest
from odd_answers import ODD, by_reader, changed
from page_python import PagePython, data_of, page_of, texts

from course_book.after_writing.live_exercises import data_files, in_the_page, written
from course_book.doctree import taiwan_chinese
from course_lib.exercises import EXERCISES, raised, running, verdict
from course_lib.exercises.computed import Computed
from course_lib.exercises.judging import UNFINISHED, Judge

pytestmark = pytest.mark.guards("course_lib/exercises", "live/python", "chapters/*.ipynb")

NAMES = in_the_page()
ELSEWHERE = "到 Jupyter 里用"


@pytest.fixture(scope="session")
def a_page():
    return PagePython("scaled_dot_product_attention")


def takes_one(name):
    cases = EXERCISES[name].cases and EXERCISES[name].inputs()
    return not cases or len(cases[0]) == 1


# 两边说得不一样的：不是用 Python 写的函数，网页里看不出它收几个参数，要调用了才知道
def different(name):
    return set() if takes_one(name) else {"内置函数"}


def given_back(name, results):
    """不管收下什么，依次交出这些由 torch 算得的结果。"""
    facts = page_of(name)["course_lib.exercises.facts"]
    tensors = {}
    said = f"[{', '.join('None' if isinstance(r, running.Raised) else written(r, tensors) for r in results)}]"
    scope = {"tensor": facts.tensor, "record": facts.record}
    exec("".join(f"{place} = {text}\n" for text, place in tensors.items()) + f"value = {said}", scope)
    values = [r if isinstance(r, running.Raised) else v for r, v in zip(results, scope["value"], strict=True)]
    if EXERCISES[name].cases is None:
        return values[0]
    values = iter(values)
    return lambda *args: next(values)


def ways(name):
    """（表里的第几种，torch 判的，网页里判的）。"""
    exercise, page = EXERCISES[name], page_of(name)
    ours = [exercise.right, *(getattr(way, "example", way) for _, way in exercise.wrong_ways())]
    for i, (way, in_page) in enumerate(zip(ours, page.ways(name), strict=True)):
        said = page.verdict(name, in_page)
        if ELSEWHERE in said:  # 用到了没有带进网页的，就交出 torch 算得的结果
            with running.sandbox():
                results = Computed(exercise).raw_outcomes(way)
            said = page.verdict(name, given_back(name, results))
        yield f"表里的第 {i} 种", verdict(name, way), said


def odd_ones(name):
    """（哪一种，torch 判的，网页里判的）；facts 两边各只算一次。"""
    exercise, page = EXERCISES[name], page_of(name)
    with running.sandbox():
        facts = Computed(exercise)
        ours, theirs = Judge(facts), page.judge(name)
        for what, value in changed(facts.raw[0]).items():
            given = value if exercise.cases is None else lambda *args, value=value: value
            results = [value] * len(exercise.inputs())
            yield what, ours.verdict(given), theirs.verdict(given_back(name, results))
        for what, code in ODD.items():
            yield what, ours.verdict(by_reader(code)), theirs.verdict(page.run(name, code)["answer"])


@pytest.mark.parametrize("name", NAMES)
def test_the_page_says_the_same(name):
    found = [*ways(name), *odd_ones(name)]
    assert {what for what, ours, in_page in found if ours != in_page} == different(name)


@pytest.mark.parametrize("name", NAMES)
def test_what_the_chapter_shows_is_judged_when_pasted_whole(name):
    """参考解答整格贴来，连同 import 与 check，算对；没写的练习格算没写完；两者都只用网页里有的。"""
    said = []
    for code in texts(name):
        names = page_of(name).run(name, code)
        said.append(page_of(name).verdict(name, eval(data_of(name)["answer"], names)))
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
def test_errors_of_torch_differ_in_the_brackets_alone(a_page, code):
    name, code = "scaled_dot_product_attention.one-query", f"def answer(q, keys, values):\n    return {code}"
    said = verdict(name, by_reader(code)), a_page.verdict(name, a_page.run(name, code)["answer"])
    ours, theirs = (re.fullmatch(r"(.*你的答案运行到第 2 行 .* 出错了，.*（\w+)：.*）。", s)[1] for s in said)
    assert ours == theirs


@pytest.mark.parametrize(
    "name, code, lacks",
    [
        (
            "feed_forward.swiglu-width",
            "return torch.fft.rfft(args[0])",
            "这里没有 torch.fft，到 Jupyter 里用 torch。",
        ),
        (
            "cls_classification.mean-pool",
            "return pool(*args)",
            "这里没有 course_lib.tasks.text_classifier.pool，到 Jupyter 里用。",
        ),
    ],
)
def test_what_the_page_lacks_is_not_called_wrong(name, code, lacks):
    head = "from course_lib.tasks.text_classifier import pool\n" if "pool" in code else "\n"
    names = page_of(name).run(name, f"{head}def answer(*args):\n    {code}")
    assert page_of(name).verdict(name, names["answer"]) == f"⚠ 你的答案运行到第 3 行 {code} 停下了：{lacks}"


def test_few_exercises_are_left_out():
    assert EXERCISES.keys() - set(NAMES) == {
        "attention_masks.masked-weights",
        "positional_encoding.is-equivariant",
    }


def test_the_data_are_small_and_all_that_is_said_can_be_said_in_the_other_book():
    for _, content in data_files():
        assert len(content) < 80_000
    for name in NAMES:
        exercise = EXERCISES[name]
        otherwise = [exercise.otherwise] if isinstance(exercise.otherwise, str) else exercise.otherwise
        for words in (*exercise.wrong, *otherwise, exercise.praise):
            assert not [*taiwan_chinese.undecided(words)], words


def test_both_runners_use_the_same_words(a_page):
    page = a_page["course_lib.exercises.raised"]
    assert page.PLAIN_WORDS == raised.PLAIN_WORDS
    assert a_page["course_lib.exercises.running"].Raised is page.Raised


def test_brython_compares_as_python_does(a_page):
    x = a_page["torch"].tensor([3.0, 1.0, 2.0])
    mended = a_page.builtins
    assert [float(v) for v in mended["sorted"](x, reverse=True)] == [3, 2, 1]
    assert (mended["max"](x).item(), mended["min"](x).item()) == (3, 1)
    assert mended["max"](["a", "bb"], key=len) == "bb" and mended["max"]([], default=0) == 0
    assert mended["divmod"](x, 2)[0].tolist() == [1, 0, 1] and mended["divmod"](7, 2) == (3, 1)
    assert math.isclose(mended["max"](0.1, 0.2), 0.2)
