"""一个 Unigram 分词器怎样读：内置的多语 BERT 的文件，或者文件夹里的 tokenizer.json；读出来的是 `UnigramTokenizer` 的参数。"""

import base64
import math
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .declared import declared_tokens, token_of
from .e5_file import open_e5
from .errors import PretrainedError, SourceError
from .reading import read_json, shown

TOKENIZER = "tokenizer.json"
SPACES = {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}
METASPACE = {"type": "Metaspace", "replacement": "▁"}
# 空格怎样写成 ▁：原来的写法，与 tokenizers 再存一遍之后的写法
SPLITS = (METASPACE | {"add_prefix_space": True}, METASPACE | {"prepend_scheme": "always", "split": True})
# 一个文本、一对文本各加上哪些特殊词元
FRAMES = {"single": "<s> A </s>", "pair": "<s> A </s> </s> B </s>"}
LONGEST = 4  # 一个字符至多几个字节


def read_unigram(path: Path, special: Sequence[str]) -> dict:
    """读出 `UnigramTokenizer` 的参数；special，认得的特殊词元。

    错误：读不出来，或者它做的事这里没有写，编号会与原来的不同时，抛出 `PretrainedError`。
    """
    try:
        if path.is_file():
            _, scores, normalization, *_ = open_e5(path)
        else:
            scores, normalization = _read_folder(path, special)
        if missing := [token for token in special if token not in scores]:
            raise SourceError(f"词表里没有 {missing[0]}")
        return {"scores": scores, "normalization": normalization}
    except PretrainedError:
        raise
    except SourceError as error:
        reason = str(error)
    except Exception as error:  # 残缺的表在哪里断，就抛出哪里的异常
        reason = f"{TOKENIZER} 读不出来（{type(error).__name__}）"
    raise PretrainedError(f"{path} 的分词器不能用：{reason}。")


def _read_folder(folder: Path, special: Sequence[str]) -> tuple[dict[str, float], dict[str, str]]:
    tokenizer = read_json(folder / TOKENIZER)
    scores = _scores(tokenizer)
    added = tokenizer.get("added_tokens") or ()
    fault = _odd_setting(tokenizer, scores) or _odd_token(added, scores)
    for token in [*map(token_of, added), *declared_tokens(folder)]:
        if token.content not in (*special, None):
            fault = f"它定义了特殊词元 {shown(token.content)}，这里只认 {'、'.join(special)}"
    if fault:
        raise SourceError(fault)
    return scores, _normalization(tokenizer.get("normalizer"))


def unigram_words(tokenizer: Mapping) -> dict[str, int]:
    """读成字典的 tokenizer.json 里的词表，片段 → 编号；错误：不是 Unigram 的，抛出 `SourceError`。"""
    return {piece: index for index, piece in enumerate(_scores(tokenizer))}


def is_unigram(tokenizer: Mapping) -> bool:
    """读成字典的 tokenizer.json 是不是 Unigram。"""
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


def _odd_setting(tokenizer: Mapping, scores: Mapping[str, float]) -> str | None:
    """词表与归一化之外，有一处是课程没有写的，返回一句说明；没有就返回 None。"""
    model, frames = tokenizer["model"], tokenizer.get("post_processor") or {}
    unknown = model.get("unk_id")
    if type(unknown) is not int or [*scores][unknown : unknown + 1] != ["<unk>"]:
        return f"{TOKENIZER} 里的 unk_id 是 {shown(unknown)}，不是 <unk> 的编号"
    if model.get("byte_fallback"):
        return f"{TOKENIZER} 里的 byte_fallback 打开着，课程没有写这一种"
    for name in ("pre_tokenizer", "decoder"):
        if tokenizer.get(name) not in SPLITS:
            return f"{TOKENIZER} 里的 {name} 是 {shown(tokenizer.get(name))}，课程没有写这一种"
    for name, frame in FRAMES.items():
        if frames.get(name) != [_part(part) for part in frame.split()]:
            return f"{TOKENIZER} 里的 post_processor 加上的不是 {frame}，课程没有写这一种"
    return None


def _part(name: str) -> dict:
    return {"Sequence" if name in ("A", "B") else "SpecialToken": {"id": name, "type_id": 0}}


def _odd_token(added: Sequence[Mapping], scores: Mapping[str, float]) -> str | None:
    """added_tokens 里有一个带着选项，或者编号与词表里的不同，返回一句说明；没有就返回 None。"""
    ids = {piece: index for index, piece in enumerate(scores)}
    for written in added:
        _, content, options = token_of(written)
        if options:
            return f"{content} 的 {options[0]} 打开着，课程没有写这一种"
        if content in ids and written.get("id") != ids[content]:
            return f"{content} 的编号写了两个，{shown(written.get('id'))} 与 {ids[content]}"
    return None


def _normalization(normalizer: Any) -> dict[str, str]:
    match normalizer:
        case {
            "type": "Sequence",
            "normalizers": [{"type": "Precompiled", "precompiled_charsmap": str(table)}, spaces],
        } if spaces == SPACES:
            return characters_map(base64.b64decode(table))
    raise SourceError(f"{TOKENIZER} 里的 normalizer 是 {shown(normalizer)}，课程没有写这一种")


def characters_map(table: bytes) -> dict[str, str]:
    """SentencePiece 的归一化表里，换掉单个字符的那些：{字符: 换成什么}。

    表的前一半是双数组写成的前缀树，每一格 32 位：下一格的位置、标签、有没有值；后一半是值，各以 0 结尾。
    """
    (size,) = struct.unpack_from("<I", table)
    cells, values = struct.unpack_from(f"<{size // 4}I", table, 4), table[4 + size :]
    found = {}

    def below(cell: int) -> int:
        return cells[cell] >> 10 << (cells[cell] >> 6 & 8)

    def walk(place: int, prefix: bytes) -> None:
        for byte in range(1, 256):
            cell = place ^ byte
            if cell >= len(cells) or cells[cell] & 0x8000_00FF != byte:
                continue
            word, after = prefix + bytes([byte]), cell ^ below(cell)
            if cells[cell] >> 8 & 1:
                start = cells[after] & 0x7FFF_FFFF
                found[word.decode()] = values[start : values.index(0, start)].decode()
            elif len(word) < LONGEST:
                walk(after, word)

    walk(below(0), b"")
    return {char: written for char, written in found.items() if len(char) == 1}
