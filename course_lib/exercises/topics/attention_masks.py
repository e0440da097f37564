"""《注意力掩码》的练习。"""

import torch

from ...attention import causal_mask, padding_mask
from ..exercise import Exercise, Symptom

LENGTHS = torch.tensor([3, 5, 1])
REAL = (torch.arange(5) < LENGTHS[:, None]).long()
MASK = torch.tensor([[True, True, False, False], [True, False, True, True]])[:, None, :]

LATE = "先 softmax，再把 [PAD] 清零"
BY_HAND = {
    "没有掩码": [1 / 10, 2 / 10, 3 / 10, 4 / 10],
    "填充掩码": [1 / 6, 2 / 6, 3 / 6, 0],
    "因果掩码": [1 / 3, 2 / 3, 0, 0],
    LATE: [1 / 10, 2 / 10, 3 / 10, 0],
}
RIGHT, LEFT, FORGOT, _ = PREDICTED = {
    "右边补，只有因果掩码": True,
    "左边补，只有因果掩码": False,
    "左边补，因果与填充，但第 0 层忘了填充": False,
    "左边补，因果与填充，[PAD] 的嵌入换成一万": True,
}


def keys(lengths, n):
    return (torch.arange(n) < lengths[:, None])[:, None, None, :]


def past(mask):
    return causal_mask(mask.size(1))


def average(x, mask):
    return x.masked_fill(mask[..., None] == 0, 0).sum(dim=1) / mask.sum(dim=1, keepdim=True)


def masked_sum(x, mask):
    return (x * mask[..., None]).sum(dim=1)


def fill(scores, mask, value):
    return scores.masked_fill(~mask, value).softmax(dim=-1)


def lowest(scores):
    return torch.finfo(scores.dtype).min


def scores_to_weigh(rng):
    """原样的、半精度的、全都很小的，再两组第二句整行被挡住，其中一组还要看梯度。"""
    scores, nothing = rng.randn(2, 4, 4), MASK.clone()
    nothing[1] = False
    traced = scores.clone().requires_grad_()
    return [
        (scores, MASK),
        (scores.half(), MASK),
        (scores - 3e4, MASK),
        (traced, nothing),
        (scores.half(), nothing),
    ]


def with_gradient(weights, scores, mask):
    """权重，以及它回传的梯度是不是有限的数。"""
    if not weights.requires_grad:
        return weights, True
    (gradient,) = torch.autograd.grad(weights.square().sum(), scores, allow_unused=True)
    return weights, gradient is None or bool(gradient.isfinite().all())


# 表格自己排版：提示在前，错答在后，写得下就在一行
# fmt: off
EXERCISES = [
    Exercise("attention_masks.by-hand",
        right=BY_HAND,
        wrong={
            "把分数当成了权重：先取指数，ln 2 的指数是 2，再除以看得见的那几个的和。":
                Symptom(BY_HAND | {"没有掩码": [0, 0.69, 1.1, 1.39]}, lambda got: abs(got["没有掩码"][0]) < 1e-6),
            "填充掩码：[PAD] 不在分母里了，三个指数 1、2、3 加起来是 6。":
                Symptom(BY_HAND | {"填充掩码": [0.1, 0.2, 0.3, 0]}, lambda got: abs(got["填充掩码"][0] - 1 / 6) > 0.01),
            "因果掩码：B 只看得见 A 和自己，分母是 1 + 2 = 3。":
                Symptom(BY_HAND | {"因果掩码": [1, 0, 0, 0]}, lambda got: abs(got["因果掩码"][1] - 2 / 3) > 0.01),
            "先 softmax 再清零：分母里还有 [PAD] 的 4，别人的份没有变大，加起来不到 1。":
                Symptom(BY_HAND | {LATE: [1 / 6, 2 / 6, 3 / 6, 0]}, lambda got: sum(got[LATE]) > 0.65),
        },
        otherwise="每种情形写四个数，依次给 A、B、C、[PAD]：看得见的指数除以它们的和，看不见的是 0。",
        praise="挡在前面，份额重新分；挡在后面，[PAD] 的那四成就凭空没了。",
        atol=6e-3,
    ),
    Exercise("attention_masks.predict",
        right=PREDICTED,
        wrong={
            "补在右边的都在真实词元的后面，因果掩码已经把它们挡住了。":
                Symptom(PREDICTED | {RIGHT: False}, lambda got: got[RIGHT] is False),
            "补在左边的都在真实词元的前面，因果掩码准许看前面的。":
                Symptom(PREDICTED | {LEFT: True}, lambda got: got[LEFT] is True),
            "漏一层就够了：第 0 层把 [PAD] 混了进来，以后再挡也拿不出去。":
                Symptom(PREDICTED | {FORGOT: True}, lambda got: got[FORGOT] is True),
        },
        otherwise="每一种都写 True 或 False：真实词元一路上有没有读到过 [PAD]？没有人读它，它的向量再大也影响不了别人。",
        praise="右边补、又有因果掩码，填充掩码就用不着了；左边补，一层也漏不得。",
    ),
    Exercise("attention_masks.from-lengths",
        cases=lambda rng: [(LENGTHS, 6)],
        right=keys,
        wrong={
            "内容先不看，形状还是 (B, n)：中间要补上头与查询两维，成为 (B, 1, 1, n)，否则会广播错地方。":
                Symptom(lambda lengths, n: keys(lengths, n)[:, 0, 0]),
            "维度补反了：(B, 1, n, 1) 挡住的是查询，要挡的是键，最后一维才是键。":
                Symptom(lambda lengths, n: keys(lengths, n).mT),
            "意思反了：True 应当是可以看，也就是真实词元。": lambda lengths, n: ~keys(lengths, n),
            "多放进了一个：长度是 3 时，真实的位置是 0、1、2，应当用 <，不是 <=。": lambda lengths, n: keys(lengths + 1, n),
        },
        otherwise="第 b 句的前 lengths[b] 个位置是 True，其余是 False。",
        praise="前 lengths[b] 个位置可以看，各头、各查询共用一行。",
    ),
    Exercise("attention_masks.causal-and-padding",
        cases=lambda rng: [(REAL,)],
        right=lambda attention_mask: padding_mask(attention_mask) & past(attention_mask),
        wrong={
            "意思反了：True 应当是可以看。": lambda m: ~(padding_mask(m) & past(m)),
            "用了“或”：两条规定都允许才可以看，应当用 &。": lambda m: padding_mask(m) | past(m),
            "只挡了将来，填充还看得到。": lambda m: past(m).expand(3, 1, 5, 5),
            "只挡了填充，将来还看得到。": lambda m: padding_mask(m).expand(3, 1, 5, 5),
            "连自己也挡住了：第 i 个查询应当看得到第 0 到 i 个键，包括自己。": lambda m: padding_mask(m) & past(m).tril(-1),
            "填充的查询也被挡住，那一行就没有可看的位置了：只挡键。": lambda m: padding_mask(m) & padding_mask(m).mT & past(m),
            "方向反了：这是只许看自己和之后的位置，三角应当在左下。": lambda m: padding_mask(m) & past(m).T,
        },
        otherwise="第 b 句第 i 行第 j 列为 True，当且仅当 j <= i，而且第 j 个是真实词元。",
        praise="与 padding_mask & causal_mask 相同。",
    ),
    Exercise("attention_masks.for-torch",
        cases=lambda rng: [(REAL,)],
        right=lambda attention_mask: (attention_mask == 0, ~past(attention_mask)),
        wrong={
            "应当返回两个张量：key_padding_mask 与 attn_mask。": Symptom(lambda m: m == 0),
            "key_padding_mask 的形状是 (B, N)，模块自己会补维度，这里多补了两维。":
                Symptom(lambda m: (~padding_mask(m), ~past(m))),
            "两张都没有取反：nn.MultiheadAttention 的布尔掩码里，True 是挡住。": lambda m: (m == 1, past(m)),
            "key_padding_mask 没有取反：True 应当是填充。":
                Symptom(lambda m: (m == 1, ~past(m)), lambda got, m: got[0].equal(m == 1)),
            "attn_mask 没有取反：True 应当是将来。": Symptom(lambda m: (m == 0, past(m)), lambda got, m: got[1].equal(past(m))),
            "attn_mask 的对角线也挡住了：第一个查询就没有可看的位置，结果会是 NaN。":
                Symptom(lambda m: (m == 0, ~past(m).tril(-1)), lambda got, m: got[1].diagonal().any()),
            "key_padding_mask 应当恰好在填充处为 True。":
                Symptom(lambda m: ((m == 0).flip(1), ~past(m)), lambda got, m: not got[0].equal(m == 0)),
        },
        otherwise="attn_mask 应当恰好在对角线右上方为 True。",
        praise="两张都是 True = 挡住，正与本课的相反。",
    ),
    Exercise("attention_masks.mean-pool",
        cases=lambda rng: [
            (x := rng.randn(3, 5, 4), REAL),
            (x.masked_fill(REAL[..., None] == 0, torch.nan), REAL),
        ],
        right=average,
        wrong={
            "把填充也平均进去了：短句的向量会被填充的行带偏，只平均真实词元。": lambda x, m: x.mean(dim=1),
            "分母不对：填充的行去掉了，却还除以 N，应当除以真实词元的个数。": lambda x, m: masked_sum(x, m) / x.size(1),
            "这是取 [CLS]，即第一个位置；题目要的是平均。": lambda x, m: x[:, 0],
            "填充的行里有 NaN 时，结果也成了 NaN：0 × NaN 仍是 NaN，要先用 masked_fill 把那些行换成 0。":
                Symptom(
                    lambda x, m: masked_sum(x, m) / m.sum(dim=1, keepdim=True),
                    lambda got, x, m: x.isnan().any() and got.isnan().any(),
                ),
        },
        otherwise="每句应当是它的真实词元向量的平均。",
        praise="填充的行里就算是 NaN，也与它无关。",
    ),
    Exercise("attention_masks.masked-weights",
        cases=scores_to_weigh,
        right=lambda scores, mask: fill(scores, mask, lowest(scores)).masked_fill(~mask, 0),
        observe=with_gradient,
        wrong={
            "约定还是反的：True = 可以看，要换掉的是 ~mask 的地方。": lambda scores, mask: fill(scores, ~mask, -1e9),
            "softmax 之后才清零，行和不到 1；先换分数，再 softmax。": lambda scores, mask: scores.softmax(dim=-1) * mask,
            "float16 装不下你填的那个数，用 torch.finfo(scores.dtype).min。": lambda scores, mask: fill(scores, mask, -1e9),
            "整行被挡住时出现了 NaN：整行都是 -∞，softmax 是 0/0。":
                Symptom(
                    lambda scores, mask: fill(scores, mask, -torch.inf),
                    lambda got, scores, mask: not mask[1].any() and got[0].isnan().any(),
                ),
            "整行被挡住时，权重成了平均分配；应当全是 0。":
                Symptom(
                    lambda scores, mask: fill(scores, mask, lowest(scores)),
                    lambda got, scores, mask: not mask[1].any() and (got[0][1] != 0).any(),
                ),
            "前向没有 NaN，梯度里却有：NaN 应当不产生，而不是事后换掉。":
                Symptom(
                    lambda scores, mask: (scores + torch.where(mask, 0.0, -torch.inf)).softmax(-1).nan_to_num(),
                    lambda got, scores, mask: not got[1],
                ),
            "scores 还要算梯度，不能就地改：masked_fill_ 换成 masked_fill。":
                lambda scores, mask: scores.masked_fill_(~mask, lowest(scores)).softmax(-1).masked_fill(~mask, 0),
        },
        otherwise=[
            "被挡住的权重应当是 0，其余与只在可看的键上做 softmax 相同。",
            "换成 float16，权重就不对了：分数会溢出吗？",
            "所有分数一起减去 30000，权重本不该变，这里却变了：填的数要比任何分数都小，指数也别自己算，交给 softmax。",
            "整行被挡住时，权重应当全是 0，别的行照旧。",
            "换成 float16，整行被挡住时，权重应当全是 0，别的行照旧。",
        ],
        praise="三种毛病都没有了：约定、半精度、整行被挡住。",
    ),
]
