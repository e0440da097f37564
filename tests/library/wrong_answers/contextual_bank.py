import torch
import torch.nn.functional as F


def _cosines(vectors):
    unit = F.normalize(vectors, dim=-1)
    return unit @ unit.transpose(-1, -2)


def _means(similar, labels, keep_self=False):
    groups = torch.tensor([list(labels).index(label) for label in labels])
    match = groups[:, None] == groups
    same = match if keep_self else match & ~torch.eye(len(groups), dtype=torch.bool)
    return similar[..., same].mean(-1), similar[..., ~match].mean(-1)


def _gaps(similar, labels):
    within, across = _means(similar, labels.tolist())
    return within - across


WRONG_ANSWERS = {
    "contextual_bank.pairwise-cosine": [
        (lambda v: v @ v.T, "这是点积"),
        (lambda v: v @ v.T / v.norm(dim=-1), "只除了一个"),
        (lambda v: v @ v.T / v.norm(dim=-1) ** 2, "长度的平方"),
        (lambda v: _cosines(v).softmax(dim=-1), "对角线应当全是 1"),
        (lambda v: F.cosine_similarity(v, v, dim=-1), "形状应当是 (5, 5)"),
    ],
    "contextual_bank.word-positions": [
        (
            lambda tokens, word: [i for i, token in enumerate(tokens) if token == word],
            "哪怕只有一个",
        ),
        (
            lambda tokens, word: [[tokens.index(word)]] if word in tokens else [],
            "可以出现几次",
        ),
        (
            lambda tokens, word: [[i] for i, token in enumerate(tokens) if token == word],
            "先把它们接起来",
        ),
        (
            lambda tokens, word: (
                [[2, 3, 4]]
                if word == "riverbanks"
                else [[i] for i, token in enumerate(tokens) if token == word]
            ),
            "不是这个词本身",
        ),
    ],
    "contextual_bank.within-across": [
        (
            lambda similar, labels: _means(similar, labels, keep_self=True),
            "自己与自己",
        ),
        (lambda similar, labels: _means(similar, labels)[::-1], "次序反了"),
        (
            lambda similar, labels: (_means(similar, labels)[0], similar.mean()),
            "异义的平均不对",
        ),
        (lambda similar, labels: _means(similar, labels)[0], "两个数"),
        (
            lambda similar, labels: (similar.mean(), similar.mean()),
            "同义的平均不对",
        ),
    ],
    "contextual_bank.best-layer": [
        (
            lambda states, labels: _means(_cosines(states), labels.tolist())[0].argmax(),
            "第 1 层",
        ),
        (
            lambda states, labels: _means(_cosines(states), labels.tolist())[1].argmin(),
            "第 2 层",
        ),
        (
            lambda states, labels: _gaps(_cosines(states), labels).argmax() + 1,
            "多了 1",
        ),
        (
            lambda states, labels: _gaps(states @ states.transpose(1, 2), labels).argmax(),
            "第 0 层",
        ),
        (lambda states, labels: _gaps(_cosines(states), labels).max(), "一个整数"),
    ],
}
