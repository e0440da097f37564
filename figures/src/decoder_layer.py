import drawsvg
from canvas import FAINT, INK, KEY, OUTPUT, PAPER, QUERY, VALUE, WEIGHT, Canvas

TITLE = "一个解码器层的三个子层"
SAID = (
    "自下而上：已经写出的 N 个词元的向量，先过带因果掩码的自注意力，权重 N×N；再过交叉注意力，查询来自解码器，"
    "键与值来自左边编码器的 M 个向量，权重 N×M；最后过前馈网络。"
    "每个子层都有残差连接，相加之后做层归一化。编码器的向量同样送到每一个解码器层。"
)


def draw(name, width, middle, side, left, half, size, masks, memory, below):
    """主干的中线在 middle，右侧说明从 side 起，左侧 memory 的中线在 left；子层的框宽 2 × half。"""
    c = Canvas(name, width, 750, TITLE, SAID)
    small = size - (size > 14)

    def lines(words, x, y, color=INK, anchor="middle"):
        for i, line in enumerate(words):
            c.text(line, x, y + 21 * i, small, color, anchor)

    def up(y0, y1):
        c.arrow((middle, y0), (middle, y1))

    def sublayer(y, words, color, first, *notes):
        """一个子层：框的上边在 y，残差从框下绕到加号，再做层归一化。"""
        c.box(middle - half, y, 2 * half, 62, words, color, size)
        lines([first], side, y + 20, anchor="start")
        lines(notes, side, y + 43, FAINT, "start")
        c.arrow((middle, y + 84), (side - 14, y + 84), (side - 14, y - 34), (middle + 14, y - 34), color=INK)
        up(y - 2, y - 20)
        c.drawing.append(drawsvg.Circle(middle, y - 34, 13, fill=PAPER, stroke=INK, stroke_width=1.5))
        c.text("+", middle, y - 34, 20)
        up(y - 48, y - 62)
        c.box(middle - 0.8 * half, y - 98, 1.6 * half, 34, "层归一化", FAINT, size)

    c.text("N 个向量，送往下一层", middle, 22, size, OUTPUT)
    up(62, 38)
    sublayer(162, "前馈网络\nD → F → D", KEY, "各算各的")
    up(272, 226)
    sublayer(372, "交叉注意力\n看编码器的输出", WEIGHT, "权重 N × M", *masks[0])
    up(482, 436)
    sublayer(582, "自注意力\n看自己和之前的", WEIGHT, "权重 N × N", *masks[1])
    up(706, 646)
    lines(["已经写出的 N 个词元（第一层读嵌入，", "以后各层读前一层的输出）"], middle, 716)

    edge = min(76, left - 6)
    c.box(left - edge, 318, 2 * edge, 170, "", OUTPUT)
    for i in range(4):
        shades = [[0.7, 0.3, 0.5, 0.2], [0.2, 0.6, 0.4, 0.8], [0.5, 0.1, 0.7, 0.4], [0.3, 0.8, 0.2, 0.6]]
        c.grid(left - 46, 330 + 27 * i, 1, 4, 23, OUTPUT, [shades[i]])
    lines(memory, left, 450)
    gap = left + edge + 1, middle - half - 1
    c.arrow((gap[0], 388), (gap[1], 388), color=KEY, width=2.2)
    c.arrow((gap[0], 418), (gap[1], 418), color=VALUE, width=2.2)
    c.text("键", sum(gap) / 2, 375, small, KEY)
    c.text("值", sum(gap) / 2, 433, small, VALUE)
    c.text("查询", middle - 24, 462, small, QUERY)
    c.arrow((left, 560), (left, 490))
    c.text("编码器", left, 576, size)
    lines(below, left, 300 - 21 * (len(below) - 1), FAINT)
    c.save()


draw(
    "decoder_layer", 640, 345, 494, 96, 105, 16,
    [["掩码：来源的填充"], ["掩码：因果"]], ["memory：M × D", "每个来源词元一行"], ["送到每一个解码器层"],
)  # fmt: skip
draw(
    "decoder_layer_narrow", 358, 196, 280, 56, 60, 13,
    [["掩码：", "来源的填充"], ["掩码：因果"]], ["memory", "M × D"], ["送到每一个", "解码器层"],
)  # fmt: skip
