import pytest
import torch
from samples import shaken
from torch import nn
from torch.testing import assert_close
from twins import layer_twin

from course_lib.attention import Cache, causal_mask, padding_mask
from course_lib.config import TransformerConfig
from course_lib.decoder import Decoder, DecoderLayer
from course_lib.transformer import Transformer


def batch(n=5, m=4, d_model=12):
    """目标 (2, n, D)、来源 (2, m, D)，以及来源里哪些是真的：第一句末尾两个是填充。"""
    real = torch.tensor([[True] * (m - 2) + [False] * 2, [True] * m])
    return torch.randn(2, n, d_model), torch.randn(2, m, d_model), real


@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize(("need_weights", "activation"), [(False, "relu"), (True, "gelu")])
def test_layer_matches_torch(norm_first, need_weights, activation):
    ours = shaken(DecoderLayer(12, 3, 20, activation=activation, norm_first=norm_first, layer_norm_eps=1e-4))
    x, memory, real = batch()
    output, own, cross = ours(x, memory, causal_mask(5), padding_mask(real), need_weights)
    options = {"tgt_mask": ~causal_mask(5), "memory_key_padding_mask": ~real}
    assert_close(output, layer_twin(ours)(x, memory, **options), atol=1e-5, rtol=1e-5)
    if need_weights:
        assert own.shape == (2, 3, 5, 5) and cross.shape == (2, 3, 5, 4)
        assert (own[..., ~causal_mask(5)] == 0).all() and (cross[0, ..., 2:] == 0).all()
        assert_close(cross.sum(dim=-1), torch.ones(2, 3, 5))
    else:
        assert own is None and cross is None


def test_defaults_are_those_of_torch():
    layer, theirs = DecoderLayer(8, 2, 16), nn.TransformerDecoderLayer(8, 2, 16)
    assert layer.ffn.activation is theirs.activation is nn.functional.relu
    assert layer.norm_first is Decoder(1, 8, num_heads=2, d_ff=16).layers[0].norm_first is theirs.norm_first
    for ours in (layer, Decoder(1, 8, num_heads=2, d_ff=16, norm_first=True)):
        assert {m.eps for m in ours.modules() if isinstance(m, nn.LayerNorm)} == {theirs.norm1.eps}
        assert {m.p for m in ours.modules() if isinstance(m, nn.Dropout)} == {theirs.dropout.p}
    assert layer(torch.randn(1, 3, 8), torch.randn(1, 4, 8))[1:] == (None, None)


@pytest.mark.parametrize("norm_first", [False, True])
def test_decoder_matches_torch(norm_first):
    ours = shaken(Decoder(3, 12, num_heads=3, d_ff=20, norm_first=norm_first, layer_norm_eps=1e-2))
    assert {m.eps for m in ours.modules() if isinstance(m, nn.LayerNorm)} == {1e-2}
    assert sum(isinstance(m, nn.LayerNorm) for m in ours.modules()) == 9 + norm_first
    x, memory, real = batch()
    expected = x
    for layer in ours.layers:  # 每一层都读同一份 memory
        expected = layer_twin(layer)(
            expected, memory, tgt_mask=~causal_mask(5), memory_key_padding_mask=~real
        )
    output = ours(x, memory, causal_mask(5), padding_mask(real)).last_hidden_state
    assert_close(output, ours.norm(expected), atol=1e-5, rtol=1e-5)


def test_what_is_asked_for_is_returned():
    decoder, (x, memory, _) = shaken(Decoder(3, 12, num_heads=3, d_ff=20)), batch()
    plain, full = decoder(x, memory), decoder(x, memory, need_weights=True)
    assert plain.attentions is None and plain.cross_attentions is None
    assert [w.shape for w in full.attentions] == [(2, 3, 5, 5)] * 3
    assert [w.shape for w in full.cross_attentions] == [(2, 3, 5, 4)] * 3
    assert_close(plain.last_hidden_state, full.last_hidden_state, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize("sizes", [(1, 1, 1, 1, 1), (2, 3), (5,)])
def test_step_by_step_equals_all_at_once(norm_first, sizes):
    decoder = shaken(Decoder(2, 12, num_heads=3, d_ff=20, norm_first=norm_first))
    x, memory, real = batch()
    full = decoder(x, memory, causal_mask(5), padding_mask(real), need_weights=True)
    cache, past, steps = decoder.new_cache(), 0, []
    for size in sizes:
        new, mask = x[:, past : past + size], causal_mask(size, past=past)
        steps.append(decoder(new, memory, mask, padding_mask(real), True, cache))
        past += size
        assert [(len(own), len(cross)) for own, cross in cache] == [(past, 4)] * 2
    together = torch.cat([step.last_hidden_state for step in steps], dim=1)
    assert_close(together, full.last_hidden_state, atol=1e-5, rtol=0)
    cross = torch.cat([step.cross_attentions[1] for step in steps], dim=2)
    assert_close(cross, full.cross_attentions[1], atol=1e-5, rtol=0)
    last = steps[-1].attentions[1]  # 最后几个位置看到的是缓存里的全部
    assert_close(last, full.attentions[1][:, :, -sizes[-1] :], atol=1e-5, rtol=0)


def test_memory_is_projected_once():
    decoder, (x, memory, _) = shaken(Decoder(2, 12, num_heads=3, d_ff=20)), batch()
    calls = []
    for layer in decoder.layers:
        layer.cross_attn.k_proj.register_forward_hook(lambda *args: calls.append(1))
    cache = decoder.new_cache()
    for i in range(5):
        decoder(x[:, i : i + 1], memory, cache=cache)
    assert len(calls) == 2  # 每层一次，不是每步一次


def test_cache_follows_the_chosen_rows():
    """各句的来源也不同：交叉注意力的缓存要跟着换行。"""
    decoder, (x, memory, _) = shaken(Decoder(2, 12, num_heads=3, d_ff=20)), batch()
    cache, rows = decoder.new_cache(), torch.tensor([1, 1, 0])
    decoder(x[:, :3], memory, causal_mask(3), cache=cache)
    for pair in cache:
        for each in pair:
            each.select(rows)
    last = decoder(x[rows, 3:4], memory[rows], cache=cache).last_hidden_state
    full = decoder(x[:, :4], memory, causal_mask(4)).last_hidden_state
    assert_close(last[:, 0], full[rows, 3], atol=1e-5, rtol=0)


@pytest.mark.parametrize("layers", [1, 3])
def test_a_cache_of_another_decoder_is_refused(layers):
    decoder, (x, memory, _) = Decoder(2, 12, num_heads=3, d_ff=20), batch()
    with pytest.raises(ValueError, match=f"^cache 有 {layers} 层的，模型有 2 层"):
        decoder(x, memory, cache=Decoder(layers, 12, num_heads=3, d_ff=20).new_cache())


def test_a_cache_of_a_language_model_is_refused():
    decoder, (x, memory, _) = Decoder(2, 12, num_heads=3, d_ff=20), batch()
    model = Transformer(TransformerConfig(9, 9, 12, 3, 20, 2))
    target = torch.ones(len(memory), 1, dtype=torch.long)
    for run in (
        lambda cache: decoder(x, memory, cache=cache),
        lambda cache: model.decode(target, memory, cache=cache),
    ):
        for wrong, kind in ((Cache(), "Cache"), (None, "NoneType")):
            with pytest.raises(
                TypeError, match=f"^cache 的每一层应当是 tuple，这里有 {kind}：请用这个模型自己的"
            ):
                run([wrong] * 2)


def test_a_cache_of_another_batch_is_refused():
    """只有一句的缓存能广播到每一句，各句就都读它的来源，不报错。"""
    decoder, (x, memory, _) = Decoder(2, 12, num_heads=3, d_ff=20), batch()
    cache = decoder.new_cache()
    decoder(x[:1, :1], memory[:1], cache=cache)
    with pytest.raises(ValueError, match=r"^缓存里的 .* 与新的 .* 只许第三维不同：一批一份缓存"):
        decoder(x[:, 1:2], memory, cache=cache)
    own, cross = cache[0]
    own.keys = own.values = None
    with pytest.raises(ValueError, match=r"^缓存里的 .* 与新的 .* 只许第三维不同"):
        decoder.layers[0](x[:, 1:2], memory, own_cache=own, memory_cache=cross)


def test_dropout_reaches_all_three_sublayers():
    layer, (x, memory, _) = DecoderLayer(12, 3, 20, dropout=0.5).train(), batch()
    assert not torch.allclose(layer(x, memory)[0], layer(x, memory)[0])
    rates = {m.p for m in layer.modules() if isinstance(m, nn.Dropout)}
    assert rates | {layer.self_attn.dropout, layer.cross_attn.dropout} == {0.5}


@pytest.mark.parametrize("norm_first", [False, True])
def test_dropping_everything_leaves_the_residual(norm_first):
    layer = shaken(DecoderLayer(12, 3, 20, dropout=1.0, norm_first=norm_first)).train()
    x, memory, _ = batch()
    expected = x if norm_first else layer.norm3(layer.norm2(layer.norm1(x)))
    assert_close(layer(x, memory, need_weights=True)[0], expected)


def test_runs_in_half_precision():
    for dtype in (torch.float16, torch.bfloat16):
        decoder, (x, memory, real) = Decoder(2, 12, num_heads=3, d_ff=20).to(dtype).eval(), batch()
        output = decoder(x.to(dtype), memory.to(dtype), causal_mask(5), padding_mask(real)).last_hidden_state
        assert output.dtype == dtype and output.isfinite().all()
