"""左边是自己的六层，右边是 Hugging Face 的六层，装着同样的权重，逐层相等。"""

from canvas import INK, PALETTE
from miniature import Miniature

OCHRE = PALETTE["COLORS"]["ochre"][0]

m = Miniature("encoder_is_bert")
for i in range(6):
    y = 4 + 11 * i
    m.box(8, y, 40, 8, rx=2, fill=INK)
    m.box(72.75, y + 0.75, 38.5, 6.5, rx=2, fill="none", stroke=OCHRE, stroke_width=1.5)
    m.line([(55, y + 2.5), (65, y + 2.5)], INK, 1.5)
    m.line([(55, y + 6), (65, y + 6)], INK, 1.5)
m.save()
