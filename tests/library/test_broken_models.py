"""坏的、怪的模型：每一份都得到一句中文，指名是哪个文件；写着我们不做的事，也不悄悄装上。"""

import shutil

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from samples import vit
from tiny_models import (
    FIELDS,
    GGUF_TOKENIZER,
    IDS,
    WEIGHTS,
    D,
    changed_copy,
    gguf_weights,
    make_bert,
    make_gguf,
    make_llama,
    refusal,
    unkind,
)  # fmt: skip
from torch import nn
from transformers import ViTConfig, ViTModel

from course_lib.bert import Bert
from course_lib.byte_pair import BytePairTokenizer
from course_lib.language_model import LanguageModel
from course_lib.tokenization import WordPieceTokenizer
from course_lib.weights import PretrainedError, load_hf_vit, open_bert, open_llama

HUGE, DEEP = 10**4000, b'{"a": ' * 100_000


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    return make_bert(tmp_path_factory.mktemp("bert"))


@pytest.fixture(scope="module")
def llama(tmp_path_factory):
    folder = tmp_path_factory.mktemp("llama")
    return folder, gguf_weights(make_llama(folder))


@pytest.fixture(autouse=True)
def nothing_is_allocated(monkeypatch):
    def forbidden(*_, **__):
        raise AssertionError("还没有查完，就占了内存")

    monkeypatch.setattr(nn.Module, "load_state_dict", forbidden)


# ---- config.json


def each(*rows) -> list:
    """(名字, 几个坏的值, 话里有什么) 摊成一个个 (改动, 话)；话里的 {} 是那个值。"""
    return [({name: value}, words.format(repr(value))) for name, values, words in rows for value in values]


ANY_JSON = [
    (b"", "读不出来（JSONDecodeError）"), (b"\xff\xfe", "读不出来（UnicodeDecodeError）"), (DEEP, "读不出来（RecursionError）"),
    (b'{"vocab_size": ' + b"9" * 5000 + b"}", "读不出来（ValueError）"), (b"[]", "最外层不是对象"), (b"null", "最外层不是对象"),
]  # fmt: skip
NOT_POSITIVE = ("x", None, 0, -1, True, [1], {}, float("nan"), float("inf"))
BERT_CONFIGS = ANY_JSON + each(
    ("model_type", [..., "electra", "roberta", ["bert"]], "model_type 是"),
    ("model_type", ["x" * 5000], "xxx…"),
    ("architectures", [["ElectraModel"], "BertModel", [3]], "architectures 是 {}"),
    ("hidden_act", ["gelu_new", "silu", None, {"a": 1}], "hidden_act 是 {}，课程的模型没有写这一种"),
    ("position_embedding_type", ["relative_key", "relative_key_query"], "position_embedding_type 是 {}"),
    ("is_decoder", [True, 1], "is_decoder 是 {}"),
    ("add_cross_attention", [True], "add_cross_attention 是 True"),
    ("embedding_size", [8], "embedding_size 是 8"),
    ("pruned_heads", [{"0": [1]}], "pruned_heads 是 {}"),
    ("quantization_config", [{"bits": 8}], "quantization_config 是 {}"),
    ("hidden_size", [...], "缺少 hidden_size，不像一个 BERT 的配置"),
    ("hidden_size", [8.0, "16", [16], None, True], "d_model={}：应当是整数"),
    ("hidden_size", [15], "整除"),
    ("hidden_size", [0, -16], "d_model={}：应当是正整数"),
    ("hidden_size", [10**9], "embeddings.LayerNorm.bias 的形状是 (16,)"),
    ("hidden_size", [2 * 10**9, HUGE], "太大了"),
    ("vocab_size", [30], "模型里的 embeddings.tokens.weight 却是 (30, 16)"),
    ("vocab_size", [10**9], "tokenizer.json 里有 24 个词元，模型却要 1000000000 个"),
    ("max_position_embeddings", [10**9], "embeddings.positions.weight"),
    ("intermediate_size", [10**9], "ffn.linear1"),
    ("num_hidden_layers", [10**9], "却说有 1000000000 层"),
    ("num_hidden_layers", [3], "缺少 encoder.layers.2."),
    ("num_hidden_layers", [1], "多出 encoder.layer.1."),
    ("num_hidden_layers", [0], "应当是正整数"),
    ("num_attention_heads", [0], "应当是正整数"),
    ("num_attention_heads", [3], "整除"),
    ("type_vocab_size", [0], "应当是正整数"),
    ("type_vocab_size", [3], "embeddings.segments.weight"),
    ("pad_token_id", [99, -2], "pad_token_id={} 不在 24 个词元的词表里"),
    ("pad_token_id", [[0]], "应当是整数"),
    ("hidden_dropout_prob", [2, -0.1, "0.1", None, float("nan")], "dropout={}：应当在 0 与 1 之间"),
    ("layer_norm_eps", NOT_POSITIVE, "layer_norm_eps={}：应当是正数"),
)  # fmt: skip
LLAMA_CONFIGS = ANY_JSON + each(
    ("model_type", ["gemma", "mistral", "llama4", 7, None], "model_type 是 {}"),
    ("architectures", [["Qwen2ForCausalLM"], []], "architectures 是 {}"),
    ("hidden_act", ["gelu", "gelu_pytorch_tanh", "relu", None, 3], "hidden_act 是 {}，课程的模型没有写这一种"),
    *(
        (name, [value], name + " 是 {}，课程的模型没有写这一种")
        for name, value in {
            "hidden_activation": "gelu", "sliding_window": 8, "use_sliding_window": True, "attn_logit_softcapping": 50.0,
            "final_logit_softcapping": 30.0, "query_pre_attn_scalar": 256, "partial_rotary_factor": 0.5, "num_experts": 8,
            "num_local_experts": 8, "n_routed_experts": 64, "rope_interleaved": True, "use_qk_norm": True,
            "embedding_multiplier": 12, "residual_multiplier": 0.22, "logits_scaling": 8, "logit_scale": 0.0625,
            "no_rope_layers": [1, 0], "attention_multiplier": 0.5, "clip_qkv": 8, "quantization_config": {"bits": 4},
        }.items()
    ),
    ("layer_types", [["full_attention", "sliding_attention"], "full_attention"], "layer_types 是 {}，"),
    ("rope_parameters", [{"rope_type": "llama3", "rope_theta": 5e5}], "rope_parameters 里的 rope_type 是 'llama3'"),
    ("rope_parameters", [{"rope_type": "default", "partial_rotary_factor": 0.5}], "partial_rotary_factor 是 0.5"),
    ("rope_parameters", [{"rope_type": "default", "rope_theta": 0}], "rope_theta=0：应当是正数"),
    ("rope_parameters", [{"full_attention": {"rope_theta": 1.0}}], "没有写这一种旋转"),
    ("rope_scaling", [{"type": "linear"}, {"type": ["default"]}], "rope_scaling 里的 type 是"),
    ("rope_scaling", [{"type": "linear", "factor": 2.0}, [1], "linear", 2, True, []], "rope_scaling 是 {}，课程的模型没有写这一种旋转"),
    ("head_dim", [8], "的形状是 (24, 24)，模型里的 layers.0.self_attn.q_proj.weight 却是 (48, 24)"),
    ("head_dim", ["4", 4.0], "head_dim={}：应当是整数"),
    ("head_dim", [0, -4], "head_dim={}"),
    ("head_dim", [3], "每个头的宽度 3 是奇数"),
    ("attention_bias", [True], "attention_bias 与 mlp_bias 不同"),
    ("mlp_bias", [True], "attention_bias 与 mlp_bias 不同"),
    ("tie_word_embeddings", [False], "缺少 output.weight (40, 24)"),
    ("tie_word_embeddings", ["yes", 1], "tied={}：应当是 true 或 false"),
    ("hidden_size", [..., None], "缺少 hidden_size，不像一个语言模型的配置"),
    ("eos_token_id", [[], "6", 6.0, {}, True], "eos_id={}：应当是整数"),
    ("eos_token_id", [99, -2], "eos_id={} 不在 40 个词元的词表里"),
    ("eos_token_id", [[99]], "eos_id=99 不在"),
    ("bos_token_id", [[None]], "应当是整数"),
    ("pad_token_id", [-2, 40], "pad_id={} 不在"),
    ("vocab_size", ["many"], "vocab_size='many'：应当是整数"),
    ("vocab_size", [41, 10**9], "的形状是 (40, 24)，模型里的 tokens.weight 却是"),
    ("hidden_size", [24.0], "应当是整数"),
    ("hidden_size", [48], "的形状是 (40, 24)，模型里的 tokens.weight 却是 (40, 48)"),
    ("num_attention_heads", [0, -6], "应当是正整数"),
    ("num_attention_heads", [5], "整除"),
    ("num_attention_heads", ["6"], "应当是整数"),
    ("num_key_value_heads", [0], "应当是正整数"),
    ("num_key_value_heads", [4], "整除"),
    ("num_key_value_heads", [3], "的形状是"),
    ("num_hidden_layers", [10**9], "却说有 1000000000 层"),
    ("num_hidden_layers", [1], "多出 model.layers.1."),
    ("intermediate_size", [0], "应当是正整数"),
    ("max_position_embeddings", [0], "应当是正整数"),
    ("rms_norm_eps", [x for x in NOT_POSITIVE if x is not None], "norm_eps={}：应当是正数"),
) + [
    ({"attention_bias": True, "mlp_bias": True}, "缺少 layers.0.self_attn.q_proj.bias (24,)"),
    ({"hidden_size": 6 * 10**8, "head_dim": 10**8}, "600000000"),
    *(({"rope_parameters": ..., "rope_theta": x}, f"rope_theta={x!r}：应当是正数") for x in NOT_POSITIVE if x is not None),
]  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "cases"), [(Bert, BERT_CONFIGS), (LanguageModel, LLAMA_CONFIGS)], ids=["BERT", "Llama"]
)
def test_configs(bert, llama, tmp_path, kind, cases):
    whole = bert if kind is Bert else llama[0]
    wrong = []
    for changes, words in cases:
        folder = changed_copy(whole, tmp_path / "m", "config.json", changes)
        if said := unkind(kind.from_pretrained, folder, words):
            wrong.append((str(changes)[:99], words, said))
    assert not wrong


# ---- model.safetensors

KEY = {Bert: "encoder.layer.1.output.dense.weight", LanguageModel: "model.layers.1.mlp.down_proj.weight"}


@pytest.mark.parametrize("kind", [Bert, LanguageModel], ids=["BERT", "Llama"])
def test_weights(bert, llama, tmp_path, kind):
    """改的是一个键：去掉、添上、换个形状、换个类型；文件断在各处。"""
    folder = tmp_path / "m"
    shutil.copytree(bert if kind is Bert else llama[0], folder)
    path, key = folder / WEIGHTS, KEY[kind]
    good, whole = load_file(path), path.read_bytes()
    x, wrong = good[key], []
    for changes, words in [
        ({key: None}, "缺少"),
        ({f"{key}.more": x}, f"多出 {key}.more"),
        ({key.replace(".1.", ".01."): x}, "多出"),
        ({key.replace("1", "{}"): x}, "多出"),
        ({"两\n行": x}, "多出"),
        ({key: x[:7]}, f"{key} 的形状是 (7, {x.shape[1]})"),
        ({key: x[None]}, "的形状是 (1, "),
        ({key: x.bool()}, f"{key} 是 BOOL"),
        ({key: x.to(torch.complex64)}, f"{key} 是 C64"),
        ({key: x.char()}, f"{key} 是 I8"),
        ({key: x.long()}, f"{key} 是 I64"),
        ({key: x.to(torch.float8_e4m3fn)}, f"{key} 是 F8_E4M3"),
        ({f"layer{i}": x for i in range(9)}, "共 9 处"),
    ]:
        save_file({name: x.clone() for name, x in (good | changes).items() if x is not None}, path)
        wrong += [(words, said)] if (said := unkind(kind.from_pretrained, folder, words)) else []
    assert not wrong
    for content in (b"", whole[:5], whole[:200], whole[:-8], b"\xff" * 100, b"<html>404</html>" * 9):
        path.write_bytes(content)
        assert "没有下载完整（SafetensorError）" in refusal(kind.from_pretrained, folder)
    path.unlink()
    assert "FileNotFoundError" in refusal(open_bert if kind is Bert else open_llama, folder)


def test_a_different_copy_of_the_tied_matrix(llama, tmp_path):
    """transformers 见两个矩阵不同，就不当作同一个；我们不猜，说出来。"""
    shutil.copytree(llama[0], tmp_path / "m")
    weights = load_file(tmp_path / "m" / WEIGHTS)
    save_file(weights | {"lm_head.weight": torch.zeros(40, D)}, tmp_path / "m" / WEIGHTS)
    assert "lm_head.weight 与嵌入不同" in refusal(open_llama, tmp_path / "m")
    weights["lm_head.weight"] = weights.pop("model.embed_tokens.weight")
    save_file(weights, tmp_path / "m" / WEIGHTS)
    assert "缺少 tokens.weight (40, 24)" in refusal(LanguageModel.from_pretrained, tmp_path / "m")


# ---- GGUF

GGUF_FIELDS = [
    ({f"llama.{name}": value for name, value in changes.items()}, words)
    for changes, words in each(
        ("vocab_size", [None], "eos_id=6 不在 6 个词元的词表里"),  # 没有写的，照词表数
        ("attention.head_count", [None], "缺少 llama.attention.head_count"),
        ("context_length", [None], "缺少 llama.context_length"),
        *(
            (name, [value], f"llama.{name} 是 {{}}，课程的模型没有写这一种")
            for name, value in {
                "rope.scaling.type": "yarn", "rope.scaling.factor": 2.0, "rope.scale_linear": 4.0, "expert_count": 8,
                "expert_used_count": 2, "attention.sliding_window": 4096, "attention.causal": False, "logit_scale": 0.5,
                "embedding_scale": 12.0, "residual_scale": 0.5, "use_parallel_residual": True, "tensor_data_layout": "neox",
            }.items()
        ),
        *(
            (name, [1.0], f"里有 llama.{name}，课程的模型没有写这一种")
            for name in ("final_logit_softcapping", "attention.clamp_kqv", "attention.layer_norm_epsilon", "new")
        ),
        ("attention.key_length", [8], "每个头宽 8，另一处写的却是 4"),
        ("attention.value_length", [8], "每个头宽 4，另一处写的却是 8"),
        ("rope.dimension_count", [2], "每个头宽 4，另一处写的却是 2"),
        ("attention.head_count", [0], "num_heads=0：应当是正整数"),
        ("attention.head_count", [[6, 6]], "应当是整数"),
        ("attention.head_count_kv", [4], "num_heads=6 不能被 num_kv_heads=4 整除"),
        ("attention.head_count_kv", [0], "num_kv_heads=0：应当是正整数"),
        ("feed_forward_length", [[20, 20]], "d_ff=[20, 20]：应当是整数"),
        ("feed_forward_length", [24], "的形状是"),
        ("embedding_length", [24.0], "d_model=24.0：应当是整数"),
        ("embedding_length", [36], "每个头宽 6，另一处写的却是 4"),
        ("block_count", [0, -1], "num_layers={}：应当是正整数"),
        ("block_count", [1], "多出 blk.1."),
        ("block_count", [3], "缺少 layers.2.norm1.weight (24,)"),
        ("block_count", [10**9], "却说有 1000000000 层"),
        ("vocab_size", [41], "token_embd.weight 的形状是 (40, 24)，模型里的 tokens.weight 却是 (41, 24)"),
        ("vocab_size", ["many"], "vocab_size='many'：应当是整数"),
        ("attention.layer_norm_rms_epsilon", ["x", float("nan"), 0.0], "norm_eps={}：应当是正数"),
        ("rope.freq_base", [0.0, True, -1.0], "rope_theta={}：应当是正数"),
    )
] + each(
    ("general.architecture", ["qwen2moe", "gemma", ["llama"]], "general.architecture 是 {}，课程只装 'llama'、'qwen2'、'qwen3'"),
    ("general.type", ["adapter"], "general.type 是 'adapter'"),
    ("general.quantization_version", [1], "general.quantization_version 是 1"),
    ("split.count", [2], "split.count 是 2"),
    ("tokenizer.ggml.eos_token_id", [None], "缺少 tokenizer.ggml.eos_token_id"),
    ("tokenizer.ggml.eos_token_id", [40], "eos_id=40 不在 40 个词元的词表里"),
    ("tokenizer.ggml.bos_token_id", ["1"], "bos_id='1'：应当是整数"),
    ("tokenizer.ggml.padding_token_id", [-2], "pad_id=-2 不在"),
)  # fmt: skip


def write_gguf(path, changes, weights=None, tokenizer=GGUF_TOKENIZER):
    """照 `make_gguf` 写一份，再改几个完整的名字。"""
    good = {f"llama.{name}": x for name, x in FIELDS.items()}
    good |= {f"tokenizer.ggml.{name}_token_id": x for name, x in IDS.items()}
    return make_gguf(path, weights, {}, {}, tokenizer, **good | changes)


def test_gguf_fields(llama, tmp_path):
    wrong = []
    for changes, words in GGUF_FIELDS:
        path = write_gguf(tmp_path / "a.gguf", changes, llama[1])
        if said := unkind(LanguageModel.from_pretrained, path, words):
            wrong.append((changes, words, said))
    assert not wrong


def test_gguf_tensors(llama, tmp_path):
    good, path = llama[1], tmp_path / "a.gguf"
    key = "blk.1.ffn_down.weight"
    x, wrong = good[key], []
    for changes, words in [
        ({key: x.double()}, "里有 F64 的张量"),
        ({key: x.char()}, "里有 I8 的张量"),
        ({key: x.int()}, "里有 I32 的张量"),
        ({key: None}, "缺少 layers.1.ffn.down_proj.weight"),
        ({key: x[:7]}, f"{key} 的形状是 (7, 20)"),
        ({"rope_freqs.weight": torch.ones(2)}, "多出 rope_freqs.weight"),
        ({"blk.0.attn_q.bias": torch.ones(D)}, "多出 blk.0.attn_q.bias"),
        ({"blk.0.ffn_gate_inp.weight": torch.ones(8, D)}, "多出 blk.0.ffn_gate_inp.weight"),
        ({"blk.0.attn_q_norm.weight": torch.ones(4)}, "多出 blk.0.attn_q_norm.weight"),
    ]:
        weights = {name: x for name, x in (good | changes).items() if x is not None}
        said = unkind(LanguageModel.from_pretrained, write_gguf(path, {}, weights), words)
        wrong += [(words, said)] if said else []
    assert not wrong
    whole = write_gguf(path, {}, good).read_bytes()
    for share in (0.0, 0.0001, 0.02, 0.3, 0.5, 0.999):
        path.write_bytes(whole[: int(len(whole) * share)])
        assert f"{path} 打不开，它不是 GGUF 文件，或者没有下载完整（" in refusal(open_llama, path)
    path.write_bytes(b"<html>404</html>" * 9)
    assert "没有下载完整（ValueError）" in refusal(open_llama, path)
    path.unlink()
    assert "FileNotFoundError" in refusal(open_llama, path)


def test_gguf_of_damaged_bytes(llama, tmp_path):
    """头里任意几个字节坏了：要么说一句话，要么装得上，不会有别的。"""
    path, g = tmp_path / "a.gguf", np.random.default_rng(0)
    whole = np.frombuffer(write_gguf(path, {}, llama[1]).read_bytes(), np.uint8)
    refused = 0
    for _ in range(150):
        damaged = whole.copy()
        damaged[g.integers(0, 3000, 3)] = g.integers(0, 256, 3)
        path.write_bytes(damaged.tobytes())
        for read in (open_llama, BytePairTokenizer.from_gguf):
            try:
                read(path)
            except PretrainedError:
                refused += 1
    assert refused > 50


# ---- ViT，没有文件，只有权重


def test_vit():
    sizes = {
        "image_size": 12, "patch_size": 4, "hidden_size": 16, "num_attention_heads": 4, "intermediate_size": 24,
        "num_hidden_layers": 3,
    }  # fmt: skip
    for options, words in [
        ({"qkv_bias": False}, "缺少 encoder.layers.0.self_attn.q_proj.bias (16,)"),
        ({"image_size": 16}, "embeddings.position_embeddings 的形状是 (1, 17, 16)"),
        ({"num_hidden_layers": 4}, "多出 layers.3."),
    ]:
        theirs = ViTModel(ViTConfig(**sizes | options)).state_dict()
        assert words in refusal(load_hf_vit, vit(num_classes=0), theirs)
    theirs = ViTModel(ViTConfig(**sizes)).state_dict()
    theirs["layernorm.weight"] = theirs["layernorm.weight"].bool()
    assert "layernorm.weight 是 torch.bool" in refusal(load_hf_vit, vit(num_classes=0), theirs)


# ---- 分词器


def model(**changes):
    return lambda read: read["model"].update(changes)


def added(**changes):
    return lambda read: read["added_tokens"][0].update(changes)


def split(pattern):
    step = {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}
    return {"pre_tokenizer": step}


TOKENIZERS = [
    *ANY_JSON,
    (b"{}", "（KeyError）"),
    *each(("model", [None, [], "BPE", {"type": "BPE"}, 3], "读不了"), ("decoder", ["ByteLevel"], "读不了")),
    *each(("added_tokens", [{"a": 1}, [1], [{"id": 1}], "x", [[]]], "读不了")),
    *each(("pre_tokenizer", [{"type": "Sequence", "pretokenizers": 3}], "读不了"), ("normalizer", [{"type": "NFKC"}], "{}")),
    *each(("pre_tokenizer", [None, {"type": "Metaspace"}, {"type": "ByteLevel", "add_prefix_space": True}], "pre_tokenizer 里有 {}")),
    ({"pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "Digits"}]}}, "里有 {'type': 'Digits'}"),
    *each(("decoder", [None, {"type": "Sequence"}], "model 与 decoder 是")),
    *((lambda read, name=name: read["model"].pop(name), "（KeyError）") for name in ("vocab", "merges")),
    *((model(vocab=x), "读不了") for x in (None, [["a", 1]], "a", 3)),
    *((model(vocab={"a": x}), f"词元 'a' 的编号是 {x!r}") for x in ("1", 1.0, -1, True, [])),
    (model(vocab={"a": 1, "b": 1, "ab": 2}), "编号 1 被几个词元共用"),
    (model(vocab={"a": 1, "b": 2, "ab": 3, "爱": 4}), "爱"),
    (model(merges=["a c"]), "合并的结果不在词表里"),
    *((model(merges=[x]), f"合并规则里有 {tuple(x)}") for x in (["ab"], ["a", "b", "c"], ["a", 1], ["a", ""])),
    *((model(merges=x), "") for x in (None, 3, [3], [None], "a b")),
    (model(type="Unigram"), "model 与 decoder 是"),
    *((model(**{name: "x"}), f"model 里的 {name} 是 'x'") for name in ("dropout", "continuing_subword_prefix", "end_of_word_suffix")),
    *((added(**{name: True}), "added_tokens 里") for name in ("lstrip", "rstrip", "single_word")),
    *((added(**change), "") for change in ({"id": None}, {"content": 3}, {"content": ["<s>"]})),
    *((split(pattern), f"预切分的正则 {pattern!r} ") for pattern in ("(a", "(a)b", 3)),
]  # fmt: skip
TOKENIZER_CONFIGS = [
    *((content, f"tokenizer_config.json {words}") for content, words in ANY_JSON[:4]),
    (b"[]", "tokenizer_config.json 的最外层不是对象"),
    *each(
        ("eos_token", [{}, ["</s>"]], "读不了"),
        ("chat_template", [[{"name": "default"}]], "对话模板不是一段文字"),
    ),
]
GGUF_TOKENIZERS = each(
    ("model", ["llama", 3], "预切分 smollm）；课程只认字节级的 gpt2"), ("model", [None], "的分词器是 None"), ("pre", [["smollm"]], ""),
    ("pre", [None, "qwen35"], "预切分 "), ("add_space_prefix", [True], "的分词器是 gpt2（预切分 smollm）；"),
    ("token_type", [None], "没有 tokenizer.ggml.token_type"), ("merges", [None], "没有 tokenizer.ggml.merges"),
    ("tokens", [None], "没有 tokenizer.ggml.tokens，分词器不完整"), ("tokens", [["<s>", "a"]], "里有 2 个词元，种类却有 6 个"),
    ("tokens", [[1, 2, 3, 4, 5, 6]], "词元 1 的编号是 0"), ("tokens", [3], "读不了"), ("token_type", [3], "读不了"),
    ("merges", [["a c"]], "合并的结果不在词表里"), ("merges", [["ab"]], "合并规则里有"), ("merges", [[1], 3], "读不了"),
    ("eos_token_id", [6], "eos_id=6 不在词表里"), ("bos_token_id", ["a"], "bos_id='a' 不在词表里"),
)  # fmt: skip

WORD_PIECES = {
    "tokenizer_config.json": [b"{", b"[]", DEEP, {"cls_token": {"a": 1}}, {"added_tokens_decoder": 1}],
    "special_tokens_map.json": [b"[]"],
    "added_tokens.json": [b"[]"],
    "config.json": [b"{"],
    "vocab.txt": [b"\xff"],
    "tokenizer.json": [
        b"{",
        DEEP,
        {"model": ...},
        *({"model": x} for x in (3, {}, {"vocab": []}, {"vocab": {"a": -1}})),
    ],
}


def test_tokenizers(bert, llama, tmp_path):
    wrong, files = [], {"tokenizer.json": TOKENIZERS, "tokenizer_config.json": TOKENIZER_CONFIGS}
    for file, cases in files.items():
        for changes, words in cases:
            folder = changed_copy(llama[0], tmp_path / "m", file, changes)
            if said := unkind(BytePairTokenizer.from_pretrained, folder, words):
                wrong.append((file, str(changes)[:99], words, said))
    for file, cases in WORD_PIECES.items():
        for changes in cases:
            folder = changed_copy(bert, tmp_path / "m", file, changes)
            if file == "vocab.txt":
                (folder / "tokenizer.json").unlink()
            if said := unkind(WordPieceTokenizer.from_vocab, folder, "读不了"):
                wrong.append((file, str(changes)[:99], said))
    path = tmp_path / "a.gguf"
    for changes, words in GGUF_TOKENIZERS:
        make_gguf(path, ids={}, tokenizer=GGUF_TOKENIZER | changes)
        if said := unkind(BytePairTokenizer.from_gguf, path, words):
            wrong.append((changes, words, said))
    assert not wrong
