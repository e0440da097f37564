"""这本书自己的行文：语言模型的练习材料。某一天从各章取来，写在旁边的 this_book.txt 里；行文天天在改，它不跟着动。

都是整句，照章的次序，一句一行；几章都有的套话只留头一回。
分成三份：读的、调的（给数次数的模型定它的几个数）、考的；考的两章，一章讲零件，一章讲用法，
它们讲的东西别章也提到，所以字与词都见过，句子没有见过。
"""

import re
from collections import Counter
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

TUNING = ("attention_masks",)
HELD = ("feed_forward", "generation")
PATH = Path(__file__).with_suffix(".txt")
REST = "〓"  # 少见的字都当作它


class Texts(NamedTuple):
    """三份行文：training 用来读，tuning 用来调，held 用来考；words 是词表，常见的字在前，第 0 个代表其余的；date 是取来的日期。"""

    words: list[str]
    training: str
    tuning: str
    held: str
    date: str


def frozen() -> tuple[str, dict[str, str]]:
    """取来的日期；章的名字，不带章号 → 它的行文。

    错误：this_book.txt 少了、截断了或改动过，抛出 `ValueError`。
    """
    text = PATH.read_text(encoding="utf-8", errors="replace") if PATH.is_file() else ""
    head, _, body = text.partition("\n")
    if sha256(body.encode()).hexdigest() not in head:
        raise ValueError(
            f"{PATH.name} 缺了或改动过，与它第一行的 SHA-256 不符：请照“运行说明”重新装一次 course_lib，"
            "在仓库里就用 git restore 取回它。"
        )
    _, *parts = re.split(r"(?m)^# (\w+)\n", body)
    names, texts = parts[::2], (part.rstrip("\n") for part in parts[1::2])
    return head[: len("2026-01-01")], dict(zip(names, texts, strict=True))


def this_book(convert: Callable[[str], str] = str, least: int = 3) -> Texts:
    """这本书的行文，分成三份；读的那一份里出现不到 least 次的字，都换成 `REST`。

    参数：convert，先把每一份换成别的写法，繁体的书就用它。错误：同 `frozen`。
    """
    date, texts = frozen()
    training = [name for name in texts if name not in (*HELD, *TUNING)]
    parts = [convert("\n".join(texts[name] for name in part)) for part in (training, TUNING, HELD)]
    counts = Counter(parts[0])
    words = sorted((word for word in counts if counts[word] >= least), key=lambda word: (-counts[word], word))
    known = {*words}
    shown = ("".join(c if c in known else REST for c in part) for part in parts)
    return Texts([REST, *words], *shown, date)
