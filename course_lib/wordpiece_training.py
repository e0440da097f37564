"""从语料学出一个 WordPiece 词表：从单字符开始，一次次合并得分最高的相邻两段。"""

from collections import Counter
from collections.abc import Callable, Iterable
from itertools import pairwise

from .checks import check_text
from .tokenization import MAX_WORD_LENGTH, PREFIX, SPECIAL_TOKENS, normalize_words


def pair_count(both: int, left: int, right: int) -> float:
    """合并准则之一：一对片段相邻出现的次数（BPE；Sennrich et al., 2016, §3.2）。"""
    return both


def pair_association(both: int, left: int, right: int) -> float:
    """合并准则之二：次数除以两个片段各自的次数之积，偏爱“总是一起出现”的一对（WordPiece 的似然比）。"""
    return both / (left * right)


def merge_pair(pieces: tuple[str, ...], pair: tuple[str, str]) -> tuple[str, ...]:
    """把一个词的片段里每处相邻的 `pair` 合成一个：`("a", "##b")` → `("ab",)`。"""
    merged = []
    for piece in pieces:
        if merged and (merged[-1], piece) == pair:
            merged[-1] += piece.removeprefix(PREFIX)
        else:
            merged.append(piece)
    return tuple(merged)


def train_wordpiece(
    texts: Iterable[str], vocab_size: int, score: Callable[[int, int, int], float] = pair_count
) -> dict[str, int]:
    """从语料学出一个词表：先收下全部单字符，再一次次把得分最高的相邻两段合成一段，直到词表满或无可合并。

    `score(both, left, right)` 由一对片段同现的次数与各自的次数给出得分；得分相同时取字典序最大的一对。
    返回 `{词元: 编号}`，五个特殊词元在最前。

    错误：`texts` 是单个字符串时抛出 `TypeError`；`vocab_size` 装不下特殊词元与单字符时，抛出 `ValueError`。
    """
    if isinstance(texts, str):
        raise TypeError("texts 应当是一列文本，收到的是单个字符串；请写成 [text]。")
    words = Counter(word for text in texts for word in normalize_words(check_text(text)))
    splits = {w: (w[0], *(PREFIX + char for char in w[1:])) for w in words if len(w) <= MAX_WORD_LENGTH}
    alphabet = sorted({piece for pieces in splits.values() for piece in pieces})
    vocab = {token: index for index, token in enumerate([*SPECIAL_TOKENS, *alphabet])}
    if len(vocab) > vocab_size:
        raise ValueError(f"vocab_size={vocab_size} 太小：特殊词元与单字符已有 {len(vocab)} 个。")
    while len(vocab) < vocab_size:
        pieces, pairs = Counter(), Counter()
        for word, split in splits.items():
            for piece in split:
                pieces[piece] += words[word]
            for pair in pairwise(split):
                pairs[pair] += words[word]
        if not pairs:
            break
        best = max(pairs, key=lambda p: (score(pairs[p], pieces[p[0]], pieces[p[1]]), p))
        splits = {word: merge_pair(split, best) for word, split in splits.items()}
        vocab.setdefault(best[0] + best[1].removeprefix(PREFIX), len(vocab))
    return vocab
