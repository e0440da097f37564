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


def tokens_of(offsets, start, end):
    """原文第 start 到 end 个字落在哪几个词元里，最前面还有一个 <s>。"""
    return [k for k, (a, b) in enumerate(offsets, 1) if a < end and start < b]


def leanings(rng):
    """五对句子，两层，每层三个头：有的每一对都换，有的方向对却总偏着一个名词，有的只错一对。"""
    leans = rng.randn(5, 2, 2, 3)
    far = 0.1 + rng.rand(5)
    leans[:, 0, 0, 0], leans[:, 1, 0, 0] = far, -far
    leans[:, 0, 0, 1], leans[:, 1, 0, 1] = 1 + far, 1 - far / 2
    leans[:, 0, 1, 2], leans[:, 1, 1, 2] = far, -far
    leans[3, :, 1, 2] = -leans[3, :, 1, 2]
    leans[:, 0, 1, 0], leans[:, 1, 1, 0] = -far, far
    return leans


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
    Exercise("bertviz.tokens",
        cases=lambda rng: [
            ([(0, 2), (2, 3), (3, 5), (5, 6), (6, 7), (7, 8), (8, 9)], 6, 7),  # 妈妈 等 爸爸 ， 她 饿 了
            ([(0, 1), (1, 2), (2, 3), (3, 6), (6, 7), (7, 8)], 5, 6),  # 牛 跑 ， 因为它 怕 火
            ([(0, 2), (2, 4), (4, 5), (5, 6), (6, 7)], 4, 6),  # 新娘 看着 新 郎 。
            ([(0, 1), (1, 3), (3, 6), (6, 7)], 2, 5),
        ],
        right=tokens_of,
        wrong={
            "最前面还有一个 <s>，第一个词元的编号是 1。": lambda o, s, e: [k for k, (a, b) in enumerate(o) if a < e and s < b],
            "词元不必整个落在里面，盖住一个字就算：“因为它”盖住了它。":
                lambda o, s, e: [k for k, (a, b) in enumerate(o, 1) if s <= a and b <= e],
            "不含 end：挨着的下一个词元没有盖住它。": lambda o, s, e: [k for k, (a, b) in enumerate(o, 1) if a <= e and s < b],
            "起止不含止：挨着的前一个词元没有盖住它。": lambda o, s, e: [k for k, (a, b) in enumerate(o, 1) if a < e and s <= b],
            "只找了盖住第 start 个字的词元；从后面几个字开始的词元也要算。":
                lambda o, s, e: [k for k, (a, b) in enumerate(o, 1) if a <= s < b],
        },
        otherwise="应当是与第 start 到 end 个字有重叠的每一个词元，从 1 数起。",
        praise="字数与词元数对不上，就靠起止来找。",
    ),
    Exercise("bertviz.switching",
        cases=lambda rng: [(leanings(rng),)],
        right=lambda leanings: ((leanings[:, 0] > 0) & (leanings[:, 1] < 0)).all(dim=0),
        wrong={
            "只看方向还不够：它可能两句都给同一个名词更多。": lambda x: (x[:, 0] > x[:, 1]).all(dim=0),
            "平均对了，不等于每一对都对。": lambda x: (x[:, 0].mean(dim=0) > 0) & (x[:, 1].mean(dim=0) < 0),
            "有一对换了还不够，要每一对都换。": lambda x: ((x[:, 0] > 0) & (x[:, 1] < 0)).any(dim=0),
            "反了：第 0 句的所指是前一个名词，偏向应当大于 0。": lambda x: ((x[:, 0] < 0) & (x[:, 1] > 0)).all(dim=0),
        },
        otherwise="每一对都要第 0 句的偏向大于 0、第 1 句的小于 0。",
        praise="两句都给对的更多，比只看方向严。",
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
