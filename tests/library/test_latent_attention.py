"""多头潜在注意力：展开与折进查询相等，都与 DeepseekV3Attention 相等；缓存里只有潜在向量与一个转过的键。"""

import pytest
import torch
from torch import nn
from torch.testing import assert_close
from transformers import DeepseekV3Config
from transformers.models.deepseek_v3.modeling_deepseek_v3 import (
    DeepseekV3Attention,
    DeepseekV3RotaryEmbedding,
)

from course_lib import latent_attention
from course_lib.attention import causal_mask
from course_lib.config import LanguageModelConfig
from course_lib.language_model import LanguageModel, rotate, rotations
from course_lib.latent_attention import LatentAttention, absorbed_latent_attention, expanded_latent_attention

BOTH = [expanded_latent_attention, absorbed_latent_attention]


@pytest.mark.parametrize("attend", BOTH)
def test_equals_deepseek(attend):
    sizes = {"hidden_size": 32, "num_attention_heads": 4, "num_key_value_heads": 4, "q_lora_rank": 20}
    widths = {"kv_lora_rank": 16, "qk_rope_head_dim": 8, "qk_nope_head_dim": 10, "v_head_dim": 12}
    config = DeepseekV3Config(**sizes, **widths, attn_implementation="eager")
    torch.manual_seed(0)
    theirs = DeepseekV3Attention(config, 0).eval().requires_grad_(False)
    for p in theirs.parameters():
        nn.init.normal_(p, std=0.3)
    x, n = torch.randn(2, 7, 32), 7
    blocked = torch.zeros(n, n).masked_fill(~causal_mask(n), -torch.inf)[None, None]
    expected, _ = theirs(x, DeepseekV3RotaryEmbedding(config)(x, torch.arange(n)[None]), blocked)
    query = theirs.q_b_proj(theirs.q_a_layernorm(theirs.q_a_proj(x))).unflatten(-1, (4, -1)).transpose(1, 2)
    query, query_turned = query.split([10, 8], dim=-1)
    latent, key_turned = theirs.kv_a_proj_with_mqa(x).split([16, 8], dim=-1)
    turns = rotations(torch.arange(n), 8, config.rope_parameters["rope_theta"])
    to_key, to_value = theirs.kv_b_proj.weight.unflatten(0, (4, -1)).split([10, 12], dim=1)
    given = query, rotate(query_turned, turns), theirs.kv_a_layernorm(latent), rotate(key_turned, turns)
    output, weights = attend(*given, to_key, to_value, causal_mask(n))
    ours = theirs.o_proj(output.transpose(1, 2).flatten(-2))
    assert (ours - expected).abs().max() < 1e-6 * expected.abs().max()
    assert_close(weights.sum(dim=-1), torch.ones(2, 4, n))
    unturned, _ = attend(query, query_turned, *given[2:], to_key, to_value, causal_mask(n))
    assert (unturned - output).abs().max() > 1e-2


@pytest.mark.parametrize("shape", [(1, 1, 1, 1), (2, 3, 5, 9)])
def test_both_ways_agree(shape):
    b, h, n, m = shape
    parts = torch.randn(b, h, n, 6), torch.randn(b, h, n, 4), torch.randn(b, m, 5), torch.randn(b, m, 4)
    matrices = torch.randn(h, 6, 5), torch.randn(h, 7, 5)
    one, two = (attend(*parts, *matrices) for attend in BOTH)
    for x, y in zip(one, two, strict=True):
        assert_close(x, y, rtol=1e-4, atol=1e-5)
    assert one[0].shape == (b, h, n, 7)


def test_matrices_are_checked():
    parts = torch.randn(1, 2, 3, 6), torch.randn(1, 2, 3, 4), torch.randn(1, 3, 5), torch.randn(1, 3, 4)
    for name, matrices in {
        "to_key": (torch.randn(2, 5, 6), torch.randn(2, 7, 5)),
        "to_value": (torch.randn(2, 6, 5), torch.randn(1, 7, 5)),
    }.items():
        for attend in BOTH:
            with pytest.raises(ValueError, match=f"{name} 的形状"):
                attend(*parts, *matrices)


@pytest.mark.parametrize(("absorbed", "other_way"), [((), "absorbed"), ((True,), "expanded")])
def test_in_a_language_model_with_its_cache(absorbed, other_way, monkeypatch):
    monkeypatch.setattr(latent_attention, f"{other_way}_latent_attention", None)  # 用不着的那一种
    torch.manual_seed(0)
    config = LanguageModelConfig(
        vocab_size=30, d_model=32, num_heads=4, num_kv_heads=4, d_ff=16, num_layers=2, max_len=20
    )
    model = LanguageModel(config)
    for layer in model.layers:
        layer.self_attn = LatentAttention(config, 12, *absorbed)
    model.requires_grad_(False)
    ids, cache = torch.randint(0, 30, (2, 9)), model.new_cache()
    whole = model(ids).logits
    steps = torch.cat([model(part, cache=cache).logits for part in ids.split([4, 1, 3, 1], dim=1)], dim=1)
    assert_close(steps, whole, rtol=1e-4, atol=1e-5)
    assert cache[0].keys.shape == (2, 1, 9, 12) and cache[0].values.shape == (2, 1, 9, 8)
    mask = torch.ones(2, 9, dtype=torch.long)
    mask[0, :3] = 0  # 左边的填充谁也看不见
    other = ids.clone()
    other[0, :3] = 1
    one, two = (model(i, mask).logits[0, 3:] for i in (ids, other))
    assert_close(one, two)
    assert (model(ids, need_weights=True).attentions[0].sum(dim=-1) - 1).abs().max() < 1e-5


def test_layer():
    torch.manual_seed(0)
    config = LanguageModelConfig(vocab_size=9, d_model=32, num_heads=4, num_kv_heads=4, norm_eps=0.5)
    layer, x = LatentAttention(config, 12).requires_grad_(False), torch.randn(2, 9, 32)
    assert layer.norm.eps == 0.5 and not any("bias" in name for name, _ in layer.named_parameters())
    zero, one, other = (rotations(p, 8, 100) for p in (torch.zeros(9), torch.arange(9), torch.arange(9) + 5))
    (unturned, weights), (turned, _) = layer(x), layer(x, one)
    assert weights is None
    assert_close(unturned, layer(x, zero)[0])
    assert_close(turned, layer(x, other)[0])  # 只看相距多远
    assert (turned - unturned).abs().max() > 1e-3
