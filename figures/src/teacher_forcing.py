import drawsvg
from canvas import FAINT, INK, KEY, OUTPUT, QUERY, WEIGHT, Canvas

c = Canvas(
    "teacher_forcing",
    640,
    640,
    "教师强制与逐个生成",
    "上半是训练：输入是开头、2、0、2，一次前向，四个位置同时猜下一个，答案是 2、0、2、3，正好错开一位；"
    "猜错了也不影响输入，输入总是取自答案。"
    "下半是推理：输入起初只有开头，每一步只猜一个，猜出的字接到输入后面，再猜下一个，要跑四次。",
)
XS = [150, 270, 390, 510]
GIVEN, ANSWERS = ["开头", "2", "0", "2"], ["2", "0", "2", "3"]


def cell(words, x, y, color, filled=False):
    c.box(x - 36, y - 18, 72, 36, words, color, 17, filled)


def label(words, y, color=INK):
    c.text(words, 16, y, 15, color, "start")


c.text("训练：一次前向，四个预测", 320, 24, 19, INK, font_weight="bold")
label("答案", 66, QUERY)
label("预测", 128, OUTPUT)
label("输入", 270, KEY)
for x, given, answer in zip(XS, GIVEN, ANSWERS, strict=True):
    cell(answer, x, 66, QUERY)
    c.arrow((x, 110), (x, 86), color=FAINT, dashed=True)
    cell("？", x, 128, OUTPUT)
    c.arrow((x, 176), (x, 148))
    c.arrow((x, 252), (x, 224))
    cell(given, x, 270, KEY)
c.box(104, 176, 452, 48, "解码器（因果掩码：只看自己和之前的）", WEIGHT, 17)
c.text("虚线处算损失；输入总是取自答案，就是答案右移一位", 320, 308, 15, FAINT)
c.drawing.append(drawsvg.Line(20, 332, 620, 332, stroke=FAINT, stroke_width=1))

c.text("推理：一步一个，要跑四次", 320, 358, 19, INK, font_weight="bold")
label("写出", 404, OUTPUT)
label("输入", 550, KEY)
for i, (x, answer) in enumerate(zip(XS, ANSWERS, strict=True)):
    cell(answer, x, 404, OUTPUT)
    c.arrow((x, 452), (x, 424))
    c.box(x - 46, 452, 92, 48, f"第 {i + 1} 步", WEIGHT, 17)
    c.arrow((x, 532), (x, 502))
    cell("开头" if i == 0 else ANSWERS[i - 1], x, 550, KEY if i == 0 else OUTPUT)
    if i < 3:
        # 写出的字成为下一步的输入
        middle = x + 60
        c.arrow((x + 38, 404), (middle, 404), (middle, 550), (x + 82, 550), color=OUTPUT, width=2.2)
c.text("写出的字接在输入后面，写错了也只好接着写；", 320, 594, 15, FAINT)
c.text("用缓存时，每步只送进这一个新的字", 320, 617, 15, FAINT)
c.save()
