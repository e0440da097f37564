import drawsvg
from canvas import FAINT, INK, KEY, OUTPUT, PAPER, WEIGHT, Canvas

c = Canvas(
    "encoder_block",
    560,
    800,
    "一个 BERT 编码器，从编号到上下文向量",
    "N 个词元的编号查三张表，得到词元嵌入、位置嵌入、段嵌入，都是 N×D，相加后做层归一化，是第 0 个隐藏状态。"
    "接着是 L 个结构相同、参数各异的层，每层两个子层：多头自注意力与前馈网络，各在残差相加之后做一次层归一化。"
    "每一层的输入与输出都是 N×D，最后每个词元得到一个 D 维向量。",
)
MIDDLE, SIDE = 230, 440  # 主干的中线；右侧形状一栏的左边


def note(words, y, color=FAINT):
    c.text(words, SIDE, y, 15, color, "start")


def add(y):
    """相加的记号：圆圈里一个加号。"""
    c.drawing.append(drawsvg.Circle(MIDDLE, y, 13, fill=PAPER, stroke=INK, stroke_width=1.5))
    c.text("+", MIDDLE, y, 20)


def down(y0, y1):
    c.arrow((MIDDLE, y0), (MIDDLE, y1))


def norm(y, words="层归一化"):
    c.box(MIDDLE - 85, y, 170, 36, words, FAINT)


c.text("[CLS] time flies like an arrow [SEP]", MIDDLE, 24, 16)
note("N 个编号", 24)
for words, x in [("词元嵌入\nV × D", 95), ("位置嵌入\n512 × D", 230), ("段嵌入\n2 × D", 365)]:
    c.arrow((MIDDLE, 38), (x, 64))
    c.box(x - 58, 66, 116, 56, words)
    side = (x > MIDDLE) - (x < MIDDLE)
    c.arrow((x, 124), (MIDDLE + 14 * side, 154 if side else 146))
note("各查一行", 82)
note("得三个 N × D", 106)
add(160)
down(174, 190)
norm(192)
note("H⁰：N × D", 210, OUTPUT)

top, bottom = 262, 716
frame = drawsvg.Rectangle(
    24, top, 400, bottom - top, rx=10, fill="none", stroke=FAINT, stroke_width=1.5, stroke_dasharray="6 4"
)
c.drawing.append(frame)
note("× L 层", top + 14, INK)
note("参数各异", top + 38)
down(230, top + 46)
for y, words, color, shape in (
    (top + 48, "多头自注意力\n互相听", WEIGHT, ("h 张权重图", "各 N × N")),
    (top + 268, "前馈网络\nD → F → D", KEY, ("中间 N × F", "各算各的")),
):
    c.box(MIDDLE - 100, y, 200, 64, words, color)
    note(shape[0], y + 20)
    note(shape[1], y + 44)
    down(y + 66, y + 92)
    add(y + 106)
    c.arrow((MIDDLE, y - 20), (60, y - 20), (60, y + 106), (MIDDLE - 14, y + 106), color=INK)
    down(y + 120, y + 134)
    norm(y + 136)
    note("N × D", y + 154, OUTPUT)
c.text("残差", 62, top + 14, 15)
down(top + 48 + 174, top + 266)
down(bottom - 12, bottom + 34)
c.text("每个词元一个 D 维向量", MIDDLE, bottom + 52, 17)
note("Hᴸ：N × D", bottom + 52, OUTPUT)
c.save()
