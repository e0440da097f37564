"""首页的注意力图：弧、深浅与数都是真实的权重，由 Hugging Face 的实现另算一遍来比；头是搜出来的，不是写死的。"""

import re
from functools import cache
from itertools import pairwise

import pytest
import torch
from bs4 import BeautifulSoup

from course_book.doctree import attention_picture as room
from course_lib.weights import builtin_path, load_bert


@cache
def reference():
    """Hugging Face 的 BERT 读同一句话：(层, 头, N, N)。"""
    tokenizer, model = load_bert(builtin_path())
    inputs = tokenizer(room.SENTENCE, return_tensors="pt")
    tokens = tokenizer.convert_ids_to_tokens(inputs.input_ids[0])
    with torch.no_grad():
        attentions = model(**inputs, output_attentions=True).attentions
    return tokens, torch.stack(attentions)[:, 0]


@cache
def picture():
    return BeautifulSoup(room.picture(), "html.parser")


def test_one_word_one_token():
    tokens, _ = reference()
    assert [word if word.startswith("[") else word.lower() for word in room.words()] == tokens


def test_the_heads_are_found_by_search():
    tokens, weights = reference()
    at = tokens.index
    scores = [
        weights[:, :, at("they"), at("john")] + weights[:, :, at("they"), at("paul")],
        weights[:, :, at("wrote"), at("songs")],
        torch.stack([weights[:, :, i, i - 1] for i in range(1, len(tokens))]).mean(0),
    ]
    found = room.heads(room.attention())
    for head, score in zip(found, scores, strict=True):
        assert score[head.layer, head.head] == score.max() and score.max() > 0.6
    assert [tokens[head.word] for head in found] == ["they", "wrote", "songs"]


@pytest.mark.parametrize("number", range(3))
def test_every_arc_and_number_is_a_weight(number):
    """看得见的权重一个不少，一个不错；看不见的都小。"""
    _, weights = reference()
    head = room.heads(room.attention())[number]
    stage = picture().select(".attention-head")[number]
    inputs = stage.select("input")
    assert [i for i, radio in enumerate(inputs) if radio.has_attr("checked")] == [head.word]
    for query, drawn in enumerate(stage.select(".attention-arcs")):
        row = weights[head.layer, head.head, query].tolist()
        kept = [weight for weight in row if weight >= room.SHOWN]
        assert sum(row) - sum(kept) < 0.15 and kept
        for layout in room.LAYOUTS:
            canvas = drawn.select_one(f"svg.attention-{layout.name}")
            for shape in ("path", "rect"):
                widths = [float(mark["style"].removeprefix("--w:")) for mark in canvas.select(shape)]
                assert widths == pytest.approx(kept, abs=6e-4)
            written = [float(text.get_text()) for text in canvas.select("text")]
            assert written == pytest.approx([w for w in row if w >= room.NUMBERED], abs=6e-3)
        said = drawn.p.get_text()
        assert said.startswith(f"{room.words()[query]} 看 ")
        top = [float(number) for number in re.findall(r"\d\.\d\d", said)]
        assert top == pytest.approx([w for w in sorted(row)[:-4:-1] if w >= room.NUMBERED], abs=6e-3)
        assert inputs[query]["aria-describedby"] == drawn.p["id"]


@pytest.mark.parametrize("layout", room.LAYOUTS, ids=lambda layout: layout.name)
def test_the_boxes_stand_in_order_and_apart(layout):
    boxes = room.boxes(layout)
    assert all(x >= 0 and x + w <= layout.width for x, _, w in boxes)
    assert all(w >= room.CHIP for _, _, w in boxes)  # 手指点得中
    for (x1, y1, w1), (x2, y2, _) in pairwise(boxes):
        assert (y2 == y1 and x2 >= x1 + w1 + layout.gap - 1e-9) or y2 >= y1 + room.CHIP + 40
    assert len({y for _, y, _ in boxes}) == (1 if layout.name == "wide" else 3)


def test_a_split_word_is_refused(monkeypatch):
    monkeypatch.setattr(room, "SENTENCE", "Transformers wrote songs.")
    monkeypatch.setattr(room, "words", lambda: ["[CLS]", "Transformers", "wrote", "[SEP]"])
    with pytest.raises(ValueError, match="切成了几截"):
        room.attention()
