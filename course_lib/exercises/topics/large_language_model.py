"""《大语言模型》的练习。"""

import torch

from ...config import LanguageModelConfig
from ..exercise import Exercise

SMALL = dict(vocab_size=50, d_model=24, num_heads=6, num_kv_heads=2, d_ff=64, num_layers=5)


def size(config, num_tokens, bytes_per_number, heads=None, both=2, layers=None, width=None):
    width = width or config.d_model // config.num_heads
    heads, layers = heads or config.num_kv_heads, layers or config.num_layers
    return both * layers * heads * width * num_tokens * bytes_per_number


def block(scores, values):
    """一块键：最大的分数、指数之和、加权之和。"""
    top = scores.max()
    powers = (scores - top).exp()
    return top, powers.sum(), powers @ values


def blocks(rng):
    """两块的最大分数一高一低、一低一高；最后一组大到直接取指数会溢出。"""
    cases = []
    for shift, first, second in ((0.0, 1.0, -1.0), (0.0, -2.0, 1.0), (500.0, -1.0, 2.0)):
        scores, values = rng.randn(2, 4), rng.randn(2, 4, 3)
        scores = scores + shift + torch.tensor([[first], [second]])
        cases.append((*block(scores[0], values[0]), *block(scores[1], values[1])))
    return cases


def combine(m1, s1, o1, m2, s2, o2):
    top = torch.maximum(m1, m2)
    a, b = (m1 - top).exp(), (m2 - top).exp()
    return (a * o1 + b * o2) / (a * s1 + b * s2)


def maps(rng):
    """两个随机的因果注意力，n = 5 与 3。"""
    cases = []
    for n in (5, 3):
        scores = rng.randn(2 * n, 2 * n).masked_fill(torch.ones(2 * n, 2 * n).triu(1).bool(), -torch.inf)
        cases.append((scores.softmax(dim=-1),))
    return cases


def induction(weights, ahead=1, last=-1):
    """第二遍的第 k 个（不计最后 -last 个）给第一遍的第 k + ahead 个的权重，平均。"""
    n = len(weights) // 2
    rows = torch.arange(n + last)
    return weights[n + rows, rows + ahead].mean().item()


# 表格自己排版：提示在前，错答在后，写得下就在一行
# fmt: off
EXERCISES = [
    Exercise("large_language_model.llama-cache",
        right=131_072,
        wrong={
            "用的是查询的头数；缓存里只有键与值，键值头是 8 个。": 524_288,
            "有一个 2 没有乘：键与值是两样，每个数又是两个字节。": 65_536,
            "只数了一层，32 层各有自己的缓存。": 4_096,
            "只数了一个头，8 个键值头各有自己的键与值。": 16_384,
            "两个 2 都没有乘：键与值是两样，每个数又是两个字节。": 32_768,
        },
        otherwise="2（键与值）× 32 层 × 8 个键值头 × 128 × 2 字节。",
        praise="128 KB：写满 8192 个词元，就是 1 GB；键值头不减，就要 4 GB。",
    ),
    Exercise("large_language_model.long-ones",
        right=3,
        wrong={
            "第二个 The 看得见的是第一个 The 与自己，值都一样，加权平均出来还是 The：与只看见自己分不开。": 1,
            "capital 看得见 The，与自己不一样，平均出来就变了：它认得出自己不是第一个。": [4, 7],
            "第一个词元总是长的，它只看得见自己。": 0,
            "第三个 The 看得见的也只有 The。": 2,
        },
        otherwise="想一想每个词元看得见谁：看见的全与自己一样，就与只看见自己分不开。",
        praise="三个 The 看见的都只有 The，谁是第一个，从里面看不出来；到 capital 才有了不同。",
    ),
    Exercise("large_language_model.cache-bytes",
        cases=lambda rng: [(LanguageModelConfig(**SMALL), 7, 2), (LanguageModelConfig(), 8192, 4)],
        right=lambda config, num_tokens, bytes_per_number: size(config, num_tokens, bytes_per_number),
        wrong={
            "用的是查询的头数；缓存里只有键与值，头数是 num_kv_heads。": lambda c, n, b: size(c, n, b, heads=c.num_heads),
            "只数了键或者值，两样都要存。": lambda c, n, b: size(c, n, b, both=1),
            "查询不必存：旧的词元不会再提问，只有键与值两样。": [
                lambda c, n, b: size(c, n, b, both=3),
                lambda c, n, b: size(c, n, b) + size(c, n, b, heads=c.num_heads, both=1),
            ],
            "只数了一层，每一层都有自己的缓存。": lambda c, n, b: size(c, n, b, layers=1),
            "每个头的宽度是 d_model // num_heads，不是 d_model。": lambda c, n, b: size(c, n, b, width=c.d_model),
            "这是一个词元的，还要乘词元的个数。": lambda c, n, b: size(c, 1, b),
            "这是有几个数，还要乘每个数的字节。": lambda c, n, b: size(c, n, 1),
        },
        otherwise="键与值两样，每层各一份：键值头数 × 每个头的宽度 × 词元数 × 每个数的字节。",
        praise="查询的头数只用来算每个头有多宽，缓存的大小由键值的头数定。",
    ),
    Exercise("large_language_model.combine",
        cases=blocks,
        right=combine,
        wrong={
            "两块各以自己的最大值为准，不能直接相加：先换算到同一个最大值。": lambda m1, s1, o1, m2, s2, o2: (o1 + o2) / (s1 + s2),
            "还没有除以指数之和。": lambda m1, s1, o1, m2, s2, o2:
                combine(m1, s1, o1, m2, s2, o2) * ((m1 - m1.maximum(m2)).exp() * s1 + (m2 - m1.maximum(m2)).exp() * s2),
            "两块先各自除完再平均，就不管哪一块的分数高了。": lambda m1, s1, o1, m2, s2, o2: (o1 / s1 + o2 / s2) / 2,
            "换算的方向反了：最大值小的那一块要缩小，乘 exp(m - top)。": lambda m1, s1, o1, m2, s2, o2: combine(-m1, s1, o1, -m2, s2, o2),
            "分子换算了，分母没有换算。": lambda m1, s1, o1, m2, s2, o2:
                ((m1 - m1.maximum(m2)).exp() * o1 + (m2 - m1.maximum(m2)).exp() * o2) / (s1 + s2),
            "分数是几百时，exp(m) 溢出成了无穷：先减去两个最大值里大的那个。": lambda m1, s1, o1, m2, s2, o2:
                (m1.exp() * o1 + m2.exp() * o2) / (m1.exp() * s1 + m2.exp() * s2),
        },
        otherwise="以两个最大值里大的那个为准，两块的 s 与 o 各乘 exp(m - top)，相加再相除。",
        praise="次序无所谓，块有多少也无所谓：两两合并下去，就是 FlashAttention。",
    ),
    Exercise("large_language_model.induction-score",
        cases=maps,
        right=lambda weights: induction(weights),
        wrong={
            "看的是第一遍里的同一个词元，要的是它的下一个：它才是答案。": [
                lambda w: induction(w, ahead=0),
                lambda w: induction(w, ahead=0, last=0),
            ],
            "第二遍的最后一个词元不计：它的下一个在第二遍里，是它自己所在的那一遍的开头。": lambda w: induction(w, last=0),
            "行与列对调了：行是查询，列是键。": lambda w: induction(w.T),
            "是前一个了，要的是后一个。": lambda w: w[len(w) // 2 + 1 :, : len(w) // 2 - 1].diagonal().mean().item(),
            "要平均，不是总和。": lambda w: induction(w) * (len(w) // 2 - 1),
            "除以了 n，第二遍只有 n - 1 个词元计入。": lambda w: induction(w) * (len(w) // 2 - 1) / (len(w) // 2),
        },
        otherwise="第 n + k 行、第 k + 1 列，k 从 0 到 n - 2，取平均。",
        praise="对角线挪一格，就是归纳：上回它后面是谁，这回就猜谁。",
    ),
]
