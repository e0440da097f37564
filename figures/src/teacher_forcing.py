import drawsvg
from canvas import FAINT, INK, KEY, OUTPUT, QUERY, WEIGHT, Canvas

c = Canvas(
    "teacher_forcing",
    400,
    640,
    "教师强制与逐个写",
    "上半是训练：输入是开头、2、0、2，一次前向，四个位置同时猜下一个，答案是 2、0、2、3，正好错开一位；"
    "猜错了也不影响输入，输入总是取自答案。"
    "下半是推理，一行一步，共四步：第一步的前文只有开头，写出 2；第二步的前文是开头、2，写出 0；"
    "写出的字接到前文末尾，前文一步比一步长。每一步只有末尾一格是新的，前面的各格是灰的，可以存着不必重算。",
)
XS = [92, 178, 264, 350]
GIVEN, ANSWERS = ["开头", "2", "0", "2"], ["2", "0", "2", "3"]


def cell(words, x, y, color, width=72, filled=False):
    c.box(x - width / 2, y - 17, width, 34, words, color, 16, filled)


def label(words, y, color=INK):
    c.text(words, 8, y, 15, color, "start")


c.text("训练：一次前向，四个预测", 200, 20, 17, INK, font_weight="bold")
label("答案", 58, QUERY)
label("预测", 114, OUTPUT)
label("输入", 246, KEY)
for x, given, answer in zip(XS, GIVEN, ANSWERS, strict=True):
    cell(answer, x, 58, QUERY)
    c.arrow((x, 97), (x, 77), color=FAINT, dashed=True)
    cell("？", x, 114, OUTPUT)
    c.arrow((x, 158), (x, 133))
    c.arrow((x, 229), (x, 204))
    cell(given, x, 246, KEY)
c.box(52, 158, 340, 44, "解码器：每个位置只看自己和之前的", WEIGHT, 15)
c.text("预测与答案之间算损失；输入取自答案，猜错了也不改", 200, 284, 14, FAINT)
c.drawing.append(drawsvg.Line(12, 308, 388, 308, stroke=FAINT, stroke_width=1))

c.text("推理：一步一个，前文越写越长", 200, 334, 17, INK, font_weight="bold")
PREFIX = [36, 86, 136, 186]
for i, answer in enumerate(ANSWERS):
    y = 376 + 60 * i
    for x, given in zip(PREFIX[: i + 1], GIVEN, strict=False):
        newest = x == PREFIX[i]
        cell(given, x, y, (KEY if i == 0 else OUTPUT) if newest else FAINT, 44)
    c.arrow((PREFIX[i] + 24, y), (234, y))
    c.box(236, y - 17, 68, 34, "解码器", WEIGHT, 15)
    c.arrow((306, y), (332, y))
    cell(answer, 356, y, OUTPUT, 44)
    if i < 3:  # 写出的字接到下一步的末尾
        middle = y + 30
        c.arrow(
            (356, y + 18),
            (356, middle),
            (PREFIX[i + 1], middle),
            (PREFIX[i + 1], y + 42),
            color=OUTPUT,
            width=2,
        )
c.text("写出的字接在前文末尾，写错了也只好接着写；", 200, 598, 14, FAINT)
c.text("灰的各格上一步已经算过，可以存着", 200, 620, 14, FAINT)
c.save()
