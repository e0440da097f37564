"""《缩放点积注意力》的练习。"""

import torch.nn.functional as F

from ..exercise import Exercise, Symptom


def look(keys, q):
    return (keys @ q.to(keys) / q.numel() ** 0.5).softmax(dim=0)


def reheat(weights, tau):
    powered = weights ** (1 / tau)
    return powered / powered.sum(dim=-1, keepdim=True)


TENTHS = [0.1, 0.2, 0.3, 0.4]

# 表格自己排版：提示在前，错答在后，写得下就在一行
# fmt: off
EXERCISES = [
    Exercise("scaled_dot_product_attention.self-score",
        right=32,
        atol=0.01,
        wrong={
            "1 是单位向量才有的点积；这里每个分量都是 N(0, 1)，向量并不短。": 1,
            "1024 是 ‖x‖² 的平均值，还没有除以 √D。": 1024,
        },
        otherwise="先想 ‖x‖² 平均是多少：1024 个标准正态数的平方和；再除以 √1024。",
        praise="‖x‖² ≈ D，除以 √D 得 √D = 32，比别的分数大出三十来个标准差。",
    ),
    Exercise("scaled_dot_product_attention.by-hand",
        right={"原来": TENTHS, "都加 5": TENTHS, "都乘 2": [1 / 30, 4 / 30, 9 / 30, 16 / 30]},
        atol=0.002,
        wrong={
            "1、2、3、4 只是指数，还要除以它们的总和。":
                Symptom({"原来": [1, 2, 3, 4], "都加 5": TENTHS, "都乘 2": TENTHS}, lambda got: sum(got["原来"]) > 1.1),
            "分数没有取指数：e 的 ln 3 次方是 3，不是 ln 3。":
                Symptom({"原来": [0.0, 0.218, 0.346, 0.436], "都加 5": TENTHS, "都乘 2": TENTHS}, lambda got: got["原来"][0] < 0.01),
            "都加 5，每个指数都乘上同一个 e⁵，总和也一样，约掉了：权重不变。":
                Symptom(
                    {"原来": TENTHS, "都加 5": [0.2, 0.24, 0.27, 0.29], "都乘 2": TENTHS},
                    lambda got: abs(got["原来"][0] - 0.1) < 0.01 and abs(got["都加 5"][0] - 0.1) > 0.01,
                ),
            "都乘 2，差距也乘了 2：每个指数成了平方，1、4、9、16。":
                {"原来": TENTHS, "都加 5": TENTHS, "都乘 2": TENTHS},
        },
        otherwise="先取指数，得 1、2、3、4；再各除以总和。",
        praise="分数只有差要紧：都加一个数，权重不变；都乘一个数，就更尖。",
    ),
    Exercise("scaled_dot_product_attention.one-query",
        cases=lambda rng: [(rng.randn(4), rng.randn(5, 4) * 2, rng.randn(5, 3))],
        right=lambda q, keys, values: look(keys, q) @ values,
        wrong={
            "分数忘了除以 √d；d 是查询的宽度，这里是 4。": lambda q, keys, values: (keys @ q).softmax(dim=0) @ values,
            "除的是键的个数的平方根：该除的是 √d，d 是查询的宽度，这里是 4。":
                lambda q, keys, values: (keys @ q / len(keys) ** 0.5).softmax(dim=0) @ values,
            "分数不能直接用来加权：先经过 softmax，让权重为正且和为 1。": lambda q, keys, values: (keys @ q / 2) @ values,
        },
        otherwise="输出不等于按权重对值做的加权平均。",
        praise="四步都在：点积、除以 √d、softmax、加权平均。",
    ),
    Exercise("scaled_dot_product_attention.aim",
        cases=lambda rng: [(F.normalize(rng.randn(6, 8), dim=-1), j) for j in (0, 3, 5)],
        right=lambda keys, j: 1000 * keys[j],
        accepts=lambda q, keys, j: look(keys, q)[j] > 0.99,
        wrong={
            "方向对了，但第 j 个键的权重还不到 0.99：把查询拉长，差距才会变大。":
                Symptom(lambda keys, j: keys[j], lambda q, keys, j: look(keys, q).argmax() == j),
        },
        otherwise="权重最大的不是第 j 个键：查询的方向应当与第 j 个键相同。",
        praise="方向决定谁得第一，长度决定第一名领先多少。",
    ),
    Exercise("scaled_dot_product_attention.temperature",
        cases=lambda rng: [(rng.randn(3, 5).softmax(dim=-1), tau) for tau in (0.5, 2.0)],
        right=reheat,
        wrong={
            "对权重再做一次 softmax 不等于改变温度：权重不是分数。": lambda weights, tau: (weights / tau).softmax(dim=-1),
            "方向反了：τ 大于 1 时权重应当变平，指数是 1/τ，不是 τ。": lambda weights, tau: reheat(weights, 1 / tau),
            "结果的每行之和不是 1，最后要重新归一。":
                Symptom(
                    lambda weights, tau: weights**tau,
                    lambda got, *_: ((got.sum(dim=-1) - 1).abs() > 1e-5).any(),
                ),
        },
        otherwise="结果不等于 softmax(分数 / τ)。",
        praise="softmax 的输出取 1/τ 次方再归一，就是温度为 τ 的 softmax。",
    ),
]
