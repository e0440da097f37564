"""首页上静止的画：两扇门与各章卡片上的小图，里面的数与两个模型算出来的相同。"""

import re
import runpy
from functools import cache

import pytest
import torch
from bs4 import BeautifulSoup
from live_helpers import bert, run
from live_helpers import tokenizer as word_pieces
from llm_page_helpers import language_model, reference
from llm_page_helpers import tokenizer as byte_pairs
from torch.nn.functional import gelu, normalize

from chapters import ROOT, file_of
from course_book.doctree import attention_picture, front_doors
from course_book.doctree.front_doors import (
    GAP,
    NEXT,
    PROMPT,
    ROWS,
    SHADES,
    every_head,
    heads_of,
    strokes,
)
from course_lib.layers import sinusoidal_encoding
from course_lib.tasks.jets import jets

SOURCES = ROOT / "figures/src/miniatures"
BOTH = pytest.mark.parametrize("read", [attention_picture.chinese, attention_picture.english])


def english(*words):
    """首页的英文句：权重，与几个词在第几处。"""
    reading = attention_picture.english()
    return reading.weights, [reading.words.index(word) for word in words]


@pytest.fixture
def script(tmp_path, monkeypatch):
    """画一张小图的脚本里写着的数；画到别处去。"""

    def numbers(name):
        monkeypatch.setattr("miniature.__file__", str(tmp_path / "src/miniature.py"))
        return runpy.run_path(str(SOURCES / f"{name}.py"))

    return numbers


@cache
def next_chances():
    return reference(PROMPT).logits.softmax(dim=-1)


# ---- 两扇门 ----


@BOTH
def test_every_cell_of_every_head_has_its_shade(read):
    """笔画还原成格子，就是那一级的深浅；一笔从上一笔的末尾数起，连起来也不错位。"""
    reading = read()
    for matrix in reading.weights.flatten(0, 1):
        shades = torch.zeros_like(matrix)
        for level, start, y, length in strokes(matrix):
            assert not shades[y, start : start + length].any()
            shades[y, start : start + length] = level / SHADES
        assert (shades - matrix.sqrt()).abs().max() <= 0.5 / SHADES + 1e-6
    page = BeautifulSoup(heads_of(reading), "html.parser")
    inked = 0
    for path in page.select(".every-head > g:not(.found) path"):
        x, y = 0.0, 0.0
        for dx, dy, length in re.findall(r"m(-?[\d.]+) (-?[\d.]+)h(\d+)", path["d"]):
            x, y = x + float(dx) + int(length), y + float(dy)
            assert x > 0 and y % 1 == 0.5
            inked += int(length)
    assert inked == sum(int(((m.sqrt() * SHADES).round() > 0).sum()) for m in reading.weights.flatten(0, 1))


@BOTH
def test_the_heads_of_the_picture_above_are_marked(read):
    reading = read()
    drawing = BeautifulSoup(heads_of(reading), "html.parser")
    marked = [(float(each["x"]), float(each["y"])) for each in drawing.select(".found rect")]
    step, per_layer = len(reading.words) + 3, reading.weights.size(1)
    places = []
    for head in reading.heads:
        half, row = divmod(head.layer, ROWS)
        places.append((half * (per_layer * step + GAP) + head.head * step + 0.5, row * step + 0.5))
    assert marked == places
    assert len(every_head()) < 110_000


def test_the_next_words_are_the_most_likely():
    chances, ids = next_chances().topk(len(NEXT))
    assert [byte_pairs().decode([i]).strip() for i in ids.tolist()] == [word for word, _ in NEXT]
    assert chances.tolist() == pytest.approx([chance for _, chance in NEXT], abs=6e-3)


def test_an_unknown_door_is_refused():
    directive = object.__new__(front_doors.FrontDoors)
    directive.content = ["nowhere 去哪里"]
    directive.error = ValueError
    with pytest.raises(ValueError, match="nowhere"):
        directive.run()


# ---- 卡片上的小图 ----


def test_rows_of_attention(script):
    weights, (they,) = english("they")
    weights = weights[5, 5]
    assert script("why_transformer")["ROW"] == pytest.approx(weights[they].tolist(), abs=6e-3)
    assert torch.tensor(script("bertviz")["ROWS"]).sub(weights).abs().max() < 6e-3


def test_shares_of_all_heads(script):
    weights, (they, john, paul) = english("they", "John", "Paul")
    shares = weights[:, :, they, [john, paul]].sum(-1)
    assert torch.tensor(script("multi_head_attention")["SHARES"]).sub(shares).abs().max() < 6e-3


def test_one_row_by_hand(script):
    tokens, _, weights = run("The sky is blue")
    numbers = script("scaled_dot_product_attention")
    assert numbers["ROW"] == pytest.approx(weights[0, 4, tokens.index("blue")].tolist(), abs=6e-3)
    assert tokens[numbers["SKY"]] == "sky"


def test_pieces_and_bytes(script):
    numbers = script("tokenization")
    ids = word_pieces().encode(numbers["WORD"])[1:-1]
    pieces = [word_pieces().ids_to_tokens[i].removeprefix("##") for i in ids]
    assert pieces == numbers["PIECES"] and "".join(pieces) == numbers["WORD"]
    # 一个猫字，GPT 的词表里也没有：三个字节各是一个词元
    assert len(byte_pairs().encode(script("using_a_language_model")["CHARACTER"])) == 3


def test_rows_of_the_table(script):
    """四十六行压到平面上：坐标轴的正反不定。"""
    numbers = script("embedding")
    text = (ROOT / f"chapters/{file_of('embedding')}.ipynb").read_text(encoding="utf-8")
    words = [
        *(["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "two", "three", "four", "five", "six", "seven", "eight", "nine"]),
        *(["red", "blue", "green", "yellow", "purple", "pink", "brown", "orange", "dog", "cat", "horse", "cow", "pig", "sheep", "lion", "tiger", "jaguar"]),
        *(["volvo", "jeep", "mazda", "nissan", "porsche", "toyota", "ferrari", "beethoven", "mozart", "chopin", "brahms", "bach", "haydn", "schumann"]),
    ]  # fmt: skip
    assert all(word in text for word in words)
    drawn = [
        spot
        for name in ("WEEKDAYS", "NUMBERS", "COLORS", "ANIMALS", "CARS", "COMPOSERS")
        for spot in numbers[name]
    ]
    rows = bert().embeddings.tokens.weight.detach()[[word_pieces().vocab[word] for word in words]]
    rows = normalize(rows, dim=-1)
    rows = rows - rows.mean(dim=0)
    spots = rows @ torch.linalg.svd(rows, full_matrices=False).Vh[:2].T
    drawn = torch.tensor(drawn)
    spots = spots * (spots * drawn).sum(dim=0).sign()
    assert (spots - drawn).abs().max() < 6e-3


def test_a_neuron(script):
    layer = bert().encoder.layers[0].ffn.linear1
    for word, value in script("feed_forward")["WORDS"].items():
        kept = []
        hook = layer.register_forward_hook(lambda module, args, out, kept=kept: kept.append(out))
        with torch.no_grad():
            bert()(torch.tensor([word_pieces().encode(word)]))
        hook.remove()
        assert gelu(kept[0][0, 1, 139]).item() == pytest.approx(value, abs=6e-3)


def test_hands_of_the_clocks(script):
    """正弦编码的一对，正是一只钟的指针。"""
    table = sinusoidal_encoding(4, 16)
    for i, speed in enumerate(script("positional_encoding")["SPEEDS"]):
        angles = torch.arange(4) * speed
        assert (
            table[:, 2 * i : 2 * i + 2].sub(torch.stack([angles.sin(), angles.cos()], 1)).abs().max() < 1e-5
        )


def test_the_country_arrives_at_layer_24(script):
    numbers = script("large_language_model")
    model, france = language_model(), byte_pairs().encode(PROMPT)
    italy = byte_pairs().encode(PROMPT.replace("France", "Italy"))
    answers = [byte_pairs().encode(f" {word}")[0] for word in ("Paris", "Rome")]
    with torch.no_grad():
        other = torch.stack(model(torch.tensor([italy]), output_hidden_states=True).hidden_states)[:, 0]
        for layer in (1, 12, 23, 24, 30):

            def put(module, args, output, layer=layer):
                output[0][:, -1] = other[layer, -1]

            hook = model.layers[layer - 1].register_forward_hook(put)
            chances = model(torch.tensor([france])).logits[0, -1].softmax(dim=-1)[answers].tolist()
            hook.remove()
            drawn = [numbers[name][layer - 1] for name in ("PARIS", "ROME")]
            assert drawn == pytest.approx(chances, abs=6e-3)


def test_one_digit_and_one_jet(script):
    from sklearn.datasets import load_digits

    assert script("vision_transformer")["DIGIT"] == load_digits().images[2].astype(int).tolist()
    features, mask, labels = jets(12, seed=1000)
    drawn = torch.tensor(script("jet_tagging")["PARTICLES"])
    assert labels[5] == 1 and torch.allclose(features[5, : mask[5].sum()], drawn, atol=6e-3)
