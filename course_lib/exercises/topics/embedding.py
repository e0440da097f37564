"""《嵌入》的练习。"""

import torch
import torch.nn.functional as F

from ...layers import layer_norm
from ..exercise import Exercise, Symptom

VOCAB = {"[PAD]": 0, "[BOS]": 2, "今天": 21, "[EOS]": 3, "你": 10, "天气": 20}
# 与第 0 行比：第 1 行最短，第 2 行的点积最大，第 3 行正好相反，第 4 行的余弦最大，第 5 行垂直
TABLE = torch.tensor(
    [[1, 0, 0, 0], [0.2, 0.1, 0, 0], [9, 9, 0, 0], [-5, 0, 0, 0], [0.3, 0, 0.03, 0], [0, 0, 0, 1]]
)
IDS, KINDS = torch.tensor([[3, 1, 3, 0], [2, 3, 1, 1]]), torch.tensor([[0, 0, 1, 1], [0, 1, 1, 1]])


def renumbered(vocab, start=0):
    return {token: i for i, token in enumerate(sorted(vocab, key=vocab.get), start)}


def summed(ids, upstream, num_rows):
    return torch.zeros(num_rows, upstream.size(1)).index_add(0, ids, upstream)


def ranked(table, i, k, score=F.cosine_similarity, own=-torch.inf):
    scores = score(table, table[i])
    scores[i] = own
    return scores.topk(k).indices.tolist()


def place_among(table, i, j, score=F.cosine_similarity, start=0):
    scores = score(table, table[i])
    return start + int((scores > scores[j]).sum())


def looked_up(ids, kinds, tokens, positions, segments):
    return torch.stack([tokens[ids], positions[: ids.size(1)].expand(*ids.shape, -1), segments[kinds]])


def bert_input(ids, kinds, tokens, positions, segments, gamma, beta):
    return layer_norm(looked_up(ids, kinds, tokens, positions, segments).sum(dim=0), gamma, beta, 1e-12)


# 表格自己排版：提示在前，错答在后，写得下就在一行
# fmt: off
EXERCISES = [
    Exercise("embedding.renumber",
        cases=lambda rng: [(VOCAB,)],
        right=lambda vocab: renumbered(vocab),
        wrong={
            "应当从 0 开始：从 1 开始，最大的编号就等于词元的个数，仍会超出嵌入矩阵一行。":
                Symptom(lambda vocab: renumbered(vocab, 1), lambda got, vocab: min(got.values()) == 1),
            "编号是连续了，先后却变了：要按原来的编号从小到大排，[PAD] 才仍是第 0 号。": Symptom(
                lambda vocab: {token: i for i, token in enumerate(vocab)},
                lambda got, vocab: sorted(got.values()) == [*range(len(vocab))],
            ),
        },
        otherwise="新编号应当从 0 起逐个加一，没有空当，也不重复。",
        praise="原来要 22 行，现在 6 行就够，先后不变。",
    ),
    Exercise("embedding.nearest",
        cases=lambda rng: [(TABLE, 0, 3), (TABLE, 3, 4)],
        right=lambda table, i, k: ranked(table, i, k),
        wrong={
            "自己不算近邻，要先排除；把与自己的余弦改成 0 还不够小，别的行可以是负的。": [
                Symptom(lambda table, i, k: ranked(table, i, k, own=1), lambda got, table, i, k: i in got),
                lambda table, i, k: ranked(table, i, k, own=0),
            ],
            "最长的一行排在最前：这是点积，不是余弦，两边都要除以长度。": lambda t, i, k: ranked(t, i, k, lambda t, row: t @ row),
            "这是按距离排的：方向相同而长短不同的行，距离也大；题目要的是余弦。":
                lambda table, i, k: ranked(table, i, k, lambda rows, row: -(rows - row).norm(dim=-1)),
            "方向正好相反的行，余弦是 −1，应当排在最后：看看是不是取了绝对值，或者次序反了。": Symptom(
                lambda table, i, k: ranked(table, i, k, lambda *rows: F.cosine_similarity(*rows).abs()),
                lambda got, table, i, k: 3 - i in got,
            ),
        },
        otherwise="应当按余弦从大到小排，不算自己。",
        praise="按方向排，不看长短，也不算自己。",
    ),
    Exercise("embedding.rank",
        cases=lambda rng: [(TABLE, 0, 4), (TABLE, 0, 2), (TABLE, 3, 5)],
        right=lambda table, i, j: place_among(table, i, j),
        wrong={
            "名次从 1 数起：没有别的行更近，就是第 1。": lambda table, i, j: place_among(table, i, j, start=-1),
            "把自己也算作一个近邻了：它与自己的余弦总是最大。": lambda table, i, j: place_among(table, i, j, start=1),
            "这是点积的名次，长的行占便宜；题目要的是余弦。": lambda table, i, j: place_among(table, i, j, lambda t, row: t @ row),
            "这是距离的名次：方向相近的行，长短不同，距离也可以大。":
                lambda table, i, j: place_among(table, i, j, lambda rows, row: -(rows - row).norm(dim=-1)),
            "次序反了：余弦越大越近，要数的是比它大的。": lambda table, i, j: place_among(table, i, j, lambda rows, row: -F.cosine_similarity(rows, row), start=1),
            "反方向的行余弦是负的，最远，不要取绝对值。":
                lambda table, i, j: place_among(table, i, j, lambda *rows: F.cosine_similarity(*rows).abs()),
        },
        otherwise="应当是余弦比第 j 行大的行数，不算自己，再加 1。",
        praise="不用排序，数一遍就够；苹果与 apple 的名次，这样数也一样。",
    ),
    Exercise("embedding.table-gradient",
        cases=lambda rng: [(torch.tensor([2, 0, 2, 5, 2]), rng.randn(5, 3), 7)],
        right=summed,
        wrong={
            # 重复的编号由谁写在最后并无规定，所以只看第 2 行是不是某一处的梯度本身
            "编号出现了几次，你只留下了其中一次的梯度；同一行的各次应当相加。": Symptom(
                lambda ids, upstream, n: torch.zeros(n, 3).index_put((ids,), upstream),
                lambda got, ids, upstream, n: (got[2] == upstream).all(dim=1).any(),
            ),
            "同一行的各次梯度应当相加，不是取平均。": lambda i, g, n: summed(i, g, n) / i.bincount(minlength=n).clamp(1)[:, None],
            "没有用到的行，梯度应当是 0。": Symptom(lambda *args: summed(*args) + 0.1, lambda got, *_: got[[1, 3, 4, 6]].any()),
        },
        otherwise="每一行应当等于它出现过的各个位置的上游梯度之和。",
        praise="等于独热矩阵的转置乘上游梯度：用到的行相加，没用到的行是 0。",
    ),
    Exercise("embedding.bert-input",
        cases=lambda rng: [
            (IDS, KINDS, rng.randn(6, 8), rng.randn(6, 8), rng.randn(2, 8), rng.rand(8) + 0.5, rng.randn(8))
        ],
        right=bert_input,
        wrong={
            "三种嵌入之和还要做层归一化。": lambda *args: looked_up(*args[:5]).sum(dim=0),
            "少了段嵌入：拿段编号去查第三张表。": lambda i, k, t, p, s, g, b: bert_input(i, k, t, p, 0 * s, g, b),
            "少了位置嵌入：第 n 个位置加位置表的第 n 行。": lambda i, k, t, p, s, g, b: bert_input(i, k, t, 0 * p, s, g, b),
            "位置嵌入要按位置 0、1、2、… 查，不是按编号。": lambda i, k, t, p, s, g, b: bert_input(i, k, t + p, 0 * p, s, g, b),
            "只减了均值、除了标准差，还要乘 γ、加 β。": lambda *args: bert_input(*args[:5], 1, 0),
            # 方差除以 7 而不是 8，标准差就大了 √(8/7) 倍
            "层归一化的方差除以 D，不是 D − 1：用 unbiased=False，或者直接用 F.layer_norm。":
                lambda i, k, t, p, s, g, b: bert_input(i, k, t, p, s, g * (7 / 8) ** 0.5, b),
            "先相加，再做一次层归一化，不是各做各的。": lambda *args: layer_norm(looked_up(*args[:5]), *args[5:], 1e-12).sum(0),
        },
        otherwise="应当等于 LayerNorm(词元嵌入 + 位置嵌入 + 段嵌入)。",
        praise="三张表各查一次，相加，再做一次层归一化，正是编码器第一层的输入。",
    ),
]
