"""一层一格，到了某一层，答案换了一种语言。"""

from canvas import INK, PALETTE, tint
from miniature import Miniature

OCHRE = PALETTE["COLORS"]["ochre"][0]
m = Miniature("language_of_thought")
for row in range(2):
    for layer in range(8):
        hue = OCHRE if row and layer > 4 else INK
        m.box(6 + 14 * layer, 14 + 26 * row, 10, 18, rx=2, fill=tint(hue, 0.2 + layer / 10), stroke=hue)
m.save()
