from canvas import FAINT, KEY, PAPER, QUERY, WEIGHT, Canvas

TITLE = "填充掩码、因果掩码与两者合用"
SAID = (
    "三张 4 行 4 列的表，行是查询，列是键，词元依次是 time、flies、fast、[PAD]。"
    "填充掩码挡住 [PAD] 那一列，四行都一样；因果掩码挡住对角线右上方；"
    "两者用“与”合起来，可以看的是同时被两张表允许的格子，[PAD] 的那一行仍可以看前三个键。"
)
words = ["time", "flies", "fast", "[PAD]"]
n = 4
padding = [[j < 3 for j in range(n)] for _ in range(n)]
causal = [[j <= i for j in range(n)] for i in range(n)]
both = [[p and q for p, q in zip(a, b, strict=True)] for a, b in zip(padding, causal, strict=True)]


def draw(name, width, height, cell, size, places, signs, legend, lines):
    """places 是三张表左上角的格子，signs 是 & 与 = 的位置，legend 与 lines 是下面的字。"""
    c = Canvas(name, width, height, TITLE, SAID)
    titles = "填充掩码", "因果掩码", "两者合用"
    for (left, top), title, mask in zip(places, titles, (padding, causal, both), strict=True):
        c.text(title, left + n * cell / 2, top - 5.5 * size, size + 5)
        for j, word in enumerate(words):
            # 列标签斜着放，四个词才不互相压住
            x = left + (j + 0.5) * cell
            c.text(word, x - 6, top - 8, size, KEY, "start", transform=f"rotate(-40 {x - 6} {top - 8})")
        for i, word in enumerate(words):
            c.text(word, left - 8, top + (i + 0.5) * cell, size, QUERY, "end")
            c.grid(left, top + i * cell, 1, n, cell, WEIGHT, [[0.85 if keep else 0.0 for keep in mask[i]]])
            for j, keep in enumerate(mask[i]):
                x, y = left + (j + 0.5) * cell, top + (i + 0.5) * cell
                c.text("看" if keep else "×", x, y, size + 2, PAPER if keep else FAINT)
    for sign, (x, y) in zip("&=", signs, strict=True):
        c.text(sign, x, y, 28)
    for text, color, x in zip(
        ("行是查询", "列是键", "“看”= True"), (QUERY, KEY, WEIGHT), legend, strict=True
    ):
        c.text(text, x, height - 20 - 32 * len(lines), size + 1, color)
    for i, text in enumerate(lines):
        c.text(text, width / 2, height - 20 - 24 * (len(lines) - 1 - i), size + 1)
    c.save()


SAME, ROW = "填充掩码的四行相同，所以只存一行", "[PAD] 的那一行没有被挡住。"
draw(
    "attention_masks", 760, 348, 38, 15, [(70, 112), (326, 112), (582, 112)],
    [(248, 188), (504, 188)], (250, 350, 452), [f"{SAME}；{ROW}"],
)  # fmt: skip
draw(
    "attention_masks_narrow", 358, 536, 26, 13, [(50, 92), (234, 92), (145, 306)],
    [(176, 144), (82, 358)], (80, 170, 262), [f"{SAME}；", ROW],
)  # fmt: skip
