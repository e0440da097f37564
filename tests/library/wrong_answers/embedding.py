import torch
import torch.nn.functional as F


def gradient(ids, upstream, rows, reduce):
    total = torch.zeros(rows, upstream.size(1)).index_add(0, ids, upstream)
    counts = torch.bincount(ids, minlength=rows).clamp(min=1)[:, None]
    return total / counts if reduce == "mean" else total


def overwrite(ids, upstream, rows):
    table = torch.zeros(rows, upstream.size(1))
    for i, row in zip(ids.tolist(), upstream, strict=True):
        table[i] = row
    return table


def ranked(table, i, k, score):
    scores = score(table, table[i])
    scores[i] = -torch.inf
    return scores.topk(k).indices


def masked_with_zero(table, i, k):
    cosines = cosine(table, table[i])
    cosines[i] = 0
    return cosines.topk(k).indices


def cosine(table, row):
    return F.cosine_similarity(table, row[None], dim=-1)


def norm(x, gamma, beta):
    return F.layer_norm(x, x.shape[-1:], gamma, beta, 1e-12)


def unbiased(x):
    return (x - x.mean(dim=-1, keepdim=True)) / x.std(dim=-1, keepdim=True)


WRONG_ANSWERS = {
    "embedding.renumber": [
        (lambda vocab: {t: i for i, t in enumerate(vocab)}, "先后却变了"),
        (lambda vocab: {t: i for i, t in enumerate(sorted(vocab, key=vocab.get), 1)}, "从 1 开始"),
        (lambda vocab: vocab, "没有空当"),
        (lambda vocab: dict(enumerate(sorted(vocab, key=vocab.get))), "键是词元"),
        (lambda vocab: sorted(vocab, key=vocab.get), "返回一个字典"),
    ],
    "embedding.table-gradient": [
        (overwrite, "只留下了其中一次"),
        (lambda ids, upstream, rows: gradient(ids, upstream, rows, "mean"), "不是取平均"),
        (lambda ids, upstream, rows: upstream, "形状应当是 (7, 3)"),
        (lambda ids, upstream, rows: gradient(ids, upstream, rows, "sum") + 0.1, "恰好是 0"),
        (lambda ids, upstream, rows: 2 * gradient(ids, upstream, rows, "sum"), "上游梯度之和"),
    ],
    "embedding.nearest": [
        (lambda table, i, k: cosine(table, table[i]).topk(k).indices, "自己不算"),
        (lambda table, i, k: ranked(table, i, k, lambda t, r: t @ r), "这是点积"),
        (lambda table, i, k: ranked(table, i, k, lambda t, r: -(t - r).norm(dim=-1)), "按距离排"),
        (lambda table, i, k: ranked(table, i, k, lambda t, r: cosine(t, r).abs()), "绝对值"),
        (lambda table, i, k: cosine(table, table[i]).argsort(descending=True)[1:], "应当返回 3 个"),
        (lambda table, i, k: ranked(table, i, k, cosine).flip(0), "从大到小"),
        (masked_with_zero, "还不够小"),
        (lambda table, i, k: ranked(table, 0, k, cosine), "换成第 3 行"),
    ],
    "embedding.bert-input": [
        (lambda i, k, t, p, s, g, b: t[i] + p[: i.size(1)] + s[k], "还要做层归一化"),
        (lambda i, k, t, p, s, g, b: norm(t[i] + p[: i.size(1)], g, b), "少了段嵌入"),
        (lambda i, k, t, p, s, g, b: norm(t[i] + s[k], g, b), "少了位置嵌入"),
        (lambda i, k, t, p, s, g, b: norm(t[i] + p[i] + s[k], g, b), "不是按词元的编号"),
        (lambda i, k, t, p, s, g, b: norm(t[i] + p[: i.size(1)] + s[k], None, None), "乘 γ、加 β"),
        (
            lambda i, k, t, p, s, g, b: norm(t[i], g, b) + norm(p[: i.size(1)], g, b) + norm(s[k], g, b),
            "不是各做各的",
        ),
        (lambda i, k, t, p, s, g, b: unbiased(t[i] + p[: i.size(1)] + s[k]) * g + b, "除以 D"),
        (lambda i, k, t, p, s, g, b: norm(t[i] + p[: i.size(1)] + s[k], g, b).mean(1), "形状应当是"),
        (lambda i, k, t, p, s, g, b: norm(t[i] + p[1 : i.size(1) + 1] + s[k], g, b), "LayerNorm("),
    ],
}
