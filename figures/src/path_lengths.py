import itertools

import drawsvg
from canvas import FAINT, INK, OUTPUT, Canvas, tint

c = Canvas(
    "path_lengths",
    620,
    672,
    "从第 1 个词元到第 5 个词元要走几步",
    "同一个序列的三种编码方式。循环网络要沿着链条走四步；窗口为 3 的卷积每层只能挪一格，要叠四层；"
    "注意力让每个输出直接连到每个输入，只走一步。粗箭头是从第 1 个词元到第 5 个输出的路，红圈是第 5 个输出能看到的。",
)
xs = [220 + 88 * i for i in range(5)]
R = 15


def link(x0, y0, x1, y1, width=1.0):
    c.drawing.append(drawsvg.Line(x0, y0, x1, y1, stroke=FAINT, stroke_width=width, stroke_opacity=0.45))


def nodes(y, lit, names=None):
    """一行五个圆；lit 里的几个属于粗线或能被看到的范围。"""
    for i, x in enumerate(xs):
        color = OUTPUT if i in lit else FAINT
        c.drawing.append(
            drawsvg.Circle(
                x, y, R, fill=tint(color, 0.16), stroke=color, stroke_width=1.6 if i in lit else 1.0
            )
        )
        if names:
            c.text(f"{names}{'₁₂₃₄₅'[i]}", x, y, 15, INK)


def path(points):
    for (x0, y0), (x1, y1) in itertools.pairwise(points):
        d = ((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5
        ux, uy = (x1 - x0) / d * (R + 2), (y1 - y0) / d * (R + 2)
        c.arrow(
            (round(x0 + ux, 1), round(y0 + uy, 1)),
            (round(x1 - ux, 1), round(y1 - uy, 1)),
            color=OUTPUT,
            width=3,
        )


def label(y, *lines):
    c.text(lines[0], 20, y, 19, INK, "start", font_weight="bold")
    for i, line in enumerate(lines[1:]):
        c.text(line, 20, y + 28 + 23 * i, 15, FAINT, "start")


# 循环：每个状态只连前一个状态与自己的输入
top, bottom = 50, 130
for i, x in enumerate(xs):
    link(x, bottom - R, x, top + R)
    if i:
        link(xs[i - 1] + R, top, x - R, top)
nodes(bottom, set(range(5)), "x")
nodes(top, set(range(5)), "h")
path([(xs[0], bottom), *((x, top) for x in xs)])
label(60, "循环 RNN", "逐个传话", "4 步，有先后")

# 卷积：每层一个窗口为 3 的滑动窗
rows = [430, 372, 314, 256, 198]
for lower, upper in itertools.pairwise(rows):
    for i, x in enumerate(xs):
        for j in (i - 1, i, i + 1):
            if 0 <= j < 5:
                link(xs[j], lower - R, x, upper + R)
for k, y in enumerate(rows):
    nodes(y, set(range(k, 5)), "x" if k == 0 else "y" if k == 4 else None)
path([(xs[k], y) for k, y in enumerate(rows)])
label(270, "卷积 CNN", "窗口 3，每层", "挪一格", "叠 4 层")

# 注意力：一层之内，每个输出连到每个输入
bottom, top = 600, 500
for x in xs:
    for other in xs:
        link(other, bottom - R, x, top + R)
nodes(bottom, set(range(5)), "x")
nodes(top, {4}, "y")
path([(xs[0], bottom), (xs[4], top)])
label(520, "注意力", "直接去听", "1 步")
c.text("红圈：最后一个输出能看到的；粗箭头：从第 1 个词元来的路", 310, 648, 15, FAINT)
c.save()
