"""一个 Llama 式的语言模型怎样读：GGUF 文件，或者 config.json 与 model.safetensors；Llama、Qwen2 与 Qwen3。

文件的旋转配对不同：Llama 的 GGUF 把相邻的两个特征配成一对，与 `rotary` 相同；
safetensors 与 Qwen 的 GGUF 把前半与后半配成对，读的时候重排。
"""

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from ..config import LanguageModelConfig
from .audit import Source, open_safetensors
from .errors import PretrainedError, SourceError
from .gguf_file import open_gguf, unpacked
from .kinds import GENERATION, LLM, OFF, ONCE, WEIGHTS
from .names import GGUF_NAMES, LLAMA_LEFT_OUT, LLAMA_NAMES, translated
from .reading import ABSENT_IDS, make_config, odd_setting, read_json, shown, written_id

NEEDED = (
    "vocab_size", "hidden_size", "num_attention_heads", "intermediate_size", "num_hidden_layers",
    "max_position_embeddings", "rms_norm_eps",
)  # fmt: skip
# GGUF 里 llama.（或 qwen2.、qwen3.）之下的都是模型怎样算，所以不在这里的一概不认：None 是由 `_gguf_config` 去读的，其余只能是这几个值
GGUF_SETTINGS = {
    **dict.fromkeys(
        (
            "embedding_length", "attention.head_count", "attention.head_count_kv", "vocab_size", "feed_forward_length",
            "block_count", "context_length", "attention.layer_norm_rms_epsilon", "rope.freq_base", "rope.dimension_count",
            "attention.key_length", "attention.value_length",
        )
    ),
    "rope.scaling.type": ("none",),
    **dict.fromkeys(("rope.scaling.factor", "rope.scaling.attn_factor", "rope.scale_linear"), (1, 0)),
    **dict.fromkeys(("expert_count", "expert_used_count", "attention.sliding_window"), (0,)),
    **dict.fromkeys(("attention.causal",), (True,)),
    **dict.fromkeys(("logit_scale", "residual_scale", "embedding_scale"), (1,)),
    "use_parallel_residual": OFF,
    "tensor_data_layout": ("Meta AI original pth",),
}  # fmt: skip

# general.architecture 与 model_type → Qwen 与 Llama 不同的零件
OF_QWEN = {"llama": {}, "qwen2": {"qkv_bias": True}, "qwen3": {"qk_norm": True}}


def open_llama(path: str | os.PathLike) -> Source:
    """打开 GGUF 文件，或者装着 config.json 与 model.safetensors 的文件夹。

    错误：打不开、残缺、不是 Llama 或 Qwen、写着我们没有写的算法，或者尺寸不对时，抛出 `PretrainedError`。
    """
    path = Path(path)
    return _open_folder(path) if path.is_dir() else _open_gguf(path)


# ---- GGUF


def _open_gguf(path: Path) -> Source:
    import gguf

    try:
        fields, tensors = open_gguf(path)
    except Exception as error:  # 残缺的文件在哪里断，就抛出哪里的异常
        raise PretrainedError(
            f"{path} 打不开，它不是 GGUF 文件，或者没有下载完整（{type(error).__name__}）。"
        ) from None
    tensors = {tensor.name: tensor for tensor in tensors}
    architecture = _needed(path, fields, "general.architecture")
    if architecture not in [*LLM.settings]:  # 一列：写的若是一列或一个字典，也比得
        raise PretrainedError(
            f"{path} 里的 general.architecture 是 {shown(architecture)}，课程只装 {LLM.model_types}。"
        )
    config = _gguf_config(path, fields, architecture, tied="output.weight" not in tensors)
    for kind in {tensor.tensor_type for tensor in tensors.values()}:
        _, size = gguf.GGML_QUANT_SIZES[kind]
        try:  # 先拿一块 0 试：抄到一半才发现有的读不懂，就晚了
            gguf.dequantize(np.zeros((1, size), np.uint8), kind)
        except Exception:
            raise PretrainedError(f"{path} 里有 {kind.name} 的张量，课程读不懂这一种。") from None

    def read(name: str) -> Tensor:
        return torch.from_numpy(unpacked(tensors[name], shapes[name]))

    # 文件里的维度是倒着写的
    shapes = {name: tuple(tensor.shape.tolist()[::-1]) for name, tensor in tensors.items()}
    source = Source(path, config, shapes, read, lambda name: translated(GGUF_NAMES, name))
    return source if architecture == "llama" else rearranged(source, interleaved)


def _needed(path: Path, fields: dict, key: str, otherwise=None):
    if (value := fields.get(key, otherwise)) is None:
        raise PretrainedError(f"{path} 里缺少 {key}，不像一个完整的语言模型。")
    return value


def _gguf_config(path: Path, fields: dict, architecture: str, tied: bool) -> LanguageModelConfig:
    def read(name: str, otherwise=None):
        return _needed(path, fields, f"{architecture}.{name}", otherwise)

    ours = {f"{architecture}.{name}": known for name, known in GGUF_SETTINGS.items()}
    if unknown := sorted(name for name in fields if name.startswith(f"{architecture}.") and name not in ours):
        raise PretrainedError(f"{path} 里有 {unknown[0]}，课程的模型没有写这一种。")
    settings = {name: known for name, known in ours.items() if known} | {
        "general.type": ("model",), "general.quantization_version": (2,), "split.count": (0, 1),
    }  # fmt: skip
    if fault := odd_setting(fields, settings, path):
        raise PretrainedError(f"{fault}。")
    heads, words = read("attention.head_count"), fields.get("tokenizer.ggml.tokens")
    eos = _needed(path, fields, "tokenizer.ggml.eos_token_id")
    others = [fields.get(f"tokenizer.ggml.{name}_token_id") for name in ("eot", "eom")]
    return _config(
        path,
        endings=[eos, *others],
        vocab_size=read("vocab_size", words and len(words)),
        d_model=read("embedding_length"),
        num_heads=heads,
        num_kv_heads=read("attention.head_count_kv", heads),
        head_dim=fields.get(f"{architecture}.attention.key_length"),
        d_ff=read("feed_forward_length"),
        num_layers=read("block_count"),
        max_len=read("context_length"),
        norm_eps=read("attention.layer_norm_rms_epsilon"),
        rope_theta=read("rope.freq_base", 10_000.0),
        tied=tied,
        **OF_QWEN[architecture],
        bos_id=written_id(fields.get("tokenizer.ggml.bos_token_id"), eos),
        pad_id=written_id(fields.get("tokenizer.ggml.padding_token_id"), eos),
        widths=[
            fields.get(f"{architecture}.{name}")
            for name in ("rope.dimension_count", "attention.value_length")
        ],
    )


# ---- 文件夹


def _open_folder(folder: Path) -> Source:
    if fault := LLM.config_fault(folder / "config.json"):
        raise PretrainedError(f"文件夹 {folder} 不能用：{fault}。")
    config = _folder_config(folder / "config.json")
    path = folder / WEIGHTS
    shapes, read = open_safetensors(path, lambda keys: [k for k in keys if not k.endswith(LLAMA_LEFT_OUT)])
    # 有的文件还是存了一份；与嵌入不同，就不是同一个矩阵了，transformers 这时也不把它们当作一个
    output, tokens = "lm_head.weight", "model.embed_tokens.weight"
    if config.tied and shapes.pop(output, None) and tokens in shapes:
        same = torch.equal(read(output).float(), read(tokens).float())
        if not same:
            raise PretrainedError(
                f"{path} 里的 {output} 与嵌入不同，配置的 tie_word_embeddings 却说是同一个。"
            )

    source = Source(path, config, shapes, read, lambda name: translated(LLAMA_NAMES, name))
    return rearranged(source, interleaved)


# ---- 旋转的配对


def rearranged(source: Source, order: Callable[[Tensor, int], Tensor]) -> Source:
    """读 source 里的权重时，查询与键的行照 order 重排：`interleaved`，或者它的反面 `halves`；偏置与头的归一化也一样。"""
    config = source.config
    heads_of = {"q_proj": config.num_heads, "k_proj": config.num_kv_heads, "q_norm": 1, "k_norm": 1}

    def read(name: str) -> Tensor:
        ours = source.rename(name)  # 总译得出来：`audit` 查过才读
        heads = heads_of.get(ours.split(".")[-2])
        return order(source.read(name), heads) if heads else source.read(name)

    return source._replace(read=read)


def interleaved(weight: Tensor, num_heads: int) -> Tensor:
    """重排 W^Q 或 W^K 的行，(h·d, D) → (h·d, D)：每个头里，前半与后半配成的对，变成相邻的两行；偏置 (h·d,) 也一样。"""
    return weight.unflatten(0, (num_heads, 2, -1)).transpose(1, 2).flatten(0, 2)


def halves(weight: Tensor, num_heads: int) -> Tensor:
    """`interleaved` 的反面：每个头里相邻的两行，变成前半与后半配成的对。"""
    return weight.unflatten(0, (num_heads, -1, 2)).transpose(1, 2).flatten(0, 2)


def _folder_config(path: Path) -> LanguageModelConfig:
    values = read_json(path)
    if missing := [name for name in NEEDED if values.get(name) is None]:
        raise PretrainedError(f"{path} 里缺少 {'、'.join(missing)}，不像一个语言模型的配置。")
    architecture, rope = values["model_type"], _rope(path, values)
    heads, written = values["num_attention_heads"], (values, _generation_config(path))
    endings = [eos for each in written for eos in _listed(each.get("eos_token_id")) if eos not in ABSENT_IDS]
    if not endings:
        raise PretrainedError(f"{path} 与 {GENERATION} 里都没有 eos_token_id，模型写到哪里算完？请补上它。")
    eos = endings[0]
    tied, bias, mlp_bias = (
        False if (value := values.get(name)) is None else value
        for name in ("tie_word_embeddings", "attention_bias", "mlp_bias")
    )
    if bias != mlp_bias:
        raise PretrainedError(f"{path} 里的 attention_bias 与 mlp_bias 不同，课程的模型要有就都有。")
    kinds = values.get("layer_types") or ["full_attention"]
    if not isinstance(kinds, list) or any(kind != "full_attention" for kind in kinds):
        raise PretrainedError(f"{path} 里的 layer_types 是 {shown(kinds)}，课程的模型每层都看全部的前文。")
    return _config(
        path,
        vocab_size=values["vocab_size"],
        d_model=values["hidden_size"],
        num_heads=heads,
        num_kv_heads=heads if values.get("num_key_value_heads") is None else values["num_key_value_heads"],
        d_ff=values["intermediate_size"],
        num_layers=values["num_hidden_layers"],
        max_len=values["max_position_embeddings"],
        norm_eps=values["rms_norm_eps"],
        rope_theta=rope,
        tied=tied,
        bias=bias,
        **OF_QWEN[architecture],
        endings=endings,
        bos_id=_listed(written_id(values.get("bos_token_id"), eos))[0],
        pad_id=written_id(values.get("pad_token_id"), eos),
        # 没有写的，transformers 的 Qwen3 取 128
        head_dim=values.get("head_dim", 128 if architecture == "qwen3" else None),
        widths=[],
    )


def _generation_config(path: Path) -> dict:
    """旁边的 generation_config.json，没有就是空的。"""
    beside = path.with_name(GENERATION)
    try:
        return read_json(beside) if beside.is_file() else {}
    except SourceError as error:
        raise PretrainedError(f"文件夹 {path.parent} 不能用：{error}。") from None


def _rope(path: Path, values: dict) -> float:
    """旋转的底数，写在哪里都行；写着别的转法就抛出 `PretrainedError`。"""
    theta = values.get("rope_theta")
    for name in ("rope_scaling", "rope_parameters"):
        given = values.get(name)
        rope = {} if given is None else given
        if not isinstance(rope, dict) or set(rope) - {
            "rope_type",
            "type",
            "rope_theta",
            "partial_rotary_factor",
        }:
            raise PretrainedError(f"{path} 里的 {name} 是 {shown(rope)}，课程的模型没有写这一种旋转。")
        plain = {"rope_type": ("default", None), "type": ("default", None), "partial_rotary_factor": ONCE}
        if fault := odd_setting(rope, plain, f"{path} 的 {name}"):
            raise PretrainedError(f"{fault}。")
        theta = theta if rope.get("rope_theta") is None else rope["rope_theta"]
    return 10_000.0 if theta is None else theta


def _listed(ids: int | list[int] | None) -> list:
    """有的模型有几个结尾，写成一列。"""
    return [*ids] if isinstance(ids, list) and ids else [ids]


def _config(path: Path, widths: list, endings: list, **sizes) -> LanguageModelConfig:
    """widths，文件里别处还写着的头宽；endings，各个结尾的编号，头一个一定有。"""
    others = [eos for eos in endings[1:] if eos not in ABSENT_IDS]
    # 各个结尾都当作结尾查一遍
    each = [make_config(LanguageModelConfig, path, {"eos_id": eos} | sizes) for eos in (endings[0], *others)]
    config = replace(each[0], more_eos_ids=tuple(dict.fromkeys(c.eos_id for c in each))[1:])
    d_head = config.d_head
    if odd := [width for width in widths if width not in (None, d_head)]:
        raise PretrainedError(f"{path} 里的尺寸不对：每个头宽 {d_head}，另一处写的却是 {shown(odd[0])}。")
    # 写着的就是 d_model / num_heads，与没有写一样
    return replace(config, head_dim=None) if d_head * config.num_heads == config.d_model else config
