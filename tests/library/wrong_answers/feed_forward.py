import torch
import torch.nn.functional as F


def ffn(activation):
    return lambda x, w1, b1, w2, b2: activation(x @ w1 + b1) @ w2 + b2


def questions(*columns):
    return torch.tensor(columns, dtype=torch.float).T


def answers(*rows):
    return torch.tensor([[row, row] for row in rows])


FOUR = questions((1, 1), (-1, -1), (1, -1), (-1, 1))

WRONG_ANSWERS = {
    "feed_forward.from-scratch": [
        (ffn(lambda h: h), "少了中间的非线性"),
        (ffn(F.relu), "这是 ReLU"),
        (ffn(lambda h: F.gelu(h, approximate="tanh")), "近似式"),
        (lambda x, w1, b1, w2, b2: F.gelu(F.gelu(x @ w1 + b1) @ w2 + b2), "又用了一次"),
        (lambda x, w1, b1, w2, b2: F.gelu(x @ w1) @ w2 + b2, "b1"),
        (ffn(F.silu), "输出不等于"),
        (lambda x, w1, b1, w2, b2: ffn(F.gelu)(x, w1, b1, w2, 0), "偏置 b2 没有加"),
        (ffn(lambda h: h * 0.5 * (1 + torch.erf(h))), "少除了 √2"),
        (ffn(lambda h: 2 * F.gelu(h)), "二分之一"),
        (lambda x, w1, b1, w2, b2: F.gelu(x @ w1 + b1), "形状应当是 (2, 5, 4)"),
    ],
    "feed_forward.parameter-count": [
        (lambda d, f: 2 * d * f, "两个偏置没有数"),
        (lambda d, f: d * f + f, "只数了第一个"),
        (lambda d, f: 2 * d * f + f, "第二个偏置没有数"),
        (lambda d, f: 2 * d * f + 2 * f, "不是 d_ff"),
        (lambda d, f: 2 * (d * d + d), "两个矩阵各 D × F"),
    ],
    "feed_forward.swiglu-width": [
        (lambda d, f: f, "多出一半"),
        (lambda d, f: f // 2, "不必减半"),
        (lambda d, f: f // 3, "不是一个"),
        (lambda d, f: f * 2 / 3, "应当是整数"),
        (lambda d, f: f * 2 // 3 + 1, "取最大的整数"),
    ],
    "feed_forward.maximum": [
        (lambda: (FOUR, answers(0.5, -0.5, -0.5, -0.5)), "较小的那个"),
        (lambda: (FOUR, answers(1.0, -1, 1, 1)), "两倍"),
        (lambda: (questions((1, 0), (0, 1), (1, -1), (-1, 1)), answers(0.5, 0.5, 0.5, 0.5)), "时得到"),
        (lambda: (FOUR.T, answers(0.5, -0.5, 0.5, 0.5)), "w1 的形状应当是 (2, 4)"),
        (lambda: FOUR, "应当返回两个张量"),
    ],
}
