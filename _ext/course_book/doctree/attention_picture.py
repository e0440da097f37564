"""首页的注意力图：成书时由内置的 BERT 算出权重，画成一句话上方的弧；选一个词、换一个头，都只靠样式，不要脚本。"""

import re
from functools import cache
from html import escape
from typing import NamedTuple

import torch
from docutils import nodes
from docutils.parsers.rst import Directive
from torch import Tensor

from course_lib.bert import Bert
from course_lib.tokenization import WordPieceTokenizer
from course_lib.weights import builtin_path

SENTENCE = "John and Paul wrote several songs when they were inspired."
SHOWN, NUMBERED = 0.02, 0.05  # 权重小于前者的弧不画，小于后者的数不写
CHIP, PADDING, LETTER = 42, 16, 10  # 方框的高（也是最小的宽）、留白、一个字母的宽


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


def words() -> list[str]:
    """句子的各个词元，照原来的大小写。"""
    return ["[CLS]", *re.findall(r"\w+|[^\w\s]", SENTENCE), "[SEP]"]


@cache
def read(sentence: str) -> Tensor:
    """内置的 BERT 读一句话，各层各头的权重 (层, 头, N, N)。"""
    folder = builtin_path()
    ids = WordPieceTokenizer.from_vocab(folder).encode(sentence)
    with torch.no_grad():
        weights = Bert.from_pretrained(folder)(torch.tensor([ids]), need_weights=True).attentions
    return torch.stack(list(weights))[:, 0]


def attention() -> Tensor:
    """内置的 BERT 读首页的句子。"""
    found = read(SENTENCE)
    if found.size(-1) != len(words()):
        raise ValueError(f"首页的句子 {SENTENCE!r} 里有的词被切成了几截，画不成一词一框。")
    return found


def heads(weights: Tensor) -> list[Head]:
    """在全部的头里搜三个：they 看 John 与 Paul 最多的，wrote 看 songs 最多的，看前一个词最多的。"""
    at = {word: i for i, word in enumerate(words())}
    they, wrote, songs, john, paul = (at[word] for word in ("they", "wrote", "songs", "John", "Paul"))

    def top(score):
        return divmod(int(score.argmax()), weights.size(1))

    return [
        Head("they 看谁", *top(weights[:, :, they, [john, paul]].sum(-1)), they),
        Head("wrote 看什么", *top(weights[:, :, wrote, songs]), wrote),
        Head("看前一个词", *top(weights.diagonal(-1, dim1=-2, dim2=-1).mean(-1)), songs),
    ]


def boxes(layout: Layout) -> list[tuple[float, float, float]]:
    """每个词的方框：左、上、宽；一行放不下就折行，各行居中。"""
    widths = [max(CHIP, LETTER * len(word) + PADDING) for word in words()]
    lines, room = [[]], layout.width
    for i, width in enumerate(widths):
        if lines[-1] and width > room:
            lines.append([])
            room = layout.width
        lines[-1].append(i)
        room -= width + layout.gap
    places = {}
    for row, line in enumerate(lines):
        total = sum(widths[i] for i in line) + layout.gap * (len(line) - 1)
        x = (layout.width - total) / 2
        for i in line:
            places[i] = x, layout.top + row * layout.pitch, widths[i]
            x += widths[i] + layout.gap
    return [places[i] for i in range(len(widths))]


def height(layout: Layout) -> float:
    return max(y for _, y, _ in boxes(layout)) + CHIP + 22


def arc(layout: Layout, query: int, key: int) -> str:
    """从查询到键的一条弧：同一行的从上面绕，不同行的从行间穿过。"""
    places = boxes(layout)
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


def chips(layout: Layout) -> str:
    shapes = "".join(
        f'<rect x="{x:.0f}" y="{y:.0f}" width="{w}" height="{CHIP}" rx="8"/>' for x, y, w in boxes(layout)
    )
    return f'<g id="attention-{layout.name}">{shapes}</g>'


def arcs(layout: Layout, query: int, row: list[float]) -> str:
    """一个词看各个词：弧的粗细、方框的深浅与数字都是权重。"""
    kept = [(key, weight) for key, weight in enumerate(row) if weight >= SHOWN]
    lines, tints, numbers = [], [], []
    for key, weight in kept:
        x, y, w = boxes(layout)[key]
        lines.append(f'<path d="{arc(layout, query, key)}" pathLength="1" style="--w:{weight:.3f}"/>')
        tints.append(
            f'<rect x="{x:.0f}" y="{y:.0f}" width="{w}" height="{CHIP}" rx="8" style="--w:{weight:.3f}"/>'
        )
        if weight >= NUMBERED:
            # 写在弧不来的那一边
            above = y < boxes(layout)[query][1]
            numbers.append(
                f'<text x="{x + w / 2:.0f}" y="{y - 7 if above else y + CHIP + 16:.0f}">{weight:.2f}</text>'
            )
    return (
        f'<svg class="attention-{layout.name}" viewBox="0 0 {layout.width} {height(layout):.0f}" aria-hidden="true">'
        f'<g class="attention-lines">{"".join(lines)}</g><use href="#attention-{layout.name}"/>'
        f'<g class="attention-tints">{"".join(tints)}</g>{"".join(numbers)}</svg>'
    )


def place(query: int) -> str:
    """一个词的方框在两种排法里的位置，都写成所在画面的百分之几。"""
    found = []
    for layout in LAYOUTS:
        x, y, w = boxes(layout)[query]
        tall = height(layout)
        shares = (x / layout.width, y / tall, w / layout.width, CHIP / tall)
        found += [
            f"--{layout.name}-{side}:{100 * share:.2f}%" for side, share in zip("xywh", shares, strict=True)
        ]
    return ";".join(found)


def said(query: int, row: list[float]) -> str:
    """图下的一句，也念给读屏软件听：这个词最看重的三个词。"""
    ranked = sorted(range(len(row)), key=lambda key: -row[key])[:3]
    shares = "，".join(
        f"{words()[key]}\N{NO-BREAK SPACE}{row[key]:.2f}" for key in ranked if row[key] >= NUMBERED
    )
    return f"{words()[query]} 看 {shares}"


def stage(number: int, head: Head, weights: Tensor) -> str:
    """一个头：每个词一个单选钮，后面跟着它的弧与那一句。"""
    parts = []
    for query, row in enumerate(weights[head.layer, head.head].tolist()):
        name = f"attention-{number}-{query}"
        checked = " checked" if query == head.word else ""
        parts.append(
            f'<input type="radio" name="attention-{number}" id="{name}" aria-describedby="{name}-said"{checked}>'
            f'<label for="{name}" style="{place(query)}" lang="en">{escape(words()[query])}</label>'
            f'<div class="attention-arcs">{"".join(arcs(layout, query, row) for layout in LAYOUTS)}'
            f'<p id="{name}-said">{escape(said(query, row))}</p></div>'
        )
    shapes = ";".join(f"--{layout.name}-shape:{layout.width}/{height(layout):.0f}" for layout in LAYOUTS)
    return (
        f'<div class="attention-head"><fieldset class="attention-words" style="{shapes}">'
        f'<legend class="attention-unseen">选一个词，看它看谁</legend>{"".join(parts)}</fieldset></div>'
    )


def picture() -> str:
    weights = attention()
    found = heads(weights)
    inputs = "".join(
        f'<input type="radio" name="attention-head" id="attention-head-{i}"{"" if i else " checked"}>'
        for i in range(len(found))
    )
    labels = "".join(
        f'<label for="attention-head-{i}">{escape(head.label)}</label>' for i, head in enumerate(found)
    )
    stages = "".join(stage(i, head, weights) for i, head in enumerate(found))
    return (
        '<figure class="attention">'
        f'<svg width="0" height="0" aria-hidden="true"><defs>{"".join(map(chips, LAYOUTS))}</defs></svg>'
        f'<fieldset><legend class="attention-unseen">换一个头</legend>{inputs}'
        f'<div class="attention-choices">{labels}</div><div class="attention-heads">{stages}</div></fieldset></figure>'
    )


class AttentionPicture(Directive):
    """`{attention-picture}`：没有参数，句子与三个头都在这里定下。"""

    def run(self):
        return [nodes.raw("", picture(), format="html")]


def setup(app):
    app.add_directive("attention-picture", AttentionPicture)
