import drawsvg
from canvas import FAINT, INK, OUTPUT, Canvas

c = Canvas(
    "cls_pooling",
    760,
    420,
    "三种池化",
    "编码器给四个位置各一个三维向量：[CLS] 是 1、0、2，not 是 3、1、0，bad 是 2、5、1，填充是 9、9、9。"
    "取 [CLS] 得到 1、0、2；对三个真实词元取平均得到 2、2、1；逐特征取最大得到 3、5、2；填充都不算在内。"
    "得到的一个向量再经线性层变成每类一个 logit。",
)
rows = [("[CLS]", (1, 0, 2)), ("not", (3, 1, 0)), ("bad", (2, 5, 1)), ("[PAD]", (9, 9, 9))]
kinds = [("取位置 0 的 [CLS]", (1, 0, 2)), ("真实词元取平均", (2, 2, 1)), ("逐个特征取最大", (3, 5, 2))]
cell, left, top = 46, 92, 112


def vector(x, y, values, color):
    for j, value in enumerate(values):
        c.box(x + j * cell, y, cell, 40, str(value), color, 18)


c.text("编码器的输出，N × D", left + 69, 40, 17)
c.text("每个词元一个向量", left + 69, 68, 15, FAINT)
for i, (word, values) in enumerate(rows):
    color = FAINT if word == "[PAD]" else INK
    c.text(word, left - 14, top + 60 * i + 20, 17, color, anchor="end")
    vector(left, top + 60 * i, values, color)
c.text("填充不算在内", left + 69, top + 240, 15, FAINT)

right = left + 3 * cell
bracket = drawsvg.Path(fill="none", stroke=OUTPUT, stroke_width=1.8)
bracket.M(right + 8, top).L(right + 20, top).L(right + 20, top + 160).L(right + 8, top + 160)
c.drawing.append(bracket)
for i, (words, values) in enumerate(kinds):
    y = 96 + 98 * i
    start = (right + 4, top + 20) if i == 0 else (right + 20, top + 100)
    c.arrow(start, (372, y + 20), color=INK if i == 0 else OUTPUT)
    c.text(words, 447, y - 18, 16, OUTPUT)
    vector(378, y, values, OUTPUT)
    c.arrow((522, y + 20), (578, 214))
c.box(582, 184, 84, 60, "线性层\nD → C", INK)
c.arrow((668, 214), (692, 214))
c.box(696, 178, 50, 72, "C 个\nlogit", INK, 15)
c.text("三种任选一种；池化之后，整句只剩一个向量。", 380, 392, 16)
c.save()
