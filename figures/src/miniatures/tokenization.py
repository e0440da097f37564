"""一个词切成几截：BERT 的词表里没有 unhappiness。"""

from canvas import FAINT, INK, tint
from miniature import Miniature

WORD, PIECES = "unhappiness", ["un", "ha", "pp", "iness"]
WIDTHS = [23, 22, 22, 38]

m = Miniature("tokenization")
m.box(14, 5, 92, 22, rx=5, fill=tint(INK, 0.08))
m.text(WORD, 60, 16, 14)
left, word = 2.5, 19.0
for piece, width in zip(PIECES, WIDTHS, strict=True):
    share = 82 * width / sum(WIDTHS)
    m.line([(word + share / 2, 29), (left + width / 2, 43)], FAINT, 1.2)
    m.box(left, 44, width, 22, rx=5, fill=tint(INK, 0.04), stroke=INK, stroke_width=1.2)
    m.text(piece, left + width / 2, 55, 13)
    left, word = left + width + 3.3, word + share
m.save()
