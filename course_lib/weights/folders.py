"""选中的是哪一个模型、在哪里：内置模型、本地的文件，或 hub 上的名字。

不指定模型时用内置的 all-MiniLM-L6-v2、multilingual-e5-small 与 SmolLM2-135M-Instruct；Qwen2.5-Coder-0.5B-Instruct 要指名；
环境变量 COURSE_BERT、COURSE_MULTILINGUAL_BERT、COURSE_LLM 或参数可以换成别的。
"""

import os
import re
from pathlib import Path

from .builtin import (
    E5,
    E5_FILE,
    GGUF,
    MINILM,
    SMOLLM2,
    BuiltinModel,
    builtin_llm_path,
    builtin_multilingual_path,
    builtin_named,
    builtin_path,
    local_folder,
)
from .e5_file import is_e5
from .errors import HubError, PretrainedError
from .hub import fetch
from .kinds import BERT, LLM, MULTILINGUAL, Kind


def model_folder(name: str | os.PathLike | None = None) -> Path:
    """返回装着一个 BERT 的本地文件夹，或者 multilingual-e5-small 的文件；hub 上的名字会先下载到缓存。

    参数：name，本地的文件、文件夹或 hub 上的名字；不给就看环境变量 COURSE_BERT，再没有就用内置模型。
    错误：文件夹不存在、残缺，或者 hub 上取不到时，抛出 `PretrainedError`。
    """
    name = _chosen(name, BERT)
    return _file_or_folder(name, BERT) if name else builtin_path()


def multilingual_bert(name: str | os.PathLike | None = None) -> Path:
    """返回第二个内置模型，一个读得了中文的多语 BERT：它的文件，或者装着它的本地文件夹；可以交给 `Bert.from_pretrained`。

    参数：name，multilingual-e5-small 的文件、本地文件夹或 hub 上的名字；不给就看环境变量 COURSE_MULTILINGUAL_BERT，
    再没有就用内置的那一个，要用时才去取。
    错误：文件或文件夹不存在、残缺，词表不是 Unigram 的，或者 hub 上取不到时，抛出 `PretrainedError`。
    """
    name = _chosen(name, MULTILINGUAL)
    return _file_or_folder(name, MULTILINGUAL) if name else builtin_multilingual_path()


def llm_source(name: str | os.PathLike | None = None) -> Path:
    """返回一个大语言模型的 GGUF 文件，或者装着它的本地文件夹（config.json、model.safetensors、tokenizer.json）。

    参数：name，GGUF 文件、本地文件夹或 hub 上的名字；Qwen2.5-Coder-0.5B-Instruct 是另一个内置模型，读写中文，要了才取；
    不给就看环境变量 COURSE_LLM，再没有就用内置模型的 GGUF 文件。
    错误：文件或文件夹不存在、残缺，不是 Llama 或 Qwen，或者 hub 上取不到时，抛出 `PretrainedError`。
    """
    name = _chosen(name, LLM)
    if not name:
        return builtin_llm_path()
    path = _path(name)
    if not path.exists() and (builtin := builtin_named(name)):
        return builtin
    if path.is_file():
        if not _is_gguf(path):
            raise PretrainedError(f"{name} 不是 GGUF 文件，{LLM.wanted}。")
        return path
    if path.suffix == ".gguf" and not path.exists():
        raise PretrainedError(f"没有 {name} 这个文件，{LLM.wanted}。")
    return _folder(name, LLM)


def uses_builtin() -> bool:
    """眼下选中的 BERT 是不是内置的那一个；正文里引用的数字只对它成立。错误同 `model_folder`。"""
    return _is_in(model_folder(), MINILM)


def uses_builtin_llm() -> bool:
    """眼下选中的大语言模型是不是内置的那一个；正文里引用的数字只对它成立。错误同 `llm_source`。"""
    return _is_in(llm_source(), SMOLLM2)


def uses_builtin_multilingual() -> bool:
    """眼下选中的多语 BERT 是不是内置的那一个；正文里引用的数字只对它成立。错误同 `multilingual_bert`。"""
    return _is_in(multilingual_bert(), E5)


def _chosen(name: str | os.PathLike | None, kind: Kind) -> str:
    return os.fspath(name) if name is not None else os.environ.get(kind.variable, "").strip()


def _file_or_folder(name: str, kind: Kind) -> Path:
    path = _path(name)
    if not path.is_file():
        return _folder(name, kind)
    if not is_e5(path):
        raise PretrainedError(f"{name} 不是文件夹，也不是 multilingual-e5-small 的文件，{kind.wanted}。")
    return path


def _folder(name: str, kind: Kind) -> Path:
    folder = _path(name)
    if folder.is_dir():
        if fault := kind.folder_fault(folder):
            raise PretrainedError(f"文件夹 {name} 不能用：{fault}；可以换一个模型，或者{kind.otherwise}。")
        return folder
    if folder.exists() or _looks_like_path(name):
        problem = "不是文件夹" if folder.exists() else "没有这个文件夹"
        raise PretrainedError(f"{name} {problem}，{kind.wanted}。")
    folder = fetch(name, kind)
    if fault := kind.folder_fault(folder):
        raise HubError(f"取到的模型 {name} 不能用：{fault}；可以换一个模型，或者{kind.otherwise}。")
    return folder


def _is_in(path: Path, model: BuiltinModel) -> bool:
    """path 是不是内置模型的文件夹，或者里面的那一个文件。"""
    try:
        return path in (folder := local_folder(model), folder / GGUF, folder / E5_FILE)
    except PretrainedError:  # 无处可放，也就没有取来的
        return False


def _path(name: str) -> Path:
    try:
        return Path(name).expanduser()
    except RuntimeError:
        user = re.split(r"[/\\]", name)[0].removeprefix("~")
        reason = f"这台机器上没有用户 {user}" if user else "没有 HOME"
        raise PretrainedError(f"{name} 里的 ~ 不知道是哪个文件夹（{reason}），请写全。") from None


def _looks_like_path(name: str) -> bool:
    """hub 上的名字至多有一个斜杠，而且两边都有字。"""
    return name[0] in "./~" or "\\" in name or name.endswith("/") or name.count("/") > 1


def _is_gguf(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(4) == b"GGUF"
