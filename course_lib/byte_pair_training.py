"""字节级 BPE 的词元从哪里来：从字节开始，一次次合并最常相邻的一对。"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import count, pairwise

from .byte_pair import BYTE_TO_CHAR, BytePairTokenizer, merge, spell
from .checks import check_text
from .pretokenization import SMOLLM


def train_byte_pairs(
    text: str, num_merges: int, patterns: Sequence[str] = SMOLLM, special: Sequence[str] = ()
) -> BytePairTokenizer:
    """从一个文本学出分词器：从 256 个字节开始，一次次合并相邻次数最多的一对，直到合并了 `num_merges` 次。

    次数相同时取左边编号最小的一对，再相同取右边编号最小的；无可合并时提早停下。编号 0 到 255 是字节
    （依所写的字符排序），此后每次合并得到的新词元依次编号，特殊词元在最后。

    参数：patterns，预切分依次使用的正则，合并不会越过它们切开的地方；special，特殊词元，不参加数，编码时也不切开。
    错误：`text` 不是字符串时抛出 `TypeError`；含落单的代理码位，或 `num_merges` 为负时抛出 `ValueError`。
    出处：Sennrich et al., 2016, §3.2。
    """
    check_text(text, many="学的是一个文本，多个请先连成一个。")
    if num_merges < 0:
        raise ValueError(f"num_merges={num_merges} 不能是负数。")
    vocab = {char: index for index, char in enumerate(sorted(BYTE_TO_CHAR))}
    cut = BytePairTokenizer(vocab | dict(zip(special, count(256))), (), special, patterns)
    words = Counter(word for word in cut.pretokenize(text) if word not in cut.special)
    splits = {word: spell(word) for word in words}
    counts: Counter[tuple[str, str]] = Counter()  # 一对在全文里相邻多少次
    where = defaultdict(set)  # 一对出现在哪些词里：合并它只会改变这些词的次数

    def tally(word: str, sign: int) -> None:
        for pair in pairwise(splits[word]):
            counts[pair] += sign * words[word]
            (where[pair].add if sign > 0 else where[pair].discard)(word)

    for word in words:
        tally(word, +1)
    merges = []
    while len(merges) < num_merges and (most := max(counts.values(), default=0)):
        best = min((p for p in counts if counts[p] == most), key=lambda p: (vocab[p[0]], vocab[p[1]]))
        merges.append(best)
        vocab.setdefault("".join(best), len(vocab))
        for word in list(where[best]):
            tally(word, -1)
            splits[word] = merge(splits[word], {best: 0})
            tally(word, +1)
    vocab |= dict(zip(special, count(len(vocab))))
    return BytePairTokenizer(vocab, merges, special, patterns)
