import itertools

from canvas import FAINT, INK, OUTPUT, Canvas

TITLE = "同一个词，三个上下文，三个向量"
SAID = (
    "一句话里有三个 bank：金库、劫匪、河岸。三者编号相同，词元嵌入也相同，进编码器之前只差位置；"
    "经过几层编码器，两个与钱有关的 bank 向量彼此更像，河岸的 bank 与它们不同。"
)
positions = [6, 10, 19]
embedding = [0.2, 0.8, 0.5, 0.1, 0.9, 0.4]
# 示意：前两个相近，第三个不同
outputs = [
    [0.9, 0.3, 0.6, 0.2, 0.7, 0.1],
    [0.8, 0.4, 0.6, 0.1, 0.8, 0.2],
    [0.3, 0.8, 0.2, 0.9, 0.3, 0.8],
]


def draw(name, width, size, columns, half, contexts, labels, same, near, far, foot):
    """三列的中线是 columns，一列的框宽 2 × half；最左是各行的名字。"""
    c = Canvas(name, width, 438 + 24 * len(foot), TITLE, SAID)
    cell = half * 22 / 92
    for words, y in zip(labels, (38, 96, 154, 206, 392), strict=True):
        for i, line in enumerate(words.split("\n")):
            c.text(line, size * 0.6, y + 18 * (i - 0.5 * words.count("\n")), size, FAINT, anchor="start")
    for x, words, position, output in zip(columns, contexts, positions, outputs, strict=True):
        c.box(x - half, 16, 2 * half, 44, words, FAINT, size)
        c.arrow((x, 62), (x, 80))
        c.text("2924", x, 96, size + 2)
        c.arrow((x, 112), (x, 140))
        c.grid(x - 3 * cell, 154 - cell / 2, 1, 6, cell, INK, [embedding])
        c.text("+", x - 3 * cell - 10, 180, 20)
        c.box(x - 3 * cell, 188, 6 * cell, 36, f"位置 {position}", FAINT, size)
        c.arrow((x, 226), (x, 256))
        c.arrow((x, 338), (x, 376))
        c.grid(x - 3 * cell, 392 - cell / 2, 1, 6, cell, OUTPUT, [output])
    left = min(columns[0] - half, width - columns[2] - half)
    c.box(left, 260, columns[2] + half - left, 76,
          "一层又一层编码器\n每一层，bank 都从同句的其他词元那里取来信息", INK, size)  # fmt: skip
    for (a, b), words in zip(itertools.pairwise(columns), (near, far), strict=True):
        c.text(same, (a + b) / 2, 154, size)
        c.text(words, (a + b) / 2, 392, size, OUTPUT)
    for i, line in enumerate(foot):
        c.text(line, width / 2, 430 + 24 * i, size)
    c.save()


ONLY = "格子的深浅只是示意"
draw(
    "contextual_embeddings", 840, 16, (250, 475, 700), 92,
    ["money … bank vault", "bank robber", "river bank"],
    ["上下文", "编号", "词元嵌入", "位置嵌入", "最后的向量"], "相同", "更相近", "不那么近", [ONLY],
)  # fmt: skip
draw(
    "contextual_embeddings_narrow", 358, 13, (98, 202, 306), 45,
    ["money …\nbank vault", "bank\nrobber", "river\nbank"],
    ["上下文", "编号", "词元\n嵌入", "位置\n嵌入", "最后的\n向量"], "＝", "≈", "≠",
    ["＝ 相同；≈ 更相近；≠ 不那么近", ONLY],
)  # fmt: skip
