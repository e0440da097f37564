import drawsvg
from canvas import FAINT, INK, OUTPUT, Canvas

TITLE = "三种池化"
SAID = (
    "编码器给四个位置各一个三维向量：[CLS] 是 1、0、2，not 是 3、1、0，bad 是 2、5、1，填充是 9、9、9。"
    "取 [CLS] 得到 1、0、2；对三个真实词元取平均得到 2、2、1；逐特征取最大得到 3、5、2；填充都不算在内。"
    "得到的一个向量再经线性层变成每类一个 logit。"
)
ROWS = [("[CLS]", (1, 0, 2)), ("not", (3, 1, 0)), ("bad", (2, 5, 1)), ("[PAD]", (9, 9, 9))]
KINDS = [("取位置 0 的 [CLS]", (1, 0, 2)), ("真实词元取平均", (2, 2, 1)), ("逐个特征取最大", (3, 5, 2))]


def vector(c, x, y, values, color, cell=46, height=40):
    for j, value in enumerate(values):
        c.box(x + j * cell, y, cell, height, str(value), color, 18)


def encoded(c, left, top, cell=46, height=40, gap=60):
    """编码器的输出，一个词元一行；右边的括号括住真实的三个。"""
    for i, (word, values) in enumerate(ROWS):
        color = FAINT if word == "[PAD]" else INK
        c.text(word, left - 14, top + gap * i + height / 2, 17, color, anchor="end")
        vector(c, left, top + gap * i, values, color, cell, height)
    right, last = left + 3 * cell, top + 2 * gap + height
    bracket = drawsvg.Path(fill="none", stroke=OUTPUT, stroke_width=1.8)
    bracket.M(right + 8, top).L(right + 20, top).L(right + 20, last).L(right + 8, last)
    c.drawing.append(bracket)


def wide():
    c = Canvas("cls_pooling", 760, 420, TITLE, SAID)
    left, top = 92, 112
    c.text("编码器的输出，N × D", left + 69, 40, 17)
    c.text("每个词元一个向量", left + 69, 68, 15, FAINT)
    encoded(c, left, top)
    c.text("填充不算在内", left + 69, top + 240, 15, FAINT)
    right = left + 3 * 46
    for i, (words, values) in enumerate(KINDS):
        y = 96 + 98 * i
        start = (right + 4, top + 20) if i == 0 else (right + 20, top + 100)
        c.arrow(start, (372, y + 20), color=INK if i == 0 else OUTPUT)
        c.text(words, 447, y - 18, 16, OUTPUT)
        vector(c, 378, y, values, OUTPUT)
        c.arrow((522, y + 20), (578, 214))
    c.box(582, 184, 84, 60, "线性层\nD → C", INK)
    c.arrow((668, 214), (692, 214))
    c.box(696, 178, 50, 72, "C 个\nlogit", INK, 15)
    c.text("三种任选一种；池化之后，整句只剩一个向量。", 380, 392, 16)
    c.save()


def narrow():
    """手机上：从上往下，三种池化一种一行。"""
    c = Canvas("cls_pooling_narrow", 358, 500, TITLE, SAID)
    c.text("编码器的输出，每个词元一个向量", 10, 18, 15, INK, anchor="start")
    encoded(c, 84, 40, height=32, gap=40)
    c.text("填充不算", 240, 176, 15, FAINT, anchor="start")
    for i, (words, values) in enumerate(KINDS):
        y = 222 + 56 * i
        if i == 0:
            c.arrow((226, 56), (336, 56), (336, y + 16), (304, y + 16), color=INK)
        c.text(words, 26, y + 16, 15, OUTPUT, anchor="start")
        vector(c, 160, y, values, OUTPUT, height=32)
    c.arrow((242, 96), (318, 96), (318, 294), (304, 294), color=OUTPUT)
    c.arrow((318, 294), (318, 350), (304, 350), color=OUTPUT)
    c.text("三种任选一种，整句只剩一个向量", 10, 398, 15, INK, anchor="start")
    c.box(26, 420, 130, 60, "线性层\nD → C", INK)
    c.arrow((160, 450), (206, 450))
    c.box(210, 420, 100, 60, "C 个\nlogit", INK)
    c.save()


wide()
narrow()
