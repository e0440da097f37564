"""首页上的几扇门：能当场动手的几页，各一张大的卡片，上面是从里面取来的一幅静止的画。

“打开 BERT”画的是成书时内置的两个 BERT 读首页那两句话的全部权重图，一个头一张，选着哪一句就画哪一句；
“打开一个大语言模型”画的是下一个词元的概率，数在 NEXT 里，由 tests/book/test_front_doors.py 守着；
“训练一个 Transformer”画的是两次训练的曲线（training_still）。
再添一扇门：页上写它的名字，STILLS 里写一个画它的函数。
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from html import escape

from docutils import nodes
from sphinx.util.docutils import SphinxDirective
from torch import Tensor

from course_book.before_reading.contents import FOLDER, pages
from course_book.doctree.attention_picture import Reading, readings
from course_book.doctree.traditional_chinese import in_book_language
from course_book.doctree.training_still import still

SHADES = 5  # 权重图的深浅分成几级
ROWS, GAP = 6, 8  # 门上最多画几排；再多就分成两半，中间空开多少
PROMPT = "The capital of France is"
# 下一个词元，概率最高的五个
NEXT = (("Paris", 0.77), ("the", 0.06), ("London", 0.01), ("Le", 0.01), ("New", 0.01))


class Doors(nodes.General, nodes.Element):
    """names 是各页的名字，stills 是各页的画。"""


class FrontDoors(SphinxDirective):
    """`{front-doors}`：一行一扇门，页的名字，空一格，门上的话。"""

    has_content = True

    def run(self):
        said = dict(line.split(maxsplit=1) for line in self.content if line.strip())
        if unknown := set(said) - set(STILLS) | set(said) - {page.lasting_name for page in pages()}:
            raise self.error(f"没有这样的门：{'、'.join(sorted(unknown))}。")
        return [Doors(said=said, stills={name: STILLS[name]() for name in said})]


def strokes(weights: Tensor) -> Iterator[tuple[int, int, int, int]]:
    """一个头的权重图 (N, N)，一横排里同样深浅的几格连成一条：哪一级，从哪里起，第几排，多长。

    深浅取平方根，淡的也看得见；零级的不画。
    """
    levels = (weights.sqrt() * SHADES).round().int().tolist()
    for y, row in enumerate(levels):
        x = 0
        while x < len(row):
            level, start = row[x], x
            while x < len(row) and row[x] == level:
                x += 1
            if level:
                yield level, start, y, x - start


def drawn(placed: Iterable[tuple[Tensor, float, float]]) -> str:
    """几个头的权重图，各从 (left, top) 画起；同样深浅的合成一笔，细小的格子画得浓些才看得清。"""
    paths, pens = defaultdict(str), defaultdict(lambda: (0.0, -0.5))
    for matrix, left, top in placed:
        for level, start, y, length in strokes(matrix):
            x, y = left + start, top + y
            from_x, from_y = pens[level]
            paths[level] += f"m{x - from_x:g} {y - from_y:g}h{length}"  # 从上一笔的末尾数起，写得短
            pens[level] = x + length, y
    return "".join(
        f'<path stroke-opacity="{min(1, 0.37 * level - 0.2):.2f}" d="{paths[level]}"/>'
        for level in sorted(paths)
    )


def every_head() -> str:
    """两句话各有一份，首页选着哪一句就显示哪一份。"""
    return "".join(map(heads_of, readings()))


def heads_of(reading: Reading) -> str:
    """一句话的全部的头，一层一排，多于六层的分成左右两半；首页那幅图里的三个描着边，正选着的一个在旁边放大。"""
    weights = reading.weights
    layers, per_layer, n = weights.shape[:3]
    step, rows = n + 3, min(layers, ROWS)

    def corner(layer: int, head: int) -> tuple[float, float]:
        half, row = divmod(layer, rows)
        return (half * per_layer + head) * step + half * GAP, row * step

    def frame(left: float, top: float) -> str:
        return f'<rect x="{left + 0.5:g}" y="{top + 0.5:g}" width="{n + 1}" height="{n + 1}" rx="1"/>'

    placed = []
    for layer, row in enumerate(weights):
        for head, matrix in enumerate(row):
            left, top = corner(layer, head)
            placed.append((matrix, left + 1, top + 1))
    frames = "".join(f"M{left:g} {top:g}h{n}v{n}h-{n}z" for _, left, top in placed)
    found = "".join(frame(*corner(each.layer, each.head)) for each in reading.heads)
    larger = "".join(
        f"<g>{frame(0, 0)}{drawn([(weights[each.layer, each.head], 1, 1)])}</g>" for each in reading.heads
    )
    width, height = corner(layers - 1, per_layer)[0], rows * step
    return (
        f'<svg class="every-head {reading.name}" viewBox="0 0 {width} {height}" width="{width}" height="{height}" aria-hidden="true">'
        f'<path d="{frames}"/><g>{drawn(placed)}</g><g class="found">{found}</g></svg>'
        f'<svg class="large-head {reading.name}" viewBox="0 0 {n + 2} {n + 2}" width="{height}" height="{height}" aria-hidden="true">{larger}</svg>'
    )


def next_words() -> str:
    """前文与下一个词元的几条。"""
    bars = "".join(
        f'<span>{escape(word)}</span><i style="--w:{chance}"></i><span>{100 * chance:.0f}\N{NO-BREAK SPACE}%</span>'
        for word, chance in NEXT
    )
    return (
        f'<div class="next-words" aria-hidden="true" lang="en"><p>{PROMPT} <b></b></p><div>{bars}</div></div>'
    )


def two_trainings() -> str:
    """两条曲线：一层与两层，只差这一样。"""
    return in_book_language(still(door=True))


STILLS = {"live": every_head, "train": two_trainings, "llm": next_words}


def draw(app, doctree, docname):
    for place in list(doctree.findall(Doors)):
        shown = ""
        for page in pages():
            name = f"{FOLDER}/{page.name}"
            if page.lasting_name not in place["said"] or name not in app.env.titles:
                continue
            title, link = app.env.titles[name].astext(), app.builder.get_relative_uri(docname, name)
            said = in_book_language(place["said"][page.lasting_name])
            shown += (
                f'<div class="door"><div class="door-still">{place["stills"][page.lasting_name]}</div><div class="door-words">'
                f'<a class="reference internal" href="{escape(link)}">{escape(title)}</a><p>{escape(said)}</p></div></div>'
            )
        place.replace_self(nodes.raw("", f'<div class="front-doors">{shown}</div>', format="html"))


def setup(app):
    app.add_node(Doors)
    app.add_directive("front-doors", FrontDoors)
    app.connect("doctree-resolved", draw)
