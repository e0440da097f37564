"""这本书自己的行文：语言模型的练习材料，由各章的笔记本当场取出，没有另存一份。

取的是整句：带代码、公式、网址的句子不要，表格、提示里的标记与书目也不要，几章都有的套话只留头一回。
分成三份：读的、调的（给数次数的模型定它的几个数）、考的；考的两章，一章讲零件，一章讲用法，
它们讲的东西别章也提到，所以字与词都见过，句子没有见过。
"""

import json
import re
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple

TUNING = ("attention_masks",)
HELD = ("feed_forward", "generation")
# 装来的 course_lib 里带着各章，仓库里的就在旁边
FOLDERS = [Path(__file__).parents[1] / "chapters", Path(__file__).parents[2] / "chapters"]
REST = "〓"  # 少见的字都当作它

HAN = re.compile("[\u4e00-\u9fff]")
BLOCKS = re.compile(r"(?ms)^ *(```|~~~|:::).*?^ *\1 *$|\$\$.*?\$\$|<!--.*?-->")
MARKS = re.compile(r"^(#+|[-*+]|\d+\.|>)\s+")  # 标题、一条、引文
LINKS = re.compile(r"!?\[([^\]]*)\](\([^)]*\)|<[^>]*>)")
NOT_PROSE = re.compile(r"[`$|<>\\{}]|https?:|\w+\.(py|md|ipynb|com|org)\b|^\s*→")


class Texts(NamedTuple):
    """三份行文：training 用来读，tuning 用来调，held 用来考；words 是词表，常见的字在前，第 0 个代表其余的。"""

    words: list[str]
    training: str
    tuning: str
    held: str


def sentences(markdown: str) -> list[str]:
    """一段 Markdown 里的整句，一句一个，标记去掉；不是话的都不要。"""
    found = []
    for line in BLOCKS.sub("", markdown).splitlines():
        line = MARKS.sub("", line.strip())
        line = re.sub(r"\[→[^\]]*\]\([^)]*\)", "", line)  # 小结末尾去处的链接
        line = LINKS.sub(r"\1", line).replace("**", "").replace("*", "").strip()
        han = len(HAN.findall(line))
        if han > 0.4 * len(line) and not NOT_PROSE.search(line):
            found.append(line)
    return found


@cache
def chapters() -> dict[str, str]:
    """章的名字，不带章号 → 它的行文，一句一行；照章的次序。

    错误：旁边没有各章的笔记本，抛出 `FileNotFoundError`。
    """
    folder = next((folder for folder in FOLDERS if any(folder.glob("[0-9]*.ipynb"))), None)
    if folder is None:
        raise FileNotFoundError("找不到这本书的各章：请照“运行说明”重新装一次 course_lib，装来的里面就有。")
    paths = {path.stem.partition("_")[2]: path for path in sorted(folder.glob("[0-9]*.ipynb"))}
    seen, texts = set(), dict.fromkeys(paths, "")
    # 考的与调的先认，训练里就没有与它们相同的句子
    for name, path in sorted(paths.items(), key=lambda item: item[0] not in (*HELD, *TUNING)):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        markdown = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"]
        kept = []
        for line in (line for text in markdown for line in sentences(text)):
            if line not in seen:
                kept.append(line)
                seen.add(line)
        texts[name] = "\n".join(kept)
    return texts


def this_book(convert: Callable[[str], str] = str, least: int = 3) -> Texts:
    """这本书的行文，分成三份；读的那一份里出现不到 least 次的字，都换成 `REST`。

    参数：convert，先把每一份换成别的写法，繁体的书就用它。错误：同 `chapters`。
    """
    texts = chapters()
    training = [name for name in texts if name not in (*HELD, *TUNING)]
    parts = [convert("\n".join(texts[name] for name in part)) for part in (training, TUNING, HELD)]
    counts = Counter(parts[0])
    words = sorted((word for word in counts if counts[word] >= least), key=lambda word: (-counts[word], word))
    known = {*words}
    return Texts([REST, *words], *("".join(c if c in known else REST for c in part) for part in parts))
