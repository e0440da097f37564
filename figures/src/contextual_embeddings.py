from canvas import FAINT, INK, OUTPUT, Canvas

c = Canvas(
    "contextual_embeddings",
    840,
    462,
    "同一个词，三个上下文，三个向量",
    "一句话里有三个 bank：金库、劫匪、河岸。三者编号相同，词元嵌入也相同，进编码器之前只差位置；"
    "经过几层编码器，两个与钱有关的 bank 向量彼此更像，河岸的 bank 与它们不同。",
)
columns = [250, 475, 700]
contexts = ["money … bank vault", "bank robber", "river bank"]
positions = [6, 10, 19]
embedding = [0.2, 0.8, 0.5, 0.1, 0.9, 0.4]
# 示意：前两个相近，第三个不同
outputs = [
    [0.9, 0.3, 0.6, 0.2, 0.7, 0.1],
    [0.8, 0.4, 0.6, 0.1, 0.8, 0.2],
    [0.3, 0.8, 0.2, 0.9, 0.3, 0.8],
]
cell, half = 22, 66

for words, y in [
    ("上下文", 38),
    ("编号", 96),
    ("词元嵌入", 154),
    ("位置嵌入", 206),
    ("最后的向量", 392),
]:
    c.text(words, 24, y, 16, FAINT, anchor="start")
for x, words, position, output in zip(columns, contexts, positions, outputs, strict=True):
    c.box(x - 92, 18, 184, 40, words, FAINT)
    c.arrow((x, 60), (x, 80))
    c.text("2924", x, 96, 18)
    c.arrow((x, 112), (x, 140))
    c.grid(x - half, 143, 1, 6, cell, INK, [embedding])
    c.text("+", x - half - 26, 206, 20)
    c.box(x - half, 188, 2 * half, 36, f"位置 {position}", FAINT, 16)
    c.arrow((x, 226), (x, 256))
    c.arrow((x, 338), (x, 376))
    c.grid(x - half, 381, 1, 6, cell, OUTPUT, [output])
c.box(columns[0] - 92, 260, columns[2] - columns[0] + 184, 76,
      "一层又一层编码器\n每一层，bank 都从同句的其他词元那里取来信息", INK)  # fmt: skip
for left, right, words in [(0, 1, "更相近"), (1, 2, "不那么近")]:
    middle = (columns[left] + columns[right]) / 2
    c.text("相同", middle, 154, 16)
    c.text(words, middle, 392, 16, OUTPUT)
c.text(
    "编号与词元嵌入完全相同，最后的向量却随上下文而变。（格子的深浅只是示意）",
    420,
    438,
    15,
)
c.save()
