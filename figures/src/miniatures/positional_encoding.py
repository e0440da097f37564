"""正弦位置编码：位置 2 与位置 3 各有四只钟，一只比一只慢。"""

import math

import drawsvg
from canvas import FAINT, INK, PAPER, tint
from miniature import Miniature

PAIRS = 4
SPEEDS = [10000 ** (-i / 8) for i in range(PAIRS)]  # 宽 16 的前四对，每走一个位置转多少弧度

m = Miniature("positional_encoding")
for y, position in ((19, 2), (54, 3)):
    m.text(str(position), 8, y, 13, FAINT)
    for i, speed in enumerate(SPEEDS):
        x, r, angle = 30 + 26 * i, 11.5, position * speed
        tip = x + (r - 2) * math.sin(angle), y - (r - 2) * math.cos(angle)
        m.add(drawsvg.Circle, x, y, r, fill=tint(INK, 0.06), stroke=FAINT, stroke_width=1.2)
        m.line([(x, y), tip], INK, 2.2, stroke_linecap="round")
        m.add(drawsvg.Circle, x, y, 1.6, fill=PAPER, stroke=INK, stroke_width=1.2)
m.save()
