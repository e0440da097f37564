"""十六个 bank 在最后一层，压到散得最开的平面上：实心的圆是钱，空心的三角是河。"""

from canvas import INK, PALETTE
from miniature import Miniature

OCHRE = PALETTE["COLORS"]["ochre"][0]
MONEY = [
    (-0.27, 0.06), (-0.25, -0.09), (-0.1, 0.06), (-0.09, 0.06),
    (-0.33, -0.33), (-0.19, -0.0), (-0.14, 0.08), (-0.21, -0.08),
]  # fmt: skip
RIVER = [
    (0.16, 0.02), (0.29, -0.04), (0.2, 0.11), (0.12, 0.1),
    (-0.04, 0.18), (0.21, 0.12), (0.49, -0.34), (0.14, 0.1),
]  # fmt: skip


def place(spot):
    return 50 + 125 * spot[0], 26 - 114 * spot[1]


m = Miniature("contextual_bank")
for spot in MONEY:
    m.dot(*place(spot), 3.6, INK)
for spot in RIVER:
    x, y = place(spot)
    m.line([(x, y - 4), (x + 4, y + 3.2), (x - 4, y + 3.2)], OCHRE, 1.6, close=True)
m.text("钱", 27, 54, 13)
m.text("河", 92, 52, 13)
m.save()
