"""写一道检查所需的几样东西：登记、运行读者的函数、比较、给提示。"""

import copy
from collections.abc import Callable

import torch
from torch import Tensor

CHECKS: dict[str, Callable[[object], str]] = {}


class WrongAnswer(Exception):
    """答案不对；异常的文字就是给读者的提示。"""


class Unfinished(Exception):
    """读者还没有动手：函数返回 None 或 `...`。"""


def register(name: str):
    """装饰器：把检查登记为 `name`；检查收下读者的答案，答对就返回一句话，答错就抛出 `WrongAnswer`。"""

    def add(check: Callable[[object], str]):
        CHECKS[name] = check
        return check

    return add


def run(answer: object, *args):
    """运行读者写的函数并返回结果；给它的是一份副本，就地修改也不影响检查。

    错误：答案不是函数时抛出 `WrongAnswer`，返回 None 或 `...` 时抛出 `Unfinished`。
    """
    if not callable(answer):
        raise WrongAnswer(f"这一题要交一个函数，收到的却是 {type(answer).__name__}。")
    result = answer(*copy.deepcopy(args))
    if result is None or result is ...:
        raise Unfinished
    return result


def require(condition: bool, hint: str) -> None:
    """条件不成立就抛出带着提示的 `WrongAnswer`。"""
    if not condition:
        raise WrongAnswer(hint)


def require_shape(tensor: object, shape: tuple[int, ...], name: str) -> None:
    """`tensor` 应当是这个形状的张量。"""
    require(isinstance(tensor, Tensor), f"{name}应当是张量，收到的却是 {type(tensor).__name__}。")
    require(tuple(tensor.shape) == shape, f"{name}的形状应当是 {shape}，这里是 {tuple(tensor.shape)}。")


def is_close(got: Tensor, expected: Tensor, atol: float = 1e-5) -> bool:
    """形状相同且逐元素之差不超过 `atol`。"""
    return got.shape == expected.shape and torch.allclose(got.float(), expected.float(), atol=atol, rtol=1e-5)
