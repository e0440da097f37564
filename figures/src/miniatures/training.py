"""训练时损失怎样往下走：实线预热四十步，虚线不预热，停在原处；训练一章的第一个种子，五步取一次平均。"""

from canvas import FAINT, INK, PALETTE
from miniature import Miniature

OCHRE = PALETTE["COLORS"]["ochre"][0]
WARM = [3.03, 2.43, 2.33, 2.29, 2.25, 2.1, 1.88, 1.71, 1.59, 1.41, 1.42, 1.29, 1.25, 1.18, 1.16, 1.09]
COLD = [2.54, 2.31, 2.32, 2.3, 2.29, 2.31, 2.28, 2.31, 2.3, 2.28, 2.29, 2.27, 2.28, 2.26, 2.26, 2.27]

m = Miniature("training")
m.line([(6, 4), (6, 66), (116, 66)], FAINT, 1)
for losses, color, dash in ((COLD, OCHRE, {"stroke_dasharray": "4 2.5"}), (WARM, INK, {})):
    points = [(10 + 6.9 * i, 64 - 27 * (loss - 0.8)) for i, loss in enumerate(losses)]
    m.line(points, color, 2.2, stroke_linejoin="round", **dash)
m.text("损失", 114, 12, 12, FAINT, "end")
m.save()
