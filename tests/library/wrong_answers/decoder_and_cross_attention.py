import torch

from course_lib.attention import causal_mask, padding_mask


def keys(ids):
    return padding_mask(ids != 0)


def own(target):
    return keys(target) & causal_mask(target.size(1))


def past(target):
    return causal_mask(target.size(1)).expand(len(target), 1, -1, -1)


def attend(query, key, value, keep, scale=2.0, dim=-1):
    return (query @ key.T / scale).masked_fill(~keep, -torch.inf).softmax(dim=dim).nan_to_num() @ value


def cross(**options):
    return lambda x, m, q, k, v, keep: attend(x @ q, m @ k, m @ v, keep, **options)


def count(d, f):
    return 8 * (d * d + d) + 2 * d * f + f + 7 * d


def less(part):
    """少数了一项的参数量。"""
    return lambda d, f: count(d, f) - part(d, f)


def layer(residual=(1, 1, 1), normed=(1, 1, 1), read=lambda y, m: (y, m), base=lambda x, y: y):
    def answer(x, memory, self_attn, cross_attn, ffn, norms):
        y = x
        for i, sublayer in enumerate((self_attn, lambda z: cross_attn(*read(z, memory)), ffn)):
            y = residual[i] * (base(x, y) if i else y) + sublayer(y)
            y = norms[i](y) if normed[i] else y
        return y

    return answer


def faulty(x, memory, self_attn, cross_attn, ffn, norms):
    x = norms[0](self_attn(x))
    x = norms[1](x + cross_attn(x, x))
    return norms[2](x + ffn(norms[2](x)))


def norm_twice(x, memory, self_attn, cross_attn, ffn, norms):
    x = norms[0](x + self_attn(x))
    x = norms[1](x + cross_attn(x, memory))
    return norms[2](x + ffn(norms[2](x)))


def pre_norm(x, memory, self_attn, cross_attn, ffn, norms):
    x = x + self_attn(norms[0](x))
    x = x + cross_attn(norms[1](x), memory)
    return x + ffn(norms[2](x))


def cross_first(x, memory, self_attn, cross_attn, ffn, norms):
    x = norms[1](x + cross_attn(x, memory))
    x = norms[0](x + self_attn(x))
    return norms[2](x + ffn(x))


def normed_memory(x, memory, self_attn, cross_attn, ffn, norms):
    x = norms[0](x + self_attn(x))
    x = norms[1](x + cross_attn(x, norms[1](memory)))
    return norms[2](x + ffn(x))


def itself(y, memory):
    return y, y


WRONG_ANSWERS = {
    "decoder_and_cross_attention.masks": [
        (lambda s, t, p: own(t), "返回两张掩码"),
        (lambda s, t, p: (keys(s), own(t)), "次序对调了"),
        (lambda s, t, p: (own(t).int(), keys(s)), "自注意力的掩码应当是布尔"),
        (lambda s, t, p: (own(t), s != p), "还是 (B, M)"),
        (lambda s, t, p: (own(t), keys(t)), "照目标造的"),
        (lambda s, t, p: (own(t), keys(s) & torch.ones(4, 5, dtype=torch.bool).tril()), "没有将来"),
        (lambda s, t, p: (causal_mask(4), keys(s)), "(3, 1, 4, 4)"),
        (lambda s, t, p: (own(t), keys(s)[:, 0]), "(3, 1, 1, 5)"),
        (lambda s, t, p: (~own(t), ~keys(s)), "意思反了"),
        (lambda s, t, p: (past(t), keys(s)), "只有因果"),
        (lambda s, t, p: (keys(t).expand(3, 1, 4, 4), keys(s)), "偷看答案"),
        (lambda s, t, p: (keys(t) | past(t), keys(s)), "用了“或”"),
        (lambda s, t, p: (keys(t) & past(t).mT, keys(s)), "方向反了"),
        (lambda s, t, p: (keys(t) & past(t).tril(-1), keys(s)), "连自己也挡住了"),
        (lambda s, t, p: (own(t) & keys(t).mT, keys(s)), "只挡键"),
        (lambda s, t, p: (own(t).flip(0), keys(s)), "当且仅当"),
        (lambda s, t, p: (own(t), keys(s).flip(-1)), "不是 pad_id 的"),
        (lambda s, t, p: (own(t), keys(s)), "不能写死 0"),
    ],
    "decoder_and_cross_attention.cross-attention": [
        (lambda x, m, q, k, v, keep: attend(m @ q, x @ k, x @ v, torch.tensor(True)), "得到了 M 行"),
        (lambda x, m, q, k, v, keep: (x @ q @ (m @ k).T).softmax(-1), "还要乘上值"),
        (lambda x, m, q, k, v, keep: attend(x @ q, m @ k, m, keep), "没有乘 w_value"),
        (lambda x, m, q, k, v, keep: x[:2] @ q, "输出的形状应当是 (3, 4)"),
        (lambda x, m, q, k, v, keep: attend(x @ q, x @ k, x @ v, torch.tensor(True)), "这是自注意力"),
        (lambda x, m, q, k, v, keep: attend(x @ q, m @ k, m @ v, keep | True), "填充没有挡住"),
        (lambda x, m, q, k, v, keep: (x @ q @ (m @ k).T / 2).softmax(-1) * keep @ (m @ v), "之后才清零"),
        (lambda x, m, q, k, v, keep: attend(x @ q, m @ k, m @ v, ~keep), "掩码反了"),
        (cross(scale=1.0), "没有除以 √d"),
        (cross(scale=6**0.5), "除的是 √D"),
        (cross(dim=0), "方向错了"),
        (lambda x, m, q, k, v, keep: attend(x @ q, m @ v, m @ k, keep), "对调了"),
        (lambda x, m, q, k, v, keep: x @ q, "查询来自 x，键与值来自 memory"),
    ],
    "decoder_and_cross_attention.parameter-count": [
        (less(lambda d, f: 4 * (d * d + d) + 2 * d), "这是编码器层"),
        (less(lambda d, f: 4 * (d * d + d)), "只算了一个注意力"),
        (less(lambda d, f: 2 * (d * d + d)), "输出投影"),
        (less(lambda d, f: 2 * d), "三个子层，三个层归一化"),
        (less(lambda d, f: 3 * d), "γ 与 β"),
        (less(lambda d, f: 6 * d), "没有算，共 6D"),
        (less(lambda d, f: 8 * d), "八个，各 D 个"),
        (less(lambda d, f: f + d), "F 个与 D 个"),
        (less(lambda d, f: 9 * d + f), "线性层都有偏置"),
        (less(lambda d, f: d * f), "升维一个，降维一个"),
        (lambda d, f: 4_000_000, "逐项数"),
    ],
    "decoder_and_cross_attention.find-the-fault": [
        (faulty, "与题目里有错的那个一样"),
        (lambda x, *rest: x[0], "(2, 4, 8)"),
        (layer((0, 0, 0)), "三个子层都没有残差"),
        (layer((0, 1, 1)), "自注意力没有残差连接：子层的输出要加到它的输入上。"),
        (layer((1, 0, 1)), "交叉注意力没有残差连接：子层的输出要加到它的输入上。"),
        (layer((1, 1, 0)), "前馈网络没有残差连接：子层的输出要加到它的输入上。"),
        (layer(normed=(0, 1, 1)), "自注意力之后没有层归一化"),
        (layer(normed=(1, 1, 0)), "前馈网络之后没有层归一化"),
        (layer((0, 1, 1), read=itself), "交叉注意力读的还是自己"),
        (layer(read=itself), "又一个自注意力"),
        (layer(read=lambda y, m: (m, y)), "两个输入对调"),
        (normed_memory, "memory 又做了一次"),
        (lambda *a: layer(base=lambda x, y: x)(*a), "每个子层都是"),
        (cross_first, "次序反了"),
        (norm_twice, "又做了一次层归一化；post-norm"),
        (pre_norm, "这是 pre-norm"),
    ],
}
