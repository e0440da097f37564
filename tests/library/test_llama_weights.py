"""Llama 式的权重：GGUF 文件与文件夹装出来的都与 transformers 相同；内置的模型逐层相同。"""

import json
import math
import shutil
import warnings

import pytest
import torch
from safetensors.torch import load_file, save_file
from tiny_models import (
    FIELDS,
    GGUF_TOKENIZER,
    HEADS,
    KV,
    LAYERS,
    D,
    changed_copy,
    gguf_weights,
    make_gguf,
    make_llama,
    refusal,
    rewrite,
)
from torch.testing import assert_close
from transformers import AutoModelForCausalLM, LlamaForCausalLM

from course_lib.config import LanguageModelConfig
from course_lib.generation import generate
from course_lib.language_model import LanguageModel
from course_lib.weights import PretrainedError, llm_source, load_llm_reference, open_llama
from course_lib.weights.byte_pair import read_tokenizer
from course_lib.weights.llama import halves, interleaved

pytestmark = pytest.mark.guards("course_lib/weights")

IDS = torch.randint(0, 40, (2, 9), generator=torch.Generator().manual_seed(1))


def relative(got, expected):
    return ((got - expected).abs().max() / expected.abs().max()).item()


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """(文件夹, GGUF 文件, transformers 的模型)，谁也不许改动。"""
    folder = tmp_path_factory.mktemp("llama")
    model = make_llama(folder)
    path = make_gguf(tmp_path_factory.mktemp("gguf") / "tiny.gguf", gguf_weights(model))
    return folder, path, model


# ---- 两种文件


@pytest.mark.parametrize("kind", ["文件夹", "GGUF"])
@torch.no_grad()
def test_both_forms_match_transformers(small, kind):
    folder, path, theirs = small
    ours = LanguageModel.from_pretrained(folder if kind == "文件夹" else str(path))
    assert not ours.training and {p.dtype for p in ours.parameters()} == {torch.float32}
    assert {p.device.type for p in ours.parameters()} == {"cpu"}
    assert relative(ours(IDS).logits, theirs(IDS).logits) < 1e-5
    expected = LanguageModelConfig(
        40, D, HEADS, KV, 20, LAYERS, 16, norm_eps=pytest.approx(1e-3), rope_theta=500.0, eos_id=6, bos_id=5,
        pad_id=6 if kind == "文件夹" else 7,
    )  # fmt: skip
    assert ours.config == expected


@pytest.mark.parametrize("kind", ["文件夹", "GGUF"])
def test_loading_warns_of_nothing(small, kind):
    torch.set_warn_always(True)  # 不然一个进程里只警告一次
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            LanguageModel.from_pretrained(small[0] if kind == "文件夹" else small[1])
    finally:
        torch.set_warn_always(False)


@pytest.mark.parametrize(
    "options",
    [
        {"tie_word_embeddings": False},
        {"attention_bias": True, "mlp_bias": True},
        {"num_key_value_heads": 6},
    ],
    ids=["另有输出矩阵", "有偏置", "各有键值"],
)
@torch.no_grad()
def test_other_folders(tmp_path, options):
    theirs = make_llama(tmp_path, **options)
    ours = LanguageModel.from_pretrained(tmp_path)
    assert ours.config.tied == theirs.config.tie_word_embeddings
    assert ours.config.bias == theirs.config.attention_bias
    assert relative(ours(IDS).logits, theirs(IDS).logits) < 1e-5


# transformers 里的名字 → 另外的选项，我们的尺寸里与 Llama 不同的
QWEN = {
    "Qwen2": ({}, {"qkv_bias": True}),
    "Qwen3": ({"head_dim": 6}, {"qk_norm": True, "head_dim": 6}),
}


@pytest.mark.parametrize("kind", ["文件夹", "GGUF"])
@pytest.mark.parametrize("tied", [True, False], ids=["同一个矩阵", "另有输出矩阵"])
@pytest.mark.parametrize("family", QWEN)
@torch.no_grad()
def test_qwen_matches_transformers_at_every_layer(tmp_path, family, tied, kind):
    options, different = QWEN[family]
    theirs = make_llama(tmp_path, family, tie_word_embeddings=tied, **options)
    path = tmp_path
    if kind == "GGUF":
        width = options.get("head_dim", D // HEADS)
        widths = {
            "attention.key_length": width,
            "attention.value_length": width,
            "rope.dimension_count": None,
        }
        fields = FIELDS | widths | {"vocab_size": None}  # 没有写词表多大的，数一数
        tokenizer = GGUF_TOKENIZER | {"tokens": [f"<{i}>" for i in range(40)], "pre": "qwen2"}
        named = {"general__architecture": family.lower()}
        path = make_gguf(tmp_path / "a.gguf", gguf_weights(theirs), fields, tokenizer=tokenizer, **named)
    ours = LanguageModel.from_pretrained(path)
    expected = LanguageModelConfig(
        40, D, HEADS, KV, 20, LAYERS, 16, norm_eps=pytest.approx(1e-3), rope_theta=500.0, eos_id=6, bos_id=5,
        tied=tied, pad_id=7 if kind == "GGUF" else 6, **different,
    )  # fmt: skip
    assert ours.config == expected and ours.config.d_head == options.get("head_dim", 4)
    got, wanted = (model(IDS, output_hidden_states=True) for model in (ours, theirs))
    for x, y in zip(got.hidden_states[:-1], wanted.hidden_states[:-1], strict=True):
        assert relative(x, y) < 1e-5
    assert relative(got.logits, wanted.logits) < 1e-5
    cache = ours.new_cache()
    steps = [ours(new, cache=cache).logits for new in IDS.split([6, 1, 2], dim=1)]
    assert relative(torch.cat(steps, dim=1), wanted.logits) < 1e-5
    assert torch.equal(load_llm_reference(path)(IDS).logits, wanted.logits)


@torch.no_grad()
def test_a_llama_with_heads_of_another_width(tmp_path):
    theirs = make_llama(tmp_path, head_dim=8)
    ours = LanguageModel.from_pretrained(tmp_path)
    assert ours.config.d_head == 8 and ours.layers[0].self_attn.out_proj.weight.shape == (D, 8 * HEADS)
    assert relative(ours(IDS).logits, theirs(IDS).logits) < 1e-5


def test_what_a_qwen_may_write(tmp_path):
    """没有打开 use_sliding_window，窗口写着也不用；transformers 的 Qwen3 没有写头宽，就是 128；Qwen2 的偏置不必写。"""
    make_llama(tmp_path / "a", "Qwen2")
    source = tmp_path / "a"
    copy = changed_copy(source, tmp_path / "b", "config.json", {"sliding_window": 8, "max_window_layers": 1})
    assert open_llama(copy).config == open_llama(source).config
    for name, value in {"use_sliding_window": True, "attention_bias": True, "mlp_bias": True}.items():
        copy = changed_copy(source, tmp_path / "b", "config.json", {name: value})
        assert f"{name} 是 True" in refusal(open_llama, copy)
    copy = changed_copy(
        source, tmp_path / "b", "config.json", {"layer_types": ["full_attention", "sliding_attention"]}
    )
    assert "layer_types 是" in refusal(open_llama, copy)
    make_llama(tmp_path / "c", "Qwen3", head_dim=4)
    copy = changed_copy(tmp_path / "c", tmp_path / "d", "config.json", {"head_dim": ...})
    assert open_llama(copy).config.d_head == 128
    said = refusal(LanguageModel.from_pretrained, copy)
    assert "的形状是 (24, 24)，模型里的 layers.0.self_attn.out_proj.weight 却是 (24, 768)" in said


@torch.no_grad()
def test_gguf_with_its_own_output(tmp_path):
    theirs = make_llama(tmp_path, tie_word_embeddings=False)
    ours = LanguageModel.from_pretrained(make_gguf(tmp_path / "a.gguf", gguf_weights(theirs)))
    assert not ours.config.tied
    assert relative(ours(IDS).logits, theirs(IDS).logits) < 1e-5


def test_what_a_gguf_may_leave_out(small, tmp_path):
    weights = gguf_weights(small[2])
    for layer in range(LAYERS):  # 没写键值头数的，就与查询头一样多
        for name in ("attn_k", "attn_v"):
            weights[f"blk.{layer}.{name}.weight"] = weights[f"blk.{layer}.attn_q.weight"]
    optional = ("attention.head_count_kv", "rope.freq_base", "rope.dimension_count")
    fields = {name: value for name, value in FIELDS.items() if name not in optional}
    config = open_llama(make_gguf(tmp_path / "a.gguf", weights, fields, {"eos": 9})).config
    assert (config.num_kv_heads, config.rope_theta) == (6, 10_000.0)
    assert (config.eos_id, config.bos_id, config.pad_id) == (9, 9, 9)
    for none in (-1, 2**32 - 1):  # 转换的程序把没有的写作 -1
        path = make_gguf(tmp_path / f"{none}.gguf", ids={"eos": 5, "bos": none, "padding": none})
        config, tokenizer = open_llama(path).config, read_tokenizer(path)
        assert (config.eos_id, config.bos_id, config.pad_id) == (5, 5, 5)
        assert (tokenizer["eos_id"], tokenizer["bos_id"], tokenizer["pad_id"]) == (5, None, None)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"rope_parameters": ..., "rope_theta": 77.0}, {"rope_theta": 77.0}),
        ({"rope_parameters": ...}, {"rope_theta": 10_000.0}),
        ({"rope_scaling": {"type": "default"}}, {"rope_theta": 500.0}),
        ({"eos_token_id": [8, 9], "bos_token_id": ...}, {"eos_id": 8, "bos_id": 8, "pad_id": 8}),
        ({"pad_token_id": 0}, {"pad_id": 0, "eos_id": 6}),
        ({"bos_token_id": None, "pad_token_id": None}, {"bos_id": 6, "pad_id": 6}),
        ({"pad_token_id": -1}, {"pad_id": 6, "bos_id": 5}),
        ({"bos_token_id": -1}, {"pad_id": 6, "bos_id": 6}),
        ({"num_key_value_heads": ...}, {"num_kv_heads": 6}),
        ({"tie_word_embeddings": ...}, {"tied": False}),
        ({"attention_bias": ...}, {"bias": False}),
        ({"attention_bias": None, "mlp_bias": None}, {"bias": False}),
        ({"attention_bias": None}, {"bias": False}),
        ({"head_dim": ...}, {"d_model": D}),
    ],
)
def test_older_and_newer_configs(small, tmp_path, changes, expected):
    config = open_llama(changed_copy(small[0], tmp_path / "m", "config.json", changes)).config
    assert {name: getattr(config, name) for name in expected} == expected


def test_every_ending_counts(small, tmp_path):
    """config.json 与 generation_config.json 里写的都算，一个只算一次；GGUF 里另有一轮与一条消息的结尾。"""
    folder, _, model = small
    assert open_llama(folder).config.stop_ids == (6,)
    for own, other, stops in (
        ([8, 9], [9, 6, 8], (8, 9, 6)), (6, 7, (6, 7)), ([8, 9], None, (8, 9)), (None, [7, 8], (7, 8)), (-1, 8, (8,)),
    ):  # fmt: skip
        copy = changed_copy(folder, tmp_path / str(other), "config.json", {"eos_token_id": own})
        (copy / "generation_config.json").write_text(json.dumps({"eos_token_id": other}))
        config = open_llama(copy).config
        assert (config.eos_id, config.stop_ids) == (stops[0], stops)
    for wrong, said in (("[40]", "eos_id=40 不在 40 个词元的词表里"), ('"6"', "eos_id='6'：应当是整数")):
        (copy / "generation_config.json").write_text(f'{{"eos_token_id": {wrong}}}')
        with pytest.raises(PretrainedError, match=said):
            open_llama(copy)
    (copy / "generation_config.json").write_text("{")
    with pytest.raises(PretrainedError, match=r"generation_config\.json 读不出来"):
        open_llama(copy)
    (copy / "generation_config.json").unlink()
    for none in (..., None, -1):
        rewrite(copy / "config.json", {"eos_token_id": none})
        assert "都没有 eos_token_id" in refusal(open_llama, copy)
    path = make_gguf(tmp_path / "a.gguf", gguf_weights(model), ids={"eos": 9, "eot": 4, "eom": 9})
    assert open_llama(path).config.stop_ids == (9, 4)


def test_a_stored_copy_of_the_tied_matrix(small, tmp_path):
    """有的文件还是存了一份，与嵌入相同。"""
    shutil.copytree(small[0], tmp_path, dirs_exist_ok=True)
    weights = load_file(tmp_path / "model.safetensors")
    tokens = weights["model.embed_tokens.weight"]
    save_file(weights | {"lm_head.weight": tokens.clone()}, tmp_path / "model.safetensors")
    model = LanguageModel.from_pretrained(tmp_path)
    assert model.output is None and torch.equal(model.tokens.weight, tokens)


@torch.no_grad()
def test_frequencies_once_stored_are_left_out(small, tmp_path):
    """旧的文件还存着旋转的频率：transformers 不看它，我们也不看。"""
    shutil.copytree(small[0], tmp_path, dirs_exist_ok=True)
    stored = {f"model.{place}rotary_emb.inv_freq": torch.ones(2) for place in ("", "layers.0.self_attn.")}
    save_file(load_file(tmp_path / "model.safetensors") | stored, tmp_path / "model.safetensors")
    theirs = LlamaForCausalLM.from_pretrained(tmp_path).eval()
    assert relative(LanguageModel.from_pretrained(tmp_path)(IDS).logits, theirs(IDS).logits) < 1e-5


@torch.no_grad()
def test_what_may_be_written_all_the_same(small, tmp_path):
    """写着的恰好就是我们做的事，或者改名而来却没有用上的，照样装得上，与 transformers 相等。"""
    changes = {
        "hidden_act": "swish", "sliding_window": None, "use_sliding_window": False, "num_experts": 0, "logits_scaling": 1.0,
        "partial_rotary_factor": 1.0, "layer_types": ["full_attention"] * 2, "rope_interleaved": False, "head_dim": 4,
        "rope_scaling": None, "architectures": None, "anything": "else", "rope_theta": 500,
        "rope_parameters": {"rope_type": "default", "rope_theta": 500.0, "partial_rotary_factor": 1},
    }  # fmt: skip
    folder = changed_copy(small[0], tmp_path / "m", "config.json", changes)
    theirs = LlamaForCausalLM.from_pretrained(folder).eval()
    assert relative(LanguageModel.from_pretrained(folder)(IDS).logits, theirs(IDS).logits) < 1e-5
    neutral = {
        "rope.scaling.type": "none", "rope.scaling.factor": 1.0, "expert_count": 0, "attention.causal": True,
        "attention.key_length": 4, "attention.value_length": 4, "logit_scale": 1.0,
    }  # fmt: skip
    path = make_gguf(tmp_path / "a.gguf", gguf_weights(small[2]), FIELDS | neutral, general__type="model")
    assert relative(LanguageModel.from_pretrained(path)(IDS).logits, small[2](IDS).logits) < 1e-5


def test_rows_are_put_beside_their_partner():
    rows = torch.arange(12)[:, None] * torch.ones(1, 3)
    assert interleaved(rows, 2)[:, 0].tolist() == [0, 3, 1, 4, 2, 5, 6, 9, 7, 10, 8, 11]
    assert torch.equal(interleaved(rows[:, 0], 2), interleaved(rows, 2)[:, 0])


def test_halves_undo_the_pairs():
    weight = torch.arange(24.0).view(12, 2)
    for heads in (1, 2, 3):
        assert torch.equal(halves(interleaved(weight, heads), heads), weight)
    assert halves(torch.arange(8.0)[:, None], 2)[:, 0].tolist() == [0, 2, 1, 3, 4, 6, 5, 7]


@pytest.mark.parametrize("options", [{}, {"tie_word_embeddings": False}, {"num_key_value_heads": 6}])
@torch.no_grad()
def test_the_reference_is_the_model_that_was_stored(tmp_path, options):
    theirs = make_llama(tmp_path, **options)
    reference = load_llm_reference(tmp_path)
    assert not reference.training and {p.dtype for p in reference.parameters()} == {torch.float32}
    expected = theirs(IDS, output_hidden_states=True)
    got = reference(IDS, output_hidden_states=True)
    assert torch.equal(got.logits, expected.logits)
    for x, y in zip(got.hidden_states, expected.hidden_states, strict=True):
        assert torch.equal(x, y)


@torch.no_grad()
def test_the_reference_reads_gguf_too(small):
    """两种文件装出同一个参照，我们的与它相同。"""
    folder, path, *_ = small
    assert torch.equal(load_llm_reference(path)(IDS).logits, load_llm_reference(folder)(IDS).logits)


def test_no_reference_from_half_a_file(small, tmp_path):
    (tmp_path / "half.gguf").write_bytes(b"GGUF")
    assert "没有下载完整" in refusal(load_llm_reference, tmp_path / "half.gguf")
    weights = gguf_weights(small[2])
    del weights["blk.1.attn_k.weight"]
    path = make_gguf(tmp_path / "a.gguf", weights)
    assert "缺少 model.layers.1.self_attn.k_proj.weight (8, 24)" in refusal(load_llm_reference, path)


def test_weights_keep_the_dtype_of_the_module(small):
    source = open_llama(small[1])
    model = LanguageModel(source.config).to(torch.bfloat16)
    source.load(model)
    expected = small[2].model.embed_tokens.weight
    assert torch.equal(model.tokens.weight, expected.to(torch.bfloat16))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float64])
def test_opened_in_another_type(small, dtype):
    """每个权重都是那一种类型，是 fp32 的那一份换过来的；仍能照常算。"""
    path = small[1]
    wide, other = LanguageModel.from_pretrained(path), LanguageModel.from_pretrained(path, dtype=dtype)
    for (name, p), q in zip(wide.named_parameters(), other.parameters(), strict=True):
        assert q.dtype == dtype and torch.equal(q, p.to(dtype)), name
    logits = other(torch.tensor([[1, 2, 3]])).logits
    assert logits.dtype == dtype and logits.isfinite().all()


@pytest.mark.parametrize("dtype", ["bfloat16", torch.int8, torch.complex64, torch.float8_e4m3fn, None])
def test_only_types_that_one_computes_with(small, dtype):
    with pytest.raises(ValueError, match=r"只能是 torch\.float32"):
        LanguageModel.from_pretrained(small[1], dtype=dtype)


def test_the_variable_chooses_the_model(small, monkeypatch):
    monkeypatch.setenv("COURSE_LLM", f" {small[1]} ")
    assert llm_source() == small[1]
    assert LanguageModel.from_pretrained().config.vocab_size == 40


# ---- 内置的模型，与 transformers 由同一个文件装出来的相比


# 每次都要把真的模型由 transformers 解开一遍，所以 make check 不跑
real_model = pytest.mark.subprocess


@pytest.fixture(scope="module")
def real():
    """(我们的, transformers 的)，同一个 GGUF 文件。"""
    path = llm_source()
    theirs = AutoModelForCausalLM.from_pretrained(path.parent, gguf_file=path.name, dtype=torch.float32)
    return LanguageModel.from_pretrained(), theirs.eval()


@pytest.fixture(scope="module")
def text():
    """三句随机的编号，与一段反复的：模型的把握有大有小。"""
    g = torch.Generator().manual_seed(0)
    ids = torch.randint(0, 49152, (4, 24), generator=g)
    ids[3] = ids[3, :6].repeat(4)
    return ids


def worst(got, expected):
    """每个位置上，最大的差与最大的绝对值之比，取最坏的位置。"""
    return ((got - expected).abs().amax(dim=-1) / expected.abs().amax(dim=-1)).max().item()


def test_sizes_of_the_builtin():
    source = open_llama(llm_source())
    config = source.config
    assert config == LanguageModelConfig(norm_eps=config.norm_eps)  # 文件里是 fp32 的 1e-5
    assert config.norm_eps == pytest.approx(1e-5)
    assert sum(math.prod(shape) for shape in source.shapes.values()) == 134_515_008


@real_model
@torch.no_grad()
def test_builtin_matches_at_every_layer_and_position(real, text):
    ours, theirs = real
    expected = theirs(text, output_hidden_states=True)
    got = ours(text, output_hidden_states=True)
    *states, last = got.hidden_states
    assert len(states) == 30
    for x, y in zip([*states, ours.norm(last)], expected.hidden_states, strict=True):
        assert worst(x, y) <= 1e-5
    assert worst(got.logits, expected.logits) <= 1e-5
    weighted = ours(text, need_weights=True)
    assert worst(weighted.logits, expected.logits) <= 1e-5
    total = weighted.attentions[29].sum(dim=-1)
    assert_close(total, torch.ones(4, 9, 24))


@real_model
@torch.no_grad()
def test_builtin_with_a_cache(real, text):
    ours, theirs = real
    expected = theirs(text).logits
    cache = ours.new_cache()
    steps = [ours(new, cache=cache).logits for new in text.split([18] + [1] * 6, dim=1)]
    assert worst(torch.cat(steps, dim=1), expected) <= 1e-5


@real_model
@pytest.mark.parametrize("side", ["左", "右"])
@torch.no_grad()
def test_builtin_with_padding(real, text, side):
    ours, theirs = real
    lengths = torch.tensor([[5], [24], [23], [1]])
    mask = (torch.arange(24) < lengths).long()
    mask = mask.flip(1) if side == "左" else mask
    positions = (mask.cumsum(dim=-1) - 1).clamp(min=0)
    expected = theirs(text, attention_mask=mask, position_ids=positions).logits
    got = ours(text, mask).logits
    assert got.isfinite().all() and worst(got[mask.bool()], expected[mask.bool()]) <= 1e-5


@real_model
@torch.no_grad()
def test_builtin_writes_the_same(real, text):
    """填充在左的一批，贪心写八个，与 transformers 的 generate 一个不差。"""
    ours, theirs = real
    mask = (torch.arange(24) >= torch.tensor([[9], [0], [4], [0]])).long()
    settings = {"max_new_tokens": 8, "min_new_tokens": 8, "do_sample": False, "pad_token_id": 2}
    expected = theirs.generate(text, attention_mask=mask, **settings)
    never_ends = lambda logits, ids: logits.index_fill(-1, torch.tensor([2]), -torch.inf).argmax(-1)  # noqa: E731
    for use_cache in (True, False):
        got = generate(ours, text, 8, never_ends, attention_mask=mask, use_cache=use_cache)
        assert torch.equal(got, expected)
