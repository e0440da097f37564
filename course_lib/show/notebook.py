"""笔记本里的琐事：统一的开场、挑设备、展示源码、展示插图。"""

import inspect
import os
import random
import sys
import textwrap
import warnings
from pathlib import Path

import numpy as np
import torch
from IPython import get_ipython
from IPython.display import HTML, Code, display
from matplotlib.figure import Figure

from . import captions
from .plots import use_style
from .svg import as_html, drawing

FIGURES = next(
    folder
    # 装成 wheel 时插图在包里，在仓库里时它与包并列
    for folder in (Path(__file__).parents[1] / "figures", Path(__file__).parents[2] / "figures")
    if folder.is_dir()
)


def setup(seed: int = 0) -> None:
    """每章的第一格：固定随机数，只用一半的核（除非环境变量 OMP_NUM_THREADS 另有规定），给图定下全书的样式，并报出版本与设备。

    参数：seed，随机数种子；同一个种子、同一台机器，每次运行的结果相同。
    错误：同 `best_device`。
    """
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # CUDA 的确定性算法要求先设好它
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    # 就是 use_deterministic_algorithms(True, warn_only=True)，只是不载入编译器，省下几秒钟
    torch.set_deterministic_debug_mode("warn")
    torch.set_printoptions(precision=4, sci_mode=False)
    # 课里的模型小，一次运算很短，线程多了就互相等待；机器忙的时候能慢上十倍
    if not os.environ.get("OMP_NUM_THREADS"):
        torch.set_num_threads(max(1, (os.cpu_count() or 2) // 2))
    use_style()
    if shell := get_ipython():
        shell.run_line_magic("matplotlib", "inline")
        shell.run_line_magic("config", "InlineBackend.figure_formats = []")
        shell.display_formatter.formatters["text/html"].for_type(
            Figure, lambda drawn: captions.captioned(as_html(drawn), drawn.get_label()) + captions.style()
        )
    if hasattr(sys.stdout, "reconfigure"):  # 印不出汉字的终端：印成问号，不停下；笔记本里没有它
        sys.stdout.reconfigure(errors="replace")
    # 转述给读者没有用处的提醒：进度条部件缺失
    warnings.filterwarnings("ignore", message="IProgress not found")
    device = best_device()
    name = torch.cuda.get_device_name(device) if device.type == "cuda" else device.type.upper()
    print(f"torch {torch.__version__.split('+')[0]} · {name} · 随机数种子 {seed}")


def best_device() -> torch.device:
    """有 CUDA 的 GPU 就给它，没有就给 CPU；环境变量 COURSE_DEVICE 可以指定别的，如 cpu、cuda、cuda:1。

    返回：`torch.device`，模型和输入都要 `.to` 到它上面。
    错误：COURSE_DEVICE 指定的设备在这台机器上用不了时，抛出 `RuntimeError`。
    """
    name = os.environ.get("COURSE_DEVICE", "").strip()
    if not name:
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        torch.zeros(1, device=name).tolist()  # 名字合法，不等于机器上有：真的放一个数上去，再取回来
    except Exception as error:  # 设备不同，torch 抛出的异常也不同
        raise RuntimeError(
            f"环境变量 COURSE_DEVICE={name} 指定的设备在这台机器上用不了（{type(error).__name__}）；"
            "请改成有的设备，如 cpu，或者去掉它。"
        ) from None
    return torch.device(name)


def show_source(obj) -> None:
    """展示 `course_lib` 里一个函数或类的源码，不在笔记本里再抄一遍。

    参数：obj，函数、方法或类。
    错误：没有 Python 源码的对象抛出 `TypeError`。
    """
    try:
        source = inspect.getsource(obj)
    except (TypeError, OSError):
        raise TypeError(f"{obj!r} 没有可展示的 Python 源码。") from None
    display(Code(textwrap.dedent(source), language="python"))


def figure(name: str, caption: str = "") -> None:
    """展示 `figures/` 里的一幅插图；图里自带说明文字，供读屏软件念出。

    参数：name，文件名，不带 `.svg`；有 `名字_narrow.svg` 的，手机上换成那一幅；caption，图下的一句话。
    错误：没有这幅图时抛出 `ValueError`，并列出有哪些。
    """
    path = FIGURES / f"{name}.svg"
    if not path.is_file():
        names = "、".join(sorted(p.stem for p in FIGURES.glob("*.svg")))
        raise ValueError(f"没有名叫 {name!r} 的插图，现有：{names}。")
    narrow = FIGURES / f"{name}_narrow.svg"
    drawn = "".join(map(drawing, filter(Path.is_file, (path, narrow))))
    display(HTML(captions.captioned(f'<div class="drawing">{drawn}</div>', caption) + captions.style()))
