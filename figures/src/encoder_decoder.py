from canvas import INK, KEY, OUTPUT, VALUE, WEIGHT, Canvas

TITLE = "编码器与解码器"
SAID = (
    "左边是编码器：四个词元经过嵌入和两层编码器层，得到四个向量，每个词元一个。"
    "右边是解码器：已经写出的词元经过嵌入和两层解码器层，"
    "每一层都先看自己和之前的词元，再用交叉注意力去看编码器的四个向量，最后由输出层给出下一个词元。"
)
source, target, following = ["the", "sky", "is", "blue"], ["开始", "天", "空"], ["天", "空", "是"]
bottom, embed = 556, 486
lower, upper = 370, 222  # 两层的中线


def draw(name, width, size, encoder, decoder, word, lanes, masked):
    """encoder 与 decoder 各是一摞的左边与宽，word 是词框的宽，lanes 是两条送 memory 的竖线。"""
    c = Canvas(name, width, 600, TITLE, SAID)

    def spread(left, wide, count):
        return [left + wide * (i + 0.5) / count for i in range(count)]

    def words(names, xs, y, color):
        for text, x in zip(names, xs, strict=True):
            c.box(x - word / 2, y - 17, word, 34, text, color, size)

    def ups(xs, y0, y1):
        for x in xs:
            c.arrow((x, y0), (x, y1), width=1.3)

    def stack(title, left, wide, names, half, kind, lines, top):
        """一摞：词、嵌入、两层，箭头到 top 为止；返回各词的横坐标。"""
        xs = spread(left, wide, len(names))
        c.text(title, left + wide / 2, 18, size + 4, font_weight="bold")
        words(names, xs, bottom, INK)
        ups(xs, bottom - 18, embed + 18)
        c.box(left, embed - 17, wide, 34, "嵌入 + 位置编码", KEY, size)
        for y, which in ((lower, "第 1 个"), (upper, "第 2 个")):
            c.box(left, y - half, wide, 2 * half, f"{which}{kind}\n{lines}", WEIGHT, size)
        ups(xs, embed - 18, lower + half + 1)
        ups(xs, lower - half - 1, upper + half + 1)
        ups(xs, upper - half - 1, top)
        return xs

    left, wide = encoder
    end = left + wide + 1
    xs = stack("编码器", left, wide, source, 46, "编码器层", "自注意力：看全句\n前馈网络：各自想", 137)
    c.box(left, 58, wide, 78, "", OUTPUT)
    for x in xs:
        c.grid(x - 8, 65, 4, 1, 16, OUTPUT, [[0.7], [0.35], [0.55], [0.2]])
    c.text("四个向量，每个词元一个", left + wide / 2, 44, size - (size > 14), OUTPUT)

    left, wide = decoder
    xs = stack(
        "解码器", left, wide, target, 60, "解码器层",
        f"自注意力：{masked}\n交叉注意力：看编码器\n前馈网络：各自想", 135,
    )  # fmt: skip
    c.box(left, 101, wide, 34, "输出层：给词表打分", KEY, size)
    ups(xs, 100, 79)
    words(following, xs, 60, OUTPUT)

    # 编码器的输出送到每一层解码器
    for y, lane in zip((lower, upper), lanes, strict=True):
        c.arrow((end, 97), (lane, 97), (lane, y + 11), (left - 1, y + 11), color=VALUE, width=2.4)
    c.save()


draw("encoder_decoder", 700, 16, (28, 268), (412, 232), 60, (336, 360), "只看自己和之前")
draw("encoder_decoder_narrow", 358, 13, (6, 146), (194, 158), 34, (164, 176), "看自己与之前")
