"""六层、每层十二个头：首页那一句里，they 给 John 与 Paul 多少，一个头一格；框着的是最多的。"""

from canvas import QUERY, WEIGHT
from miniature import Miniature

SHARES = [
    [0.05, 0.23, 0.0, 0.29, 0.01, 0.0, 0.13, 0.14, 0.05, 0.09, 0.04, 0.13],
    [0.01, 0.0, 0.02, 0.06, 0.0, 0.15, 0.01, 0.01, 0.0, 0.0, 0.01, 0.0],
    [0.0, 0.01, 0.22, 0.0, 0.07, 0.06, 0.05, 0.01, 0.0, 0.01, 0.19, 0.0],
    [0.02, 0.11, 0.03, 0.06, 0.05, 0.04, 0.07, 0.21, 0.02, 0.04, 0.07, 0.08],
    [0.1, 0.17, 0.03, 0.14, 0.21, 0.02, 0.03, 0.01, 0.05, 0.0, 0.14, 0.1],
    [0.11, 0.27, 0.32, 0.42, 0.19, 0.65, 0.04, 0.12, 0.36, 0.0, 0.11, 0.21],
]
BEST = max(max(row) for row in SHARES)

m = Miniature("multi_head_attention")
for i, row in enumerate(SHARES):
    for j, share in enumerate(row):
        where = 2 + 9.7 * j, 3 + 11.2 * i, 8.4, 9.6
        m.box(*where, rx=1.5, fill=WEIGHT, fill_opacity=round(0.1 + 0.9 * share / BEST, 2))
        if share == BEST:
            m.box(
                where[0] - 1.5, where[1] - 1.5, 11.4, 12.6, rx=2.5, fill="none", stroke=QUERY, stroke_width=2
            )
m.save()
