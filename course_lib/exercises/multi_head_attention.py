"""《多头注意力》的练习。"""

import torch

from ..attention import MultiHeadAttention, padding_mask, scaled_dot_product_attention
from .registry import is_close, register, require, require_shape, run


@register("multi_head_attention.split-heads")
def split_heads(answer):
    x = torch.randn(2, 5, 12)
    got = run(answer, x, 3)
    require_shape(got, (2, 3, 5, 4), "结果")
    require(
        not is_close(got, x.reshape(2, 3, 5, 4)),
        "形状对了，内容乱了：直接变成 (B, h, N, d) 会把不同位置的数混在一起，先拆成 (B, N, h, d) 再交换两维。",
    )
    require(
        not is_close(got, x.unflatten(-1, (4, 3)).permute(0, 3, 1, 2)),
        "拆最后一维时次序反了：每个头占连续的 d 列，应当拆成 (h, d)，不是 (d, h)。",
    )
    require(
        is_close(got, x.unflatten(-1, (3, 4)).transpose(1, 2)), "第 i 个头应当是 x 的第 i·d 到 (i+1)·d 列。"
    )
    return "先拆最后一维，再把头移到位置之前。"


@register("multi_head_attention.merge-heads")
def merge_heads(answer):
    heads = torch.randn(2, 3, 5, 4)
    got = run(answer, heads)
    require(
        not isinstance(got, torch.Tensor) or not is_close(got, heads.mean(dim=1)),
        "各头的输出是首尾拼接，不是取平均：平均之后就分不清谁说了什么。",
    )
    require_shape(got, (2, 5, 12), "结果")
    require(
        not is_close(got, heads.reshape(2, 5, 12)),
        "形状对了，内容乱了：头还排在位置之前就合并，同一行里混进了别的位置；先把两维交换回来。",
    )
    require(is_close(got, torch.cat(list(heads.unbind(1)), dim=-1)), "每一行应当依次是各头在这个位置的输出。")
    return "与 torch.cat 各头的输出相同，正是拆分的逆。"


@register("multi_head_attention.parameter-count")
def parameter_count(answer):
    for d_model, num_heads in ((64, 4), (96, 8), (64, 1)):
        got = run(answer, d_model, num_heads)
        weight, bias = d_model * d_model, d_model
        asked = f"d_model={d_model}、num_heads={num_heads} 时得到 {got}"
        require(got != 3 * (weight + bias), f"{asked}：只数了 q、k、v 三个投影，还有拼接之后的 out_proj。")
        require(got != 4 * weight, f"{asked}：四个投影的偏置没有数，每个 {bias} 个数。")
        require(
            num_heads == 1 or got != num_heads * 4 * (weight + bias),
            f"{asked}：不用再乘头数，每个头只有 D/h 列，h 个头合起来才是一个 D × D 的矩阵。",
        )
        library = sum(p.numel() for p in MultiHeadAttention(d_model, num_heads).parameters())
        require(got == library, f"{asked}，应当是 {library}：四个 D × D 的矩阵，各带一个长 D 的偏置。")
    return "4 × (D² + D)，式子里没有头数。"


@register("multi_head_attention.masked-weights")
def masked_weights(answer):
    batch, num_heads, n = 3, 2, 4
    scores = torch.randn(batch * num_heads, n, n)
    keep = torch.arange(n) < torch.tensor([[4], [2], [3]])
    got = run(answer, scores, keep, num_heads)
    require_shape(got, (batch * num_heads, n, n), "权重")

    def weights(mask):
        return scores.masked_fill(~mask, -1e9).softmax(dim=-1)

    require(not got.isnan().any(), "结果里有 NaN：填充的查询也被挡住，整行都是 -∞；只挡键。")
    require(
        not is_close(got, weights(keep.repeat(num_heads, 1)[:, None, :])),
        "掩码给错了句子：分数的次序是先批后头，同一句的各个头紧挨着，第 b·h 到 (b+1)·h−1 片才属于第 b 句。",
    )
    require(
        not is_close(got, weights(keep.repeat_interleave(num_heads, dim=0)[:, :, None])),
        "挡住的是查询，不是键：掩码应当沿最后一维（键的方向）摆。",
    )
    expected = weights(padding_mask(keep).expand(-1, num_heads, n, -1).flatten(0, 1))
    require(is_close(got, expected), "填充的键上权重应当是 0，每一行之和应当是 1。")
    return "每个头都戴上了自己那一句的掩码。"


@register("multi_head_attention.from-scratch")
def from_scratch(answer):
    x, matrices = torch.randn(5, 12), torch.randn(4, 12, 12) / 12**0.5
    got = run(answer, x, *matrices, 3)
    require_shape(got, (5, 12), "输出")
    w_query, w_key, w_value, w_out = matrices

    def attend(query, key, value, split):
        return scaled_dot_product_attention(split(x @ query), split(x @ key), split(x @ value))[0]

    def columns(y):
        return y.unflatten(-1, (3, 4)).transpose(0, 1)

    heads = attend(w_query, w_key, w_value, columns)
    joined = heads.transpose(0, 1).flatten(1)
    require(not is_close(got, joined), "拼接之后还要乘 W^O，否则各头的结果互不相干。")
    require(
        not is_close(got, attend(w_query, w_key, w_value, lambda y: y) @ w_out),
        "这是一个宽度为 D 的头：应当先把 D 列拆成几份，每份各做一次注意力。",
    )
    require(
        not is_close(
            got, attend(w_query, w_key, w_value, lambda y: y.reshape(3, 5, 4)).reshape(5, 12) @ w_out
        ),
        "拆头时把位置弄乱了：先变成 (N, h, d)，再交换前两维。",
    )
    wide = attend(w_query / 3**0.5, w_key, w_value, columns).transpose(0, 1).flatten(1) @ w_out
    require(not is_close(got, wide), "缩放用的是每个头的宽度 d 的平方根，不是模型宽度 D 的。")
    require(is_close(got, joined @ w_out), "输出不等于 Concat(head_1, …, head_h) W^O。")
    return "投影、拆头、注意力、拼接、W^O，一步不少。"
