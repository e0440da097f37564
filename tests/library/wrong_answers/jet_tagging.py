import math


def gap(x):
    return x[:, :, None] - x[:, None]


def attend(scores, keep, value, fill=-math.inf):
    return scores.masked_fill(~keep[:, None], fill).softmax(-1) @ value


def counted(labels, scores, cut):
    return int((scores[labels == 0] >= cut).sum())


def threshold(labels, scores, efficiency):
    return scores[labels == 1].quantile(1 - efficiency)


WRONG_ANSWERS = {
    "jet_tagging.pairwise-distance": [
        (lambda x: gap(x).norm(dim=-1), "pT 也算进"),
        (lambda x: gap(x)[..., 1:].square().sum(-1), "还要开方"),
        (lambda x: gap(x)[..., 1:].abs().sum(-1), "直接相加"),
        (lambda x: gap(x[..., 1:].norm(dim=-1)).abs(), "先减方向"),
        (lambda x: gap(x[..., 1]), "不对称"),
        (lambda x: gap(x[..., 1]).abs(), "对角线是 0"),
        (lambda x: x[..., 1:].norm(dim=-1), "形状应当是 (4, 6, 6)"),
    ],
    "jet_tagging.biased-attention": [
        (lambda q, k, v, b, keep: attend(q @ k.mT / 2, keep, v), "没有用上 bias"),
        (
            lambda q, k, v, b, keep: (
                ((q @ k.mT / 2).masked_fill(~keep[:, None], -math.inf).softmax(-1) + b) @ v
            ),
            "加到权重上",
        ),
        (lambda q, k, v, b, keep: attend(q @ k.mT / 2 * b, keep, v), "应当相加"),
        (lambda q, k, v, b, keep: attend(q @ k.mT + b, keep, v), "没有除以"),
        (lambda q, k, v, b, keep: attend((q @ k.mT + b) / 2, keep, v), "原样相加"),
        (lambda q, k, v, b, keep: attend(q @ k.mT / 2 + b.mT, keep, v), "转置"),
        (lambda q, k, v, b, keep: (q @ k.mT / 2 + b).softmax(-1) @ v, "没有用掩码"),
        (lambda q, k, v, b, keep: attend(q @ k.mT / 2 + b, keep, v, 0.0), "换成 0 还不行"),
        (
            lambda q, k, v, b, keep: (
                (q @ k.mT / 2 + b).masked_fill(~(keep[:, None] & keep[:, :, None]), -math.inf).softmax(-1) @ v
            ),
            "只挡键",
        ),
        (
            lambda q, k, v, b, keep: (
                (q @ k.mT / 2 + b).masked_fill(~keep[:, None], -math.inf).softmax(-2) @ v
            ),
            "方向反了",
        ),
        (
            lambda q, k, v, b, keep: ((q @ k.mT / 2 + b).softmax(-1) * keep[:, None]) @ v,
            "之后才挡",
        ),
        (lambda q, k, v, b, keep: attend(q @ k.mT / 4 + b, keep, v), "QKᵀ/√d + bias"),
    ],
    "jet_tagging.rejection": [
        (lambda y, s, e: counted(y, s, threshold(y, s, e)) / (y == 0).sum(), "倒数"),
        (lambda y, s, e: 1 / e, "1/ε_S"),
        (lambda y, s, e: 1 / (s[y == 1] >= s[y == 0].quantile(1 - e)).float().mean(), "按信号定"),
        (lambda y, s, e: counted(y, s, threshold(y, s, e)), "混进来的个数"),
        (lambda y, s, e: len(y) / counted(y, s, threshold(y, s, e)), "分子是全部喷注"),
        (lambda y, s, e: 1 / (s[y == 0] <= s[y == 1].quantile(e)).float().mean(), "方向反了"),
        (lambda y, s, e: (y == 0).sum() / max(counted(y, s, threshold(y, s, e)), 1), "返回无穷大"),
        (lambda y, s, e: 7.0, "附近"),
    ],
    "jet_tagging.enough-background": [
        (lambda factor, error: math.ceil(1 / error**2), "factor 倍"),
        (lambda factor, error: math.ceil(factor / error), "要平方"),
        (lambda factor, error: 1 / error**2 / factor, "不是除"),
        (lambda factor, error: factor / error**2, "向上取整"),
        (lambda factor, error: round(factor / error**2), "最小整数"),
    ],
}
