"""一个手写的 2，切成 4 × 4 块：scikit-learn 的第 2 个手写数字。"""

from canvas import INK, PALETTE
from miniature import Miniature

LINE = PALETTE["COLORS"]["line"][0]
DIGIT = [
    [0, 0, 0, 4, 15, 12, 0, 0], [0, 0, 3, 16, 15, 14, 0, 0],
    [0, 0, 8, 13, 8, 16, 0, 0], [0, 0, 1, 6, 15, 11, 0, 0],
    [0, 1, 8, 13, 15, 1, 0, 0], [0, 9, 16, 16, 5, 0, 0, 0],
    [0, 3, 13, 16, 16, 11, 5, 0], [0, 0, 0, 3, 11, 16, 9, 0],
]  # fmt: skip
CELL, GAP = 7, 4

m = Miniature("vision_transformer")
for i, row in enumerate(DIGIT):
    for j, ink in enumerate(row):
        if ink:
            x, y = 26 + CELL * j + GAP * (j // 2), 2 + CELL * i + GAP * (i // 2)
            m.box(x, y, CELL, CELL, fill=INK, fill_opacity=round(ink / 16, 2))
for i in range(4):
    for j in range(4):
        x, y = 26 + (2 * CELL + GAP) * j, 2 + (2 * CELL + GAP) * i
        m.box(x - 0.5, y - 0.5, 2 * CELL + 1, 2 * CELL + 1, fill="none", stroke=LINE, stroke_width=1)
m.save()
