"""一个字一个字地写日期：下面写出的每个数字，从上面的来源里看谁，最后一层四个头平均，小于一成的不画。"""

from canvas import FAINT, INK, WEIGHT
from miniature import Miniature

SOURCE, WRITTEN = "二〇六四年十二月八日", "2064"
ROWS = [
    [0.69, 0.28, 0.01, 0.0, 0.0, 0.0, 0.0, 0.01, 0.0, 0.0],
    [0.11, 0.08, 0.12, 0.04, 0.03, 0.04, 0.02, 0.09, 0.03, 0.44],
    [0.0, 0.01, 0.91, 0.08, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [0.0, 0.01, 0.02, 0.88, 0.09, 0.0, 0.0, 0.0, 0.0, 0.0],
]

m = Miniature("decoder_and_cross_attention")
above, below = [6 + 12 * i for i in range(10)], [22 + 15 * i for i in range(4)]
for x, row in zip(below, ROWS, strict=True):
    for place, weight in zip(above, row, strict=True):
        if weight >= 0.1:
            path = f"M{x},49C{x},34 {place},38 {place},21"
            m.curve(path, WEIGHT, 0.8 + 3 * weight, opacity=round(0.15 + 0.85 * weight, 2))
for x, character in zip(above, SOURCE, strict=True):
    m.text(character, x, 13, 12, INK)
for x, character in zip(below, WRITTEN, strict=True):
    m.text(character, x, 58, 15, INK)
m.text("-", below[3] + 13, 58, 15, FAINT)
m.line([(below[3] + 21, 50), (below[3] + 21, 66)], INK, 1.8)
m.save()
