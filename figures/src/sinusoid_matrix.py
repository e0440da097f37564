import math

import drawsvg
from canvas import FAINT, INK, KEY, PAPER, QUERY, Canvas, tint

N, D, CELL = 16, 16, 24
LEFT, TOP = 74, 96
SHOWN = (0, 2, 4)  # 画成曲线的三列，频率依次变低


def encoding(pos, column):
    angle = pos / 10000 ** (2 * (column // 2) / D)
    return math.cos(angle) if column % 2 else math.sin(angle)


c = Canvas(
    "sinusoid_matrix",
    760,
    544,
    "正弦位置编码的矩阵",
    "左边是 16 个位置乘 16 个特征维的表，每行是一个位置的编码，偶数列是正弦，奇数列是余弦，"
    "蓝色为正，橙色为负；靠左的列上下变化快，靠右的列几乎不变。右边把第 0、2、4 列从上往下画成曲线。",
)
c.text("每行一个位置的编码", LEFT + D * CELL / 2, 22, 18)
c.text("特征维", LEFT + D * CELL / 2, 50, 15, FAINT)
for j in range(D):
    c.text(str(j), LEFT + (j + 0.5) * CELL, TOP - 14, 14, INK if j in SHOWN else FAINT)
c.text("位置", 30, TOP - 14, 15, FAINT)
for i in range(N):
    y = TOP + i * CELL
    c.text(str(i), LEFT - 16, y + CELL / 2, 14, FAINT)
    for j in range(D):
        value = encoding(i, j)
        fill = tint(KEY if value > 0 else QUERY, round(abs(value), 2))
        c.drawing.append(drawsvg.Rectangle(LEFT + j * CELL, y, CELL, CELL, fill=fill, stroke=PAPER))

bottom = TOP + N * CELL
for j in SHOWN:
    x = LEFT + j * CELL
    c.drawing.append(drawsvg.Rectangle(x, TOP, CELL, N * CELL, fill="none", stroke=INK, stroke_width=2.5))
for pair in range(D // 2):
    c.text("正余", LEFT + (2 * pair + 1) * CELL, bottom + 16, 14, FAINT)

c.text("三列各是一条正弦波", 608, 22, 18)
WIDTH = 36
for n, j in enumerate(SHOWN):
    middle = 526 + 86 * n
    c.text(f"第 {j} 维", middle, TOP - 14, 15, INK)
    c.drawing.append(
        drawsvg.Line(middle, TOP, middle, bottom, stroke=FAINT, stroke_width=1, stroke_dasharray="3 4")
    )
    curve = drawsvg.Path(fill="none", stroke=INK, stroke_width=2)
    for step in range(4 * (N - 1) + 1):
        pos = step / 4
        point = round(middle + WIDTH * encoding(pos, j), 1), round(TOP + (pos + 0.5) * CELL, 1)
        curve.L(*point) if step else curve.M(*point)
    c.drawing.append(curve)
    for i in range(N):
        x = round(middle + WIDTH * encoding(i, j), 1)
        c.drawing.append(drawsvg.Circle(x, TOP + (i + 0.5) * CELL, 3.5, fill=INK))
for x, label in ((526 - WIDTH, "−1"), (526, "0"), (526 + WIDTH, "1")):
    c.text(label, x, bottom + 16, 14, FAINT)
c.text("蓝为正，橙为负，越深越接近 ±1；每两列同一个频率，越往右波越长。", 380, bottom + 52, 16, INK)
c.save()
