"""首页的注意力图：成书时由内置的两个 BERT 各读一句话，权重画成句子上方的弧；换一句、换一个头、选一个词，都只靠样式，不要脚本。

先摆出来的是中文；简体与繁体的书各读自己的一句，数也各是各的。
"""

import re
from functools import cache
from html import escape
from typing import NamedTuple

import torch
from docutils import nodes
from docutils.parsers.rst import Directive
from torch import Tensor

from course_book.doctree.traditional_chinese import LANGUAGE
from course_lib.bert import Bert
from course_lib.tokenization import WordPieceTokenizer
from course_lib.unigram import BOS, EOS, UnigramTokenizer
from course_lib.weights import builtin_multilingual_path, builtin_path

ENGLISH = "John and Paul wrote several songs when they were inspired."
CHINESE = {
    "zh-CN": "奶奶钓到一条鱼，她喜欢吃蒸鱼。",
    "zh-TW": "奶奶釣到一條魚，她喜歡吃蒸魚。",
}
SHOWN, NUMBERED = 0.02, 0.05  # 权重小于前者的弧不画，小于后者的数不写
CHIP, PADDING = 42, 16  # 方框的高（也是最小的宽）、留白
LETTER, HAN = 10, 18  # 一个字母、一个汉字的宽


class Layout(NamedTuple):
    """一种排法：电脑上排成一行，手机上折成几行。"""

    name: str
    width: int
    gap: int
    top: int  # 第一行上方留给弧的高度
    pitch: int  # 两行的方框相隔多高


LAYOUTS = Layout("wide", 900, 6, 114, 0), Layout("narrow", 330, 8, 58, 92)


class Head(NamedTuple):
    """搜出来的一个头，与图上先选的词。"""

    label: str
    layer: int
    head: int
    word: int


class Reading(NamedTuple):
    """一个模型读一句话：各个词元、各层各头的权重 (层, 头, N, N)，与图上的三个头。"""

    name: str
    label: str
    words: tuple[str, ...]
    weights: Tensor
    heads: list[Head]


def weights_of(folder, ids: list[int]) -> Tensor:
    with torch.no_grad():
        weights = Bert.from_pretrained(folder)(torch.tensor([ids]), need_weights=True).attentions
    return torch.stack(list(weights))[:, 0]


@cache
def english() -> Reading:
    """英文的一句，一个词一个词元；三个头在全部的头里当场搜：they 看 John 与 Paul 最多的，wrote 看 songs 最多的，看前一个词最多的。"""
    words = "[CLS]", *re.findall(r"\w+|[^\w\s]", ENGLISH), "[SEP]"
    ids = WordPieceTokenizer.from_vocab(builtin_path()).encode(ENGLISH)
    if len(ids) != len(words):
        raise ValueError(f"首页的句子 {ENGLISH!r} 里有的词被切成了几截，画不成一词一框。")
    weights = weights_of(builtin_path(), ids)
    they, wrote, songs, john, paul = map(words.index, ("they", "wrote", "songs", "John", "Paul"))

    def top(score):
        return divmod(int(score.argmax()), weights.size(1))

    heads = [
        Head("they 看谁", *top(weights[:, :, they, [john, paul]].sum(-1)), they),
        Head("wrote 看什么", *top(weights[:, :, wrote, songs]), wrote),
        Head("看前一个词", *top(weights.diagonal(-1, dim1=-2, dim2=-1).mean(-1)), songs),
    ]
    return Reading("en", "English", words, weights, heads)


@cache
def chinese(language: str = LANGUAGE) -> Reading:
    """中文的一句，词元照原文写；三个头各在十二句别的话里搜出，又各在另外十二句里试过，见 tests/book/front_habits.csv；摆出的这一句是从约 1300 句里挑的，“吃”与“鱼”隔着别的词元，看宾语与看后一个词分得开。"""
    sentence = CHINESE[language]
    tokenizer = UnigramTokenizer.from_pretrained(builtin_multilingual_path())
    pieces = tokenizer.pieces(sentence)
    words = BOS, *(sentence[each.start : each.end] or each.text for each in pieces), EOS
    weights = weights_of(builtin_multilingual_path(), tokenizer.encode(sentence))
    she, eat, fish = words.index("她"), words.index("吃"), len(words) - 3
    heads = [
        Head("她看谁", 8, 8, she),
        Head("吃看什么", 6, 2, eat),
        Head("看同一个词", 5, 5, fish),
    ]
    return Reading("zh", "中文", words, weights, heads)


def readings() -> tuple[Reading, Reading]:
    """图上的两句，先摆出来的在前。"""
    return chinese(), english()


def width(word: str) -> int:
    return max(CHIP, PADDING + sum(HAN if "\u2e80" < letter < "\uffee" else LETTER for letter in word))


def boxes(layout: Layout, words: tuple[str, ...]) -> list[tuple[float, float, float]]:
    """每个词的方框：左、上、宽；一行放不下就折行，各行居中。"""
    widths = [width(word) for word in words]
    lines, room = [[]], layout.width
    for i, own in enumerate(widths):
        if lines[-1] and own > room:
            lines.append([])
            room = layout.width
        lines[-1].append(i)
        room -= own + layout.gap
    places = {}
    for row, line in enumerate(lines):
        total = sum(widths[i] for i in line) + layout.gap * (len(line) - 1)
        x = (layout.width - total) / 2
        for i in line:
            places[i] = x, layout.top + row * layout.pitch, widths[i]
            x += widths[i] + layout.gap
    return [places[i] for i in range(len(widths))]


def height(layout: Layout, words: tuple[str, ...]) -> float:
    return max(y for _, y, _ in boxes(layout, words)) + CHIP + 22


def arc(layout: Layout, words: tuple[str, ...], query: int, key: int) -> str:
    """从查询到键的一条弧：同一行的从上面绕，不同行的从行间穿过。"""
    places = boxes(layout, words)
    (x1, y1, w1), (x2, y2, w2) = places[query], places[key]
    a, b = x1 + w1 / 2, x2 + w2 / 2
    if query == key:
        points = (a - 8, y1, a - 24, y1 - 38, a + 24, y1 - 38, a + 8, y1)
    elif y1 == y2:
        lift = min(26 + 0.15 * abs(b - a), layout.top - 8) / 0.75
        points = (a, y1, a, y1 - lift, b, y1 - lift, b, y1)
    else:
        down = y2 > y1
        start, end = (y1 + CHIP, y2) if down else (y1, y2 + CHIP)
        middle = (start + end) / 2
        points = (a, start, a, middle, b, middle, b, end)
    x, y, *rest = (f"{point:.0f}" for point in points)
    return f"M{x},{y}C{' '.join(rest)}"


def chips(reading: Reading, layout: Layout) -> str:
    """各个方框只画一次，别处用到时指过来。"""
    name = f"attention-{reading.name}-{layout.name}"
    shapes = "".join(
        f'<rect id="{name}-{i}" x="{x:.0f}" y="{y:.0f}" width="{w}" height="{CHIP}" rx="8"/>'
        for i, (x, y, w) in enumerate(boxes(layout, reading.words))
    )
    return f'<g id="{name}">{shapes}</g>'


def arcs(reading: Reading, layout: Layout, query: int, row: list[float]) -> str:
    """一个词看各个词：弧的粗细、方框的深浅与数字都是权重。"""
    places, name = boxes(layout, reading.words), f"attention-{reading.name}-{layout.name}"
    lines, tints, numbers = [], [], []
    for key, weight in enumerate(row):
        if weight < SHOWN:
            continue
        x, y, w = places[key]
        path = arc(layout, reading.words, query, key)
        lines.append(f'<path d="{path}" pathLength="1" style="--w:{weight:.3f}"/>')
        tints.append(f'<use href="#{name}-{key}" style="--w:{weight:.3f}"/>')
        if weight >= NUMBERED:
            # 写在弧不来的那一边
            above = y < places[query][1]
            numbers.append(
                f'<text x="{x + w / 2:.0f}" y="{y - 7 if above else y + CHIP + 16:.0f}">{weight:.2f}</text>'
            )
    box = f"0 0 {layout.width} {height(layout, reading.words):.0f}"
    return (
        f'<svg class="attention-{layout.name}" viewBox="{box}" aria-hidden="true">'
        f'<g class="attention-lines">{"".join(lines)}</g><use href="#{name}"/>'
        f'<g class="attention-tints">{"".join(tints)}</g>{"".join(numbers)}</svg>'
    )


def place(words: tuple[str, ...], query: int) -> str:
    """一个词的方框在两种排法里的位置，都写成所在画面的百分之几。"""
    found = []
    for layout in LAYOUTS:
        x, y, w = boxes(layout, words)[query]
        tall = height(layout, words)
        shares = (x / layout.width, y / tall, w / layout.width, CHIP / tall)
        found += [
            f"--{layout.name}-{side}:{100 * share:.2f}%" for side, share in zip("xywh", shares, strict=True)
        ]
    return ";".join(found)


def said(words: tuple[str, ...], query: int, row: list[float]) -> str:
    """图下的一句，也念给读屏软件听：这个词最看重的三个词；同一个词有两处的，记着是第几处。"""

    def called(i: int) -> str:
        return (
            f"{words[i]}（第 {words[: i + 1].count(words[i])} 个）" if words.count(words[i]) > 1 else words[i]
        )

    ranked = sorted(range(len(row)), key=lambda key: -row[key])[:3]
    shares = "，".join(
        f"{called(key)}\N{NO-BREAK SPACE}{row[key]:.2f}" for key in ranked if row[key] >= NUMBERED
    )
    return f"{called(query)} 看 {shares}"


def stage(reading: Reading, number: int) -> str:
    """一个头：每个词一个单选钮，后面跟着它的弧与那一句。"""
    parts, words, head = [], reading.words, reading.heads[number]
    group = f"attention-{reading.name}-{number}"
    foreign = ' lang="en"' if reading.name == "en" else ""
    for query, row in enumerate(reading.weights[head.layer, head.head].tolist()):
        name = f"{group}-{query}"
        checked = " checked" if query == head.word else ""
        parts.append(
            f'<input type="radio" name="{group}" id="{name}" aria-describedby="{name}-said"{checked}>'
            f'<label for="{name}" style="{place(words, query)}"{foreign}>{escape(words[query])}</label>'
            f'<div class="attention-arcs">{"".join(arcs(reading, layout, query, row) for layout in LAYOUTS)}'
            f'<p id="{name}-said">{escape(said(words, query, row))}</p></div>'
        )
    shapes = ";".join(f"--{each.name}-shape:{each.width}/{height(each, words):.0f}" for each in LAYOUTS)
    return (
        f'<div class="attention-head"><fieldset class="attention-words" style="{shapes}">'
        f'<legend class="attention-unseen">选一个词，看它看谁</legend>{"".join(parts)}</fieldset></div>'
    )


def choices(names: list[str], labels: list[str], group: str) -> str:
    """几个单选钮，再是一排标签；选中第几个，样式就显示第几份。"""
    inputs = "".join(
        f'<input type="radio" name="{group}" class="pick-{i}" id="{name}"{"" if i else " checked"}>'
        for i, name in enumerate(names)
    )
    shown = "".join(
        f'<label for="{name}">{escape(label)}</label>' for name, label in zip(names, labels, strict=True)
    )
    return f'{inputs}<div class="attention-choices">{shown}</div>'


def one_sentence(reading: Reading) -> str:
    """一句话：三个头可选。"""
    group = f"attention-head-{reading.name}"
    names = [f"{group}-{i}" for i in range(len(reading.heads))]
    stages = "".join(stage(reading, i) for i in range(len(reading.heads)))
    return (
        f'<fieldset class="attention-sentence"><legend class="attention-unseen">换一个头</legend>'
        f"{choices(names, [head.label for head in reading.heads], group)}"
        f'<div class="attention-heads">{stages}</div></fieldset>'
    )


def picture() -> str:
    both = readings()
    boxes_drawn = "".join(chips(reading, layout) for reading in both for layout in LAYOUTS)
    names = [f"attention-{reading.name}" for reading in both]
    return (
        f'<figure class="attention"><svg width="0" height="0" aria-hidden="true"><defs>{boxes_drawn}</defs></svg>'
        '<fieldset class="attention-languages"><legend class="attention-unseen">换一句</legend>'
        f"{choices(names, [reading.label for reading in both], 'attention-language')}"
        f'<div class="attention-sentences">{"".join(map(one_sentence, both))}</div></fieldset></figure>'
    )


class AttentionPicture(Directive):
    """`{attention-picture}`：没有参数，句子与各个头都在这里定下。"""

    def run(self):
        return [nodes.raw("", picture(), format="html")]


def setup(app):
    app.add_directive("attention-picture", AttentionPicture)
