from canvas import FAINT, INK, KEY, OUTPUT, VALUE, WEIGHT, Canvas

c = Canvas(
    "encoder_decoder",
    700,
    600,
    "编码器与解码器",
    "左边是编码器：四个词元经过嵌入和两层编码器层，得到四个向量，每个词元一个。右边是解码器：已经写出的词元经过嵌入和两层解码器层，"
    "每一层都先看自己和之前的词元，再用交叉注意力去看编码器的四个向量，最后由输出层给出下一个词元。",
)
source, target, following = ["the", "sky", "is", "blue"], ["开始", "天", "空"], ["天", "空", "是"]
sx = [60 + 68 * i for i in range(4)]
tx = [452 + 76 * i for i in range(3)]
sleft, swidth, tleft, twidth = 28, 268, 412, 232
bottom, embed = 556, 486
lower, upper = 370, 222  # 两层的中线


def words(names, xs, y, color):
    for name, x in zip(names, xs, strict=True):
        c.box(x - 30, y - 17, 60, 34, name, color, 16)


def ups(xs, y0, y1, color=FAINT):
    for x in xs:
        c.arrow((x, y0), (x, y1), color=color, width=1.3)


c.text("编码器", sleft + swidth / 2, 18, 20, INK, font_weight="bold")
c.text("解码器", tleft + twidth / 2, 18, 20, INK, font_weight="bold")

# 编码器
words(source, sx, bottom, INK)
ups(sx, bottom - 18, embed + 18)
c.box(sleft, embed - 17, swidth, 34, "嵌入 + 位置编码", KEY, 16)
for y, name in ((lower, "第 1 个"), (upper, "第 2 个")):
    c.box(sleft, y - 46, swidth, 92, f"{name}编码器层\n自注意力：看全句\n前馈网络：各自想", WEIGHT, 16)
ups(sx, embed - 18, lower + 47)
ups(sx, lower - 47, upper + 47)
ups(sx, upper - 47, 137)
c.box(sleft, 58, swidth, 78, "", OUTPUT)
for x in sx:
    c.grid(x - 8, 65, 4, 1, 16, OUTPUT, [[0.7], [0.35], [0.55], [0.2]])
c.text("四个向量，每个词元一个", sleft + swidth / 2, 44, 15, OUTPUT)

# 解码器
words(target, tx, bottom, INK)
ups(tx, bottom - 18, embed + 18)
c.box(tleft, embed - 17, twidth, 34, "嵌入 + 位置编码", KEY, 16)
for y, name in ((lower, "第 1 个"), (upper, "第 2 个")):
    c.box(
        tleft, y - 60, twidth, 120,
        f"{name}解码器层\n自注意力：只看自己和之前\n交叉注意力：看编码器\n前馈网络：各自想",
        WEIGHT, 16,
    )  # fmt: skip
ups(tx, embed - 18, lower + 61)
ups(tx, lower - 61, upper + 61)
ups(tx, upper - 61, 135)
c.box(tleft, 101, twidth, 34, "输出层：给词表打分", KEY, 16)
ups(tx, 100, 79)
words(following, tx, 60, OUTPUT)

# 编码器的输出送到每一层解码器
for y, lane in ((lower, 336), (upper, 360)):
    c.arrow((sleft + swidth + 1, 97), (lane, 97), (lane, y + 11), (tleft - 1, y + 11), color=VALUE, width=2.4)
c.save()
