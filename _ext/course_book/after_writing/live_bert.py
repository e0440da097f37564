"""网页里的英文 BERT 要用的数据：由内置模型的权重量化得来；多语的那一个见 live_multilingual.py。

矩阵只存 8 位整数，同一行里每 64 个数共用一个比例（float32），不存零点；计算时仍换回浮点数。
偏置、层归一化、位置嵌入与段嵌入不大，原样存 float32。
每层一个文件，词元嵌入表每 4096 行一个文件：编号越小的词越常用，网页取到头几个就能算一般的句子。
live/bert/linear.wat 汇编成 linear.wasm，也是一个数据文件。
"""

import json
from functools import cache
from pathlib import Path

import torch
from torch import Tensor
from wasmtime import wat2wasm

from course_book import ROOT
from course_book.kept import digest
from course_lib.bert import Bert
from course_lib.config import BertConfig
from course_lib.weights import builtin_path
from course_lib.weights.builtin import MINILM

KERNEL = ROOT / "live/bert/linear.wat"
GROUP_SIZE = 64
SHARD_ROWS = 4096
# 再长，注意力图就看不清了；位置嵌入也只要这么多
MAX_TOKENS = 64


def quantize(weight: Tensor) -> tuple[Tensor, Tensor]:
    """weight (out, in) → 整数 (out, in)，int8；比例 (out, in / 64)，float32：weight ≈ 整数 × 比例。"""
    groups = weight.unflatten(-1, (-1, GROUP_SIZE))
    # 全是 0 的一组，比例取多小都对，只是不能是 0
    scales = groups.abs().amax(dim=-1).clamp(min=1e-9) / 127
    integers = (groups / scales[..., None]).round().to(torch.int8)
    return integers.flatten(-2), scales


def dequantize(integers: Tensor, scales: Tensor) -> Tensor:
    return (integers.unflatten(-1, (-1, GROUP_SIZE)) * scales[..., None]).flatten(-2)


def to_bytes(*tensors: Tensor) -> bytes:
    """几个张量首尾相接：int8 一个数一个字节，float32 四个，低位在前。"""
    return b"".join(t.numpy().astype(t.numpy().dtype.newbyteorder("<")).tobytes() for t in tensors)


def origin() -> str:
    """这些数据由什么而来；没有变就不再写一遍。"""
    sources = (Path(__file__), Path(__file__).with_name("live_data.py"), KERNEL)
    return digest(*MINILM.sha256.values(), *(path.read_bytes() for path in sources))


def kernel() -> bytes:
    return bytes(wat2wasm(KERNEL.read_text(encoding="utf-8")))


def sizes(config: BertConfig) -> dict[str, object]:
    """config.json 里两个 BERT 都有的。"""
    return {
        "numLayers": config.num_layers,
        "numHeads": config.num_heads,
        "dModel": config.d_model,
        "dFf": config.d_ff,
        "numSegments": config.num_segments,
        "layerNormEps": config.layer_norm_eps,
        "maxTokens": MAX_TOKENS,
        "shardRows": SHARD_ROWS,
    }


@cache
def data_files() -> dict[str, bytes]:
    """文件名 → 内容；网页先取 config.json，其余照 files 里的次序。"""
    folder = builtin_path()
    bert = Bert.from_pretrained(folder)
    embeddings = bert.embeddings
    files = {
        # 各层的权重要放进它的内存，所以最先取
        "linear.wasm": kernel(),
        "vocab.txt": (folder / "vocab.txt").read_bytes(),
    }
    with torch.no_grad():
        files["embeddings.bin"] = to_bytes(
            embeddings.positions.weight[:MAX_TOKENS],
            embeddings.segments.weight,
            *embeddings.norm.parameters(),
        )
        for number, layer in enumerate(bert.encoder.layers):
            tensors = []
            for parameter in layer.parameters():
                tensors += quantize(parameter) if parameter.dim() == 2 else [parameter]
            files[f"layer{number}.bin"] = to_bytes(*tensors)
        for number, rows in enumerate(embeddings.tokens.weight.split(SHARD_ROWS)):
            files[f"tokens{number}.bin"] = to_bytes(*quantize(rows))
    config = {
        "origin": origin(),
        **sizes(bert.config),
        "groupSize": GROUP_SIZE,
        "files": {name: len(content) for name, content in files.items()},
    }
    return {"config.json": json.dumps(config).encode()} | files
