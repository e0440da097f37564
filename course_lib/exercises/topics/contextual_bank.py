"""《上下文向量》的练习。"""

import torch
import torch.nn.functional as F

from ..exercise import Exercise, Symptom

SENTENCE = "[CLS] the river ##bank ##s hid the bank ##er by the river from the bank , not the sea [SEP]"
ABSENT = "各段接起来恰好是这个词的才算；没有出现的词应当得到空列表。"
SENSES = torch.tensor([0, 0, 0, 1, 1, 1])


def spans(tokens, word, alike=str.__eq__):
    starts = [i for i, token in enumerate(tokens) if not token.startswith("##")]
    groups = [list(range(*ends)) for ends in zip(starts, [*starts[1:], len(tokens)], strict=True)]
    return [group for group in groups if alike("".join(tokens[i].removeprefix("##") for i in group), word)]


def whole(tokens, word):
    return [[i] for i, token in enumerate(tokens) if token == word]


def cosines(vectors):
    unit = F.normalize(vectors, dim=-1)
    return unit @ unit.mT


def means(similar, labels, myself=False):
    match = torch.tensor([[bool(a == b) for a in labels] for b in labels])
    same = match & (~torch.eye(len(labels), dtype=torch.bool) | myself)
    return similar[..., same].mean(-1), similar[..., ~match].mean(-1)


def picked(similar, labels):
    nearest = (similar - 1e6 * torch.eye(len(labels))).argmax(-1)
    return int((labels[nearest] == labels).sum())


def best(similar, labels, plus=1, minus=1, myself=False, size=lambda gap: gap):
    within, across = means(similar, labels, myself)
    return int(size(plus * within - minus * across).argmax())


def layers(rng):
    """同义与异义的余弦逐层给定。

    六句：第 3 层的差最大，第 1 层的同义最高，第 2 层的异义最低，第 0 层的向量最长。
    四句：第 1 层的差最大，第 0 层的差是负的，绝对值却最大；算上自己与自己，就轮到第 2 层。
    """
    within, across = [0.6, 0.98, 0.2, 0.8, 0.7], [0.4, 0.95, 0.0, 0.25, 0.4]
    lengths = torch.tensor([20, 1, 1, 1, 1])[:, None, None]
    return [
        (given(within, across, SENSES) * lengths, SENSES),
        (given([0.2, 0.85, 0.25], [0.55, 0.55, 0.0], SENSES[1:5]), SENSES[1:5]),
    ]


def given(within, across, labels):
    """每层一份向量，同义的两两余弦是 within，异义的是 across。"""
    gram = torch.tensor([within, across])[..., None, None]
    gram = gram[0].where(labels[:, None] == labels, gram[1])
    return torch.linalg.cholesky(gram.where(~torch.eye(len(labels)).bool(), 1.0))


def paired(rng, half):
    """成对的向量：一对有共同的一份，同义的有共同的一份，两份差不多大；长短悬殊。"""
    pair, sense = rng.randn(half, 6), rng.randn(2, 6)
    both = torch.cat([pair + sense[0], pair + sense[1]]) + 0.8 * rng.randn(2 * half, 6)
    return both * torch.tensor([0.5, 1.0, 4.0, 1.0, 2.0] * 2)[: 2 * half, None]


def chosen(similar):
    return (similar - 1e6 * torch.eye(len(similar))).argmax(-1)


def pair_counts(nearest):
    half, me = len(nearest) // 2, torch.arange(len(nearest))
    return [int(((nearest < half) == (me < half)).sum()), int(((nearest - me).abs() == half).sum())]


OVERLAP = "与词有重叠的片都算，<s> 是第 0 个；没有出现的词应当得到空列表。"
PIECES = [
    ("▁ 林 子 里 杜 鹃 叫 ， 山 上 杜 鹃 开了 。", "杜鹃"),
    ("▁ 苹果 很 甜 ， 苹果 也 脆 。", "苹果"),
    ("▁他 打电话 ， 她 打 球 。", "打"),
    ("▁他 打电话 ， 她 打 球 。", "杜鹃"),
]


def located(pieces, word):
    """切好的一句 → (原文, 各片的起止, 词)；句首的 ▁ 不占原文。"""
    pieces = [piece.removeprefix("▁") for piece in pieces.split()]
    ends = [len("".join(pieces[: i + 1])) for i in range(len(pieces))]
    return "".join(pieces), [(end - len(piece), end) for piece, end in zip(pieces, ends, strict=True)], word


def covering(text, offsets, word, first=1, touch=lambda a, b, i, end: a < end and b > i):
    starts = [i for i in range(len(text)) if text.startswith(word, i)]
    return [[k for k, (a, b) in enumerate(offsets, first) if touch(a, b, i, i + len(word))] for i in starts]


# 表格自己排版：提示在前，错答在后，写得下就在一行
# fmt: off
EXERCISES = [
    Exercise("contextual_bank.common-part",
        right={"加 (2, 2)": 12 / 13, "加 (100, 100)": 20200 / 20201},
        wrong={
            "这是点积，还要除以两个长度。": {"加 (2, 2)": 12.0, "加 (100, 100)": 20200.0},
            "加上同一个向量，方向变了，余弦也就变了；0 是加之前的。": {"加 (2, 2)": 0.0, "加 (100, 100)": 0.0},
            "第一个还不到 1：(3, 2) 与 (2, 3) 方向不同。": {"加 (2, 2)": 1.0, "加 (100, 100)": 1.0},
        },
        otherwise="先写出相加之后的两个向量，再算点积，除以两个长度之积。",
        praise="共同的一份越大，余弦越高：只报告余弦，不报告基线，就分不清高在哪里。",
        atol=5e-3,
    ),
    Exercise("contextual_bank.pairwise-cosine",
        # 长度悬殊，忘了除以哪一个长度都会露馅
        cases=lambda rng: [(rng.randn(5, 8) * torch.tensor([0.5, 1.0, 2.0, 4.0, 8.0])[:, None],)],
        right=lambda vectors: cosines(vectors),
        wrong={
            "这是点积，还没有除以长度：点积大，可能只是因为向量长。": lambda v: v @ v.T,
            "只除了一个向量的长度，所以不对称；两个都要除。": [lambda v: v @ F.normalize(v).T, lambda v: F.normalize(v) @ v.T],
            "除的是长度的平方；应当除以两个向量各自的长度之积。": lambda v: v @ v.T / v.norm(dim=-1) ** 2,
        },
        otherwise="每一格应当是 a·b / (‖a‖‖b‖)；对角线全是 1，因为向量与自己的方向相同。",
        praise="先把每行除以自己的长度，再做一次矩阵乘法，所有的余弦就都有了。",
    ),
    Exercise("contextual_bank.word-positions",
        cases=lambda rng: [(SENTENCE.split(), word) for word in ("the", "riverbanks", "river", "bank", "money")],
        right=lambda tokens, word: spans(tokens, word),
        wrong={
            "每一次出现都要用一个列表列出它的位置，哪怕只有一个，例如 [[1], [6]]。": lambda t, w: [i for (i,) in whole(t, w)],
            "一个词可以出现几次，每次都要列出。": lambda t, w: spans(t, w)[:1],
            "词可能被切成几段，后面各段以 ## 开头；要先把它们接起来再比较。": whole,
            "后面跟着 ## 的那一段只是某个词的开头，不是这个词本身：bank ##er 是 banker，不是 bank。":
                [lambda t, w: whole(t, w) or spans(t, w), lambda t, w: spans(t, w, str.startswith)],
            ABSENT: Symptom(lambda t, w: spans(t, w) or [-1], lambda got, t, w: w == "money"),
        },
        otherwise=ABSENT,
        praise="先按 ## 把片段接成词，再比较；一个词被切成几段时，常把各段的向量平均起来用。",
    ),
    Exercise("contextual_bank.count-hits",
        # 长度悬殊，用点积就会都挑中最长的
        cases=lambda rng: [(rng.randn(9, 4) * torch.tensor([1, 1, 9, 1, 1, 0.1, 1, 5, 1])[:, None] + 0.5, labels) for labels in (torch.tensor([0, 0, 0, 1, 1, 1, 2, 2, 2]), torch.tensor([0, 1, 0, 1, 0, 1, 0, 1, 0]))],
        right=lambda v, labels: picked(cosines(v), labels),
        wrong={
            "每个向量都挑中了自己；先让对角线上的不可能当选。": lambda v, labels: len(labels),
            "这是用点积挑的，长的容易占便宜；先化成余弦。": lambda v, labels: picked(v @ v.mT, labels),
            "要的是个数，不是比例。": lambda v, labels: picked(cosines(v), labels) / len(labels),
        },
        otherwise="逐个向量：在其余的里找余弦最大的一个，标签相同就加一。",
        praise="挑中几个，不问差多少；它能说两堆分得开，说不出为什么分得开。",
    ),
    Exercise("contextual_bank.best-layer",
        cases=layers,
        right=lambda states, labels: best(cosines(states), labels),
        wrong={
            "这一层的同义平均最高，可是异义的也几乎一样高；要看两者之差。": lambda s, labels: best(cosines(s), labels, minus=0),
            "这一层的异义平均最低，可是同义的也低；要看两者之差。": lambda s, labels: best(cosines(s), labels, plus=0),
            "层从 0 数起，states[0] 是嵌入层的输出；你的答案正好多了 1。": lambda s, labels: best(cosines(s), labels) + 1,
            "这一层的向量最长，点积之差最大；先化成余弦，别让长度说话。": lambda s, labels: best(s @ s.mT, labels),
            "自己与自己也算了进去：那些余弦总是 1，把同义的平均抬高了；对角线上的不算。": lambda s, labels: best(cosines(s), labels, myself=True),
            "取了绝对值：这一层是异义的反而更像，差是负的，不算分得开。": lambda s, labels: best(cosines(s), labels, size=torch.abs),
        },
        otherwise="要返回同义与异义之差最大的那一层的层号，从 0 数起。",
        praise="看同义与异义之差，而不是看谁的余弦高；换一批句子，分得最开的层也可能不同。",
    ),
    Exercise("contextual_bank.pair-picks",
        cases=lambda rng: [(paired(rng, half),) for half in (5, 4, 5)],
        right=lambda v: pair_counts(chosen(cosines(v))),
        wrong={
            "每个向量都挑中了自己；先让对角线上的不可能当选。": lambda v: [len(v), 0],
            "这是用点积挑的，长的容易占便宜；先化成余弦。": lambda v: pair_counts(chosen(v @ v.mT)),
            "两个数的次序反了：同义的在前。": lambda v: pair_counts(chosen(cosines(v)))[::-1],
            "不同义的不都是前半句相同的那一个；后一个数要另数。":
                lambda v: [pair_counts(chosen(cosines(v)))[0], len(v) - pair_counts(chosen(cosines(v)))[0]],
        },
        otherwise="逐个向量：在其余的里找余弦最大的一个，再问它与自己是不是在同一半，是不是恰好差 K 个。",
        praise="章里成对的苹果，第 1 层多半挑中前半句相同的，到第 11 层多半挑中同义的。",
    ),
    Exercise("contextual_bank.word-seats",
        cases=lambda rng: [located(*each) for each in PIECES],
        right=lambda text, offsets, word: covering(text, offsets, word),
        wrong={
            "<s> 是第 0 个，offsets 里没有它：位置要从 1 数起。": lambda t, o, w: covering(t, o, w, first=0),
            "挨着的、不占原文的也算进去了：止不含在内，两头比大小都不带等号。":
                [lambda t, o, w: covering(t, o, w, touch=lambda a, b, i, end: a < end and b >= i),
                 lambda t, o, w: covering(t, o, w, touch=lambda a, b, i, end: a <= end and b >= i),
                 lambda t, o, w: covering(t, o, w, touch=lambda a, b, i, end: a <= end and b > i)],
            "与别的字粘成一片的也算：有重叠就是，不必整片都在词里。":
                [lambda t, o, w: covering(t, o, w, touch=lambda a, b, i, end: i <= a < b <= end),
                 lambda t, o, w: [k for k in covering(t, o, w, touch=lambda a, b, i, end: i <= a < b <= end) if k]],
            "切成了几片的词，每一片都要。": lambda t, o, w: [k[:1] for k in covering(t, o, w)],
            "一个词可以出现几次，每次都要列出。": lambda t, o, w: covering(t, o, w)[:1],
            "每一次出现都要用一个列表列出它的位置，哪怕只有一个，例如 [[4, 5], [9]]。": lambda t, o, w: [k for each in covering(t, o, w) for k in each],
            OVERLAP: Symptom(lambda t, o, w: covering(t, o, w) or [-1], lambda got, t, o, w: w not in t),
        },
        otherwise=OVERLAP,
        praise="有了起止，词切成几片、粘在哪一片都找得到；章里把几片的向量取了平均。",
    ),
]
