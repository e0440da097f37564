"""一个 Llama 式的语言模型怎样读：GGUF 文件，或者 config.json 与 model.safetensors。

两种文件的旋转配对不同：GGUF 把相邻的两个特征配成一对，与 `rotary` 相同；safetensors 把前半与后半配成对，读的时候重排。
"""

import json
import os
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor, nn

from ..config import LanguageModelConfig
from .audit import load_audited
from .errors import PretrainedError
from .gguf_file import open_gguf
from .kinds import LLAMA, WEIGHTS

NEEDED = (
    "vocab_size", "hidden_size", "num_attention_heads", "intermediate_size", "num_hidden_layers",
    "max_position_embeddings", "rms_norm_eps", "eos_token_id",
)  # fmt: skip


class Names(NamedTuple):
    """一种文件里的名字：层外的、层内的 → 我们的，以及认出层号的式子。"""

    outside: dict[str, str]
    layer: str
    inside: dict[str, str]


GGUF_NAMES = Names(
    {"token_embd": "tokens", "output_norm": "norm", "output": "output"},
    r"blk\.(\d+)\.(.+)",
    {
        "attn_norm": "norm1",
        "attn_q": "self_attn.q_proj",
        "attn_k": "self_attn.k_proj",
        "attn_v": "self_attn.v_proj",
        "attn_output": "self_attn.out_proj",
        "ffn_norm": "norm2",
        "ffn_gate": "ffn.gate_proj",
        "ffn_up": "ffn.up_proj",
        "ffn_down": "ffn.down_proj",
    },
)
HF_NAMES = Names(
    {"model.embed_tokens": "tokens", "model.norm": "norm", "lm_head": "output"},
    r"model\.layers\.(\d+)\.(.+)",
    {
        "input_layernorm": "norm1",
        "self_attn.q_proj": "self_attn.q_proj",
        "self_attn.k_proj": "self_attn.k_proj",
        "self_attn.v_proj": "self_attn.v_proj",
        "self_attn.o_proj": "self_attn.out_proj",
        "post_attention_layernorm": "norm2",
        "mlp.gate_proj": "ffn.gate_proj",
        "mlp.up_proj": "ffn.up_proj",
        "mlp.down_proj": "ffn.down_proj",
    },
)


class LlamaSource(NamedTuple):
    """打开了的模型：尺寸、各个权重的名字与形状、怎样读出一个来；read 用到时才读，整个模型不会在内存里有两份。"""

    path: Path
    config: LanguageModelConfig
    names: Names
    shapes: dict[str, tuple[int, ...]]
    read: Callable[[str], Tensor]


def open_llama(path: str | os.PathLike) -> LlamaSource:
    """打开 GGUF 文件，或者装着 config.json 与 model.safetensors 的文件夹。

    错误：打不开、残缺、不是 Llama 式的模型，或者尺寸不对时，抛出 `PretrainedError`。
    """
    path = Path(path)
    return _open_folder(path) if path.is_dir() else _open_gguf(path)


def load_llama(module: nn.Module, source: LlamaSource) -> None:
    """把 source 的权重抄进 module，一次一个张量，数据类型与设备随 module。

    参数：module，由 source.config 造的 `LanguageModel`；source，`open_llama` 打开的。
    错误：有缺失、多余、形状不同的，抛出 `PretrainedError`；这时 module 保持原样。
    """
    load_audited(
        module, source.shapes, source.read, partial(our_llama_name, source.names), f"{source.path} 的"
    )


def our_llama_name(names: Names, key: str) -> str | None:
    name, _, kind = key.rpartition(".")
    if layer := re.fullmatch(names.layer, name):
        ours = names.inside.get(layer[2])
        return ours and f"layers.{layer[1]}.{ours}.{kind}"
    ours = names.outside.get(name)
    return ours and f"{ours}.{kind}"


# ---- GGUF


def _open_gguf(path: Path) -> LlamaSource:
    import gguf

    try:
        fields, tensors = open_gguf(path)
    except Exception as error:  # 残缺的文件在哪里断，就抛出哪里的异常
        raise PretrainedError(
            f"{path} 打不开，它不是 GGUF 文件，或者没有下载完整（{type(error).__name__}）。"
        ) from None
    tensors = {tensor.name: tensor for tensor in tensors}

    def read(name: str) -> Tensor:
        numbers = gguf.dequantize(tensors[name].data, tensors[name].tensor_type)
        # 没有量化的就是文件本身，只读，torch 见了要警告，先抄一份
        return torch.from_numpy(np.require(numbers, requirements="W"))

    return LlamaSource(
        path,
        _gguf_config(path, fields, tied="output.weight" not in tensors),
        GGUF_NAMES,
        # 文件里的维度是倒着写的
        {name: tuple(tensor.shape.tolist()[::-1]) for name, tensor in tensors.items()},
        read,
    )


def _gguf_config(path: Path, fields: dict, tied: bool) -> LanguageModelConfig:
    def read(key: str, otherwise=None):
        if (value := fields.get(key, otherwise)) is None:
            raise PretrainedError(f"{path} 里缺少 {key}，不像一个完整的 Llama。")
        return value

    architecture = read("general.architecture")
    if architecture != "llama":
        raise PretrainedError(f"{path} 里的 general.architecture 是 {architecture!r}，课程只装 'llama'。")
    d_model, heads = read("llama.embedding_length"), read("llama.attention.head_count")
    eos = read("tokenizer.ggml.eos_token_id")
    return _config(
        path,
        vocab_size=read("llama.vocab_size"),
        d_model=d_model,
        num_heads=heads,
        num_kv_heads=read("llama.attention.head_count_kv", heads),
        d_ff=read("llama.feed_forward_length"),
        num_layers=read("llama.block_count"),
        max_len=read("llama.context_length"),
        norm_eps=read("llama.attention.layer_norm_rms_epsilon"),
        rope_theta=read("llama.rope.freq_base", 10_000.0),
        tied=tied,
        eos_id=eos,
        bos_id=read("tokenizer.ggml.bos_token_id", eos),
        pad_id=read("tokenizer.ggml.padding_token_id", eos),
        scaling=read("llama.rope.scaling.type", "none"),
        d_head=read("llama.rope.dimension_count", d_model // heads),
    )


# ---- 文件夹


def _open_folder(folder: Path) -> LlamaSource:
    if fault := LLAMA.config_fault(folder / "config.json"):
        raise PretrainedError(f"文件夹 {folder} 不能用：{fault}。")
    config = _folder_config(folder / "config.json")
    path = folder / WEIGHTS
    try:
        file = safe_open(path, framework="pt")
        shapes = {key: tuple(file.get_slice(key).get_shape()) for key in file.keys()}  # noqa: SIM118
    except (SafetensorError, OSError) as error:
        raise PretrainedError(f"{path} 打不开，文件可能没有下载完整（{type(error).__name__}）。") from None
    if config.tied:
        shapes.pop("lm_head.weight", None)  # 有的文件还是存了一份，与嵌入相同

    def read(key: str) -> Tensor:
        tensor = file.get_tensor(key)
        heads = {"q_proj": config.num_heads, "k_proj": config.num_kv_heads}.get(key.split(".")[-2])
        return interleaved(tensor, heads) if heads else tensor

    return LlamaSource(path, config, HF_NAMES, shapes, read)


def interleaved(weight: Tensor, num_heads: int) -> Tensor:
    """重排 W^Q 或 W^K 的行，(h·d, D) → (h·d, D)：每个头里，前半与后半配成的对，变成相邻的两行。"""
    return weight.unflatten(0, (num_heads, 2, -1)).transpose(1, 2).flatten(0, 2)


def _folder_config(path: Path) -> LanguageModelConfig:
    values = json.loads(path.read_text(encoding="utf-8"))
    if missing := [name for name in NEEDED if values.get(name) is None]:
        raise PretrainedError(f"{path} 里缺少 {'、'.join(missing)}，不像一个 Llama 的配置。")
    rope = values.get("rope_parameters") or values.get("rope_scaling") or {}
    d_model, heads, eos = values["hidden_size"], values["num_attention_heads"], _first(values["eos_token_id"])
    return _config(
        path,
        vocab_size=values["vocab_size"],
        d_model=d_model,
        num_heads=heads,
        num_kv_heads=values.get("num_key_value_heads") or heads,
        d_ff=values["intermediate_size"],
        num_layers=values["num_hidden_layers"],
        max_len=values["max_position_embeddings"],
        norm_eps=values["rms_norm_eps"],
        rope_theta=rope.get("rope_theta") or values.get("rope_theta") or 10_000.0,
        tied=values.get("tie_word_embeddings", False),
        bias=values.get("attention_bias", False),
        eos_id=eos,
        bos_id=_first(values.get("bos_token_id", eos)),
        pad_id=eos if values.get("pad_token_id") is None else values["pad_token_id"],
        scaling=rope.get("rope_type") or rope.get("type") or "default",
        d_head=values.get("head_dim") or d_model // heads,
    )


def _first(ids: int | list[int]) -> int:
    """有的模型有几个结尾，取第一个。"""
    return ids[0] if isinstance(ids, list) else ids


def _config(path: Path, scaling: str, d_head: int, **sizes) -> LanguageModelConfig:
    try:
        if scaling not in ("none", "default"):
            raise ValueError(f"旋转位置编码的 {scaling!r} 伸缩，这里没有写")
        if d_head * sizes["num_heads"] != sizes["d_model"]:
            raise ValueError(
                f"{sizes['num_heads']} 个宽 {d_head} 的头，拼起来不是 d_model={sizes['d_model']}"
            )
        return LanguageModelConfig(**sizes)
    except (ValueError, TypeError) as error:
        raise PretrainedError(f"{path} 里的尺寸不对：{str(error).rstrip('。')}。") from None
