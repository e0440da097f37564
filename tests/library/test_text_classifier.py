"""池化与文本分类器：与直接计算相同，填充不起作用，给的是 logits。"""

import math

import pytest
import torch
import torch.nn.functional as F
from samples import classifier, sentences
from torch.testing import assert_close

from course_lib.layers import sinusoidal_encoding
from course_lib.tasks.text_classifier import TextClassifier, pool

KINDS = ["cls", "mean", "max"]


def ragged():
    torch.manual_seed(0)
    lengths = torch.tensor([[6], [4], [1]])
    return torch.randn(3, 6, 8), (torch.arange(6) < lengths).long()


@pytest.mark.parametrize("kind", KINDS)
def test_pool_matches_each_sequence_alone(kind):
    hidden, mask = ragged()
    alone = {"cls": lambda x: x[0], "mean": lambda x: x.mean(dim=0), "max": lambda x: x.amax(dim=0)}[kind]
    expected = torch.stack([alone(hidden[i, : mask[i].sum()]) for i in range(3)])
    assert_close(pool(hidden, mask, kind), expected)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("garbage", [1e9, -1e9, math.inf, math.nan])
def test_pool_ignores_whatever_is_at_padding(kind, garbage):
    hidden, mask = ragged()
    spoiled = hidden.masked_fill(mask[..., None] == 0, garbage)
    assert_close(pool(spoiled, mask, kind), pool(hidden, mask, kind))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("kind", KINDS)
def test_pool_in_half_precision(kind, dtype):
    hidden, mask = ragged()
    pooled = pool(hidden.to(dtype), mask, kind)
    assert pooled.dtype == dtype
    assert_close(pooled.float(), pool(hidden, mask, kind), atol=0.02, rtol=0.02)


def test_pool_refuses():
    hidden, mask = ragged()
    with pytest.raises(ValueError, match="没有名叫 'sum' 的池化，可用的有 cls、mean、max。"):
        pool(hidden, mask, "sum")
    with pytest.raises(ValueError, match=r"\(3, 6, 8\) 与 \(3, 5\)"):
        pool(hidden, mask[:, :5])
    with pytest.raises(ValueError, match=r"\(6, 8\)"):
        pool(hidden[0], mask[0])
    with pytest.raises(ValueError, match="第 2 个序列全是填充"):
        pool(hidden, mask * torch.tensor([[1], [1], [0]]), "mean")


@pytest.mark.parametrize("options", [{}, {"pooling": "mean"}, {"positions": False}, {"norm_first": True}])
def test_forward_is_the_plain_computation(options):
    model, (ids, mask) = classifier(num_classes=3, **options), sentences()
    for i in range(3):
        row = ids[i, : mask[i].sum()]
        x = model.tokens.weight[row] * 4.0
        if options.get("positions", True):
            x = x + sinusoidal_encoding(7, 16)[: len(row)]
        hidden = model.encoder(x[None]).last_hidden_state[0]
        pooled = hidden.mean(dim=0) if options.get("pooling") == "mean" else hidden[0]
        assert_close(model.pooled(ids, mask)[i], pooled, atol=1e-5, rtol=0)
        logits = pooled @ model.head.weight.T + model.head.bias
        assert_close(model(ids, mask)[i], logits, atol=1e-5, rtol=0)


@pytest.mark.parametrize("kind", KINDS)
def test_padding_does_not_matter(kind):
    model, (ids, mask) = classifier(pooling=kind), sentences()
    longer = F.pad(ids, (0, 5), value=0), F.pad(mask, (0, 5))
    assert_close(model(*longer), model(ids, mask), atol=1e-5, rtol=0)
    other_padding = ids + 7 * (1 - mask)
    assert_close(model(other_padding, mask), model(ids, mask), atol=1e-5, rtol=0)


def test_initial_embeddings_are_small_and_padding_is_zero():
    model = TextClassifier(5000, d_model=64)
    assert model.tokens.weight[0].abs().max() == 0
    assert model.tokens.weight[1:].std().item() == pytest.approx(0.02, rel=0.02)


def test_dropout_only_while_training():
    model, (ids, mask) = classifier(dropout=0.5), sentences()
    assert_close(model(ids, mask), model(ids, mask))
    model.train()
    assert not torch.allclose(model(ids, mask), model(ids, mask))


def test_every_parameter_learns_and_padding_does_not():
    model, (ids, mask) = classifier().train(), sentences()
    F.cross_entropy(model(ids, mask), torch.tensor([0, 1, 0])).backward()
    assert all(p.grad is not None and p.grad.isfinite().all() for p in model.parameters())
    gradient = model.tokens.weight.grad.abs().sum(dim=-1)
    assert gradient[0] == 0 and (gradient[ids[mask.bool()]] > 0).all()


def test_has_no_sinusoids_to_learn_and_moves_with_the_model():
    model = classifier()
    assert not [name for name in model.state_dict() if "encoding" in name]
    assert model.double().positions.encoding.dtype == torch.float64


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda ids, mask: (ids[0], mask[0]), r"\(7,\)"),
        (
            lambda ids, mask: (ids, mask[:, :4]),
            r"attention_mask 的形状 \(3, 4\) 应与 input_ids 的 \(3, 7\) 相同",
        ),
        (lambda ids, mask: (ids[:0], mask[:0]), r"\(0, 7\)"),
        (lambda ids, mask: (torch.where(ids == ids.max(), 20, 0), mask), "词元编号 20 不在 0 到 19 之间"),
        (lambda ids, mask: (torch.where(ids == ids.max(), -1, 19), mask), "词元编号 -1 不在"),
        (lambda ids, mask: (ids, mask * 2), "只能含 0 和 1"),
        (lambda ids, mask: (ids, mask * 0), "第 0 个序列全是填充"),
        (lambda ids, mask: (ids.repeat(1, 100), mask.repeat(1, 100)), "超过了 max_len=512"),
    ],
)
def test_wrong_inputs(change, message):
    with pytest.raises(ValueError, match=message):
        classifier()(*change(*sentences()))


def test_defaults():
    model = TextClassifier(20)
    assert model.head.out_features == 2 and len(model.encoder.layers) == 2 and model.pooling == "cls"
    for layer in model.encoder.layers:
        assert layer.self_attn.num_heads == 4 and not layer.norm_first
        assert (layer.ffn.linear1.in_features, layer.ffn.linear1.out_features) == (64, 128)
    assert {m.p for m in model.modules() if isinstance(m, torch.nn.Dropout)} == {0.1}


def test_options_reach_the_encoder():
    model = classifier(norm_first=True, dropout=0.3)
    assert all(layer.norm_first for layer in model.encoder.layers)
    assert {m.p for m in model.modules() if isinstance(m, torch.nn.Dropout)} == {0.3}
    assert {layer.self_attn.dropout for layer in model.encoder.layers} == {0.3}


def test_wrong_options():
    with pytest.raises(ValueError, match="没有名叫 'first' 的池化，可用的有 cls、mean、max。"):
        classifier(pooling="first")
    with pytest.raises(ValueError, match="num_heads=3"):
        classifier(num_heads=3)
