"""《多头注意力》的练习。"""

import torch

from ...attention import MultiHeadAttention, scaled_dot_product_attention
from ..exercise import Exercise, Symptom


def split(x, num_heads):
    return x.unflatten(-1, (num_heads, -1)).transpose(-3, -2)


def merge(heads):
    return heads.transpose(-3, -2).flatten(-2)


def attend(x, w_query, w_key, w_value, cut=lambda y: y):
    return scaled_dot_product_attention(cut(x @ w_query), cut(x @ w_key), cut(x @ w_value))[0]


def multi_head(x, w_query, w_key, w_value, w_out, num_heads):
    return merge(attend(x, w_query, w_key, w_value, lambda y: split(y, num_heads))) @ w_out


def weights(scores, mask, lowest=-1e9):
    return scores.masked_fill(~mask, lowest).softmax(dim=-1)


def both(keep, num_heads):
    return (keep[:, :, None] & keep[:, None]).repeat_interleave(num_heads, dim=0)


KEEP = torch.arange(4) < torch.tensor([[4], [2], [3]])

# 表格自己排版：提示在前，错答在后，写得下就在一行
# fmt: off
EXERCISES = [
    Exercise("multi_head_attention.split-heads",
        cases=lambda rng: [(rng.randn(2, 5, 12), 3)],
        right=split,
        wrong={
            "形状对了，内容乱了：直接变成 (B, h, N, d) 会把不同位置的数混在一起，先拆成 (B, N, h, d) 再交换两维。":
                lambda x, h: x.reshape(2, h, 5, -1),
            "拆最后一维时次序反了：每个头占连续的 d 列，应当拆成 (h, d)，不是 (d, h)。":
                lambda x, h: x.unflatten(-1, (-1, h)).permute(0, 3, 1, 2),
        },
        otherwise="第 i 个头应当是 x 的第 i·d 到 (i+1)·d 列。",
        praise="先拆最后一维，再把头移到位置之前。",
    ),
    Exercise("multi_head_attention.merge-heads",
        cases=lambda rng: [(rng.randn(2, 3, 5, 4),)],
        right=merge,
        wrong={
            "各头的输出是首尾拼接，不是取平均：平均之后就分不清谁说了什么。": lambda heads: heads.mean(dim=1),
            "形状对了，内容乱了：头还排在位置之前就合并，同一行里混进了别的位置；先把两维交换回来。":
                lambda heads: heads.reshape(2, 5, 12),
        },
        otherwise="每一行应当依次是各头在这个位置的输出。",
        praise="与 torch.cat 各头的输出相同，正是拆分的逆。",
    ),
    Exercise("multi_head_attention.parameter-count",
        cases=lambda rng: [(64, 4), (96, 8), (64, 1)],
        right=lambda d_model, num_heads: sum(p.numel() for p in MultiHeadAttention(d_model, num_heads).parameters()),
        wrong={
            "只数了 q、k、v 三个投影，还有拼接之后的 out_proj。": lambda d, h: 3 * (d * d + d),
            "四个投影的偏置没有数，每个 D 个数。": lambda d, h: 4 * d * d,
            "不用再乘头数，每个头只有 D/h 列，h 个头合起来才是一个 D × D 的矩阵。": lambda d, h: 4 * h * (d * d + d),
        },
        otherwise="四个 D × D 的矩阵，各带一个长 D 的偏置。",
        praise="4 × (D² + D)，式子里没有头数。",
    ),
    Exercise("multi_head_attention.masked-weights",
        cases=lambda rng: [(rng.randn(6, 4, 4), KEEP, 2)],
        right=lambda scores, keep, num_heads: weights(scores, keep.repeat_interleave(num_heads, dim=0)[:, None]),
        wrong={
            "结果里有 NaN：填充的查询也被挡住，整行都是 -∞；只挡键。":
                Symptom(lambda s, keep, h: weights(s, both(keep, h), -torch.inf), lambda got, *_: got.isnan().any()),
            "掩码给错了句子：分数的次序是先批后头，同一句的各个头紧挨着，第 b·h 到 (b+1)·h−1 片才属于第 b 句。":
                lambda scores, keep, h: weights(scores, keep.repeat(h, 1)[:, None]),
            "挡住的是查询，不是键：掩码应当沿最后一维（键的方向）摆。":
                lambda scores, keep, h: weights(scores, keep.repeat_interleave(h, 0)[:, :, None]),
        },
        otherwise="填充的键上权重应当是 0，每一行之和应当是 1。",
        praise="每个头都戴上了自己那一句的掩码。",
    ),
    Exercise("multi_head_attention.from-scratch",
        cases=lambda rng: [(rng.randn(5, 12), *(rng.randn(4, 12, 12) / 12**0.5), 3)],
        right=multi_head,
        wrong={
            "拼接之后还要乘 W^O，否则各头的结果互不相干。": lambda x, q, k, v, o, h: multi_head(x, q, k, v, torch.eye(12), h),
            "这是一个宽度为 D 的头：应当先把 D 列拆成几份，每份各做一次注意力。": lambda x, q, k, v, o, h: attend(x, q, k, v) @ o,
            "拆头时把位置弄乱了：先变成 (N, h, d)，再交换前两维。":
                lambda x, q, k, v, o, h: attend(x, q, k, v, lambda y: y.reshape(h, 5, 4)).reshape(5, 12) @ o,
            "缩放用的是每个头的宽度 d 的平方根，不是模型宽度 D 的。":
                lambda x, q, k, v, o, h: multi_head(x, q / h**0.5, k, v, o, h),
        },
        otherwise="输出不等于 Concat(head_1, …, head_h) W^O。",
        praise="投影、拆头、注意力、拼接、W^O，一步不少。",
    ),
]
