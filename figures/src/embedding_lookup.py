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
TITLE = "嵌入：独热向量乘矩阵，就是取一行"
SAID = (
    f"词元 {words[chosen]} 的编号是 {chosen}，它的独热向量只有第 {chosen} 个数是 1，"
    f"乘 {len(words)} 行 4 列的嵌入矩阵，结果恰好是矩阵的第 {chosen} 行；通常的程序不做乘法，直接取出这一行。"
)


def hot_row(c, left, middle, cell, size):
    """独热向量，一格一个数。"""
    for i in range(len(words)):
        on = i == chosen
        c.grid(left + cell * i, middle - cell / 2, 1, 1, cell, OUTPUT if on else INK, [[0.9 if on else 0]])
        c.text(str(int(on)), left + cell * (i + 0.5), middle, size, PAPER if on else FAINT)


def table(c, left, top, high, cell, size):
    """嵌入矩阵，左边是每行的词元与编号。"""
    for i, (word, row) in enumerate(zip(words, rows, strict=True)):
        y, on = top + high * (i + 0.5), i == chosen
        c.text(f"{word}  {i}", left - 12, y, size, OUTPUT if on else INK, anchor="end")
        c.grid(left, y - cell / 2, 1, 4, cell, OUTPUT if on else INK, [row])


def wide():
    c = Canvas("embedding_lookup", 760, 352, TITLE, SAID)
    cell, high, wide = 34, 36, 34
    top, left = 66, 400  # 矩阵的左上角
    middle = top + high * (chosen + 0.5)
    hot = 24
    c.text("独热向量  1 × 7", hot + cell * 3.5, middle - 40, 16)
    hot_row(c, hot, middle, cell, 17)
    c.text("×", hot + cell * 7 + 20, middle, 24)
    c.text("嵌入矩阵  7 × 4", left + wide * 2, top - 28, 16)
    table(c, left, top, high, wide, 15)
    equals = left + wide * 4 + 24
    c.text("=", equals, middle, 24)
    c.text("嵌入  1 × 4", equals + 24 + wide * 2, middle - 40, 16, OUTPUT)
    c.grid(equals + 24, middle - wide / 2, 1, 4, wide, OUTPUT, [rows[chosen]])
    c.box(28, 268, 190, 64, f"通常的做法：不做乘法\n用编号 {chosen} 直接取第 {chosen} 行", OUTPUT, 15)
    c.arrow((220, 292), (left - 62, middle + 8), color=OUTPUT)
    c.save()


def narrow():
    """手机上：三样从上到下。"""
    c = Canvas("embedding_lookup_narrow", 358, 460, TITLE, SAID)
    cell, left = 30, 150
    c.text("独热向量  1 × 7", 74, 22, 15, anchor="start")
    hot_row(c, 74, 56, cell, 16)
    c.text("×", 179, 92, 20)
    c.text("嵌入矩阵  7 × 4", 74, 120, 15, anchor="start")
    table(c, left, 136, 32, cell, 15)
    c.text("=", 179, 382, 20)
    c.grid(left, 402, 1, 4, cell, OUTPUT, [rows[chosen]])
    c.text("嵌入  1 × 4", left - 12, 417, 15, OUTPUT, anchor="end")
    c.text(f"通常不做乘法，直接取第 {chosen} 行", 179, 446, 15, FAINT)
    c.save()


wide()
narrow()
