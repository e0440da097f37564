"""一个 BERT 的两个文件怎样读：config.json 里的尺寸，model.safetensors 里的权重。"""

import json
import os
import re
from pathlib import Path

from safetensors import SafetensorError, safe_open
from torch import nn

from ..config import BertConfig
from .audit import load_audited
from .errors import PretrainedError
from .kinds import BERT, WEIGHTS

# Hugging Face 的名字 → 我们的名字；后面的 .weight 或 .bias 照抄。
EMBEDDING_NAMES = {
    "embeddings.word_embeddings": "embeddings.tokens",
    "embeddings.position_embeddings": "embeddings.positions",
    "embeddings.token_type_embeddings": "embeddings.segments",
    "embeddings.LayerNorm": "embeddings.norm",
}
LAYER_NAMES = {
    "attention.self.query": "self_attn.q_proj",
    "attention.self.key": "self_attn.k_proj",
    "attention.self.value": "self_attn.v_proj",
    "attention.output.dense": "self_attn.out_proj",
    "attention.output.LayerNorm": "norm1",
    "intermediate.dense": "ffn.linear1",
    "output.dense": "ffn.linear2",
    "output.LayerNorm": "norm2",
}
# 有意不装的键：预训练的输出头和池化层不属于编码器，position_ids 只是 0, 1, 2, …，不是学出来的。
LEFT_OUT = ("cls.", "pooler.", "embeddings.position_ids")


def read_config(folder: str | os.PathLike) -> BertConfig:
    """读出文件夹里 config.json 所写的尺寸；错误：读不出来或不像 BERT 时，抛出 `PretrainedError`。"""
    path = Path(folder) / "config.json"
    if fault := BERT.config_fault(path):
        raise PretrainedError(f"文件夹 {folder} 不能用：{fault}。")
    values = json.loads(path.read_text(encoding="utf-8"))
    kind = values.get("position_embedding_type", "absolute")
    if kind != "absolute":
        raise PretrainedError(
            f"{path} 里的 position_embedding_type 是 {kind!r}，这里只装绝对位置嵌入的 BERT。"
        )
    try:
        return BertConfig.from_hf(values)
    except (ValueError, TypeError) as error:
        raise PretrainedError(f"{path} 里的尺寸不对：{str(error).rstrip('。')}。") from None


def our_name(key: str) -> str | None:
    """把 Hugging Face 的一个权重名译成我们的；译不出来就返回 None。"""
    key = key.removeprefix("bert.").replace("LayerNorm.gamma", "LayerNorm.weight")
    name, _, kind = key.replace("LayerNorm.beta", "LayerNorm.bias").rpartition(".")
    layer = re.fullmatch(r"encoder\.layer\.(\d+)\.(.+)", name)
    ours = LAYER_NAMES.get(layer[2]) if layer else EMBEDDING_NAMES.get(name)
    if ours is None:
        return None
    return f"encoder.layers.{layer[1]}.{ours}.{kind}" if layer else f"{ours}.{kind}"


def load_weights(module: nn.Module, folder: str | os.PathLike) -> None:
    """把 model.safetensors 里的权重抄进 module，数据类型随 module。

    参数：module，`Bert` 或参数名相同的模块；folder，装着模型的文件夹。
    错误：打不开，或者有缺失、多余、形状不同的键时，抛出 `PretrainedError`；这时 module 保持原样。
    """
    path = Path(folder) / WEIGHTS
    try:
        with safe_open(path, framework="pt") as file:
            stored = file.keys()
            keys = [key for key in stored if not key.removeprefix("bert.").startswith(LEFT_OUT)]
            shapes = {key: file.get_slice(key).get_shape() for key in keys}
            load_audited(module, shapes, file.get_tensor, our_name, f"{path} 的")
    except (SafetensorError, OSError) as error:
        raise PretrainedError(f"{path} 打不开，文件可能没有下载完整（{type(error).__name__}）。") from None
