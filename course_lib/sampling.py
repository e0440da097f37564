"""挑下一个词元：取分数最高的，或者把分数整理过再抽签。

形状字母：B 批大小，N 已有的位置数，V 词表大小。
"""

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn

from .checks import check_integers, check_logits, check_sampling

# 挑出下一个词元：分数 (B, V) 与已有的编号 (B, N) → 编号 (B,)
Choose = Callable[[Tensor, Tensor], Tensor]


def most_likely(logits: Tensor, ids: Tensor) -> Tensor:
    """贪心，取分数最高的词元：logits (B, V) → (B,)；分数相同时取编号小的，ids 用不着。

    错误：分数里有 NaN、+∞，或者全是 -∞ 时抛出 `ValueError`。
    """
    check_logits(logits)
    return logits.argmax(dim=-1)


def sampler(
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    min_p: float | None = None,
    repetition_penalty: float = 1.0,
    generator: torch.Generator | None = None,
) -> Choose:
    """给出一个按概率抽签的 choose(logits, ids)：分数先经过 `penalize`，再经过 `narrow`。

    参数：generator，抽签所用的随机数发生器，给了它，同样的种子就抽出同样的结果；其余同 `penalize` 与 `narrow`。
    错误：参数越界时，或者抽签时分数里有 NaN、+∞，全是 -∞，抛出 `ValueError`。
    """
    check_sampling(temperature, top_k, top_p, min_p, repetition_penalty)

    def choose(logits: Tensor, ids: Tensor) -> Tensor:
        logits = narrow(penalize(logits, ids, repetition_penalty), temperature, top_k, top_p, min_p)
        check_logits(logits)
        place = generator.device if generator else logits.device  # 抽签要在发生器所在的设备上
        return torch.multinomial(logits.softmax(dim=-1).to(place), 1, generator=generator)[:, 0].to(
            logits.device
        )

    return choose


def penalize(logits: Tensor, ids: Tensor, penalty: float) -> Tensor:
    """重复惩罚：ids 里出现过的词元，分数为正就除以 penalty，为负就乘以 penalty，两种都变小。

    参数：logits (B, V)；ids (B, N)，负数不是词元，略过；penalty > 0，1 就是不罚，小于 1 就是鼓励。
    返回：同形状，logits 不变。错误：penalty 越界时抛出 `ValueError`；ids 不是 int64 或 int32 时抛出 `TypeError`。
    出处：Keskar et al., 2019, §4.1；论文一律用除的，负的分数除了反而变大，所以通行的做法改为乘。
    """
    check_sampling(repetition_penalty=penalty)
    if penalty == 1:
        return logits
    check_integers(ids)
    vocab = logits.size(-1)
    seen = torch.zeros(len(logits), vocab + 1, dtype=torch.bool, device=logits.device)
    seen = seen.scatter(-1, ids.where(ids >= 0, vocab), True)[:, :vocab]  # 负的都记在多出来的一格
    return logits.where(~seen, torch.where(logits > 0, logits / penalty, logits * penalty))


def narrow(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    min_p: float | None = None,
) -> Tensor:
    """抽样之前整理分数：除以温度，只留最高的 top_k 个，再从高到低留到概率之和达到 top_p 为止；
    min_p 去掉概率不到最大的 min_p 倍的，三样都满足的才留。

    参数：logits (..., V)；temperature > 0，越小越接近贪心；top_k ≥ 1；0 < top_p ≤ 1；0 < min_p ≤ 1；后三个不给就不限。
    返回：同形状，float32，去掉的位置是 -inf；至少留下一个，分数相同时先留编号小的。
    错误：参数越界时抛出 `ValueError`。
    出处：Fan et al., 2018（top-k）；Holtzman et al., 2020（top-p）；Nguyen et al., 2024（min-p）。
    """
    check_sampling(temperature, top_k, top_p, min_p)
    # 半精度里，分数除以很小的温度会上溢成无穷大，softmax 之后就是 NaN
    logits = logits.float() / temperature
    dropped = torch.zeros_like(logits, dtype=torch.bool)
    if top_k is not None or top_p is not None:  # 不要就不排序：词表大时，排一遍比别的几步加起来还慢
        dropped |= _beyond(logits, top_k, top_p)
    if min_p is not None:  # 概率之比就是分数之差的指数
        dropped |= logits < logits.amax(dim=-1, keepdim=True) + math.log(min_p)
    return logits.masked_fill(dropped, -torch.inf)


def _beyond(logits: Tensor, top_k: int | None, top_p: float | None) -> Tensor:
    """从高到低排，哪些在 top_k 个之后，或者在前面的概率之和已经达到 top_p 之后。"""
    ordered, order = logits.sort(dim=-1, descending=True, stable=True)
    dropped = torch.zeros_like(ordered, dtype=torch.bool)
    if top_k is not None:
        dropped[..., top_k:] = True
    if top_p is not None and top_p < 1:  # 等于 1 就是不限；累加的舍入误差却会去掉末尾的几个
        probabilities = ordered.masked_fill(dropped, -torch.inf).softmax(dim=-1)
        before = nn.functional.pad(probabilities.cumsum(dim=-1)[..., :-1], (1, 0))
        dropped |= before >= top_p
    return torch.zeros_like(dropped).scatter(-1, order, dropped)
