"""网页里的大语言模型要用的数据：就是内置的 GGUF 文件自己的字节，切成几十个文件，没有再量化。

每层一个文件，词元嵌入表每 4096 行一个文件；各个张量首尾相接，仍是文件里的样子：
Q4_1 每 32 个数 20 个字节，Q8_0 每 32 个数 34 个字节，归一化的权重是 float32；q 与 k 里，旋转的一对仍然相邻。
live/llm/blocks.wat 汇编成 blocks.wasm，也是一个数据文件。
LIVE_LLM=0 时书里没有这些数据。
"""

import json
import os
from collections.abc import Iterator
from functools import cache

from wasmtime import wat2wasm

from course_book import ROOT
from course_lib.weights import builtin_llm_path, open_llama
from course_lib.weights.gguf_file import open_gguf

KERNEL = ROOT / "live/llm/blocks.wat"
SHARD_ROWS = 4096
# 再长，网页里算得就太慢，键与值占的内存也太多
MAX_TOKENS = 256
LAYER = (
    *("attn_norm", "ffn_norm", "attn_q", "attn_k", "attn_v"),
    *("attn_output", "ffn_gate", "ffn_up", "ffn_down"),
)


def is_wanted() -> bool:
    return os.environ.get("LIVE_LLM") != "0"


@cache
def parts() -> dict[str, list]:
    """文件名 → 首尾相接的各段。张量仍在 GGUF 文件里，用到哪一段才读哪一段。"""
    path = builtin_llm_path()
    tensors = {tensor.name: tensor.data for tensor in open_gguf(path).tensors}
    llm = open_llama(path).config
    files = {}
    if KERNEL.is_file():
        files["blocks.wasm"] = [bytes(wat2wasm(KERNEL.read_text(encoding="utf-8")))]
    files |= {"vocab.json": [as_json(vocabulary())], "norm.bin": [tensors["output_norm.weight"]]}
    rows = tensors["token_embd.weight"]
    for start in range(0, len(rows), SHARD_ROWS):
        files[f"tokens{start // SHARD_ROWS}.bin"] = [rows[start : start + SHARD_ROWS]]
    for number in range(llm.num_layers):
        files[f"layer{number}.bin"] = [tensors[f"blk.{number}.{name}.weight"] for name in LAYER]
    config = {
        "numLayers": llm.num_layers,
        "dModel": llm.d_model,
        "numHeads": llm.num_heads,
        "numKvHeads": llm.num_kv_heads,
        "dHead": llm.d_model // llm.num_heads,
        "dFf": llm.d_ff,
        "vocabSize": llm.vocab_size,
        "normEps": llm.norm_eps,
        "ropeTheta": llm.rope_theta,
        "maxTokens": MAX_TOKENS,
        "shardRows": SHARD_ROWS,
        "bosId": llm.bos_id,
        "eosId": llm.eos_id,
        "padId": llm.pad_id,
        "files": {name: sum(memoryview(part).nbytes for part in whole) for name, whole in files.items()},
    }
    return {"config.json": [as_json(config)]} | files


def vocabulary() -> dict:
    """GGUF 文件里的分词器；types 一个词元一个字符，含义照 GGUF：1 是一般的，3 是特殊词元。"""
    fields = open_gguf(builtin_llm_path()).fields
    value = {
        name: fields[f"tokenizer.{name}"].contents()
        for name in ("ggml.tokens", "ggml.token_type", "ggml.merges", "ggml.pre", "chat_template")
    }
    return {
        "pre": value["ggml.pre"],
        "chatTemplate": value["chat_template"],
        "tokens": value["ggml.tokens"],
        "types": "".join(map(str, value["ggml.token_type"])),
        "merges": value["ggml.merges"],
    }


def as_json(value: dict) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def data_files() -> Iterator[tuple[str, bytes]]:
    """文件名与内容，一次只有一个在内存里；网页先取 config.json，其余照 files 里的次序。"""
    for name, whole in parts().items():
        yield name, b"".join(whole)


def data_bytes() -> int:
    """按下按钮要取的字节数；书里没有这些数据时是 0。"""
    if not is_wanted():
        return 0
    return sum(memoryview(part).nbytes for whole in parts().values() for part in whole)
