import drawsvg
from canvas import FAINT, INK, PALETTE, Canvas

OCHRE = PALETTE["COLORS"]["ochre"][0]  # 换过的
c = Canvas(
    "llama_layer",
    430,
    590,
    "一层，2017 年与 2023 年",
    "左边是 2017 年论文的一层，只留解码器：嵌入加正弦位置；多头注意力，每个头有自己的键与值，加回主干，再做层归一化；"
    "两个矩阵的前馈网络，加回主干，再做层归一化；共 6 层。右边是 2023 年的 Llama：嵌入不加位置；RMSNorm 移到注意力之前，"
    "转查询与键，几个头合用键与值，注意力的公式照旧，加回主干；RMSNorm，三个矩阵的 SwiGLU，加回主干；这里共 30 层，末尾补一次 RMSNorm。",
)
WIDE, GAP = 160, 18


def line(*points):
    path = drawsvg.Path(fill="none", stroke=FAINT, stroke_width=1.8).M(*points[0])
    for point in points[1:]:
        path.L(*point)
    c.drawing.append(path)


def column(x, title, head, parts, layers, tail):
    """自上而下的一列；parts 里的 + 把最近一个 ( 处岔出的主干加回来。"""
    c.text(title, x, 22, 17)
    y, start, plus = 44, 0, 0

    def block(words, color):
        nonlocal y
        height = 12 + 22 * len(words.split("\n"))
        c.box(x - WIDE / 2, y, WIDE, height, words, color)
        y += height

    def road(length, arrow=True):
        nonlocal y
        (c.arrow if arrow else line)((x, y), (x, y + length))
        y += length

    block(*head)
    road(GAP)
    top = y
    frame = len(c.drawing.elements)  # 量出高矮再画，垫在里面的下面
    for before, part in zip(["", *parts], parts, strict=False):
        if part == "(":
            start = y + 8
            road(18)
        elif part == "+":
            road(GAP)
            plus, side = y + 12, x - WIDE / 2 - 12
            c.box(x - 12, y, 24, 24, "+", INK, 18, filled=True)
            c.arrow((x, start), (side, start), (side, plus), (x - 13, plus))
            y += 24
        else:
            if before != "(":
                road(8, arrow=False)
            block(*part)
    c.text(f"× {layers} 层", x + 62, plus, 16, FAINT)
    road(12, arrow=False)
    c.box(x - 101, top, 202, y - top, "", FAINT)
    c.drawing.elements.insert(frame, c.drawing.elements.pop())
    for words, color in tail:
        road(GAP)
        block(words, color)


attend = ("注意力", INK)
column(
    107,
    "2017 年的论文",
    ("嵌入，加正弦位置", INK),
    [
        "(", ("键与值：每个头一份", INK), attend, "+", ("层归一化", INK),
        "(", ("前馈网络\n两个矩阵，ReLU", INK), "+", ("层归一化", INK),
    ],
    6,
    [("输出", INK)],
)  # fmt: skip
column(
    323,
    "2023 年的 Llama",
    ("嵌入", OCHRE),
    [
        "(", ("RMSNorm", OCHRE), ("转查询与键：RoPE\n键与值：三个头合用", OCHRE), attend, "+",
        "(", ("RMSNorm", OCHRE), ("SwiGLU\n三个矩阵", OCHRE), "+",
    ],
    30,
    [("RMSNorm", OCHRE), ("输出", INK)],
)  # fmt: skip
c.save()
