from canvas import INK, Canvas

TITLE = "逐位置：每个词元独自经过同一个前馈网络"
SAID = "四个词元 the、sky、is、blue，各经过同一个前馈网络，得到各自的输出；词元之间没有箭头，四处是同一组 W₁、b₁、W₂、b₂。"
WORDS = "the", "sky", "is", "blue"


def draw(name, width, height, first, pitch, boxes):
    """四列，一列三个框，自上而下有箭头；boxes 是（上边，宽，高，写什么，字号）。"""
    c = Canvas(name, width, height, TITLE, SAID)
    for i, word in enumerate(WORDS):
        x, above = first + pitch * i, None
        for y, wide, high, words, size in boxes:
            if above is not None:
                c.arrow((x, above + 2), (x, y - 2))
            c.box(x - wide // 2, y, wide, high, words.format(word), INK, size)
            above = y + high
    c.save()


NET = "W₁ b₁ φ\nW₂ b₂"
draw(
    "position_wise", 600, 232, 84, 144,
    [(14, 100, 42, "{}", 18), (86, 120, 60, NET, 17), (176, 120, 42, "{} 的输出", 17)],
)  # fmt: skip
# 手机上：四列挤得下，输出分两行写
draw(
    "position_wise_narrow", 358, 236, 47, 88,
    [(8, 68, 38, "{}", 15), (74, 82, 58, NET, 15), (160, 82, 58, "{}\n的输出", 15)],
)  # fmt: skip
