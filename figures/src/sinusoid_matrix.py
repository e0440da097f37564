import math

import drawsvg
from canvas import FAINT, INK, KEY, PAPER, QUERY, Canvas, tint

N, D = 16, 16
SHOWN = (0, 2, 4)  # 画成曲线的三列，频率依次变低
TITLE = "正弦位置编码的矩阵"


def encoding(pos, column):
    angle = pos / 10000 ** (2 * (column // 2) / D)
    return math.cos(angle) if column % 2 else math.sin(angle)


def said(where):
    return (
        "16 个位置乘 16 个特征维的表，每行是一个位置的编码，偶数列是正弦，奇数列是余弦，"
        f"蓝色为正，橙色为负；靠左的列上下变化快，靠右的列几乎不变。{where}"
    )


def table(c, left, top, cell, size):
    """十六行十六列的表，连同行列的编号；要画成曲线的三列加框。"""
    for j in range(D):
        c.text(str(j), left + (j + 0.5) * cell, top - size, size, INK if j in SHOWN else FAINT)
    for i in range(N):
        y = top + i * cell
        c.text(str(i), left - 2 - size, y + cell / 2, size, FAINT)
        for j in range(D):
            value = encoding(i, j)
            fill = tint(KEY if value > 0 else QUERY, round(abs(value), 2))
            c.drawing.append(drawsvg.Rectangle(left + j * cell, y, cell, cell, fill=fill, stroke=PAPER))
    bottom = top + N * cell
    for j in SHOWN:
        x = left + j * cell
        c.drawing.append(drawsvg.Rectangle(x, top, cell, N * cell, fill="none", stroke=INK, stroke_width=2.5))
    for pair in range(D // 2):
        c.text("正余", left + (2 * pair + 1) * cell, bottom + 16, size, FAINT)
    return bottom


def wave(c, column, at):
    """一列画成曲线；at 把（位置，值）变成纸上的一点。"""
    curve = drawsvg.Path(fill="none", stroke=INK, stroke_width=2)
    for step in range(4 * (N - 1) + 1):
        pos = step / 4
        point = at(pos, encoding(pos, column))
        curve.L(*point) if step else curve.M(*point)
    start, end = at(-0.5, 0), at(N - 0.5, 0)
    c.drawing.append(drawsvg.Line(*start, *end, stroke=FAINT, stroke_width=1, stroke_dasharray="3 4"))
    c.drawing.append(curve)
    for i in range(N):
        c.drawing.append(drawsvg.Circle(*at(i, encoding(i, column)), 3.5, fill=INK))


LEFT, TOP, CELL = 74, 96, 24
c = Canvas("sinusoid_matrix", 760, 544, TITLE, said("右边把第 0、2、4 列从上往下画成曲线。"))
c.text("每行一个位置的编码", LEFT + D * CELL / 2, 22, 18)
c.text("特征维", LEFT + D * CELL / 2, 50, 15, FAINT)
c.text("位置", 30, TOP - 14, 15, FAINT)
bottom = table(c, LEFT, TOP, CELL, 14)
c.text("三列各是一条正弦波", 608, 22, 18)
WIDTH = 36
for n, j in enumerate(SHOWN):
    middle = 526 + 86 * n
    c.text(f"第 {j} 维", middle, TOP - 14, 15, INK)

    def at(pos, value, middle=middle):
        return round(middle + WIDTH * value, 1), round(TOP + (pos + 0.5) * CELL, 1)

    wave(c, j, at)
for x, label in ((526 - WIDTH, "−1"), (526, "0"), (526 + WIDTH, "1")):
    c.text(label, x, bottom + 16, 14, FAINT)
c.text("蓝为正，橙为负，越深越接近 ±1；每两列同一个频率，越往右波越长。", 380, bottom + 52, 16, INK)
c.save()

# 手机上：曲线移到表的下面，横着画
LEFT, TOP, CELL = 36, 64, 18
c = Canvas("sinusoid_matrix_narrow", 330, 620, TITLE, said("下面把第 0、2、4 列从左往右画成曲线。"))
c.text("每行一个位置的编码", LEFT + D * CELL / 2, 14, 15)
c.text("特征维", LEFT + D * CELL / 2, 34, 12, FAINT)
c.text("位置", 16, TOP - 12, 12, FAINT)
bottom = table(c, LEFT, TOP, CELL, 12)
for n, j in enumerate(SHOWN):
    middle = bottom + 72 + 62 * n
    c.text(f"第 {j} 维", LEFT + 2, middle - 32, 12, INK, "start")

    def at(pos, value, middle=middle):
        return round(LEFT + (pos + 0.5) * CELL, 1), round(middle - 20 * value, 1)

    wave(c, j, at)
c.text("从左往右是 0 到 15 号位置", 180, middle + 34, 12, FAINT)
c.text("蓝为正，橙为负，越深越接近 ±1", 165, middle + 54, 13, INK)
c.save()
