"""极小的随机模型，文件与真的相同：一个 BERT 文件夹，它的多语 BERT 文件，一个 Llama（或 Qwen）的文件夹，同一个模型的 GGUF 文件。"""

import json
import shutil
import struct
import traceback
from itertools import accumulate
from pathlib import Path

import gguf
import pytest
import torch
from samples import shaken

from course_lib.weights import PretrainedError

WEIGHTS = "model.safetensors"
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *"abcdefghijklmnop", "bank", "river", "time"]
D, HEADS, KV, LAYERS = 24, 6, 2, 2
FIELDS = {
    "block_count": LAYERS, "context_length": 16, "embedding_length": D, "feed_forward_length": 20, "vocab_size": 40,
    "attention.head_count": HEADS, "attention.head_count_kv": KV, "attention.layer_norm_rms_epsilon": 1e-3,
    "rope.freq_base": 500.0, "rope.dimension_count": D // HEADS,
}  # fmt: skip
IDS = {"bos": 5, "eos": 6, "padding": 7}
TOKENS = ["<s>", "a", "b", "ab", "<u>", "</s>"]
TOKENIZER = {
    "added_tokens": [{"id": i, "content": TOKENS[i], "lstrip": False} for i in (0, 5)],
    "normalizer": None,
    "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False},
    "decoder": {"type": "ByteLevel"},
    "model": {"type": "BPE", "vocab": {token: i for i, token in enumerate(TOKENS)}, "merges": ["a b"]},
}
GGUF_TOKENIZER = {
    "model": "gpt2", "pre": "smollm", "tokens": TOKENS, "token_type": [3, 1, 1, 1, 4, 3], "merges": ["a b"],
}  # fmt: skip


def make_bert(folder: Path, **options) -> Path:
    from transformers import BertConfig, BertModel, BertTokenizerFast

    torch.manual_seed(0)
    sizes = {
        "vocab_size": len(WORDS), "hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2,
        "intermediate_size": 32, "max_position_embeddings": 20,
    }  # fmt: skip
    BertModel(BertConfig(**sizes | options)).save_pretrained(folder)
    (folder / "vocab.txt").write_text("\n".join(WORDS) + "\n", encoding="utf-8")
    BertTokenizerFast(str(folder / "vocab.txt")).save_pretrained(folder)
    return folder


PIECES = {
    "<s>": 0.0,
    "<pad>": 0.0,
    "</s>": 0.0,
    "<unk>": 0.0,
    "▁": -2.0,
    "天空": -3.5,
    "天": -4.0,
    "空": -4.5,
    "<mask>": 0.0,
}
WIDTH, LONGEST = 32, 16  # Q4_0 的一块是 32 个数
E5_SIZES = (WIDTH, 2, 4, 2 * WIDTH, len(PIECES) + 3, LONGEST, 2)


def make_small_bert():
    """一个 `BertModel`，尺寸照 E5_SIZES，参数全随机。"""
    from transformers import BertConfig, BertModel

    names = (
        "hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size", "vocab_size",
        "max_position_embeddings", "type_vocab_size",
    )  # fmt: skip
    config = BertConfig(**dict(zip(names, E5_SIZES, strict=True)), attn_implementation="eager")
    return shaken(BertModel(config, add_pooling_layer=False))


def e5_weights(model) -> dict[str, torch.Tensor]:
    """transformers 的权重 → 多语 BERT 文件里的名字，名字另写一遍，不用课程的表。"""
    names = {
        "embeddings.word_embeddings.weight": "emb.word", "embeddings.position_embeddings.weight": "emb.pos",
        "embeddings.token_type_embeddings.weight": "emb.type", "embeddings.LayerNorm": "emb.ln", "encoder.layer.": "l",
        "attention.self.query": "q", "attention.self.key": "k", "attention.self.value": "v",
        "attention.output.dense": "ao", "attention.output.LayerNorm": "aln", "intermediate.dense": "fi",
        "output.dense": "fo", "output.LayerNorm": "oln", ".weight": ".w", ".bias": ".b",
    }  # fmt: skip
    weights = {}
    for key, tensor in model.state_dict().items():
        for theirs, ours in names.items():
            key = key.replace(theirs, ours)
        weights[key] = tensor
    return weights


def make_e5(path: Path, weights, sizes=E5_SIZES, pieces=PIECES, **given) -> Path:
    """写一个多语 BERT 的文件：矩阵是 Q4_0，位置与一维的是 fp32；given 改文件开头的几处，见函数里的 values。"""
    values = {"magic": b"E5S1", "version": 1, "epsilon": 1e-12, "block": 32, "special": (0, 2, 1, 3)} | given
    texts = [piece.encode() for piece in pieces]
    table = {"Ａ": "A", "㌔": "キロ", "\x01": ""} | given.get("table", {})
    entries = [struct.pack(f"<IB{len(to)}I", ord(char), len(to), *map(ord, to)) for char, to in table.items()]
    head = [
        values["magic"], struct.pack("<I7ifi", values["version"], *sizes, values["epsilon"], values["block"]),
        struct.pack("<5iQ", len(texts), *values["special"], sum(map(len, texts))),
        struct.pack(f"<{len(texts) + 1}I", *accumulate(map(len, texts), initial=0)),
        struct.pack(f"<{len(texts)}f", *pieces.values()), *texts,
        struct.pack("<2I", len(entries), sum(map(len, entries))), *entries, struct.pack("<I", len(weights)),
    ]  # fmt: skip
    start = sum(map(len, head)) + sum(2 + len(name) + 21 for name in weights)
    data = []
    for name, tensor in weights.items():
        stored = tensor.contiguous().numpy()
        kind = int(tensor.dim() == 2 and name != "emb.pos")
        if kind:
            stored = gguf.quantize(stored, gguf.GGMLQuantizationType.Q4_0)
        data.append(stored.tobytes())
        head.append(struct.pack("<H", len(name)) + name.encode())
        head.append(struct.pack("<BIQQ", kind, tensor.numel(), start, len(data[-1])))
        start += len(data[-1])
    path.write_bytes(b"".join([*head, *data]))
    return path


def make_llama(folder: Path, family: str = "Llama", **options):
    """transformers 存下的一个模型；返回它。family，也可以是 "Qwen2"、"Qwen3"。"""
    import transformers

    torch.manual_seed(0)
    sizes = {
        "vocab_size": 40, "hidden_size": D, "num_attention_heads": HEADS, "num_key_value_heads": KV,
        "intermediate_size": 20, "num_hidden_layers": LAYERS, "max_position_embeddings": 16, "rms_norm_eps": 1e-3,
        "bos_token_id": 5, "eos_token_id": 6, "tie_word_embeddings": True,
        "rope_parameters": {"rope_type": "default", "rope_theta": 500.0},
    }  # fmt: skip
    config = getattr(transformers, f"{family}Config")(**sizes | options)
    model = shaken(getattr(transformers, f"{family}ForCausalLM")(config))
    model.save_pretrained(folder)
    (folder / "tokenizer.json").write_text(json.dumps(TOKENIZER))
    return model


def gguf_weights(model) -> dict[str, torch.Tensor]:
    """transformers 的权重 → GGUF 的名字与次序，名字另写一遍，不用课程的表。"""
    names = {
        "model.embed_tokens": "token_embd", "model.norm": "output_norm", "lm_head": "output", "model.layers": "blk",
        "input_layernorm": "attn_norm", "post_attention_layernorm": "ffn_norm", "self_attn.q_norm": "attn_q_norm",
        "self_attn.k_norm": "attn_k_norm", "self_attn.q_proj": "attn_q",
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
        if heads and model.config.model_type == "llama":  # 一个头的行：前半 0 1，后半 2 3 → 0 2 1 3
            tensor = tensor.view(heads, -1, D)[:, [0, 2, 1, 3]].reshape(-1, D)
        weights[key] = tensor
    return weights


def make_gguf(path: Path, weights=None, fields=FIELDS, ids=IDS, tokenizer=GGUF_TOKENIZER, **others) -> Path:
    """写一个 GGUF 文件；fields 在 llama.（或 others 写的 general.architecture）之下，值是 None 的不写，others 的名字用 __ 代替点。"""
    others = {name.replace("__", "."): x for name, x in others.items()}
    architecture = others.pop("general.architecture", "llama")
    writer = gguf.GGUFWriter(path, str(architecture))
    if isinstance(architecture, list):
        writer.kv_data[0].clear()
        writer.add_array("general.architecture", architecture)
    values = {f"{architecture}.{name}": value for name, value in fields.items()} | others
    values |= {f"tokenizer.ggml.{name}_token_id": value for name, value in ids.items()}
    values |= {f"tokenizer.ggml.{name}": value for name, value in tokenizer.items()}
    kinds = {bool: "bool", str: "string", float: "float32", int: "int64", list: "array"}
    for name, value in values.items():
        if value is not None:
            kind = "uint32" if type(value) is int and value >= 0 else kinds[type(value)]
            getattr(writer, f"add_{kind}")(name, value)
    for name, tensor in (weights or {}).items():
        writer.add_tensor(name, tensor.contiguous().numpy())
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def rewrite(path: Path, changes) -> None:
    """JSON 文件改几处：changes 是改完的字典（值是 ... 的删掉）、动手改的函数，或者文件的全部内容。"""
    if isinstance(changes, bytes):
        return path.write_bytes(changes)
    values = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    if callable(changes):
        changes(values)
    else:
        values |= changes
    kept = {key: value for key, value in values.items() if value is not ...}
    path.write_text(json.dumps(kept), encoding="utf-8")


def changed_copy(folder: Path, target: Path, file: str, changes) -> Path:
    """文件夹的一份拷贝，其中一个 JSON 文件改过。"""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(folder, target)
    rewrite(target / file, changes)
    return target


def refusal(load, *arguments) -> str:
    """应当说一句话：一行，以句号结尾，背后没有调用栈；返回那句话。"""
    with pytest.raises(PretrainedError) as caught:
        load(*arguments)
    said = str(caught.value)
    assert said.endswith("。") and said.count("。") == 1 and "\n" not in said, said
    trace = "".join(traceback.format_exception(caught.value))
    assert "During handling" not in trace and "direct cause" not in trace
    return said


def unkind(load, path: Path, words: str) -> str | None:
    """`load(path)` 应当被 `refusal`，说到 words 与 path；不是这样，就返回说的是什么。"""
    try:
        said = refusal(load, path)
    except pytest.fail.Exception:
        return "没有拒绝"
    except Exception as error:
        return f"{type(error).__name__}: {error}"[:300]
    return None if words in said and str(path) in said else said
