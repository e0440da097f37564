"""一道练习写成数据：给答案的数据、对的答案、各种错答与它们的提示。"""

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import torch


class Random:
    """有自己的种子的随机数：`rng.randn(2, 3)` 就是 `torch.randn(2, 3)`，却不碰全局的随机状态。"""

    def __init__(self, name: str):
        self._generator = torch.Generator().manual_seed(zlib.crc32(name.encode()))

    def __getattr__(self, name: str):
        return partial(getattr(torch, name), generator=self._generator)


@dataclass(frozen=True)
class Symptom:
    """不必与 `example` 的结果相等就认得出的错处：形状与类型同它一样，而且 `shows(结果, *数据)` 为真。"""

    example: object
    shows: Callable[..., bool] = lambda *_: True


@dataclass(frozen=True)
class Exercise:
    """一道练习；怎样写，见 `course_lib.exercises` 开头的说明。"""

    name: str
    right: object
    wrong: dict[str, object]
    otherwise: str | list[str]
    praise: str
    cases: Callable[[Random], list[tuple]] | None = None
    accepts: Callable[..., bool] | None = None
    observe: Callable[..., object] | None = None
    atol: float = 1e-5

    def inputs(self) -> list[tuple]:
        """各组数据，每次都一样；要交一个值的练习只有空的一组。"""
        return [()] if self.cases is None else self.cases(Random(self.name))

    def wrong_ways(self) -> list[tuple[str, object]]:
        """（提示，错答）逐个列出；错答是函数、值，或者 `Symptom`。"""
        return [
            (hint, way)
            for hint, ways in self.wrong.items()
            for way in (ways if isinstance(ways, list) else [ways])
        ]
