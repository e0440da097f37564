"""数次数的语言模型：前面几个字之后，各个字出现过几次；没有见过的，就少看一个字。"""

import math
from collections import Counter, defaultdict
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
        # 第 n 层：看前面 n 个字时，各个字的次数
        self.counts = [defaultdict(Counter) for _ in range(before + 1)]
        for n, counts in enumerate(self.counts):
            grams = Counter(tuple(text[i : i + n + 1]) for i in range(len(text) - n))
            if n < before:  # 各种不同的“再往前一个字”各算一次
                longer = {tuple(text[i : i + n + 2]) for i in range(len(text) - n - 1)}
                grams = Counter(gram[1:] for gram in longer)
            for (*context, word), count in grams.items():
                counts[tuple(context)][word] += count
        self.totals = [
            {context: (sum(row.values()), len(row)) for context, row in counts.items()}
            for counts in self.counts
        ]

    def probability(self, context: Sequence[Any], word: Any) -> float:
        """context 之后是 word 的概率；词表里的各个加起来是 1。"""
        chance = 1 / self.size
        for n in range(min(self.before, len(context)) + 1):
            seen = tuple(context[len(context) - n :])
            if seen not in self.totals[n]:
                break
            total, kinds = self.totals[n][seen]
            kept = max(self.counts[n][seen][word] - self.discount, 0)
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
