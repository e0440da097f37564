from canvas import FAINT, INK, OUTPUT, Canvas

c = Canvas(
    "pre_post_norm",
    720,
    612,
    "post-norm 与 pre-norm 的编码器层",
    "左右两条由上而下的主干。左边是 post-norm：自注意力与前馈网络各在一条岔路上，算完加回主干，"
    "主干随后穿过一个层归一化。右边是 pre-norm：层归一化移到岔路上、子层之前，主干上只有加法，"
    "L 层之后在主干末尾再做一次层归一化。",
)
ROAD = 5


def plus(x, y):
    c.box(x - 13, y - 13, 26, 26, "+", INK, 20, filled=True)


def norm(x, y):
    c.box(x - 38, y - 15, 76, 30, "LN", OUTPUT, 19)


def branch(main, side, top, y, words, before=False):
    """从主干的 top 处岔出，经过（归一化和）子层，在 y 处加回来。"""
    box = y - 70
    if before:
        c.arrow((main, top), (side, top), (side, top + 19))
        norm(side, top + 34)
        c.arrow((side, top + 49), (side, box))
    else:
        c.arrow((main, top), (side, top), (side, box))
    c.box(side - 62, box, 124, 40, words, INK, 19)
    c.arrow((side, box + 40), (side, y), (main + 14, y))


def road(x, top, bottom):
    c.arrow((x, top), (x, bottom), color=INK, width=ROAD)


left, right = 100, 450
for x, title in ((left, "post-norm（原论文、BERT）"), (right, "pre-norm（GPT-2、ViT）")):
    c.text(title, x + 70, 26, 19)
    c.text("x", x, 58, 19)
    c.box(x - 62, 86, 304, 372, "", FAINT)
    c.text("× L 层", x + 196, 438, 19, FAINT)

road(left, 70, 187)
branch(left, left + 140, 112, 200, "自注意力")
plus(left, 200)
road(left, 213, 230)
norm(left, 245)
road(left, 260, 372)
branch(left, left + 140, 290, 385, "前馈网络")
plus(left, 385)
road(left, 398, 412)
norm(left, 427)
road(left, 442, 540)

road(right, 70, 227)
branch(right, right + 140, 104, 240, "自注意力", before=True)
plus(right, 240)
road(right, 253, 402)
branch(right, right + 140, 276, 415, "前馈网络", before=True)
plus(right, 415)
road(right, 428, 480)
norm(right, 495)
road(right, 510, 540)
c.text("只在最后做一次", right + 46, 495, 19, OUTPUT, anchor="start")
c.text("主干穿过 2L 个 LN", left - 8, 562, 19)
c.text("主干上只有加法，所以末尾要补一个 LN", right + 40, 562, 19)
c.text("岔路算改动，加回主干；LN 是层归一化。", 360, 594, 19, FAINT)
c.save()
