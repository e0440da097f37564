import weakref

import pytest
import torch
from samples import shaken
from torch import nn
from torch.testing import assert_close
from twins import layer_twin

from course_lib.attention import causal_mask, padding_mask
from course_lib.encoder import Encoder, EncoderLayer


@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize(("need_weights", "activation"), [(False, "gelu"), (True, "relu")])
def test_layer_matches_torch(norm_first, need_weights, activation):
    ours = shaken(EncoderLayer(12, 3, 20, activation=activation, norm_first=norm_first, layer_norm_eps=1e-4))
    assert ours.ffn.activation is getattr(nn.functional, activation)
    x, keep = torch.randn(2, 5, 12), torch.tensor([[1, 1, 1, 0, 0], [1] * 5]).bool()
    output, weights = ours(x, padding_mask(keep), need_weights)
    # torch 的快速路径会把填充位置的输出清零，所以只比真实词元
    with torch.enable_grad():
        expected = layer_twin(ours)(x, src_key_padding_mask=~keep)
    assert_close(output[keep], expected[keep], atol=1e-5, rtol=1e-5)
    assert (weights is not None) == need_weights


@pytest.mark.parametrize("norm_first", [False, True])
def test_encoder_matches_torch(norm_first):
    ours = shaken(Encoder(3, 12, num_heads=3, d_ff=20, norm_first=norm_first, layer_norm_eps=1e-2))
    assert {m.eps for m in ours.modules() if isinstance(m, nn.LayerNorm)} == {1e-2}
    x, mask = torch.randn(2, 5, 12), causal_mask(5)
    expected = x
    for layer in ours.layers:
        expected = layer_twin(layer)(expected, src_mask=~mask)
    if norm_first:
        expected = nn.functional.layer_norm(expected, (12,), ours.norm.weight, ours.norm.bias, ours.norm.eps)
    assert_close(ours(x, mask).last_hidden_state, expected, atol=1e-5, rtol=1e-5)


def test_what_is_asked_for_is_returned():
    encoder, x = shaken(Encoder(3, 8, num_heads=2, d_ff=16)), torch.randn(2, 4, 8)
    plain = encoder(x)
    assert plain.hidden_states is None and plain.attentions is None
    full = encoder(x, output_hidden_states=True, need_weights=True)
    assert len(full.hidden_states) == 4 and torch.equal(full.hidden_states[0], x)
    assert torch.equal(full.hidden_states[-1], full.last_hidden_state)
    assert [w.shape for w in full.attentions] == [(2, 2, 4, 4)] * 3
    assert_close(plain.last_hidden_state, full.last_hidden_state, atol=1e-5, rtol=1e-5)


def test_defaults_are_those_of_torch():
    layer, theirs = EncoderLayer(8, 2, 16), nn.TransformerEncoderLayer(8, 2, 16)
    assert layer.norm_first is Encoder(1, 8, num_heads=2, d_ff=16).layers[0].norm_first is theirs.norm_first
    for ours in (layer, Encoder(1, 8, num_heads=2, d_ff=16, norm_first=True)):
        assert {m.eps for m in ours.modules() if isinstance(m, nn.LayerNorm)} == {theirs.norm1.eps}
        assert {m.p for m in ours.modules() if isinstance(m, nn.Dropout)} == {theirs.dropout.p}
    assert layer(torch.randn(1, 3, 8))[1] is None


def test_pre_norm_needs_its_final_norm():
    """pre-norm 的主干一路相加，不补最后的层归一化，输出的方差就随层数增长。"""
    torch.manual_seed(0)
    encoder, x = Encoder(12, 64, num_heads=4, d_ff=256, norm_first=True).eval(), torch.randn(4, 10, 64)
    normed = encoder(x, output_hidden_states=True)
    assert normed.hidden_states[-1].std() > 1.2
    assert normed.last_hidden_state.std().item() == pytest.approx(1, abs=0.01)


def test_dropout_reaches_both_sublayers():
    torch.manual_seed(0)
    layer, x = EncoderLayer(8, 2, 16, dropout=0.5).train(), torch.randn(1, 4, 8)
    assert not torch.allclose(layer(x)[0], layer(x)[0])
    rates = {m.p for m in layer.modules() if isinstance(m, nn.Dropout)} | {layer.self_attn.dropout}
    assert rates == {0.5}


@pytest.mark.parametrize("norm_first", [False, True])
def test_dropping_everything_leaves_the_residual(norm_first):
    """两个子层的输出（连同偏置）都丢掉，就只剩残差与层归一化。"""
    layer, x = (
        shaken(EncoderLayer(8, 2, 16, dropout=1.0, norm_first=norm_first)).train(),
        torch.randn(1, 4, 8),
    )
    assert_close(layer(x, need_weights=True)[0], x if norm_first else layer.norm2(layer.norm1(x)))


def test_runs_in_half_precision():
    for dtype in (torch.float16, torch.bfloat16):
        encoder = Encoder(2, 8, num_heads=2, d_ff=16).to(dtype).eval()
        output = encoder(torch.randn(1, 4, 8, dtype=dtype), causal_mask(4)).last_hidden_state
        assert output.dtype == dtype and output.isfinite().all()


@pytest.mark.parametrize("asked", [False, True])
def test_layers_are_kept_only_when_asked(asked):
    encoder, alive = shaken(Encoder(3, 8, num_heads=2, d_ff=8)), []
    first, _, last = encoder.layers
    first.register_forward_hook(lambda module, inputs, output: alive.append(weakref.ref(output[0])))
    last.register_forward_hook(lambda module, inputs, output: alive.append(alive[0]() is not None))
    with torch.no_grad():
        encoder(torch.randn(1, 4, 8), output_hidden_states=asked)
    assert alive[1] == asked
