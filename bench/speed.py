"""书里“快慢与内存”一页的图 matmul.svg 与 memory.svg，由 encoder.json 里最近一次记录画成；显卡的一幅在 gpu/。"""

import json
import re
from pathlib import Path

from canvas import FAINT, INK, KEY, OUTPUT, PAPER, WEIGHT, Canvas
from drawsvg import Line, Rectangle
from measure import OURS, Cell

BENCH = Path(__file__).parent
SHARE, LENGTHS = "矩阵乘法 ÷ 我们", (512, 1024, 2048)
WIDTH, LEFT, BAR = 420, 176, 196


def load(path: Path) -> list[Cell]:
    cells = json.loads(path.read_text(encoding="utf8"))["cells"]
    return [Cell(**cell) for cell in cells]


def draw_matmul(cells: list[Cell], title: str = "一次前向的时间里，矩阵乘法占几成") -> str:
    """各种长短的一次前向里，矩阵乘法占几成：整条是全部的时间，细线是各轮的最小到最大。"""
    shares = [c for c in cells if c.side == SHARE and c.case.startswith("fp32")]
    names = ["{} 句，每句 {} 个词元".format(*re.findall(r"\d+", c.case)[1:]) for c in shares]
    told = "；".join(f"{name}，{c.median:.0%}" for name, c in zip(names, shares, strict=True))
    canvas = Canvas("matmul", WIDTH, 80 + 40 * len(shares), title, f"{told}。")
    canvas.text(title, WIDTH / 2, 26, 18)
    for i, (name, cell) in enumerate(zip(names, shares, strict=True)):
        y = 72 + 40 * i
        low, middle, high = (round(BAR * min(x, 1.0), 1) for x in (cell.low, cell.median, cell.high))
        canvas.text(name, LEFT - 10, y, 15, INK, "end")
        canvas.drawing.append(Rectangle(LEFT, y - 11, BAR, 22, fill=PAPER, stroke=FAINT))
        canvas.drawing.append(Rectangle(LEFT, y - 11, middle, 22, fill=KEY))
        canvas.drawing.append(Line(LEFT + low, y + 16, LEFT + high, y + 16, stroke=KEY, stroke_width=2))
        canvas.text(f"{cell.median:.0%}", WIDTH - 6, y, 15, INK, "end")
    return canvas.drawing.as_svg(header="") + "\n"


def draw_memory(cells: list[Cell]) -> str:
    """句子加倍，内存多出几倍：面积就是内存，各块同一个尺度；要权重的画成方块，不要的画成与句子一样长的一条。"""
    found = {(c.case, c.side): c.median for c in cells if c.part == "memory"}
    kinds = {f"{OURS}，要权重": WEIGHT, OURS: OUTPUT}
    used = {kind: [found[kind, f"{n} 个词元"] for n in LENGTHS] for kind in kinds}
    told = "；".join(f"{k}，{'、'.join(f'{mb:.0f}' for mb in used[k])} MB" for k in used)
    title = "一句话加倍，前向时多占的内存"
    lengths = "、".join(map(str, LENGTHS))
    canvas = Canvas("memory", WIDTH, 390, title, f"{lengths} 个词元：{told}。")
    canvas.text(title, WIDTH / 2, 26, 18)
    canvas.text("面积就是内存", WIDTH / 2, 50, 15, FAINT)
    largest = 170
    scale = largest**2 / used[f"{OURS}，要权重"][-1]
    for middle, n, square, strip in zip((60, 170, 325), LENGTHS, *used.values(), strict=True):
        side, length = (scale * square) ** 0.5, largest * n / LENGTHS[-1]
        canvas.text(f"{n} 个词元", middle, 368, 15)
        for mb, width, height, bottom, kind in (
            (square, side, side, 262, f"{OURS}，要权重"),
            (strip, length, scale * strip / length, 340, OURS),
        ):
            x, width, height = (round(v, 2) for v in (middle - width / 2, width, height))
            shape = Rectangle(x, round(bottom - height, 2), width, height, fill=kinds[kind])
            canvas.drawing.append(shape)
            inside = height > 100
            y = bottom - height / 2 if inside else bottom - height - 14
            canvas.text(f"{mb:.0f} MB", middle, round(y, 1), 15, PAPER if inside else INK)
    canvas.text("要权重", 8, 150, 15, WEIGHT, "start")
    canvas.text("不要权重", 8, 296, 15, OUTPUT, "start")
    return canvas.drawing.as_svg(header="") + "\n"


def write(folder: Path) -> None:
    (folder / "gpu").mkdir(exist_ok=True)
    title = "H200 上，矩阵乘法占几成"
    on_gpu = draw_matmul(load(BENCH / "gpu/encoder.json"), title)
    (folder / "gpu/matmul.svg").write_text(on_gpu, encoding="utf8")
    cells = load(BENCH / "encoder.json")
    (folder / "matmul.svg").write_text(draw_matmul(cells), encoding="utf8")
    (folder / "memory.svg").write_text(draw_memory(cells), encoding="utf8")


if __name__ == "__main__":
    write(BENCH)
