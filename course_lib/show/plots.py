"""图：写成字仍是字的 SVG，与注意力的热力图。"""

import io
import math
import re

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import torch

# 读者的机器上未必有量字宽用的那一种黑体；与插图所写的相同
FONTS = "'Noto Sans SC', 'PingFang SC', 'Microsoft YaHei', 'Noto Sans CJK SC', sans-serif"

# 有公式的一句，matplotlib 一字一个 tspan；接起来才成句
LETTERS = re.compile(
    r'<tspan x="([^"]*)" y="([^"]*)" style="([^"]*)">([^<]*)</tspan>\s*'
    r'<tspan x="([^"]*)" y="\2" style="\3">([^<]*)'
)


def as_svg(figure, bbox_inches="tight") -> str:
    """把 matplotlib 的图写成 SVG：字还是字，放大仍清楚，繁体的书也换得了；同样的图总写成同样的文字。

    `bbox_inches` 同 `Figure.savefig`：默认裁去四周的空白，`None` 则各幅一样大。
    """
    file = io.StringIO()
    # 里面的编号由内容与 hashsalt 算出，而默认的 hashsalt 与日期每次都不同
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "course_lib"}):
        nothing = dict.fromkeys(["Creator", "Date", "Format", "Type"])
        figure.savefig(file, format="svg", bbox_inches=bbox_inches, metadata=nothing)
    text = file.getvalue()
    text = re.sub(r"<[^!][^>]*>", lambda tag: _compact(tag[0]), text[text.index("<svg") :])
    while (joined := LETTERS.sub(r'<tspan x="\1 \5" y="\2" style="\3">\4\6', text)) != text:
        text = joined
    return text


def _compact(tag: str) -> str:
    tag = re.sub('font-family: [^;"]*', f"font-family: {FONTS}", tag)
    tag = re.sub(
        r'\b(width|height)="([\d.]+)pt"', lambda size: f'{size[1]}="{float(size[2]) * 4 / 3:.0f}"', tag
    )
    return re.sub(r"(?<![\w#.])-?\d+\.\d{3,}", lambda number: _short(float(number[0])), tag)


def _short(number: float) -> str:
    return f"{number:.2f}".rstrip("0").rstrip(".") if abs(number) >= 1 else f"{number:.3g}"


def heatmap(matrix, row_labels, col_labels=None, title=None, ax=None, annotate=None):
    """把注意力的权重或分数画成热力图，返回 matplotlib 的 `Axes`。

    `matrix` (N, M)：行是查询，列是键；`col_labels` 省略时与 `row_labels` 相同。
    全不为负时颜色从 0 到最大值，否则以 0 为中点；被掩掉的 −∞ 与 NaN 是灰格。
    `annotate` 为真时在格中写数，省略时只在不超过 8 × 8 时写。

    错误：`matrix` 不是二维，或与标签的个数不符时，抛出 `ValueError`。
    """
    values = np.asarray(matrix.detach().float().cpu() if torch.is_tensor(matrix) else matrix, dtype=float)
    col_labels = row_labels if col_labels is None else col_labels
    if values.shape != (len(row_labels), len(col_labels)):
        raise ValueError(
            f"matrix 的形状是 {values.shape}，标签却是 {len(row_labels)} 行 {len(col_labels)} 列：两者应当相同。"
        )
    rows, cols = values.shape
    if ax is None:
        ax = plt.subplots(figsize=(1.6 + 0.52 * cols, 1.2 + 0.46 * rows), layout="constrained")[1]
    shown = np.ma.masked_invalid(values)
    signed = shown.count() and shown.min() < 0
    top = float(abs(shown).max()) if shown.count() else 1.0
    colours = plt.get_cmap("RdBu_r" if signed else "Blues").with_extremes(bad="0.85")
    image = ax.imshow(shown, cmap=colours, vmin=-top if signed else 0, vmax=top or 1.0)
    if any(len(str(label)) > 1 for label in col_labels):  # 单个的汉字或数字不必斜过来
        ax.set_xticks(range(cols), col_labels, rotation=45, ha="right", rotation_mode="anchor")
    else:
        ax.set_xticks(range(cols), col_labels)
    ax.set_yticks(range(rows), row_labels)
    ax.set(xlabel="键", ylabel="查询", title=title)
    ax.figure.colorbar(image, ax=ax, shrink=0.8)
    if rows <= 8 and cols <= 8 if annotate is None else annotate:
        for (row, col), value in np.ndenumerate(values):
            text = (
                f"{value:z.2f}" if math.isfinite(value) else str(value).replace("inf", "∞").replace("-", "−")
            )
            light = math.isfinite(value) and abs(value) > 0.6 * top
            ax.text(col, row, text, ha="center", va="center", fontsize=8, color="white" if light else "black")
    return ax
