"""《看见注意力》的练习。"""

import math

import torch

from .registry import is_close, register, require, require_shape, run

LAYERS, HEADS, N = 3, 4, 5


def some_attentions() -> torch.Tensor:
    return (2 * torch.randn(LAYERS, HEADS, N, N)).softmax(dim=-1)


@register("bertviz.mass")
def mass(answer):
    attentions, query, keys = some_attentions(), 1, [0, 3]
    got = run(answer, attentions, query, keys)
    require_shape(got, (LAYERS, HEADS), "结果")
    expected = attentions[:, :, query, keys]
    require(
        not is_close(got, attentions[:, :, keys, query].sum(dim=-1)),
        "方向反了：第三维是查询，第四维是键，你取的是这组词元看 query 的权重。",
    )
    require(
        not is_close(got, expected.mean(dim=-1)),
        "要的是这组键的权重之和，不是平均。",
    )
    require(
        is_close(got, expected.sum(dim=-1)),
        "结果不等于 query 那一行里、keys 那几列的权重之和。",
    )
    return "一行里挑几列，再相加。"


@register("bertviz.best-head")
def best_head(answer):
    for layer, head in ((2, 1), (0, 3), (1, 0)):
        table = torch.rand(LAYERS, HEADS)
        table[layer, head] = 2.0
        got = run(answer, table)
        flat = layer * HEADS + head
        require(
            isinstance(got, tuple | list) and len(got) == 2,
            "要返回一个元组 (层, 头)；argmax 给的是拉平之后的编号，还要拆成两个数。",
        )
        got = tuple(int(i) for i in got)
        require(
            got == (layer, head) or got != divmod(flat, LAYERS),
            "拆编号时除数用错了：拉平之后一层占 h 个位置，要除以头数，你除以的是层数。",
        )
        require(
            got == (layer, head) or got != (head, layer),
            f"次序反了：先层后头，这里应当是 {(layer, head)}，你给的是 {got}。",
        )
        require(got == (layer, head), f"得分最高的是 {(layer, head)}，你给的是 {got}。")
    return "拉平、取最大、再拆回 (层, 头)。"


@register("bertviz.entropy")
def entropy(answer):
    attentions = some_attentions()
    attentions[0, 0] = torch.eye(N)
    attentions[0, 1] = 1 / N
    got = run(answer, attentions)
    require_shape(got, (LAYERS, HEADS), "结果")
    require(not got.isnan().any(), "结果里有 NaN：权重为 0 时，0 × ln 0 要按 0 算。")
    expected = torch.special.entr(attentions).sum(dim=-1)
    require(
        not is_close(got, -expected.mean(dim=-1)),
        "符号反了：熵前面有一个负号，结果不会小于 0。",
    )
    require(not is_close(got, expected.sum(dim=-1)), "对查询要取平均，你取的是总和。")
    require(
        not is_close(got, expected.mean(dim=-1) / math.log(2)),
        "要用自然对数，你用的是以 2 为底的。",
    )
    require(is_close(got, expected.mean(dim=-1)), "结果不等于各行的熵对查询的平均。")
    return "只看一个键是 0，平均分给 5 个键是 ln 5。"


@register("bertviz.maps")
def maps(answer):
    require(
        isinstance(answer, tuple | list) and len(answer) == 2 and all(isinstance(i, int) for i in answer),
        "这一题要交两个整数组成的元组。",
    )
    count, numbers = answer
    require(count != 12, "12 只是一层的张数，或者只数了层；还要乘上另一个 12。")
    require(count != 12**3, "多数了一遍头：每个头只有一张表，不是 12 张。")
    require(count == 144, "先数表：层数 × 每层的头数。")
    require(numbers != 144 * 20, "每张表是 N × N，不是 N：20 个查询各有 20 个键。")
    require(numbers == 144 * 400, "再数数：表的张数 × 20 × 20。")
    return "144 张表，每张 400 个数；长度加倍，数的个数就变成四倍。"
