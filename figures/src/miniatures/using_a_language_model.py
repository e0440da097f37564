"""它读到的是字节：一个“猫”字是三个。"""

from canvas import FAINT, INK, tint
from miniature import Miniature

CHARACTER = "猫"

m = Miniature("using_a_language_model")
m.text(CHARACTER, 60, 19, 26)
for i, byte in enumerate(CHARACTER.encode()):
    x = 6 + 38 * i
    m.line([(60, 35), (x + 16, 45)], FAINT, 1.2)
    m.box(x, 46, 32, 21, rx=4, fill=tint(INK, 0.06), stroke=INK, stroke_width=1.2)
    m.text(f"{byte:02x}", x + 16, 57, 14, font_family="monospace")
m.save()
