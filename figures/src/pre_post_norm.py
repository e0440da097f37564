from canvas import FAINT, INK, OUTPUT, Canvas

TITLE = "post-norm 与 pre-norm 的编码器层"
SAID = (
    "左右两条由上而下的主干。左边是 post-norm：自注意力与前馈网络各在一条岔路上，算完加回主干，"
    "主干随后穿过一个层归一化。右边是 pre-norm：层归一化移到岔路上、子层之前，主干上只有加法，"
    "L 层之后在主干末尾再做一次层归一化。"
)
ROAD = 5


def draw(name, width, height, size, left, right, side, box, titles, foot):
    """left 与 right 是两条主干的横坐标，岔路在 side 之外，子层的框宽 box；foot 写在两条主干底下。"""
    c = Canvas(name, width, height, TITLE, SAID)
    edge = box / 2

    def plus(x, y):
        c.box(x - 13, y - 13, 26, 26, "+", INK, 20, filled=True)

    def norm(x, y):
        c.box(x - 0.3 * box, y - 15, 0.6 * box, 30, "LN", OUTPUT, size)

    def branch(main, top, y, words, before=False):
        """从主干的 top 处岔出，经过（归一化和）子层，在 y 处加回来。"""
        x, under = main + side, y - 70
        if before:
            c.arrow((main, top), (x, top), (x, top + 19))
            norm(x, top + 34)
            c.arrow((x, top + 49), (x, under))
        else:
            c.arrow((main, top), (x, top), (x, under))
        c.box(x - edge, under, box, 40, words, INK, size)
        c.arrow((x, under + 40), (x, y), (main + 14, y))
        plus(main, y)

    def road(x, *stops):
        for top, bottom in zip(stops[::2], stops[1::2], strict=True):
            c.arrow((x, top), (x, bottom), color=INK, width=ROAD)

    for x, lines in zip((left, right), titles, strict=True):
        for i, words in enumerate(lines):
            c.text(words, x + side / 2, 36 - 10 * len(lines) + 20 * i, size)
        c.text("x", x, 58, size)
        c.box(x - edge, 86, side + box + 10, 372, "", FAINT)
        c.text("× L 层", x + side + 0.1 * box, 438, size, FAINT)

    road(left, 70, 187, 213, 230, 260, 372, 398, 412, 442, 540)
    branch(left, 112, 200, "自注意力")
    norm(left, 245)
    branch(left, 290, 385, "前馈网络")
    norm(left, 427)

    road(right, 70, 227, 253, 402, 428, 480, 510, 540)
    branch(right, 104, 240, "自注意力", before=True)
    branch(right, 276, 415, "前馈网络", before=True)
    norm(right, 495)
    c.text("只在最后做一次", right + 0.37 * box, 495, size, OUTPUT, anchor="start")
    for x, lines in zip((left, right), foot, strict=True):
        for i, words in enumerate(lines):
            c.text(words, x, 562 + 20 * i, size)
    c.text("岔路算改动，加回主干；LN 是层归一化。", width / 2, height - 18, size, FAINT)
    c.save()


draw(
    "pre_post_norm", 720, 612, 19, 110, 460, 140, 124,
    [["post-norm（原论文、BERT）"], ["pre-norm（GPT-2、ViT）"]],
    [["主干穿过 2L 个 LN"], ["主干上只有加法，所以末尾要补一个 LN"]],
)  # fmt: skip
draw(
    "pre_post_norm_narrow", 358, 640, 14, 50, 228, 76, 78,
    [["post-norm", "（原论文、BERT）"], ["pre-norm", "（GPT-2、ViT）"]],
    [["主干穿过", "2L 个 LN"], ["主干上只有加法，", "末尾要补一个 LN"]],
)  # fmt: skip
