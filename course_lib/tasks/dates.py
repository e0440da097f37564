"""中文日期 → ISO 日期：当场造出的翻译练习，逐字读，逐字写。

数据由种子决定，在任何机器、任何进程里都相同，不下载任何东西。
"""

import random
from calendar import monthrange
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import torch
from torch import Tensor

SPLITS = ("train", "test")
PAD, BOS, EOS = 0, 1, 2  # 填充、开头、结尾，两边相同
DIGITS = "〇一二三四五六七八九"
FULL_WIDTH = str.maketrans("0123456789", "０１２３４５６７８９")


class Dates(NamedTuple):
    """一批日期，两项一一对应：sources 如 "三月七日（二〇二三年）"，targets 如 "2023-03-07"。"""

    sources: list[str]
    targets: list[str]


def dates(count: int, seed: int = 0, split: str = "train") -> Dates:
    """造 count 个日期，1900 到 2099 年，都是日历上有的日子，每个用 `FORMS` 里的一种写法。

    年份的末两位之和是 5 的倍数，月与日之和是 5 的倍数：“test” 里两样都是，“train” 里两样都不是。
    所以测试的年份（连同它的末两位）和月与日的搭配，训练时都没有见过，整串背不下来，只能一段一段去拼。

    参数：count，个数；seed，种子；split，"train" 或 "test"。
    返回：`Dates`，次序已打乱，没有重复的写法。
    错误：没有这个 split，或 count 不是正数、比这个 split 里所有的写法还多时，抛出 `ValueError`。
    """
    if split not in SPLITS:
        raise ValueError(f'split={split!r}：只有 "train" 与 "test"。')
    days = _days(split)
    possible = len(days) * len(FORMS)
    if not 1 <= count <= possible:
        raise ValueError(f"count={count}：{split} 里至少取 1 个，至多取 {possible} 个。")
    chosen = random.Random(f"{split} {seed}").sample(range(possible), count)
    pairs = [(days[i // len(FORMS)], FORMS[i % len(FORMS)]) for i in chosen]
    return Dates([form(*day) for day, form in pairs], ["{}-{:02}-{:02}".format(*day) for day, _ in pairs])


def chinese_number(number: int, twenty: str = "二十") -> str:
    """1 到 39 的汉字写法，如 25 → "二十五"；twenty="廿" 时是 "廿五"。错误：越界时抛出 `ValueError`。"""
    if not 1 <= number <= 39:
        raise ValueError(f"{number} 不在 1 到 39 之间。")
    tens, ones = divmod(number, 10)
    return ("", "十", twenty, "三十")[tens] + (DIGITS[ones] if ones else "")


def _year(year: int, zero: str = "〇") -> str:
    return "".join(DIGITS[int(digit)] for digit in str(year)).replace("〇", zero)


# 每种写法收下 (年, 月, 日)。
FORMS = (
    lambda y, m, d: f"{_year(y)}年{chinese_number(m)}月{chinese_number(d)}日",
    lambda y, m, d: f"{_year(y, '零')}年{chinese_number(m)}月{chinese_number(d)}号",
    lambda y, m, d: f"公元{_year(y)}年{chinese_number(m)}月{chinese_number(d, '廿')}日",
    lambda y, m, d: f"{chinese_number(m)}月{chinese_number(d)}日（{_year(y)}年）",  # 年份在后
    lambda y, m, d: f"{y}年{m}月{d}日",
    lambda y, m, d: f"{y}年{m:02}月{d:02}日".translate(FULL_WIDTH),
)


class Characters:
    """字符与编号的对照；0、1、2 分别是填充、开头、结尾，字符从 3 数起。

    参数：characters，所有的字符，各不相同。
    """

    def __init__(self, characters: str):
        self.characters = characters
        self.ids = {character: i for i, character in enumerate(characters, start=EOS + 1)}

    def __len__(self) -> int:
        """词表的大小，算上三个特殊的编号。"""
        return EOS + 1 + len(self.characters)

    def encode(self, text: str) -> list[int]:
        """字符串 → 编号，一个字符一个。错误：空字符串，或有词表里没有的字符时，抛出 `ValueError`。"""
        if not text:
            raise ValueError("字符串是空的，没有可编号的字符。")
        for character in text:
            if character not in self.ids:
                raise ValueError(f"{text!r} 里的 {character!r} 不在词表里，词表有：{self.characters}")
        return [self.ids[character] for character in text]

    def encode_batch(self, texts: Sequence[str], ends: bool = False) -> Tensor:
        """若干字符串 → (B, N) 的编号，短的在右边补 0；ends=True 时每行前面加 1，后面加 2。

        错误：没有字符串时抛出 `ValueError`；其余同 `encode`。
        """
        rows = [[BOS, *self.encode(text), EOS] if ends else self.encode(text) for text in texts]
        if not rows:
            raise ValueError("一个字符串也没有。")
        longest = max(map(len, rows))
        return torch.tensor([row + [PAD] * (longest - len(row)) for row in rows])

    def decode(self, ids: Sequence[int] | Tensor) -> str:
        """一行编号 → 字符串，到结尾为止，不写开头与填充。错误：编号越界时抛出 `ValueError`。"""
        text = ""
        for i in map(int, ids):
            if not 0 <= i < len(self):
                raise ValueError(f"编号 {i} 不在 0 到 {len(self) - 1} 之间。")
            if i == EOS:
                break
            text += self.characters[i - EOS - 1] if i > EOS else ""
        return text


SOURCE = Characters("年月日号公元（）" + DIGITS + "零十廿" + "0123456789" + "０１２３４５６７８９")
TARGET = Characters("0123456789-")


@cache
def _days(split: str) -> list[tuple[int, int, int]]:
    def held_out(year, month, day):
        return (year // 10 % 10 + year % 10) % 5 == 0, (month + day) % 5 == 0

    every = (
        (y, m, d) for y in range(1900, 2100) for m in range(1, 13) for d in range(1, monthrange(y, m)[1] + 1)
    )
    return [day for day in every if held_out(*day) == ((split == "test"),) * 2]
