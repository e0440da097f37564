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
    880,
    476,
    "缩放点积注意力",
    "blue 的向量经一个矩阵成为查询，各个词元的向量经另外两个矩阵成为键与值；查询与每个键做点积，除以根号 d，得到分数；"
    "分数经 softmax 变成和为 1 的权重；按权重把各个值加起来，就是输出。真实的 BERT 里，blue 把 0.68 的权重给了 sky。",
)


def projection(name, x0, y0, color):
    c.text("W", x0, y0, 13, color)
    c.text(name, x0 + 10, y0 - 5, 10, color)


top, gap = 92, 58
middle = top + gap * (len(words) - 1) / 2
for x0, name, color in (
    (152, "词元的向量", INK),
    (262, "键", KEY),
    (384, "分数", WEIGHT),
    (590, "权重", WEIGHT),
    (696, "值", VALUE),
):
    c.text(name, x0, 50, 17, color)
c.box(14, middle - 23, 76, 46, "查询\nblue", QUERY, 15)
for i, word in enumerate(words):
    y = top + gap * i
    c.box(116, y - 17, 72, 34, word, INK, 15)
    c.arrow((190, y), (226, y), color=KEY, width=1.4)
    projection("K", 207, y - 12, KEY)
    c.box(230, y - 17, 64, 34, word, KEY, 15)
    c.arrow((296, y), (356, y), width=1.4)
    c.text("q·k/√d", 326, y - 12, 12, FAINT)
    c.text(f"{scores[i]:.2f}", 386, y, 17)
    c.grid(548, y - 17, 1, 1, 34, WEIGHT, [[float(weights[0, i])]])
    c.text(f"{weights[0, i]:.2f}", 610, y, 16)
    c.box(662, y - 17, 68, 34, word, VALUE, 15)
    c.arrow((732, y), (786, middle), color=VALUE, width=0.8 + 5 * float(weights[0, i]))
y = top + gap * blue
c.arrow((114, y + 8), (52, y + 8), (52, middle + 27), color=QUERY, width=1.4)
projection("Q", 84, y + 23, QUERY)
c.arrow((52, middle - 25), (52, 70), (228, 70), color=QUERY, width=1.4, dashed=True)
c.box(426, top - 24, 96, gap * (len(words) - 1) + 48, "softmax\n\n加起来\n等于 1", WEIGHT, 15)
c.arrow((522, middle), (544, middle))
c.box(790, middle - 23, 76, 46, "输出\nblue", OUTPUT, 15)
c.text(
    "真实的 BERT，第 0 层第 4 个头。分数可以是任何实数；权重在 0 与 1 之间，加起来是 1；输出是值的加权平均。",
    440,
    448,
    15,
    INK,
)
c.save()
