import torch
import torch.nn.functional as F


def parts(logits, answers):
    log_p = logits.log_softmax(-1)
    return log_p, log_p.gather(-1, answers[..., None])[..., 0], answers != 0


def smoothed(logits, answers, eps):
    log_p, right, real = parts(logits, answers)
    return -(1 - eps) * right - eps * log_p.mean(-1), real


def to_others(logits, answers, eps):
    log_p, right, real = parts(logits, answers)
    others = (log_p.sum(-1) - right) / (log_p.size(-1) - 1)
    return (-(1 - eps) * right - eps * others)[real].mean()


def to_each(logits, answers, eps):
    log_p, right, real = parts(logits, answers)
    return (-(1 - eps) * right - eps * log_p.sum(-1))[real].mean()


def smoothed_model(logits, answers, eps):
    p = (1 - eps) * logits.softmax(-1) + eps / logits.size(-1)
    return F.nll_loss(p.log().flatten(0, 1), answers.flatten(), ignore_index=0)


def weight(lengths, alpha):
    return ((5 + lengths) / 6) ** alpha


def nucleus(probabilities, p, drop, put_back=True, normalise=True):
    ordered, order = probabilities.sort(descending=True)
    kept = ordered.masked_fill(drop(ordered, ordered.cumsum(-1), p), 0.0)
    if put_back:
        kept = torch.zeros_like(kept).scatter(0, order, kept)
    return kept / kept.sum().clamp(min=1e-9) if normalise else kept


def standard(ordered, total, p):
    return total - ordered >= p - 1e-6


def lowest(probabilities, p):
    count = int((nucleus(probabilities, p, standard) > 0).sum())
    kept = torch.zeros(5)
    kept[probabilities.argsort()[:count]] = probabilities.sort().values[:count]
    return kept / kept.sum()


WRONG_ANSWERS = {
    "training_and_inference.shift-right": [
        (lambda t: (t, t), "没有错开"),
        (lambda t: (t[:, 1:], t[:, :-1]), "颠倒了"),
        (lambda t: (t[:, :-1], t[:, :-1]), "去掉的是同一头"),
        (lambda t: t[:, :-1], "应当返回两样"),
        (lambda t: (t, t[:, 1:]), "输入的形状应当是 (2, 5)"),
        (lambda t: (t.roll(1, 1)[:, :-1], t[:, 1:]), "循环移动"),
        (lambda t: (t[:, :-1], t[:, 1:].flip(1)), "答案应当是 target 去掉第一个"),
        (lambda t: (F.pad(t[:, 1:-1], (1, 0)), t[:, 1:]), "以开头开始"),
    ],
    "training_and_inference.smoothed-loss": [
        (lambda z, a, eps: F.cross_entropy(z.flatten(0, 1), a.flatten(), ignore_index=0), "没有平滑"),
        (lambda z, a, eps: smoothed(z, a, eps)[0].mean(), "也算进了损失"),
        (lambda z, a, eps: torch.mul(*smoothed(z, a, eps)).mean(), "分母应当只数"),
        (lambda z, a, eps: torch.mul(*smoothed(z, a, eps)).sum(), "不是求和"),
        (lambda z, a, eps: -torch.mul(*smoothed(z, a, eps)).sum() / (a != 0).sum(), "符号反了"),
        (lambda z, a, eps: smoothed(z, a, eps)[0], "应当是一个数"),
        (smoothed_model, "平滑的是模型的概率"),
        (to_others, "V - 1 个"),
        (to_each, "合计超过了 1"),
        (lambda z, a, eps: smoothed(z, a, eps / 2)[0][a != 0].mean(), "真实答案的平均"),
    ],
    "training_and_inference.length-penalty": [
        (lambda p, n, a: int(p.argmax()), "没有修正"),
        (lambda p, n, a: int((p / weight(n, a)).argmin()), "挑了最差的"),
        (lambda p, n, a: int((p * weight(n, a)).argmax()), "应当除"),
        (lambda p, n, a: int((p / n).argmax()), "除以了长度本身"),
        (lambda p, n, a: int((p / n**a).argmax()), "除以了长度的 alpha 次方"),
        (lambda p, n, a: int((p.exp() / weight(n, a)).argmax()), "不是对数概率"),
        (lambda p, n, a: int((p / weight(n + 1, a)).argmax()), "长度多算了一个"),
        (lambda p, n, a: p / weight(n, a), "应当返回一个编号"),
        (lambda p, n, a: int(n.argmax()), "最大的一条"),
    ],
    "training_and_inference.top-p": [
        (lambda q, p: nucleus(q, p, lambda o, t, p: t > p + 1e-6), "跨过 p 的那一个也要留"),
        (lambda q, p: nucleus(q, p, lambda o, t, p: t - o >= p + o), "从高到低加"),
        (
            lambda q, p: nucleus(q, p, lambda o, t, p: (t > p) & (p < 0.5) | standard(o, t, p)),
            "至少要留最高的一个",
        ),
        (lambda q, p: nucleus(q, p, standard, put_back=False), "次序乱了"),
        (lambda q, p: nucleus(q, p, standard, normalise=False), "没有重新归一"),
        (lambda q, p: q, "留了 5 个，应当是 3 个"),
        (lambda q, p: q[q >= p], "形状应当是 (5,)"),
        (lowest, "应当留下最高的 3 个"),
    ],
    "training_and_inference.cache-size": [
        (lambda layers, d, n, m: layers * (n + m) * d, "各存一份"),
        (lambda layers, d, n, m: layers * 3 * (n + m) * d, "查询不必存"),
        (lambda layers, d, n, m: layers * 2 * n * d, "交叉注意力的键与值"),
        (lambda layers, d, n, m: 2 * (n + m) * d, "还要乘层数"),
        (lambda layers, d, n, m: 2 * (layers * n + m) * d, "每层的投影不同"),
        (lambda layers, d, n, m: layers * 2 * n * m * d, "相加，不是相乘"),
        (lambda layers, d, n, m: layers * 4 * (n + m) * d, "(N + M) 个位置"),
    ],
}
