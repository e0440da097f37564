from canvas import FAINT, INK, KEY, OUTPUT, Canvas

c = Canvas(
    "feed_forward",
    600,
    690,
    "前馈网络：每个词元独自变宽，再变回来",
    "上半是一个词元：4 个数的向量乘 W₁ 加 b₁，变成 16 个分数，有正有负；经过激活函数，负的大致变成零，只剩几个大的；"
    "再乘 W₂ 加 b₂，变回 4 个数。下半是四个词元 the、sky、is、blue，各经过同一个前馈网络，得到各自的输出，彼此之间没有箭头。",
)
MIDDLE, CELL = 360, 26
scores = [-0.5, -0.8, 1.0, -0.3, -0.6, -0.9, 0.55, -0.4, -0.7, -0.2, -0.85, 0.8, -0.45, -0.65, -0.95, 0.3]


def row(y, values, color, positive=None):
    """一行数，正中对齐；给了 positive，正数就用那种颜色。"""
    left = MIDDLE - CELL * len(values) / 2
    for i, value in enumerate(values):
        c.grid(left + CELL * i, y, 1, 1, CELL, positive or color if value > 0 else color, [[abs(value)]])


def label(y, first, second):
    c.text(first, 18, y - 10, 17, INK, "start")
    c.text(second, 18, y + 13, 15, FAINT, "start")


def down(y, words, height=44):
    c.arrow((MIDDLE, y), (MIDDLE, y + height))
    c.text(words, MIDDLE + 14, y + height / 2 - 2, 16, INK, "start")


label(33, "一个词元", "D 个数")
row(20, [0.7, 0.3, 0.9, 0.5], INK)
down(50, "× W₁ + b₁")
label(109, "F 个分数", "每个问题一个")
row(96, scores, FAINT, KEY)
down(126, "激活函数 φ")
label(185, "F 个答案", "负的大致为零")
row(172, [max(0.0, s) for s in scores], KEY)
down(202, "× W₂ + b₂")
label(261, "输出", "又是 D 个数")
row(248, [0.4, 0.8, 0.2, 0.6], OUTPUT)
c.text("深浅是绝对值的大小，分数里灰的是负数；图中 D = 4，F = 4D = 16", 300, 306, 15, FAINT)

words = ["the", "sky", "is", "blue"]
c.text("全句：每个词元都走同一个前馈网络", 300, 366, 18, INK)
for i, word in enumerate(words):
    x = 95 + 137 * i
    c.box(x - 46, 396, 92, 40, word, INK, 17)
    c.arrow((x, 438), (x, 470))
    c.box(x - 56, 472, 112, 56, "W₁ b₁ φ\nW₂ b₂", KEY, 16)
    c.arrow((x, 530), (x, 562))
    c.box(x - 46, 564, 92, 40, f"{word} 的输出", OUTPUT, 15)
c.text("四处是同一组 W₁、b₁、W₂、b₂，不是四组；", 300, 638, 16)
c.text("词元之间没有箭头：答题时谁也不看谁。", 300, 664, 16)
c.save()
