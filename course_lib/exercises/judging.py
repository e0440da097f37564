"""判断一个答案：与对的比，认出是哪一种错，说出它的提示。"""

import copy
import inspect
from functools import cached_property

from .comparing import brief, has_nan, kind, mismatch, same, settle
from .exercise import Exercise, Symptom
from .running import Raised, call, sandbox, takes

UNFINISHED = "○ 还没有写完：把 ... 换成你的答案，再运行一次。"


def judge(exercise: Exercise, answer: object) -> str:
    """✓ 开头是答对，✗ 是答错，○ 是还没有写完；检查自己出了错就原样抛出。"""
    with sandbox():
        return Trial(exercise).verdict(answer)


def unfinished(answer: object) -> bool:
    """还没有写，或者字典里还有几项留着 `...`。"""
    values = answer.values() if isinstance(answer, dict) else [answer]
    return answer is None or any(value is ... for value in values)


class Trial:
    """一道练习的数据与对的结果，拿来试各种答案；随机数不动，要在 `sandbox` 里用。"""

    def __init__(self, exercise: Exercise):
        self.exercise = exercise
        self.cases = exercise.inputs()
        self.raw = [settle(self._answer(exercise.right, case)) for case in copy.deepcopy(self.cases)]
        for raw in self.raw:
            if isinstance(raw, Raised):
                raise RuntimeError(f"{exercise.name} 的 right 出错了：{raw.sentence}")
        self.right = self.outcomes(exercise.right)

    def _answer(self, answer: object, case: tuple) -> object:
        return answer if self.exercise.cases is None else call(answer, case)

    def outcomes(self, answer: object) -> list:
        """`answer` 在每组数据上的结果：一个值，没有结果是 None，出错是 `Raised`。"""
        results = []
        for case, right in zip(copy.deepcopy(self.cases), self.raw, strict=True):
            raw = self._answer(answer, case)
            result = settle(raw, like=right)
            if self.exercise.observe and mismatch(result, right) is None:
                result = settle(self.exercise.observe(raw, *case))
            results.append(result)
        return results

    @cached_property
    def known(self) -> list[tuple[str, object, list]]:
        """（提示，错答，它的结果），一种错答一项。"""
        ways = self.exercise.wrong_ways()
        return [
            (hint, way, self.outcomes(way.example if isinstance(way, Symptom) else way)) for hint, way in ways
        ]

    def verdict(self, answer: object) -> str:
        exercise = self.exercise
        if unfinished(answer):
            return UNFINISHED
        if exercise.cases and not callable(answer):
            return f"✗ 还不对：这一题要交一个函数，收到的却是{kind(answer)}。"
        if exercise.cases and not takes(answer, self.cases[0]):
            names = "、".join(inspect.signature(exercise.right).parameters)
            return f"✗ 还不对：函数应当收 {len(self.cases[0])} 个参数{names and f'（{names}）'}，你的收不下。"
        results = self.outcomes(answer)
        if all(result is None for result in results):
            return UNFINISHED
        for i, result in enumerate(results):
            if not self.accepted(i, result):
                return f"✗ 还不对：{self.fault(i, results)}"
        return f"✓ 正确。{exercise.praise}"

    def accepted(self, i: int, result: object) -> bool:
        exercise, right = self.exercise, self.right[i]
        if exercise.accepts is None:
            return same(result, right, exercise.atol)
        formed = mismatch(result, right) is None and not has_nan(result)
        return formed and bool(exercise.accepts(result, *copy.deepcopy(self.cases[i])))

    def fault(self, i: int, results: list) -> str:
        """第 i 组数据上头一回不对，错在哪里。"""
        result, right = results[i], self.right[i]
        hint = self.recognised(i, results)
        if hint is not None:
            return f"{self.asked(i, result)}{hint}"
        if result is None:
            return f"{self.asked(i)}没有返回值，是不是有一条路没有写 return？"
        if isinstance(result, Raised):
            return f"{self.asked(i)}{result.sentence}"
        # 先看与由它得到的东西比，再看它本身：形状不对的结果没有经过 observe
        where = "答案" if self.exercise.cases is None else "结果"
        ill_formed = mismatch(result, right) and mismatch(result, self.raw[i], where)
        if ill_formed:
            return f"{self.asked(i)}{ill_formed}"
        if has_nan(result) and not has_nan(right):
            return f"{self.asked(i)}结果里有 NaN：多半是 0 ÷ 0，或者有的行整行都是 -∞。"
        return f"{self.asked(i, result, right)}{self.exercise.hint_otherwise(i)}"

    def recognised(self, i: int, results: list) -> str | None:
        """是哪一种已知的错：第 i 组数据上结果相同的，取在最多组数据上相同的；都不同再看症状。"""
        atol = self.exercise.atol

        def agreement(outcomes):
            return sum(same(*pair, atol) for pair in zip(results, outcomes, strict=True))

        equal = [(hint, agreement(out)) for hint, _, out in self.known if same(results[i], out[i], atol)]
        if equal:
            return max(equal, key=lambda pair: pair[1])[0]
        for hint, way, outcomes in self.known:
            alike = isinstance(way, Symptom) and mismatch(results[i], outcomes[i]) is None
            if alike and way.shows(results[i], *copy.deepcopy(self.cases[i])):
                return hint
        return None

    def asked(self, i: int, result: object = None, right: object = None) -> str:
        """“n=9、window=3 时得到 4，应当是 8：”；只写各组数据里不同的、写得下的参数。"""
        if self.exercise.cases is None:
            return ""
        names = list(inspect.signature(self.exercise.right).parameters)
        columns = zip(*self.cases, strict=True)
        said = [
            f"{name}={brief(column[i])}"
            for name, column in zip(names, columns, strict=True)
            if brief(column[i]) and len(set(map(brief, column))) > 1
        ]
        when, got = f"{'、'.join(said)} 时" if said else "", None if result is None else brief(result)
        if got is None:
            return when and f"{when}，"
        return f"{when}得到 {got}{'' if right is None else f'，应当是 {brief(right)}'}："
