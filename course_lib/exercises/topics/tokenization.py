"""《分词》的练习。"""

import torch

from ..exercise import Exercise, Symptom

CUTS = {
    "研究生命的起源": "研究 研究生 生命 起源",
    "天地玄黄宇": "天地玄 玄黄宇 黄宇",
    "寒来暑往寒来暑往": "寒来 来暑往 暑往寒来 往寒",
}
PREDICTED = {"unplayed": "un ##play ##ed", "players": "play ##er ##s", "er": "[UNK]", "playr": "[UNK]"}
PIECES = {"play": 0, "p": 1, "##er": 2, "##e": 3, "##s": 4, "un": 5, "##play": 6, "a": 7, "##ed": 8, "r": 9}
SCORES = {"研究": -3, "研究生": -5, "生命": -4, "命": -6, "的": -2, "命的": -9, "生": -5, "研": -7, "究": -7}
BEST = {"研究生命": "研究 生命", "研究生的": "研究生 的", "生命的": "生命 的"}
TOKENS = [
    ["▁我", "喜欢", "猫", "。"],
    ["▁", "因为他们", "来了"],
    ["▁她", "爱", "▁NL", "P", "，", "真的"],
    ["▁", "打", "了一个", "▁", "电话"],
]
ROWS = [[101, 7, 0, 8, 102], [101, 9, 102], [101, 5, 6, 7, 8, 9, 10, 102]]


def match(text, vocab, prefix=""):
    """从左往右的最长匹配：（各段，卡住时剩下的）。"""
    pieces = []
    while text:
        inside = prefix if pieces else ""
        fits = [text[:n] for n in range(1, len(text) + 1) if inside + text[:n] in vocab]
        if not fits:
            break
        pieces.append(fits[-1])
        text = text.removeprefix(fits[-1])
    return pieces, text


def from_the_end(text, vocab):
    return [piece[::-1] for piece in match(text[::-1], {word[::-1] for word in vocab})[0]]


def spans(pieces, added=1):
    """各段的起止；added，最前面有几个字符是添上去的，不占原文。"""
    found, start = [], 0
    for i, piece in enumerate(pieces):
        end = start + len(piece) - (added if i == 0 else 0)
        found.append((start, end))
        start = end
    return found


def pad(rows, pad_id, max_len):
    rows = [row if len(row) <= max_len else [*row[: max_len - 1], row[-1]] for row in rows]
    longest = max(map(len, rows))
    mask = [[1] * len(row) + [0] * (longest - len(row)) for row in rows]
    return torch.tensor([row + [pad_id] * (longest - len(row)) for row in rows]), torch.tensor(mask)


# 表格自己排版：提示在前，错答在后，写得下就在一行
# fmt: off
EXERCISES = [
    Exercise("tokenization.predict",
        right=PREDICTED,
        wrong={
            "er 放在词首，不带 ##；词表里只有 ##er，所以整个词是 [UNK]。":
                Symptom(PREDICTED | {"er": "##er"}, lambda got: got["er"] != "[UNK]"),
            "playr：play 之后要带着 ## 去找 r，词表里只有不带的 r，整个词是 [UNK]，前面的 play 也不留。":
                Symptom(PREDICTED | {"playr": "play r"}, lambda got: got["playr"] != "[UNK]"),
        },
        otherwise="词首不带 ##，其余都带；每一步取最长的：play 胜过 p，##er 与 ##ed 胜过 ##e。词元之间空一格。",
        praise="playr 与 er 只差在有没有 ##：一步取不到，整个词作废。",
    ),
    Exercise("tokenization.backward-match",
        cases=lambda rng: [(text, {*text, *words.split()}) for text, words in CUTS.items()],
        right=lambda text, vocab: from_the_end(text, vocab)[::-1],
        wrong={
            "每一段都对，次序却是反的：从句尾切起，最后要倒过来。": from_the_end,
            "切成了单字：每次要从最长的一段试起。": lambda text, vocab: [*text],
            "这是从左往右的结果：应当先在句尾找最长的一段。": lambda text, vocab: match(text, vocab)[0],
        },
        otherwise="每次从句尾取走词表里最长的一段，各段连起来就是原文。",
        praise="从左往右是 研究生 / 命 / 的 / 起源，从右往左是 研究 / 生命 / 的 / 起源：贪心的结果取决于从哪头开始。",
    ),
    Exercise("tokenization.stuck",
        cases=lambda rng: [(w, PIECES) for w in ("players", "playedz", "unplayxs", "sad", "playr", "play", "playa")],
        right=lambda word, vocab: match(word, vocab, "##")[1],
        wrong={
            "词首之后的片段要带着 ## 去词表里找。": lambda word, vocab: match(word, vocab)[1],
            "前面的配得上，只要返回卡住时还剩下的那一截。": lambda word, vocab: match(word, vocab, "##")[1] and word,
        },
        otherwise="一段一段取最长的，到取不动时还剩下的就是答案；拼得出来，就是空字符串。",
        praise="配上的前半段也一并作废，整个词只剩一个 [UNK]。",
    ),
    Exercise("tokenization.best-path",
        right=BEST,
        wrong={
            "研究生命：研究生 命 是 -5 - 6 = -11，还有总分更高的切法。":
                Symptom(BEST | {"研究生命": "研究生 命"}, lambda got: got["研究生命"].split() == ["研究生", "命"]),
            "研究生的：研究 生 的 是 -3 - 5 - 2 = -10；有一种切法少一段，少扣一次。":
                Symptom(BEST | {"研究生的": "研究 生 的"}, lambda got: got["研究生的"].split() == ["研究", "生", "的"]),
        },
        otherwise="把连得上的切法都写出来，各段的分数加起来，取最高的；片段之间空一格。",
        praise="同是研究生三个字开头，后面换一个字，切法就换了：比的是整句的总分。",
    ),
    Exercise("tokenization.offsets",
        cases=lambda rng: [(pieces,) for pieces in TOKENS],
        right=lambda pieces: spans(pieces),
        wrong={
            "最前面的 ▁ 是分词器添的，原文里没有：第一段的长度要少算一个。": lambda pieces: spans(pieces, 0),
            "后面的 ▁ 是原文里的空格，占一个字符，要算在内。":
                lambda pieces: spans([piece.replace("▁", "") for piece in pieces], 0),
            "每一段给的应当是（起, 止），不是（起, 长）。":
                lambda pieces: [(start, end - start) for start, end in spans(pieces)],
            "止是末一个字的后一位：text[起:止] 正好是这一段。":
                lambda pieces: [(start, end - 1) for start, end in spans(pieces)],
        },
        otherwise="各段首尾相接，从 0 数起，每一段从前一段的止开始；最前面的 ▁ 不算。",
        praise="有了起止，模型给词元的数就能画回原文的字上；最前面单独的 ▁ 起与止相同，一个字也不占。",
    ),
    Exercise("tokenization.pad-batch",
        cases=lambda rng: [(ROWS, 0, max_len) for max_len in (6, 20)],
        right=pad,
        wrong={
            "要返回两样：(input_ids, attention_mask)。": Symptom(lambda *args: pad(*args)[0]),
            "掩码不能看编号是不是 [PAD]：第一行的正文里就有一个，它算内容；要看长度。":
                lambda rows, pad_id, n: (pad(rows, pad_id, n)[0], pad(rows, pad_id, n)[0].ne(pad_id).int()),
            "反了：真实的词元是 1，补上去的是 0。": lambda *args: (pad(*args)[0], 1 - pad(*args)[1]),
            "截断之后，最后一个真实的词元应当仍是 [SEP]。": lambda rows, pad_id, n: pad([row[:n] for row in rows], pad_id, n),
        },
        otherwise="每行从左边保留正文，右边补 [PAD]；attention_mask 前面的 1 与这一行的长度一样多。",
        praise="掩码由长度决定；截断时先给 [SEP] 留出位置。",
    ),
]
