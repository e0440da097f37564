"""嵌入矩阵里的四十六行，压到散得最开的平面上：嵌入一章的那张地图。"""

from canvas import INK, PALETTE
from miniature import Miniature

OCHRE, GREY = PALETTE["COLORS"]["ochre"][0], PALETTE["COLORS"]["grey"][0]
WEEKDAYS = [(0.42, 0.52), (0.39, 0.52), (0.33, 0.54), (0.36, 0.52), (0.36, 0.45), (0.39, 0.52), (0.36, 0.48)]
NUMBERS = [
    (0.35, -0.13), (0.44, -0.09), (0.52, -0.19), (0.5, -0.05),
    (0.55, -0.07), (0.49, -0.08), (0.48, -0.04), (0.48, -0.12),
]  # fmt: skip
COLORS = [
    (0.2, -0.44), (0.07, -0.4), (0.23, -0.37), (0.19, -0.3),
    (0.04, -0.39), (0.07, -0.35), (0.12, -0.29), (0.08, -0.44),
]  # fmt: skip
ANIMALS = [
    (-0.09, -0.18), (-0.14, -0.23), (-0.12, -0.19), (-0.06, -0.28), (-0.08, -0.3),
    (-0.22, -0.18), (-0.14, -0.15), (-0.16, -0.2), (-0.43, -0.12),
]  # fmt: skip
CARS = [
    (-0.44, 0.04), (-0.44, -0.14), (-0.49, 0.11), (-0.43, 0.04), (-0.47, 0.08), (-0.39, -0.04), (-0.4, 0.09),
]  # fmt: skip
COMPOSERS = [
    (-0.41, 0.19), (-0.5, 0.26), (-0.33, 0.28), (-0.46, 0.28), (-0.33, 0.27), (-0.43, 0.33), (-0.43, 0.26),
]  # fmt: skip


def place(spot):
    return 60 + 100 * spot[0], 38 - 66 * spot[1]


m = Miniature("embedding")
for spots, color, hollow in (
    (WEEKDAYS, INK, False), (NUMBERS, OCHRE, True), (COLORS, GREY, False),
    (ANIMALS, INK, True), (CARS, OCHRE, False), (COMPOSERS, GREY, True),
):  # fmt: skip
    for spot in spots:
        m.dot(*place(spot), 2.2, color, hollow)
m.text("星期", 88, 7, anchor="end")
m.text("作曲家", 34, 19, anchor="start")
m.text("颜色", 90, 62, anchor="start")
m.save()
