"""数次数的语言模型：前面几个字之后，各个字出现过几次；没有见过的，就少看一个字。"""

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any


class Counting:
    """看前面 before 个字的模型；before 为 0 时，只数每个字有多常见。

    次数各减去 discount，省下的留给少看一个字的那一层，一层层退到各字一样可能；
    退下去之后，数的是“它跟在几种字后面”，不是“它出现过几次”：只跟着一个字出现的，别处就少猜它。
    参数：text，读的字；words，词表；before，看前面几个；discount，0 到 1。
    出处：Kneser & Ney, 1995；Chen & Goodman, 1999, §3（插值的写法）。
    """

    def __init__(self, text: Sequence[Any], words: Sequence[Any], before: int, discount: float = 0.75):
        self.size, self.before, self.discount = len(words), before, discount
        self.joined = "".join if isinstance(text, str) else tuple  # 连着的几个字怎样记
        text = self.joined(text)
        # 第 n 层：前面 n 个字与后面一个连着，各出现几次；totals 里是前面那几个字：一共几次，后面跟过几种
        self.counts, self.totals = [], []
        for n in range(before + 1):
            # 不是最长的，各种不同的“再往前一个字”各算一次
            extra = n < before
            grams = [text[i : i + n + 1 + extra] for i in range(len(text) - n - extra)]
            counts = Counter(gram[1:] for gram in set(grams)) if extra else Counter(grams)
            totals: dict[Any, tuple[int, int]] = {}
            for gram, count in counts.items():
                total, kinds = totals.get(gram[:-1], (0, 0))
                totals[gram[:-1]] = total + count, kinds + 1
            self.counts.append(counts)
            self.totals.append(totals)

    def probability(self, context: Sequence[Any], word: Any) -> float:
        """context 之后是 word 的概率；词表里的各个加起来是 1。"""
        chance, gram = 1 / self.size, self.joined([*context, word])
        for n in range(min(self.before, len(context)) + 1):
            seen = gram[len(gram) - n - 1 :]
            if seen[:-1] not in self.totals[n]:
                break
            total, kinds = self.totals[n][seen[:-1]]
            kept = max(self.counts[n].get(seen, 0) - self.discount, 0)
            chance = (kept + self.discount * kinds * chance) / total
        return chance

    def bits(self, text: Sequence[Any]) -> float:
        """猜 text 的每个字（第一个除外），平均要多少比特。"""
        steps = range(1, len(text))
        given = (self.probability(text[max(0, i - self.before) : i], text[i]) for i in steps)
        return -sum(map(math.log2, given)) / len(steps)

    def tune(self, text: Sequence[Any]) -> "Counting":
        """discount 试几个，留下猜 text 最好的；返回自己。"""

        def cost(discount: float) -> float:
            self.discount = discount
            return self.bits(text)

        self.discount = min((0.5, 0.6, 0.7, 0.8, 0.9), key=cost)
        return self
