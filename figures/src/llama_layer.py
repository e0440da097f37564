import drawsvg
from canvas import FAINT, INK, PAPER, Canvas

TITLE = "一层，2017 年与 2023 年"
SAID = (
    "左边是 2017 年论文的一层，只留解码器：嵌入，加正弦位置；键与值每个头一份，注意力，加回主干，层归一化；"
    "前馈网络有两个矩阵，加回主干，层归一化；共 6 层，然后输出。右边是 2023 年的 Llama，对着看换过的：不加正弦位置；"
    "RMSNorm 放到了注意力之前，叠到 30 层也训练得动；键与值三个头合用，缓存只占三分之一；RoPE 转动查询与键，位置只通过间隔进入分数；"
    "注意力的公式照旧；RMSNorm 不减平均值，少几步计算；SwiGLU 有三个矩阵，一路乘另一路，同样多的参数，换一种用法；"
    "共 30 层，末尾补一次 RMSNorm；各个矩阵都没有偏置，更简单。"
)
# 自上而下，对着的一行：(上边, 高, 2017 年, 2023 年, 换来什么, 再说一句, 点了去哪里)；空着的，主干穿过去
ROWS = [
    (34, 24, "嵌入", "嵌入", "", "", ""),
    (63, 24, "加正弦位置", "", "", "", ""),
    (106, 24, "", "RMSNorm", "叠到 30 层也训练得动", "移到了子层之前", "one-length"),
    (135, 24, "键与值：|每个头一份", "键与值：三个头合用", "缓存只占三分之一", "GQA", "nine-on-three"),
    (164, 24, "", "RoPE：转查询与键", "位置只通过间隔进入分数", "", ""),
    (193, 24, "注意力", "注意力", "", "公式一个字也没有改", ""),
    (254, 24, "层归一化", "RMSNorm", "少几步计算", "不减平均值", "one-length"),
    (290, 24, "前馈网络：|两个矩阵", "SwiGLU：三个矩阵", "同样多的参数，换一种用法", "", "three-gates"),
    (345, 24, "层归一化", "", "", "", ""),
    (397, 24, "", "RMSNorm", "", "末尾补一次", "one-length"),
    (427, 24, "输出", "输出", "", "", ""),
    (457, 24, "前馈网络|有偏置", "矩阵都没有偏置", "更简单", "", ""),  # 说的是各个矩阵，不是一步，不画框
]
MOVES = ((254, 106), (345, 254))  # 归一化从这一行移到那一行
FRAME, PLUSES = (95, 390), (234, 331)
FORKS = (101, 284), (101, 249)  # 两次岔出主干的地方，2017 年与 2023 年


class Link(drawsvg.DrawingParentElement):
    TAG_NAME = "a"


def draw(name, width, height, lefts, wides, size, notes=None):
    """两列的左边与框宽；notes 是第三列的左边，没有就在 2023 年的框里多写一行，下面的都往下挪。"""
    c = Canvas(name, width, height, TITLE, SAID)
    c.drawing.svg_args["role"] = "group"  # 里面有链接
    more = [top for top, _, _, new, *gain, _ in ROWS if new and any(gain) and not notes]

    def at(y):
        return y + 22 * sum(top < y for top in more)

    for column, (left, wide) in enumerate(zip(lefts, wides, strict=True)):
        middle, side = left + wide / 2, (left - 13, left + wide + 13)[column]
        outer = min(side, left) - 8, max(side, left + wide) + 8
        c.text(("2017 年的论文", "2023 年的 Llama")[column], middle, 16, size + 1)
        top, bottom = map(at, FRAME)
        c.box(outer[0], top, outer[1] - outer[0], bottom - top, "", FAINT)
        c.arrow((middle, 46), (middle, at(426)))
        for plus, fork in zip(map(at, PLUSES), map(at, FORKS[column]), strict=True):
            c.arrow((middle, fork), (side, fork), (side, plus), (middle + (22 * column - 11), plus))
            c.drawing.append(drawsvg.Circle(middle, plus, 10, fill=PAPER, stroke=INK, stroke_width=1.5))
            c.text("+", middle, plus, 16)
        c.text(f"× {(6, 30)[column]} 层", middle + 12, bottom - 10, size, FAINT, "start")
        whole = c.drawing
        for y, high, *both, gain, said, link in ROWS:
            words = both[column].replace("|", "" if notes else "\n")
            high += 22 * (y in more)
            if not words:
                continue
            same = both[0] == both[1]  # 没有换的淡下去，换上的是实心
            changed = column and not same
            if column and link:  # 点一下，到讲它的那一节
                c.drawing = Link(
                    href=f"#{link}", aria_label=f"{words}：到讲它的地方", style="text-decoration:none"
                )
            color, boxed = FAINT if same else INK, y != ROWS[-1][0]
            ink = PAPER if changed and boxed else color
            if boxed:
                c.drawing.append(drawsvg.Rectangle(left, at(y), wide, high, rx=6, fill=PAPER))
                c.box(left, at(y), wide, high, "", color, filled=changed)
            lines = [(line, size, ink) for line in words.split("\n")]
            if column and y in more:
                lines.append((gain or said, size - 0.4, ink if changed else FAINT))
            shrink = 0.8 if len(lines) > 1 and high < 40 else 1  # 窄图里一格两行
            for k, (line, big, ink) in enumerate(lines):
                row = at(y) + high / 2 + 19 * shrink * (k - (len(lines) - 1) / 2)
                under = {"text_decoration": "underline"} if column and link and k == 0 else {}
                c.text(line, middle, row, round(big * shrink, 1), ink, **under)
            if c.drawing is not whole:
                whole.append(c.drawing)
                c.drawing = whole
    if notes:
        edge = lefts[1] + wides[1]
        for old, new in MOVES:
            c.arrow((lefts[0] + wides[0] + 2, old + 12), (lefts[1] - 2, new + 12), color=INK)
        c.text("换来什么", notes, 16, size + 1, anchor="start")
        for y, high, old, new, gain, said, _ in ROWS:
            if not gain and not said:
                continue
            middle, start = y + high / 2, edge + (26 if FRAME[0] < y < FRAME[1] else 4)
            line = drawsvg.Path(stroke=FAINT if new == old else INK, stroke_width=1.5)
            c.drawing.append(line.M(start, middle).L(notes - 10, middle))
            if gain:
                c.text(gain, notes, middle, size, anchor="start", font_weight=600)
            if said:
                c.text(
                    said,
                    notes + bool(gain) * (sum(1 if one > "~" else 0.55 for one in gain) * size + 14),
                    middle,
                    size - 2,
                    FAINT,
                    "start",
                )
    c.save()


draw("llama_layer", 940, 488, (38, 330), (200, 220), 15, notes=624)
draw("llama_layer_narrow", 358, 666, (26, 154), (98, 178), 13)
