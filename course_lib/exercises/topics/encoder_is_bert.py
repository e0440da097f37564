"""《亲手造出的 BERT》的练习。"""

from functools import cache

import torch
import torch.nn.functional as F

from ...bert import Bert
from ...config import BertConfig
from ...weights import only_shapes, our_name
from ..exercise import Exercise
from .residual_and_layer_norm import random_layer

# 漏数的个数各不相同，才说得出漏了哪一种；只有注意力的偏置与层归一化无论如何都是每层 4D
SMALL = dict(vocab_size=50, d_model=8, num_heads=2, d_ff=28, num_layers=3, max_len=10, num_segments=3)
MULTILINGUAL = dict(vocab_size=250_037, d_model=384, num_heads=12, d_ff=1536, num_layers=12)
IDS, SEGMENTS = torch.tensor([[1, 5, 5, 2], [1, 8, 3, 2]]), torch.tensor([[0, 0, 1, 1], [0, 1, 1, 1]])
REAL = torch.tensor([[True] * 4, [True, True, False, False]])


@cache
def count(config):
    with only_shapes():
        return sum(p.numel() for p in Bert(config).parameters())


def short_of(missing):
    """少数了这么多个；D、F 与层数之外的尺寸从 config 里取。"""
    return lambda c: count(c) - missing(c, c.d_model, c.d_ff, c.num_layers)


def add(ids, segments, tokens, positions, segment_table):
    return tokens[ids] + positions[: ids.size(1)] + segment_table[segments]


def layer(x, attend, feed_forward, norm1, norm2, x_back=1, a_back=1):
    a = norm1(x_back * x + attend(x))
    return norm2(a_back * a + feed_forward(a))


def states(rng):
    """第 2 层只错一个数，而且是变小，第 4 层错得最多；全都对的；第 3 层有一个 NaN、第 1 层的填充也有的。"""
    reference = rng.randn(5, 2, 4, 3)
    reference[2, 0, 1, 0] = 0.5
    close = reference + 4e-6
    wrong, broken = close.clone(), close.clone()
    wrong[1, 1, 3, 0] += 5  # 只错在填充上
    wrong[2, 0, 1, 0] -= 3e-5
    wrong[4, 0, 0, 0] += 3
    broken[1, 1, 2, 0] = torch.nan  # 填充
    broken[3, 0, 2, 1] = torch.nan
    return [([*ours], [*reference], REAL, 1e-5) for ours in (wrong, close, broken)]


def first(is_wrong):
    """第一个错了的层；`is_wrong` 收下差、`real` 与 `atol`。"""

    def answer(ours, reference, real, atol):
        differences = enumerate(map(torch.sub, ours, reference))
        return next((i for i, diff in differences if is_wrong(diff, real, atol)), -1)

    return answer


first_wrong = first(lambda diff, real, atol: not (diff[real].abs() <= atol).all())

# 表格自己排版：提示在前，错答在后，写得下就在一行
# fmt: off
KEYS = {
    "embeddings.token_type_embeddings.weight": "嵌入层的名字查 EMBEDDING_NAMES。",
    "encoder.layer.3.attention.self.value.bias": "层里的名字查 LAYER_NAMES，.weight 与 .bias 照抄。",
    "encoder.layer.0.attention.output.dense.weight":
        "attention.output.dense 与 output.dense 的末尾相同，却是两样东西，要拿完整的名字去查。",
    "encoder.layer.0.output.dense.weight": "不带 attention 的 output.dense 是前馈网络的第二个线性映射。",
    "encoder.layer.0.output.LayerNorm.weight":
        "一层有两次层归一化，attention.output.LayerNorm 是第一次，output.LayerNorm 是第二次。",
    "encoder.layer.11.intermediate.dense.weight": "层的编号可以不止一位。",
    "bert.embeddings.LayerNorm.bias": "有的文件在每个键前面加上 bert.，要先去掉。",
    "pooler.dense.weight": "池化层不属于编码器，应当返回空字符串。",
    "cls.predictions.bias": "预训练的输出头不属于编码器，应当返回空字符串。",
    "embeddings.position_ids": "它只是 0、1、2 一直数下去的编号，不在 EMBEDDING_NAMES 里，应当返回空字符串。",
}
EXERCISES = [
    Exercise("encoder_is_bert.parameter-count",
        cases=lambda rng: [(BertConfig(**SMALL),), (BertConfig(),), (BertConfig(**MULTILINGUAL),)],
        right=count,
        wrong={
            "词元嵌入没有数。": short_of(lambda c, d, f, n: c.vocab_size * d),
            "位置嵌入没有数，BERT 的位置是学来的，每个位置一行。": short_of(lambda c, d, f, n: c.max_len * d),
            "段嵌入没有数。": short_of(lambda c, d, f, n: c.num_segments * d),
            "三种嵌入相加之后还有一次层归一化，γ 与 β 各 D 个。": short_of(lambda c, d, f, n: 2 * d),
            "层归一化有可学习的 γ 与 β：嵌入之后一次，每层两次。": short_of(lambda c, d, f, n: (2 * n + 1) * 2 * d),
            "每层的层归一化有两次，不是一次。": short_of(lambda c, d, f, n: n * 2 * d),
            "线性层的偏置没有数。": short_of(lambda c, d, f, n: n * (5 * d + f)),
            "前馈网络的两个偏置没有数，一个长 F，一个长 D。": short_of(lambda c, d, f, n: n * (d + f)),
            "注意力的四个偏置没有数，或者每层两次层归一化的 γ 与 β 没有数。": short_of(lambda c, d, f, n: n * 4 * d),
            "前馈网络有两个矩阵，一个 D 到 F，一个 F 到 D。": short_of(lambda c, d, f, n: n * d * f),
            "前馈网络没有数。": short_of(lambda c, d, f, n: n * (2 * d * f + f + d)),
            "注意力有四个投影，还有拼接之后的 out_proj。": short_of(lambda c, d, f, n: n * (d * d + d)),
            "只数了一层，各层的参数互不相同，要乘层数。":
                short_of(lambda c, d, f, n: (n - 1) * (4 * (d * d + d) + 2 * d * f + f + d + 4 * d)),
            "多数了池化层，它不属于编码器。": short_of(lambda c, d, f, n: -(d * d + d)),
            "不必乘头数：h 个头的投影合起来才是一个 D×D。": short_of(lambda c, d, f, n: -n * (c.num_heads - 1) * 4 * (d * d + d)),
        },
        otherwise="再逐项核对：三张嵌入表，每层的注意力、前馈网络、层归一化。",
        praise="与建出来的模型逐个数出来的一样，头数不在式子里；多语 BERT 是 117505920 个，比 BERT-base 还多。",
    ),
    Exercise("encoder_is_bert.our-key",
        cases=lambda rng: [(key,) for key in KEYS],
        right=lambda key: our_name(key) or "",
        wrong={
            "末尾的 .weight 与 .bias 要照抄。": lambda key: (our_name(key) or "").rpartition(".")[0],
            "不属于编码器的键应当返回空字符串，不是 None。": our_name,
        },
        otherwise=[*KEYS.values()],
        praise="每个键都有归处，不归我们管的也认得出。",
    ),
    Exercise("encoder_is_bert.embeddings",
        cases=lambda rng: [(IDS, SEGMENTS, rng.randn(9, 4), rng.randn(9, 4), rng.randn(2, 4))],
        right=add,
        wrong={
            "没有加段嵌入：句对里第二句的词元要用第 1 行。": lambda i, s, t, p, g: add(i, s, t, p, 0 * g),
            "没有加位置嵌入：这样一来词元换了次序，模型看不出来。": lambda i, s, t, p, g: add(i, s, t, 0 * p, g),
            "没有加词元嵌入。": lambda i, s, t, p, g: add(i, s, 0 * t, p, g),
            "段嵌入一律用了第 0 行：要按 segments 去查。": lambda i, s, *tables: add(i, 0 * s, *tables),
            "位置嵌入按词元的编号查了：应当按它坐在第几个位置查。": lambda i, s, t, p, g: add(i, s, t + p, 0 * p, g),
            "位置从 0 数起，第一个词元用第 0 行。": lambda i, s, t, p, g: add(i, s, t, p[1:], g),
            "三种嵌入是相加，不是取平均。": lambda *args: add(*args) / 3,
            "BERT 不给词元嵌入乘 √D，那是 2017 年论文的做法。": lambda i, s, t, p, g: add(i, s, 2 * t, p, g),
            "还没有到层归一化，这一题只要相加的结果。": lambda *args: F.layer_norm(add(*args), (4,)),
        },
        otherwise="每个位置应当是词元嵌入、位置嵌入、段嵌入三行之和。",
        praise="三张表各查一行，相加。",
    ),
    Exercise("encoder_is_bert.post-norm-layer",
        cases=lambda rng: [(rng.randn(5, 4), *random_layer(rng))],
        right=lambda x, attend, feed_forward, norm1, norm2: layer(x, attend, feed_forward, norm1, norm2),
        wrong={
            "这是 pre-norm；BERT 先加残差，再归一化。": lambda x, at, ff, n1, n2: (a := x + at(n1(x))) + ff(n2(a)),
            "第一个子层没有残差连接：应当把 x 加回来。": lambda *args: layer(*args, x_back=0),
            "第二个子层没有残差连接：应当把它自己的输入加回来。": lambda *args: layer(*args, a_back=0),
            "两个子层都没有残差连接：应当各把自己的输入加回来。": lambda *args: layer(*args, x_back=0, a_back=0),
            "第二个残差加的是最初的 x，应当加前馈网络自己的输入。": lambda x, at, ff, n1, n2: n2(x + ff(n1(x + at(x)))),
            "前馈网络的输入应当是第一次归一化的结果，不是 x。": lambda x, at, ff, n1, n2: n2(n1(x + at(x)) + ff(x)),
            "第一次归一化漏了：加上注意力的输出之后就要归一化。": lambda x, at, ff, n1, n2: layer(x, at, ff, torch.clone, n2),
            "第二次归一化漏了：加上前馈网络的输出之后还要归一化。": lambda x, at, ff, n1, n2: layer(x, at, ff, n1, torch.clone),
            "次序反了：先注意力，后前馈网络。": lambda x, at, ff, n1, n2: layer(x, ff, at, n1, n2),
            "两次归一化用了同一个 norm1：它们各有自己的 γ 与 β。": lambda x, at, ff, n1, n2: layer(x, at, ff, n1, n1),
            "norm1 与 norm2 用反了。": lambda x, at, ff, n1, n2: layer(x, at, ff, n2, n1),
            "归一化的只是子层的输出；应当先加残差，再归一化。": lambda x, at, ff, n1, n2: (a := x + n1(at(x))) + n2(ff(a)),
        },
        otherwise="输出不等于 LN(A + FFN(A))，A = LN(x + MHA(x))。",
        praise="先相加，后归一化，做两次。",
    ),
    Exercise("encoder_is_bert.first-wrong-layer",
        cases=states,
        right=first_wrong,
        wrong={
            "各层的差都在容差之内时应当返回 -1。": lambda *args: max(first_wrong(*args), 0),
            "第 0 层每个数只差 4e-6，在容差之内；不能要求完全相等，也不要把各处的差加在一起。": [
                first(lambda diff, real, atol: diff[real].any()),
                first(lambda diff, real, atol: diff[real].norm() > atol),
            ],
            "那一层只错在填充上，填充的向量没有人用：只看 real。": first(lambda diff, real, atol: not (diff.abs() <= atol).all()),
            "要的是第一个出错的层，不是差得最多的层；另外，变小也是错，要取绝对值再取最大，不取平均。": [
                lambda ours, theirs, real, atol: (torch.stack(ours) - torch.stack(theirs))[:, real].abs().amax((1, 2)).argmax(),
                first(lambda diff, real, atol: not (diff[real] <= atol).all()),
                first(lambda diff, real, atol: not diff[real].abs().mean() <= atol),
            ],
            "层从 0 数起，第 0 个是嵌入层的输出。": lambda *args: first_wrong(*args) + 1,
            "放过了真实词元里的 NaN：它与谁比都是 False，不要问“有没有 > atol”，要问“是不是都 <= atol”。":
                [
                    first(lambda diff, real, atol: (diff[real].abs() > atol).any()),
                    first(lambda diff, real, atol: diff[real].abs().max() > atol),
                ],
            "填充里的 NaN 也没有人用：先取 real，再看有没有 NaN。":
                first(lambda diff, real, atol: diff.isnan().any() or (diff[real].abs() > atol).any()),
        },
        otherwise="要的是第一个在真实词元上差得超过 atol 的层，NaN 也算；都没有就是 -1。",
        praise="从这一层的代码查起，前面的都已经对了。",
    ),
]
