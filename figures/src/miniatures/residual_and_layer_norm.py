"""残差连接：向量一路直通，每个子层只在上面添一笔。"""

import drawsvg
from canvas import FAINT, INK, PAPER, tint
from miniature import Miniature

m = Miniature("residual_and_layer_norm")
y = 54
m.line([(2, y), (111, y)], INK, 3.5)
m.line([(108, y - 6), (117, y), (108, y + 6)], INK, 0, fill=INK)
for x in (12, 46, 80):
    m.curve(f"M{x},{y}V20H{x + 6}M{x + 18},20H{x + 24}V{y - 6}", FAINT, 1.5)
    m.box(x + 5, 9, 14, 22, rx=3.5, fill=tint(INK, 0.1), stroke=INK, stroke_width=1.2)
    m.add(drawsvg.Circle, x + 24, y, 6, fill=PAPER, stroke=INK, stroke_width=1.5)
    m.curve(f"M{x + 21},{y}h6M{x + 24},{y - 3}v6", INK, 1.5)
m.save()
