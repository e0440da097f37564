"""Hugging Face 的 ViT 的权重怎样装进我们的。"""

from collections.abc import Mapping

from torch import Tensor, nn

from .audit import load_audited
from .errors import PretrainedError
from .names import VIT_LEFT_OUT, VIT_NAMES, translated


def load_hf_vit(module: nn.Module, state_dict: Mapping[str, Tensor]) -> None:
    """把 Hugging Face 的 ViT 权重抄进 module，数据类型与设备随 module；池化层不装。

    参数：module，尺寸相同的 `VisionTransformer`；头数、ε 与激活函数（这里是 GELU）写不进权重，要自己对上；
    state_dict，`ViTModel`（这时 module 不带分类头）或 `ViTForImageClassification` 的权重。
    错误：有缺失、多余、形状不同或不是浮点数的键时，抛出 `PretrainedError`；这时 module 保持原样。
    """
    stored = {key: x for key, x in state_dict.items() if not _bare(key).startswith(VIT_LEFT_OUT)}
    if odd := [key for key, x in stored.items() if not x.is_floating_point()]:
        raise PretrainedError(f"{odd[0]} 是 {stored[odd[0]].dtype}，课程只装浮点数。")
    shapes = {key: tuple(x.shape) for key, x in stored.items()}
    load_audited(module, shapes, stored.__getitem__, lambda key: translated(VIT_NAMES, _bare(key)))


def _bare(key: str) -> str:
    return key.removeprefix("vit.")
