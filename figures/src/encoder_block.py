import drawsvg
from canvas import FAINT, INK, KEY, OUTPUT, PAPER, WEIGHT, Canvas

TITLE = "一个 BERT 编码器，从编号到上下文向量"
SAID = (
    "N 个词元的编号查三张表，得到词元嵌入、位置嵌入、段嵌入，都是 N×D，相加后做层归一化，是第 0 个隐藏状态。"
    "接着是 L 个结构相同、参数各异的层，每层两个子层：多头自注意力与前馈网络，各在残差相加之后做一次层归一化。"
    "每一层的输入与输出都是 N×D，最后每个词元得到一个 D 维向量。"
)


def draw(name, width, middle, side, spread, box, size):
    """width 宽的一张；主干的中线在 middle，右侧形状一栏从 side 起，三个嵌入相隔 spread。"""
    c = Canvas(name, width, 800, TITLE, SAID)

    def note(words, y, color=FAINT):
        c.text(words, side, y, size - 1, color, "start")

    def add(y):
        """相加的记号：圆圈里一个加号。"""
        c.drawing.append(drawsvg.Circle(middle, y, 13, fill=PAPER, stroke=INK, stroke_width=1.5))
        c.text("+", middle, y, 20)

    def down(y0, y1):
        c.arrow((middle, y0), (middle, y1))

    def norm(y):
        c.box(middle - 85, y, 170, 36, "层归一化", FAINT, size)

    c.text("[CLS] time flies like an arrow [SEP]", middle, 24, size)
    note("N 个编号", 24)
    for words, x in [
        ("词元嵌入\nV × D", middle - spread),
        ("位置嵌入\n512 × D", middle),
        ("段嵌入\n2 × D", middle + spread),
    ]:
        c.arrow((middle, 38), (x, 64))
        c.box(x - box / 2, 66, box, 56, words, INK, size)
        way = (x > middle) - (x < middle)
        c.arrow((x, 124), (middle + 14 * way, 154 if way else 146))
    note("各查一行", 82)
    note("得三个 N × D" if size > 14 else "得三个", 106)
    if size < 15:
        note("N × D", 126)
    add(160)
    down(174, 190)
    norm(192)
    note("H⁰：N × D", 210, OUTPUT)

    top, bottom = 262, 716
    left = middle - 206 * spread / 135
    frame = drawsvg.Rectangle(
        left,
        top,
        400 * spread / 135,
        bottom - top,
        rx=10,
        fill="none",
        stroke=FAINT,
        stroke_width=1.5,
        stroke_dasharray="6 4",
    )
    c.drawing.append(frame)
    note("× L 层", top + 14, INK)
    note("参数各异", top + 38)
    down(230, top + 46)
    turn = middle - 170 * spread / 135
    half = min(100, 0.74 * spread)
    for y, words, color, shape in (
        (top + 48, "多头自注意力\n互相听", WEIGHT, ("h 张权重图", "各 N × N")),
        (top + 268, "前馈网络\nD → F → D", KEY, ("中间 N × F", "各算各的")),
    ):
        c.box(middle - half, y, 2 * half, 64, words, color, size)
        note(shape[0], y + 20)
        note(shape[1], y + 44)
        down(y + 66, y + 92)
        add(y + 106)
        c.arrow((middle, y - 20), (turn, y - 20), (turn, y + 106), (middle - 14, y + 106), color=INK)
        down(y + 120, y + 134)
        norm(y + 136)
        note("N × D", y + 154, OUTPUT)
    c.text("残差", turn + 2, top + 14, size - 1)
    down(top + 48 + 174, top + 266)
    down(bottom - 12, bottom + 34)
    c.text("每个词元一个 D 维向量", middle, bottom + 52, size + 1)
    note("Hᴸ：N × D", bottom + 52, OUTPUT)
    c.save()


draw("encoder_block", 560, 230, 440, 135, 116, 16)
# 手机上：三个嵌入挤近些，形状一栏写得窄些
draw("encoder_block_narrow", 340, 132, 264, 86, 80, 13)
