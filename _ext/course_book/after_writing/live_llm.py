"""网页里的大语言模型要用的数据：就是内置的 GGUF 文件自己的字节，切成几十个文件，没有再量化。

每层一个文件，词元嵌入表每 4096 行一个文件；各个张量首尾相接，仍是文件里的样子：
Q4_1 每 32 个数 20 个字节，Q8_0 每 32 个数 34 个字节，归一化的权重是 float32；q 与 k 里，旋转的一对仍然相邻。
live/llm/blocks.wat 汇编成 blocks.wasm，也是一个数据文件。
LIVE_LLM=0 时书里没有这些数据。
"""

import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path

from wasmtime import wat2wasm

from course_book import ROOT
from course_lib.config import LanguageModelConfig
from course_lib.weights import builtin_llm_path, open_llama
from course_lib.weights.builtin import GGUF, SMOLLM2
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


def origin() -> str:
    """这些数据由什么而来。解析 GGUF 文件要两秒，所以没有变就不再写一遍。"""
    sources = [Path(__file__), Path(__file__).with_name("live_data.py"), KERNEL]
    made_of = [SMOLLM2.sha256[GGUF].encode(), *(path.read_bytes() for path in sources)]
    return hashlib.sha256(b"".join(made_of)).hexdigest()


def data_files() -> Iterator[tuple[str, bytes]]:
    """文件名与内容，一次只有一个在内存里；网页先取 config.json，其余照 files 里的次序。"""
    path = builtin_llm_path()
    tensors = {tensor.name: tensor.data for tensor in open_gguf(path).tensors}
    llm = open_llama(path).config
    rows = tensors["token_embd.weight"]
    # 张量仍在 GGUF 文件里，写到哪一段才读哪一段
    files = {
        "blocks.wasm": [bytes(wat2wasm(KERNEL.read_text(encoding="utf-8")))],
        "vocab.json": [as_json(vocabulary(open_gguf(path).fields))],
        "norm.bin": [tensors["output_norm.weight"]],
    }
    for start in range(0, len(rows), SHARD_ROWS):
        files[f"tokens{start // SHARD_ROWS}.bin"] = [rows[start : start + SHARD_ROWS]]
    for number in range(llm.num_layers):
        files[f"layer{number}.bin"] = [tensors[f"blk.{number}.{name}.weight"] for name in LAYER]
    ids = {"bosId": llm.bos_id, "eosId": llm.eos_id, "padId": llm.pad_id}
    yield from with_config(llm, {"origin": origin(), "vocabSize": llm.vocab_size} | ids, files)


def with_config(
    llm: LanguageModelConfig, others: dict, files: dict[str, list]
) -> Iterator[tuple[str, bytes]]:
    """先是 config.json，再是各个文件；files，名字 → 首尾相接的几段；others，config.json 里各个模型自己写的。"""
    config = {
        "numLayers": llm.num_layers,
        "dModel": llm.d_model,
        "numHeads": llm.num_heads,
        "numKvHeads": llm.num_kv_heads,
        "dHead": llm.d_model // llm.num_heads,
        "dFf": llm.d_ff,
        "normEps": llm.norm_eps,
        "ropeTheta": llm.rope_theta,
        "maxTokens": MAX_TOKENS,
        "shardRows": SHARD_ROWS,
        **others,
        "files": {name: sum(memoryview(part).nbytes for part in parts) for name, parts in files.items()},
    }
    yield "config.json", as_json(config)
    for name, parts in files.items():
        yield name, b"".join(parts)


def vocabulary(fields: dict) -> dict:
    """GGUF 文件里的分词器；types 一个词元一个字符，含义照 GGUF：1 是一般的，3 是特殊词元。"""
    return {
        "pre": fields["tokenizer.ggml.pre"],
        "chatTemplate": fields["tokenizer.chat_template"],
        "tokens": fields["tokenizer.ggml.tokens"],
        "types": "".join(map(str, fields["tokenizer.ggml.token_type"])),
        "merges": fields["tokenizer.ggml.merges"],
    }


def as_json(value: dict) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
