import math

import drawsvg
from canvas import FAINT, INK, KEY, OUTPUT, QUERY, VALUE, WEIGHT, Canvas, tint

words = ["[CLS]", "sky", "is", "blue"]
queries = [
    [0.3, -0.2, 0.5, 0.1],
    [1.2, 0.4, -0.6, 0.8],
    [0.2, 0.9, 0.1, -0.5],
    [1.5, -1.1, 0.7, 1.3],
]
keys = [
    [0.9, 0.6, -0.2, 0.4],
    [1.6, -1.4, 0.2, 1.1],
    [-0.8, 0.5, 0.9, -0.3],
    [0.4, -0.3, 0.8, -0.6],
]


def softmax(scores):
    total = sum(map(math.exp, scores))
    return [math.exp(s) / total for s in scores]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True))


shown = [softmax([dot(q, k) / 2 for k in keys]) for q in queries]
first = [[0.85, 0.05, 0.05, 0.05]] * 4
previous = [[0.85 if j == max(i - 1, 0) else 0.05 for j in range(4)] for i in range(4)]
itself = [[0.7 if j == i else 0.1 for j in range(4)] for i in range(4)]
even = [[0.25] * 4] * 4

c = Canvas(
    "attention_views",
    840,
    430,
    "bertviz 的三种视图",
    "从远到近：模型视图每行一层、每列一个头；头视图用一种颜色画一个头，线越浓权重越大；"
    "神经元视图把一个查询与每个键逐个分量相乘、相加，再过 softmax。",
)


def lines(weights, x1, x2, y, step, color, width):
    for i, row in enumerate(weights):
        for j, weight in enumerate(row):
            if weight >= 0.1:
                c.drawing.append(
                    drawsvg.Line(
                        x1, y + i * step, x2, y + j * step,
                        stroke=color, stroke_width=width, stroke_opacity=round(weight, 2),
                    )
                )  # fmt: skip


def strip(values, x, y, cell=15):
    for i, value in enumerate(values):
        c.drawing.append(
            drawsvg.Rectangle(
                x + i * cell, y - 9, cell, 18,
                fill=KEY if value >= 0 else QUERY,
                fill_opacity=round(min(1, abs(value) / 1.6), 2), stroke=FAINT, stroke_width=0.6,
            )
        )  # fmt: skip


c.text("模型视图：全部的头", 122, 34, 17)
colors = [KEY, WEIGHT, QUERY]
maps = [
    [previous, first, even, itself],
    [first, first, shown, previous],
    [even, first, itself, first],
]
for j in range(4):
    c.text(str(j), 65 + 50 * j, 76, 13, FAINT)
for i, row in enumerate(maps):
    c.text(str(i), 22, 116 + 68 * i, 13, FAINT)
    for j, weights in enumerate(row):
        c.box(
            44 + 50 * j,
            88 + 68 * i,
            42,
            56,
            color=WEIGHT if (i, j) == (1, 2) else FAINT,
        )
        lines(weights, 49 + 50 * j, 81 + 50 * j, 98 + 68 * i, 12, colors[i], 1.6)
c.text("每行一层，每列一个头", 122, 318, 15)
c.text("点一格放大，再点收起", 122, 344, 14, FAINT)

c.text("头视图：一个头", 370, 34, 17)
for j, color in enumerate([KEY, QUERY, VALUE, OUTPUT]):
    c.drawing.append(drawsvg.Rectangle(300 + 22 * j, 58, 20, 20, fill=color if j == 2 else tint(color, 0.35)))
for i, word in enumerate(words):
    c.text(word, 312, 118 + 46 * i, 15, QUERY, anchor="end")
    c.text(word, 428, 118 + 46 * i, 15, KEY, anchor="start")
lines(shown, 318, 422, 118, 46, VALUE, 2.4)
c.text("左边是查询，右边是键", 370, 318, 15)
c.text("线越浓，权重越大", 370, 344, 14, FAINT)

c.text("神经元视图：一个头里的一个查询", 668, 34, 17)
heads = [
    ("查询 q", 526, QUERY),
    ("键 k", 605, KEY),
    ("q × k", 684, INK),
    ("权重", 776, WEIGHT),
]
for name, x, color in heads:
    c.text(name, x, 76, 14, color)
for i, key in enumerate(keys):
    y = 118 + 46 * i
    product = [a * b for a, b in zip(queries[3], key, strict=True)]
    strip(key, 575, y)
    strip(product, 654, y)
    c.text(f"{shown[3][i]:.2f}", 742, y, 14, anchor="start")
    c.drawing.append(drawsvg.Rectangle(774, y - 9, round(56 * shown[3][i], 1), 18, fill=WEIGHT))
strip(queries[3], 496, 118 + 46 * 3)
c.text("blue", 526, 118 + 46 * 3 - 24, 15, QUERY)
c.text("蓝为正，橙为负，越深越大", 668, 318, 15)
c.text("每行加起来是分数的 √d 倍", 668, 344, 14, FAINT)

c.arrow((246, 206), (270, 206))
c.arrow((468, 206), (490, 206))
c.text("远", 122, 396, 15, FAINT)
c.arrow((144, 396), (646, 396))
c.text("近", 668, 396, 15, FAINT)
c.save()
