"""《看见注意力》的练习。"""

from math import comb, log

import torch
from torch.special import entr

from ..exercise import Exercise, Symptom


def attentions(rng):
    """三层，每层四个头；有一个头只看一个键，有一个头平均分给五个键。"""
    weights = (2 * rng.randn(3, 4, 5, 5)).softmax(dim=-1)
    weights[0, 0], weights[0, 1] = torch.eye(5), 1 / 5
    return weights


def luck(right, total):
    """抛 total 枚硬币，至少 right 枚正面的机会。"""
    return sum(comb(total, k) for k in range(right, total + 1)) / 2**total


# 表格自己排版：提示在前，错答在后，写得下就在一行
# fmt: off
EXERCISES = [
    Exercise("bertviz.mass",
        cases=lambda rng: [(attentions(rng), 1, [0, 3])],
        right=lambda attentions, query, keys: attentions[:, :, query, keys].sum(dim=-1),
        wrong={
            "方向反了：第三维是查询，第四维是键，你取的是这组词元看 query 的权重。": lambda a, i, keys: a[..., keys, i].sum(-1),
            "要的是这组键的权重之和，不是平均。": lambda a, i, keys: a[..., i, keys].mean(-1),
        },
        otherwise="结果应当是 query 那一行里、keys 那几列的权重之和。",
        praise="一行里挑几列，再相加。",
    ),
    Exercise("bertviz.best-of",
        cases=lambda rng: [(9, 10, 12), (19, 21, 72), (4, 5, 1)],
        right=lambda right, total, heads: 1 - (1 - luck(right, total)) ** heads,
        wrong={
            "你给的是一个头的机会；要的是许多头里最好的一个。": lambda right, total, heads: luck(right, total),
            "机会不能相加：头一多，和会超过 1。": lambda right, total, heads: heads * luck(right, total),
            "这是每个头都考到的机会，要的是至少有一个。": lambda right, total, heads: luck(right, total) ** heads,
            "这是一个头也没有考到的机会，再用 1 去减。": lambda right, total, heads: (1 - luck(right, total)) ** heads,
            "“至少”要把恰好 right 对也算上。": lambda right, total, heads: 1 - (1 - luck(right + 1, total)) ** heads,
            "“至少 right 对”不只是“恰好 right 对”。": lambda right, total, heads: 1 - (1 - comb(total, right) / 2**total) ** heads,
        },
        otherwise="先求一个头至少对 right 对的机会，再求各个头里至少有一个做到的机会。",
        praise="挑得越多，最好的一个越不稀奇。",
    ),
    Exercise("bertviz.entropy",
        cases=lambda rng: [(attentions(rng),)],
        right=lambda attentions: entr(attentions).sum(-1).mean(-1),
        wrong={
            "结果里有 NaN：权重为 0 时，0 × ln 0 要按 0 算。":
                Symptom(lambda a: -(a * a.log()).sum(-1).mean(-1), lambda got, a: got.isnan().any()),
            "符号反了：熵前面有一个负号，结果不会小于 0。": lambda a: -entr(a).sum(-1).mean(-1),
            "对查询要取平均，你取的是总和。": lambda a: entr(a).sum((-1, -2)),
            "要用自然对数，你用的是以 2 为底的。": lambda a: entr(a).sum(-1).mean(-1) / log(2),
        },
        otherwise="结果不等于各行的熵对查询的平均。",
        praise="只看一个键是 0，平均分给 5 个键是 ln 5。",
    ),
    Exercise("bertviz.maps",
        right=(144, 144 * 400),
        wrong={
            "12 只是一层的张数，或者只数了层；还要乘上另一个 12。": Symptom((12, 12 * 400), lambda got: got[0] == 12),
            "多数了一遍头：每个头只有一张表，不是 12 张。": Symptom((12**3, 12**3 * 400), lambda got: got[0] == 12**3),
            "先数表：层数 × 每层的头数。": Symptom((24, 24 * 400), lambda got: got[0] != 144),
            "每张表是 N × N，不是 N：20 个查询各有 20 个键。": (144, 144 * 20),
        },
        otherwise="再数数：表的张数 × 20 × 20。",
        praise="144 张表，每张 400 个数；长度加倍，数的个数就变成四倍。",
    ),
]
