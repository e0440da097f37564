"""《喷注鉴别》的练习。"""

from math import ceil, floor, inf

import torch

from ..exercise import Exercise, Symptom

RATIO = "阈值取到信号刚好留下 efficiency，再用全部本底除以混进来的。"
NONE = "一个本底也没有混进来时，应当返回无穷大，而不是别的数。"


def gap(x):
    return x[:, :, None] - x[:, None]


def biased(query, key, value, bias, keep, fill=-inf, dim=-1):
    return (query @ key.mT / 2 + bias).masked_fill(~keep[:, None], fill).softmax(dim=dim) @ value


def separated(rng):
    """前三组的信号挤成三堆，分位数怎样插值都一样；第四组一个也混不进来；末两组只有四个信号，插值就落在两个之间。"""
    labels, scores = (rng.randperm(1050) < 150).long(), rng.randn(1050)
    scores[labels == 1] = torch.tensor([0.2, 1.0, 1.8]).repeat(50) + 1e-5 * rng.randn(150)
    easy = torch.tensor([1, 1, 0, 0]), torch.tensor([4.0, 3.0, 2.0, 1.0]), 0.5
    few = torch.tensor([1, 1, 1, 1, 0, 0, 0, 0]), torch.tensor([4.0, 3.0, 2.0, 1.0, 3.5, 2.1, 1.4, 0.5])
    many = ((labels, scores, efficiency) for efficiency in (0.25, 0.5, 0.75))
    return [*many, easy, (*few, 0.8), (*few, 0.5)]


def counted(labels, scores, threshold, none=inf):
    background = scores[labels == 0]
    passed = int((background >= threshold).sum())
    return len(background) / passed if passed else none


def rejection(labels, scores, efficiency, none=inf, kept=ceil):
    signal = scores[labels == 1].sort(descending=True).values
    return counted(labels, scores, signal[kept(efficiency * len(signal)) - 1], none)


def by_quantile(labels, scores, efficiency, whole=float):
    """阈值取信号的 1 - efficiency 分位数；whole 把名次凑成整数，不凑就在两个之间插值。"""
    signal = scores[labels == 1].sort().values
    place = whole((1 - efficiency) * (len(signal) - 1))
    low = floor(place)
    step = signal[min(low + 1, len(signal) - 1)] - signal[low]
    return counted(labels, scores, signal[low] + (place - low) * step)


# 表格自己排版：提示在前，错答在后，写得下就在一行
# fmt: off
EXERCISES = [
    Exercise("jet_tagging.pairwise-distance",
        cases=lambda rng: [(rng.randn(4, 6, 3),)],
        right=lambda features: gap(features[..., 1:]).norm(dim=-1),
        atol=1e-4,
        wrong={
            "把 pT 也算进距离了：距离只看后两列，即 Δη 与 Δφ。": lambda x: gap(x).norm(dim=-1),
            "这是距离的平方，还要开方。": lambda x: gap(x[..., 1:]).square().sum(-1),
            "两个差直接相加了；应当平方、相加，再开方。": lambda x: gap(x[..., 1:]).abs().sum(-1),
            "这是两个粒子离喷注轴的距离之差，不是它们之间的距离：先减方向，再求长度。":
                [lambda x: gap(x[..., 1:].norm(dim=-1)), lambda x: gap(x[..., 1:].norm(dim=-1)).abs()],
            "ΔRᵢⱼ 与 ΔRⱼᵢ 应当相等，结果却不对称。": [lambda x: gap(x[..., 1]), lambda x: gap(x[..., 1:]).sum(-1)],
        },
        otherwise="第 i 行第 j 列应当是 √(Δηᵢⱼ² + Δφᵢⱼ²)，对称，对角线是 0。",
        praise="只看两两之差，所以粒子重排，行与列跟着重排。",
    ),
    Exercise("jet_tagging.biased-attention",
        cases=lambda rng: [(*rng.randn(3, 2, 5, 4), 2 * rng.randn(2, 5, 5), torch.arange(5) < torch.tensor([[5], [3]]))],
        right=lambda query, key, value, bias, keep: biased(query, key, value, bias, keep),
        wrong={
            "softmax 的方向反了：每一行（每个查询）的权重之和是 1，对 dim=-1 做。":
                [lambda *case: biased(*case, dim=-2), lambda *case: biased(*case, dim=-2, fill=-1e9)],
            "结果里有 NaN：填充的查询也要有键可看，只挡键，不挡查询。":
                Symptom(lambda q, k, v, b, m: biased(q, k, v, b.where(m[..., None], -inf), m), lambda got, *_: got.isnan().any()),
            "没有用上 bias：它要在 softmax 之前加到分数上。": lambda q, k, v, b, keep: biased(q, k, v, 0, keep),
            "bias 加到权重上了，各行之和不再是 1；加在 softmax 之前。": lambda q, k, v, b, keep: biased(q, k, v, 0, keep) + b @ v,
            "bias 与分数相乘了，应当相加。": lambda q, k, v, b, keep: biased(0 * q, k, v, q @ k.mT / 2 * b, keep),
            "分数没有除以 √d。": lambda q, k, v, b, keep: biased(2 * q, k, v, b, keep),
            "bias 也除以 √d 了：只缩放点积，偏置原样相加。": lambda q, k, v, b, keep: biased(q, k, v, b / 2, keep),
            "bias 转置了：第 i 行是查询，第 j 列是键。": lambda q, k, v, b, keep: biased(q, k, v, b.mT, keep),
            "没有用掩码：填充的键也分到了权重。": lambda q, k, v, b, keep: biased(q, k, v, b, keep | True),
            "掩码反了：keep 里 True 是真实的粒子，要挡住的是 False。":
                [lambda *case: biased(*case[:4], ~case[4]), lambda *case: biased(*case[:4], ~case[4], -1e9)],
            "softmax 之后才挡，各行之和就小于 1；要先把填充的分数换成负无穷。":
                lambda q, k, v, b, keep: biased(q, k, v * keep[..., None], b, keep | True),
            "填充的分数换成 0 还不行，exp(0) = 1，照样分到权重；要换成负无穷。": lambda *case: biased(*case, fill=0.0),
        },
        otherwise="应当是 softmax(QKᵀ/√d + bias)V，填充的键权重为 0。",
        praise="偏置加在 softmax 之前，再挡住填充的键。",
    ),
    Exercise("jet_tagging.rejection",
        cases=separated,
        right=lambda labels, scores, efficiency: rejection(labels, scores, efficiency),
        wrong={
            "这是 ε_B，压低是它的倒数。": lambda *case: 1 / rejection(*case),
            "这是 1/ε_S，要数的是混进来的本底。": lambda labels, scores, efficiency: 1 / efficiency,
            "阈值是按本底的份额定的；应当按信号定，让信号留下 efficiency。":
                lambda y, s, efficiency: 1 / (s[y == 1] >= s[y == 0].quantile(1 - efficiency)).float().mean(),
            "这是混进来的个数，还要用它去除全部本底的个数。": lambda y, *r: (y == 0).sum() / rejection(y, *r),
            "分子是全部喷注，应当只数本底：ε_B 是本底里混进来的份额。": lambda y, *r: len(y) / (y == 0).sum() * rejection(y, *r),
            "方向反了，分数越大越像信号，留下的是大的。": lambda y, s, efficiency: rejection(y, -s, efficiency),
            NONE: [lambda *case: rejection(*case, none=0), lambda *case: rejection(*case, none=2)],
            "留下的信号不到 efficiency 了：个数不是整数时要向上取整，分位数的插值也不作数；阈值就是第 ⌈efficiency × 信号数⌉ 个信号的分数。":
                [by_quantile, lambda *case: by_quantile(*case, round), lambda *case: rejection(*case, kept=floor)],
            "多留了一个信号：刚好不低于 efficiency 就停，阈值是第 ⌈efficiency × 信号数⌉ 个信号的分数。":
                [lambda *case: by_quantile(*case, floor), lambda *case: rejection(*case, kept=lambda x: floor(x) + 1)],
        },
        otherwise=[RATIO, RATIO, RATIO, NONE, RATIO, RATIO],
        praise="阈值由信号定，倍数由本底数。",
    ),
    Exercise("jet_tagging.enough-background",
        cases=lambda rng: [(50, 0.11), (130, 0.07), (9, 0.4)],
        right=lambda factor, error: ceil(factor / error**2),
        wrong={
            "这是混进来的个数，全部本底是它的 factor 倍。": lambda factor, error: ceil(1 / error**2),
            "误差是 1/√n，反解时 error 要平方。": lambda factor, error: ceil(factor / error),
            "factor 应当乘上去，不是除。": lambda factor, error: ceil(1 / error**2 / factor),
            "本底的个数应当是整数，向上取整。": lambda factor, error: factor / error**2,
        },
        otherwise="应当是不小于 factor/error² 的最小整数。",
        praise="要量得准两倍，本底就要四倍。",
    ),
]
