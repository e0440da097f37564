"""把 matplotlib 的图写成网页里的 SVG：字仍是字，颜色随页面的明暗，左右并排的几幅在手机上排成一列。"""

import base64
import hashlib
import html
import io
import re
from itertools import groupby

import matplotlib
import numpy as np
from matplotlib.transforms import Bbox
from PIL import Image

from .palette import ADAPTED, adapt

# 读者的机器上未必有量字宽用的那一种黑体；与插图所写的相同
# 头一个只有根号，成书的网页才有：汉字的字体里，根号自带一横，与后面的字接不上
FONTS = "'Root Sign','Noto Sans SC','PingFang SC','Microsoft YaHei','Noto Sans CJK SC',sans-serif"
GAP = 0.06  # 一幅的四周留出多少英寸
COLUMNS = 3  # 左右再多，就当作一幅图里的许多小图，不拆开
NARROWEST, NARROW = 4.4, 3.7  # 一栏比前者还宽（英寸），就另画一份后者那么宽的给手机
READABLE = 0.6  # 单独的一幅缩到这样，字还读得清；再窄就横向滚动
BESIDE = 0.82  # 并排的几幅缩到这样，再窄就换行

# 有公式的一句，matplotlib 一字一个 tspan；接起来才成句
LETTERS = re.compile(
    r'<tspan x="([^"]*)" y="([^"]*)" style="([^"]*)">([^<]*)</tspan>\s*'
    r'<tspan x="([^"]*)" y="\2" style="\3">([^<]*)'
)
# 散点图一点一个 <g>：剪在同一块里、样子相同的合成一个，成千个点的图才轻得下来
DOT = re.compile(r'<g clip-path="([^"]*)"><use ([^>]*) style="([^"]*)"/></g>')
DOTS = re.compile(r'(?:<g clip-path="[^"]*"><use [^>]*/></g>){2,}')
PICTURE = re.compile(r'<image xlink:href="data:image/png;base64,([^"]*)"([^>]*)/>')


def as_html(figure, boxes=None) -> str:
    """一幅图的 HTML；左右并排的各成一幅 SVG；缩到手机上字会太小的，另画一份窄的，由样式来换。

    `boxes` 由 `settle` 给出，动画用它把每一帧裁成一样大；不给就按这一幅自己的大小。
    """
    rows, engine, size = panels(figure), figure.get_layout_engine(), figure.get_size_inches()
    wide = _lines(figure, rows, boxes or settle(figure))
    parts, columns = [wide], max(map(len, rows))
    if size[0] > NARROWEST * columns and all(len(panel) <= COLUMNS for row in rows for panel in row):
        figure.set_layout_engine(engine)
        figure.set_size_inches(NARROW * columns, size[1])
        parts.append(_lines(figure, rows, settle(figure)))
        figure.set_size_inches(size)
        parts = [
            f'<div class="{name}">{part}</div>' for name, part in zip(("wide", "narrow"), parts, strict=True)
        ]
    apart = rows != [[figure.axes]]
    title = figure.get_suptitle() if apart else ""
    title = f'<p style="margin:0">{html.escape(title)}</p>' if title else ""
    return f'<div class="plot" style="background:var(--paper);color:var(--ink)">{title}{"".join(parts)}</div>'


def _lines(figure, rows, boxes) -> str:
    """几行，每行从左到右。"""
    apart = rows != [[figure.axes]]
    lines = []
    for row, places in zip(rows, boxes, strict=True):
        parts = [_panel(figure, panel, box, apart) for panel, box in zip(row, places, strict=True)]
        lines.append(f'<div style="display:flex;flex-wrap:wrap;gap:0.3rem 0.8rem">{"".join(parts)}</div>')
    return "".join(lines)


def drawing(path) -> str:
    """一幅写好的插图，颜色随页面。"""
    return adapt(path.read_text(encoding="utf8"))


def panels(figure) -> list[list[list]]:
    """一行一行，每行从左到右：各幅有哪些坐标轴；不必拆开的图只有一幅。"""
    found = {}
    for ax in figure.axes:
        bar = getattr(ax, "_colorbar", None)  # 色条跟着它所说明的那一幅
        spec = (getattr(bar.mappable, "axes", ax) if bar else ax).get_subplotspec()
        if spec is None:
            return [[figure.axes]]
        spec = spec.get_topmost_subplotspec()
        found.setdefault((spec.rowspan.start, spec.colspan.start), []).append(ax)
    columns = {column for _, column in found}
    if not 2 <= len(columns) <= COLUMNS or figure.legends:
        return [[figure.axes]]
    rows = sorted({row for row, _ in found})
    return [[found[key] for key in sorted(found) if key[0] == row] for row in rows]


def settle(figure) -> list[list[Bbox]]:
    """定下各幅在图上的位置，返回每幅裁哪一块（英寸）；同一行的几幅一样高。"""
    rows = panels(figure)
    if rows == [[figure.axes]]:
        figure.draw_without_rendering()
        return [[figure.get_tightbbox().padded(GAP)]]
    for row in rows:
        for panel in row[1:]:
            _label_alone(panel[0], row[0][0])
    figure.draw_without_rendering()
    figure.set_layout_engine("none")  # 藏起别的几幅时，这一幅不能跟着变
    boxes = []
    for row in rows:
        tight = [
            Bbox.union([ax.get_tightbbox() for ax in panel]).transformed(figure.dpi_scale_trans.inverted())
            for panel in row
        ]
        low, high = min(box.y0 for box in tight) - GAP, max(box.y1 for box in tight) + GAP
        boxes.append([Bbox([[box.x0 - GAP, low], [box.x1 + GAP, high]]) for box in tight])
    return boxes


def _label_alone(ax, first):
    """与左边共用纵轴的一幅，排到下面去时也要有自己的刻度与名字。"""
    if ax in first.get_shared_y_axes().get_siblings(first):
        ax.tick_params(labelleft=True)
        ax.set_ylabel(ax.get_ylabel() or first.get_ylabel())


def _panel(figure, panel, box, apart) -> str:
    hidden = [part for part in [*figure.axes, *figure.texts] if apart and part not in panel]
    hidden = [part for part in hidden if part.get_visible()]
    for part in hidden:
        part.set_visible(False)
    svg = as_svg(figure, box)
    for part in hidden:
        part.set_visible(True)
    width = int(re.search(r'width="(\d+)"', svg)[1])
    narrowest = f"min(100%,{width * BESIDE:.0f}px)" if apart else f"{width * READABLE:.0f}px"
    style = f"flex:{width} 1 0;min-width:{narrowest};max-width:{width}px;height:auto"
    return svg.replace('style="', f'style="{style};', 1)


def as_svg(figure, box="tight") -> str:
    """写成 SVG：字还是字，放大仍清楚，繁体的书也换得了；同样的图总写成同样的文字。

    `box` 是裁哪一块，同 `Figure.savefig` 的 `bbox_inches`。
    """
    file = io.StringIO()
    # 里面的编号由内容与 hashsalt 算出，而默认的 hashsalt 与日期每次都不同
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "course_lib"}):
        nothing = dict.fromkeys(["Creator", "Date", "Format", "Type"])
        figure.savefig(file, format="svg", bbox_inches=box, metadata=nothing)
    text = file.getvalue()
    text = PICTURE.sub(_cells, text[text.index("<svg") :])
    text = re.sub(r"<[^!][^>]*>", lambda tag: _compact(tag[0]), text)
    while (joined := LETTERS.sub(r'<tspan x="\1 \5" y="\2" style="\3">\4\6', text)) != text:
        text = joined
    # 网页里的 <style> 管的是整页：写到最外层，由里面的继承
    text = re.sub(r"<style.*?</style>|(?<=>)\s+(?=<)|\s+\Z", "", text, flags=re.DOTALL)
    text = DOTS.sub(_together, text)
    style = f"font-family:{FONTS};stroke-linejoin:round;stroke-linecap:butt"
    return adapt(_own_names(text.replace("<svg", f'<svg style="{style}"', 1)))


def _together(dots) -> str:
    found = ""
    for (clip, style), group in groupby(DOT.finditer(dots[0]), key=lambda dot: (dot[1], dot[3])):
        uses = "".join(f"<use {dot[2]}/>" for dot in group)
        found += f'<g clip-path="{clip}" style="{style}">{uses}</g>'
    return found


def _compact(tag: str) -> str:
    tag = re.sub(r'font-family: [^;"]*;? ?| transform="rotate\(-0 [^"]*"', "", re.sub(r"\s+", " ", tag))
    tag = re.sub(
        r'\b(width|height)="([\d.]+)pt"', lambda size: f'{size[1]}="{float(size[2]) * 4 / 3:.0f}"', tag
    )
    tag = re.sub(r"(?<![\w#.])-?\d+\.\d{3,}", lambda number: _short(float(number[0])), tag)
    return re.sub(r'(?<= d=")[^"]*', lambda path: re.sub(r" *([A-Za-z]) *", r"\1", path[0]), tag)


def _short(number: float) -> str:
    return f"{number:.2f}".rstrip("0").rstrip(".") if abs(number) >= 1 else f"{number:.3g}"


def _own_names(text: str) -> str:
    """没有人引用的编号去掉，留下的带上内容的摘要：几幅图在同一页里不相混。"""
    used = dict.fromkeys(re.findall(r'(?:url\(|href=")#([\w-]+)', text))
    digest = hashlib.sha256(text.encode()).hexdigest()[:6]
    names = {name: f"p{digest}-{i}" for i, name in enumerate(used)}
    text = re.sub(
        r' id="([^"]*)"', lambda found: f' id="{names[found[1]]}"' if found[1] in names else "", text
    )
    return re.sub(r'(url\(|href=")#([\w-]+)', lambda found: f"{found[1]}#{names[found[2]]}", text)


def _cells(picture) -> str:
    """只用了本书颜色的格子由像素换成方块，才随页面换颜色；别的是照片。"""
    pixels = np.asarray(Image.open(io.BytesIO(base64.b64decode(picture[1]))).convert("RGBA"))
    # 相同的几行、几列合成一行、一列：色条只有一百种颜色
    tops = _starts((pixels[1:] != pixels[:-1]).any(axis=(1, 2)))
    lefts = _starts((pixels[:, 1:] != pixels[:, :-1]).any(axis=(0, 2)))
    height, width = pixels.shape[:2]
    paths = {}
    for i, top in enumerate(tops):
        bottom = [*tops, height][i + 1]
        for j, left in enumerate(lefts):
            right = [*lefts, width][j + 1]
            *color, opacity = (int(channel) for channel in pixels[top, left])
            name = "#{:02x}{:02x}{:02x}".format(*color)
            if opacity not in (0, 255) or name not in ADAPTED:
                return _photo(picture, pixels)
            if opacity:
                paths.setdefault(name, []).append(f"M{left} {top}H{right}V{bottom}H{left}z")
    value = dict(re.findall(r'(\S+)="([^"]*)"', picture[2]))
    x, y, wide, high = (float(value.get(name, 0)) for name in ("x", "y", "width", "height"))
    place = f"{value.get('transform', '')} translate({x:g} {y:g}) scale({wide / width:g} {high / height:g})"
    body = "".join(f'<path fill="{name}" d="{"".join(path)}"/>' for name, path in paths.items())
    return f'<g transform="{place.strip()}" shape-rendering="crispEdges">{body}</g>'


def _photo(picture, pixels) -> str:
    """照片写成 JPEG，只有几分之一长；省不到一半的，或者有透明的，照旧。"""
    file = io.BytesIO()
    Image.fromarray(pixels[..., :3]).save(file, "JPEG", quality=90)
    photo = base64.b64encode(file.getvalue()).decode()
    if (pixels[..., 3] < 255).any() or 2 * len(photo) > len(picture[1]):
        return picture[0]
    return f'<image xlink:href="data:image/jpeg;base64,{photo}"{picture[2]}/>'


def _starts(changes) -> list[int]:
    return [0, *(int(i) + 1 for i in np.flatnonzero(changes))]
