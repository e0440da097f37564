import drawsvg
import torch
from canvas import FAINT, INK, KEY, OUTPUT, QUERY, VALUE, WEIGHT, Canvas

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
    query, key, value = (
        attention.split_heads(proj(x))[0, HEAD]
        for proj in (attention.q_proj, attention.k_proj, attention.v_proj)
    )
blue, sky = words.index("blue"), words.index("sky")
d = key.size(-1)
scores = query[blue] @ key.T / d**0.5
powers = scores.exp()
total = float(powers.sum())
weights = powers / total
alike = torch.nn.functional.cosine_similarity(weights @ value, value[sky], dim=0)

TITLE = "缩放点积注意力"
SAID = (
    f"真实的 BERT，第 {LAYER} 层第 {HEAD} 个头。blue 的查询与六个键各做一次点积，除以根号 {d}，得到六个分数，"
    f"sky 的 {scores[sky]:.2f} 最高；取指数，sky 的是 {powers[sky]:.1f}，六个加起来 {total:.1f}；"
    f"各除以总和，就是权重，sky 得 {weights[sky]:.2f}；按权重把六个值加起来，是 blue 的输出，与 sky 的值余弦 {alike:.2f}。"
)


def root(c, before, x, width, y, size):
    """“before √d”，从 x 往右；根号自己画，横线才盖得住后面的数。width 是 before 有多宽。"""
    c.text(before, x, y, size, FAINT, anchor="start")
    sign = drawsvg.Path(fill="none", stroke=FAINT, stroke_width=1.2)
    sign.M(x + width, y + 1).l(3, -1.5).l(4, 7).l(5, -15).h(0.62 * size * len(str(d)) + 2)
    c.drawing.append(sign)
    c.text(str(d), x + width + 13, y + 0.5, size, FAINT, anchor="start")


def wide():
    """从左往右：查询、键、分数、指数、权重、值、输出，一个词元一行。"""
    c = Canvas("scaled_dot_product_attention", 960, 356, TITLE, SAID)
    top, gap, long = 92, 46, 86
    middle = top + gap * (len(words) - 1) / 2
    c.box(140, top + gap * sky - 23, 630, 46, color=WEIGHT)
    heads = (
        (46, "查询", "", QUERY), (184, "键", "", KEY), (282, "分数", "", INK),
        (438, "取指数", f"加起来 {total:.1f}", INK), (598, "权重", f"÷ {total:.1f}", WEIGHT),
        (726, "值", "", VALUE), (892, "输出", "", OUTPUT),
    )  # fmt: skip
    for at, name, how, color in heads:
        c.text(name, at, 24, 17, color)
        c.text(how, at, 48, 14, FAINT)
    root(c, "点积 ÷", 244, 49, 48, 14)
    c.box(8, middle - 21, 76, 42, "blue", QUERY)
    for i, word in enumerate(words):
        y = top + gap * i
        c.arrow((86, middle), (144, y), color=QUERY, width=1.2)
        c.box(148, y - 16, 72, 32, word, KEY)
        for at, number, share, color in (
            (272, f"{scores[i]:.2f}", scores[i] / scores.max(), INK),
            (424, f"{powers[i]:.1f}", powers[i] / powers.max(), INK),
            (584, f"{weights[i]:.2f}", weights[i] / weights.max(), WEIGHT),
        ):
            c.text(number, at, y, 16, anchor="end")
            c.bar(at + 8, y - 7, long * float(share), 14, color)
        c.box(690, y - 16, 72, 32, word, VALUE)
        c.arrow((764, y), (842, middle), color=VALUE, width=0.8 + 6 * float(weights[i]))
    c.box(846, middle - 21, 92, 42, "blue", OUTPUT)
    c.text("与 sky 的值", 892, middle + 42, 14, FAINT)
    c.text(f"余弦 {alike:.2f}", 892, middle + 62, 14, FAINT)
    c.save()


def narrow():
    """手机上：从上往下，权重就在词的旁边。"""
    c = Canvas("scaled_dot_product_attention_narrow", 358, 400, TITLE, SAID)
    top, gap, long = 112, 38, 84
    bottom = top + gap * len(words)
    c.box(6, 8, 96, 34, "blue 的查询", QUERY, 15)
    root(c, "与每个键做点积，÷", 114, 136, 25, 15)
    c.box(2, top + gap * sky - 18, 354, 36, color=WEIGHT)
    for at, name, color in ((38, "键", KEY), (116, "分数", INK), (178, "取指数", INK), (266, "权重", WEIGHT)):
        c.text(name, at, 70, 15, color)
    c.text(f"加起来 {total:.1f}", 178, 88, 14, FAINT)
    c.text(f"÷ {total:.1f}", 266, 88, 14, FAINT)
    for i, word in enumerate(words):
        y = top + gap * i
        c.box(6, y - 14, 64, 28, word, KEY, 15)
        c.text(f"{scores[i]:.2f}", 134, y, 16, anchor="end")
        c.text(f"{powers[i]:.1f}", 198, y, 16, anchor="end")
        c.bar(224, y - 8, long * float(weights[i] / weights.max()), 16, WEIGHT)
        c.text(f"{weights[i]:.2f}", 352, y, 16, anchor="end")
    c.arrow((54, bottom - 16), (54, bottom + 10), color=VALUE)
    c.text("六个值按权重相加", 70, bottom - 4, 15, FAINT, anchor="start")
    c.box(6, bottom + 14, 96, 34, "blue 的输出", OUTPUT, 15)
    c.text(f"与 sky 的值余弦 {alike:.2f}", 114, bottom + 31, 15, FAINT, anchor="start")
    c.save()


wide()
narrow()
