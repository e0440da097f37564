"""把 is 的向量换成问 Italy 时的，一层一层地试：换得早，答 Paris；第 24 层起，答 Rome。"""

from canvas import FAINT, INK, PALETTE
from miniature import Miniature

OCHRE = PALETTE["COLORS"]["ochre"][0]
PARIS = [
    0.77, 0.77, 0.78, 0.79, 0.8, 0.8, 0.8, 0.79, 0.8, 0.81, 0.8, 0.79, 0.75, 0.76, 0.78,
    0.78, 0.78, 0.78, 0.78, 0.79, 0.78, 0.79, 0.78, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
]  # fmt: skip
ROME = [0.0] * 23 + [0.36, 0.38, 0.37, 0.38, 0.38, 0.38, 0.38]

m = Miniature("large_language_model")
xs = [5 + 3.6 * i for i in range(30)]
m.line([(3, 58), (114, 58)], FAINT, 1)
for shares, color, dash in ((PARIS, INK, None), (ROME, OCHRE, "4 2.5")):
    points = [(x, 57 - 56 * share) for x, share in zip(xs, shares, strict=True)]
    m.line(points, color, 2.2, **({"stroke_dasharray": dash} if dash else {}))
m.text("Paris", 40, 25, 13)
m.text("Rome", 120, 27, 12, anchor="end")
m.text("1", 5, 66, 12, FAINT)
m.text("24", xs[23], 66, 12, FAINT)
m.text("30", xs[29], 66, 12, FAINT)
m.save()
