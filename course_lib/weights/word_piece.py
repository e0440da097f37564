"""一个 BERT 的分词器怎样读：`vocab.txt`，与同一文件夹里的 `tokenizer_config.json`；读出来的是 `WordPieceTokenizer` 的参数。"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from .errors import PretrainedError


def read_vocab(path: str | Path, special: Sequence[str]) -> dict:
    """读出 `vocab.txt`（一行一个词元，行号就是编号），或者装有它的文件夹；special，认得的特殊词元。

    错误：找不到 `vocab.txt` 时抛出 `FileNotFoundError`；读不出来时抛出 `PretrainedError`；配置改了特殊词元时抛出 `ValueError`。
    """
    path = Path(path)
    file = path / "vocab.txt" if path.is_dir() else path
    if not file.is_file():
        only_json = (file.parent / "tokenizer.json").is_file()
        hint = "这里只有 tokenizer.json，请从同一模型另取 vocab.txt。" if only_json else "请检查路径。"
        raise FileNotFoundError(f"找不到词表 {file}；{hint}")
    config_file = path / "tokenizer_config.json"
    try:
        # 逐行读而不用 splitlines()：后者还会在 U+2028 等字符处断行，使后面的编号全部错位。
        with file.open(encoding="utf-8") as lines:
            vocab = {line.rstrip("\n"): index for index, line in enumerate(lines)}
        config = json.loads(config_file.read_text(encoding="utf-8")) if config_file.is_file() else {}
        changed = [token for token in _special_tokens(config, special) if token not in special]
        settings = {
            "lowercase": config.get("do_lower_case", True),
            "strip_accents": config.get("strip_accents"),
            "split_cjk": config.get("tokenize_chinese_chars", True),
            "clean_up_spaces": config.get("clean_up_tokenization_spaces") or False,
        }
    except Exception as error:  # 残缺的文件在哪里断，就抛出哪里的异常
        raise PretrainedError(
            f"读不了 {path} 的分词器（{type(error).__name__}）；请检查文件是否完整。"
        ) from None
    if changed:
        raise ValueError(
            f"tokenizer_config.json 定义了特殊词元 {changed[0]!r}，这里只认 {'、'.join(special)}。"
        )
    return {"vocab": vocab, **settings}


def _special_tokens(config: Mapping, special: Sequence[str]) -> list[str]:
    """配置里写的特殊词元，各是怎样的字。"""
    named = [config.get(f"{token[1:-1].lower()}_token") for token in special]
    given = filter(None, [*named, *config.get("added_tokens_decoder", {}).values()])
    return [token["content"] if isinstance(token, Mapping) else token for token in given]
