"""blue 给各个词的权重：缩放点积注意力一章亲手算的那一行。"""

from canvas import FAINT, INK, WEIGHT
from miniature import Miniature

ROW = [0.06, 0.03, 0.68, 0.05, 0.06, 0.12]  # [CLS] The sky is blue [SEP]
SKY = 2

m = Miniature("scaled_dot_product_attention")
m.line([(4, 52), (116, 52)], FAINT, 1)
for i, weight in enumerate(ROW):
    tall = 60 * weight
    m.box(9 + 18 * i, 51.5 - tall, 12, tall, rx=1.5, fill=WEIGHT)
m.text("0.68", 9 + 18 * SKY + 17, 18, 13, INK, "start")
m.text("sky", 15 + 18 * SKY, 60, 12, INK)
m.save()
