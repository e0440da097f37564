"""我们自己的 BERT 装上真实权重，每一层都与 Hugging Face 的相同。"""

from dataclasses import replace

import pytest
import torch
import torch.nn.functional as F
from samples import bert_pair
from torch import nn
from torch.testing import assert_close

from course_lib.bert import Bert
from course_lib.config import BertConfig


@pytest.fixture(scope="module")
def pair():
    return bert_pair()


BATCHES = {
    "一句": ["time flies like an arrow"],
    "带填充的一批": [
        "time flies like an arrow",
        "hi",
        "the bank robber sat on the river bank, 分词 included",
    ],
    "句对": [("time flies like an arrow", "fruit flies like a banana"), ("yes", "no")],
    "最长": ["time flies like an arrow while fruit flies like a banana " * 46],
}


@pytest.mark.parametrize("texts", BATCHES.values(), ids=BATCHES)
def test_matches_the_reference_at_every_layer(pair, texts):
    tokenizer, reference, ours = pair
    inputs = tokenizer(texts, padding=True, truncation=True, return_tensors="pt")
    # 512 个键相加，fp32 的舍入更大：Hugging Face 自己的 eager 与 sdpa 也相差 7e-6
    atol = 2e-5 if inputs.input_ids.size(1) == 512 else 1e-5
    with torch.no_grad():
        expected = reference(**inputs, output_hidden_states=True, output_attentions=True)
        got = ours(**inputs, output_hidden_states=True, need_weights=True)
        fused = ours(**inputs).last_hidden_state
    real = inputs.attention_mask.bool()
    assert len(got.hidden_states) == len(expected.hidden_states) == ours.config.num_layers + 1
    for layer, (a, b) in enumerate(zip(got.hidden_states, expected.hidden_states, strict=True)):
        assert_close(a[real], b[real], atol=atol, rtol=0, msg=lambda m, layer=layer: f"第 {layer} 层：{m}")
    for a, b in zip(got.attentions, expected.attentions, strict=True):
        keep = real[:, None, :, None].expand_as(a)
        assert_close(a[keep], b[keep], atol=1e-5, rtol=0)
    assert_close(fused[real], expected.last_hidden_state[real], atol=atol, rtol=0)


def test_padding_does_not_matter(pair):
    tokenizer, _, ours = pair
    texts = ["time flies like an arrow", "hi", "the bank robber sat on the river bank"]
    batch = tokenizer(texts, padding=True, return_tensors="pt")
    with torch.no_grad():
        together = ours(**batch).last_hidden_state
        for text, row in zip(texts, together, strict=True):
            alone = ours(**tokenizer(text, return_tensors="pt")).last_hidden_state[0]
            assert_close(row[: len(alone)], alone, atol=1e-5, rtol=0)


def test_a_folder_of_its_own(tmp_path):
    """给了文件夹，装的就是那里的权重，不是内置的。"""
    from transformers import BertConfig as HFConfig
    from transformers import BertModel

    config = HFConfig(
        vocab_size=30, hidden_size=8, num_attention_heads=2, intermediate_size=16, num_hidden_layers=1
    )
    reference = BertModel(config).eval()
    reference.save_pretrained(tmp_path)
    (tmp_path / "vocab.txt").write_text("\n".join(map(str, range(30))))
    ours, ids = Bert.from_pretrained(str(tmp_path)), torch.tensor([[3, 29, 0]])
    assert ours.config.vocab_size == 30 and not ours.training
    assert {p.dtype for p in ours.parameters()} == {torch.float32}
    with torch.no_grad():
        assert_close(ours(ids).last_hidden_state, reference(ids).last_hidden_state, atol=1e-5, rtol=0)


def test_mask_is_dropped_when_nothing_is_padded(pair, monkeypatch):
    tokenizer, _, ours = pair
    fused, masks = F.scaled_dot_product_attention, []

    def spy(*args, attn_mask=None, **options):
        masks.append(attn_mask)
        return fused(*args, attn_mask=attn_mask, **options)

    monkeypatch.setattr(F, "scaled_dot_product_attention", spy)
    for texts, dropped in ((["hi", "no"], True), (["hi", "time flies"], False)):
        masks.clear()
        with torch.no_grad():
            ours(**tokenizer(texts, padding=True, return_tensors="pt"))
        assert len(masks) == ours.config.num_layers
        assert all((mask is None) == dropped for mask in masks)


SMALL = BertConfig(vocab_size=20, d_model=8, num_heads=2, d_ff=16, num_layers=2, max_len=6, dropout=0.5)


def test_every_number_of_the_config_is_used():
    bert = Bert(replace(SMALL, layer_norm_eps=0.01, activation="relu", pad_token_id=3))
    assert {m.p for m in bert.modules() if isinstance(m, nn.Dropout)} == {0.5}
    assert {m.eps for m in bert.modules() if isinstance(m, nn.LayerNorm)} == {0.01}
    assert all(layer.ffn.activation is F.relu for layer in bert.encoder.layers)
    bert(torch.tensor([[1, 3]])).last_hidden_state.square().sum().backward()
    grad = bert.embeddings.tokens.weight.grad
    assert (grad[3] == 0).all() and (grad[1] != 0).any()  # [PAD] 的嵌入不参加训练


def test_follows_the_device_of_its_input():
    """不给 device 的张量会落在默认设备上，与输入不在一处。"""
    bert, ids = Bert(SMALL).eval(), torch.ones(1, 4, dtype=torch.long)
    expected = bert(ids, ids).last_hidden_state
    with torch.device("meta"):
        assert torch.equal(bert(ids, ids).last_hidden_state, expected)


def test_extras_come_only_when_asked_and_max_len_still_fits():
    output = Bert(SMALL).eval()(torch.ones(1, SMALL.max_len, dtype=torch.long))
    assert output.last_hidden_state.shape == (1, SMALL.max_len, SMALL.d_model)
    assert output.hidden_states is None and output.attentions is None


@pytest.mark.parametrize(
    ("inputs", "error", "words"),
    [
        (([[0, 20]],), ValueError, "词元编号 20 不在 0 到 19 之间"),
        (([1, 2],), ValueError, r"形状应当是 \(B, N\)"),
        (([[1] * 7],), ValueError, "7 个词元，超过了 max_len=6，请先截断或分段。"),
        (([[1.0]],), TypeError, "词元编号应当是整数"),
        (
            ([[1] * 4] * 2, [[1] * 3] * 2),
            ValueError,
            r"attention_mask 的形状 \(2, 3\) 应与 input_ids 的 \(2, 4\)",
        ),
        (([[1] * 4] * 2, None, [[0] * 4]), ValueError, r"token_type_ids 的形状 \(1, 4\) 应与 input_ids 的"),
        (([[1]], None, [[2]]), ValueError, "段编号 2 不在 0 到 1 之间"),
        (([[1]], None, [[True]]), TypeError, "段编号应当是整数"),
    ],
)
def test_wrong_input(inputs, error, words):
    with pytest.raises(error, match=words):
        Bert(SMALL).eval()(*(x if x is None else torch.tensor(x) for x in inputs))


def test_dropout_in_training():
    torch.manual_seed(0)
    bert, ids = Bert(SMALL).train(), torch.ones(1, 4, dtype=torch.long)
    assert not torch.allclose(bert(ids).last_hidden_state, bert(ids).last_hidden_state)
    assert not torch.allclose(bert.embeddings(ids), bert.embeddings(ids))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision(dtype):
    bert = Bert(SMALL).to(dtype).eval()
    mask = torch.tensor([[1, 1, 0, 0]])
    output = bert(torch.ones(1, 4, dtype=torch.long), mask).last_hidden_state
    assert output.dtype == dtype and output.isfinite().all()


def test_loading_draws_the_initial_values_first(pair):
    """正文里引用的数，是随机数走过初值之后得来的。"""
    after = []
    for make in (lambda: Bert(pair[2].config), Bert.from_pretrained):
        torch.manual_seed(0)
        make()
        after.append(torch.rand(1))
    assert after[0] == after[1]
