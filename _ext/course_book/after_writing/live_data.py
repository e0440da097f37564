"""网页里的 BERT 要用的数据：成书之后由内置模型的权重量化得来，连同 live/ 里的脚本放进书里。

矩阵只存 8 位整数，同一行里每 64 个数共用一个比例（float32），不存零点；计算时仍换回浮点数。
偏置、层归一化、位置嵌入与段嵌入不大，原样存 float32。
每层一个文件，词元嵌入表每 4096 行一个文件：编号越小的词越常用，网页取到头几个就能算一般的句子。
live/bert/linear.wat 汇编成 linear.wasm，也是一个数据文件。
每个文件有两份：http 用 .bin；从 file:// 打开时浏览器只肯载入脚本，用写着 base64 的 .js。
"""

import base64
import json
from functools import cache
from pathlib import Path

import torch
from torch import Tensor
from wasmtime import wat2wasm

from course_book import ROOT
from course_book.doctree.traditional_chinese import LANGUAGE, in_book_language
from course_lib.bert import Bert
from course_lib.weights import builtin_path

SCRIPTS = ROOT / "live"
KERNEL = SCRIPTS / "bert/linear.wat"
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


@cache
def data_files() -> dict[str, bytes]:
    """文件名 → 内容；网页照这个次序取。"""
    folder = builtin_path()
    bert = Bert.from_pretrained(folder)
    embeddings = bert.embeddings
    files = {
        # 各层的权重要放进它的内存，所以最先取
        "linear.wasm": bytes(wat2wasm(KERNEL.read_text(encoding="utf-8"))),
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
        "numLayers": bert.config.num_layers,
        "numHeads": bert.config.num_heads,
        "dModel": bert.config.d_model,
        "dFf": bert.config.d_ff,
        "numSegments": bert.config.num_segments,
        "layerNormEps": bert.config.layer_norm_eps,
        "maxTokens": MAX_TOKENS,
        "groupSize": GROUP_SIZE,
        "shardRows": SHARD_ROWS,
        "files": {name: len(content) for name, content in files.items()},
    }
    return files | {"config.json": json.dumps(config).encode()}


def as_script(name: str, content: bytes) -> bytes:
    return f'LiveBert.deliver("{name}", "{base64.b64encode(content).decode()}");\n'.encode()


def fill_folder(folder: Path, files: dict[str, bytes]) -> None:
    """让 folder 里的文件恰好是 files；内容没有变的不写。"""
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.iterdir():
        if path.is_file() and path.name not in files:
            path.unlink()
    for name, content in files.items():
        path = folder / name
        if not path.is_file() or path.read_bytes() != content:
            path.write_bytes(content)


def write_scripts(folder: Path) -> None:
    """live/ 里的脚本与样式，换成这本书的语言。"""
    for place in (SCRIPTS, *filter(Path.is_dir, SCRIPTS.iterdir())):
        sources = place.glob("*.[cj]s*")
        texts = {s.name: in_book_language(s.read_text(encoding="utf-8")).encode() for s in sources}
        fill_folder(folder / place.relative_to(SCRIPTS), texts)


def write_data(folder: Path) -> None:
    files = data_files()
    fill_folder(folder, files | {f"{name}.js": as_script(name, content) for name, content in files.items()})


def write_live(app, exception):
    if exception is not None or app.builder.name != "html":
        return
    root = Path(app.outdir)
    write_scripts(root / "live")
    # 数据两本书共用一份，在简体的那本里；只成繁体的书时也要有
    write_data((root.parent if LANGUAGE == "zh-TW" else root) / "live/data/bert")


def setup(app):
    app.connect("build-finished", write_live)
