import torch
from canvas import FAINT, INK, KEY, OUTPUT, QUERY, VALUE, WEIGHT, Canvas

from course_lib.attention import scaled_dot_product_attention
from course_lib.bert import Bert
from course_lib.weights import builtin_path, load_bert

LAYER, HEAD = 0, 4  # 《缩放点积注意力》里找出的那个头

tokenizer, _ = load_bert(builtin_path())
inputs = tokenizer("The sky is blue", return_tensors="pt")
words = tokenizer.convert_ids_to_tokens(inputs.input_ids[0])
bert = Bert.from_pretrained(builtin_path())
attention = bert.encoder.layers[LAYER].self_attn
with torch.no_grad():
    x = bert(**inputs, output_hidden_states=True).hidden_states[LAYER]
    query, key = (attention.split_heads(proj(x))[0, HEAD] for proj in (attention.q_proj, attention.k_proj))
blue = words.index("blue")
scores = query[blue] @ key.T / key.size(-1) ** 0.5
_, weights = scaled_dot_product_attention(query[blue : blue + 1], key, key)

c = Canvas(
    "scaled_dot_product_attention",
    900,
    480,
    "缩放点积注意力",
    "blue 的向量乘一个矩阵成为查询，各个词元的向量乘另外两个矩阵成为键与值；查询与每个键做点积，除以根号 d，得到分数；"
    "分数经 softmax 变成和为 1 的权重；按权重把各个值加起来，就是输出。真实的 BERT 里，blue 把 0.68 的权重给了 sky。",
)
top, gap = 96, 58
middle = top + gap * (len(words) - 1) / 2


def times(name, x, y, color):
    """“× W”，右上角一个小字。"""
    c.text("× W", x, y, 14, color)
    c.text(name, x + 19, y - 6, 10, color)


c.text("查询", 60, 36, 17, QUERY)
c.text("键", 222, 36, 17, KEY)
times("K", 222, 60, KEY)
c.text("分数", 372, 36, 17, WEIGHT)
c.text("q·k / √d", 372, 60, 13, FAINT)
c.text("权重", 596, 36, 17, WEIGHT)
c.text("值", 698, 36, 17, VALUE)
times("V", 698, 60, VALUE)
c.box(22, middle - 23, 76, 46, "查询\nblue", QUERY, 15)
times("Q", 52, middle + 42, QUERY)
for i, word in enumerate(words):
    y = top + gap * i
    c.arrow((100, middle), (182, y), color=QUERY, width=1.2)
    c.box(186, y - 17, 72, 34, word, KEY, 15)
    c.arrow((260, y), (340, y), width=1.4)
    c.text(f"{scores[i]:.2f}", 372, y, 17)
    c.grid(554, y - 17, 1, 1, 34, WEIGHT, [[float(weights[0, i])]])
    c.text(f"{weights[0, i]:.2f}", 616, y, 16)
    c.box(662, y - 17, 72, 34, word, VALUE, 15)
    c.arrow((736, y), (796, middle), color=VALUE, width=0.8 + 5 * float(weights[0, i]))
c.arrow((404, middle), (424, middle))
c.box(428, top - 24, 96, gap * (len(words) - 1) + 48, "softmax\n\n加起来\n等于 1", WEIGHT, 15)
c.arrow((526, middle), (550, middle))
c.box(800, middle - 23, 76, 46, "输出\nblue", OUTPUT, 15)
c.text(
    "真实的 BERT，第 0 层第 4 个头。每个词元的向量乘三个矩阵，得到查询、键、值；这里只画 blue 的查询。",
    450,
    452,
    15,
    INK,
)
c.save()
