"""同一道题：从前报一个数，后来写出几步。"""

from canvas import FAINT, INK, tint
from miniature import Miniature

m = Miniature("post_training")
m.box(14, 10, 24, 20, rx=4, fill=tint(INK, 0.06), stroke=FAINT, stroke_width=1.2)
m.text("答", 26, 20, 12)
for i, char in enumerate("想想想答"):
    m.box(5 + 28 * i, 46, 24, 20, rx=4, fill=tint(INK, 0.06), stroke=INK, stroke_width=1.2)
    m.text(char, 17 + 28 * i, 56, 12)
m.save()
