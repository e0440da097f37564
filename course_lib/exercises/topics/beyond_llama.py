"""《Llama 之后》的练习。"""

import torch

from ..exercise import Exercise


def tables(rng):
    """打分是正的；偏移大到会改名次。"""
    scores = rng.rand(5, 6) * 0.8 + 0.1
    push = torch.tensor([0.0, -0.5, 0.4, 0.0, -0.3, 0.2])
    return [(scores, push, 2), (scores[:3], -push, 3), (scores[:2], 0 * push, 1)]


def choose(scores, bias, top_k, ranked=None, weighed=None, normalize=True):
    chosen = (scores + bias if ranked is None else ranked).topk(top_k, dim=-1).indices
    weighed = scores if weighed is None else weighed
    kept = torch.zeros_like(scores).scatter(-1, chosen, weighed.gather(-1, chosen))
    return kept / kept.sum(dim=-1, keepdim=True) if normalize else kept


def memories(rng):
    cases = []
    for decay, rate in ((1.0, 1.0), (0.5, 0.25), (0.9, 1.0)):
        key = rng.randn(4)
        cases.append((rng.randn(4, 3), key / (key * key).sum().sqrt(), rng.randn(3), decay, rate))
    return cases


def step(state, key, value, decay, rate, read=None):
    state = decay * state
    return state + rate * torch.outer(key, value - key @ (state if read is None else read))


# 表格自己排版：提示在前，错答在后，写得下就在一行
# fmt: off
EXERCISES = [
    Exercise("beyond_llama.latent-bytes",
        right=18_432,
        wrong={
            "还没有乘每个数的两个字节。": 9_216,
            "键与值不必再乘 2：两样都由同一个潜在向量乘出来。": 36_864,
            "转过的键也要存，它另走一路。": 16_384,
            "只数了一层。": 576,
        },
        otherwise="层数 ×（潜在向量 + 转过的键）× 字节。",
        praise="18 KB；头数怎样改都是这么多。",
    ),
    Exercise("beyond_llama.read-back",
        right=4.92,
        wrong={
            "两个键不是垂直的，写第二对也沾到了第一个：3 + 0.6 × (5 − 1.8)。": 3,
            "这是只会加的读数 3 + 0.6 × 5：增量规则先读出 1.8，只写差的 3.2。": 6.0,
            "3.2 是要写进去的那一截；还要乘两个键的点积 0.6，再加上原来的 3。": 3.2,
            "最后写的是 5，可是读的不是那个键。": 5,
        },
        otherwise="先算写第二对之前读到几，差多少；差的那一截乘 0.6，加到 3 上。",
        praise="新写的读得一点不差，旧的却由 3 变成了 4.92：相像的键，互相沾染。",
    ),
    Exercise("beyond_llama.active-parameters",
        cases=lambda rng: [(100, 80, 8, 2), (6_700, 0, 1, 1), (1_000, 900, 256, 8)],
        right=lambda total, routed, num_experts, top_k: total - routed + routed * top_k / num_experts,
        wrong={
            "不在专家里的那些也动用：注意力、嵌入、共享专家。": lambda t, r, e, k: r * k / e,
            "全部的参数不是都分给专家：只有 routed 那一份按 K/E 打折。": lambda t, r, e, k: t * k / e,
            "挑的是 K 个，不是一个。": lambda t, r, e, k: t - r + r / e,
            "这是没有动用的那一份。": lambda t, r, e, k: r - r * k / e,
            "这是全部的参数，没有挑中的不算。": lambda t, r, e, k: t,
        },
        otherwise="不在专家里的全算，专家里的乘 K/E。",
        praise="DeepSeek-V3 的 6710 亿里，这样算出来是 376 亿。",
    ),
    Exercise("beyond_llama.choose",
        cases=tables,
        right=lambda scores, bias, top_k: choose(scores, bias, top_k),
        wrong={
            "偏移也算进了权重：它只改名次，权重照原来的分数。":
                lambda s, b, k: choose(s, b, k, weighed=s + b),
            "名次没有用到偏移。": lambda s, b, k: choose(s, b, k, ranked=s),
            "挑中的权重之和还不是 1。": lambda s, b, k: choose(s, b, k, normalize=False),
            "除以的是全部专家的分数之和，应当只除以挑中的。":
                lambda s, b, k: choose(s, b, k, normalize=False) / s.sum(dim=-1, keepdim=True),
            "没有挑中的也留着权重，它们应当是 0。": lambda s, b, k: s / s.sum(dim=-1, keepdim=True),
        },
        otherwise="照 scores + bias 取前 K 名，取出它们原来的分数，除以这几个的和，放回原位。",
        praise="忙的专家压一压名次，损失的梯度一点不受影响。",
    ),
    Exercise("beyond_llama.delta-step",
        cases=memories,
        right=lambda state, key, value, decay, rate: step(state, key, value, decay, rate),
        wrong={
            "没有先读：要写的是 value 减去用 key 读到的。":
                lambda s, k, v, a, b: a * s + b * torch.outer(k, v),
            "读的是没有褪过色的记忆；先褪色，再读。": lambda s, k, v, a, b: step(s, k, v, a, b, read=s),
            "忘了褪色：原来的记忆要先乘 decay。": lambda s, k, v, a, b: step(s, k, v, 1.0, b),
            "差的那一截要乘 rate 再写。": lambda s, k, v, a, b: step(s, k, v, a, 1.0),
            "褪色的是写过之后的：先褪旧的，再写新的。":
                lambda s, k, v, a, b: a * step(s, k, v, 1.0, b),
        },
        otherwise="state 乘 decay；读 key @ state；差的那一截乘 rate，与 key 作外积，加上去。",
        praise="这一步循环下去，就是 Qwen3-Next 四分之三的层。",
    ),
]
