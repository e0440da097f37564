"""两个结果是不是一样，不一样在哪里：张量、数、字符串、列表、字典都照同一套规矩比。

网页里的练习用的也是这个文件，那里的 torch 是 live/python/tensor.py，所以这里只用它有的。
"""

import math

import torch
from torch import Tensor

from .running import Raised, plain

NUMBER = (int, float)
SEQUENCE = (list, tuple)
DEEPEST = 20  # 再往里的不看：装着自己的列表没有尽头
MOST = 10**6  # 项数更多的张量不变成列表
LARGEST = 1.7e308  # 更大的整数变不成小数，写成十进制也太长
TENSORS = ("布尔张量", "整数张量", "小数张量", "复数张量")
KINDS = {
    bool: " True 或 False",
    int: "一个数",
    float: "一个数",
    str: "字符串",
    list: "列表或元组",
    tuple: "列表或元组",
    dict: "字典",
    type(None): " None",
}


def settle(value: object, like: object = None, depth: int = DEEPEST) -> object:
    """把结果化成好比较的样子；`like` 是对的结果，它是数，一个数的张量就变成数，它是列表，张量就变成列表。"""
    if not depth:
        return ...
    value = plain(value)
    if isinstance(value, Tensor) and isinstance(like, NUMBER) and value.numel() == 1:
        return value.item()
    # NumPy 的数组也有 ndim 与 tolist
    if isinstance(like, SEQUENCE) and getattr(value, "ndim", 0) and hasattr(value, "tolist"):
        value = value.tolist() if math.prod(value.shape) <= MOST else value
    if isinstance(value, SEQUENCE):
        parts = like if isinstance(like, SEQUENCE) and len(like) == len(value) else [None] * len(value)
        return tuple(settle(item, part, depth - 1) for item, part in zip(value, parts, strict=True))
    if isinstance(value, dict):
        parts = like if isinstance(like, dict) else {}
        return {key: settle(item, parts.get(key), depth - 1) for key, item in value.items()}
    return value


def same(got: object, want: object, atol: float) -> bool:
    """两个结果相等，小数容许差 `atol`；NaN 与 NaN 算相等，整数可以当小数用，反过来不行。"""
    if isinstance(got, Tensor) and isinstance(want, Tensor):
        if got.shape != want.shape or _rank(got) > _rank(want):
            return False
        if str(want.dtype) in ("torch.float16", "torch.bfloat16"):
            atol = max(atol, 5e-3)  # 半精度本来就只有三位有效数字
        wide = torch.complex128 if want.is_complex() else torch.float64
        return torch.allclose(got.to(wide), want.to(wide), atol=atol, rtol=1e-5, equal_nan=True)
    if isinstance(got, SEQUENCE) and isinstance(want, SEQUENCE):
        return len(got) == len(want) and all(same(g, w, atol) for g, w in zip(got, want, strict=True))
    if isinstance(got, dict) and isinstance(want, dict):
        return got.keys() == want.keys() and all(same(got[key], want[key], atol) for key in want)
    if isinstance(got, NUMBER) and isinstance(want, NUMBER):
        if isinstance(got, int) and isinstance(want, int):
            return got == want and isinstance(got, bool) >= isinstance(want, bool)
        if abs(got) > LARGEST:
            return got == want
        relative = 1e-5 if isinstance(want, float) else 0  # 个数要分毫不差
        return math.isclose(got, want, rel_tol=relative, abs_tol=atol) or (got != got and want != want)
    # 别的类型的 == 可能给出张量，也可能抛出异常，不去碰它
    return isinstance(want, (str, set, Raised, type(None))) and type(got) is type(want) and got == want


def mismatch(got: object, want: object, where: str = "结果") -> str | None:
    """`got` 的类型、长度或形状就与 `want` 不同：说出差别的一句话；只是数值不同时是 None。"""
    if isinstance(got, SEQUENCE) and isinstance(want, SEQUENCE):
        if len(got) != len(want):
            return f"{where}应当有 {len(want)} 项，这里是 {len(got)} 项。"
        parts = (
            mismatch(g, w, f"{where}的第 {i + 1} 项") for i, (g, w) in enumerate(zip(got, want, strict=True))
        )
        return next(filter(None, parts), None)
    if isinstance(got, dict) and isinstance(want, dict):
        if got.keys() != want.keys():
            return f"{where}的键应当恰好是 {'、'.join(map(str, want))}，不多也不少。"
        return next(filter(None, (mismatch(got[k], want[k], f"{where}里 {k} 的值") for k in want)), None)
    if isinstance(got, Tensor) and isinstance(want, Tensor) and got.shape != want.shape:
        return f"{where}的形状应当是 {tuple(want.shape)}，这里是 {tuple(got.shape)}。"
    if kind(got) != kind(want) and (kind(got), kind(want)) != ("整数张量", "小数张量"):
        return f"{where}应当是{kind(want)}，收到的却是{kind(got)}。"
    return None


def kind(value: object) -> str:
    """值的类型，用读者认得的话说。"""
    if isinstance(value, Tensor):
        return TENSORS[_rank(value)]
    if isinstance(value, type):
        return f"一个类 {value.__name__}"
    return KINDS.get(type(value)) or ("函数" if callable(value) else f" {type(value).__name__}")


def _rank(tensor: Tensor) -> int:
    if tensor.is_complex() or tensor.is_floating_point():
        return 2 + tensor.is_complex()
    return int(tensor.dtype != torch.bool)


def has_nan(value: object) -> bool:
    if isinstance(value, dict):
        value = tuple(value.values())
    if isinstance(value, SEQUENCE):
        return any(map(has_nan, value))
    if isinstance(value, Tensor):
        return bool(value.isnan().any())
    return isinstance(value, float) and math.isnan(value)


def brief(value: object) -> str | None:
    """写得进一句话的值怎样写；张量、函数或太长的值写不进，是 None。"""
    if isinstance(value, SEQUENCE):
        parts = [brief(item) for item in value]
        said = None if None in parts else f"[{', '.join(parts)}]"
    elif isinstance(value, dict):
        parts = [f"{key!r}: {brief(item)}" for key, item in value.items() if brief(item)]
        said = f"{{{', '.join(parts)}}}" if len(parts) == len(value) else None
    elif isinstance(value, float):
        said = f"{value:.6g}"
    elif isinstance(value, int) and abs(value) > LARGEST:
        said = None
    else:
        said = repr(value) if isinstance(value, int | str | None) else None
    return said if said is not None and len(said) <= 60 else None
