from canvas import FAINT, INK, KEY, OUTPUT, QUERY, VALUE, WEIGHT, Canvas

c = Canvas(
    "classroom",
    800,
    440,
    "教室里的 Transformer",
    "每个学生是一个词元，脑中的状态是一个向量。一层分两步：先交谈，也就是注意力，各人按权重听取所有人的话；"
    "再独自思考，也就是前馈网络。若干层之后，每个学生都带着全班的见闻。",
)
words = ["time", "flies", "like", "an", "arrow"]
xs = [200 + 128 * i for i in range(5)]
seats, talk, think, after = 396, 258, 120, 44

for y, words_here in [
    (seats, "刚坐下"),
    (talk, "交谈\n注意力"),
    (think, "独自思考\n前馈网络"),
    (after, "听过想过"),
]:
    first, *second = words_here.split("\n")
    c.text(first, 72, y - 10 * len(second), 16, INK)
    for line in second:
        c.text(line, 72, y + 12, 14, FAINT)

c.box(xs[0] - 58, talk - 62, xs[-1] - xs[0] + 116, 124, "", WEIGHT)
for x, word in zip(xs, words, strict=True):
    c.box(x - 44, seats - 22, 88, 44, word, INK, 17)
    c.arrow((x, seats - 24), (x, talk + 64), width=1.4)
    c.box(x - 36, talk + 16, 72, 34, f"{word} 的话", VALUE, 13)
    c.arrow((x, talk - 64), (x, think + 24), width=1.4)
    c.box(x - 44, think - 22, 88, 44, "想一想", KEY, 15)
    c.arrow((x, think - 24), (x, after + 24), width=1.4)
    c.box(x - 44, after - 22, 88, 44, word, OUTPUT, 17)

c.box(xs[1] - 36, talk - 54, 72, 32, "flies 听", QUERY, 13)
for i, share in enumerate([4.0, 1.6, 1.0, 0.8, 3.2]):
    landing = (xs[1] - 26 + 13 * i, talk - 20)
    c.arrow((xs[i], talk + 15), landing, color=VALUE, width=share)
c.text("线的粗细是权重：flies 听谁多、听谁少", xs[3] + 34, talk - 40, 14, FAINT)
c.save()
