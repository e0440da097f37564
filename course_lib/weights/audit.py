"""装权重之前查一遍：名字与形状缺一个、多一个、不同，类型不是浮点数，都不装；查完才占内存。"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import torch
from safetensors import safe_open
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from .errors import PretrainedError

Module = TypeVar("Module", bound=nn.Module)
FLOATS = {"F64", "F32", "F16", "BF16"}  # safetensors 里类型的写法


class _NoNumbers(TorchFunctionMode):
    """只要形状的时候，`nn.init` 什么也不做；在 meta 上照做，会叫 torch 载入整个编译器，要好几秒。"""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        if getattr(func, "__module__", None) == "torch.nn.init":
            return args[0] if args else kwargs["tensor"]
        return func(*args, **(kwargs or {}))


@contextmanager
def only_shapes() -> Iterator[None]:
    """在里面造的模型只有形状：不占内存，也不取随机数。"""
    with torch.device("meta"), _NoNumbers():
        yield


class Source(NamedTuple):
    """打开了的一份权重：尺寸，他们的名字 → 形状，怎样读出一个来，怎样译成我们的名字。

    read 用到时才读，整个模型不会在内存里有两份；有意不装的不在 shapes 里。
    """

    path: Path
    config: Any
    shapes: dict[str, tuple[int, ...]]
    read: Callable[[str], Tensor]
    rename: Callable[[str], str | None]

    def build(self, make: Callable[[Any], Module], initialise: bool = False) -> Module:
        """照 config 造一个模型，装上权重，处于 eval 状态。

        参数：initialise，照常先取随机的初值，装上权重就盖掉了，只是随机数会往前走；正文里引用的数是这样得来的。
        错误：对不上的，抛出 `PretrainedError`；这时还没有占内存。
        """
        self.check_depth()
        with only_shapes():
            model = make(self.config)
        if initialise:  # 不取初值的，`load` 自己会先查
            audit(model, self.shapes, self.rename, f"{self.path} 的")
            model = make(self.config)
        self.load(model)
        return model.eval()

    def check_depth(self) -> None:
        """层数比权重还多的，造它就要很久，不等造出来再查；错误：抛出 `PretrainedError`。"""
        if self.config.num_layers > len(self.shapes):
            raise PretrainedError(
                f"{self.path} 里只有 {len(self.shapes)} 个权重，配置却说有 {self.config.num_layers} 层。"
            )

    def load(self, module: nn.Module) -> None:
        """见 `load_audited`。"""
        load_audited(module, self.shapes, self.read, self.rename, f"{self.path} 的")


def load_audited(
    module: nn.Module,
    shapes: Mapping[str, tuple],
    read: Callable[[str], Tensor],
    rename: Callable[[str], str | None],
    source: str = "",
) -> None:
    """把另一套名字的权重装进 module，数据类型与设备随 module；还在 meta 上的，查过之后才读，读出来的就是它的权重，不再抄一遍。

    参数：shapes，他们的名字 → 形状，有意不装的先去掉；read，由他们的名字读出张量；
    rename，把他们的名字译成我们的，译不出来就给 None；source，错误里怎样称呼这份权重的来处。
    错误：有缺失、多余、重复或形状不同的，抛出 `PretrainedError`；这时 module 保持原样。
    """
    # 先查完，再动手：查到一半才发现不对，module 就成了两套权重的混合。
    names = audit(module, shapes, rename, source)
    target = dict(module.named_parameters())
    if any(p.is_meta for p in target.values()):
        weights = {name: read(key).to(target[name].dtype) for key, name in names.items()}
        module.load_state_dict(weights, strict=False, assign=True)
        return
    with torch.no_grad():
        for key, name in names.items():
            target[name].copy_(read(key))


def audit(
    module: nn.Module,
    shapes: Mapping[str, tuple],
    rename: Callable[[str], str | None],
    source: str = "",
) -> dict[str, str]:
    """只查不装：返回他们的名字 → 我们的；参数与错误同 `load_audited`。"""
    names = {key: rename(key) for key in shapes}
    ours = {name: tuple(p.shape) for name, p in module.named_parameters()}
    if faults := weight_faults({key: tuple(shape) for key, shape in shapes.items()}, names, ours):
        more = f"，共 {len(faults)} 处" if len(faults) > 3 else ""
        raise PretrainedError(f"{source}权重与模型对不上：{'；'.join(faults[:3])}{more}。")
    return names


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


def open_safetensors(
    path: Path, wanted: Callable[[list[str]], list[str]] = lambda keys: keys
) -> tuple[dict[str, tuple[int, ...]], Callable[[str], Tensor]]:
    """打开一个 safetensors 文件：`Source` 的 shapes 与 read；wanted，由全部的名字挑出要装的。

    错误：打不开，或者要装的有一个不是浮点数，抛出 `PretrainedError`。
    """
    try:
        file = safe_open(path, framework="pt")
        slices = {key: file.get_slice(key) for key in wanted(list(file.keys()))}
        kinds = {key: part.get_dtype() for key, part in slices.items()}
        shapes = {key: tuple(part.get_shape()) for key, part in slices.items()}
    except Exception as error:
        raise PretrainedError(f"{path} 打不开，文件可能没有下载完整（{type(error).__name__}）。") from None
    if odd := [key for key, kind in kinds.items() if kind not in FLOATS]:
        raise PretrainedError(f"{path} 里的 {odd[0]} 是 {kinds[odd[0]]}，课程只装 16 位以上的浮点数。")
    return shapes, lambda key: file.get_tensor(key).clone()  # 不抄，就还是文件里的那一片，文件改了它也变
