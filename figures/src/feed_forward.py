from canvas import FAINT, INK, PALETTE, Canvas

PLUS, MINUS = (PALETTE["COLORS"][name][0] for name in ("plus", "minus"))
TITLE = "前馈网络：一个词元变宽，再变回来"
SAID = (
    "一个词元：4 个数的向量乘 W₁ 加 b₁，变成 16 个分数，有正有负；经过激活函数，负的大致变成零，只剩几个大的；"
    "再乘 W₂ 加 b₂，变回 4 个数。"
)
scores = [-0.5, -0.8, 1.0, -0.3, -0.6, -0.9, 0.55, -0.4, -0.7, -0.2, -0.85, 0.8, -0.45, -0.65, -0.95, 0.3]
ROWS = (
    ("一个词元", "D 个数", [0.7, 0.3, 0.9, 0.5], INK, INK),
    ("F 个分数", "每个问题一个", scores, PLUS, MINUS),
    ("F 个激活值", "负的大致为零", [max(0.0, s) for s in scores], PLUS, MINUS),
    ("输出", "又是 D 个数", [0.4, 0.8, 0.2, 0.6], INK, INK),
)
STEPS = "× W₁ + b₁", "激活函数 φ", "× W₂ + b₂"


def row(c, middle, y, cell, values, positive, negative):
    """一行数，正中对齐，正负各一色，深浅是绝对值。"""
    left = middle - cell * len(values) / 2
    for i, value in enumerate(values):
        c.grid(left + cell * i, y, 1, 1, cell, positive if value > 0 else negative, [[abs(value)]])


def wide():
    c = Canvas("feed_forward", 600, 320, TITLE, SAID)
    middle, cell = 360, 26
    for i, (first, second, *numbers) in enumerate(ROWS):
        y = 20 + 76 * i
        c.text(first, 18, y + 3, 17, INK, anchor="start")
        c.text(second, 18, y + 26, 15, FAINT, anchor="start")
        row(c, middle, y, cell, *numbers)
        if i < len(STEPS):
            c.arrow((middle, y + 30), (middle, y + 74))
            c.text(STEPS[i], middle + 14, y + 50, 16, INK, anchor="start")
    c.text("青的是正数，锈的是负数，深浅是绝对值；图中 D = 4，F = 4D = 16", 300, 302, 15, FAINT)
    c.save()


def narrow():
    """手机上：每一行的名字在它的上面。"""
    c = Canvas("feed_forward_narrow", 358, 392, TITLE, SAID)
    middle, cell = 179, 21
    for i, (first, second, *numbers) in enumerate(ROWS):
        y = 18 + 88 * i
        c.text(f"{first}，{second}", 10, y, 15, INK, anchor="start")
        row(c, middle, y + 14, cell, *numbers)
        if i < len(STEPS):
            c.arrow((middle + 42, y + 40), (middle + 42, y + 98))
            c.text(STEPS[i], middle + 54, y + 66, 15, INK, anchor="start")
    c.text("青的是正数，锈的是负数，深浅是绝对值", 10, 346, 14, FAINT, anchor="start")
    c.text("图中 D = 4，F = 4D = 16", 10, 370, 14, FAINT, anchor="start")
    c.save()


wide()
narrow()
