"""一个词看一句话里的各个词：第 5 层第 5 个头里 they 的一行权重，句子就是首页上的那一句。"""

from canvas import FAINT, QUERY, WEIGHT
from miniature import Miniature

THEY, JOHN = 8, 1
ROW = [0.17, 0.36, 0.02, 0.29, 0.01, 0.0, 0.04, 0.01, 0.01, 0.01, 0.01, 0.03, 0.03]

m = Miniature("why_transformer")
xs, y = [6 + 9 * i for i in range(13)], 50
for x, weight in zip(xs, ROW, strict=True):
    if weight >= 0.02 and x != xs[THEY]:
        lift = 12 + 0.48 * abs(xs[THEY] - x)
        m.curve(
            f"M{xs[THEY]},{y}C{xs[THEY]},{y - lift:.0f} {x},{y - lift:.0f} {x},{y}",
            WEIGHT, 1 + 10 * weight, opacity=min(1, round(0.3 + 2 * weight, 2)),
        )  # fmt: skip
for i, x in enumerate(xs):
    m.dot(x, y, 4 if i == THEY else 3, QUERY if i == THEY else WEIGHT if ROW[i] > 0.25 else FAINT)
m.text("John", xs[JOHN] + 3, 64, color=WEIGHT)
m.text("they", xs[THEY], 64, color=QUERY)
m.save()
