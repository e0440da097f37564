"""参考实现：Hugging Face 的分词器与模型，装进同一份权重，用来与我们写的逐层对照。"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import torch

from .builtin import MINILM, builtin_path
from .errors import HubError, PretrainedError
from .folders import model_folder


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
        print(f"{error}这次先用内置的 {MINILM.name}。")
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
