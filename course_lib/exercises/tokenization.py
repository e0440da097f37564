"""《分词》的练习。"""

import random

import torch

from ..tokenization import PREFIX
from .registry import register, require, require_shape, run

SENTENCE = "研究生命的起源"
CHINESE = {*SENTENCE, "研究", "研究生", "生命", "起源"}
PIECES = {"play", "p", "##er", "##e", "##s", "un", "##play", "a", "##ed", "r"}


def cut(text: str, vocab: set[str], backward: bool) -> list[str]:
    """不带前缀的最长匹配，从左往右或从右往左；单字须都在词表里。"""
    if not backward:
        size = max(n for n in range(1, len(text) + 1) if text[:n] in vocab)
        head, rest = text[:size], text[size:]
        return [head, *(cut(rest, vocab, backward) if rest else [])]
    size = max(n for n in range(1, len(text) + 1) if text[-n:] in vocab)
    rest, tail = text[:-size], text[-size:]
    return [*(cut(rest, vocab, backward) if rest else []), tail]


@register("tokenization.backward-match")
def backward_match(answer):
    for text, vocab in [(SENTENCE, CHINESE), *(random_case() for _ in range(20))]:
        got = run(answer, text, vocab)
        require(isinstance(got, list), f"应当返回一个列表，收到的却是 {type(got).__name__}。")
        expected = cut(text, vocab, backward=True)
        if got == expected:
            continue
        require(got != expected[::-1], "每一段都对，次序却是反的：从句尾切起，最后要倒过来。")
        require(got != list(text), "切成了单字：每次要从最长的一段试起。")
        require(got != cut(text, vocab, backward=False), "这是从左往右的结果：应当先在句尾找最长的一段。")
        require("".join(got) == text, f"各段连起来是 {''.join(got)!r}，与原文 {text!r} 不同。")
        require(False, f"{text!r} 应当切成 {expected}，这里是 {got}。")
    forward, backward = (" / ".join(cut(SENTENCE, CHINESE, b)) for b in (False, True))
    return f"从左往右是 {forward}，从右往左是 {backward}：贪心的结果取决于从哪头开始。"


def random_case() -> tuple[str, set[str]]:
    chars = "甲乙丙丁"
    vocab = {*chars, *("".join(random.choices(chars, k=random.choice((2, 3)))) for _ in range(12))}
    return "".join(random.choices(chars, k=8)), vocab


def rest(word: str, vocab: dict[str, int], prefix: str = PREFIX) -> str:
    """最长匹配卡住时剩下的那一截，没有卡住就是空字符串。"""
    start = 0
    while start < len(word):
        inside = prefix if start else ""
        ends = [end for end in range(start + 1, len(word) + 1) if inside + word[start:end] in vocab]
        if not ends:
            break
        start = max(ends)
    return word[start:]


@register("tokenization.stuck")
def stuck(answer):
    vocab = {piece: index for index, piece in enumerate(sorted(PIECES))}
    for word in ("players", "playedz", "unplayxs", "sad", "playr", "play", "playa"):
        expected, got = rest(word, vocab), run(answer, word, vocab)
        require(isinstance(got, str), f"应当返回字符串，收到的却是 {type(got).__name__}。")
        if got == expected:
            continue
        require(
            got != rest(word, vocab, prefix=""), f"切 {word} 时，词首之后的片段要带着 {PREFIX} 去词表里找。"
        )
        require(bool(expected), f"{word} 拼得出来，应当返回空字符串，这里却是 {got!r}。")
        require(got != word, f"{word} 不是整个都配不上，只要返回卡住时还剩下的那一截 {expected!r}。")
        require(False, f"切 {word} 卡住时还剩 {expected!r}，这里返回的是 {got!r}。")
    return "配上的前半段也一并作废，整个词只剩一个 [UNK]。"


@register("tokenization.pad-batch")
def pad_batch(answer):
    rows = [[101, 7, 0, 8, 102], [101, 9, 102], [101, 5, 6, 7, 8, 9, 10, 102]]
    for max_len, longest in ((6, 6), (20, 8)):
        result = run(answer, rows, 0, max_len)
        require(isinstance(result, tuple) and len(result) == 2, "要返回两样：(input_ids, attention_mask)。")
        ids, mask = result
        require_shape(ids, (3, longest), "input_ids ")
        require_shape(mask, (3, longest), "attention_mask ")
        lengths = torch.tensor([min(len(row), max_len) for row in rows])
        last = ids[torch.arange(3), lengths - 1]
        require(bool((last == 102).all()), "截断之后，最后一个真实的词元应当仍是 [SEP]。")
        expected = (torch.arange(longest) < lengths[:, None]).int()
        require(
            not torch.equal(mask.int(), (ids != 0).int()),
            "掩码不能看编号是不是 [PAD]：第一行的正文里就有一个 0，它算内容；要看长度。",
        )
        require(not torch.equal(mask.int(), 1 - expected), "反了：真实的词元是 1，补上去的是 0。")
        require(torch.equal(mask.int(), expected), "attention_mask 每行前面的 1 应当与这一行的长度一样多。")
        kept = [row if len(row) <= max_len else [*row[: max_len - 1], 102] for row in rows]
        padded = torch.tensor([row + [0] * (longest - len(row)) for row in kept])
        require(torch.equal(ids, padded), "input_ids 不对：正文从左边保留，[PAD] 补在右边。")
    return "掩码由长度决定；截断时先给 [SEP] 留出位置。"


@register("tokenization.segments")
def segments(answer):
    sep = 102
    cases = [
        ([101, 7, 8, sep, 9, sep], [0, 0, 0, 0, 1, 1]),
        ([101, 7, sep, 8, 9, sep, 0, 0], [0, 0, 0, 1, 1, 1, 0, 0]),
        ([101, 7, 8, sep, 0, 0], [0] * 6),
        ([101, 7, sep], [0] * 3),
    ]
    for ids, expected in cases:
        got = run(answer, ids, sep)
        got = got.tolist() if isinstance(got, torch.Tensor) else list(got)
        require(len(got) == len(ids), f"应当有 {len(ids)} 个数，这里是 {len(got)} 个。")
        if got == expected:
            continue
        first = ids.index(sep)
        require(not got[first], "第一个 [SEP] 属于第一段，应当是 0。")
        if ids.count(sep) == 2:
            last = len(ids) - 1 - ids[::-1].index(sep)
            require(bool(got[last]), "最后一个 [SEP] 属于第二段，应当是 1。")
            require(not any(got[last + 1 :]), "右边补上的 [PAD] 不属于第二段，应当是 0。")
        else:
            require(not any(got), "只有一个 [SEP] 时没有第二段，应当全是 0，补齐的位置也是。")
        require(False, f"{ids} 应当得到 {expected}，这里是 {got}。")
    return "每个 [SEP] 都归它所结束的那一段。"


@register("tokenization.embedding-rows")
def embedding_rows(answer):
    for ids in ((0, 1, 2, 10, 23), (5, 99, 3), tuple(range(7))):
        vocab = {f"词{i}": i for i in ids}
        got = run(answer, vocab)
        expected = max(ids) + 1
        if got == expected:
            continue
        require(got != len(vocab), f"词元有 {len(vocab)} 个，编号却到了 {max(ids)}：行数要看最大的编号。")
        require(got != max(ids), f"编号从 0 数起，{max(ids)} 行只装得下 0 到 {max(ids) - 1}。")
        require(got != list(vocab.values())[-1] + 1, "最后一个词元的编号不一定最大：词表不必按编号排。")
        require(False, f"编号是 {ids}，至少要 {expected} 行，这里是 {got}。")
    return "行数等于最大的编号加 1，中间的空当只是用不到的行。"
