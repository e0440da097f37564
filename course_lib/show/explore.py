"""可以动手的图：算好的数交给一小段脚本，读者点、拖、一步一步走；不要内核，也不联网。

一种图一个脚本，有的还有自己的样式，`stage` 是它们共用的零件。在笔记本里每幅图自带一份；成书时各页共用一份。
"""

import html
import json
from functools import cache
from pathlib import Path

import torch
from IPython.display import HTML, display

from .palette import css

FOLDER = Path(__file__).with_name("explorables")
NAMES = sorted(path.stem for path in FOLDER.glob("*.js") if path.stem != "stage")
DIGITS = 5  # 有效数字：画图与重算都够用


def explore(name: str, caption: str, **data) -> None:
    """展示一幅可以动手的图。

    参数：name，哪一种；caption，图下的说明，也是读屏软件念出的名字；
    data，图里用的数，张量、列表、字符串都行，各种图要哪些，见同名的脚本开头。
    错误：没有这种图时抛出 `ValueError`。
    """
    if name not in NAMES:
        raise ValueError(f"没有名叫 {name!r} 的可以动手的图，现有：{'、'.join(NAMES)}。")
    display(HTML(page(name, caption, data)))


def page(name: str, caption: str, data: dict) -> str:
    """一幅图的 HTML：样式、数、没有脚本时的说明，最后是脚本。"""
    # 数据里的 < 写成转义，才不会被当成标记
    numbers = json.dumps(plain(data), ensure_ascii=False, separators=(",", ":")).replace("<", r"\u003c")
    parts = [
        f'<figure class="explore" data-explore="{name}" role="group" aria-label="{html.escape(caption)}">',
        f'<script type="application/json">{numbers}</script>',
        '<div class="explore-stage"><noscript>这里要有脚本才能动手；用到的数在这一格的代码里都能算出来。</noscript></div>',
        f"<figcaption>{html.escape(caption)}</figcaption>",
        "</figure>",
        f'<div data-library="explore"><style>{css()}{style(name)}</style>',
        *(f"<script>{read(f'{script}.js')}</script>" for script in ("stage", name)),
        "</div>",
    ]
    return "\n".join(parts)


def plain(value):
    """换成 JSON 装得下的：张量成为列表，小数只留几位有效数字，NaN 与无穷成为 null。"""
    if isinstance(value, torch.Tensor):
        return plain(value.detach().cpu().tolist())
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}") if abs(value) < float("inf") else None
    return value


def style(*names: str) -> str:
    """共用的样式，连同这几种图自己的；有的图没有自己的。"""
    return "".join(read(f"{name}.css") for name in ("stage", *names) if (FOLDER / f"{name}.css").is_file())


@cache
def read(file: str) -> str:
    return (FOLDER / file).read_text(encoding="utf-8")
