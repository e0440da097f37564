"""《[CLS] 与分类》的练习。"""

from math import ceil, e, log, log2

import torch

from ...tasks.text_classifier import pool
from ..exercise import Exercise


def ragged(rng):
    """长短不一的三句；特征多半是负数，填充换成 0 之后反倒显得最大。"""
    return [(rng.randn(3, 5, 4) - 1.5, (torch.arange(5) < torch.tensor([[5], [3], [1]])).long())]


def crowded(rng):
    """挤在一个方向上的向量，长短不一：不挪尺子，余弦都高。"""
    return [(3 + rng.randn(6), 5 + 2 * rng.randn(6), 4 + rng.randn(9, 6)) for _ in range(2)]


def cosine(a, b):
    return (a * b).sum() / (a.norm() * b.norm())


# 表格自己排版：提示在前，错答在后，写得下就在一行
# fmt: off
EXERCISES = [
    Exercise("cls_classification.mean-pool",
        cases=ragged,
        right=lambda hidden, attention_mask: pool(hidden, attention_mask, "mean"),
        wrong={
            "这是取位置 0，不是取平均。": lambda hidden, mask: hidden[:, 0],
            "填充也算进去了：短句的平均会被填充处的数拉偏，补得越长偏得越多。": lambda hidden, mask: hidden.mean(1),
            "分母不对：应当除以各句真实词元的个数，不是补齐后的长度。": lambda hidden, mask: (hidden * mask[..., None]).mean(1),
            "只求了和，还没有除以真实词元的个数。": lambda hidden, mask: (hidden * mask[..., None]).sum(1),
        },
        otherwise="每一行应当是那一句真实词元的向量的平均。",
        praise="填充不进分子，也不进分母。",
    ),
    Exercise("cls_classification.max-pool",
        cases=ragged,
        right=lambda hidden, attention_mask: pool(hidden, attention_mask, "max"),
        wrong={
            "填充也参加了比较：它处的数碰巧大，就会被选中。": lambda hidden, mask: hidden.amax(1),
            "换成 0 还不行：真实词元的特征全是负数时 0 反而最大，要换成不会被选中的数。": lambda h, m: (h * m[..., None]).amax(1),
            "这是取平均，不是取最大。": lambda hidden, mask: pool(hidden, mask, "mean"),
        },
        otherwise="每一行的每个特征，应当是那一句真实词元中最大的那个。",
        praise="填充换成负无穷，就永远不会被选中。",
    ),
    Exercise("cls_classification.loss-floor",
        cases=lambda rng: [(2,), (3,), (10,)],
        right=lambda num_classes: log(e + num_classes - 1) - 1,
        atol=1e-4,
        wrong={
            "那是只过一次 softmax 的下限；概率再过一次 softmax，就到不了 1 了。": lambda c: 0.0,
            "这是正确那一类能得到的最大概率，损失还要取负对数。": lambda c: e / (e + c - 1),
            "这是各类概率相等时的损失；第一次 softmax 之后，最好的情形是一个 1、其余是 0。": lambda c: log(c),
            "对数的底不对，F.cross_entropy 用的是自然对数。": lambda c: log2((e + c - 1) / e),
        },
        otherwise="把 [1, 0, …, 0] 当作 logits 交给 F.cross_entropy，看它给出多少。",
        praise="log(1 + (C-1)/e)：类越多，下限越高。",
    ),
    Exercise("cls_classification.enough-reviews",
        cases=lambda rng: [(0.9, 0.013), (0.6, 0.007), (0.8, 0.031)],
        right=lambda accuracy, error: ceil(accuracy * (1 - accuracy) / error**2),
        wrong={
            "标准误里有平方根，反解时 error 要平方。": lambda p, error: ceil(p * (1 - p) / error),
            "两边都要平方，分子是 p(1-p)，不是它的平方根。": lambda p, error: ceil((p * (1 - p)) ** 0.5 / error),
            "那是 p = 0.5 时的条数；这里的准确率另有其数，p(1-p) 要用它算。": lambda p, error: ceil(0.25 / error**2),
        },
        otherwise="应当是不小于 p(1-p)/error² 的最小整数。",
        praise="误差要减半，条数就要乘四。",
    ),
    Exercise("cls_classification.moved-cosine",
        cases=crowded,
        right=lambda a, b, others: cosine(a - others.mean(0), b - others.mean(0)),
        atol=1e-4,
        wrong={
            "没有挪：先各减去 others 的平均，再算余弦。": lambda a, b, others: cosine(a, b),
            "只挪了一个；两个都要减去同一个平均。": lambda a, b, others: cosine(a - others.mean(0), b),
            "平均取错了方向：应当沿那一批句子（第 0 维）取，得到一个 D 维的向量。": lambda a, b, others: cosine(a - others.mean(), b - others.mean()),
            "减的是 a 与 b 自己的平均，余弦总是 -1；平均要由另外一批句子得来。": lambda a, b, others: cosine(a - (a + b) / 2, b - (a + b) / 2),
            "这是点积，还要除以两个向量的长度。": lambda a, b, others: ((a - others.mean(0)) * (b - others.mean(0))).sum(),
        },
        otherwise="应当是 a 与 b 各减去 others 的平均之后，两者夹角的余弦。",
        praise="都减去同一个平均，余弦的高低才拉得开。",
    ),
]
