"""一个双叉的喷注：一个圆一个粒子，面积与横动量成正比，虚线圆的半径是 0.8。"""

import math

import drawsvg
from canvas import FAINT, INK
from miniature import Miniature

# 横动量（GeV）、Δη、Δφ：course_lib.tasks.jets.jets(12, seed=1000) 的第 5 个
PARTICLES = [
    (167.84, -0.09, 0.02), (71.77, -0.09, 0.04), (41.91, -0.07, 0.01), (31.68, 0.46, -0.11),
    (29.44, 0.46, -0.13), (29.05, -0.08, 0.05), (22.41, -0.1, -0.03), (17.95, -0.13, 0.01),
    (7.4, -0.11, -0.06), (4.71, 0.48, -0.42), (4.62, -0.12, -0.03), (3.18, 0.54, 0.01),
    (3.01, 0.04, 0.5), (2.07, 0.3, -0.48), (1.25, -0.2, 0.5), (0.95, 0.52, 0.25),
]  # fmt: skip

m = Miniature("jet_tagging")
m.add(drawsvg.Circle, 60, 36, 34, fill="none", stroke=FAINT, stroke_width=1, stroke_dasharray="4 3")
for momentum, eta, phi in PARTICLES:
    r = max(1, 0.72 * math.sqrt(momentum))
    m.add(
        drawsvg.Circle, 60 + 42.5 * eta, 36 - 42.5 * phi, round(r, 1),
        fill=INK, fill_opacity=0.55, stroke=INK, stroke_width=0.8,
    )  # fmt: skip
m.save()
