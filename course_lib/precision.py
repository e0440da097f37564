"""半精度：进出可以是 16 位的 float16 或 bfloat16，里面的平方、乘积与累加用 float32，与 torch、Hugging Face 相同。"""

import torch
from torch import Tensor


def widen(x: Tensor) -> Tensor:
    """半精度的（连同整数、布尔）换成 float32；float32 与 float64 原样。

    float16 最大只到 65504，300 的平方就装不下；两种半精度都只有三位左右的有效数字，加着加着就加不上去了。
    """
    return x if x.dtype in (torch.float32, torch.float64) else x.float()
