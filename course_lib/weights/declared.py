"""一个文件夹里，词表之外还声明了哪些词元：写在哪几个文件里，哪个压过哪个，都照 transformers。"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from .reading import read_json

CONFIG, SPECIAL, ADDED = "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json"
DECLARING = (CONFIG, SPECIAL, ADDED)
LISTS = ("added_tokens_decoder", "additional_special_tokens")
NAMED = ("extra_special_tokens", "model_specific_special_tokens")  # {名字: 词元}；前一个也可以是一列词元
OPTIONS = ("lstrip", "rstrip", "single_word", "normalized")


class Token(NamedTuple):
    """一个声明的词元：叫什么（没有名字的是空的），怎样写（写明没有的是 None），打开着哪几个选项。"""

    name: str
    content: Any
    options: tuple[str, ...]


def declared_tokens(folder: Path) -> list[Token]:
    """文件夹里的几个文件声明的词元，一个名字只有一个；错误：读不出来时抛出 `SourceError`。"""
    config, special, added = (read_json(folder / n) if (folder / n).is_file() else {} for n in DECLARING)
    if "added_tokens_decoder" in config:  # 新的写法：旧的两个文件就不看了
        special, added = {}, {}
    nameless, named = [*added], {}
    for values in (config, special):
        for key, value in values.items():
            if key in NAMED and isinstance(value, Mapping):
                named |= value
            elif key in (*LISTS, *NAMED):
                nameless += _listed(value)
            elif key.endswith("_token") and not isinstance(value, bool):  # add_bos_token 一类是开关
                named[key] = value
    return [token_of(value) for value in nameless] + [token_of(value, name) for name, value in named.items()]


def token_of(value: Any, name: str = "") -> Token:
    """一个词元可以只写它自己，也可以带着选项写成字典。"""
    written = value if isinstance(value, Mapping) else {"content": value}
    return Token(name, written["content"], tuple(option for option in OPTIONS if written.get(option)))


def _listed(value: Any) -> list:
    if isinstance(value, str):
        return [value]
    return [*(value.values() if isinstance(value, Mapping) else value or ())]
