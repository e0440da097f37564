"""读别人的文件：坏在哪里都说成一句话，读出的尺寸先照字段的注解查类型。"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

from .errors import PretrainedError, SourceError

Config = TypeVar("Config")
LARGEST = 2**30  # 两个尺寸相乘，还数得过来
ABSENT_IDS = (None, -1, 2**32 - 1)  # 没有这个词元，编号就这样写；最后一个是 GGUF 里的 -1


def read_json(path: Path) -> dict:
    """读出一个 JSON 文件，最外层应当是对象；错误：`SourceError`，说的是文件的名字，不带文件夹。"""
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise SourceError(f"没有 {path.name}") from None
    except Exception as error:  # 不是 UTF-8、不是 JSON、套得太深、数太长
        raise SourceError(f"{path.name} 读不出来（{type(error).__name__}）") from None
    if not isinstance(values, dict):
        raise SourceError(f"{path.name} 的最外层不是对象")
    return values


def odd_setting(values: Mapping, settings: Mapping[str, tuple], where: str) -> str | None:
    """values 里写着我们的代码不做的事时，返回一句说明；没有问题就返回 None。

    参数：settings，名字 → 可以是哪几个值；没有写的，和没有列在里面的，都不算；where，错误里怎样称呼 values。
    """
    for name, known in settings.items():
        value = values.get(name, known[0])
        # True == 1，所以连类型也要比；1 与 1.0 则是一回事
        if not any(value == one and (type(value) is bool) == (type(one) is bool) for one in known):
            return f"{where} 里的 {name} 是 {shown(value)}，课程的模型没有写这一种"
    return None


def written_id(value: Any, otherwise: Any = None) -> Any:
    """一个特殊词元的编号；写的是没有它，就是 otherwise。"""
    return otherwise if value in ABSENT_IDS else value


def make_config(kind: type[Config], where: str, values: Mapping[str, Any]) -> Config:
    """由读出的数造一个尺寸。

    参数：kind，`BertConfig` 一类的 dataclass；where，错误里怎样称呼它们的来处；values，字段 → 值。
    错误：缺了字段、类型不对或尺寸不合的，抛出 `PretrainedError`。
    """
    try:
        for name, wanted in get_type_hints(kind).items():
            if name in values and (fault := type_fault(name, values[name], wanted)):
                raise ValueError(f"{name}={shown(values[name])}：{fault}")
        for name in values:
            if name.endswith("_id") and not 0 <= values[name] < values["vocab_size"]:
                raise ValueError(f"{name}={values[name]} 不在 {values['vocab_size']} 个词元的词表里")
        return kind(**values)
    except ValueError as error:
        raise PretrainedError(f"{where} 里的尺寸不对：{str(error).rstrip('。')}。") from None


def type_fault(name: str, value: Any, wanted: type) -> str | None:
    """一个字段的值不合它的注解时，返回一句说明；没有问题就返回 None。"""
    if wanted is float:
        number = type(value) in (int, float)
        if name == "dropout":
            return None if number and 0 <= value <= 1 else "应当在 0 与 1 之间"
        return None if number and 0 < value < 1e30 else "应当是正数"
    if wanted == int | None:  # 可以不给的
        if value is None:
            return None
        wanted = int
    if type(value) is not wanted:
        return {int: "应当是整数", bool: "应当是 true 或 false", str: "应当是一个名字"}[wanted]
    return "太大了" if wanted is int and value >= LARGEST else None


def shown(value: Any) -> str:
    """报错时怎样写一个值：太长的截短。"""
    try:
        text = repr(value)
    except Exception:  # 几千位的整数、套得太深的列表，Python 不肯写出来
        return f"一个 {type(value).__name__}"
    return text if len(text) < 60 else f"{text[:57]}…"
