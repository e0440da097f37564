"""由 encoder.json 里最近一次记录写成：目标与没有达到的原因 goals.md，书里“快慢与内存”一页的两幅图 matmul.svg 与 memory.svg。"""

import json
import re
from pathlib import Path

from canvas import FAINT, INK, KEY, OUTPUT, PAPER, WEIGHT, Canvas
from drawsvg import Line, Rectangle
from measure import FLOOR, OURS, Cell

BENCH = Path(__file__).parent
# 算不出原因的，各部分一句
WHY = {
    "forward": "矩阵乘法以外的各步还不够省",
    "training": "双方的算子与优化器相同，能省的只有它们之间的零碎",
    "generation": "每一步只有一个词元，时间花在启动运算与读权重上，双方要读的一样多",
    "startup": "多出来的是 torch 以外的模块",
    "memory": "与长度无关的一份也算在内，句子越长它越不要紧",
}
SHARE, LENGTHS = "矩阵乘法 ÷ 我们", (512, 1024, 2048)
WIDTH, LEFT, BAR = 420, 176, 196


TITLE = f"""# 目标

由 `make bench` 写成：目标是量之前定下的，没有达到的照样列出，原因里的数取自同一次记录。
前向与训练量得的是时间与 HF sdpa 的比值；“{FLOOR}”是把编码器里的矩阵乘法照样做一遍，此外什么也不做，不可能有比它更快的写法，所以叫下限。
有时可以换来更快的代码，却要牺牲可读，例如把几步手写成一个算子；这门课不换。"""


def load(path: Path) -> list[Cell]:
    cells = json.loads(path.read_text(encoding="utf8"))["cells"]
    return [Cell(**{key: value for key, value in cell.items() if key != "met"}) for cell in cells]


def draw_matmul(cells: list[Cell]) -> str:
    """各种长短的一次前向里，矩阵乘法占几成：整条是全部的时间，细线是各轮的最小到最大。"""
    shares = [c for c in cells if c.side == SHARE and c.case.startswith("fp32")]
    names = ["{} 句，每句 {} 个词元".format(*re.findall(r"\d+", c.case)[1:]) for c in shares]
    told = "；".join(f"{name}，{c.median:.0%}" for name, c in zip(names, shares, strict=True))
    title = "一次前向的时间里，矩阵乘法占几成"
    canvas = Canvas("matmul", WIDTH, 80 + 40 * len(shares), title, f"{told}。", fits_phone=True)
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
    canvas = Canvas("memory", WIDTH, 390, title, f"{lengths} 个词元：{told}。", fits_phone=True)
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


def reason(cell: Cell, cells: list[Cell]) -> str:
    """没有达到的目标为什么没有达到；数都取自同一次记录。"""
    same = {c.side: c.median for c in cells if (c.part, c.case) == (cell.part, cell.case)}
    floor = same.get(FLOOR)
    if cell.part == "forward" and cell.at_least:
        text = f"softmax、GELU、层归一化与内存的搬运占了其余的 {1 - cell.median:.0%}"
    elif cell.part == "forward" and "÷" in cell.side:
        text = WHY["forward"]
    elif cell.part == "forward" and cell.goal < floor:
        text = f"单是矩阵乘法就要 {floor:.2f}，目标在这台机器的下限以下"
    elif cell.part == "forward" and floor < cell.median:
        share = (cell.median - cell.goal) / (cell.median - floor)
        text = f"矩阵乘法要 {floor:.2f}，要达到目标，其余各步得再省 {share:.0%}"
    elif cell.part == "ragged":
        real = int(re.search(r"(\d+)%", cell.case)[1]) / 100
        least = same[OURS] * real
        text = f"填充到最长时是 {same[OURS]:.2f}，真实词元占 {real:.0%}，乘起来已有 {least:.2f}，矩阵变小又慢一些"
    else:
        text = WHY[cell.part]
    if cell.low <= cell.goal <= cell.high and "下限以下" not in text:
        text += f"；各轮从 {cell.low:.2f} 到 {cell.high:.2f}，跨着目标"
    return text


def goals(cells: list[Cell]) -> str:
    lines = [TITLE, "", "| 情形 | 量得 | 目标 |", "|---|---|---|"]
    missed = []
    for cell in (c for c in cells if c.goal is not None):
        name = f"{'训练一步，' * (cell.part == 'training')}{cell.case}，{cell.side}"
        sign = "≥" if cell.at_least else "≤"
        verdict = "达到" if cell.met else "**未达到**"
        lines.append(f"| {name} | {cell.median:.3g} | {sign} {cell.goal:g} {verdict} |")
        if not cell.met:
            missed.append(f"- {name}：{reason(cell, cells)}。")
    told = ["没有达到的，原因依次是：", "", *missed] if missed else ["全部达到。"]
    return "\n".join([*lines, "", *told]) + "\n"


def write(source: Path, folder: Path) -> None:
    cells = load(source)
    (folder / "goals.md").write_text(goals(cells), encoding="utf8")
    (folder / "matmul.svg").write_text(draw_matmul(cells), encoding="utf8")
    (folder / "memory.svg").write_text(draw_memory(cells), encoding="utf8")


if __name__ == "__main__":
    write(BENCH / "encoder.json", BENCH)
