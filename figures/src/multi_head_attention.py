from canvas import INK, OUTPUT, QUERY, WEIGHT, Canvas

c = Canvas(
    "multi_head_attention",
    840,
    430,
    "多头注意力",
    "四个词元的 4×6 输入分给两个头，每个头用自己的投影得到宽 3 的查询、键、值，各算各的 4×4 权重，"
    "得到 4×3 的输出；两份输出拼接成 4×6，再乘 W 的 O，每个输出特征都用到两个头。",
)
words = ["the", "sky", "is", "blue"]
# 正文“手算”里的两张表
tables = [
    [[0.57, 0.14, 0.08, 0.20], [0.23, 0.13, 0.29, 0.35], [0.43, 0.11, 0.12, 0.33], [0.17, 0.05, 0.22, 0.56]],
    [[0.14, 0.23, 0.38, 0.26], [0.04, 0.21, 0.30, 0.45], [0.69, 0.12, 0.13, 0.06], [0.50, 0.22, 0.12, 0.15]],
]
top, heads = 174, (60, 256)


def flat(rows, columns, shades):
    return [[shades[j * len(shades) // columns] for j in range(columns)] for _ in range(rows)]


c.text("X  4 × 6", 97, top - 18, 15)
for i, word in enumerate(words):
    c.text(word, 46, top + 8 + 16 * i, 13, anchor="end")
c.grid(50, top, 4, 6, 16, INK)
for i, (y, shade) in enumerate(zip(heads, (0.3, 0.75), strict=True)):
    middle = y + 48
    number = "₀₁"[i]
    c.arrow((150, top + 32), (182, middle), color=QUERY)
    c.text(f"第 {i} 个头", 234, y - 22, 16)
    c.box(186, y, 96, 96, f"三个投影\nQ{number} K{number} V{number}\n6 → 3", QUERY, 15)
    c.arrow((284, middle), (312, middle))
    c.text("权重 4 × 4", 360, y - 22, 15, WEIGHT)
    c.grid(316, y + 4, 4, 4, 22, WEIGHT, tables[i])
    c.arrow((408, middle), (438, middle))
    c.text(f"Z{number}  4 × 3", 470, y - 22, 15, OUTPUT)
    c.grid(442, y + 12, 4, 3, 18, OUTPUT, flat(4, 3, [shade]))
    c.arrow((500, middle), (534, top + 32), color=OUTPUT)
c.text("拼接 4 × 6", 586, top - 18, 15, OUTPUT)
c.grid(538, top, 4, 6, 16, OUTPUT, flat(4, 6, [0.3, 0.75]))
c.arrow((636, top + 32), (654, top + 32))
c.box(656, top - 2, 50, 68, "× Wᴼ", OUTPUT, 15)
c.arrow((708, top + 32), (726, top + 32))
c.text("输出 4 × 6", 778, top - 18, 15, OUTPUT)
c.grid(730, top, 4, 6, 16, OUTPUT, flat(4, 6, [0.5]))
c.text("各头同时讨论，各看各的；拼接只是并排放，乘过 Wᴼ，每个输出特征才用到所有的头。", 420, 402, 15)
c.save()
