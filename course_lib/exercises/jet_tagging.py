"""《喷注鉴别》的练习。"""

import math

import torch

from ..tasks.jet_classifiers import background_rejection
from ..tasks.jets import jets
from .registry import is_close, register, require, require_shape, run


@register("jet_tagging.pairwise-distance")
def pairwise_distance(answer):
    features = jets(4, seed=8, max_particles=6).features
    got = run(answer, features)
    require_shape(got, (4, 6, 6), "结果")
    gap = features[:, :, None] - features[:, None]
    right = gap[..., 1:].norm(dim=-1)
    require(not is_close(got, gap.norm(dim=-1)), "把 pT 也算进距离了：距离只看后两列，即 Δη 与 Δφ。")
    require(not is_close(got, right**2), "这是距离的平方，还要开方。")
    require(not is_close(got, gap[..., 1:].abs().sum(dim=-1)), "两个差直接相加了；应当平方、相加，再开方。")
    axis = features[..., 1:].norm(dim=-1)
    require(
        not is_close(got, axis[:, :, None] - axis[:, None])
        and not is_close(got, (axis[:, :, None] - axis[:, None]).abs()),
        "这是两个粒子离喷注轴的距离之差，不是两个粒子之间的距离：先减方向，再求长度。",
    )
    require(is_close(got.mT, got, 1e-4), "ΔRᵢⱼ 与 ΔRⱼᵢ 应当相等，结果却不对称。")
    require(is_close(got, right, 1e-4), "第 i 行第 j 列应当是 √(Δηᵢⱼ² + Δφᵢⱼ²)，对角线是 0。")
    return "只看两两之差，所以粒子重排，行与列跟着重排。"


@register("jet_tagging.biased-attention")
def biased_attention(answer):
    generator = torch.Generator().manual_seed(3)
    query, key, value = torch.randn(3, 2, 5, 4, generator=generator)
    bias = 2 * torch.randn(2, 5, 5, generator=generator)
    keep = torch.arange(5) < torch.tensor([[5], [3]])
    got = run(answer, query, key, value, bias, keep)
    require_shape(got, (2, 5, 4), "结果")
    across = (query @ key.mT / 2 + bias).softmax(dim=-2) @ value
    require(
        not is_close(got[:1], across[:1]),
        "softmax 的方向反了：每一行（每个查询）的权重之和是 1，对 dim=-1 做。",
    )
    require(not got.isnan().any(), "结果里有 NaN：填充的查询那几行也要有键可看，只挡键，不挡查询。")
    scores, padding = query @ key.mT, ~keep[:, None, :]

    def attend(scores, blocked=padding):
        return scores.masked_fill(blocked, -torch.inf).softmax(dim=-1) @ value

    scaled = scores / 2
    weights = scaled.masked_fill(padding, -torch.inf).softmax(dim=-1)
    require(not is_close(got, attend(scaled)), "没有用上 bias：它要在 softmax 之前加到分数上。")
    require(
        not is_close(got, (weights + bias) @ value),
        "bias 加到权重上了，各行之和就不再是 1；要加在 softmax 之前。",
    )
    require(not is_close(got, attend(scaled * bias)), "bias 与分数相乘了，应当相加。")
    require(not is_close(got, attend(scores + bias)), "分数没有除以 √d。")
    require(not is_close(got, attend((scores + bias) / 2)), "bias 也除以 √d 了：只缩放点积，偏置原样相加。")
    require(not is_close(got, attend(scaled + bias.mT)), "bias 转置了：第 i 行是查询，第 j 列是键。")
    require(not is_close(got, attend(scaled + bias, padding & False)), "没有用掩码：填充的键也分到了权重。")
    require(
        not is_close(got, attend(scaled + bias, ~padding)),
        "掩码反了：keep 里 True 是真实的粒子，要挡住的是 False。",
    )
    late = (scaled + bias).softmax(dim=-1) * keep[:, None]
    require(
        not is_close(got, late @ value), "softmax 之后才挡，各行之和就小于 1；要先把填充的分数换成负无穷。"
    )
    zeroed = (scaled + bias).masked_fill(padding, 0.0).softmax(dim=-1) @ value
    require(not is_close(got, zeroed), "填充的分数换成 0 还不行，exp(0) = 1，照样分到权重；要换成负无穷。")
    require(is_close(got, attend(scaled + bias), 1e-4), "应当是 softmax(QKᵀ/√d + bias)V，填充的键权重为 0。")
    return "偏置加在 softmax 之前，再挡住填充的键。"


@register("jet_tagging.rejection")
def rejection(answer):
    generator = torch.Generator().manual_seed(4)
    labels = (torch.arange(1100) < 200).long()[torch.randperm(1100, generator=generator)]
    scores = labels + torch.randn(1100, generator=generator)
    for efficiency in (0.25, 0.5, 0.75):
        got = float(run(answer, labels, scores, efficiency))
        right, passed = background_rejection(labels, scores, efficiency)
        asked = f"效率 {efficiency} 时得到 {got:.4g}"
        require(abs(got * right - 1) > 1e-6, f"{asked}：这是 ε_B，压低是它的倒数。")
        require(abs(got * efficiency - 1) > 1e-6, f"{asked}：这是 1/ε_S，要数的是混进来的本底。")
        cut = scores[labels == 0].sort(descending=True).values[round(efficiency * 900) - 1]
        kept = float((scores[labels == 1] >= cut).float().mean())
        require(
            min(abs(got - 1 / efficiency), abs(got - 1 / kept)) > 1e-3,
            f"{asked}：阈值是按本底的份额定的；应当按信号定，让信号留下 efficiency。",
        )
        require(abs(got - passed) > 1e-6, f"{asked}：这是混进来的个数，还要用它去除全部本底的个数。")
        require(
            abs(got - 1100 / passed) > 1e-6,
            f"{asked}：分子是全部喷注，应当只数本底：ε_B 是本底里混进来的份额。",
        )
        opposite = (scores[labels == 0] <= scores[labels == 1].quantile(efficiency)).float().mean()
        require(abs(got * float(opposite) - 1) > 0.01, f"{asked}：方向反了，分数越大越像信号，留下的是大的。")
        require(abs(got / right - 1) < 0.06, f"{asked}，应当在 {right:.1f} 附近。")
    easy = torch.tensor([1, 1, 0, 0]), torch.tensor([4.0, 3.0, 2.0, 1.0])
    require(
        math.isinf(float(run(answer, *easy, 0.5))), "一个本底也没有混进来时，应当返回无穷大，而不是别的数。"
    )
    return "阈值由信号定，倍数由本底数。"


@register("jet_tagging.enough-background")
def enough_background(answer):
    for factor, error in ((50, 0.1), (130, 0.05), (9, 0.4)):
        got = float(run(answer, factor, error))
        exact = factor / error**2
        asked = f"{factor} 倍、误差 {error} 时得到 {got:g}"
        require(
            abs(got - math.ceil(1 / error**2 - 1e-9)) > 0.5,
            f"{asked}：这是混进来的个数，全部本底是它的 factor 倍。",
        )
        require(
            abs(got - math.ceil(factor / error - 1e-9)) > 1.01, f"{asked}：误差是 1/√n，反解时 error 要平方。"
        )
        require(
            abs(got * factor * error**2 - 1) > 0.5 or got > exact / 2, f"{asked}：factor 应当乘上去，不是除。"
        )
        require(abs(got - round(got)) < 1e-6, f"{asked}：本底的个数应当是整数，向上取整。")
        require(exact - 1e-6 <= got < exact + 1.01, f"{asked}，应当是不小于 factor/error² 的最小整数。")
    return "要量得准两倍，本底就要四倍。"
