import drawsvg
from canvas import FAINT, INK, KEY, OUTPUT, WEIGHT, Canvas

c = Canvas(
    "vision_transformer",
    580,
    740,
    "视觉 Transformer：一张图怎样变成一列词元",
    "8×8 的图像切成 16 块，每块 2×2，按从左到右、从上到下的次序拉成一行，每行 4 个数。"
    "每块乘同一个矩阵，得到 16 个 D 维的向量，前面接上可学习的 [CLS]，成为 17 个词元，再各加一个学来的位置。"
    "经过 L 层 pre-norm 编码器与末尾一次层归一化，只取 [CLS] 的输出，过线性的分类头，得到每类一个 logit。",
)
# 手画的数字 3，一行 8 个像素，0 是背景
DIGIT = ["00377300", "07700770", "00000770", "00077700", "00000770", "00000077", "07000770", "00777700"]
values = [[int(pixel) / 8 for pixel in row] for row in DIGIT]
LEFT, STEP = 92, 92  # 五列词元：[CLS]、块 1、块 2、…、块 16
columns = [LEFT + STEP * i for i in range(5)]
BLOCKS = [(1, 0, 0), (2, 0, 1), (4, 3, 3)]  # 画出来的三块：第几列，块在第几行、第几列


def shape(words, y):
    c.text(words, 570, y, 15, FAINT, "end")


def patch(x, y, row, column, cell):
    rows = [values[2 * row + i][2 * column : 2 * column + 2] for i in range(2)]
    c.grid(x, y, 2, 2, cell, INK, rows)
    c.drawing.append(drawsvg.Rectangle(x, y, 2 * cell, 2 * cell, fill="none", stroke=FAINT, stroke_width=1))


c.grid(40, 24, 8, 8, 18, INK, values)
c.text("8 × 8 的图像", 112, 186, 16)
c.arrow((200, 96), (272, 96))
c.text("切块", 234, 78, 16)
for row in range(4):
    for column in range(4):
        patch(288 + 44 * column, 16 + 40 * row, row, column, 17)
c.text("16 块，每块 2 × 2", 372, 186, 16)

c.text("块 1", columns[1], 222, 15, FAINT)
c.text("块 2", columns[2], 222, 15, FAINT)
c.text("块 16", columns[4], 222, 15, FAINT)
for i, row, column in BLOCKS:
    cells = [values[2 * row + k // 2][2 * column + k % 2] for k in range(4)]
    c.grid(columns[i] - 36, 238, 1, 4, 18, INK, [cells])
    c.arrow((columns[i], 260), (columns[i], 284))
    c.arrow((columns[i], 326), (columns[i], 350))
c.text("…", columns[3], 246, 20)
shape("N × P²", 246)
c.box(columns[1] - 42, 286, columns[4] - columns[1] + 84, 38, "同一个线性层，即步长为 P 的卷积", INK)

names = ["[CLS]", "z₁", "z₂", "…", "z₁₆"]
seats = ["0", "1", "2", "…", "16"]
for i, x in enumerate(columns):
    if i == 3:
        for y in (370, 426):
            c.text("…", x, y, 20)
        continue
    c.box(x - 32, 352, 64, 36, names[i], OUTPUT if i == 0 else KEY)
    c.text("+", x, 398, 18)
    c.box(x - 32, 408, 64, 36, f"位置 {seats[i]}", WEIGHT, 15)
    c.arrow((x, 446), (x, 476))
    c.arrow((x, 548), (x, 572), color=OUTPUT if i == 0 else FAINT)
c.text("学来的，", columns[0], 308, 15, FAINT)
c.text("接在最前面", columns[0], 330, 15, FAINT)
shape("N + 1", 370)
shape("N + 1", 426)
c.box(
    columns[0] - 42,
    478,
    columns[4] - columns[0] + 84,
    68,
    "编码器：L 层，先归一化再进子层\n末尾再做一次层归一化",
    INK,
)
for i, x in enumerate(columns):
    if i == 3:
        c.text("…", x, 592, 20)
    else:
        c.box(x - 32, 574, 64, 36, "", OUTPUT if i == 0 else FAINT)
shape("N + 1", 592)
c.arrow((columns[0], 612), (columns[0], 642), color=OUTPUT)
c.box(columns[0] - 42, 644, 84, 40, "分类头", OUTPUT)
c.arrow((columns[0] + 44, 664), (columns[0] + 92, 664), color=OUTPUT)
c.text("每类一个 logit", columns[0] + 102, 664, 16, anchor="start")
c.text("分类只读 [CLS] 的输出，别的词元的输出不用。", 290, 714, 16)
c.save()
