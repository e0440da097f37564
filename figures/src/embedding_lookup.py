from canvas import FAINT, INK, OUTPUT, PAPER, Canvas

words = ["[PAD]", "[CLS]", "time", "flies", "like", "an", "arrow"]
chosen = words.index("flies")
rows = [
    [0.25, 0.05, 0.20, 0.40],
    [0.45, 0.10, 0.25, 0.35],
    [0.15, 0.50, 0.30, 0.10],
    [0.35, 0.95, 0.15, 0.65],
    [0.50, 0.20, 0.10, 0.40],
    [0.10, 0.30, 0.50, 0.20],
    [0.30, 0.15, 0.40, 0.50],
]
c = Canvas(
    "embedding_lookup",
    760,
    352,
    "嵌入：独热向量乘矩阵，就是取一行",
    f"词元 {words[chosen]} 的编号是 {chosen}，它的独热向量只有第 {chosen} 个数是 1，"
    f"乘 {len(words)} 行 4 列的嵌入矩阵，结果恰好是矩阵的第 {chosen} 行；实际的程序不做乘法，直接取出这一行。",
)
CELL, HIGH, WIDE = 34, 36, 34
top, left = 66, 400  # 矩阵的左上角
middle = top + HIGH * (chosen + 0.5)
hot = 24

c.text("独热向量  1 × 7", hot + CELL * 3.5, middle - 40, 16)
for i in range(len(words)):
    on = i == chosen
    c.grid(hot + CELL * i, middle - CELL / 2, 1, 1, CELL, OUTPUT if on else INK, [[0.9 if on else 0]])
    c.text(str(int(on)), hot + CELL * (i + 0.5), middle, 17, PAPER if on else FAINT)
c.text("×", hot + CELL * 7 + 20, middle, 24)
c.text("嵌入矩阵  7 × 4", left + WIDE * 2, top - 28, 16)
for i, (word, row) in enumerate(zip(words, rows, strict=True)):
    y, on = top + HIGH * (i + 0.5), i == chosen
    c.text(f"{word}  {i}", left - 12, y, 15, OUTPUT if on else INK, anchor="end")
    c.grid(left, y - WIDE / 2, 1, 4, WIDE, OUTPUT if on else INK, [row])
equals = left + WIDE * 4 + 24
c.text("=", equals, middle, 24)
c.text("嵌入  1 × 4", equals + 24 + WIDE * 2, middle - 40, 16, OUTPUT)
c.grid(equals + 24, middle - WIDE / 2, 1, 4, WIDE, OUTPUT, [rows[chosen]])
c.box(28, 268, 190, 64, f"实际的做法：不做乘法\n用编号 {chosen} 直接取第 {chosen} 行", OUTPUT, 15)
c.arrow((220, 292), (left - 62, middle + 8), color=OUTPUT)
c.save()
