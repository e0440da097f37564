import drawsvg
from canvas import FAINT, INK, KEY, OUTPUT, PAPER, QUERY, VALUE, WEIGHT, Canvas

c = Canvas(
    "decoder_layer",
    640,
    750,
    "一个解码器层的三个子层",
    "自下而上：已经写出的 N 个词元的向量，先过带因果掩码的自注意力，权重 N×N；再过交叉注意力，查询来自解码器，"
    "键与值来自左边编码器的 M 个向量，权重 N×M；最后过前馈网络。"
    "每个子层都有残差连接，相加之后做层归一化。编码器的向量同样送到每一个解码器层。",
)
MIDDLE, SIDE, LEFT = 345, 500, 96  # 主干的中线；右侧说明的左边；左侧 memory 的中线


def note(words, y, color=FAINT):
    c.text(words, SIDE, y, 15, color, "start")


def up(y0, y1):
    c.arrow((MIDDLE, y0), (MIDDLE, y1))


def sublayer(y, words, color, *notes):
    """一个子层：框的上边在 y，残差从框下绕到加号，再做层归一化。"""
    c.box(MIDDLE - 105, y, 210, 62, words, color)
    for i, line in enumerate(notes):
        note(line, y + 20 + 23 * i, INK if i == 0 else FAINT)
    c.arrow((MIDDLE, y + 84), (SIDE - 20, y + 84), (SIDE - 20, y - 34), (MIDDLE + 14, y - 34), color=INK)
    up(y - 2, y - 20)
    c.drawing.append(drawsvg.Circle(MIDDLE, y - 34, 13, fill=PAPER, stroke=INK, stroke_width=1.5))
    c.text("+", MIDDLE, y - 34, 20)
    up(y - 48, y - 62)
    c.box(MIDDLE - 85, y - 98, 170, 34, "层归一化", FAINT)


c.text("N 个向量，送往下一层", MIDDLE, 22, 16, OUTPUT)
up(62, 38)
sublayer(162, "前馈网络\nD → F → D", KEY, "各算各的")
up(272, 226)
sublayer(372, "交叉注意力\n看编码器的输出", WEIGHT, "权重 N × M", "掩码：来源的填充")
up(482, 436)
sublayer(582, "自注意力\n看自己和之前的", WEIGHT, "权重 N × N", "掩码：因果")
up(706, 646)
c.text("已经写出的 N 个词元（第一层读嵌入，", MIDDLE, 716, 15)
c.text("以后各层读前一层的输出）", MIDDLE, 737, 15)

c.box(LEFT - 76, 318, 152, 170, "", OUTPUT)
for i in range(4):
    shades = [[0.7, 0.3, 0.5, 0.2], [0.2, 0.6, 0.4, 0.8], [0.5, 0.1, 0.7, 0.4], [0.3, 0.8, 0.2, 0.6]]
    c.grid(LEFT - 46, 330 + 27 * i, 1, 4, 23, OUTPUT, [shades[i]])
c.text("memory：M × D", LEFT, 450, 15)
c.text("每个来源词元一行", LEFT, 471, 15)
c.arrow((LEFT + 77, 388), (MIDDLE - 106, 388), color=KEY, width=2.2)
c.arrow((LEFT + 77, 418), (MIDDLE - 106, 418), color=VALUE, width=2.2)
c.text("键", 206, 375, 15, KEY)
c.text("值", 206, 433, 15, VALUE)
c.text("查询", MIDDLE - 24, 462, 15, QUERY)
c.arrow((LEFT, 560), (LEFT, 490))
c.text("编码器", LEFT, 576, 16)
c.text("送到每一个解码器层", LEFT, 300, 15, FAINT)
c.save()
