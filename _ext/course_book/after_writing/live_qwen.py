"""网页里懂中文的大语言模型要用的数据：LIVE_QWEN=1 成的书才有，是那个 GGUF 文件自己的块，没有再量化；词表太大，只带一部分。

每层四个文件：归一化、偏置与注意力的四个矩阵，前馈网络的三个矩阵各一个；词元嵌入表与另存一份的输出矩阵都每 4096 行一个文件。
块的样子是文件里的，Q5_0、Q8_0、Q6_K、Q4_K 都有；查询与键的行（连同偏置）重排过，旋转的一对相邻，与 SmolLM2 的文件一样。

带哪些词元，见 `travels`；一行是带着的里面的第几个，vocab.json 的 numbers 是它们在整份词表里的编号。
"""

import os
from collections.abc import Container, Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
import regex
import torch
from wasmtime import wat2wasm

from course_book.after_writing.live_llm import KERNEL, SHARD_ROWS, as_json, with_config
from course_book.kept import digest
from course_lib.byte_pair import BytePairTokenizer, unspell
from course_lib.weights import builtin_path, open_llama
from course_lib.weights.builtin import MINILM, QWEN, builtin_named
from course_lib.weights.byte_pair import CONTROL, USER_DEFINED
from course_lib.weights.gguf_file import open_gguf
from course_lib.weights.llama import interleaved

EARLY_MERGES = 8000
NUM_BYTES = 256
CHINESE = r"\p{Script=Han}\u3000-\u303f\uff01-\uff5e￥·—‘’“”…"  # 汉字，中文的标点，全角的字母与数字
SYMBOL = r"\s!-/:-@\[-`{-~"  # 空白与 ASCII 的符号
SOME_CHINESE = regex.compile(f"[{SYMBOL}]*[{CHINESE}][{CHINESE}{SYMBOL}]*")
NO_LETTER = regex.compile(r"[\x00-\x40\x5b-\x60\x7b-\x7f]+")
WORD = regex.compile(r" ?([A-Za-z]+)")
FIRST = ("attn_norm.weight", "ffn_norm.weight", "attn_q.bias", "attn_k.bias", "attn_v.bias")
MATRICES = ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down")


def is_wanted() -> bool:
    return os.environ.get("LIVE_QWEN") == "1"


def origin() -> str:
    """这些数据由什么而来；没有变就不再写一遍。"""
    own = Path(__file__)
    sources = (own, own.with_name("live_llm.py"), own.with_name("live_data.py"), KERNEL)
    return digest(*QWEN.sha256.values(), MINILM.sha256["vocab.txt"], *(path.read_bytes() for path in sources))


def travels(fields: dict, english: Container[str], template: Iterable[int]) -> list[int]:
    """带着的词元的编号，从小到大：

    单个的字节；特殊词元；对话模板自己写的；汉字、中文标点、全角写法与空白、ASCII 符号拼成的；
    前 EARLY_MERGES 条合并得出的里，没有字母的 ASCII，与英文 BERT 的词表里也有的一个英文词（不分大小写，前面可以有一个空格）；
    再加上由哪两段合并出这些词元，直到每一个的两段都在。

    两段都在，所以全由带着的词元写成的一段文字，与整份词表切得一样；别的文字切成更小的几段，最小是一个字节。
    编号的前 NUM_BYTES 个是单个的字节，往后第 i 个由第 i 条合并得出；english 是英文 BERT 的词表，
    template 是对话模板写出的编号。
    """
    tokens, types, merges = listed(fields)
    number = {token: i for i, token in enumerate(tokens)}

    def known(i: int) -> bool:
        if i < NUM_BYTES or types[i] in (CONTROL, USER_DEFINED):
            return True
        try:
            text = unspell(tokens[i]).decode()
        except ValueError:  # 空着的位子，或者字切开了
            return False
        if SOME_CHINESE.fullmatch(text):
            return True
        word = WORD.fullmatch(text)
        early = i < NUM_BYTES + EARLY_MERGES
        return early and bool(word[1].lower() in english if word else NO_LETTER.fullmatch(text))

    kept = {i for i in range(len(tokens)) if known(i)} | set(template)
    waiting = list(kept)
    while waiting:
        merge = waiting.pop() - NUM_BYTES
        if 0 <= merge < len(merges):
            halves = {number[half] for half in merges[merge].split(" ")} - kept
            kept |= halves
            waiting += halves
    return sorted(kept)


def listed(fields: dict) -> tuple[list[str], list[int], list[str]]:
    """词元、它们的种类、合并规则。"""
    return tuple(fields[f"tokenizer.ggml.{name}"] for name in ("tokens", "token_type", "merges"))


def all_fields() -> tuple[dict, list[int]]:
    """GGUF 文件的元数据，与带着的编号。"""
    path = builtin_named(QWEN.name)
    tokenizer = BytePairTokenizer.from_gguf(path)
    template = tokenizer.encode(tokenizer.chat([{"role": "user", "content": ""}]))
    english = (builtin_path() / "vocab.txt").read_text(encoding="utf-8").split("\n")
    fields = open_gguf(path).fields
    return fields, travels(fields, set(english), template)


def vocabulary(fields: dict, ids: Sequence[int]) -> dict:
    """带着的词元与只用得着它们的合并规则；types 一个词元一个字符，含义照 GGUF。"""
    tokens, types, merges = listed(fields)
    rules = (i - NUM_BYTES for i in ids if 0 <= i - NUM_BYTES < len(merges))
    return {
        "pre": fields["tokenizer.ggml.pre"],
        "chatTemplate": fields["tokenizer.chat_template"],
        "tokens": [tokens[i] for i in ids],
        "types": "".join(str(types[i]) for i in ids),
        "merges": [merges[i] for i in rules],
        "numbers": list(ids),
    }


def data_files() -> Iterator[tuple[str, bytes]]:
    """文件名与内容，一次只有一个在内存里；网页先取 config.json，其余照 files 里的次序。"""
    path = builtin_named(QWEN.name)
    fields, ids = all_fields()
    tensors = {tensor.name: tensor for tensor in open_gguf(path).tensors}
    llm = open_llama(path).config
    row = {number: i for i, number in enumerate(ids)}
    heads = {"attn_q": llm.num_heads, "attn_k": llm.num_kv_heads}
    kinds = {name: tensor.tensor_type.name for name, tensor in tensors.items()}

    def stored(name: str) -> np.ndarray:
        data, count = tensors[name].data, heads.get(name.split(".")[-2])
        return paired(data, count) if count else data

    files = {
        "blocks.wasm": [bytes(wat2wasm(KERNEL.read_text(encoding="utf-8")))],
        "vocab.json": [as_json(vocabulary(fields, ids))],
        "norm.bin": [stored("output_norm.weight")],
    }
    for file, name in (("tokens", "token_embd.weight"), ("output", "output.weight")):
        for start in range(0, len(ids), SHARD_ROWS):
            rows = ids[start : start + SHARD_ROWS]
            files[f"{file}{start // SHARD_ROWS}.bin"] = [stored(name)[rows]]
    first = [*FIRST, *(f"{name}.weight" for name in MATRICES[:4])]
    for number in range(llm.num_layers):
        files[f"layer{number}.bin"] = [stored(f"blk.{number}.{name}") for name in first]
        for name in MATRICES[4:]:
            files[f"{name[4:]}{number}.bin"] = [stored(f"blk.{number}.{name}.weight")]
    others = {
        "origin": origin(),
        "vocabSize": len(ids),
        "bosId": row[llm.bos_id],
        "eosId": row[llm.eos_id],
        "padId": row[llm.pad_id],
        "qkvBias": True,
        "splitFfn": True,
        "kinds": {
            "layers": [
                [kinds[f"blk.{number}.{name}.weight"] for name in MATRICES]
                for number in range(llm.num_layers)
            ],
            "tokens": kinds["token_embd.weight"],
            "output": kinds["output.weight"],
        },
    }
    yield from with_config(llm, others, files)


def paired(rows: np.ndarray, num_heads: int) -> np.ndarray:
    """重排查询或键的行：每个头里，前半与后半配成的对，变成相邻的两行；用的就是装模型时的 `interleaved`，行可以是块的字节。"""
    return interleaved(torch.from_numpy(rows.copy()), num_heads).numpy()
