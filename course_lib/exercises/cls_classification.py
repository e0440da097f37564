"""《[CLS] 与分类》的练习。"""

import math

import torch

from ..tasks.text_classifier import pool
from .registry import is_close, register, require, require_shape, run


def _ragged():
    hidden = torch.randn(3, 5, 4) - 1.5  # 多半是负数，填充换成 0 之后反倒显得最大
    return hidden, (torch.arange(5) < torch.tensor([[5], [3], [1]])).long()


@register("cls_classification.mean-pool")
def mean_pool(answer):
    hidden, mask = _ragged()
    got = run(answer, hidden, mask)
    require_shape(got, (3, 4), "结果")
    require(not is_close(got, hidden[:, 0]), "这是取位置 0，不是取平均。")
    require(
        not is_close(got, hidden.mean(dim=1)),
        "填充也算进去了：短句的平均会被填充处的数拉偏，补得越长偏得越多。",
    )
    total = (hidden * mask[..., None]).sum(dim=1)
    require(
        not is_close(got, total / 5), "分子对了，分母不对：应当除以各句真实词元的个数，不是除以补齐后的长度。"
    )
    require(not is_close(got, total), "只求了和，还没有除以真实词元的个数。")
    require(is_close(got, pool(hidden, mask, "mean")), "每一行应当是那一句真实词元的向量的平均。")
    return "填充不进分子，也不进分母。"


@register("cls_classification.max-pool")
def max_pool(answer):
    hidden, mask = _ragged()
    got = run(answer, hidden, mask)
    require_shape(got, (3, 4), "结果")
    require(not is_close(got, hidden.amax(dim=1)), "填充也参加了比较：它处的数碰巧大，就会被选中。")
    zeroed = (hidden * mask[..., None]).amax(dim=1)
    require(
        not is_close(got, zeroed),
        "把填充换成 0 还不行：真实词元的特征全是负数时，0 反而最大；要换成不可能被选中的数。",
    )
    require(not is_close(got, pool(hidden, mask, "mean")), "这是取平均，不是取最大。")
    require(is_close(got, pool(hidden, mask, "max")), "每一行的每个特征，应当是那一句真实词元中最大的那个。")
    return "填充换成负无穷，就永远不会被选中。"


@register("cls_classification.loss-floor")
def loss_floor(answer):
    for num_classes in (2, 3, 10):
        got = float(run(answer, num_classes))
        asked = f"{num_classes} 类时得到 {got:.4f}"
        best = math.e / (math.e + num_classes - 1)
        require(
            abs(got) > 1e-6, f"{asked}：那是只过一次 softmax 的下限；概率再过一次 softmax，就到不了 1 了。"
        )
        require(abs(got - best) > 1e-4, f"{asked}：这是正确那一类能得到的最大概率，损失还要取负对数。")
        require(
            abs(got - math.log(num_classes)) > 1e-4,
            f"{asked}：这是各类概率相等时的损失；第一次 softmax 之后，最好的情形是一个 1、其余是 0。",
        )
        require(abs(got + math.log2(best)) > 1e-4, f"{asked}：对数的底不对，F.cross_entropy 用的是自然对数。")
        require(
            abs(got + math.log(best)) < 1e-4,
            f"{asked}：把 [1, 0, …, 0] 当作 logits 交给 F.cross_entropy，看它给出多少。",
        )
    return "log(1 + (C-1)/e)：类越多，下限越高。"


@register("cls_classification.enough-reviews")
def enough_reviews(answer):
    for accuracy, error in ((0.9, 0.013), (0.6, 0.007), (0.5, 0.031)):
        got = float(run(answer, accuracy, error))
        variance = accuracy * (1 - accuracy)
        exact = variance / error**2
        asked = f"准确率 {accuracy}、标准误 {error} 时得到 {got:g}"
        require(abs(got - variance / error) > 1, f"{asked}：标准误里有平方根，反解时 error 要平方。")
        require(
            abs(got - math.sqrt(variance) / error) > 1,
            f"{asked}：两边都要平方，分子是 p(1-p)，不是它的平方根。",
        )
        require(
            accuracy == 0.5 or abs(got - 0.25 / error**2) > 1,
            f"{asked}：那是 p = 0.5 时的条数；这里的准确率另有其数，p(1-p) 要用它算。",
        )
        require(exact - 1e-6 <= got < exact + 1.01, f"{asked}，应当是不小于 p(1-p)/error² 的最小整数。")
    return "误差要减半，条数就要乘四。"
