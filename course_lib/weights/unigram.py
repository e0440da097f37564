"""一个 Unigram 分词器怎样读：内置的多语 BERT 的文件，或者文件夹里的 tokenizer.json；读出来的是 `UnigramTokenizer` 的参数。"""

import base64
import math
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .declared import token_of
from .e5_file import open_e5
from .errors import PretrainedError, SourceError
from .reading import read_json, shown

TOKENIZER = "tokenizer.json"
# tokenizer.json 里除了词表与归一化的表，别的都只能是这样
KNOWN = {
    "pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "add_prefix_space": True},
    "decoder": {"type": "Metaspace", "replacement": "▁", "add_prefix_space": True},
}
SPACES = {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}
SPECIAL = ("<s>", "<pad>", "</s>", "<unk>", "<mask>")
LONGEST = 4  # 一个字符至多几个字节


def read_unigram(path: Path) -> dict:
    """读出 `UnigramTokenizer` 的参数。错误：读不出来，或者是这里没有写的另一种，抛出 `PretrainedError`。"""
    if path.is_file():
        file = open_e5(path)
        return {"scores": file.scores, "normalization": file.normalization}
    try:
        return _from_json(read_json(path / TOKENIZER))
    except SourceError as error:
        reason = str(error)
    except Exception as error:  # 残缺的表在哪里断，就抛出哪里的异常
        reason = f"{TOKENIZER} 读不出来（{type(error).__name__}）"
    raise PretrainedError(f"{path} 的分词器不能用：{reason}。")


def unigram_words(tokenizer: Mapping) -> dict[str, int]:
    """读成字典的 tokenizer.json 里的词表，片段 → 编号；错误：不是 Unigram 的，抛出 `SourceError`。"""
    return {piece: index for index, piece in enumerate(_scores(tokenizer))}


def is_unigram(tokenizer: Mapping) -> bool:
    model = tokenizer.get("model")
    return isinstance(model, Mapping) and model.get("type") == "Unigram"


def _scores(tokenizer: Mapping) -> dict[str, float]:
    if not is_unigram(tokenizer):
        raise SourceError(f"{TOKENIZER} 里的 model 不是 Unigram")
    vocab = tokenizer["model"].get("vocab")
    if not isinstance(vocab, list) or not all(_is_entry(entry) for entry in vocab):
        raise SourceError(f"{TOKENIZER} 里的词表不是一列片段与分数")
    if len(scores := {piece: float(score) for piece, score in vocab}) != len(vocab):
        raise SourceError(f"{TOKENIZER} 里有片段写了两遍")
    return scores


def _is_entry(entry: Any) -> bool:
    if not isinstance(entry, list) or len(entry) != 2:
        return False
    piece, score = entry
    return isinstance(piece, str) and type(score) in (int, float) and math.isfinite(score)


def _from_json(values: dict) -> dict:
    scores = _scores(values)
    ids = {piece: index for index, piece in enumerate(scores)}
    model = values["model"]
    for name, known in KNOWN.items():
        if values.get(name) != known:
            raise SourceError(f"{TOKENIZER} 里的 {name} 是 {shown(values.get(name))}，课程没有写这一种")
    if model.get("byte_fallback"):
        raise SourceError(f"{TOKENIZER} 里的 byte_fallback 打开着，课程没有写这一种")
    if model.get("unk_id") != ids.get("<unk>"):
        raise SourceError(f"{TOKENIZER} 里的 unk_id 是 {shown(model.get('unk_id'))}，不是 <unk> 的编号")
    for added in values.get("added_tokens") or ():
        token = token_of(added)
        if token.content not in SPECIAL or token.options or added.get("id") != ids.get(token.content):
            raise SourceError(
                f"{TOKENIZER} 定义了特殊词元 {shown(token.content)}，这里只认 {'、'.join(SPECIAL)}，不带选项"
            )
    return {"scores": scores, "normalization": _normalization(values.get("normalizer"))}


def _normalization(normalizer: Any) -> dict[str, str]:
    match normalizer:
        case {
            "type": "Sequence",
            "normalizers": [{"type": "Precompiled", "precompiled_charsmap": str(table)}, spaces],
        }:
            if spaces == SPACES:
                return characters_map(base64.b64decode(table))
    raise SourceError(f"{TOKENIZER} 里的 normalizer 是 {shown(normalizer)}，课程没有写这一种")


def characters_map(table: bytes) -> dict[str, str]:
    """SentencePiece 的归一化表里，换掉单个字符的那些：{字符: 换成什么}。

    表的前一半是双数组写成的前缀树，每一格 32 位：下一格的位置、标签、有没有值；后一半是值，各以 0 结尾。
    """
    (size,) = struct.unpack_from("<I", table)
    cells, values = struct.unpack_from(f"<{size // 4}I", table, 4), table[4 + size :]
    found = {}

    def walk(cell: int, prefix: bytes) -> None:
        for byte in range(1, 256):
            place = cell ^ byte
            if place >= len(cells) or cells[place] & 0x8000_00FF != byte:
                continue
            here, word = cells[place], prefix + bytes([byte])
            below = place ^ (here >> 10 << (here >> 6 & 8))
            if here >> 8 & 1:
                start = cells[below] & 0x7FFF_FFFF
                found[word.decode()] = values[start : values.index(0, start)].decode()
            elif len(word) < LONGEST:
                walk(below, word)

    walk(cells[0] >> 10 << (cells[0] >> 6 & 8), b"")
    return {char: written for char, written in found.items() if len(char) == 1}
