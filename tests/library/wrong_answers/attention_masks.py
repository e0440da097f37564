import torch

from course_lib.attention import causal_mask, padding_mask


def keys(lengths, n):
    return (torch.arange(n) < lengths[:, None])[:, None, None, :]


def outer(m):
    return padding_mask(m) & padding_mask(m).transpose(-2, -1)


def past(m):
    return causal_mask(m.size(1))


def masked_sum(x, m):
    return (x * m[..., None]).sum(1)


def fill(scores, mask, value):
    return scores.masked_fill(~mask, value).softmax(-1)


def additive(scores, mask):
    bias = torch.zeros(mask.shape, dtype=scores.dtype).masked_fill(~mask, -torch.inf)
    return (scores + bias).softmax(-1).nan_to_num()


WRONG_ANSWERS = {
    "attention_masks.from-lengths": [
        (lambda lengths, n: keys(lengths, n)[:, 0, 0], "形状还是 (B, n)"),
        (lambda lengths, n: keys(lengths, n).transpose(-2, -1), "维度补反了"),
        (lambda lengths, n: keys(lengths, n)[:, 0], "形状应当是 (3, 1, 1, 6)"),
        (lambda lengths, n: keys(lengths, n).long(), "应当是布尔张量"),
        (lambda lengths, n: ~keys(lengths, n), "意思反了"),
        (lambda lengths, n: keys(lengths + 1, n), "多放进了一个"),
        (lambda lengths, n: keys(lengths, n).flip(-1), "前 lengths[b] 个位置"),
    ],
    "attention_masks.causal-and-padding": [
        (lambda m: padding_mask(m), "形状应当是 (3, 1, 5, 5)"),
        (lambda m: (padding_mask(m) & past(m)).int(), "应当是布尔张量"),
        (lambda m: ~(padding_mask(m) & past(m)), "意思反了"),
        (lambda m: padding_mask(m) | past(m), "用了“或”"),
        (lambda m: past(m).expand(3, 1, 5, 5), "只挡了将来"),
        (lambda m: padding_mask(m).expand(3, 1, 5, 5), "只挡了填充"),
        (lambda m: padding_mask(m) & past(m).tril(-1), "连自己也挡住了"),
        (lambda m: outer(m) & past(m), "填充的查询也被挡住"),
        (lambda m: padding_mask(m) & past(m).T, "方向反了"),
        (lambda m: (padding_mask(m) & past(m)).flip(0), "当且仅当"),
    ],
    "attention_masks.for-torch": [
        (lambda m: m == 0, "应当返回两个张量"),
        (lambda m: (~padding_mask(m), ~past(m)), "多补了两维"),
        (lambda m: (m == 0, outer(m)), "attn_mask 的形状"),
        (lambda m: (1 - m, ~past(m)), "应当是布尔张量"),
        (lambda m: (m.bool(), past(m)), "两张都没有取反"),
        (lambda m: (m.bool(), ~past(m)), "key_padding_mask 没有取反"),
        (lambda m: (m == 0, past(m)), "attn_mask 没有取反"),
        (lambda m: (m == 0, ~past(m).tril(-1)), "对角线也挡住了"),
        (lambda m: ((m == 0).flip(1), ~past(m)), "恰好在填充处"),
        (lambda m: (m == 0, ~past(m).T), "右上方"),
    ],
    "attention_masks.mean-pool": [
        (lambda x, m: x.mean(1), "把填充也平均进去"),
        (lambda x, m: masked_sum(x, m) / x.size(1), "分母不对"),
        (lambda x, m: x[:, 0], "这是取 [CLS]"),
        (lambda x, m: x.masked_fill(m[..., None] == 0, -torch.inf).amax(1), "真实词元向量的平均"),
        (lambda x, m: masked_sum(x, m) / m.sum(1, keepdim=True), "0 × NaN"),
        (lambda x, m: x.mean(2), "形状应当是 (3, 4)"),
    ],
    "attention_masks.masked-weights": [
        (lambda s, mask: fill(s, ~mask, -1e9), "约定还是反的"),
        (lambda s, mask: s.softmax(-1) * mask, "行和不到 1"),
        (lambda s, mask: s.softmax(-1), "被挡住的权重应当是 0"),
        (lambda s, mask: fill(s, mask, -1e9), "float16 装不下"),
        (lambda s, mask: fill(s, mask, -1e4) * mask, "比任何分数都小"),
        (lambda s, mask: fill(s, mask, -torch.inf), "整行都是 -∞"),
        (lambda s, mask: fill(s, mask, torch.finfo(s.dtype).min), "平均分配"),
        (additive, "前向没有 NaN"),
    ],
}
