"""一章里讲一句话讲得最多的是哪一节：看两边共有的词，只在少数几节里出现的词算得多。"""

import math
import re
from collections import Counter

from docutils import nodes

WORD = re.compile(r"[a-z_]+|\d+(?:\.\d+)?|[\u4e00-\u9fff]+")
# 不讲新东西的几节；这些字两本书相同，或者各写一遍
ASIDE = re.compile("小[结結]|[练練][习習]|勘[误誤]|延伸[阅閱][读讀]")


def words(text: str) -> set[str]:
    """西文与数整个算一个词，汉字每相邻的两个、三个算一个。"""
    found = set()
    for word in WORD.findall(text.lower()):
        if word[0] >= "\u4e00":
            found |= {word[i : i + size] for size in (2, 3) for i in range(len(word) - size + 1)}
        else:
            found.add(word)
    return found


def own_text(section) -> str:
    """一节的标题、段落与表，不含下级的节与代码。"""
    own = (child for child in section.children if not isinstance(child, nodes.section))
    kinds = (nodes.title, nodes.paragraph)
    return " ".join(text.astext() for child in own for text in child.findall(lambda n: isinstance(n, kinds)))


def closest_section(text: str, doctree) -> nodes.section:
    inside = [section for section in doctree.findall(nodes.section) if section.parent is not doctree]
    teaching = [section for section in inside if not ASIDE.match(section[0].astext())]
    said = [words(own_text(section)) for section in teaching]
    sections_with = Counter(word for each in said for word in each)

    def worth(each):
        return sum(math.log(len(said) / sections_with[word]) for word in words(text) & each)

    return max(zip(teaching, said, strict=True), key=lambda pair: worth(pair[1]))[0]
