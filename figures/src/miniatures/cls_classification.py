"""[CLS] 听遍全句，由它的向量判断是褒是贬。"""

import math

from canvas import FAINT, INK, OUTPUT
from miniature import Miniature

WORDS = 8

m = Miniature("cls_classification")
x, y = 36, 36
for i in range(WORDS):
    angle = (i + 0.5) * 2 * math.pi / WORDS
    spot = x + 28 * math.sin(angle), y - 28 * math.cos(angle)
    m.line([(x, y), spot], FAINT, 1.2)
    m.dot(*spot, 3.5, FAINT)
points = [
    (x + r * math.sin(k * math.pi / 5), y - r * math.cos(k * math.pi / 5))
    for k, r in enumerate([12, 5.2] * 5)
]
m.line(points, OUTPUT, 0, fill=OUTPUT, close=True)
m.line([(72, 36), (86, 36)], INK, 1.8)
m.line([(83, 32), (88, 36), (83, 40)], INK, 1.8)
m.text("褒？", 105, 25, 14)
m.text("贬？", 105, 47, 14)
m.save()
