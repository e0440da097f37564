"""一个 BERT 怎样读：文件夹里 config.json 的尺寸与 model.safetensors 的权重，或者 multilingual-e5-small 的一个文件。"""

import os
from collections.abc import Mapping
from pathlib import Path

from torch import nn

from ..config import BertConfig
from .audit import Source, open_safetensors
from .e5_file import e5_source
from .errors import PretrainedError
from .kinds import BERT, WEIGHTS
from .names import LEFT_OUT, our_name
from .reading import make_config, read_json, written_id

# config.json 里的名字 → BertConfig 的字段
SIZES = {
    "vocab_size": "vocab_size",
    "hidden_size": "d_model",
    "num_attention_heads": "num_heads",
    "intermediate_size": "d_ff",
    "num_hidden_layers": "num_layers",
    "max_position_embeddings": "max_len",
    "type_vocab_size": "num_segments",
    "hidden_dropout_prob": "dropout",
    "layer_norm_eps": "layer_norm_eps",
    "hidden_act": "activation",
}


def open_bert(folder: str | os.PathLike) -> Source:
    """打开一个 BERT 的文件夹，或者 multilingual-e5-small 的文件。

    错误：打不开、残缺、不是课程写的那一种 BERT，或者尺寸不对时，抛出 `PretrainedError`。
    """
    if Path(folder).is_file():
        return e5_source(Path(folder))
    path = Path(folder) / WEIGHTS
    config = read_config(folder)
    architectures = read_json(Path(folder) / "config.json").get("architectures")
    headed = any(name != "BertModel" for name in architectures or ())
    shapes, read = open_safetensors(path, lambda keys: encoder_keys(keys, headed))
    return Source(path, config, shapes, read, our_name)


def encoder_keys(keys: list[str], headed: bool) -> list[str]:
    """要装的是哪些；headed，模型带着输出头：编码器的名字这时都以 bert. 开头，此外的是它的头。"""
    kept = [key for key in keys if not key.removeprefix("bert.").startswith(LEFT_OUT)]
    encoder = [key for key in kept if key.startswith("bert.")]
    return encoder if headed and encoder else kept


def read_config(folder: str | os.PathLike) -> BertConfig:
    """读出文件夹里 config.json 所写的尺寸；错误：读不出来或不像 BERT 时，抛出 `PretrainedError`。"""
    path = Path(folder) / "config.json"
    if fault := BERT.config_fault(path):
        raise PretrainedError(f"文件夹 {folder} 不能用：{fault}。")
    return bert_config(read_json(path), path)


def bert_config(values: Mapping, source: str | os.PathLike = "config.json") -> BertConfig:
    """把 Hugging Face 的 config.json（已读成字典）译成我们的尺寸。

    参数：source，错误里怎样称呼它。错误：缺了必需的字段，或者尺寸不对时，抛出 `PretrainedError`。
    """
    # 没有填充词元的写 null 或 -1；它只管哪一行嵌入不学，照原来的 BERT 当作 0
    pad = written_id(values.get("pad_token_id"), 0)
    if missing := [theirs for theirs in SIZES if theirs not in values]:
        raise PretrainedError(f"{source} 里缺少 {'、'.join(missing)}，不像一个 BERT 的配置。")
    sizes = {ours: values[theirs] for theirs, ours in SIZES.items()}
    return make_config(BertConfig, source, sizes | {"pad_token_id": pad})


def load_weights(module: nn.Module, folder: str | os.PathLike) -> None:
    """把 model.safetensors 里的权重抄进 module，数据类型随 module。

    参数：module，`Bert` 或参数名相同的模块；folder，装着模型的文件夹。
    错误：打不开，或者有缺失、多余、形状不同的键时，抛出 `PretrainedError`；这时 module 保持原样。
    """
    open_bert(folder).load(module)
