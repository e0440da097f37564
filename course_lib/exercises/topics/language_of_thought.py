"""《它用哪一种语言想》的练习。"""

import torch

from ..exercise import Exercise


def boards(rng):
    """分数 (题, 答案)，各题的答案是第几个；有一列处处偏高。"""
    scores = rng.randn(4, 4)
    favourite = torch.tensor([0.0, 0.0, 3.0, 0.0])
    return [
        (scores + favourite + 1.5 * torch.eye(4), torch.arange(4)),
        (rng.randn(6, 3), torch.tensor([0, 1, 2, 2, 1, 0])),
    ]


def told_apart(scores, right, minus=None):
    scores = scores - (scores.mean(dim=0) if minus is None else minus)
    return (scores.argmax(dim=-1) == right).float().mean()


def pairs(rng):
    """几种关系，各几题：(关系, 题, D)。"""
    return [(rng.randn(3, 4, 5), rng.randn(3, 4, 5), 1), (rng.randn(2, 3, 4), rng.randn(2, 3, 4), 0)]


def arrow(zh, en, but, sign=1, kept=None):
    kept = [k for k in range(len(zh)) if k != but] if kept is None else kept
    return sign * (en[kept] - zh[kept]).mean(dim=(0, 1))


def biases(rng):
    return [(rng.randn(8), 2), (rng.randn(6), 1), (rng.randn(12), 3)]


# 表格自己排版：提示在前，错答在后，写得下就在一行
# fmt: off
EXERCISES = [
    Exercise("language_of_thought.base-rate",
        right=12,
        wrong={
            "这是不带拉丁字母的几处。": 8,
            "六成是词表里的份额，不是这一层读出来的。": 0.6,
            "这是二十处全都是拉丁字母。": 20,
        },
        otherwise="处数 × 词表里拉丁字母的份额。",
        praise="十二处；什么也没有想，也读得出这么多拉丁字母。",
    ),
    Exercise("language_of_thought.told-apart",
        cases=boards,
        right=lambda scores, right: told_apart(scores, right),
        wrong={
            "答案的平均还没有减，或者减的是每一题的平均：处处偏高的那一个，题题都得第一。":
                lambda s, r: told_apart(s, r, minus=torch.zeros(())),
            "要的是对的占几成，不是对了几题。":
                lambda s, r: told_apart(s, r) * len(s),
        },
        otherwise="每一列减去它自己的平均，再看每一行的最大在不在 right 那一列。",
        praise="减过以后，偏爱谁就不算数了，剩下的才是认得出来的。",
    ),
    Exercise("language_of_thought.direction",
        cases=pairs,
        right=lambda zh, en, but: arrow(zh, en, but),
        wrong={
            "方向反了：要的是从中文到英文。": lambda z, e, b: arrow(z, e, b, sign=-1),
            "but 那一种关系也算进去了，那就是拿考题来学。":
                lambda z, e, b: arrow(z, e, b, kept=list(range(len(z)))),
            "只用了 but 那一种关系，正好反了。": lambda z, e, b: arrow(z, e, b, kept=[b]),
        },
        otherwise="留下 but 以外的关系，英文的平均减去中文的平均，得 (D,)。",
        praise="没有见过这种关系的方向，加上去照样管用，才说得上是语言。",
    ),
    Exercise("language_of_thought.interleave-bias",
        cases=biases,
        right=lambda bias, num_heads: bias.unflatten(0, (num_heads, 2, -1)).transpose(1, 2).flatten(),
        wrong={
            "没有动：文件里是前半与后半配成对，`rotary` 要相邻的两个。": lambda b, h: b,
            "头与头混在一起了：每个头里各排各的。":
                lambda b, h: b.unflatten(0, (2, -1)).transpose(0, 1).flatten(),
            "反了：这是把相邻的两个拆到前半与后半去。":
                lambda b, h: b.unflatten(0, (h, -1, 2)).transpose(1, 2).flatten(),
        },
        otherwise="每个头折成 (2, d/2)，转置，再摊平。",
        praise="权重的行怎样排，偏置也要怎样排；只排一样，注意力就全错了。",
    ),
    Exercise("language_of_thought.nfc",
        right=4,
        wrong={
            "这是合起来之前的码位：字母 4 个，附加符号 2 个。": 6,
            "两个带符号的字母各合成一个，另外两个字母还在。": 2,
            "只合了一个。": 5,
        },
        otherwise="每个字母与跟着它的附加符号合成一个码位。",
        praise="写法有两种，切出来却要一样，所以先合起来再切。",
    ),
]
