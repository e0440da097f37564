"""影评的语法说了算：下一个词、遮住的词各有多大可能，一句影评合不合语法，平均有几个词可选。

`reviews` 照语法抽签造影评；这里把同一套模板当作一台自动机，所有的可能都走一遍，得到的概率是精确的。
一个状态是（还没写的符号，已经用过的方面）；读了前文，还可能在哪几个状态、各有多大可能，合起来叫一个信念。
"""

import math
import re
from collections.abc import Iterator, Sequence
from functools import cache

from .reviews import (
    ADVERBS,
    AGREEMENTS,
    ASPECTS,
    BAD,
    CONTRASTS,
    CORRECTIONS,
    GOOD,
    REMARKS,
    SPLITS,
    TAILS,
    allowed_words,
)

END = "[SEP]"  # 写完了
KINDS = {"GOOD": GOOD, "BAD": BAD}
State = tuple[tuple[str, ...], tuple[str, ...]]
Belief = tuple[tuple[State, float], ...]


def split_words(text: str) -> list[str]:
    """影评的词：逗号与句号各算一个。"""
    return re.findall(r"\w+|[.,]", text)


def next_word(words: Sequence[str], split: str | None = "train") -> dict[str, float]:
    """读了开头的 words，下一个词真正的概率 P(wₙ | w₁ … wₙ₋₁)；写完是 END。

    参数：words，前文，可以是空的；split，"train"、"test"，或 None：两边的（方面，评价词）搭配都算。
    返回：{词: 概率}，合计 1，只有可能的词。
    错误：没有这个 split，或者语法写不出 words 时，抛出 `ValueError`。
    """
    chances = _next(_read(tuple(words), split), split)
    if not chances:
        raise ValueError(f"影评的语法写不出“{' '.join(words)}”。")
    return {word: chance for word, (chance, _) in chances.items()}


def masked_word(words: Sequence[str], place: int, split: str | None = "train") -> dict[str, float]:
    """其余的词都看得见时，words[place] 真正的概率 P(wᵢ | 其余)；words[place] 本身写什么都可以。

    参数：words，一整句，不算 END；place，第几个词，从 0 数起；split，同 `next_word`。
    返回：{词: 概率}，合计 1，只有可能的词。
    错误：place 越界、没有这个 split，或者填哪个词都不合语法时，抛出 `ValueError`。
    """
    if not 0 <= place < len(words):
        raise ValueError(f"place={place}：这一句有 {len(words)} 个词，应当在 0 与 {len(words) - 1} 之间。")
    after = tuple(words[place + 1 :])
    chances = {
        word: chance * _chance((*after, END), belief, split)
        for word, (chance, belief) in _next(_read(tuple(words[:place]), split), split).items()
        if word != END
    }
    total = sum(chances.values())
    if not total:
        raise ValueError(f"第 {place} 个词填什么，影评的语法都写不出这一句。")
    return {word: chance / total for word, chance in chances.items() if chance}


def grammatical(words: Sequence[str], split: str | None = None) -> bool:
    """语法写得出这一整句吗；不给 split，两边的搭配都算。"""
    return _chance((*words, END), _start(split), split) > 0


def entropy(split: str | None = "train") -> tuple[float, float]:
    """一条影评的熵（nat）与平均长度（词数，END 也算一个）；前者除以后者，就是每个词平均的熵。

    熵按链式法则一个词一个词地加：H(信念) = Σ P(词) (−log P(词) + H(读了这个词之后的信念))。
    """

    @cache
    def measure(belief: Belief) -> tuple[float, float]:
        nats = length = 0.0
        for word, (chance, then) in _next(belief, split).items():
            more = (0.0, 0.0) if word == END else measure(then)
            nats += chance * (more[0] - math.log(chance))
            length += chance * (more[1] + 1)
        return nats, length

    return measure(_start(split))


def _patterns() -> Iterator[tuple[tuple[str, ...], float]]:
    """没有填词的句子与各自的概率；ASPECT 是一个还没有用过的方面，GOOD、BAD 是关于它的一个评价。"""
    cores = []
    for win, lose in (("GOOD", "BAD"), ("BAD", "GOOD")):
        clause = "the ASPECT was {}".format
        cores += [t.format(win=clause(win), lose=clause(lose)) for t in CONTRASTS]
        cores += [t.format(win=win, lose=lose, aspect="ASPECT") for t in CORRECTIONS]
    cores = [(core, 1 / len(cores) / 2) for core in cores]
    for kind in KINDS:
        clause = f"the ASPECT was {kind}"
        cores += [(t.format(clause, clause), 1 / len(AGREEMENTS) / len(KINDS) / 2) for t in AGREEMENTS]
    for core, chance in cores:
        for remark in REMARKS:
            for text in (core + remark, remark + core):
                yield tuple(split_words(text)), chance / len(REMARKS) / 2


@cache
def _start(split: str | None) -> Belief:
    if split not in (*SPLITS, None):
        raise ValueError(f'split={split!r}：只有 "train"、"test" 与 None。')
    return _gather(((pattern, ()), chance) for pattern, chance in _patterns())


def _gather(weighted) -> Belief:
    """同一个状态的概率加起来，归一，排好次序，信念相同就处处相同。"""
    sums: dict[State, float] = {}
    for state, chance in weighted:
        sums[state] = sums.get(state, 0.0) + chance
    total = sum(sums.values())
    return tuple(sorted((state, round(chance / total, 12)) for state, chance in sums.items()))


def _moves(state: State, split: str | None) -> Iterator[tuple[str, State, float]]:
    """从一个状态出发：下一个词、之后的状态、概率；可以空着的（副词、句尾）空着时接着往后走。"""
    symbols, used = state
    if not symbols:
        yield END, ((), used), 1.0
        return
    first, *rest = symbols
    if first == "ASPECT":
        fresh = [aspect for aspect in ASPECTS if aspect not in used]
        for aspect in fresh:
            yield aspect, (tuple(rest), (*used, aspect)), 1 / len(fresh)
    elif first in KINDS:
        for adverb in ADVERBS:
            opened = (*adverb.split(), f"{first} WORD", "TAIL", *rest)
            yield from _shared(_moves((opened, used), split), len(ADVERBS))
    elif first == "TAIL":
        for tail in TAILS:
            yield from _shared(_moves(((*tail.split(), *rest), used), split), len(TAILS))
    elif first.endswith(" WORD"):
        words = allowed_words(used[-1], KINDS[first.split()[0]], split)
        for word in words:
            yield word, (tuple(rest), used), 1 / len(words)
    else:
        yield first, (tuple(rest), used), 1.0


def _shared(moves, ways: int):
    return ((word, state, chance / ways) for word, state, chance in moves)


@cache
def _next(belief: Belief, split: str | None) -> dict[str, tuple[float, Belief]]:
    """{下一个词: (概率, 读了它之后的信念)}。"""
    led: dict[str, list[tuple[State, float]]] = {}
    for state, chance in belief:
        for word, then, share in _moves(state, split):
            led.setdefault(word, []).append((then, chance * share))
    return {word: (sum(chance for _, chance in to), _gather(to)) for word, to in led.items()}


@cache
def _read(words: tuple[str, ...], split: str | None) -> Belief:
    """读了 words 之后的信念；语法写不出就是空的。"""
    if not words:
        return _start(split)
    return _next(_read(words[:-1], split), split).get(words[-1], (0.0, ()))[1]


def _chance(words: tuple[str, ...], belief: Belief, split: str | None) -> float:
    """从这个信念出发，接下来恰好是 words 的概率。"""
    product = 1.0
    for word in words:
        chance, belief = _next(belief, split).get(word, (0.0, ()))
        product *= chance
        if not product:
            break
    return product
