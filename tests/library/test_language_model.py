"""语言模型：每个函数与 torch 的相同，两种模型与 transformers 的 Llama、GPT-2 相同，缓存与填充都不改变结果。"""

from dataclasses import replace
from functools import cache

import pytest
import torch
import torch.nn.functional as F
from samples import language_model, shaken
from torch import nn
from torch.testing import assert_close
from transformers import GPT2Config, GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM

from course_lib.attention import Cache, causal_mask, scaled_dot_product_attention
from course_lib.config import LanguageModelConfig
from course_lib.language_model import (
    GroupedQueryAttention,
    LanguageModel,
    SwiGLU,
    grouped_query_attention,
    rms_norm,
    rotary,
    rotate,
    rotations,
    swiglu,
)
from course_lib.layers import FeedForward

KINDS = ["llama", "gpt"]
IDS = torch.randint(0, 40, (3, 9), generator=torch.Generator().manual_seed(1))
LEFT = torch.tensor([[0] * 4 + [1] * 5, [0] * 1 + [1] * 8, [1] * 9])
RIGHT = LEFT.flip(1)


def random(*shape, seed=0):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def relative(got, expected):
    return ((got - expected).abs().max() / expected.abs().max()).item()


# ---- 四个函数


@pytest.mark.parametrize("eps", [1e-5, 0.3])
@pytest.mark.parametrize("shape", [(7,), (2, 3, 7)])
def test_rms_norm_matches_torch(shape, eps):
    x, gamma = random(*shape) * 3 + 1, random(7, seed=1)
    assert_close(rms_norm(x, gamma, eps), F.rms_norm(x, (7,), gamma, eps))


def test_rms_norm_by_hand():
    assert_close(rms_norm(torch.tensor([3.0, 4.0]), torch.tensor([1.0, 2.0]), 12.5), torch.tensor([0.6, 1.6]))
    tiny = torch.full((4,), 1e-3)
    assert_close(rms_norm(tiny, torch.ones(4)), F.rms_norm(tiny, (4,), eps=1e-5))
    assert (rms_norm(torch.zeros(4), torch.ones(4)) == 0).all()


def test_rotary_turns_neighbouring_pairs():
    """位置 3、第 1 对：转过 3 · 100^(-2/4) = 0.3 弧度。"""
    x = torch.tensor([[1.0, 2.0, 3.0, 4.0]])
    angle = torch.tensor([3.0, 0.3])
    c, s = angle.cos(), angle.sin()
    expected = [c[0] - 2 * s[0], s[0] + 2 * c[0], 3 * c[1] - 4 * s[1], 3 * s[1] + 4 * c[1]]
    assert_close(rotary(x, torch.tensor([3]), 100.0)[0], torch.stack(expected))
    assert_close(rotary(x, torch.tensor([7])), rotary(x, torch.tensor([7]), 10_000.0))
    assert torch.equal(rotary(x, torch.tensor([0])), x)


def test_rotary_broadcasts_and_keeps_the_dtype():
    x, positions = random(2, 3, 5, 8), torch.tensor([[0, 0, 0, 1, 2], [0, 1, 2, 3, 4]])
    got = rotary(x, positions[:, None])
    for b in range(2):
        for head in range(3):
            assert_close(got[b, head], rotary(x[b, head], positions[b]))
    for dtype in (torch.float16, torch.bfloat16):
        half = rotary(x.to(dtype), positions[:, None])
        assert half.dtype == dtype
        assert torch.equal(half, rotary(x.to(dtype).float(), positions[:, None]).to(dtype))  # 中间用 fp32
    assert rotary(x.double(), positions[:, None]).dtype == torch.float64
    assert rotate(x, rotations(positions[:, None], 8, 50.0)).equal(rotary(x, positions[:, None], 50.0))


@pytest.mark.parametrize("d", [1, 7])
def test_odd_heads_cannot_be_paired(d):
    with pytest.raises(ValueError, match=f"每个头的宽度 {d} 是奇数"):
        rotary(torch.randn(3, d), torch.arange(3))


MASKS = {
    "无": None,
    "因果": causal_mask(5).new_ones(4, 5).tril(1),
    "键": torch.tensor([[True, False, True, True, False]]),
    "批": torch.rand(2, 1, 4, 5, generator=torch.Generator().manual_seed(3)) > 0.4,
    "批的键": torch.tensor([[True] * 5, [False] * 2 + [True] * 3])[:, None, None],
    "全挡": torch.zeros(4, 5, dtype=torch.bool),
}


@pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS)
@pytest.mark.parametrize("kv_heads", [1, 2, 6])
def test_grouped_queries_equal_repeated_keys(kv_heads, mask):
    query, key, value = (
        random(2, 6, 4, 8),
        random(2, kv_heads, 5, 8, seed=1),
        random(2, kv_heads, 5, 3, seed=2),
    )
    output, weights = grouped_query_attention(query, key, value, mask)
    expected = F.scaled_dot_product_attention(query, key, value, mask, enable_gqa=True)
    assert_close(output, expected.nan_to_num(), atol=1e-5, rtol=1e-5)
    repeated = (x.repeat_interleave(6 // kv_heads, dim=1) for x in (key, value))
    expected, expected_weights = scaled_dot_product_attention(query, *repeated, mask)
    assert_close(output, expected)
    assert_close(weights, expected_weights)
    fused, none = grouped_query_attention(query, key, value, mask, need_weights=False)
    assert none is None
    assert_close(fused, output, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("need_weights", [False, True])
@pytest.mark.parametrize("kind", ["无", "各句", "批的键"])
@pytest.mark.parametrize("n", [5, 3, 1])
def test_causal_queries_are_the_last_ones(n, kind, need_weights):
    """N 个查询是 5 个位置的最后 N 个；另给的掩码与因果一起挡。"""
    query, key, value = (random(2, h, 5, 8, seed=i) for i, h in enumerate((6, 2, 2)))
    mask = random(2, 1, n, 5) > -0.3 if kind == "各句" else MASKS[kind]
    both = causal_mask(n, past=5 - n) & (torch.tensor(True) if mask is None else mask)
    expected = grouped_query_attention(query[:, :, -n:], key, value, both)
    got = grouped_query_attention(query[:, :, -n:], key, value, mask, need_weights, is_causal=True)
    assert_close(got[0], expected[0], atol=1e-5, rtol=1e-5)
    assert_close(got[1], expected[1] if need_weights else None)
    one = grouped_query_attention(query[0, :, -n:], key[0], value[0], is_causal=True)[0]  # 没有批也行
    assert mask is not None or torch.equal(one, expected[0][0])


def test_one_group_of_queries_shares_one_key():
    """改动一个键值头，变的恰好是相邻的那一组查询头。"""
    query, key, value = random(1, 6, 4, 8), random(1, 3, 5, 8, seed=1), random(1, 3, 5, 8, seed=2)
    before = grouped_query_attention(query, key, value)[0]
    value[:, 1] += 1
    changed = (grouped_query_attention(query, key, value)[0] - before).abs().amax(dim=(0, 2, 3)) > 1e-3
    assert changed.tolist() == [False, False, True, True, False, False]


@pytest.mark.parametrize("need_weights", [False, True])
@pytest.mark.parametrize(
    ("kv_heads", "mask", "message"),
    [
        (4, None, "num_heads=6 不能被 num_kv_heads=4 整除"),
        (12, None, "num_heads=6 不能被 num_kv_heads=12 整除"),
        (2, (5, 4), r"掩码的形状 \(5, 4\) 不能广播到 \(2, 1, 4, 5\)"),
        (2, (2, 6, 4, 5), r"\(2, 6, 4, 5\) 不能广播到 \(2, 1, 4, 5\)"),
        (2, (3, 1, 4, 5), "不能广播"),
    ],
)
def test_wrong_groups_and_masks(kv_heads, mask, message, need_weights):
    mask = None if mask is None else torch.ones(mask, dtype=torch.bool)
    query, key = random(2, 6, 4, 8), random(2, kv_heads, 5, 8)
    with pytest.raises(ValueError, match=message):
        grouped_query_attention(query, key, key, mask, need_weights)
    with pytest.raises(TypeError, match="布尔张量"):
        grouped_query_attention(query, query, query, torch.ones(4, 4), need_weights)


def test_swiglu_is_a_gate():
    gate, up = random(3, 7), random(3, 7, seed=1)
    assert_close(swiglu(gate, up), gate * torch.sigmoid(gate) * up)
    assert_close(swiglu(torch.tensor([30.0, -30.0, 0.0]), torch.full((3,), 2.0)), torch.tensor([60.0, 0, 0]), atol=1e-8, rtol=0)  # fmt: skip


@pytest.mark.parametrize("bias", [False, True])
def test_swiglu_module(bias):
    ffn, x = shaken(SwiGLU(5, 7, bias)), random(2, 3, 5)
    gate, up = (x @ p.weight.T + (p.bias if bias else 0) for p in (ffn.gate_proj, ffn.up_proj))
    expected = (gate.sigmoid() * gate * up) @ ffn.down_proj.weight.T + (ffn.down_proj.bias if bias else 0)
    assert_close(ffn(x), expected)
    assert sum(p.numel() for p in ffn.parameters()) == 3 * 5 * 7 + bias * (7 + 7 + 5)
    assert SwiGLU(5, 7).gate_proj.bias is None


# ---- 与 transformers 的两种模型相同


@cache
def llama_twin(folder, kv_heads=2, tied=True, bias=False):
    """(我们的, transformers 的)：他们随机的权重存成文件夹，我们照着装。"""
    torch.manual_seed(0)
    theirs = LlamaForCausalLM(
        LlamaConfig(
            vocab_size=40, hidden_size=24, num_attention_heads=6, num_key_value_heads=kv_heads, intermediate_size=20,
            num_hidden_layers=3, max_position_embeddings=16, rms_norm_eps=1e-3, tie_word_embeddings=tied,
            rope_parameters={"rope_type": "default", "rope_theta": 500.0}, attn_implementation="eager",
        )
    )  # fmt: skip
    shaken(theirs).save_pretrained(folder)
    (folder / "tokenizer.json").write_text("{}")
    return LanguageModel.from_pretrained(folder), theirs


@cache
def gpt_twin():
    """(我们的, transformers 的)：把我们随机的权重抄给他们；他们的线性映射存的是转置。"""
    ours = language_model("gpt")
    c = ours.config
    theirs = GPT2LMHeadModel(
        GPT2Config(
            vocab_size=c.vocab_size, n_positions=c.max_len, n_embd=c.d_model, n_layer=c.num_layers, n_head=c.num_heads,
            n_inner=c.d_ff, activation_function="gelu", bos_token_id=0, eos_token_id=0, layer_norm_epsilon=c.norm_eps, attn_implementation="eager",
        )
    ).eval()  # fmt: skip
    theirs.transformer.wte.weight.data = ours.tokens.weight.data
    theirs.transformer.wpe.weight.data = ours.positions.weight.data
    theirs.transformer.ln_f.load_state_dict(ours.norm.state_dict())
    for mine, other in zip(ours.layers, theirs.transformer.h, strict=True):
        attention = mine.self_attn
        other.ln_1.load_state_dict(mine.norm1.state_dict())
        other.ln_2.load_state_dict(mine.norm2.state_dict())
        for conv, linears in (
            (other.attn.c_attn, (attention.q_proj, attention.k_proj, attention.v_proj)),
            (other.attn.c_proj, (attention.out_proj,)),
            (other.mlp.c_fc, (mine.ffn.linear1,)),
            (other.mlp.c_proj, (mine.ffn.linear2,)),
        ):
            conv.weight.data = torch.cat([p.weight.data for p in linears]).T.contiguous()
            conv.bias.data = torch.cat([p.bias.data for p in linears])
    theirs.tie_weights()
    return ours, theirs


@pytest.fixture(scope="module")
def twins(tmp_path_factory):
    def make(kind, **options):
        if kind == "gpt":
            return gpt_twin()
        return llama_twin(tmp_path_factory.getbasetemp() / f"llama{sorted(options.items())}", **options)

    return make


@pytest.mark.parametrize(
    ("kind", "options"),
    [("gpt", {}), ("llama", {}), ("llama", {"kv_heads": 6}), ("llama", {"kv_heads": 1, "tied": False})],
)
@torch.no_grad()
def test_every_layer_matches_transformers(twins, kind, options):
    ours, theirs = twins(kind, **options)
    expected = theirs(IDS, output_hidden_states=True, output_attentions=True)
    for need_weights in (False, True):
        got = ours(IDS, output_hidden_states=True, need_weights=need_weights)
        assert got.logits.shape == (3, 9, 40) and relative(got.logits, expected.logits) < 1e-5
        *states, last = got.hidden_states  # 他们的最后一个是归一化之后的
        for x, y in zip([*states, ours.norm(last)], expected.hidden_states, strict=True):
            assert relative(x, y) < 1e-5
        assert not ours.training
        assert torch.equal(ours.head(ours.norm(last)), got.logits)
    for x, y in zip(got.attentions, expected.attentions, strict=True):
        assert_close(x, y, atol=1e-5, rtol=0)
        assert x.shape == (3, 6, 9, 9) and (x[..., ~causal_mask(9)] == 0).all()


@pytest.mark.parametrize("padding", [LEFT, RIGHT], ids=["左", "右"])
@pytest.mark.parametrize("kind", KINDS)
@torch.no_grad()
def test_padded_batches_match_transformers(twins, kind, padding):
    ours, theirs = twins(kind)
    positions = (padding.cumsum(dim=-1) - 1).clamp(min=0)
    expected = theirs(IDS, attention_mask=padding, position_ids=positions).logits
    real = padding.bool()
    for dtype in (torch.long, torch.bool, torch.int32, torch.float32):
        got = ours(IDS, padding.to(dtype)).logits
        assert got.isfinite().all() and relative(got[real], expected[real]) < 1e-5
    # 检验得出来：填充在左边时，不戴掩码就变了；在右边，因果掩码已经把它挡住
    assert (relative(ours(IDS).logits[real], expected[real]) > 1e-3) == (padding is LEFT)


# ---- 缓存与填充


@pytest.mark.parametrize("sizes", [[1] * 9, [4, 1, 4], [9], [8, 1], [2, 2, 5]])
@pytest.mark.parametrize("padding", [None, LEFT, RIGHT], ids=["无", "左", "右"])
@pytest.mark.parametrize("kind", KINDS)
@torch.no_grad()
def test_step_by_step_equals_all_at_once(kind, padding, sizes):
    model = language_model(kind)
    full = model(IDS, padding, output_hidden_states=True, need_weights=True)
    past, cache, steps = 0, model.new_cache(), []
    for new in IDS.split(sizes, dim=1):
        past += new.size(1)
        seen = None if padding is None else padding[:, :past]
        steps.append(model(new, seen, cache, output_hidden_states=True, need_weights=True))
        assert steps[-1].logits.shape[:2] == new.shape
        assert [len(layer) for layer in cache] == [past] * 3
        assert cache[0].keys.shape == (3, model.config.num_kv_heads, past, 4)  # 缓存里只有键值头
    real = torch.ones(3, 9, dtype=torch.bool) if padding is None else padding.bool()
    together = torch.cat([step.logits for step in steps], dim=1)
    assert_close(together[real], full.logits[real], atol=1e-5, rtol=1e-5)
    hidden = torch.cat([step.hidden_states[2] for step in steps], dim=1)
    assert_close(hidden[real], full.hidden_states[2][real], atol=1e-5, rtol=1e-5)
    last, rows = steps[-1].attentions[2], real[:, -sizes[-1] :]
    expected = full.attentions[2][:, :, -sizes[-1] :]
    assert_close(last.transpose(1, 2)[rows], expected.transpose(1, 2)[rows], atol=1e-5, rtol=0)


@pytest.mark.parametrize("padding", [LEFT, RIGHT], ids=["左", "右"])
@pytest.mark.parametrize("kind", KINDS)
@torch.no_grad()
def test_padding_does_not_matter(kind, padding):
    model = language_model(kind)
    together = model(IDS, padding).logits
    other = model(IDS.where(padding.bool(), (IDS + 7) % 40), padding).logits
    for row, real in enumerate(padding.bool()):
        alone = model(IDS[row : row + 1, real]).logits[0]
        for got in (together, other):
            assert_close(got[row, real], alone, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
@torch.no_grad()
def test_a_mask_without_padding_changes_nothing(kind):
    model, ones = language_model(kind), torch.ones_like(IDS)
    assert torch.equal(model(IDS, ones).logits, model(IDS).logits)


@torch.no_grad()
def test_cache_follows_the_chosen_rows():
    model, rows = language_model("llama"), torch.tensor([2, 0, 0, 1])
    cache = model.new_cache()
    for layer_cache in cache:
        layer_cache.select(rows)  # 空的也排得
    model(IDS[:, :5], cache=cache)
    for layer_cache in cache:
        layer_cache.select(rows)
    last = model(IDS[rows, 5:6], cache=cache).logits
    assert_close(last[:, 0], model(IDS[:, :6]).logits[rows, 5], atol=1e-5, rtol=1e-5)


# ---- 要什么给什么


@pytest.mark.parametrize("kind", KINDS)
@torch.no_grad()
def test_what_is_asked_for_is_returned(kind):
    model = language_model(kind)
    plain = model(IDS)
    assert plain.hidden_states is None and plain.attentions is None
    full = model(IDS, output_hidden_states=True, need_weights=True)
    assert [x.shape for x in full.hidden_states] == [(3, 9, 24)] * 4
    assert [w.shape for w in full.attentions] == [(3, 6, 9, 9)] * 3
    assert_close(full.logits, plain.logits, atol=1e-5, rtol=1e-5)
    last = model(IDS, last_only=True, output_hidden_states=True)
    assert last.logits.shape == (3, 1, 40) and len(last.hidden_states[1][0]) == 9
    assert_close(last.logits, plain.logits[:, -1:])
    cached = model(IDS, cache=model.new_cache(), last_only=True).logits
    assert_close(cached, plain.logits[:, -1:])


def test_attention_module_alone():
    config = language_model("llama").config
    module, x = shaken(GroupedQueryAttention(config)), random(2, 5, 24)
    output, weights = module(x)  # 不转；没有掩码，就只挡后面的
    assert output.shape == (2, 5, 24) and weights is None
    again, weights = module(x, need_weights=True)
    assert weights.shape == (2, 6, 5, 5) and torch.equal(weights > 0, causal_mask(5).expand_as(weights))
    assert_close(again, output, atol=1e-5, rtol=1e-5)


@torch.no_grad()
def test_no_mask_is_built_where_none_is_needed(monkeypatch):
    """从头算起、没有填充时，融合算子自己会挡后面的：给它的是 is_causal，不是一张掩码。"""
    model, seen, fused = language_model("llama"), [], F.scaled_dot_product_attention

    def watch(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, **options):
        seen.append((attn_mask is None, is_causal))
        return fused(query, key, value, attn_mask, dropout_p, is_causal, **options)

    monkeypatch.setattr(F, "scaled_dot_product_attention", watch)
    cache = model.new_cache()
    for new, expected in zip(
        IDS.split([5, 1, 3], dim=1), [(True, True), (True, False), (False, False)], strict=True
    ):
        model(new, cache=cache)
        assert {*seen} == {expected}
        seen.clear()


def test_gradients_reach_every_parameter():
    for kind in KINDS:
        model = language_model(kind)
        loss = F.cross_entropy(model(IDS[:, :-1]).logits.flatten(0, 1), IDS[:, 1:].flatten())
        grads = torch.autograd.grad(loss, list(model.parameters()))
        for (name, _), grad in zip(model.named_parameters(), grads, strict=True):
            # 键的偏置给每个分数加上同一个数，softmax 之后就没有了
            assert grad.isfinite().all() and (grad.abs().max() > 1e-7 or name.endswith("k_proj.bias")), name


# ---- 零件


PARTS = [
    {"norm": norm, "positions": positions, "ffn": ffn, "tied": tied, "bias": bias}
    for norm in ("rms", "layer")
    for positions in ("rotary", "learned")
    for ffn in ("swiglu", "gelu")
    for tied, bias in ((True, False), (False, True))
]


@pytest.mark.parametrize("parts", PARTS, ids=lambda parts: " ".join(map(str, parts.values())))
@torch.no_grad()
def test_every_part_can_be_swapped(parts):
    config = replace(language_model("llama").config, **parts)
    model = shaken(LanguageModel(config))
    cache = model.new_cache()
    steps = [model(new, cache=cache).logits for new in IDS.split([4, 5], dim=1)]
    assert_close(torch.cat(steps, dim=1), model(IDS).logits, atol=1e-5, rtol=1e-5)
    kinds = {type(m) for m in model.modules()}
    assert (nn.RMSNorm in kinds, nn.LayerNorm in kinds) == (config.norm == "rms", config.norm == "layer")
    assert (SwiGLU in kinds, FeedForward in kinds) == (config.ffn == "swiglu", config.ffn == "gelu")
    assert (model.positions is not None) == (config.positions == "learned")
    assert (model.output is None) == config.tied
    biased = [
        m.bias is not None for m in model.modules() if isinstance(m, nn.Linear) and m is not model.output
    ]
    assert set(biased) == {config.bias} and (config.tied or model.output.bias is None)
    assert {m.eps for m in model.modules() if isinstance(m, nn.RMSNorm | nn.LayerNorm)} == {1e-5}
    assert all((m.bias is None) != config.bias for m in model.modules() if isinstance(m, nn.LayerNorm))


@pytest.mark.parametrize("norm", ["rms", "layer"])
@torch.no_grad()
def test_one_layer_with_its_own_epsilon(norm):
    config = replace(language_model("llama").config, norm=norm, norm_eps=0.3, num_layers=1)
    model = shaken(LanguageModel(config))
    assert [m.eps for m in model.modules() if isinstance(m, nn.RMSNorm | nn.LayerNorm)] == [0.3] * 3
    assert len(model(IDS, output_hidden_states=True).hidden_states) == 2


def test_sizes_of_real_models():
    with torch.device("meta"):
        smollm2, gpt2 = LanguageModel(LanguageModelConfig()), LanguageModel(LanguageModelConfig.gpt())
        theirs = GPT2LMHeadModel(GPT2Config())
    assert sum(p.numel() for p in smollm2.parameters()) == 134_515_008
    assert sum(p.numel() for p in gpt2.parameters()) == sum(p.numel() for p in theirs.parameters())
    assert smollm2.layers[0].self_attn.k_proj.weight.shape == (192, 576)


@pytest.mark.parametrize("kind", KINDS)
def test_initial_values_are_those_of_gpt2(kind):
    torch.manual_seed(0)
    model = LanguageModel(replace(language_model(kind).config, tied=False))
    for name, p in model.named_parameters():
        if p.dim() == 2:
            assert p.std().item() == pytest.approx(0.02, rel=0.12) and abs(p.mean()) < 4e-3, name
        else:
            assert (p == (0 if name.endswith("bias") else 1)).all(), name
    assert model.training
    loss = F.cross_entropy(model(IDS[:, :-1]).logits.flatten(0, 1), IDS[:, 1:].flatten())
    assert loss.item() == pytest.approx(torch.tensor(40.0).log().item(), abs=0.1)  # 开始时谁也不偏爱


@pytest.mark.parametrize("kind", KINDS)
@torch.no_grad()
def test_runs_in_half_precision(kind):
    exact = language_model(kind)(IDS, LEFT).logits
    for dtype, atol in ((torch.float16, 0.02), (torch.bfloat16, 0.15), (torch.float64, 1e-5)):
        model = shaken(LanguageModel(exact_config := language_model(kind).config)).to(dtype)
        assert exact_config.d_model == 24
        got = model(IDS, LEFT).logits
        assert got.dtype == dtype and got.isfinite().all()
        assert_close(got[LEFT.bool()].float(), exact[LEFT.bool()], atol=atol, rtol=atol)
        cache = model.new_cache()
        model(IDS[:, :5], LEFT[:, :5], cache)
        assert cache[0].keys.dtype == dtype
        assert_close(model(IDS[:, 5:], LEFT, cache).logits.float(), exact[:, 5:], atol=atol, rtol=atol)


# ---- 坏输入


@pytest.mark.parametrize(
    ("ids", "mask", "error", "message"),
    [
        ([[1, 40]], None, ValueError, "词元编号 40 不在 0 到 39 之间"),
        ([[-1, 3]], None, ValueError, "词元编号 -1 不在"),
        ([1, 2], None, ValueError, r"形状应当是 \(B, N\) 且不为空，这里是 \(2,\)"),
        ([[]], None, ValueError, "且不为空"),
        ([[1.0, 2.0]], None, TypeError, "），这里是 torch.float32"),
        ([[1] * 17], None, ValueError, "序列有 17 个词元，超过了 max_len=16"),
        ([[1, 2]], [[1, 1, 1]], ValueError, r"attention_mask 的形状 \(1, 3\) 应与 ids 的 \(1, 2\) 相同"),
        ([[1, 2]], [[1, 2]], ValueError, "只能含 0 和 1"),
    ],
)
@pytest.mark.parametrize("kind", KINDS)
def test_wrong_inputs(kind, ids, mask, error, message):
    model = language_model(kind)
    with pytest.raises(error, match=message):
        model(torch.tensor(ids), None if mask is None else torch.tensor(mask))


def test_what_does_not_fit_the_cache_is_refused():
    model = language_model("llama")
    cache = model.new_cache()
    model(IDS, cache=cache)
    with pytest.raises(
        ValueError, match=r"attention_mask 的形状 \(3, 2\) 应与 cache \+ ids 的 \(3, 11\) 相同"
    ):
        model(IDS[:, :2], LEFT[:, :2], cache)
    with pytest.raises(ValueError, match="序列有 18 个词元，超过了 max_len=16"):
        model(IDS, cache=cache)
    for wrong in (cache[:2], []):
        with pytest.raises(ValueError, match=f"^cache 有 {len(wrong)} 层的，模型有 3 层：请用 new_cache"):
            model(IDS[:, :1], cache=wrong)
    with pytest.raises(TypeError, match=r"^cache 应当是 new_cache\(\) 给的一列，这里是 Cache。"):
        model(IDS[:, :1], cache=model.new_cache()[0])
    for wrong, kind in (((Cache(), Cache()), "tuple"), (None, "NoneType")):  # 一对一对的是解码器的
        said = rf"^cache 的每一层应当是 Cache，这里有 {kind}：请用这个模型自己的 new_cache\(\)。$"
        with pytest.raises(TypeError, match=said):
            model(IDS[:, :1], cache=[wrong] * 3)
    for rows in (IDS[:1], IDS[:2]):
        with pytest.raises(
            ValueError, match=r"^缓存里的 \(3, 2, 9, 4\) 与新的 .* 只许第三维不同：一批一份缓存"
        ):
            model(rows[:, :1], cache=cache)
