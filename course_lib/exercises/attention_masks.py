"""《注意力掩码》的练习。"""

import torch
from torch import Tensor

from ..attention import causal_mask, padding_mask
from .registry import is_close, register, require, require_shape, run

LENGTHS = torch.tensor([3, 5, 1])
ATTENTION_MASK = (torch.arange(5) < LENGTHS[:, None]).long()


def require_bool(mask: Tensor, name: str) -> None:
    require(
        mask.dtype == torch.bool, f"{name}应当是布尔张量，这里是 {mask.dtype}；请用 .bool() 或比较得到它。"
    )


@register("attention_masks.from-lengths")
def from_lengths(answer):
    got = run(answer, LENGTHS, 6)
    require(
        not isinstance(got, Tensor) or tuple(got.shape) != (3, 6),
        "内容先不看，形状还是 (B, n)：中间要补上头与查询两维，成为 (B, 1, 1, n)，否则会广播错地方。",
    )
    require(
        not isinstance(got, Tensor) or tuple(got.shape) != (3, 1, 6, 1),
        "维度补反了：(B, 1, n, 1) 挡住的是查询，要挡的是键，最后一维才是键。",
    )
    require_shape(got, (3, 1, 1, 6), "掩码")
    require_bool(got, "掩码")
    expected = torch.arange(6) < LENGTHS[:, None, None, None]
    require(not torch.equal(got, ~expected), "意思反了：True 应当是可以看，也就是真实词元。")
    require(
        not torch.equal(got, torch.arange(6) <= LENGTHS[:, None, None, None]),
        "多放进了一个：长度是 3 时，真实的位置是 0、1、2，应当用 <，不是 <=。",
    )
    require(torch.equal(got, expected), "第 b 句的前 lengths[b] 个位置是 True，其余是 False。")
    return "前 lengths[b] 个位置可以看，各头、各查询共用一行。"


@register("attention_masks.causal-and-padding")
def causal_and_padding(answer):
    got = run(answer, ATTENTION_MASK)
    require_shape(got, (3, 1, 5, 5), "掩码")
    require_bool(got, "掩码")
    padding, causal = padding_mask(ATTENTION_MASK), causal_mask(5)
    expected = padding & causal
    require(not torch.equal(got, ~expected), "意思反了：True 应当是可以看。")
    require(not torch.equal(got, padding | causal), "用了“或”：两条规定都允许才可以看，应当用 &。")
    require(not torch.equal(got, causal.expand(3, 1, 5, 5)), "只挡了将来，填充还看得到。")
    require(not torch.equal(got, padding.expand(3, 1, 5, 5)), "只挡了填充，将来还看得到。")
    require(
        not torch.equal(got, padding & causal.tril(-1)),
        "连自己也挡住了：第 i 个查询应当看得到第 0 到 i 个键，包括自己。",
    )
    require(
        not torch.equal(got, expected & padding.transpose(-2, -1)),
        "填充的查询也被挡住，那一行就没有可看的位置了：只挡键。",
    )
    require(
        not torch.equal(got, padding & causal.T),
        "方向反了：这是只许看自己和之后的位置，三角应当在左下。",
    )
    require(
        torch.equal(got, expected), "第 b 句第 i 行第 j 列为 True，当且仅当 j <= i，而且第 j 个是真实词元。"
    )
    return "与 padding_mask & causal_mask 相同。"


@register("attention_masks.for-torch")
def for_torch(answer):
    got = run(answer, ATTENTION_MASK)
    require(
        isinstance(got, tuple | list) and len(got) == 2,
        "应当返回两个张量：key_padding_mask 与 attn_mask。",
    )
    padding, future = got
    require(
        not isinstance(padding, Tensor) or tuple(padding.shape) != (3, 1, 1, 5),
        "key_padding_mask 的形状是 (B, N)，模块自己会补维度，这里多补了两维。",
    )
    require_shape(padding, (3, 5), "key_padding_mask ")
    require_shape(future, (5, 5), "attn_mask ")
    require_bool(padding, "key_padding_mask ")
    require_bool(future, "attn_mask ")
    real, causal = ATTENTION_MASK.bool(), causal_mask(5)
    kept_padding, kept_causal = torch.equal(padding, real), torch.equal(future, causal)
    require(
        not (kept_padding and kept_causal),
        "两张都没有取反：nn.MultiheadAttention 的布尔掩码里，True 是挡住。",
    )
    require(not kept_padding, "key_padding_mask 没有取反：True 应当是填充。")
    require(not kept_causal, "attn_mask 没有取反：True 应当是将来。")
    require(
        not future.diagonal().any(), "attn_mask 的对角线也挡住了：第一个查询就没有可看的位置，结果会是 NaN。"
    )
    require(torch.equal(padding, ~real), "key_padding_mask 应当恰好在填充处为 True。")
    require(torch.equal(future, ~causal), "attn_mask 应当恰好在对角线右上方为 True。")
    module = torch.nn.MultiheadAttention(4, 2, batch_first=True)
    x = torch.randn(3, 5, 4)
    output, _ = module(x, x, x, key_padding_mask=padding, attn_mask=future)
    require(bool(output.isfinite().all()), "模块给出了 NaN：有的行整行被挡住了。")
    return "两张都是 True = 挡住，正与本课的相反。"


@register("attention_masks.mean-pool")
def mean_pool(answer):
    x = torch.randn(3, 5, 4)
    real = ATTENTION_MASK.bool()
    expected = torch.stack([row[:length].mean(dim=0) for row, length in zip(x, LENGTHS, strict=True)])
    got = run(answer, x, ATTENTION_MASK)
    require_shape(got, (3, 4), "结果")
    require(
        not is_close(got, x.mean(dim=1)), "把填充也平均进去了：短句的向量会被填充的行带偏，只平均真实词元。"
    )
    summed = (x * real[..., None]).sum(dim=1)
    require(not is_close(got, summed / 5), "分母不对：填充的行去掉了，却还除以 N，应当除以真实词元的个数。")
    require(not is_close(got, x[:, 0]), "这是取 [CLS]，即第一个位置；题目要的是平均。")
    require(is_close(got, expected), "每句应当是它的真实词元向量的平均。")
    dirty = x.masked_fill(~real[..., None], torch.nan)
    require(
        is_close(run(answer, dirty, ATTENTION_MASK), expected),
        "填充的行里有 NaN 时，结果也成了 NaN：0 × NaN 仍是 NaN，要先用 masked_fill 把那些行换成 0。",
    )
    return "填充的行里就算是 NaN，也与它无关。"


@register("attention_masks.masked-weights")
def masked_weights(answer):
    scores = torch.randn(2, 4, 4)
    mask = torch.tensor([[True, True, False, False], [True, False, True, True]])[:, None, :]
    expected = scores.masked_fill(~mask, -1e9).softmax(dim=-1)
    got = run(answer, scores, mask)
    require_shape(got, (2, 4, 4), "权重")
    require(
        not is_close(got, scores.masked_fill(mask, -1e9).softmax(dim=-1)),
        "约定还是反的：True = 可以看，要换掉的是 ~mask 的地方。",
    )
    require(
        not is_close(got, scores.softmax(dim=-1) * mask),
        "softmax 之后才清零，行和不到 1；先换分数，再 softmax。",
    )
    require(is_close(got, expected), "被挡住的权重应当是 0，其余与只在可看的键上做 softmax 相同。")
    try:
        half = run(answer, scores.half(), mask)
    except RuntimeError as error:
        require(
            "overflow" not in str(error), "float16 装不下你填的那个数，用 torch.finfo(scores.dtype).min。"
        )
        raise
    require(is_close(half, expected, atol=5e-3), "换成 float16，权重就不对了：分数会溢出吗？")
    require(
        is_close(run(answer, scores - 3e4, mask), expected, atol=1e-2),  # 减去之后只剩两三位小数
        "所有分数一起减去 30000，权重本不该变，这里却变了：填的数要比任何分数都小，指数也别自己算，交给 softmax。",
    )
    nothing = mask.clone()
    nothing[1] = False
    for dtype in (torch.float32, torch.float16):
        weights = run(answer, scores.to(dtype), nothing)
        require(
            not weights.isnan().any(),
            f"整行被挡住时出现了 NaN（{dtype}）：整行都是 -∞，softmax 是 0/0。",
        )
        require(bool((weights[1] == 0).all()), "整行被挡住时，权重成了平均分配；应当全是 0。")
    variable = scores.clone().requires_grad_()
    answer(variable, nothing).square().sum().backward()
    require(
        bool(variable.grad.isfinite().all()), "前向没有 NaN，梯度里却有：NaN 应当不产生，而不是事后换掉。"
    )
    return "三种毛病都没有了：约定、半精度、整行被挡住。"
