import math

import drawsvg
from canvas import FAINT, INK, Canvas

# 横动量（GeV）、Δη、Δφ：course_lib.tasks.jets.jets(40, seed=12) 的第 30 与第 7 个，挑了容易看的
ONE = [
    (54.4, 0.0, 0.05), (47.3, -0.01, 0.03), (44.9, 0.0, 0.03), (39.0, 0.01, 0.02), (36.2, -0.05, 0.08),
    (23.8, 0.0, -0.01), (19.8, -0.08, 0.05), (12.9, 0.03, 0.08), (12.1, -0.02, -0.22), (11.7, 0.19, 0.04),
    (11.1, 0.08, 0.01), (10.8, 0.06, 0.02), (9.9, -0.03, -0.24), (9.7, 0.02, -0.22), (9.5, -0.09, -0.15),
    (9.1, 0.05, 0.09), (8.0, -0.24, -0.17), (7.6, -0.18, -0.17), (6.2, 0.19, -0.07), (5.9, -0.07, -0.28),
    (4.8, 0.32, -0.06), (4.6, 0.11, 0.1), (4.3, -0.23, -0.09), (3.5, 0.44, 0.27),
]  # fmt: skip
TWO = [
    (62.2, 0.01, -0.18), (49.0, -0.04, 0.29), (47.1, 0.0, -0.15), (46.6, 0.03, -0.14), (43.2, -0.01, 0.28),
    (36.6, 0.01, -0.15), (22.4, 0.02, -0.22), (19.1, -0.08, 0.18), (17.7, -0.04, -0.11), (12.7, -0.04, -0.12),
    (12.1, -0.02, 0.31), (9.0, -0.02, 0.17), (7.6, 0.02, 0.32), (5.8, 0.18, -0.33), (4.7, 0.14, 0.0),
    (3.4, 0.09, 0.05), (3.3, 0.34, 0.27), (2.4, -0.71, -0.32), (1.9, 0.47, 0.38), (1.5, 0.43, 0.56),
    (1.4, -0.04, -0.2), (0.8, -0.15, 0.19), (0.7, 0.25, 0.72),
]  # fmt: skip
TITLE = "喷注是一片点云"
SAID = (
    "两个喷注，横轴是 Δη，纵轴是 Δφ，虚线圆的半径是 0.8；每个粒子画成一个圆，面积与横动量成正比。"
    "{}单叉：大的粒子挤在中央一簇。{}双叉：大的粒子上下分成两簇；两边都有小的粒子散在四周。"
)
NAMES = ("单叉", "一个夸克或胶子", ONE, INK), ("双叉", "W 或 Z 衰变成两个夸克", TWO, INK)


def cone(c, x, y, scale, particles, color, size):
    rim = {"fill": "none", "stroke": FAINT, "stroke_dasharray": "6 5", "stroke_width": 1.5}
    c.drawing.append(drawsvg.Circle(x, y, 0.8 * scale, **rim))
    for dx, dy in ((0.8, 0), (0, 0.8)):
        ends = x - dx * scale, y + dy * scale, x + dx * scale, y - dy * scale
        c.drawing.append(drawsvg.Line(*ends, stroke=FAINT, stroke_width=1, stroke_opacity=0.4))
    c.text("Δη", x + 0.8 * scale + 18, y, size, INK)
    c.text("Δφ", x + 22, y - 0.8 * scale + 16, size, INK)
    for pt, eta, phi in particles:
        radius = round(max(1.9 * scale / 185 * math.sqrt(pt), 2.5), 1)
        at = round(x + eta * scale, 1), round(y - phi * scale, 1)
        paint = {"fill": color, "fill_opacity": 0.45, "stroke": color, "stroke_width": 1}
        c.drawing.append(drawsvg.Circle(*at, radius, **paint))


def wide():
    c = Canvas("jet_point_cloud", 700, 452, TITLE, SAID.format("左边", "右边"))
    for x, (name, detail, particles, color) in zip((172, 516), NAMES, strict=True):
        c.text(name, x, 32, 22, color, font_weight="bold")
        c.text(detail, x, 62, 19, FAINT)
        cone(c, x, 236, 185, particles, color, 19)
    c.text("圆的面积是横动量，虚线圆的半径 R = 0.8", 344, 424, 19, INK)
    c.save()


def narrow():
    """手机上：一个在上，一个在下。"""
    c = Canvas("jet_point_cloud_narrow", 358, 650, TITLE, SAID.format("上面", "下面"))
    for top, (name, detail, particles, color) in zip((0, 308), NAMES, strict=True):
        c.text(name, 20, top + 26, 18, color, anchor="start", font_weight="bold")
        c.text(detail, 64, top + 26, 15, FAINT, anchor="start")
        cone(c, 170, top + 172, 155, particles, color, 15)
    c.text("圆的面积是横动量，虚线圆的半径 R = 0.8", 179, 628, 15, INK)
    c.save()


wide()
narrow()
