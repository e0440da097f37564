"""网页里的训练要用的数据只有一个文件：live/train/products.wat 汇编成的 products.wasm。"""

import json
from functools import cache

from wasmtime import wat2wasm

from course_book import ROOT

KERNEL = ROOT / "live/train/products.wat"
# live/train/ 里带进后台线程的各个文件，依次载入
PARTS = ("random", "products", "parts", "model", "optimiser", "tasks", "trainer")


@cache
def data_files() -> dict[str, bytes]:
    """文件名 → 内容；网页先取 config.json。"""
    files = {"products.wasm": bytes(wat2wasm(KERNEL.read_text(encoding="utf-8")))}
    config = {"files": {name: len(content) for name, content in files.items()}}
    return {"config.json": json.dumps(config).encode()} | files
