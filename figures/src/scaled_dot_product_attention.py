import math

from canvas import FAINT, INK, KEY, OUTPUT, QUERY, VALUE, WEIGHT, Canvas

c = Canvas(
    "scaled_dot_product_attention",
    840,
    380,
    "缩放点积注意力",
    "查询与每个键做点积，得到分数；分数除以根号 d，再经 softmax 变成和为 1 的权重；按权重把各个值加起来，就是输出。",
)
words = ["the", "sky", "is", "blue"]
scores = [0.3, 2.9, 0.6, 1.7]
total = sum(map(math.exp, scores))
weights = [math.exp(s) / total for s in scores]
top, gap, left = 84, 62, 150

c.text("键", left + 28, 46, 18, KEY)
c.text("分数", left + 172, 46, 18, WEIGHT)
c.text("权重", left + 380, 46, 18, WEIGHT)
c.text("值", left + 496, 46, 18, VALUE)
c.box(16, top + gap * 1.5 - 24, 86, 48, "查询\nblue", QUERY, 15)
for i, (word, score, weight) in enumerate(zip(words, scores, weights, strict=True)):
    y = top + gap * i
    c.arrow((102, top + gap * 1.5), (left - 4, y), color=QUERY, width=1.4)
    c.box(left, y - 18, 60, 36, word, KEY, 16)
    c.arrow((left + 62, y), (left + 138, y), width=1.4)
    c.text("点积 / √d", left + 97, y - 12, 12, FAINT)
    c.text(f"{score:.1f}", left + 172, y, 18)
    c.grid(left + 356, y - 18, 1, 1, 36, WEIGHT, [[weight]])
    c.text(f"{weight:.2f}", left + 420, y, 16)
    c.box(left + 466, y - 18, 60, 36, word, VALUE, 16)
    c.arrow((left + 528, y), (left + 586, top + gap * 1.5), color=VALUE, width=0.8 + 5 * weight)
c.box(left + 218, top - 24, 100, gap * 3 + 48, "softmax\n\n每行之和\n等于 1", WEIGHT, 15)
c.arrow((left + 318, top + gap * 1.5), (left + 350, top + gap * 1.5))
c.box(left + 590, top + gap * 1.5 - 24, 86, 48, "输出\nblue", OUTPUT, 15)
c.text("分数可以是任何实数；权重在 0 与 1 之间，加起来是 1；输出是值的加权平均。", 420, 348, 15, INK)
c.save()
