"""滑动窗口、学来的汇、门、查询与键的归一化：都不打开就是原来的注意力，打开的各与独立的算法相等。"""

from dataclasses import replace

import pytest
import torch
from torch import nn
from torch.testing import assert_close
from transformers.models.gpt_oss.modeling_gpt_oss import eager_attention_forward

from course_lib.adjusted_attention import AdjustedAttention, attention_with_sink, window_mask
from course_lib.attention import causal_mask
from course_lib.config import LanguageModelConfig
from course_lib.language_model import GroupedQueryAttention, LanguageModel, rotations

CONFIG = LanguageModelConfig(
    vocab_size=30, d_model=32, num_heads=4, num_kv_heads=2, d_ff=16, num_layers=2, max_len=20
)


def test_sink_equals_gpt_oss():
    torch.manual_seed(0)
    query, key, value = torch.randn(3, 2, 4, 6, 8)
    holder = nn.Module().eval()
    holder.sinks, holder.num_key_value_groups = torch.randn(4), 1
    blocked = torch.zeros(6, 6).masked_fill(~causal_mask(6), -torch.inf)[None, None]
    theirs, shares = eager_attention_forward(holder, query, key, value, blocked, 8**-0.5)
    ours, weights = attention_with_sink(query, key, value, holder.sinks, causal_mask(6))
    assert_close(ours.transpose(1, 2), theirs, rtol=1e-5, atol=1e-6)
    assert_close(weights, shares, rtol=1e-5, atol=1e-6)
    assert (weights.sum(dim=-1) < 1).all()


def test_window():
    assert window_mask(4, 2).tolist() == [
        [True, False, False, False],
        [True, True, False, False],
        [False, True, True, False],
        [False, False, True, True],
    ]
    assert_close(window_mask(7, 3)[4:], window_mask(3, 3, past=4))
    assert_close(window_mask(5, 9), causal_mask(5))
    for make in (lambda: window_mask(3, 0), lambda: AdjustedAttention(CONFIG, window=-1)):
        with pytest.raises(ValueError, match="window="):
            make()


def test_nothing_turned_on_is_the_usual_attention():
    torch.manual_seed(0)
    usual, ours = GroupedQueryAttention(CONFIG), AdjustedAttention(CONFIG)
    ours.load_state_dict(usual.state_dict())
    x, turns = torch.randn(2, 7, 32), rotations(torch.arange(7), 8, 1e4)
    for one, two in zip(ours(x, turns, None, True), usual(x, turns, None, True), strict=True):
        assert_close(one, two, rtol=1e-4, atol=1e-5)


def test_gate_multiplies_the_output():
    torch.manual_seed(0)
    plain, gated = AdjustedAttention(CONFIG), AdjustedAttention(CONFIG, gate=True)
    gated.load_state_dict(plain.state_dict(), strict=False)
    nn.init.zeros_(gated.gate_proj.weight)
    x = torch.randn(1, 5, 32)
    assert_close(gated(x)[0], plain(x)[0] / 2)  # σ(0) = 一半


def test_qk_norm_ignores_the_scale():
    torch.manual_seed(0)
    x = torch.randn(1, 6, 32)
    for normed in (True, False):
        ours = GroupedQueryAttention(replace(CONFIG, qk_norm=normed)).requires_grad_(False)
        before = ours(x, need_weights=True)[1]
        ours.q_proj.weight.mul_(50)
        after = ours(x, need_weights=True)[1]
        assert torch.allclose(before, after, atol=1e-3) is normed


@pytest.mark.parametrize("options", [{"window": 3}, {"sink": True}, {"gate": True}])
def test_in_a_language_model_with_its_cache(options):
    torch.manual_seed(0)
    model = LanguageModel(CONFIG)
    for layer in model.layers:
        layer.self_attn = AdjustedAttention(CONFIG, **options)
    model.requires_grad_(False)
    ids, cache = torch.randint(0, 30, (2, 9)), model.new_cache()
    steps = torch.cat([model(ids[:, i : i + 1], cache=cache).logits for i in range(9)], dim=1)
    assert_close(steps, model(ids).logits, rtol=1e-4, atol=1e-5)


def test_padding_on_the_left_is_not_seen():
    torch.manual_seed(0)
    model = LanguageModel(CONFIG)
    for layer in model.layers:
        layer.self_attn = AdjustedAttention(CONFIG, sink=True)
    model.requires_grad_(False)
    ids, mask = torch.randint(0, 30, (2, 9)), torch.ones(2, 9, dtype=torch.long)
    mask[0, :3] = 0
    other = ids.clone()
    other[0, :3] = 1
    assert_close(*(model(x, mask).logits[0, 3:] for x in (ids, other)))
