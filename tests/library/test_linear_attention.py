"""线性注意力：一步一步、一段一段、库的函数三者相等；改写与只加的性质。"""

import pytest
import torch
import torch.nn.functional as F
from torch.testing import assert_close
from transformers.models.qwen3_next.modeling_qwen3_next import torch_chunk_gated_delta_rule

from course_lib.attention import causal_mask
from course_lib.config import LanguageModelConfig
from course_lib.language_model import LanguageModel
from course_lib.linear_attention import (
    LinearAttention,
    gated_delta_rule,
    gated_delta_rule_in_chunks,
    linear_attention,
)


def parts(n=21, seed=0):
    torch.manual_seed(seed)
    query, key, value = (torch.randn(2, 3, n, width) for width in (8, 8, 6))
    decay, rate = torch.rand(2, 2, 3, n)
    return query, F.normalize(key, dim=-1), value, decay, rate


def test_equals_qwen():
    query, key, value, decay, rate = parts()
    state = torch.randn(2, 3, 8, 6)
    given = (x.transpose(1, 2) for x in (query * 8**0.5, key, value, decay.log(), rate))
    settings = {"chunk_size": 4, "initial_state": state, "output_final_state": True}
    theirs, last = torch_chunk_gated_delta_rule(*given, **settings)
    for rule in (gated_delta_rule, gated_delta_rule_in_chunks):
        ours, kept = rule(query, key, value, decay, rate, state)
        assert (ours - theirs.transpose(1, 2)).abs().max() < 1e-6 * theirs.abs().max()
        assert_close(kept, last, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("chunk", [1, 4, 5, 21, 64])
@pytest.mark.parametrize("erase", [True, False])
def test_chunks_equal_steps(chunk, erase):
    query, key, value, decay, rate = parts()
    ones = torch.ones_like(decay)
    ours, state = gated_delta_rule_in_chunks(
        query, key, value, decay if erase else ones, rate if erase else ones, chunk=chunk, erase=erase
    )
    plain = linear_attention(query, key, value)
    expected, last = gated_delta_rule(query, key, value, decay, rate) if erase else plain
    assert_close(ours, expected, rtol=1e-4, atol=1e-5)
    assert_close(state, last, rtol=1e-4, atol=1e-5)


def test_linear_attention_is_attention_without_softmax():
    query, key, value, *_ = parts()
    scores = (query @ key.mT).masked_fill(~causal_mask(21), 0)
    assert_close(linear_attention(query, key, value)[0], scores @ value, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("chunk", [1, 4, 5, 21])
def test_forgetting_everything(chunk):
    """a = 0：以前的一点不留；两种算法连梯度也相等。"""
    *given, decay, rate = parts()
    decay = (decay * (decay > 0.5)).requires_grad_()
    assert (decay == 0).any() and (decay > 0).any()
    ours, theirs = (
        rule(*given, decay, rate)
        for rule in (lambda *parts: gated_delta_rule_in_chunks(*parts, chunk=chunk), gated_delta_rule)
    )
    for one, two in zip(ours, theirs, strict=True):
        assert_close(one, two, rtol=1e-4, atol=1e-5)
        slopes = (torch.autograd.grad(x.sum(), decay, retain_graph=True)[0] for x in (one, two))
        assert_close(*slopes, rtol=1e-4, atol=1e-4)


def test_what_was_just_written_is_read_back():
    _, key, value, decay, _ = parts()
    ones = torch.ones_like(decay)
    assert_close(gated_delta_rule(key, key, value, decay, ones)[0], value, rtol=1e-4, atol=1e-5)
    added, _ = linear_attention(key, key, value)
    assert (added - value).abs().max() > 0.1


def test_rewriting():
    key = torch.eye(4)[None, None, [0, 1, 0]]
    value = torch.tensor([3.0, 5.0, 7.0]).view(1, 1, 3, 1)
    ones = torch.ones(1, 1, 3)
    assert gated_delta_rule(key, key, value, ones, ones)[1][0, 0, :, 0].tolist() == [7, 5, 0, 0]
    assert linear_attention(key, key, value)[1][0, 0, :, 0].tolist() == [10, 5, 0, 0]


def test_state_carries_on():
    whole, last = gated_delta_rule(*parts())
    head, state = gated_delta_rule(*(x[:, :, :8] for x in parts()))
    tail, end = gated_delta_rule_in_chunks(*(x[:, :, 8:] for x in parts()), state)
    assert_close(torch.cat([head, tail], dim=2), whole, rtol=1e-4, atol=1e-5)
    assert_close(end, last, rtol=1e-4, atol=1e-5)


def test_shapes_are_checked():
    query, key, value, decay, rate = parts()
    for message, wrong in {
        "query 的形状": (query[..., :4], key, value, decay, rate),
        "value 的形状": (query, key, value[:, :, 1:], decay, rate),
        "decay 的形状": (query, key, value, decay[..., None], rate),
        "key 的形状": (query[0], key[0], value[0], decay[0], rate[0]),
    }.items():
        for rule in (gated_delta_rule, gated_delta_rule_in_chunks):
            with pytest.raises(ValueError, match=message):
                rule(*wrong)


CONFIG = LanguageModelConfig(vocab_size=30, d_model=32, num_heads=4, num_kv_heads=4, d_ff=16, num_layers=2)


@pytest.mark.parametrize(
    "options", [{}, {"delta": False}, {"decay": False}, {"delta": False, "decay": False}]
)
def test_the_layer_step_by_step(options):
    torch.manual_seed(0)
    layer, x = LinearAttention(CONFIG, **options), torch.randn(2, 40, 32)
    assert sorted(layer.state_dict()) == ["gates.bias", "gates.weight", "out_proj.weight", "qkv_proj.weight"]
    query, key, value = (
        part.view(2, 40, 4, 8, 1).transpose(1, 2) for part in (x @ layer.qkv_proj.weight.T).split(32, dim=-1)
    )
    query, key = (part / part.square().sum(dim=-2, keepdim=True).sqrt() for part in (query, key))
    forget, rate = (x @ layer.gates.weight.T + layer.gates.bias).mT[..., None, None].split(4, dim=1)
    kept = 1 / (1 + forget.exp())  # exp(−softplus(·))
    assert kept.min() > 0.8  # 起初几乎不忘
    if not options.get("decay", True):
        kept = torch.ones_like(kept)
    memory, outputs = torch.zeros(2, 4, 8, 8), []
    for t in range(40):
        memory = kept[:, :, t] * memory
        known = memory.mT @ key[:, :, t] if options.get("delta", True) else 0
        memory = memory + key[:, :, t] @ (rate[:, :, t].sigmoid() * (value[:, :, t] - known)).mT
        outputs.append((memory.mT @ query[:, :, t]).flatten(1))
    output, weights = layer(x)
    assert weights is None
    assert_close(output, torch.stack(outputs, dim=1) @ layer.out_proj.weight.T, rtol=1e-4, atol=1e-5)


def test_in_a_language_model():
    model = LanguageModel(CONFIG)
    for layer in model.layers:
        layer.self_attn = LinearAttention(CONFIG)
    model.requires_grad_(False)
    ids = torch.randint(0, 30, (2, 9))
    other = ids.clone()
    other[:, 5:] = 1
    assert_close(model(ids).logits[:, :5], model(other).logits[:, :5], rtol=1e-4, atol=1e-5)
    assert (model(ids).logits[:, 6:] - model(other).logits[:, 6:]).abs().max() > 1e-4
    for options in ({"cache": model.new_cache()}, {"need_weights": True}):
        with pytest.raises(ValueError, match=r"^这一层没有权重"):
            model(ids, **options)
