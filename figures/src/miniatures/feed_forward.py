"""第 0 层第 139 个神经元：前馈网络一章替“亲人”找到的那一个，读到这几个词时的激活值。"""

from canvas import FAINT, INK, PALETTE
from miniature import Miniature

GREY = PALETTE["COLORS"]["grey"][0]
WORDS = {"father": 2.82, "mother": 2.75, "brother": 2.18, "dog": -0.07, "table": -0.13}

m = Miniature("feed_forward")
m.line([(52, 2), (52, 70)], FAINT, 1)
for i, (word, value) in enumerate(WORDS.items()):
    y = 8 + 14 * i
    m.text(word, 47, y, 12, INK if value > 0 else FAINT, "end")
    wide = 23 * abs(value)
    m.box(52 if value > 0 else 52 - wide, y - 4.5, wide, 9, rx=1, fill=INK if value > 0 else GREY)
m.save()
