"""网页里的多语 BERT 要用的数据：就是内置的文件自己的字节，切成几十个文件，没有再量化；词表太大，只带一部分。

矩阵仍是文件里的 Q4_0 块：每 32 个数 18 个字节，一个 fp16 的比例，再是 4 位的整数；偏置、层归一化、位置与段的嵌入是 float32。
每层一个文件，词元嵌入表每 4096 行一个文件；各个张量首尾相接。单个的字符与汉字词在前，各按编号，编号小的常用：
一般的中文句子，不等取齐就算得出来。

带哪些词元，见 `travels`；scores.bin 是它们的分数（float32），ids.bin 是它们在整份词表里的编号（uint32），次序与嵌入表的行相同。
归一化的表是整张。
"""

import json
from collections.abc import Container
from functools import cache
from pathlib import Path

import numpy as np
import regex

from course_book.after_writing import live_bert
from course_book.kept import digest
from course_lib.tokenization import PREFIX
from course_lib.unigram import SPACE, SPECIAL_TOKENS, UNKNOWN_PENALTY
from course_lib.weights import builtin_multilingual_path, builtin_path
from course_lib.weights.builtin import E5, MINILM
from course_lib.weights.e5_file import BLOCK, BLOCK_BYTES, open_e5

CAPITALS = 1024
# 汉字、标点、符号、数字任意拼成的都带着，所以只写这些的一句，与整份词表切得一样
CHINESE = regex.compile(r"[▁\p{Script=Han}\p{P}\p{S}\p{N}]+")
HAN = regex.compile(r"▁?\p{Script=Han}+")
LETTER = regex.compile(r"▁?[A-Za-z]")
SMALL = regex.compile(r"▁?[a-z]+")
CAPITAL = regex.compile(r"▁[A-Z][a-z]+")
LAYER = [f"{part}.{kind}" for part in ("q", "k", "v", "ao", "fi", "fo", "aln", "oln") for kind in "wb"]


def travels(pieces: list[str], english: Container[str]) -> list[int]:
    """带着的词元的编号，单个的字符与汉字词在前：特殊词元；全由汉字、标点、符号、数字与 ▁ 拼成的；单个的英文字母；英文 BERT 的词表里也有的小写片段；
    大写开头的，取分数最高的 CAPITALS 个。

    pieces 按编号排，编号越小分数越高；english 是英文 BERT 的词表。
    """

    def known(piece: str) -> bool:
        if piece in SPECIAL_TOKENS or CHINESE.fullmatch(piece) or LETTER.fullmatch(piece):
            return True
        start = piece.startswith(SPACE)
        return bool(SMALL.fullmatch(piece)) and (piece[1:] if start else PREFIX + piece) in english

    capitals = [i for i, piece in enumerate(pieces) if CAPITAL.fullmatch(piece)][:CAPITALS]
    kept = {*capitals, *(i for i, piece in enumerate(pieces) if known(piece))}

    def later(i: int) -> bool:
        return not (pieces[i] in SPECIAL_TOKENS or len(pieces[i]) == 1 or HAN.fullmatch(pieces[i]))

    return sorted(kept, key=lambda i: (later(i), i))


def all_pieces() -> tuple[list[str], list[int]]:
    """整份词表，与带着的编号。"""
    pieces = list(open_e5(builtin_multilingual_path()).scores)
    words = (builtin_path() / "vocab.txt").read_text(encoding="utf-8").split("\n")
    return pieces, travels(pieces, set(words))


def origin() -> str:
    """这些数据由什么而来；没有变就不再写一遍。"""
    sources = (__file__, live_bert.__file__, Path(__file__).with_name("live_data.py"), live_bert.KERNEL)
    return digest(
        *E5.sha256.values(), MINILM.sha256["vocab.txt"], *(Path(path).read_bytes() for path in sources)
    )


@cache
def data_files() -> dict[str, bytes]:
    """文件名 → 内容；网页先取 config.json，其余照 files 里的次序。"""
    e5 = open_e5(builtin_multilingual_path())
    pieces, ids = all_pieces()

    def stored(name: str) -> np.ndarray:
        _, _, offset, size = e5.tensors[name]
        return e5.data[offset : offset + size]

    width = e5.config.d_model
    rows = stored("emb.word").reshape(e5.config.vocab_size, -1)[ids]
    vocabulary = {
        "pieces": [pieces[i] for i in ids],
        # 不在词表里的字的分数，照整份词表的
        "unknown": min(e5.scores.values()) - UNKNOWN_PENALTY,
        "normalization": e5.normalization,
    }
    files = {
        "linear.wasm": live_bert.kernel(),
        "vocab.json": json.dumps(vocabulary, ensure_ascii=False, separators=(",", ":")).encode(),
        "scores.bin": np.array([e5.scores[pieces[i]] for i in ids], "<f4").tobytes(),
        "ids.bin": np.array(ids, "<u4").tobytes(),
        "embeddings.bin": b"".join(
            [
                stored("emb.pos")[: 4 * width * live_bert.MAX_TOKENS].tobytes(),
                *(stored(name).tobytes() for name in ("emb.type", "emb.ln.w", "emb.ln.b")),
            ]
        ),
    }
    for number in range(e5.config.num_layers):
        files[f"layer{number}.bin"] = b"".join(stored(f"l{number}.{name}").tobytes() for name in LAYER)
    for start in range(0, len(ids), live_bert.SHARD_ROWS):
        files[f"tokens{start // live_bert.SHARD_ROWS}.bin"] = rows[
            start : start + live_bert.SHARD_ROWS
        ].tobytes()
    config = {
        "origin": origin(),
        **live_bert.sizes(e5.config),
        "blockSize": BLOCK,
        "blockBytes": BLOCK_BYTES,
        "files": {name: len(content) for name, content in files.items()},
    }
    return {"config.json": json.dumps(config).encode()} | files
