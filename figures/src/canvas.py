"""所有插图共用的一套画法：同样的纸、同样的颜色、同样的框与箭头。"""

import math
import runpy
from importlib.util import find_spec
from pathlib import Path

import drawsvg

# 只读这一个文件：import course_lib.show 要等 torch
PALETTE = runpy.run_path(f"{find_spec('course_lib').submodule_search_locations[0]}/show/palette.py")

FONT = "'Noto Sans SC', 'PingFang SC', 'Microsoft YaHei', 'Noto Sans CJK SC', sans-serif"
HEAD = 10
QUERY, KEY, VALUE, WEIGHT, OUTPUT, INK, FAINT, PAPER = (
    PALETTE["COLORS"][name][0]
    for name in ("query", "key", "value", "weight", "output", "ink", "faint", "paper")
)


class Canvas:
    """一张图：先给大小、标题与一段替代文字，再往上画。

    画在白纸上；书里显示时颜色随页面的明暗。尺寸以像素计，显示时按宽度缩放。
    手机上字也要看得清：缩不到那么窄的，另画一张窄的，名字后面加 _narrow。
    画实物的图有自己的颜色，own_colors 写明在深色的页面上各换成哪一种：浅的 → 深的。
    """

    def __init__(
        self,
        name: str,
        width: int,
        height: int,
        title: str,
        description: str,
        own_colors: dict[str, str] | None = None,
    ):
        self.name = name
        self.drawing = drawsvg.Drawing(
            width,
            height,
            id_prefix=f"{name}-",
            font_family=FONT,
            role="img",
            **({"data-dark": " ".join(map(":".join, own_colors.items()))} if own_colors else {}),
            aria_label=f"{title}。{description}",
            style="max-width:100%;height:auto",
        )
        self.drawing.append_title(title)
        self.drawing.append(drawsvg.Rectangle(0, 0, width, height, rx=8, fill=PAPER))

    def text(
        self, words: str, x: float, y: float, size: int = 16, color: str = INK, anchor: str = "middle", **kw
    ):
        """一行字，y 是字的中线。"""
        self.drawing.append(
            drawsvg.Text(words, size, x, y, fill=color, text_anchor=anchor, dominant_baseline="central", **kw)
        )

    def box(
        self, x, y, width, height, words: str = "", color: str = INK, size: int = 16, filled: bool = False
    ):
        """圆角框，字在正中；多行用换行符分开。"""
        self.drawing.append(
            drawsvg.Rectangle(
                x,
                y,
                width,
                height,
                rx=6,
                fill=color if filled else tint(color),
                stroke=color,
                stroke_width=1.5,
            )
        )
        lines = words.split("\n") if words else []
        for i, line in enumerate(lines):
            middle = y + height / 2 + (i - (len(lines) - 1) / 2) * size * 1.35
            self.text(line, x + width / 2, middle, size, PAPER if filled else INK)

    def arrow(
        self, *points: tuple[float, float], color: str = FAINT, width: float = 1.8, dashed: bool = False
    ):
        """折线箭头，依次经过各点；箭头的大小不随线宽变。"""
        *_, (x1, y1), (x2, y2) = points
        length = math.hypot(x2 - x1, y2 - y1)
        ux, uy = (x2 - x1) / length, (y2 - y1) / length
        x0, y0 = x2 - HEAD * ux, y2 - HEAD * uy  # 线在箭头的底边处停下
        line = drawsvg.Path(fill="none", stroke=color, stroke_width=round(width, 2))
        if dashed:
            line.args["stroke-dasharray"] = "5 4"
        line.M(*points[0])
        for x, y in (*points[1:-1], (x0, y0)):
            line.L(round(x, 1), round(y, 1))
        self.drawing.append(line)
        wing = HEAD * 0.45
        corners = x2, y2, x0 - wing * uy, y0 + wing * ux, x0 + wing * uy, y0 - wing * ux
        self.drawing.append(drawsvg.Lines(*(round(c, 1) for c in corners), close=True, fill=color))

    def grid(self, x, y, rows: int, columns: int, cell: float, color: str = INK, values=None):
        """一个矩阵：rows × columns 个方格，values（0 到 1）定深浅。"""
        for i in range(rows):
            for j in range(columns):
                shade = 0.25 if values is None else values[i][j]
                self.drawing.append(
                    drawsvg.Rectangle(
                        x + j * cell, y + i * cell, cell, cell,
                        fill=color, fill_opacity=round(0.08 + 0.85 * shade, 2), stroke=PAPER, stroke_width=1.5,
                    )
                )  # fmt: skip

    def bar(self, x, y, width: float, height: float, color: str = INK):
        """一条横条，从 x 往右；权重是它的颜色，别的数淡一些。"""
        self.drawing.append(
            drawsvg.Rectangle(
                x, y, round(max(width, 1.5), 1), height,
                fill=color if color == WEIGHT else tint(color, 0.45),
            )
        )  # fmt: skip

    def save(self) -> None:
        path = Path(__file__).parents[1] / f"{self.name}.svg"
        path.write_text(self.drawing.as_svg(header="") + "\n", encoding="utf8")


def tint(color: str, strength: float = 0.12) -> str:
    """与白纸混成的浅色，用作框的底色。"""
    return PALETTE["mix"](color, round(100 * strength))
