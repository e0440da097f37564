"""因果掩码：每一行只许看自己与前面的，分数都相同，权重就平分。"""

from canvas import PALETTE, WEIGHT
from miniature import Miniature

N, CELL = 6, 11
LINE = PALETTE["COLORS"]["line"][0]

m = Miniature("attention_masks")
for i in range(N):
    for j in range(N):
        where = 27 + j * CELL + 0.75, 3 + i * CELL + 0.75, CELL - 1.5, CELL - 1.5
        if j <= i:
            m.box(*where, rx=1.5, fill=WEIGHT, fill_opacity=round(0.18 + 0.8 / (i + 1), 2))
        else:
            m.box(*where, rx=1.5, fill="none", stroke=LINE, stroke_width=1)
m.save()
