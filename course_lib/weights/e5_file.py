"""内置的多语 BERT 的文件怎样读：4 位的 multilingual-e5-small，分词器与权重在一个文件里。

依次是：尺寸，片段与分数，归一化的表，各个张量叫什么、在哪里，张量；都是小端。矩阵是 GGUF 的 Q4_0 块，其余是 fp32。
"""

import os
import re
import struct
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from ..config import BertConfig
from .audit import Source
from .errors import PretrainedError
from .names import e5_name
from .reading import make_config

MAGIC = b"E5S1"
FP32, Q4_0 = 0, 1
BLOCK, BLOCK_BYTES = 32, 18  # 一个 Q4_0 块有几个权重，占几个字节
SIZES = ("d_model", "num_layers", "num_heads", "d_ff", "vocab_size", "max_len", "num_segments")
SPECIAL = {"<s>": 0, "</s>": 2, "<pad>": 1, "<unk>": 3}  # 文件里写着它们的编号，依这个次序
MATRIX = re.compile(r"emb\.(word|pos|type)|l[0-9]+\.(q|k|v|ao|fi|fo)\.w")


class Stored(NamedTuple):
    """一个张量：类型，有几个数，从文件的哪里开始，占几个字节。"""

    kind: int
    count: int
    offset: int
    size: int


class E5File(NamedTuple):
    """打开了的文件：尺寸，片段 → 分数（按编号排好），字符 → 换成什么，张量，文件的字节。"""

    config: BertConfig
    scores: dict[str, float]
    normalization: dict[str, str]
    tensors: dict[str, Stored]
    data: np.ndarray


def is_e5(path: Path) -> bool:
    """一个文件是不是以它的记号开头。"""
    with path.open("rb") as file:
        return file.read(len(MAGIC)) == MAGIC


def open_e5(path: str | os.PathLike) -> E5File:
    """打开一个文件；它换了内容就重新解析。错误：打不开、残缺或者不是这一种文件时，抛出 `PretrainedError`。"""
    try:
        file = os.stat(path)
        return _parsed(os.path.abspath(path), file.st_mtime_ns, file.st_size, file.st_ino)
    except PretrainedError:
        raise
    except Exception as error:  # 残缺的文件在哪里断，就抛出哪里的异常
        raise PretrainedError(
            f"{path} 打不开，它不是 multilingual-e5-small 的文件，或者没有下载完整（{type(error).__name__}）。"
        ) from None


def e5_source(path: Path) -> Source:
    """文件里的权重。错误：打不开、残缺，或者张量与尺寸对不上时，抛出 `PretrainedError`。"""
    config, _, _, tensors, data = open_e5(path)
    shapes = {name: _shape(name, stored.count, config) for name, stored in tensors.items()}
    for name, shape in shapes.items():
        if tensors[name].kind == Q4_0 and shape[-1] % BLOCK:
            raise PretrainedError(f"{path} 里的 {name} 一行有 {shape[-1]} 个数，分不成 {BLOCK} 个一块。")

    def read(name: str) -> Tensor:
        kind, _, offset, size = tensors[name]
        part, shape = data[offset : offset + size], shapes[name]
        # 一行一行地化，中间的数才不会把整张表再占一遍
        numbers = (
            _numbers(part.reshape(-1, shape[-1] // BLOCK * BLOCK_BYTES)) if kind == Q4_0 else part.view("<f4")
        )
        # 没有化过的就是文件本身，只读，torch 见了要警告，先抄一份
        return torch.from_numpy(np.require(numbers, requirements="W")).reshape(shape)

    return Source(path, config, shapes, read, e5_name)


def _shape(name: str, count: int, config: BertConfig) -> tuple[int, ...]:
    """文件里只写着个数，矩阵有几列要看名字；分不成那么多列的，当作一列，装的时候由 `audit` 说形状不对。"""
    columns = config.d_ff if name.endswith(".fo.w") else config.d_model
    return (count // columns, columns) if MATRIX.fullmatch(name) and count % columns == 0 else (count,)


def _numbers(blocks: np.ndarray) -> np.ndarray:
    import gguf

    return gguf.dequantize(blocks, gguf.GGMLQuantizationType.Q4_0)


@lru_cache(maxsize=1)
def _parsed(path: str, *stamp: int) -> E5File:
    data = np.memmap(path, np.uint8, "r")
    read = _Reader(data)
    if (magic := read.take(len(MAGIC)).tobytes()) != MAGIC:
        raise ValueError(f"开头是 {magic}")
    (version,) = read.numbers("I")
    *sizes, epsilon, block = read.numbers("7ifi")
    if (version, block) != (1, BLOCK):
        raise PretrainedError(
            f"{path} 是第 {version} 版、{block} 个一块的文件，课程只读第 1 版、{BLOCK} 个一块的。"
        )
    values = dict(zip(SIZES, sizes, strict=True)) | {"pad_token_id": SPECIAL["<pad>"]}
    # 文件里是 fp32 的 1e-12；写成十进制再读回来，就是它本来的样子
    config = make_config(BertConfig, path, values | {"layer_norm_eps": float(f"{epsilon:.6g}")})
    scores = _scores(read)
    if len(scores) > config.vocab_size:
        raise PretrainedError(f"{path} 里有 {len(scores)} 个片段，嵌入却只有 {config.vocab_size} 行。")
    normalization = _normalization(read)
    tensors = _directory(read)
    for name, (kind, count, offset, size) in tensors.items():
        if (kind, size) not in ((FP32, count * 4), (Q4_0, count / BLOCK * BLOCK_BYTES)):
            raise PretrainedError(
                f"{path} 里的 {name} 是第 {kind} 种、{count} 个数、{size} 个字节，课程读不懂。"
            )
        if offset + size > len(data):
            raise ValueError(f"{name} 不全")
    return E5File(config, scores, normalization, tensors, data)


class _Reader:
    """从前往后读。"""

    def __init__(self, data: np.ndarray):
        self.data, self.at = data, 0

    def take(self, count: int) -> np.ndarray:
        part = self.data[self.at : self.at + count]
        if len(part) != count:
            raise EOFError
        self.at += count
        return part

    def numbers(self, layout: str) -> tuple:
        return struct.unpack(f"<{layout}", self.take(struct.calcsize(f"<{layout}")).tobytes())

    def array(self, kind: str, count: int) -> np.ndarray:
        return self.take(count * np.dtype(kind).itemsize).view(kind)


def _scores(read: _Reader) -> dict[str, float]:
    count, *special = read.numbers("5i")
    (size,) = read.numbers("Q")
    ends = read.array("<u4", count + 1).tolist()
    scores = read.array("<f4", count)
    text = read.take(size).tobytes()
    pieces = [text[start:end].decode() for start, end in pairwise(ends)]
    if special != [*SPECIAL.values()] or [pieces[i] for i in special] != [*SPECIAL]:
        raise ValueError("特殊词元不对")
    if len(set(pieces)) != count or not np.isfinite(scores).all():
        raise ValueError("片段或分数不对")
    return dict(zip(pieces, scores.tolist(), strict=True))


def _normalization(read: _Reader) -> dict[str, str]:
    count, size = read.numbers("2I")
    end, table = read.at + size, {}
    for _ in range(count):
        code, length = read.numbers("IB")
        table[chr(code)] = "".join(map(chr, read.numbers(f"{length}I")))
    if read.at != end:
        raise ValueError("归一化的表长短不对")
    return table


def _directory(read: _Reader) -> dict[str, Stored]:
    (count,) = read.numbers("I")
    tensors = {}
    for _ in range(count):
        (length,) = read.numbers("H")
        name = read.take(length).tobytes().decode()
        tensors[name] = Stored(*read.numbers("BIQQ"))
    return tensors
