"""练习：每道题的折叠解答都能通过，典型的错答得到对路的提示，没写完不报错。"""

import contextlib
import copy
import dataclasses
import io
import random
import re

import numpy as np
import pytest
import torch
from odd_answers import by_reader

from chapters import CHAPTERS, cells, source
from course_lib.exercises import EXERCISES, check, exercise_names, verdict
from course_lib.exercises.comparing import same
from course_lib.exercises.computed import Computed, judge
from course_lib.exercises.exercise import Exercise, Symptom
from course_lib.exercises.running import Raised, sandbox
from tools.notebook_form import solutions

ASKED = re.compile(r'\bcheck\("([^"]+)"')


def asked_in(path):
    return [name for c in cells(path, "code") for name in ASKED.findall(source(c))]


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda p: p.stem)
class TestChapter:
    def test_asks_its_own_exercises_once(self, path):
        names = asked_in(path)
        assert names and len(set(names)) == len(names)
        assert {n.split(".")[0] for n in names} == {re.sub(r"^\d+_", "", path.stem)}

    def test_unfinished_cells_do_not_pass(self, path):
        """读者还没动手时，练习格应当说“还没有写完”，既不报错，也不算对。"""
        scope = {}
        for c in cells(path, "code"):
            if ASKED.search(source(c)):
                with contextlib.redirect_stdout(io.StringIO()) as out:
                    exec(preamble(path) + source(c), scope)
                assert out.getvalue().count("○ 还没有写完") == len(ASKED.findall(source(c))), c["id"]

    def test_folded_solutions_pass(self, path):
        scope, passed = {}, []
        for solution in solutions(path):
            with contextlib.redirect_stdout(io.StringIO()) as out:
                exec(preamble(path) + solution, scope)
            assert "✗" not in out.getvalue() and "○" not in out.getvalue(), f"{solution}\n{out.getvalue()}"
            passed += ASKED.findall(solution)
        assert passed == asked_in(path), "每道题都要有折叠的解答，次序相同，解答末尾调用 check"


def preamble(path):
    """章里练习之前的 import；解答只许依赖它们和解答自己。"""
    lines = [
        line
        for c in cells(path, "code")
        if c["id"] != "setup"
        for line in re.findall(
            r"(?m)^(?:import .+|from .+ import [^(\n]+|from .+ import \([^)]+\))$", source(c)
        )
    ]
    return "\n".join(lines) + "\n"


def test_every_check_is_asked_somewhere():
    assert sorted(name for path in CHAPTERS for name in asked_in(path)) == exercise_names()


@pytest.fixture(params=EXERCISES.values(), ids=EXERCISES)
def exercise(request):
    return request.param


class TestTable:
    """练习的表格说到做到：对的算对，每一种错答得到它自己的提示，别的错得到最后那一句。"""

    def test_right(self, exercise):
        assert judge(exercise, exercise.right) == f"✓ 正确。{exercise.praise}"

    def test_every_wrong_answer_draws_its_hint(self, exercise):
        assert exercise.wrong
        for hint, answer in exercise.wrong_ways():
            said = judge(exercise, answer.example if isinstance(answer, Symptom) else answer)
            assert said.startswith("✗ 还不对：") and said.endswith(hint), f"{hint}\n{said}"

    def test_wrong_answers_run(self, exercise):
        """处处出错的错答是表里写错了，与谁都对不上。"""
        with sandbox():
            for way in Computed(exercise).known:
                assert not all(isinstance(outcome, Raised) for outcome in way.outcomes), way.hint

    def test_any_other_mistake_draws_the_last_hint(self, exercise):
        with sandbox():
            right = Computed(exercise).raw
        if isinstance(exercise.otherwise, list):
            assert len(exercise.otherwise) == len(right)
        for i, value in enumerate(right):
            others = [wrong for wrong in disturbed(value) if not same(wrong, value, 0)]  # 全 0 的倒过来还是它
            said = [judge(exercise, only_wrong_at(i, wrong, right, exercise)) for wrong in others]
            assert exercise.accepts or all(line.startswith("✗ 还不对：") for line in said), said
            # 对错只有两种的题，错的那一种也许已经列在表里
            assert isinstance(value, bool) or any(
                line.endswith(hint_otherwise(exercise, i)) for line in said
            ), said

    def test_same_data_every_time(self, exercise):
        answer = only_wrong_at(0, 1e9, [0], exercise)
        assert judge(exercise, answer) == judge(exercise, only_wrong_at(0, 1e9, [0], exercise))
        with sandbox():
            first, second = (Computed(exercise).right for _ in range(2))
        assert all(same(a, b, 0) for a, b in zip(first, second, strict=True))


def hint_otherwise(exercise, i):
    return exercise.otherwise if isinstance(exercise.otherwise, str) else exercise.otherwise[i]


def only_wrong_at(i, wrong, right, exercise):
    """只在第 i 组数据上答 wrong、别处都对的答案。"""
    if exercise.cases is None:
        return wrong
    given = iter([*right[:i], wrong, *right[i + 1 :]])
    return lambda *args: copy.deepcopy(next(given, wrong))


def disturbed(value):
    """与对的结果同一个样子、数值却不同的几种结果。"""
    if isinstance(value, torch.Tensor) and value.dtype == torch.bool:
        index = torch.arange(value.numel()).view(value.shape)
        return [value ^ (index == 0), value ^ (index == 1), value ^ (index % 3 == 1)]
    if isinstance(value, torch.Tensor):
        return [value + 1 + torch.arange(value.numel()).view(value.shape), value.flip(-1), -value]
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int | float):
        return [-value - 1000, 0.5 - value]  # 无穷大加减多少还是它自己
    if isinstance(value, str):
        return [value + "乙", "乙"]
    if isinstance(value, dict):
        return [{**value, key: wrong} for key in value for wrong in disturbed(value[key])]
    assert isinstance(value, tuple), value
    alone = [(*value[:i], wrong, *value[i + 1 :]) for i in range(len(value)) for wrong in disturbed(value[i])]
    return alone or [(1,)]


def test_random_state_is_untouched_by_answers_that_use_it():
    torch.manual_seed(5)
    np.random.seed(5)
    random.seed(5)
    expected = torch.rand(1), np.random.rand(), random.random()
    torch.manual_seed(5)
    np.random.seed(5)
    random.seed(5)

    def answer(q, keys, values):
        torch.manual_seed(0)
        return torch.rand(3) * np.random.rand() * random.random()

    said = verdict("scaled_dot_product_attention.one-query", answer)
    assert (torch.rand(1), np.random.rand(), random.random()) == expected
    assert said == verdict("scaled_dot_product_attention.one-query", answer)


def test_a_readers_mistake_is_shown_with_its_line():
    said = verdict(
        "scaled_dot_product_attention.one-query",
        by_reader("def answer(q, keys, values):\n    scores = keys @ q\n    return scores @ keys.T\n"),
    )
    assert said.startswith(
        "✗ 还不对：你的答案运行到第 3 行 return scores @ keys.T 出错了，张量的形状或类型不合（RuntimeError："
    )


def test_a_mistake_inside_a_library_is_shown_at_the_readers_line():
    """异常抛自 torch 深处，或者抛自练习交给读者的函数，都算在读者调用它的那一行。"""
    exercise = Exercise(
        "for.test",
        cases=lambda rng: [(torch.nn.Linear(4, 4), rng.randn(2, 4))],
        right=lambda layer, x: layer(x).detach(),
        wrong={},
        otherwise="",
        praise="",
    )
    said = judge(exercise, by_reader("def answer(layer, x):\n\n    return layer(x.T)\n"))
    assert said.startswith("✗ 还不对：你的答案运行到第 3 行 return layer(x.T) 出错了"), said


def test_a_fault_of_the_check_is_never_the_readers(monkeypatch):
    def broken(got, *args):
        raise KeyError("w")

    name = "scaled_dot_product_attention.aim"
    exercise = dataclasses.replace(EXERCISES[name], accepts=broken)
    with pytest.raises(KeyError):
        judge(exercise, exercise.right)
    monkeypatch.setitem(EXERCISES, name, exercise)
    said = verdict(name, exercise.right)
    assert said.startswith(f"⚠ 练习 {name} 的检查自己出了错，与你的答案无关") and "\n" not in said
    with pytest.raises(RuntimeError, match="right"):
        judge(dataclasses.replace(exercise, right=broken), exercise.right)


def test_the_wrong_answer_that_agrees_most_gives_the_hint():
    """第一处不对的地方两种错答撞在一起时，看别处哪一种也与读者相同。"""
    said = verdict("why_transformer.conv-layers", lambda n, window: -(-(n - 1) // (window - 1)))
    assert "居中" in said
    exercise = Exercise(
        "for.test",
        cases=lambda rng: [(2,), (3,)],
        right=lambda n: n,
        wrong={"平方": lambda n: n * n, "加倍": lambda n: 2 * n},
        otherwise="别的",
        praise="",
    )
    assert judge(exercise, lambda n: n + n).endswith("加倍")
    assert judge(exercise, lambda n: n**2).endswith("平方")
    assert judge(exercise, lambda n: 5) == "✗ 还不对：n=2 时得到 5，应当是 2：别的"


def test_a_forgotten_return_is_not_an_unfinished_answer():
    said = verdict("why_transformer.serial-steps", lambda kind, n, layers: n if kind == "rnn" else None)
    assert said == "✗ 还不对：kind='attention'、num_layers=1 时，没有返回值，是不是有一条路没有写 return？"


def test_answers_may_change_their_input_in_place():
    def in_place(q, keys, values):
        scores = keys.mul_(q).sum(dim=1).div_(2)
        return values.mul_(scores.softmax(dim=0)[:, None]).sum(dim=0)

    assert verdict("scaled_dot_product_attention.one-query", in_place).startswith("✓")


def test_unknown_exercise():
    with pytest.raises(ValueError, match="没有名叫"):
        check("nothing.here", 1)
