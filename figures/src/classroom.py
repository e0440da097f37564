import drawsvg
from canvas import FAINT, INK, KEY, OUTPUT, PAPER, QUERY, VALUE, WEIGHT, Canvas, tint

# 实物的颜色：白天的 → 夜里的
OWN = {
    "#f7f4ee": "#20262b", "#fbf8f3": "#262d33", "#ded6c8": "#39424a",  # 墙、地板、墙脚
    "#31564a": "#2b4a41", "#f3f1e4": "#e4e2d6", "#ffe08a": "#f0d283",  # 黑板、粉笔、黄粉笔
    "#e9d3b4": "#5b4a37", "#a5814f": "#94764c",  # 桌面、木边
    "#f2d6bf": "#d9b89e", "#8c3b32": "#7d332b",  # 脸、嘴
    "#2f2a28": "#6a5d57", "#4a3527": "#7b5c47", "#6b4a2f": "#96703f", "#7a5a3a": "#a37d54",  # 头发
    "#3b2f2a": "#74625a", "#54402f": "#866a52",
    "#d9dfe5": "#4d5963", "#e3dccf": "#5d564a", "#f6dccb": "#70523f", "#d6e0d8": "#4a5a4f",  # 衣服
    "#dcd9e6": "#544f66", "#e6ddd3": "#60574d", "#d3dde4": "#465761",
    "#22303b": "#14191d",  # 人的轮廓与眼睛
}  # fmt: skip
WALL, FLOOR, SKIRTING, BOARD, CHALK, YELLOW, WOOD, EDGE, SKIN, MOUTH, *REST = OWN
HAIR, SHIRT, OUTLINE = [*REST[:3], REST[0], *REST[3:6]], REST[6:13], REST[13]

c = Canvas(
    "classroom",
    420,
    504,
    "一间教室",
    "从讲台望去，两排课桌，每张桌上一块名牌和一个座位号：前排 0 号到 3 号是班长 [CLS]、time、flies、like，"
    "后排 4 号到 6 号是 an、arrow、[SEP]，7 号是空座位。flies 在想“谁在飞？”，从各人连到他的线粗细不同，"
    "time 的最粗；空座位没有线。虚线是同时开着的另一组讨论，arrow 在听 an。"
    "后墙的黑板上写着：一节课先交谈，再独自思考，这样上六节。",
    own_colors=OWN,
)
XS = [58 + 101 * i for i in range(4)]
BACK, FRONT = 196, 372  # 两排的头所在的高度
LISTENER = 2


def shape(kind, *where, **look):
    c.drawing.append(kind(*where, **look))


def curve(points: str, color: str, width: float, **look):
    shape(drawsvg.Path, points, fill="none", stroke=color, stroke_width=width, **look)


def student(x, y, seat):
    """上半身、头、头发与脸；各人的发式不同。"""
    hair, speaking = HAIR[seat], seat not in (LISTENER, 0)
    path = drawsvg.Path(fill=SHIRT[seat], stroke=OUTLINE, stroke_width=1.3)
    path.M(x - 29, y + 44).C(x - 28, y + 22, x - 16, y + 19, x, y + 19).C(
        x + 16, y + 19, x + 28, y + 22, x + 29, y + 44
    )
    if seat % 3 == 1:  # 长发，披在背后
        shape(drawsvg.Rectangle, x - 22, y - 11, 44, 42, rx=14, fill=hair)
    c.drawing.append(path)
    if seat % 3 == 0:  # 两条小辫
        for side in (-1, 1):
            shape(drawsvg.Ellipse, x + side * 21, y + 8, 5, 10, fill=hair)
    shape(drawsvg.Circle, x, y, 18, fill=SKIN, stroke=OUTLINE, stroke_width=1.3)
    top = drawsvg.Path(fill=hair)
    if seat % 3 == 2:  # 偏分的短发
        top.M(x - 18.5, y + 1).C(x - 20, y - 26, x + 20, y - 26, x + 18.5, y + 1).C(
            x + 12, y - 6, x + 6, y - 9, x + 2, y - 11
        ).C(x - 6, y - 5, x - 14, y - 4, x - 18.5, y + 1)
    else:  # 齐刘海
        top.M(x - 18.5, y + 2).C(x - 21, y - 26, x + 21, y - 26, x + 18.5, y + 2).C(
            x + 12, y - 7, x - 12, y - 7, x - 18.5, y + 2
        )
    c.drawing.append(top)
    for side in (-1, 1):
        shape(drawsvg.Circle, x + side * 6.5, y + 3, 1.9, fill=OUTLINE)
    if speaking:
        shape(drawsvg.Ellipse, x, y + 10.5, 3.2, 2.6, fill=MOUTH)
        side = -1 if seat in (1, 4) else 1  # 话不挡着线
        shape(
            drawsvg.Rectangle,
            x + side * 29 - 14,
            y - 29,
            28,
            17,
            rx=8,
            fill=tint(VALUE, 0.2),
            stroke=VALUE,
            stroke_width=1.4,
        )
        for dx in (-6, 0, 6):
            shape(drawsvg.Circle, x + side * 29 + dx, y - 20.5, 1.5, fill=VALUE)
    else:
        curve(f"M{x - 4.5},{y + 9.5}Q{x},{y + 13.5} {x + 4.5},{y + 9.5}", OUTLINE, 1.5)


def desk(x, y, seat, word, empty=False):
    """课桌：桌面、名牌、座位号。"""
    look = {"stroke": FAINT if empty else EDGE, "stroke_width": 1.4, "fill": PAPER if empty else WOOD}
    dash = {"stroke_dasharray": "5 4"} if empty else {}
    shape(drawsvg.Rectangle, x - 38, y + 50, 76, 32, rx=3, **look, **dash)
    shape(drawsvg.Rectangle, x - 46, y + 42, 92, 11, rx=4, **look, **dash)
    if empty:
        c.text(word, x + 4, y + 68, 15, FAINT)
    else:
        shape(drawsvg.Rectangle, x - 30, y + 56, 60, 21, rx=4, fill=tint(KEY), stroke=KEY, stroke_width=1.3)
        c.text(word, x, y + 67, 16, INK)
    shape(drawsvg.Circle, x - 42, y + 47, 10.5, fill=PAPER, stroke=FAINT, stroke_width=1.3)
    c.text(str(seat), x - 42, y + 47.5, 15, FAINT)


# 后墙：黑板、钟；地板
shape(drawsvg.Rectangle, 0, 0, 420, 236, rx=8, fill=WALL)
shape(drawsvg.Rectangle, 0, 228, 420, 276, rx=8, fill=FLOOR)
shape(drawsvg.Line, 0, 228, 420, 228, stroke=SKIRTING, stroke_width=2)
shape(drawsvg.Rectangle, 24, 16, 300, 118, rx=5, fill=BOARD, stroke=EDGE, stroke_width=5)
c.text("课程表", 174, 37, 17, YELLOW)
for i, (lesson, more) in enumerate(
    [("第 1 节", "交谈 → 独自思考"), ("第 2 节", "交谈 → 独自思考"), ("……", "一共 6 节")]
):
    y = 64 + 26 * i
    c.text(lesson, 70, y, 16, CHALK, "start")
    c.text(more, 146, y, 16, CHALK, "start")
shape(drawsvg.Circle, 372, 58, 25, fill=PAPER, stroke=INK, stroke_width=2)
curve("M372,58L372,42M372,58L383,63", INK, 2.2, stroke_linecap="round")
shape(drawsvg.Circle, 372, 58, 2.2, fill=INK)

# 后排
back = [(4, "an"), (5, "arrow"), (6, "[SEP]")]
for x, (seat, word) in zip(XS, back, strict=False):
    student(x, BACK, seat)
    desk(x, BACK, seat, word)
desk(XS[3], BACK, 7, "空座位", empty=True)

# 谁听谁：后排的话从桌前传来，前排的从头顶绕过
ear = XS[LISTENER], FRONT - 22
for x, weight in zip(XS, (0.05, 0.2, 0.04), strict=False):
    start = BACK + 84
    curve(
        f"M{x},{start}C{x},{start + 34} {ear[0]},{ear[1] - 44} {ear[0]},{ear[1]}",
        WEIGHT,
        1 + 13 * weight,
        opacity=0.85,
    )
lift = 54
curve(
    f"M{XS[0] + 6},{FRONT - 20}C{XS[0] + 30},{FRONT - 20 - lift} {ear[0] - 10},{ear[1] - lift} {ear[0]},{ear[1]}",
    WEIGHT,
    2.2,
    opacity=0.85,
)
for x, side, weight in ((XS[1], -1, 0.42), (XS[3], 1, 0.14)):
    curve(
        f"M{x - side * 20},{FRONT - 4}Q{(x + ear[0]) / 2},{FRONT - 30} {ear[0] + side * 20},{FRONT - 4}",
        WEIGHT,
        1 + 13 * weight,
        opacity=0.85,
    )
curve(
    f"M{XS[0] + 20},{BACK - 8}C{XS[0] + 40},{BACK - 34} {XS[1] - 40},{BACK - 34} {XS[1] - 20},{BACK - 8}",
    WEIGHT,
    3,
    stroke_dasharray="6 4",
)

# 前排
front = [(0, "[CLS]"), (1, "time"), (2, "flies"), (3, "like")]
for x, (seat, word) in zip(XS, front, strict=True):
    student(x, FRONT, seat)
    desk(x, FRONT, seat, word)

# flies 的问题、班长的袖章
shape(drawsvg.Rectangle, XS[2] + 34, FRONT - 82, 84, 30, rx=15, fill=PAPER, stroke=QUERY, stroke_width=1.6)
c.text("谁在飞？", XS[2] + 78, FRONT - 67, 16, QUERY)
for dx, dy, r in ((32, -43, 3.6), (24, -32, 2.4)):
    shape(drawsvg.Circle, XS[2] + dx, FRONT + dy, r, fill=PAPER, stroke=QUERY, stroke_width=1.4)
shape(drawsvg.Rectangle, XS[0] - 22, FRONT + 24, 44, 20, rx=4, fill=OUTPUT)
c.text("班长", XS[0], FRONT + 34.5, 15, PAPER)

c.text("线越粗，听得越多；虚线是同时开的另一组讨论", 210, 481, 16, INK)
c.save()
