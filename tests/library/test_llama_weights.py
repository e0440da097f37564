"""Llama 式的权重：GGUF 文件与文件夹装出来的都与 transformers 相同，坏的文件得到一句话，内置的模型逐层相同。"""

import json
import shutil
import warnings

import gguf
import pytest
import torch
from safetensors.torch import load_file, save_file
from samples import shaken
from torch.testing import assert_close
from transformers import AutoModelForCausalLM, LlamaConfig, LlamaForCausalLM

from course_lib.config import LanguageModelConfig
from course_lib.generation import generate
from course_lib.language_model import LanguageModel
from course_lib.weights import PretrainedError, llm_source, load_llama, load_llm_reference, open_llama
from course_lib.weights.llama import interleaved
from course_lib.weights.reference import halves

IDS = torch.randint(0, 40, (2, 9), generator=torch.Generator().manual_seed(1))
D, HEADS, KV, LAYERS = 24, 6, 2, 2


def relative(got, expected):
    return ((got - expected).abs().max() / expected.abs().max()).item()


def make_folder(folder, **options):
    """transformers 存下的一个随机的小模型；返回它。"""
    torch.manual_seed(0)
    sizes = {
        "vocab_size": 40, "hidden_size": D, "num_attention_heads": HEADS, "num_key_value_heads": KV,
        "intermediate_size": 20, "num_hidden_layers": LAYERS, "max_position_embeddings": 16, "rms_norm_eps": 1e-3,
        "bos_token_id": 5, "eos_token_id": 6, "tie_word_embeddings": True,
        "rope_parameters": {"rope_type": "default", "rope_theta": 500.0},
    }  # fmt: skip
    model = shaken(LlamaForCausalLM(LlamaConfig(**sizes | options)))
    model.save_pretrained(folder)
    (folder / "tokenizer.json").write_text("{}")
    return model


FIELDS = {
    "block_count": LAYERS, "context_length": 16, "embedding_length": D, "feed_forward_length": 20, "vocab_size": 40,
    "attention.head_count": HEADS, "attention.head_count_kv": KV, "attention.layer_norm_rms_epsilon": 1e-3,
    "rope.freq_base": 500.0, "rope.dimension_count": D // HEADS,
}  # fmt: skip
IDS_OF = {"bos": 5, "eos": 6, "padding": 7}


def make_gguf(path, weights, fields=FIELDS, ids=IDS_OF, architecture="llama"):
    """把 transformers 的权重写成 GGUF：名字换掉，W^Q、W^K 的行按文件的约定重排。"""
    writer = gguf.GGUFWriter(path, architecture)
    for name, value in fields.items():
        add = {str: writer.add_string, float: writer.add_float32, int: writer.add_uint32}[type(value)]
        add(f"llama.{name}", value)
    for name, value in ids.items():
        writer.add_uint32(f"tokenizer.ggml.{name}_token_id", value)
    for name, tensor in weights.items():
        writer.add_tensor(name, tensor.contiguous().numpy())
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def gguf_weights(model):
    """transformers 的权重 → GGUF 的名字与次序。"""
    names = {
        "model.embed_tokens": "token_embd", "model.norm": "output_norm", "lm_head": "output", "model.layers": "blk",
        "input_layernorm": "attn_norm", "post_attention_layernorm": "ffn_norm", "self_attn.q_proj": "attn_q",
        "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v", "self_attn.o_proj": "attn_output",
        "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up", "mlp.down_proj": "ffn_down",
    }  # fmt: skip
    weights = {}
    for key, tensor in model.state_dict().items():
        if key == "lm_head.weight" and model.config.tie_word_embeddings:
            continue
        heads = HEADS if ".q_proj" in key else KV if ".k_proj" in key else 0
        for theirs, ours in names.items():
            key = key.replace(theirs, ours)
        if heads:  # 一个头的行：前半 0 1，后半 2 3 → 0 2 1 3
            tensor = tensor.view(heads, -1, D)[:, [0, 2, 1, 3]].reshape(-1, D)
        weights[key] = tensor
    return weights


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """(文件夹, GGUF 文件, transformers 的模型)，谁也不许改动。"""
    folder = tmp_path_factory.mktemp("llama")
    model = make_folder(folder)
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
    theirs = make_folder(tmp_path, **options)
    ours = LanguageModel.from_pretrained(tmp_path)
    assert ours.config.tied == theirs.config.tie_word_embeddings
    assert ours.config.bias == theirs.config.attention_bias
    assert relative(ours(IDS).logits, theirs(IDS).logits) < 1e-5


@torch.no_grad()
def test_gguf_with_its_own_output(tmp_path):
    theirs = make_folder(tmp_path, tie_word_embeddings=False)
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


def changed_config(folder, target, **changes):
    """文件夹的一份拷贝，config.json 改几处；值是 None 的删掉。"""
    shutil.copytree(folder, target, dirs_exist_ok=True)
    values = json.loads((target / "config.json").read_text()) | changes
    values = {key: value for key, value in values.items() if value is not None}
    (target / "config.json").write_text(json.dumps(values))
    return target


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"rope_parameters": None, "rope_theta": 77.0}, {"rope_theta": 77.0}),
        ({"rope_parameters": None}, {"rope_theta": 10_000.0}),
        ({"eos_token_id": [8, 9], "bos_token_id": None}, {"eos_id": 8, "bos_id": 8, "pad_id": 8}),
        ({"pad_token_id": 0}, {"pad_id": 0, "eos_id": 6}),
        ({"num_key_value_heads": None}, {"num_kv_heads": 6}),
        ({"tie_word_embeddings": None}, {"tied": False}),
        ({"attention_bias": None}, {"bias": False}),
        ({"head_dim": None}, {"d_model": D}),
    ],
)
def test_older_and_newer_configs(small, tmp_path, changes, expected):
    config = open_llama(changed_config(small[0], tmp_path, **changes)).config
    assert {name: getattr(config, name) for name in expected} == expected


def test_a_stored_copy_of_the_tied_matrix_is_left_out(small, tmp_path):
    shutil.copytree(small[0], tmp_path, dirs_exist_ok=True)
    weights = load_file(tmp_path / "model.safetensors")
    save_file(weights | {"lm_head.weight": torch.zeros(40, D)}, tmp_path / "model.safetensors")
    model = LanguageModel.from_pretrained(tmp_path)
    assert torch.equal(model.tokens.weight, weights["model.embed_tokens.weight"])


def test_a_file_in_half_precision(small, tmp_path):
    shutil.copytree(small[0], tmp_path, dirs_exist_ok=True)
    weights = load_file(tmp_path / "model.safetensors")
    save_file({name: x.bfloat16() for name, x in weights.items()}, tmp_path / "model.safetensors")
    norm = LanguageModel.from_pretrained(tmp_path).norm.weight
    assert norm.dtype == torch.float32
    assert torch.equal(norm, weights["model.norm.weight"].bfloat16().float())


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
    theirs = make_folder(tmp_path, **options)
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


def test_no_reference_from_half_a_file(tmp_path):
    (tmp_path / "half.gguf").write_bytes(b"GGUF")
    with pytest.raises(PretrainedError, match="没有下载完整"):
        load_llm_reference(tmp_path / "half.gguf")


def test_weights_keep_the_dtype_of_the_module(small):
    source = open_llama(small[1])
    model = LanguageModel(source.config).to(torch.bfloat16)
    load_llama(model, source)
    expected = small[2].model.embed_tokens.weight
    assert torch.equal(model.tokens.weight, expected.to(torch.bfloat16))


def test_the_variable_chooses_the_model(small, monkeypatch):
    monkeypatch.setenv("COURSE_LLM", f" {small[1]} ")
    assert llm_source() == small[1]
    assert LanguageModel.from_pretrained().config.vocab_size == 40


# ---- 坏的文件


def message(source):
    """装它时的那句话：一句，不换行，以句号结尾。"""
    with pytest.raises(PretrainedError) as error:
        source = open_llama(source)
        model = LanguageModel(source.config)
        before = {name: p.clone() for name, p in model.state_dict().items()}
        try:
            load_llama(model, source)
        finally:  # 装不上，模型就保持原样
            for name, p in model.state_dict().items():
                assert torch.equal(p, before[name])
    text = str(error.value)
    assert text.endswith("。") and text.count("。") == 1 and "\n" not in text
    return text


@pytest.mark.parametrize("share", [0.0, 0.0001, 0.02, 0.5, 0.999])
def test_half_a_gguf(small, tmp_path, share):
    data = small[1].read_bytes()
    path = tmp_path / "half.gguf"
    path.write_bytes(data[: int(len(data) * share)])
    text = message(path)
    assert text.startswith(f"{path} 打不开，它不是 GGUF 文件，或者没有下载完整（")


def test_not_a_gguf(tmp_path):
    path = tmp_path / "a.gguf"
    assert "打不开" in message(path) and "FileNotFoundError" in message(path)
    path.write_bytes(b"<html>404</html>" * 9)
    assert "打不开，它不是 GGUF 文件，或者没有下载完整（ValueError）" in message(path)


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"rope.scaling.type": "yarn"}, "里的尺寸不对：旋转位置编码的 'yarn' 伸缩，这里没有写"),
        ({"rope.dimension_count": 2}, "里的尺寸不对：6 个宽 2 的头，拼起来不是 d_model=24"),
        ({"attention.head_count_kv": 4}, "里的尺寸不对：num_heads=6 不能被 num_kv_heads=4 整除"),
        ({"block_count": 0}, "里的尺寸不对：num_layers=0：应当是正整数"),
        ({"block_count": 3}, "权重与模型对不上：缺少 layers.2.norm1.weight (24,)"),
        ({"block_count": 1}, "权重与模型对不上：多出 blk.1."),
        ({"vocab_size": 41}, "token_embd.weight 的形状是 (40, 24)，模型里的 tokens.weight 却是 (41, 24)"),
    ],
)
def test_a_gguf_of_another_size(small, tmp_path, fields, text):
    path = make_gguf(tmp_path / "a.gguf", gguf_weights(small[2]), FIELDS | fields)
    got = message(path)
    assert got.startswith(f"{path} ") and text in got


@pytest.mark.parametrize("name", ["vocab_size", "block_count", "attention.head_count", "context_length"])
def test_a_gguf_lacks_a_field(small, tmp_path, name):
    fields = {key: value for key, value in FIELDS.items() if key != name}
    path = make_gguf(tmp_path / "a.gguf", gguf_weights(small[2]), fields)
    assert message(path) == f"{path} 里缺少 llama.{name}，不像一个完整的 Llama。"


def test_a_gguf_lacks_the_end(small, tmp_path):
    path = make_gguf(tmp_path / "a.gguf", gguf_weights(small[2]), ids={})
    assert "里缺少 tokenizer.ggml.eos_token_id，" in message(path)


def test_another_architecture(small, tmp_path):
    path = make_gguf(tmp_path / "a.gguf", gguf_weights(small[2]), architecture="qwen2")
    assert message(path) == f"{path} 里的 general.architecture 是 'qwen2'，课程只装 'llama'。"


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"model_type": "qwen2"}, "不能用：config.json 里的 model_type 是 'qwen2'，课程只装 'llama'。"),
        ({"hidden_size": None}, "config.json 里缺少 hidden_size，不像一个 Llama 的配置。"),
        ({"eos_token_id": None, "hidden_size": None}, "里缺少 hidden_size、eos_token_id，"),
        ({"rope_parameters": {"rope_type": "llama3", "rope_theta": 5e5}}, "旋转位置编码的 'llama3' 伸缩"),
        ({"rope_parameters": None, "rope_scaling": {"type": "linear"}}, "旋转位置编码的 'linear' 伸缩"),
        ({"head_dim": 8}, "里的尺寸不对：6 个宽 8 的头，拼起来不是 d_model=24。"),
        ({"num_attention_heads": 5}, "里的尺寸不对：5 个宽 4 的头"),
        ({"vocab_size": "many"}, "config.json 里的尺寸不对：'<' not supported"),
        ({"attention_bias": True}, "权重与模型对不上：缺少 layers.0.self_attn.q_proj.bias (24,)"),
        ({"num_hidden_layers": 1}, "model.safetensors 的权重与模型对不上：多出 model.layers.1."),
    ],
)
def test_a_folder_with_another_config(small, tmp_path, changes, text):
    assert text in message(changed_config(small[0], tmp_path, **changes))


def test_half_a_folder(small, tmp_path):
    shutil.copytree(small[0], tmp_path, dirs_exist_ok=True)
    weights, config = tmp_path / "model.safetensors", tmp_path / "config.json"
    data = weights.read_bytes()
    weights.write_bytes(data[: len(data) // 2])
    assert message(tmp_path) == f"{weights} 打不开，文件可能没有下载完整（SafetensorError）。"
    weights.unlink()
    assert message(tmp_path) == f"{weights} 打不开，文件可能没有下载完整（FileNotFoundError）。"
    config.write_text("{")
    assert message(tmp_path) == f"文件夹 {tmp_path} 不能用：config.json 读不出来（JSONDecodeError）。"
    config.unlink()
    assert message(tmp_path) == f"文件夹 {tmp_path} 不能用：没有 config.json。"


# ---- 内置的模型，与 transformers 由同一个文件装出来的相比


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


def test_builtin_sizes(real):
    config = real[0].config
    assert config == LanguageModelConfig(norm_eps=config.norm_eps)  # 文件里是 fp32 的 1e-5
    assert config.norm_eps == pytest.approx(1e-5)
    assert sum(p.numel() for p in real[0].parameters()) == 134_515_008


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


@torch.no_grad()
def test_builtin_with_a_cache(real, text):
    ours, theirs = real
    expected = theirs(text).logits
    cache = ours.new_cache()
    steps = [ours(text[:, :end], cache=cache).logits for end in (18, *range(19, 25))]
    assert worst(torch.cat(steps, dim=1), expected) <= 1e-5


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
