"""一个大语言模型的分词器怎样读：GGUF 文件的元数据，或文件夹里的 tokenizer.json。

读出来的都是 `BytePairTokenizer` 的参数。
"""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import regex

from ..pretokenization import DIGIT, GPT2, QWEN2, SMOLLM
from .declared import CONFIG, Token, declared_tokens
from .errors import PretrainedError, SourceError
from .gguf_file import open_gguf
from .kinds import OFF, TEMPLATE
from .reading import LARGEST, odd_setting, read_json, shown, written_id

Tokenizer = TypeVar("Tokenizer")

GGUF_PATTERNS = {"gpt-2": (GPT2,), "smollm": SMOLLM, "qwen2": (QWEN2,)}  # tokenizer.ggml.pre 的写法
NORMALIZED = {"qwen2": "NFC"}
CONTROL, USER_DEFINED = 3, 4  # tokenizer.ggml.token_type 的两种：在文本里整个出现，不切开


def load_tokenizer(make: Callable[..., Tokenizer], source: str | os.PathLike) -> Tokenizer:
    """读出一个 GGUF 文件或文件夹里的分词器，交给 make 造出来。

    错误：文件不存在、残缺、自相矛盾，或者里面不是认识的字节级 BPE 时，抛出 `PretrainedError`。
    """
    fields = read_tokenizer(source)
    try:
        return make(**fields)
    except ValueError as error:
        raise PretrainedError(f"{source} 的分词器不能用：{str(error).rstrip('。')}。") from None


def read_tokenizer(source: str | os.PathLike) -> dict:
    """读出一个 GGUF 文件或文件夹里的分词器，还没有造；错误同 `load_tokenizer`。"""
    folder = Path(source).is_dir()
    path = Path(source) / "tokenizer.json" if folder else Path(source)
    try:
        fields = _read_folder(Path(source)) if folder else _read_gguf(path)
        if fault := _misfit(fields):
            raise PretrainedError(f"{path} 的分词器不能用：{fault}。")
        return fields
    except PretrainedError:
        raise
    except Exception as error:  # 残缺的文件在哪里断，就抛出哪里的异常
        advice = "请检查文件夹是否完整" if folder else "请检查路径，或者重新取一份完整的 GGUF 文件"
        raise PretrainedError(f"读不了 {path}（{type(error).__name__}）；{advice}。") from None


def _read_gguf(path: Path) -> dict:
    value = open_gguf(path).fields
    model, pre = value.get("tokenizer.ggml.model"), value.get("tokenizer.ggml.pre")
    if model != "gpt2" or pre not in GGUF_PATTERNS or value.get("tokenizer.ggml.add_space_prefix"):
        known = "、".join(GGUF_PATTERNS)
        raise PretrainedError(
            f"{path} 的分词器是 {model}（预切分 {pre}）；课程只认字节级的 gpt2（{known}）。"
        )
    lists = [f"tokenizer.ggml.{name}" for name in ("tokens", "token_type", "merges")]
    if missing := [name for name in lists if name not in value]:
        raise PretrainedError(f"{path} 里没有 {missing[0]}，分词器不完整；请换一个 GGUF 文件。")
    tokens, types, merges = (value[name] for name in lists)
    if len(tokens) != len(types):
        raise PretrainedError(
            f"{path} 里有 {len(tokens)} 个词元，种类却有 {len(types)} 个；请换一个 GGUF 文件。"
        )
    return {
        "vocab": {token: index for index, token in enumerate(tokens)},
        "merges": _pairs(merges),
        "special": [
            token for token, kind in zip(tokens, types, strict=True) if kind in (CONTROL, USER_DEFINED)
        ],
        "patterns": GGUF_PATTERNS[pre],
        "normalization": NORMALIZED.get(pre),
        "template": value.get("tokenizer.chat_template"),
        "bos_id": written_id(value.get("tokenizer.ggml.bos_token_id")),
        "eos_id": written_id(value.get("tokenizer.ggml.eos_token_id")),
        "pad_id": written_id(value.get("tokenizer.ggml.padding_token_id")),
    }


def _read_folder(folder: Path) -> dict:
    file, settings = folder / "tokenizer.json", folder / CONFIG
    try:
        read, config = read_json(file), read_json(settings) if settings.is_file() else {}
        declared = declared_tokens(folder)
    except SourceError as error:
        raise PretrainedError(f"文件夹 {folder} 的分词器不能用：{error}。") from None
    model, added = read["model"], read.get("added_tokens") or []
    if fault := _fault(read):
        raise PretrainedError(f"{file} 的分词器课程不认识：{fault}；课程只认字节级 BPE。")
    vocab = model["vocab"] | {token["content"]: token["id"] for token in added}
    if fault := odd_setting(config, {"split_special_tokens": OFF}, CONFIG) or _odd_token(
        declared, vocab, _switches(read)
    ):
        raise PretrainedError(f"文件夹 {folder} 的分词器不能用：{fault}；可以换一个模型。")
    template = folder / TEMPLATE
    # 另外声明的，词表里有就整个出现，与 added_tokens 里的一样
    special = [token["content"] for token in added]
    written = [token.content for token in declared if token.content is not None]
    names = {token.name: token.content for token in declared if token.name and token.content is not None}
    ids = {f"{name}_id": vocab.get(names.get(f"{name}_token")) for name in ("bos", "eos", "pad")}
    return {
        "vocab": vocab,
        "merges": _pairs(model["merges"]),
        "special": [*dict.fromkeys([*special, *written])],
        "names": names,
        "patterns": _patterns(read["pre_tokenizer"]),
        "normalization": (read.get("normalizer") or {}).get("type"),
        "whole_pieces": model.get("ignore_merges", False),
        "template": template.read_text(encoding="utf-8")
        if template.is_file()
        else _templates(config.get("chat_template")),
    } | ids


def _odd_token(declared: Sequence[Token], vocab: Mapping[str, int], switches: Sequence[str]) -> str | None:
    """声明的词元里有一个是 tokenizer.json 里没有的，或者打开着 switches 之一，返回一句说明；没有就返回 None。"""
    for token in declared:
        if token.content is not None and token.content not in vocab:
            return f"它另外声明了词元 {shown(token.content)}，tokenizer.json 里没有，请用 transformers 装上它再存一遍"
        if on := [option for option in token.options if option in switches]:
            return f"{token.content} 的 {on[0]} 打开着"
    return None


def _templates(given):
    """有的模型有几个对话模板，写成一列，各有名字。"""
    match given:
        case [{"name": _, "template": _}, *_]:
            return {each["name"]: each["template"] for each in given}
    return given


def _pairs(merges: Iterable[str | Sequence[str]]) -> list[tuple[str, str]]:
    # 词元里没有空格（空格写作 Ġ），所以一条合并规则恰好一个空格；新的 tokenizer.json 则写成一对。
    return [tuple(pair.split(" ") if isinstance(pair, str) else pair) for pair in merges]


def _misfit(fields: dict) -> str | None:
    """读出来的各项类型不对，或者对不上时，返回一句说明；没有问题就返回 None。"""
    for token, index in fields["vocab"].items():
        if not isinstance(token, str) or type(index) is not int or not 0 <= index < LARGEST:
            return f"词元 {shown(token)} 的编号是 {shown(index)}"
    for pair in fields["merges"]:
        if len(pair) != 2 or not all(isinstance(part, str) and part for part in pair):
            return f"合并规则里有 {shown(pair)}，应当是两个词元"
    known = set(fields["vocab"].values())
    for name in ("bos_id", "eos_id", "pad_id"):
        if fields[name] is not None and fields[name] not in known:
            return f"{name}={shown(fields[name])} 不在词表里"
    for pattern in fields["patterns"]:
        try:
            groups = regex.compile(pattern).groups
        except Exception as error:
            return f"预切分的正则 {shown(pattern)} 写得不对（{type(error).__name__}）"
        if groups:
            return f"预切分的正则 {shown(pattern)} 里有捕获组"
    template = fields["template"]
    texts = [*template, *template.values()] if isinstance(template, dict) else [template]
    if not all(isinstance(text, str | None) for text in texts):
        return "对话模板不是一段文字"
    return None


def _fault(read: Mapping) -> str | None:
    """tokenizer.json 里有课程不认识的东西时，返回一句说明；没有就返回 None。"""
    kind = read["model"].get("type"), (read.get("decoder") or {}).get("type")
    if kind != ("BPE", "ByteLevel"):
        return f"model 与 decoder 是 {kind}"
    for name in ("dropout", "continuing_subword_prefix", "end_of_word_suffix"):
        if read["model"].get(name):
            return f"model 里的 {name} 是 {shown(read['model'][name])}"
    if read.get("normalizer") and read["normalizer"] != {"type": "NFC"}:
        return f"有 normalizer {shown(read['normalizer'])}"
    for token in read.get("added_tokens") or ():
        if on := [name for name in _switches(read) if token.get(name)]:
            return f"added_tokens 里 {shown(token.get('content'))} 的 {on[0]} 打开着"
    try:
        _patterns(read.get("pre_tokenizer"))
    except ValueError as error:
        return str(error)
    return None


def _switches(read: Mapping) -> tuple[str, ...]:
    """特殊词元的选项里，课程不做的有哪几个：连着空格的；有 normalizer 时，归一化之后才找的。"""
    return ("lstrip", "rstrip", "single_word", *(("normalized",) if read.get("normalizer") else ()))


def _patterns(step: Mapping) -> tuple[str, ...]:
    match step:
        case {"type": "Sequence", "pretokenizers": steps}:
            return tuple(pattern for step in steps for pattern in _patterns(step))
        case {"type": "Digits", "individual_digits": alone}:
            return (DIGIT if alone else DIGIT + "+",)
        case {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}:
            return (pattern,)
        case {"type": "ByteLevel", "add_prefix_space": False}:
            return (GPT2,) if step.get("use_regex", True) else ()
    raise ValueError(f"pre_tokenizer 里有 {shown(step)}")
