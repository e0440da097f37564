from canvas import FAINT, INK, KEY, PAPER, QUERY, WEIGHT, Canvas

c = Canvas(
    "attention_masks",
    760,
    348,
    "填充掩码、因果掩码与两者合用",
    "三张 4 行 4 列的表，行是查询，列是键，词元依次是 time、flies、fast、[PAD]。"
    "填充掩码挡住 [PAD] 那一列，四行都一样；因果掩码挡住对角线右上方；"
    "两者用“与”合起来，可以看的是同时被两张表允许的格子，[PAD] 的那一行仍可以看前三个键。",
)
words = ["time", "flies", "fast", "[PAD]"]
n, cell, top = 4, 38, 112
padding = [[j < 3 for j in range(n)] for _ in range(n)]
causal = [[j <= i for j in range(n)] for i in range(n)]
both = [[p and q for p, q in zip(a, b, strict=True)] for a, b in zip(padding, causal, strict=True)]

for left, title, mask in ((70, "填充掩码", padding), (326, "因果掩码", causal), (582, "两者合用", both)):
    middle = left + n * cell / 2
    c.text(title, middle, 30, 20, INK)
    for j, word in enumerate(words):
        # 列标签斜着放，四个词才不互相压住
        x = left + (j + 0.5) * cell
        c.text(word, x - 6, top - 8, 15, KEY, "start", transform=f"rotate(-40 {x - 6} {top - 8})")
    for i, word in enumerate(words):
        c.text(word, left - 8, top + (i + 0.5) * cell, 15, QUERY, "end")
        c.grid(left, top + i * cell, 1, n, cell, WEIGHT, [[0.85 if keep else 0.0 for keep in mask[i]]])
        for j, keep in enumerate(mask[i]):
            x, y = left + (j + 0.5) * cell, top + (i + 0.5) * cell
            c.text("看" if keep else "×", x, y, 17, PAPER if keep else FAINT)
c.text("&", 248, top + 2 * cell, 28, INK)
c.text("=", 504, top + 2 * cell, 28, INK)
c.text("行是查询", 250, 296, 16, QUERY)
c.text("列是键", 350, 296, 16, KEY)
c.text("“看”= True", 452, 296, 16, WEIGHT)
c.text("填充掩码的四行相同，所以只存一行；[PAD] 的那一行没有被挡住。", 380, 328, 16, INK)
c.save()
