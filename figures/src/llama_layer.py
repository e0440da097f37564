import drawsvg
from canvas import FAINT, INK, PAPER, Canvas

TITLE = "一层，2017 年与 2023 年"
SAID = (
    "左边是 2017 年论文的一层，只留解码器：嵌入，加正弦位置；键与值每个头一份，注意力，加回主干，层归一化；"
    "前馈网络有两个矩阵，加回主干，层归一化；共 6 层，然后输出。右边是 2023 年的 Llama，对着看换过的：不加正弦位置；"
    "RMSNorm 放到了注意力之前，叠到 30 层也训练得动；RoPE 转动查询与键，位置只通过间隔进入分数；键与值三个头合用，缓存只占三分之一；"
    "注意力的公式照旧；RMSNorm 不减平均值，少几步计算；SwiGLU 有三个矩阵，一路乘另一路，同样多的参数，换一种用法；"
    "共 30 层，末尾补一次 RMSNorm；各个矩阵都没有偏置，更简单。"
)
# 自上而下，对着的一行：(上边, 高, 2017 年, 2023 年, 换来什么, 再说一句)；空着的，主干穿过去
ROWS = [
    (44, 32, "嵌入", "嵌入", "", ""),
    (88, 32, "加正弦位置", "", "", ""),
    (150, 32, "", "RMSNorm", "叠到 30 层也训练得动", "归一化放到了子层之前"),
    (192, 32, "", "RoPE：转查询与键", "位置只通过间隔进入分数", "不再加到嵌入上"),
    (234, 32, "键与值：|每个头一份", "键与值：三个头合用", "缓存只占三分之一", "分组查询注意力，GQA"),
    (276, 32, "注意力", "注意力", "", "照旧：公式一个字也没有改"),
    (366, 32, "层归一化", "RMSNorm", "少几步计算", "不减平均值"),
    (420, 50, "前馈网络\n两个矩阵，|ReLU", "SwiGLU\n三个矩阵，一路乘另一路", "同样多的参数，换一种用法", ""),
    (520, 32, "层归一化", "", "", ""),
    (596, 32, "", "RMSNorm", "", "末尾补一次"),
    (642, 32, "输出", "输出", "", ""),
    (694, 32, "前馈网络|有偏置", "矩阵都没有偏置", "更简单", ""),
]
FRAME, PLUSES = (130, 580), (334, 502)
FORKS = (138, 409), (138, 355)  # 两次岔出主干的地方，2017 年与 2023 年


def draw(name, width, height, lefts, wides, size, notes=None):
    """两列的左边与框宽；notes 是第三列的左边，没有就在 2023 年的框里多写一行，下面的都往下挪。"""
    c = Canvas(name, width, height, TITLE, SAID)
    more = [top for top, _, _, new, *gain in ROWS if new and any(gain) and not notes]

    def at(y):
        return y + 20 * sum(top < y for top in more)

    for column, (left, wide) in enumerate(zip(lefts, wides, strict=True)):
        middle, side = left + wide / 2, (left - 13, left + wide + 13)[column]
        outer = min(side, left) - 8, max(side, left + wide) + 8
        c.text(("2017 年的论文", "2023 年的 Llama")[column], middle, 20, size + 1)
        top, bottom = map(at, FRAME)
        c.box(outer[0], top, outer[1] - outer[0], bottom - top, "", FAINT)
        c.arrow((middle, 60), (middle, at(641)))
        for plus, fork in zip(map(at, PLUSES), map(at, FORKS[column]), strict=True):
            c.arrow((middle, fork), (side, fork), (side, plus), (middle + (26 * column - 13), plus))
            c.drawing.append(drawsvg.Circle(middle, plus, 12, fill=PAPER, stroke=INK, stroke_width=1.5))
            c.text("+", middle, plus, 18)
        c.text(f"× {(6, 30)[column]} 层", middle + 12, bottom - 13, size, FAINT, "start")
        for y, high, *both, gain, said in ROWS:
            words = both[column].replace("|", "" if notes else "\n")
            high += 20 * (y in more)
            if not words:
                continue
            changed = column and both[0] != both[1]
            color = FAINT if column and not changed else INK
            c.drawing.append(drawsvg.Rectangle(left, at(y), wide, high, rx=6, fill=PAPER))
            if not column or y not in more:
                c.box(left, at(y), wide, high, words, color, size)
            else:
                c.box(left, at(y), wide, high, "", color)
                lines = words.split("\n")
                for k, line in enumerate([*lines, gain or said]):
                    c.text(
                        line,
                        middle,
                        at(y) + 16 + 19 * k,
                        *((size, INK) if k < len(lines) else (size - 0.4, FAINT)),
                    )
            if changed:
                right = left + wide - 16
                shape = {"rx": 4, "fill": PAPER, "stroke": INK, "stroke_width": 1.5}
                c.drawing.append(drawsvg.Rectangle(right - 10, at(y) - 8, 20, 17, **shape))
                c.text("换", right, at(y), 13)
    if notes:
        edge = lefts[1] + wides[1]
        c.text("换来什么", notes, 20, size + 1, anchor="start")
        for y, high, old, new, gain, said in ROWS:
            if not gain and not said:
                continue
            middle, start = y + high / 2, edge + (26 if FRAME[0] < y < FRAME[1] else 4)
            line = drawsvg.Path(stroke=FAINT if new == old else INK, stroke_width=1.5)
            c.drawing.append(line.M(start, middle).L(notes - 10, middle))
            if gain:
                c.text(gain, notes, middle - 9 * bool(said), size, anchor="start", font_weight=600)
            if said:
                c.text(said, notes, middle + 9 * bool(gain), size - 2, FAINT, "start")
    c.save()


draw("llama_layer", 940, 736, (50, 372), (214, 224), 15, notes=688)
draw("llama_layer_narrow", 358, 900, (26, 154), (98, 178), 13)
