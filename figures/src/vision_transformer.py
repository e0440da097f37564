from typing import NamedTuple

import drawsvg
from canvas import FAINT, INK, KEY, OUTPUT, WEIGHT, Canvas

TITLE = "视觉 Transformer：一张图怎样变成一列词元"
SAID = (
    "8×8 的图像切成 16 块，每块 2×2，按从左到右、从上到下的次序拉成一行，每行 4 个数。"
    "每块乘同一个矩阵，得到 16 个 D 维的向量，前面接上可学习的 [CLS]，成为 17 个词元，再各加一个学来的位置。"
    "经过 L 层 pre-norm 编码器与末尾一次层归一化，只取 [CLS] 的输出，过线性的分类头，得到每类一个 logit。"
)
# 手画的数字 3，一行 8 个像素，0 是背景
DIGIT = ["00377300", "07700770", "00000770", "00077700", "00000770", "00000077", "07000770", "00777700"]
VALUES = [[int(pixel) / 8 for pixel in row] for row in DIGIT]
BLOCKS = [(1, 0, 0), (2, 0, 1), (4, 3, 3)]  # 画出来的三块：第几列，块在第几行、第几列
NAMES = ["[CLS]", "z₁", "z₂", "…", "z₁₆"]
SEATS = ["0", "1", "2", "…", "16"]


class Sizes(NamedTuple):
    """一幅图的尺寸：五列词元的头一列与间隔、一个框的半宽、右边的字到哪里为止、字号、图像与块的格子。"""

    left: int
    step: int
    half: int
    edge: int
    letters: int
    pixel: int
    cell: int


def patch(c, x, y, row, column, cell):
    rows = [VALUES[2 * row + i][2 * column : 2 * column + 2] for i in range(2)]
    c.grid(x, y, 2, 2, cell, INK, rows)
    c.drawing.append(drawsvg.Rectangle(x, y, 2 * cell, 2 * cell, fill="none", stroke=FAINT, stroke_width=1))


def cut(c, size, image_x, blocks_x):
    """上面一排：图像，切成 16 块。"""
    side, gap = 8 * size.pixel, 2 * size.cell + 8
    c.grid(image_x, 24, 8, 8, size.pixel, INK, VALUES)
    c.text("8 × 8 的图像", image_x + side / 2, 186, size.letters + 1)
    c.arrow((image_x + side + 8, 96), (blocks_x - 10, 96))
    c.text("切块", (image_x + side + blocks_x) / 2, 78, size.letters + 1)
    for row in range(4):
        for column in range(4):
            patch(c, blocks_x + gap * column, 16 + 40 * row, row, column, size.cell)
    c.text("16 块，每块 2 × 2", blocks_x + 2 * gap - 4, 186, size.letters + 1)


def tokens(c, size, layers):
    """下面：一块一列，直到分类头；layers 是编码器那个框里的话。"""
    letters, half = size.letters, size.half
    columns = [size.left + size.step * i for i in range(5)]

    def shape(words, y):
        c.text(words, size.edge, y, letters, FAINT, "end")

    def wide_box(first, y, height, words):
        c.box(
            columns[first] - half - 6,
            y,
            columns[4] - columns[first] + 2 * half + 12,
            height,
            words,
            INK,
            letters,
        )

    for i, row, column in BLOCKS:
        c.text("块 " + SEATS[i], columns[i], 222, letters, FAINT)
        cells = [VALUES[2 * row + k // 2][2 * column + k % 2] for k in range(4)]
        c.grid(columns[i] - 2 * (half // 2 + 1), 238, 1, 4, half // 2 + 1, INK, [cells])
        c.arrow((columns[i], 260), (columns[i], 284))
        c.arrow((columns[i], 326), (columns[i], 350))
    c.text("…", columns[3], 246, 20)
    shape("N × P²", 246)
    wide_box(1, 286, 38, "同一个线性层，即步长为 P 的卷积")
    for i, x in enumerate(columns):
        if i == 3:
            for y in (370, 426, 592):
                c.text("…", x, y, 20)
            continue
        c.box(x - half, 352, 2 * half, 36, NAMES[i], OUTPUT if i == 0 else KEY, letters)
        c.text("+", x, 398, 18)
        c.box(x - half, 408, 2 * half, 36, f"位置 {SEATS[i]}", WEIGHT, letters - 1)
        c.arrow((x, 446), (x, 476))
        c.arrow((x, 548), (x, 572), color=OUTPUT if i == 0 else FAINT)
        c.box(x - half, 574, 2 * half, 36, "", OUTPUT if i == 0 else FAINT)
    c.text("学来的", columns[0], 328, letters, FAINT)
    for y in (370, 426, 592):
        shape("N + 1", y)
    wide_box(0, 478, 68, layers)
    c.arrow((columns[0], 612), (columns[0], 642), color=OUTPUT)
    c.box(columns[0] - half, 644, 2 * half, 40, "分类头", OUTPUT, letters)
    c.arrow((columns[0] + half + 4, 664), (columns[0] + half + 52, 664), color=OUTPUT)
    c.text("每类一个 logit", columns[0] + half + 60, 664, letters + 1, anchor="start")


def wide():
    c, size = Canvas("vision_transformer", 580, 740, TITLE, SAID), Sizes(92, 92, 36, 570, 15, 18, 17)
    cut(c, size, 40, 288)
    tokens(c, size, "编码器：L 层，先归一化再进子层\n末尾再做一次层归一化")
    c.text("分类只读 [CLS] 的输出，别的词元的输出不用。", 290, 714, 16)
    c.save()


def narrow():
    """手机上：同样的几步，挨得近些。"""
    c = Canvas("vision_transformer_narrow", 358, 740, TITLE, SAID)
    size = Sizes(36, 60, 27, 354, 14, 16, 16)
    cut(c, size, 10, 190)
    tokens(c, size, "编码器：L 层，先归一化\n末尾再做一次层归一化")
    c.text("分类只读 [CLS] 的输出，别的都不用。", 10, 714, 14, anchor="start")
    c.save()


wide()
narrow()
