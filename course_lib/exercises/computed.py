"""一道练习的 facts（见 `judging`），用 torch 当场算出。"""

import copy
import inspect
from functools import cached_property

from .comparing import settle
from .exercise import Exercise, Symptom
from .judging import Judge, Known, outcomes
from .running import Raised, call, sandbox


def judge(exercise: Exercise, answer: object) -> str:
    """✓ 开头是答对，✗ 是答错，○ 是还没有写完；检查自己出了错就原样抛出。"""
    with sandbox():
        return Judge(Computed(exercise)).verdict(answer)


class Computed:
    """随机数不动，要在 `sandbox` 里用。"""

    def __init__(self, exercise: Exercise):
        self.exercise = exercise
        self.accepts, self.observe, self.atol = exercise.accepts, exercise.observe, exercise.atol
        self.otherwise, self.praise = exercise.otherwise, exercise.praise
        self.names = None if exercise.cases is None else list(inspect.signature(exercise.right).parameters)
        self._cases = exercise.inputs()
        self.raw = self.raw_outcomes(exercise.right)
        for raw in self.raw:
            if isinstance(raw, Raised):
                raise RuntimeError(f"{exercise.name} 的 right 出错了：{raw.sentence}")
        self.right = outcomes(self, exercise.right)

    def fresh(self) -> list[tuple]:
        return copy.deepcopy(self._cases)

    def raw_outcomes(self, answer: object) -> list:
        """没有经过 `observe` 的结果。"""
        return [settle(answer if self.names is None else call(answer, case)) for case in self.fresh()]

    @cached_property
    def known(self) -> list[Known]:
        known = []
        for hint, way in self.exercise.wrong_ways():
            is_symptom = isinstance(way, Symptom)
            example = way.example if is_symptom else way
            known.append(Known(hint, outcomes(self, example), way.shows if is_symptom else None))
        return known
