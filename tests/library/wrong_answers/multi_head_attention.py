import torch

from course_lib.attention import scaled_dot_product_attention


def block(scores, keep):
    return scores.masked_fill(~keep, -1e9).softmax(-1)


def multi_head(x, w_query, w_key, w_value, split, width=None):
    query, key, value = split(x @ w_query), split(x @ w_key), split(x @ w_value)
    if width is not None:
        query = query * (query.size(-1) / width) ** 0.5
    return scaled_dot_product_attention(query, key, value)[0]


def columns(y):
    return y.unflatten(-1, (3, 4)).transpose(0, 1)


def join(heads):
    return heads.transpose(0, 1).flatten(1)


WRONG_ANSWERS = {
    "multi_head_attention.split-heads": [
        (lambda x, h: x.reshape(2, h, 5, 4), "不同位置的数混在一起"),
        (lambda x, h: x.reshape(2, 5, h, 4), "形状应当是 (2, 3, 5, 4)"),
        (lambda x, h: x.unflatten(-1, (4, h)).permute(0, 3, 1, 2), "次序反了"),
        (lambda x, h: x.unflatten(-1, (h, 4)).transpose(1, 2).flip(1), "第 i 个头应当是"),
    ],
    "multi_head_attention.merge-heads": [
        (lambda heads: heads.reshape(2, 5, 12), "混进了别的位置"),
        (lambda heads: heads.mean(1), "不是取平均"),
        (lambda heads: heads.transpose(1, 2), "形状应当是 (2, 5, 12)"),
        (lambda heads: heads.permute(0, 2, 3, 1).flatten(-2), "依次是各头"),
    ],
    "multi_head_attention.parameter-count": [
        (lambda d, h: 3 * (d * d + d), "out_proj"),
        (lambda d, h: 4 * d * d, "偏置没有数"),
        (lambda d, h: 4 * h * (d * d + d), "不用再乘头数"),
        (lambda d, h: 4 * (d * d // h + d), "四个 D × D 的矩阵"),
    ],
    "multi_head_attention.masked-weights": [
        (lambda scores, keep, h: block(scores, keep.repeat(h, 1)[:, None]), "给错了句子"),
        (lambda scores, keep, h: block(scores, keep.repeat_interleave(h, 0)[:, :, None]), "挡住的是查询"),
        (
            lambda scores, keep, h: scores.masked_fill(
                ~(keep[:, :, None] & keep[:, None]).repeat_interleave(h, 0), -torch.inf
            ).softmax(-1),
            "有 NaN",
        ),
        (lambda scores, keep, h: scores.softmax(-1), "权重应当是 0"),
        (lambda scores, keep, h: block(scores.view(3, h, 4, 4), keep[:, None, None]), "形状应当是 (6, 4, 4)"),
    ],
    "multi_head_attention.from-scratch": [
        (lambda x, q, k, v, o, h: join(multi_head(x, q, k, v, columns)), "还要乘 W^O"),
        (lambda x, q, k, v, o, h: multi_head(x, q, k, v, lambda y: y) @ o, "一个宽度为 D 的头"),
        (
            lambda x, q, k, v, o, h: multi_head(x, q, k, v, lambda y: y.reshape(h, 5, 4)).reshape(5, 12) @ o,
            "把位置弄乱了",
        ),
        (lambda x, q, k, v, o, h: join(multi_head(x, q, k, v, columns, width=12)) @ o, "不是模型宽度"),
        (lambda x, q, k, v, o, h: multi_head(x, q, k, v, columns).mean(0), "形状应当是 (5, 12)"),
        (lambda x, q, k, v, o, h: join(multi_head(x, k, q, v, columns)) @ o, "Concat(head_1"),
    ],
}
