"""《前馈网络》的练习。"""

import torch
import torch.nn.functional as F

from ...layers import FeedForward
from ..exercise import Exercise, Symptom

X = torch.tensor([[3, 1], [1, 3], [-2, -5], [-5, -2], [4, -4]]).float()
QUESTIONS = torch.tensor([[1, -1, 1, -1], [1, -1, -1, 1]]).float()


def ffn(activation):
    return lambda x, w1, b1, w2, b2: activation(x @ w1 + b1) @ w2 + b2


def answers(*column):
    return QUESTIONS, torch.tensor(column)[:, None].repeat(1, 2)


# 表格自己排版：提示在前，错答在后，写得下就在一行
# fmt: off
EXERCISES = [
    Exercise("feed_forward.from-scratch",
        cases=lambda rng: [(rng.randn(2, 5, 4), rng.randn(4, 8), rng.randn(8), rng.randn(8, 4), rng.randn(4))],
        right=ffn(F.gelu),
        wrong={
            "少了中间的非线性：两个线性映射可以合成一个。": ffn(lambda h: h),
            "这是 ReLU，这一题要的是 GELU：x·Φ(x)。": ffn(F.relu),
            "第二个线性映射之后又用了一次激活函数；非线性只有中间那一个。": lambda *args: F.gelu(ffn(F.gelu)(*args)),
            "这是 tanh 的近似式，差在万分之几；这一题要用 torch.erf 写精确的。": ffn(lambda h: F.gelu(h, approximate="tanh")),
            "第一个线性映射的偏置 b1 要在激活函数之前加上。": [
                lambda x, w1, b1, w2, b2: F.gelu(x @ w1) @ w2 + b2,
                lambda x, w1, b1, w2, b2: F.gelu(x @ w1) @ w2,
            ],
            "第二个线性映射的偏置 b2 没有加。": lambda x, w1, b1, w2, b2: F.gelu(x @ w1 + b1) @ w2,
            "erf 里少除了 √2：Φ(t) = (1 + erf(t / √2)) / 2。": ffn(lambda h: h * 0.5 * (1 + torch.erf(h))),
            "大了一倍：Φ 的式子最前面还有二分之一。": ffn(lambda h: 2 * F.gelu(h)),
        },
        otherwise="输出不等于 GELU(x W₁ + b₁) W₂ + b₂。",
        praise="与 F.gelu 的写法逐个相等。",
    ),
    Exercise("feed_forward.parameter-count",
        cases=lambda rng: [(64, 256), (48, 100)],
        right=lambda d_model, d_ff: sum(p.numel() for p in FeedForward(d_model, d_ff).parameters()),
        wrong={
            "两个偏置没有数，一个长 F，一个长 D。": lambda d, f: 2 * d * f,
            "只数了第一个线性映射。": lambda d, f: d * f + f,
            "第二个偏置没有数，它长 D。": lambda d, f: 2 * d * f + f,
            "第二个偏置的长度是 d_model，不是 d_ff。": lambda d, f: 2 * d * f + 2 * f,
        },
        otherwise="两个矩阵各 D × F，偏置一个长 F，一个长 D。",
        praise="2DF + F + D，与库里的模块相同。",
    ),
    Exercise("feed_forward.swiglu-width",
        cases=lambda rng: [(768, 3072), (64, 256), (10, 41)],
        right=lambda d_model, d_ff: d_ff * 2 // 3,
        wrong={
            "照旧的宽度配三个矩阵，参数会多出一半。": lambda d, f: f,
            "矩阵从两个变成三个，不是四个，宽度不必减半。": lambda d, f: f // 2,
            "三个矩阵分的是原来*两个*矩阵的参数，不是一个。": lambda d, f: f // 3,
            "宽度应当是整数，除不尽时向下取整。": lambda d, f: f * 2 / 3,
        },
        otherwise="应当满足 3·D·F′ ≤ 2·D·F，取最大的整数 F′。",
        praise="乘三分之二，768 宽的模型里从 3072 变成 2048。",
    ),
    Exercise("feed_forward.maximum",
        cases=lambda rng: [()],
        right=lambda: answers(0.5, -0.5, 0.5, 0.5),
        observe=lambda weights: (F.relu(X @ weights[0].float()) @ weights[1].float()).tolist(),
        accepts=lambda rows: all(abs(got - max(x)) < 1e-4 for x, row in zip(X, rows, strict=True) for got in row),
        wrong={
            "应当返回两个张量：w1 的形状 (2, 4)，w2 的形状 (4, 2)。": [
                Symptom(lambda: QUESTIONS),
                Symptom(lambda: (QUESTIONS.T, QUESTIONS)),
            ],
            "得到的是较小的那个：|a−b| 的两半应当加上，不是减去。": lambda: answers(0.5, -0.5, -0.5, -0.5),
            "a+b 为负时不对：a+b 也要拆成 ReLU(t) − ReLU(−t) 两半。": lambda: answers(0.5, 0.0, 0.5, 0.5),
            "得到的是最大值的两倍：别忘了式子里的二分之一。": lambda: answers(1.0, -1.0, 1.0, 1.0),
        },
        otherwise="x 依次是 (3, 1)、(1, 3)、(−2, −5)、(−5, −2)、(4, −4)，两个数都应当是较大的那个。",
        praise="四个神经元，一次 ReLU，就取出了最大值。",
    ),
]
