"""装权重之前查一遍名字与形状：缺一个、多一个、形状不同都不装。"""

from collections.abc import Callable, Mapping

import torch
from torch import Tensor, nn

from .errors import PretrainedError


def load_audited(
    module: nn.Module,
    shapes: Mapping[str, tuple],
    read: Callable[[str], Tensor],
    rename: Callable[[str], str | None],
    source: str = "",
) -> None:
    """把另一套名字的权重抄进 module，数据类型与设备随 module。

    参数：shapes，他们的名字 → 形状，有意不装的先去掉；read，由他们的名字读出张量；
    rename，把他们的名字译成我们的，译不出来就给 None；source，错误里怎样称呼这份权重的来处。
    错误：有缺失、多余、重复或形状不同的，抛出 `PretrainedError`；这时 module 保持原样。
    """
    target = module.state_dict()
    names = {key: rename(key) for key in shapes}
    ours = {name: tuple(tensor.shape) for name, tensor in target.items()}
    # 先查完，再动手：查到一半才发现不对，module 就成了两套权重的混合。
    if faults := weight_faults({key: tuple(shape) for key, shape in shapes.items()}, names, ours):
        more = f"，共 {len(faults)} 处" if len(faults) > 3 else ""
        raise PretrainedError(f"{source}权重与模型对不上：{'；'.join(faults[:3])}{more}。")
    with torch.no_grad():
        for key, name in names.items():
            target[name].copy_(read(key))


def weight_faults(
    theirs: dict[str, tuple], names: dict[str, str | None], ours: dict[str, tuple]
) -> list[str]:
    """比较两边的名字与形状，返回每一处不同的说明；names 把他们的名字对到我们的。"""
    faults, seen = [], set()
    for key, shape in theirs.items():
        name = names[key]
        if name not in ours or name in seen:
            faults.append(f"多出 {key} {shape}")
        elif ours[name] != shape:
            faults.append(f"{key} 的形状是 {shape}，模型里的 {name} 却是 {ours[name]}")
        seen.add(name)
    return faults + [f"缺少 {name} {shape}" for name, shape in ours.items() if name not in seen]
