"""《残差连接与层归一化》的练习。"""

from functools import reduce

import torch
import torch.nn.functional as F

from ..exercise import Exercise


def unit(x, eps, dim=-1, unbiased=False):
    return (x - x.mean(dim, True)) / (x.var(dim, unbiased, True) + eps).sqrt()


def affine(unit, **options):
    """同一种写法，后面乘 γ、加 β 的，只乘 γ 的，两样都不做的。"""
    return [
        lambda x, gamma, beta, eps: unit(x, eps, **options) * gamma + beta,
        lambda x, gamma, beta, eps: unit(x, eps, **options) * gamma,
        lambda x, gamma, beta, eps: unit(x, eps, **options),
    ]


def random_norm(rng):
    gamma, beta = rng.rand(2, 4) + 0.5
    return lambda y: F.layer_norm(y, (4,), gamma, beta)


def random_layer(rng):
    """(attend, feed_forward, norm1, norm2)，读 (5, 4) 的张量。"""
    mix, w1, w2 = rng.randn(5, 5) / 2, rng.randn(4, 4), rng.randn(4, 4)
    return (lambda y: mix @ y), (lambda y: F.gelu(y @ w1) @ w2), random_norm(rng), random_norm(rng)


def stacked(sublayer=lambda y, f, norm: y + f(norm(y)), change=lambda *layer: layer, final=None):
    """每层依次走两个子层；`change` 先把一层的四样换一换，`final` 顶替末尾的归一化。"""

    def answer(x, layers, final_norm):
        for attend, ffn, norm1, norm2 in (change(*layer) for layer in layers):
            x = sublayer(sublayer(x, attend, norm1), ffn, norm2)
        return (final or final_norm)(x)

    return answer


# 表格自己排版：提示在前，错答在后，写得下就在一行
# fmt: off
EXERCISES = [
    Exercise("residual_and_layer_norm.layer-norm",
        # 数小而 ε 大，ε 放错地方才看得出来
        cases=lambda rng: [(0.1 * rng.randn(2, 4, 6), rng.rand(6) + 0.5, rng.rand(6) + 0.5, 1e-2)],
        right=affine(unit)[0],
        wrong={
            "方差除以的是 D，不是 D − 1：x.var 默认除以 D − 1，要写 unbiased=False。": affine(unit, unbiased=True),
            "ε 应当加在根号里面，不是 σ + ε。": affine(lambda x, eps: (x - x.mean(-1, True)) / (x.std(-1, False, True) + eps)),
            "ε 没有用上。": affine(lambda x, eps: unit(x, 0)),
            "应当除以标准差，忘了开方。": affine(lambda x, eps: (x - x.mean(-1, True)) / (x.var(-1, False, True) + eps)),
            "没有减去均值：那是 RMSNorm 的写法。": affine(lambda x, eps: x / (x.square().mean(-1, True) + eps).sqrt()),
            "分子没有减去均值。": affine(lambda x, eps: x / (x.var(-1, False, True) + eps).sqrt()),
            "均值与方差求在了词元那一维上；应当在每个词元自己的 D 个特征上求，即最后一维。": affine(unit, dim=1),
            "均值与方差求在了批那一维上；应当在每个词元自己的 D 个特征上求，即最后一维。": affine(unit, dim=0),
            "均值与方差跨词元、跨句子求了，那是批归一化；应当只在最后一维上求。": affine(unit, dim=(0, 1)),
            "整句共用一个均值与方差；应当每个词元各算各的。": affine(unit, dim=(1, 2)),
            "所有的数共用一个均值与方差；应当每个词元各算各的。": affine(unit, dim=(0, 1, 2)),
            "还要乘 γ、加 β，它们是层归一化学得的参数。": lambda x, gamma, beta, eps: unit(x, eps),
            "还要加 β。": lambda x, gamma, beta, eps: unit(x, eps) * gamma,
            "还要乘 γ。": lambda x, gamma, beta, eps: unit(x, eps) + beta,
            "先乘 γ，再加 β，β 不乘 γ。": lambda x, gamma, beta, eps: (unit(x, eps) + beta) * gamma,
            "γ 与 β 用反了：γ 是乘的，β 是加的。": lambda x, gamma, beta, eps: unit(x, eps) * beta + gamma,
        },
        otherwise="结果不等于 (x − μ) / √(σ² + ε) · γ + β。",
        praise="与 F.layer_norm 相等。",
    ),
    Exercise("residual_and_layer_norm.norm-parameters",
        cases=lambda rng: [(3, 10), (6, 384), (12, 768)],
        right=lambda num_layers, d_model: (2 * num_layers + 1) * 2 * d_model,
        wrong={
            "层归一化有可学习的 γ 与 β，各 D 个数。": lambda n, d: 0,
            "只数了 γ 或 β 中的一个，每个 LN 两样都有。": lambda n, d: (2 * n + 1) * d,
            "嵌入层里的那个 LN 没有数。": lambda n, d: 2 * n * 2 * d,
            "每层有两个 LN，注意力之后一个，前馈网络之后一个。": lambda n, d: (n + 1) * 2 * d,
            "每层有两个 LN，嵌入层里还有一个。": lambda n, d: n * 2 * d,
            "γ 与 β 不是一个数，是长 D 的向量。": lambda n, d: (2 * n + 1) * 2,
            "多数了一个：BERT 是 post-norm，末尾不另加归一化。": lambda n, d: (2 * n + 2) * 2 * d,
        },
        otherwise="每个 LN 有 2D 个数。",
        praise="每层两个，嵌入层一个，每个 2D。",
    ),
    Exercise("residual_and_layer_norm.residual-gradient",
        cases=lambda rng: [(rng.randn(3, 3), rng.randn(5, 3))],
        right=lambda w, g: g + g @ w.T,
        wrong={
            "这只是岔路传回来的，加号还把 g 原样传回一份。": lambda w, g: g @ w.T,
            "这只是加号传回来的，岔路也传回一份。": lambda w, g: g,
            "这像是前向的算法；岔路那一项要乘 W 的转置：X 的第 i 个特征经 W 的第 i 行影响 Y。": lambda w, g: g + g @ w,
            "两处都错了：W 要转置，加号还把 g 原样传回一份。": lambda w, g: g @ w,
            "两项是相加，不是相减。": lambda w, g: g - g @ w.T,
        },
        otherwise="梯度应当是两项之和：加号传回的 g，与岔路传回的一项。",
        praise="第一项里没有 W：岔路再差，g 也原样回到输入。",
    ),
    Exercise("residual_and_layer_norm.pre-norm",
        cases=lambda rng: [(rng.randn(5, 4), [random_layer(rng), random_layer(rng)], random_norm(rng))],
        right=stacked(),
        atol=1e-4,
        wrong={
            "末尾的 final_norm 没有用：pre-norm 的主干从不归一化，输出会随层数变大。": stacked(final=torch.clone),
            "final_norm 用在了每一层：它只在所有层之后做一次。":
                lambda x, layers, final: reduce(lambda y, layer: stacked()(y, [layer], final), layers, x),
            "这是 post-norm：归一化应当在子层之前，加号之后不做。": stacked(lambda y, f, norm: norm(y + f(y))),
            "这是 post-norm，末尾也没有 final_norm。": stacked(lambda y, f, norm: norm(y + f(y)), final=torch.clone),
            "加回去的应当是 x，不是归一化之后的 x：那样主干就被归一化了。": stacked(lambda y, f, norm: norm(y) + f(norm(y))),
            "子层的输出没有加回主干：少了残差连接。": stacked(lambda y, f, norm: f(norm(y))),
            "子层之前没有归一化。": stacked(lambda y, f, norm: y + f(y)),
            "前馈网络之前没有归一化，应当用 norm2。": stacked(change=lambda at, ffn, n1, n2: (at, ffn, n1, torch.clone)),
            "前馈网络应当接着读加过注意力的 x，不是这一层最初的 x。":
                lambda x, layers, final: final(reduce(lambda y, f: y + f[0](f[2](y)) + f[1](f[3](y)), layers, x)),
            "归一化的是子层的输出；应当归一化子层的输入。": stacked(lambda y, f, norm: y + norm(f(y))),
            "norm1 与 norm2 用反了。": stacked(change=lambda at, ffn, n1, n2: (at, ffn, n2, n1)),
            "两个子层用了同一个 norm1：它们各有自己的 γ 与 β。": stacked(change=lambda at, ffn, n1, n2: (at, ffn, n1, n1)),
            "只走了第一层，应当走完 layers 里的每一层。": lambda x, layers, final: stacked()(x, layers[:1], final),
            "层的次序反了。": lambda x, layers, final: stacked()(x, layers[::-1], final),
        },
        otherwise="每层应当是 x ← x + f(LN(x)) 做两次，最后做一次 final_norm。",
        praise="主干上只有加号，末尾补一次归一化。",
    ),
]
