"""“打开 BERT”与“打开一个大语言模型”两页说的，与 course_lib 算的一致：填进去的数记在 chapters/measured.yml，其余的话各有一条断言。

要打开网页才知道的在 tests/browser/test_live_bert_page.py、test_live_bert_parts.py 与 test_live_llm_writing.py。
"""

import re
from urllib.parse import parse_qsl

import torch
from live_helpers import (
    BANKS,
    SENTENCES,
    THEY,
    bert,
    forward,
    head_vectors,
    lengths,
    moved,
    quantized_bert,
    random_pairs,
    run,
)
from llm_page_helpers import language_model, reference
from llm_page_helpers import tokenizer as byte_pairs
from torch.nn.functional import cosine_similarity

from chapters import ROOT
from course_book.after_writing import live_bert, live_multilingual
from course_book.before_reading.numbers_in_prose import of_the_models
from course_lib.generation import generate
from course_lib.sampling import narrow
from course_lib.weights import builtin_path

SAID = of_the_models()
# “试一试”里的链接：写着的话 → 网址里的状态
LINKS = {
    text: dict(parse_qsl(href.replace("&amp;", "&")))
    for href, text in re.findall(
        r'<a href="#([^"]+)">([^<]+)<', (ROOT / "chapters/llm.md").read_text(encoding="utf-8")
    )
}
PARIS = "The capital of France is"


def check(**measured):
    """量出的与 measured.yml 里记的一样；不一样，那里就该改成这里的。"""
    measured = {name: str(value) for name, value in measured.items()}
    assert {name: SAID[name] for name in measured} == measured


# ---- 打开 BERT ----


def test_how_much_of_the_multilingual_vocabulary_travels():
    pieces, ids = live_multilingual.all_pieces()
    han = sum(bool(live_multilingual.HAN.fullmatch(pieces[i])) for i in ids)
    check(multilingual_pieces=len(pieces), multilingual_travelling=len(ids), multilingual_han=han)


def weight(text, layer, head, query, *keys):
    tokens, _, attention = run(text)
    return sum(attention[layer, head, tokens.index(query), tokens.index(key)] for key in keys).item()


def test_they():
    assert abs(weight(THEY, 5, 5, "they", "john", "paul") - 2 / 3) < 0.02
    for word in ("when", "were", "several"):
        assert weight(THEY, 5, 5, word, "john", "paul") > 0.4
    changed = THEY.replace("when", "and").replace("inspired", "beautiful")
    assert weight(changed, 5, 5, "they", "john", "paul") > 0.5


def test_flies_and_like():
    (_, time, _), (_, fruit, _) = run("time flies like an arrow"), run("fruit flies like a banana")
    flies, like = cosine_similarity(time[:, 2:4], fruit[:, 2:4], dim=-1).T
    assert abs(flies[0] - 1) < 1e-5 and abs(flies[-1] - 0.6) < 0.05
    assert like[:6].min() > 0.9 and like[6] < 0.7


def test_bank():
    tokens, hidden, _ = run(BANKS)
    vault, _, shore = [i for i, token in enumerate(tokens) if token == "bank"]
    assert cosine_similarity(hidden[:, vault], hidden[:, shore], dim=-1).min() > 0.8
    assert random_pairs([BANKS]).max() < 0.4


def test_one_cell():
    query, key, value = head_vectors(quantized_bert(), THEY, 5, 5)
    weights = (query[8] @ key.T / 32**0.5).softmax(dim=0)
    carried = (weights[:, None] * value).norm(dim=-1)
    assert carried[0] < carried[1] / 50 and value.norm(dim=-1)[0] < value.norm(dim=-1)[1] / 20
    query, key, _ = head_vectors(quantized_bert(), "The sky is blue", 0, 4)
    scores = query[4] @ key.T / 32**0.5
    check(
        they_to_john=f"{weights[1]:.2f}",
        they_to_cls=f"{weights[0]:.2f}",
        blue_to_sky_score=f"{scores[2]:.2f}",
        blue_to_sky_weight=f"{scores.softmax(dim=0)[2]:.2f}",
    )


def switched_off_one_by_one(layer, head):
    """关掉一层的各个头：这个头与别的头各让每个词元移动多远。"""
    before = forward(quantized_bert(), THEY)[0][-1]
    last = torch.stack(
        [moved(before, forward(quantized_bert(), THEY, off=[(layer, each)])[0][-1]) for each in range(12)]
    )
    return last[head], torch.cat([last[:head], last[head + 1 :]])


def test_intervening():
    (one, others), (two, rest) = switched_off_one_by_one(3, 1), switched_off_one_by_one(5, 5)
    assert (one > others.amax(0)).tolist() == [i == 8 for i in range(13)]
    assert others[:, 8].argmax() == 9 - 1 and others[8, 8] > 0.95 * one[8]  # 第 9 个头，少了第 1 个
    check(
        off_3_1_moves_they=f"{one[8]:.2f}",
        off_layer_3_moves_they=f"{others[:, 8].mean():.2f}",
        off_5_5_moves_they=f"{two[8]:.2f}",
        off_layer_5_moves_they=f"{rest[:, 8].mean():.2f}",
        off_5_5_moves_most=int((two > rest.amax(0)).sum()),
    )


def test_chinese_in_bert():
    _, *tokens, _ = run("你好，BERT！我住在山上。")[0]
    assert [token for token in tokens if token == "[UNK]" or token in "我住在山上"] == [
        *["[UNK]", "[UNK]", "我", "[UNK]", "[UNK]", "山", "上"]
    ]


def test_rounding():
    off, kept, alike = [], [], []
    for sentence in SENTENCES:
        (hidden, weights), (true_hidden, true_weights) = (
            forward(model, *sentence) for model in (quantized_bert(), bert())
        )
        off.append((weights - true_weights).abs().flatten())
        kept.append((weights.argmax(-1) == true_weights.argmax(-1)).flatten())
        alike.append(cosine_similarity(hidden, true_hidden, dim=-1).flatten())
    off, kept, alike = torch.cat(off), torch.cat(kept).float(), torch.cat(alike)
    in_page, true = (f"{forward(model, THEY)[1][5, 5, 8, 3]:.2f}" for model in (quantized_bert(), bert()))
    check(
        rounding_sentences=len(set(SENTENCES)),
        rounding_at_most=f"{off.max():.3f}",
        rounding_on_average=f"{off.mean():.4f}",
        rounding_same_first=f"{100 * kept.mean():.1f}",
        rounding_least_cosine=f"{alike.min():.4f}",
        they_to_paul_rounded=in_page,
        they_to_paul=true,
    )


def test_sizes():
    assert round((builtin_path() / "model.safetensors").stat().st_size / 1e6) == 91
    assert len(live_bert.data_files()["linear.wasm"]) < 1000
    d, f, n = bert().config.d_model, bert().config.d_ff, live_bert.MAX_TOKENS
    linear, attention = 4 * d * d + 2 * d * f, 2 * n * d  # 一层里每个词元的乘法
    assert round(100 * linear / (linear + attention)) == 97


def test_length_of_cls():
    """[CLS] 忽长忽短：前馈网络给的、归一化之后的、注意力给的各有多长。"""
    steps = lengths(bert(), THEY)
    attended, fed, after = steps[1::4], steps[3::4], steps[4::4]
    assert round(fed[0, 0].item()) == 191 and fed[0, 1:].max() < 8 and round(after[0, 0].item()) == 8
    assert attended[1:4, 0].max() < 2


# ---- 打开一个大语言模型 ----


def encode(text, chat=False):
    return byte_pairs().encode(byte_pairs().chat([{"role": "user", "content": text}]) if chat else text)


@torch.no_grad()
def shares(ids):
    return language_model()(torch.tensor([ids]), last_only=True).logits[0, -1].softmax(-1)


@torch.no_grad()
def write(ids, count):
    row = generate(language_model(), torch.tensor([ids]), count, stop_ids=[byte_pairs().eos_id])[0]
    return byte_pairs().decode(row[len(ids) :], skip_special_tokens=True)


def one(word):
    (index,) = byte_pairs().encode(word)
    return index


def weights_of(link):
    """链接里选中的词元，在选中的头里给各个词元的权重。"""
    state = LINKS[link]
    maps = reference(state["text"]).attentions
    return maps[int(state["layer"]) - 1, int(state["head"]) - 1, int(state.get("token", -1))]


def test_the_wrong_step():
    assert LINKS["走错一步"]["written"] == str(one(" London"))
    check(london=f"{100 * shares(encode(PARIS))[one(' London')]:.1f}")
    said = write([*encode(PARIS), one(" London")], 16)
    assert said.startswith(".") and "Paris" not in said


def test_the_head_that_fetches_the_country():
    check(is_to_france=f"{weights_of('谁把 France 告诉了 is')[3]:.2f}")
    for country in ("France", "Italy", "Japan", "Cuba"):
        maps = reference(f"The capital of {country} is").attentions[:, :, -1, -2].flatten()
        assert len(maps) == 270 and maps.argmax() == 23 * 9 + 4 and maps.max() > 0.89


@torch.no_grad()
def test_when_paris_appears():
    model = language_model()
    logits = model.head(model.norm(reference(PARIS).hidden_states[:, -1]))
    place = [(row > row[one(" Paris")]).sum().item() for row in logits]
    assert min(place[:28]) >= 3 and place[29] < 3 and place[29] > 0 and place[30] == 0


def test_copying():
    text = LINKS["照着抄"]["text"]
    first, ids = shares(encode(text)), encode(text)
    assert first.argmax() == one(" t") and first.max() > 0.8
    given = weights_of("照着抄")
    there = int(given.argmax())
    assert ids[there] == one(" t") and ids[there - 1] == ids[-1]  # 上一遍跟在同一个逗号后面的
    check(comma_to_copied=f"{given[there]:.2f}")
    other = reference("Mondo, grix, plume, tarn. Mondo, grix, plume,").attentions[18, 6, -1]
    assert encode("Mondo, grix, plume, tarn. Mondo, grix, plume,")[int(other.argmax())] == one(" t")


def test_they_look_at_the_first_token():
    assert weights_of("they 在看 John 吗")[0] > 0.995
    text = f"Then {LINKS['they 在看 John 吗']['text']}"
    words = [byte_pairs().decode([index]).strip() for index in encode(text)]
    after = reference(text).attentions[18, 8, words.index("they")]
    assert after[words.index("John")] < 0.01 < 0.9 < after[0]


def test_the_country_that_is_not():
    state = LINKS["没有的国家"]
    said = [int(index) for index in state["written"].split(".")]
    assert byte_pairs().decode(said) == "The capital of Marovia is"
    assert 0.1 < shares([*encode(state["text"], chat=True), *said]).max() < 0.15
    said = encode("The capital of Japan is")
    asked = {"text": "What is the capital of Japan?", "written": ".".join(map(str, said))}
    assert LINKS["Japan"] == state | asked
    known = shares([*encode(asked["text"], chat=True), *said])
    assert known.argmax() == one(" Tokyo")
    check(tokyo=f"{known.max():.2f}")


def test_the_story():
    first = shares(encode(LINKS["从前"]["text"]))
    assert first.max() < 0.1
    hot = narrow(first.log(), temperature=2.0).softmax(-1)
    assert hot.topk(100).values.sum() < 0.2
    check(kept_by_min_p=int((narrow(first.log(), temperature=2.0, min_p=0.1).softmax(-1) > 0).sum()))


def test_chinese_in_the_language_model():
    text = LINKS["中文"]["text"]
    assert len(text) == 6 and len(encode(text)) == 10 and shares(encode(text)).max() < 0.1
    assert "".join(char for char in text if len(encode(char)) > 1) == "日首都"


def test_what_it_cannot_do():
    said = write(encode("What is 17 + 25?", chat=True), 12)
    check(sum_of_17_and_25=re.fullmatch(r"17 \+ 25 = (\d+)\.", said)[1])
    config = language_model().config
    assert round(sum(p.numel() for p in language_model().parameters()) / 1e6) == 135
    assert (config.num_layers, config.num_heads) == (30, 9)
