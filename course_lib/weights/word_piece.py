"""一个 BERT 的分词器怎样读：词表，与同一文件夹里改得动它的几个文件；读出来的是 `WordPieceTokenizer` 的参数。"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from .declared import CONFIG, Token, declared_tokens, token_of
from .e5_file import is_e5
from .errors import PretrainedError, SourceError
from .reading import LARGEST, odd_setting, read_json, shown
from .unigram import is_unigram

VOCABULARIES = ("tokenizer.json", "vocab.txt")  # 两个都有，就看前一个，与 transformers 相同
# tokenizer_config.json 里可以没有、有就只能是这几个值的
SETTINGS = {
    "do_lower_case": (True, False),
    "strip_accents": (None, True, False),
    "tokenize_chinese_chars": (True, False),
    "split_special_tokens": (False, None),
    "padding_side": ("right",),
    "tokenizer_class": (None, "BertTokenizer", "BertTokenizerFast"),
}


def read_vocab(path: str | Path, special: Sequence[str]) -> dict:
    """读出一个词表文件，或者一个文件夹里的分词器；special，认得的特殊词元。

    错误：找不到词表时抛出 `FileNotFoundError`；读不出来时抛出 `PretrainedError`；
    文件夹里的分词器做的事这里没有写，编号会与原来的不同时，抛出 `ValueError`。
    """
    path = Path(path)
    file = vocabulary_file(path) if path.is_dir() else path
    if file is None or not file.is_file():
        raise FileNotFoundError(f"找不到词表 {file or path / ' 或 '.join(VOCABULARIES)}；请检查路径。")
    if _is_unigram(file):
        raise ValueError(
            f"{path} 的分词器是 Unigram，不是 WordPiece；请改用 UnigramTokenizer.from_pretrained。"
        )
    try:
        vocab = read_words(file)
        config, tokenizer = (_read_if_there(path / name) for name in (CONFIG, "tokenizer.json"))
        kind = {"tokenizer_class": _read_if_there(path / "config.json").get("tokenizer_class")}
        declared = [*map(token_of, tokenizer.get("added_tokens") or ()), *declared_tokens(path)]
        fault = odd_setting(kind | config, SETTINGS, CONFIG) or _odd_token(declared, special)
    except Exception as error:  # 残缺的文件在哪里断，就抛出哪里的异常
        raise PretrainedError(
            f"读不了 {path} 的分词器（{type(error).__name__}）；请检查文件是否完整。"
        ) from None
    if path.is_dir() and (missing := [token for token in special if token not in vocab]):
        fault = fault or f"{file.name} 里没有 {missing[0]}"
    if fault:
        raise ValueError(f"{path} 的分词器与这里写的不同：{fault}；照这里的切，编号会不一样。")
    return {
        "vocab": vocab,
        "lowercase": config.get("do_lower_case", True),
        "strip_accents": config.get("strip_accents"),
        "split_cjk": config.get("tokenize_chinese_chars", True),
        "clean_up_spaces": config.get("clean_up_tokenization_spaces") or False,
    }


def vocabulary_file(folder: Path) -> Path | None:
    """文件夹里的词表是哪一个文件；没有就是 None。"""
    return next((folder / name for name in VOCABULARIES if (folder / name).is_file()), None)


def read_words(file: Path) -> dict[str, int]:
    """一个词表文件，词元 → 编号；错误：读不出来就抛出 `SourceError`。"""
    if file.suffix == ".json":
        return words_in(read_json(file))
    try:
        # 逐行读而不用 splitlines()：后者还会在 U+2028 等字符处断行，使后面的编号全部错位。
        with file.open(encoding="utf-8") as lines:
            return {line.rstrip("\n"): index for index, line in enumerate(lines)}
    except ValueError as error:
        raise SourceError(f"{file.name} 读不出来（{type(error).__name__}）") from None


def words_in(tokenizer: Mapping) -> dict[str, int]:
    """读成字典的 tokenizer.json 里的词表；错误：不是 WordPiece 的，抛出 `SourceError`。"""
    model = tokenizer.get("model")
    words = model.get("vocab") if isinstance(model, Mapping) else None
    if not isinstance(words, Mapping) or model.get("type", "WordPiece") != "WordPiece":
        raise SourceError("tokenizer.json 里的 model 不是 WordPiece")
    if odd := [word for word, index in words.items() if type(index) is not int or not 0 <= index < LARGEST]:
        raise SourceError(f"tokenizer.json 里 {shown(odd[0])} 的编号是 {shown(words[odd[0]])}")
    return dict(words)


def _is_unigram(file: Path) -> bool:
    """读不出来的不算，由读它的去说。"""
    try:
        return is_unigram(read_json(file)) if file.suffix == ".json" else is_e5(file)
    except SourceError:
        return False


def _read_if_there(path: Path) -> dict:
    return read_json(path) if path.is_file() else {}


def _odd_token(declared: Sequence[Token], special: Sequence[str]) -> str | None:
    """声明的词元里有一个不是认得的那样，返回一句说明；没有就返回 None。"""
    names = {f"{token[1:-1].lower()}_token": token for token in special}
    for name, content, options in declared:
        if content is None and name not in names:  # 没有 bos_token，也就不会加它
            continue
        if content not in special or content != names.get(name, content):
            return f"它定义了特殊词元 {shown(content)}，这里只认 {'、'.join(special)}"
        if on := [option for option in ("single_word", "normalized") if option in options]:
            return f"{content} 的 {on[0]} 打开着"
    return None
