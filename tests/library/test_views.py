"""三种视图：不开浏览器能查的部分。"""

import copy
import html
import json
import math
import re

import bertviz
import matplotlib
import numpy as np
import pytest
import torch
from transformers import AutoModel

from course_lib import weights
from course_lib.show import views
from course_lib.show.frames import AT_ONCE, IN_SLICES, UI_WORDS, offline_frame

matplotlib.use("agg")
SENTENCE = "time flies like an arrow"
VIEWS = [views.head_view, views.model_view, views.neuron_view]


@pytest.fixture(scope="module")
def bert():
    tokenizer, model = weights.load_bert()
    return model, tokenizer


@pytest.fixture
def shown(monkeypatch):
    """视图显示出来的 HTML，按先后排列。"""
    pages = []
    monkeypatch.setattr(views, "display", lambda output: pages.append(output.data))
    return pages


def data(page):
    """一个框里交给 bertviz 的数据。"""
    source = html.unescape(page)
    start = re.search(r"(?:const params|window\.bertviz_params) = unfold\(", source).end()
    return json.JSONDecoder(parse_float=str).raw_decode(source, start)[0]


@pytest.mark.parametrize("view", VIEWS)
def test_same_input_same_page(bert, shown, view):
    view(*bert, SENTENCE)
    view(*bert, SENTENCE)
    view(*bert, "time flies like an apple")
    assert shown[0] == shown[1] != shown[2]


@pytest.mark.parametrize("view", VIEWS)
def test_page_is_whole_and_chinese(bert, shown, view):
    """不向别处取东西；要换掉的英文词，换完一个不剩。"""
    view(*bert, SENTENCE, "fruit flies like a banana")
    source = html.unescape(shown[0])
    assert source.count("<script") == source.count("</script>") >= 4
    assert not re.search(r"""(src|href)\s*=\s*["']?(https?:)?//|cdnjs|require\.config""", source)
    assert "句 A → 句 B" in source and "注意力：" in source
    assert '<html lang="zh-CN">' in source
    assert not [english for english, _ in UI_WORDS if english in source]
    assert AT_ONCE not in source and (IN_SLICES in source) == (view is views.model_view)
    assert not re.search(
        r"No token|Sentence [AB]|\(elementwise\)|text\(['\"](Query|Key|Heads|Layers)|>All<", source
    )
    title = re.search(r'<iframe title="(.*?)"', shown[0])[1]
    assert title.endswith(f"视图：{SENTENCE} / fruit flies like a banana")


def test_every_translation_is_used(bert, shown):
    for view in VIEWS:
        view(*bert, SENTENCE, "fruit flies like a banana")
    pages = html.unescape("".join(shown))
    assert not [chinese for _, chinese in UI_WORDS if chinese not in pages]


def test_weights_are_rounded_to_four_digits(bert, shown):
    model, tokenizer = bert
    views.head_view(model, tokenizer, SENTENCE)
    written = data(shown[0])["attention"][0]["attn"]
    with torch.no_grad():
        attentions = model(**tokenizer(SENTENCE, return_tensors="pt"), output_attentions=True).attentions
    exact = torch.cat(attentions)
    digits = [digit for layer in written for head in layer for row in head for digit in row]
    assert len(digits) == exact.numel()
    assert max(len(digit.split("e")[0].replace(".", "").strip("-0")) for digit in digits) == 4
    torch.testing.assert_close(
        torch.tensor([float(d) for d in digits]), exact.flatten(), rtol=6e-4, atol=1e-6
    )


def test_tokens_are_left_alone():
    """像小数的词元不被舍入，像标签的词元不截断脚本。"""
    tokens = ["</script>", "0.123456789", "<!--<script", 'a"b']
    attention = [torch.rand(1, 2, 4, 4)]
    raw = bertviz.head_view(attention, tokens, html_action="return").data
    page = offline_frame(raw, 350, title="<x> & 'y'")
    assert data(page)["attention"][0]["left_text"] == tokens
    source = html.unescape(re.search(r'srcdoc="(.*?)"', page, re.DOTALL)[1])
    assert source.count("<script") == source.count("</script>") == 5
    escaped = "&lt;x&gt; &amp; &#x27;y&#x27;"
    assert f"<title>{escaped}</title>" in source and f'<iframe title="{escaped}"' in page
    assert "HACK" not in source  # bertviz 在注释里重复了一遍数据


def test_unknown_bertviz_output_is_refused():
    with pytest.raises(RuntimeError, match=r"bertviz==1\.4\.1"):
        offline_frame("<div>别的版本</div>", 350, title="")
    with pytest.raises(RuntimeError, match="外部地址"):
        offline_frame(
            '<img src="https://x.org/a.png">const params = {"root_div_id": "a", "attention": [{}]};', 9, ""
        )


@pytest.mark.parametrize("view", VIEWS)
def test_pair_is_stored_once(bert, shown, view):
    model, tokenizer = bert
    view(model, tokenizer, "time flies", "like an arrow")
    views = data(shown[0])["attention"]
    whole, aa, bb, ab, ba = views.values() if isinstance(views, dict) else views
    assert whole["left_text"] == ["[CLS]", "time", "flies", "[SEP]", "like", "an", "arrow", "[SEP]"]
    spans = [[0, 4], [0, 4]], [[4, 8], [4, 8]], [[0, 4], [4, 8]], [[4, 8], [0, 4]]
    for part, (rows, cols) in zip((aa, bb, ab, ba), spans, strict=True):
        assert (part["rows"], part["cols"]) == (rows, cols)
        assert part["left_text"] == whole["left_text"][slice(*rows)]
        assert part["right_text"] == whole["left_text"][slice(*cols)]
        assert not part.keys() & {"attn", "queries", "keys"}


def test_included_layers_and_heads(bert, shown):
    views.head_view(*bert, SENTENCE, layer=5, heads=[3], include_layers=[0, 5])
    views.model_view(*bert, SENTENCE, include_layers=[4], include_heads=[1, 2])
    head, model = map(data, shown)
    assert (head["include_layers"], head["layer"], head["heads"]) == ([0, 5], 5, [3])
    assert len(head["attention"][0]["attn"]) == 2
    assert (model["include_layers"], model["include_heads"]) == ([4], [1, 2])
    assert [len(model["attention"][0]["attn"]), len(model["attention"][0]["attn"][0])] == [1, 2]


def test_indices_may_come_from_argmax(bert, shown):
    """numpy 与 torch 的整数也是编号。"""
    views.head_view(*bert, SENTENCE, layer=np.argmax([0, 1]), heads=torch.tensor([3, 4]))
    views.neuron_view(*bert, SENTENCE, layer=torch.tensor([0, 1]).argmax(), head=np.int64(2))
    head, neuron = map(data, shown)
    assert (head["layer"], head["heads"]) == (1, [3, 4])
    assert (neuron["layer"], neuron["head"]) == (1, 2)


def test_queries_and_keys_give_the_weights(bert):
    """softmax(q·k/√d) 就是模型自己的注意力，单句与句对都是。"""
    model, tokenizer = bert
    for sentences in [(SENTENCE,), (SENTENCE, "fruit flies")]:
        inputs = tokenizer(*sentences, return_tensors="pt")
        (layers,) = views.QueriesAndKeys(model)(inputs["input_ids"], inputs["token_type_ids"])
        with torch.no_grad():
            attentions = model(**inputs, output_attentions=True).attentions
        assert len(layers) == len(attentions)
        for layer, attn in zip(layers, attentions, strict=True):
            scores = layer["queries"] @ layer["keys"].mT / math.sqrt(layer["queries"].shape[-1])
            torch.testing.assert_close(scores.softmax(-1), attn, atol=1e-5, rtol=0)
            torch.testing.assert_close(layer["attn"], attn)
            assert not layer["attn"].requires_grad


def test_hooks_are_removed_even_after_an_error(bert):
    model, _ = bert
    adapter = views.QueriesAndKeys(model)
    adapter(torch.tensor([[101, 102]]))
    with pytest.raises(IndexError):
        adapter(torch.tensor([[101, 10**9]]))
    attentions = [layer.attention.self for layer in model.encoder.layer]
    assert not any(attn.query._forward_hooks or attn.key._forward_hooks for attn in attentions)


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize(
    ("sentences", "message"),
    [
        (("",), "sentence_a=''"),
        ((" \n",), "非空的句子"),
        ((["time"],), "sentence_a="),
        ((SENTENCE, ""), "sentence_b=''"),
        (("arrow " * 600,), "602 个词元，超过了模型的上限 512"),
    ],
)
def test_bad_sentences(bert, shown, view, sentences, message):
    with pytest.raises(ValueError, match=message):
        view(*bert, *sentences)
    assert not shown


@pytest.mark.parametrize(
    ("view", "choice", "message"),
    [
        (views.head_view, {"layer": 6}, "layer=6"),
        (views.head_view, {"layer": 1, "include_layers": [2]}, r"layer=1 不在保留的层 \[2\]"),
        (views.head_view, {"heads": [12]}, r"heads=\[12\]：应当是一列 0 到 11"),
        (views.head_view, {"layer": "1"}, "layer='1'"),
        (views.head_view, {"heads": 1}, "heads=1：应当是一列"),
        (views.head_view, {"heads": [0.5]}, r"heads=\[0\.5\]"),
        (views.head_view, {"include_layers": []}, r"include_layers=\[\]"),
        (views.model_view, {"include_heads": [-1]}, r"include_heads=\[-1\]"),
        (views.neuron_view, {"layer": 6}, r"layer=\[6\]"),
        (views.neuron_view, {"head": 12}, r"head=\[12\]"),
    ],
)
def test_bad_choices(bert, view, choice, message):
    with pytest.raises(ValueError, match=message):
        view(*bert, SENTENCE, **choice)


@pytest.mark.parametrize("view", VIEWS)
def test_model_without_attentions(bert, view):
    """SDPA 不交出权重：错误要说出改哪个参数。"""
    model, tokenizer = bert
    fused = AutoModel.from_config(copy.deepcopy(model.config), attn_implementation="sdpa").eval()
    with pytest.raises(ValueError, match='attn_implementation="eager"'):
        view(fused, tokenizer, SENTENCE)


def test_model_in_training_mode(bert):
    model, tokenizer = bert
    model.train()
    try:
        with pytest.raises(ValueError, match=r"model\.eval"):
            views.head_view(model, tokenizer, SENTENCE)
    finally:
        model.eval()


def test_long_sentence_is_announced(bert, shown):
    with pytest.warns(UserWarning, match="62 个词元"):
        views.head_view(*bert, "arrow " * 60, include_layers=[0])
    assert shown
