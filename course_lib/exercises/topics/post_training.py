"""《后训练》的练习。"""

from ..exercise import Exercise

WRITTEN = ["想 3 3 8 1 5 6 9 5 。", "答 5 。", "答 6 。", "想 5", "。", "答 5 5", "5 。", "想 5 。 。", ""]
ANSWERS = [5, 5, 5, 5, 5, 5, 5, 5, 0]


def centred(r):
    return r - r.mean()


def spread(r):
    return (centred(r) * centred(r)).mean() ** 0.5


def standard(r):
    return centred(r) / spread(r) if r.max() > r.min() else r * 0.0


def rewarded(written, answer, cost=0.05, size=lambda tokens: len(tokens)):
    tokens = written.split()
    right = len(tokens) > 1 and tokens[-1] == "。" and tokens[-2] == str(answer)
    return 1 - cost * size(tokens) if right else 0.0


def unended(written, answer):
    """不看句号：末一个数就算答案。"""
    digits = [token for token in written.split() if token.isdigit()]
    return 1 - 0.05 * len(written.split()) if digits[-1:] == [str(answer)] else 0.0


# 表格自己排版：提示在前，错答在后，写得下就在一行
# fmt: off
EXERCISES = [
    Exercise("post_training.advantages",
        cases=lambda rng: [((rng.rand(8) > 0.6) * 1.0,), (rng.rand(5),), (rng.rand(8) * 0.0 + 1.0,), ((rng.rand(8) > 2) * 1.0,)],
        right=standard,
        wrong={
            "没有减去平均：比的是同组的，不是 0 分。": lambda r: r / spread(r) if r.max() > r.min() else r * 0.0,
            "没有除以标准差。": centred,
            "标准差除以的是 G - 1：这一题要除以 G 的那种。":
                lambda r: centred(r) / (spread(r) * (len(r) / (len(r) - 1)) ** 0.5) if r.max() > r.min() else r * 0.0,
            "除以的是方差：还要开平方。": lambda r: centred(r) / spread(r) ** 2 if r.max() > r.min() else r * 0.0,
            "符号反了：比平均好的，优势是正的。": lambda r: -standard(r),
            "一组全相同的时候除以了 0：先看最大的与最小的是不是一样。": lambda r: centred(r) / spread(r),
        },
        otherwise="减去这一组的平均，除以这一组的标准差（除以 G 的那种）；全相同就全是 0。",
        praise="加起来是 0：有人多写，就有人少写。",
    ),
    Exercise("post_training.dpo-margin",
        cases=lambda rng: [(-2.0, -4.5, -2.5, -3.0, 0.1), (-8.0, -1.0, -3.0, -2.0, 0.5), (-1.0, -1.5, -1.25, -2.0, 2.0)],
        right=lambda w, b, w0, b0, beta: beta * ((w - w0) - (b - b0)),
        wrong={
            "没有减去学之前的：比的是各自涨了多少，不是谁更可能。": lambda w, b, w0, b0, beta: beta * (w - b),
            "忘了乘 beta。": lambda w, b, w0, b0, beta: (w - w0) - (b - b0),
            "反了：应当是好的减去差的。": lambda w, b, w0, b0, beta: beta * ((b - b0) - (w - w0)),
            "加成了减：差的那一项前面是减号。": lambda w, b, w0, b0, beta: beta * ((w - w0) + (b - b0)),
            "只看好的涨了多少，差的也要算。": lambda w, b, w0, b0, beta: beta * (w - w0),
            "除以了 beta：应当乘。": lambda w, b, w0, b0, beta: ((w - w0) - (b - b0)) / beta,
        },
        otherwise="好的涨了多少，减去差的涨了多少，再乘 beta；涨了多少，是对数概率之差。",
        praise="好的与差的一起跌，只要差的跌得多，它就满意。",
    ),
    Exercise("post_training.reward",
        cases=lambda rng: list(zip(WRITTEN, ANSWERS, strict=True)),
        right=lambda written, answer: rewarded(written, answer),
        wrong={
            "没有看句号：没有写完的算错，答案是句号前的一个词元。": unended,
            "没有扣长度。": lambda written, answer: rewarded(written, answer, 0.0),
            "词元数没有算上句号。": lambda written, answer: rewarded(written, answer, size=lambda tokens: len(tokens) - 1),
            "错的也扣了分：错的得 0。": lambda written, answer: rewarded(written, answer) or -0.05 * len(written.split()),
            "数的是字符，不是词元：先用 split 分开。": lambda written, answer: rewarded(written, answer, size=lambda tokens: len(written)),
        },
        otherwise="用 split 分开；末一个是句号，倒数第二个是答案，得 1 - 0.05 × 词元数；否则 0。",
        praise="尺子量什么，它就学什么：扣得再多一些，想就不划算了。",
    ),
]
