"""训练出来的数：各章换几个种子各练一遍的记录，一章一份，在 records/ 里，由 `make bands` 重记。"""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from numpy.typing import ArrayLike

FOLDER = Path(__file__).with_name("records")


class Record:
    """一章的记录：`holds` 拿当场算出的与它比，`read` 读当场不练的。"""

    def __init__(self, chapter: str):
        """chapter，章名，不带序号，如 "vision_transformer"。"""
        path = FOLDER / f"{chapter}.json"
        self.runs = json.loads(path.read_text(encoding="utf-8"))["runs"] if path.is_file() else {}

    def holds(self, name: str, value: ArrayLike) -> np.ndarray:
        """value 应当落在记录的几个种子之间；两边各放宽最大与最小之差，至少 0.01：换一台机器，末几位就不同，训练会把它放大。

        参数：name，记录里的名字；value，当场算出的，一个数或一组数，各比各的。
        返回：（种子，…）各个种子的，第 0 个换成当场算出的。
        错误：不在里面时抛出 `AssertionError`；没有这个名字、形状不同、不是有限的数时抛出 `ValueError`。
        """
        now, rows = as_numbers(value), self.read(name)
        if now.shape != rows.shape[1:] or not np.isfinite(now).all():
            raise ValueError(f"“{name}”今天是 {now}，应当是形状 {rows.shape[1:]} 的有限的数。")
        low, high = rows.min(axis=0), rows.max(axis=0)
        margin = np.maximum(high - low, 0.01)
        if ((now < low - margin) | (now > high + margin)).any():
            raise AssertionError(
                f"“{name}”今天是 {now.round(3)}，记录的 {len(rows)} 个种子在 {low} 与 {high} 之间，"
                f"放宽 {margin.round(3)} 也不在里面：先查改坏了什么；本该变的，运行 make bands 重记，再改行文。"
            )
        rows[0] = now
        return rows

    def read(self, name: str, make: Callable[[], ArrayLike] | None = None) -> np.ndarray:
        """当场练太久的，读各个种子的记录；make 是重记时怎样练，返回一个数或一组数。"""
        if name not in self.runs:
            raise ValueError(f"记录里没有“{name}”：运行 make bands 重记这一章。")
        return np.array(self.runs[name]["seeds"])


def as_numbers(value: ArrayLike) -> np.ndarray:
    """一个数、张量，或一组这样的，变成双精度的数组。"""
    if isinstance(value, torch.Tensor):
        return value.detach().cpu().double().numpy()
    return np.array(value if np.isscalar(value) else [as_numbers(each) for each in value], dtype=float)
