"""首页卡片上的小图：一章一个脚本，`miniatures/名字.py` 画出 `figures/miniatures/名字.svg`，名字是那一章不带编号的文件名。

没有底色，颜色只用 canvas 里的，书里显示时随页面的明暗；卡片上有题目与问题，读屏软件就跳过它。
"""

from pathlib import Path

import drawsvg
from canvas import FONT, INK

WIDTH, HEIGHT = 120, 72


class Miniature:
    """一张 120 × 72 的小图。"""

    def __init__(self, name: str):
        self.name = name
        self.drawing = drawsvg.Drawing(
            WIDTH, HEIGHT, id_prefix=f"{name}-", font_family=FONT, **{"aria-hidden": "true"}
        )

    def add(self, kind, *where, **look):
        """一个图形，如 `add(drawsvg.Circle, x, y, r, fill=INK)`；坐标留一位小数。"""
        self.drawing.append(kind(*(round(w, 1) if isinstance(w, float) else w for w in where), **look))

    def dot(self, x: float, y: float, r: float, color: str, hollow: bool = False):
        look = {"fill": "none", "stroke": color, "stroke_width": 1.5} if hollow else {"fill": color}
        self.add(drawsvg.Circle, float(x), float(y), float(r), **look)

    def box(self, x: float, y: float, width: float, height: float, **look):
        self.add(drawsvg.Rectangle, float(x), float(y), float(width), float(height), **look)

    def line(self, points: list[tuple[float, float]], color: str, width: float = 1.5, **look):
        """依次经过各点的折线。"""
        flat = [round(float(each), 1) for point in points for each in point]
        look = {"fill": "none", "stroke": color, "stroke_width": round(width, 1)} | look
        self.drawing.append(drawsvg.Lines(*flat, **look))

    def curve(self, path: str, color: str, width: float = 1.5, **look):
        look = {"fill": "none", "stroke": color, "stroke_width": round(width, 1)} | look
        self.drawing.append(drawsvg.Path(path, **look))

    def text(self, words: str, x: float, y: float, size: int = 12, color: str = INK, anchor="middle", **look):
        """一行字，y 是字的中线。"""
        look = {"fill": color, "text_anchor": anchor, "dominant_baseline": "central"} | look
        self.drawing.append(drawsvg.Text(words, size, round(float(x), 1), round(float(y), 1), **look))

    def save(self):
        folder = Path(__file__).parents[1] / "miniatures"
        folder.mkdir(exist_ok=True)
        path = folder / f"{self.name}.svg"
        path.write_text(self.drawing.as_svg(header="") + "\n", encoding="utf8")
