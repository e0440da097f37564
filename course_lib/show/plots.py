"""图的样式，与注意力的热力图。"""

import math
from importlib.util import find_spec
from pathlib import Path

import matplotlib
import matplotlib.colors
import matplotlib.font_manager
import matplotlib.pyplot as plt
import numpy as np
import torch

from . import palette

STYLE = {
    # 后备的 DejaVu Sans 补上 Noto 所缺的数学符号
    "font.family": ["Noto Sans SC", "DejaVu Sans"],
    "font.size": 11,
    "axes.titlesize": 12,
    "figure.titlesize": 12,
    "figure.figsize": (5.6, 3.4),
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "text.color": "ink",
    "axes.labelcolor": "ink",
    "axes.labelpad": 7,
    "axes.edgecolor": "faint",
    "xtick.color": "faint",
    "ytick.color": "faint",
    "xtick.labelcolor": "ink",
    "ytick.labelcolor": "ink",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
    "lines.linewidth": 2,
    "lines.markersize": 5,
    "image.cmap": "weight",
    "image.interpolation": "none",  # 格子由浏览器放大，边界才清楚
}


def use_style() -> None:
    """全书的图用同一种样式；机器上没有汉字字体时也不出现方框。"""
    # zhplot 带来的 Noto Sans SC
    font = Path(find_spec("zhplot").submodule_search_locations[0]) / "fonts/NotoSansSC-Regular.ttf"
    matplotlib.font_manager.fontManager.addfont(font)
    cycle = matplotlib.cycler(color=[LIGHT[name] for name in palette.CYCLE])
    matplotlib.rcParams.update(STYLE | {"axes.prop_cycle": cycle})


def color_maps() -> dict[str, list[str]]:
    """从浅到深：名字 → 一级一级的颜色。weight 没有负数，signed 青正锈负，ink 是灰度的图像。"""
    ramps = {name: [palette.mix(light, percent) for percent in range(100)] for name, light in LIGHT.items()}
    signed = ramps["minus"][:0:-1] + ramps["plus"]
    return {"weight": ramps["weight"], "signed": signed, "ink": ramps["ink"]}


# 颜色有名字，画图时写 color="query"、cmap="weight"
LIGHT = {name: light for name, (light, _) in palette.COLORS.items()}
matplotlib.colors.get_named_colors_mapping().update(LIGHT)
for _name, _levels in color_maps().items():
    _map = matplotlib.colors.ListedColormap(_levels, _name).with_extremes(bad=LIGHT["line"])
    matplotlib.colormaps.register(_map, force=True)


def heatmap(matrix, row_labels, col_labels=None, title=None, ax=None, annotate=None):
    """把注意力的权重或分数画成热力图，返回 matplotlib 的 `Axes`。

    `matrix` (N, M)：行是查询，列是键；`col_labels` 省略时与 `row_labels` 相同。
    全不为负时颜色从 0 到最大值；有正有负时，写着数的以墨色的浓淡表示大小，负的是空心格，没有写数的以 0 为中点；被掩掉的 −∞ 与 NaN 是灰格。
    `annotate` 为真时在格中写数，省略时只在不超过 8 × 8 时写；没有写数、又有正有负的才有色条：权重越深越大，最深的是全图最大的。

    错误：`matrix` 不是二维，或与标签的个数不符时，抛出 `ValueError`。
    """
    values = np.asarray(matrix.detach().float().cpu() if torch.is_tensor(matrix) else matrix, dtype=float)
    col_labels = row_labels if col_labels is None else col_labels
    if values.shape != (len(row_labels), len(col_labels)):
        raise ValueError(
            f"matrix 的形状是 {values.shape}，标签却是 {len(row_labels)} 行 {len(col_labels)} 列：两者应当相同。"
        )
    rows, cols = values.shape
    annotate = rows <= 8 and cols <= 8 if annotate is None else annotate
    if ax is None:
        cell = 0.52 if annotate else 0.36  # 英寸
        ax = plt.subplots(figsize=(1.6 + cell * cols, 1.2 + cell * rows), layout="constrained")[1]
    shown = np.ma.masked_invalid(values)
    signed = shown.count() and shown.min() < 0
    top = (float(abs(shown).max()) if shown.count() else 1.0) or 1.0
    # 写着数的格子染得浅一些，数才读得清
    limit = top / palette.TINT[0] if annotate else top
    if signed and annotate:
        ax.imshow(shown.clip(min=0), "ink", vmin=0, vmax=limit)
        for (row, col), value in np.ndenumerate(shown.filled(0)):
            if value < 0:
                edge = matplotlib.colormaps["ink"](-value / limit)
                ax.add_patch(
                    plt.Rectangle(
                        (col - 0.44, row - 0.44), 0.88, 0.88, fill=False, edgecolor=edge, linewidth=2.5
                    )
                )
    else:
        image = ax.imshow(shown, "signed" if signed else "weight", vmin=-limit if signed else 0, vmax=limit)
    ax.set_xticks(range(cols), col_labels)
    box, inches = ax.get_position(), ax.figure.get_size_inches()
    room = min(box.width * inches[0] / cols, box.height * inches[1] / rows)  # 一格多宽，英寸
    if max(len(str(label)) for label in col_labels) * 0.09 > room:  # 比格子宽的才斜过来
        ax.tick_params(axis="x", rotation=45)
        plt.setp(ax.get_xticklabels(), ha="right", rotation_mode="anchor")
    ax.set_yticks(range(rows), row_labels)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    ax.set(xlabel="键", ylabel="查询", title=title)
    if not annotate:
        if signed:
            ax.figure.colorbar(image, ax=ax, shrink=0.8).outline.set_visible(False)
        return ax
    for (row, col), value in np.ndenumerate(values):
        finite = math.isfinite(value)
        text = f"{value:z.2f}" if finite else str(value).replace("inf", "∞")
        ax.text(col, row, text.replace("-", "−"), ha="center", va="center", fontsize=10)
    return ax
