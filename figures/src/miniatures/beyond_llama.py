"""许多个专家，一个词元只走两个。"""

from canvas import FAINT, INK, tint
from miniature import Miniature

m = Miniature("beyond_llama")
m.dot(12, 37, 6, INK)
for row in range(4):
    for column in range(6):
        chosen = (row, column) in ((1, 1), (2, 4))
        x, y = 36 + 14 * column, 7 + 16 * row
        if chosen:
            m.line([(18, 37), (x, y + 6)], INK, 1.2)
        fill = INK if chosen else tint(INK, 0.06)
        m.box(x, y, 11, 12, rx=2, fill=fill, stroke=FAINT, stroke_width=1)
m.save()
