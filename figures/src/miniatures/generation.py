"""写三月：第一个字有五条路，线的粗细是概率；走进“公历”，又是两条。"""

from canvas import FAINT, INK, PALETTE
from miniature import Miniature

GREY = PALETTE["COLORS"]["grey"][0]
FIRST = {"公": 0.43, "3": 0.31, "阳": 0.12, "西": 0.08, "新": 0.04}
AFTER = {"三": 0.55, "3": 0.45}  # “公历”之后

m = Miniature("generation")
m.dot(6, 36, 3.5, INK)
for i, (word, chance) in enumerate(FIRST.items()):
    y = 8 + 14 * i
    color = INK if i == 0 else GREY
    m.curve(f"M9,36C24,36 20,{y} 34,{y}", color, 0.8 + 7 * chance)
    m.text(word, 42, y, 12, INK if i == 0 else FAINT)
m.curve("M49,8H62", INK, 0.8 + 7 * FIRST["公"])
m.text("历", 70, 8)
for i, (word, chance) in enumerate(AFTER.items()):
    y = 8 + 18 * i
    m.curve(f"M77,8C90,8 86,{y} 99,{y}", INK if i == 0 else GREY, 0.8 + 7 * chance)
    m.text(word, 108, y, 12, INK if i == 0 else FAINT)
m.save()
