from canvas import INK, OUTPUT, QUERY, WEIGHT, Canvas

TITLE = "多头注意力"
SAID = (
    "四个词元的 4×6 输入分给两个头，每个头用自己的投影得到宽 3 的查询、键、值，各算各的 4×4 权重，"
    "得到 4×3 的输出；两份输出拼接成 4×6，再乘 W 的 O，每个输出特征都用到两个头。"
)
words = ["the", "sky", "is", "blue"]
# 正文“手算”里的两张表
tables = [
    [[0.57, 0.14, 0.08, 0.20], [0.23, 0.13, 0.29, 0.35], [0.43, 0.11, 0.12, 0.33], [0.17, 0.05, 0.22, 0.56]],
    [[0.14, 0.23, 0.38, 0.26], [0.04, 0.21, 0.30, 0.45], [0.69, 0.12, 0.13, 0.06], [0.50, 0.22, 0.12, 0.15]],
]
MET, MIXED = "各头同时讨论，各看各的；", "拼接只是并排放，乘过 Wᴼ，每个输出特征才用到所有的头。"


def flat(rows, columns, shades):
    return [[shades[j * len(shades) // columns] for j in range(columns)] for _ in range(rows)]


def tokens(c, x, top, size):
    """输入：四个词各一行。"""
    for i, word in enumerate(words):
        c.text(word, x - 4, top + 8 + 16 * i, size, anchor="end")
    c.grid(x, top, 4, 6, 16, INK)


def project(c, x, y, i, size):
    """一个头的三个投影，一个框。"""
    c.box(x, y, 96, 84, f"三个投影\nQ{'₀₁'[i]} K{'₀₁'[i]} V{'₀₁'[i]}\n6 → 3", QUERY, size)


def wide():
    c = Canvas("multi_head_attention", 840, 430, TITLE, SAID)
    top = 174
    c.text("X  4 × 6", 97, top - 18, 16)
    tokens(c, 50, top, 16)
    for i, (y, shade) in enumerate(((60, 0.3), (256, 0.75))):
        middle = y + 48
        c.arrow((150, top + 32), (182, middle), color=QUERY)
        c.text(f"第 {i} 个头", 234, y - 16, 16)
        project(c, 186, y + 6, i, 16)
        c.arrow((284, middle), (312, middle))
        c.text("权重 4 × 4", 360, y - 16, 16, WEIGHT)
        c.grid(316, y + 4, 4, 4, 22, WEIGHT, tables[i])
        c.arrow((408, middle), (438, middle))
        c.text(f"Z{'₀₁'[i]}  4 × 3", 470, y - 16, 16, OUTPUT)
        c.grid(442, y + 12, 4, 3, 18, OUTPUT, flat(4, 3, [shade]))
        c.arrow((500, middle), (534, top + 32), color=OUTPUT)
    c.text("拼接 4 × 6", 586, top - 18, 16, OUTPUT)
    c.grid(538, top, 4, 6, 16, OUTPUT, flat(4, 6, [0.3, 0.75]))
    c.arrow((636, top + 32), (654, top + 32))
    c.box(656, top - 2, 50, 68, "× Wᴼ", OUTPUT, 16)
    c.arrow((708, top + 32), (726, top + 32))
    c.text("输出 4 × 6", 778, top - 18, 16, OUTPUT)
    c.grid(730, top, 4, 6, 16, OUTPUT, flat(4, 6, [0.5]))
    c.text(MET + MIXED, 420, 402, 16)
    c.save()


def narrow():
    c = Canvas("multi_head_attention_narrow", 358, 738, TITLE, SAID)
    middle = 179
    c.text("X  4 × 6", middle, 20, 13)
    tokens(c, middle - 48, 34, 13)
    for i, (x, shade) in enumerate(((84, 0.3), (274, 0.75))):
        way = 1 if i else -1
        c.arrow((middle + 30 * way, 102), (x, 144), color=QUERY)
        c.text(f"第 {i} 个头", x + 50 * way, 126, 13)
        project(c, x - 48, 148, i, 13)
        c.arrow((x, 234), (x, 258))
        c.grid(x - 40, 262, 4, 4, 20, WEIGHT, tables[i])
        c.arrow((x, 344), (x, 368))
        c.grid(x - 24, 372, 4, 3, 16, OUTPUT, flat(4, 3, [shade]))
        c.text("Z" + "₀₁"[i], x + 40 * way, 404, 13, OUTPUT)
        c.arrow((x, 440), (middle + 24 * way, 464), color=OUTPUT)
    c.text("权重", middle, 292, 13, WEIGHT)
    c.text("4 × 4", middle, 312, 13, WEIGHT)
    c.text("4 × 3", middle, 404, 13, OUTPUT)
    c.grid(middle - 48, 468, 4, 6, 16, OUTPUT, flat(4, 6, [0.3, 0.75]))
    c.text("拼接 4 × 6", middle + 58, 500, 13, OUTPUT, "start")
    c.arrow((middle, 534), (middle, 552))
    c.box(middle - 30, 554, 60, 30, "× Wᴼ", OUTPUT, 13)
    c.arrow((middle, 586), (middle, 604))
    c.grid(middle - 48, 608, 4, 6, 16, OUTPUT, flat(4, 6, [0.5]))
    c.text("输出 4 × 6", middle + 58, 640, 13, OUTPUT, "start")
    c.text(MET, middle, 698, 13)
    c.text(MIXED, middle, 720, 13)
    c.save()


wide()
narrow()
