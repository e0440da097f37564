"""把 encoder.json 里最近一次记录画成 forward.svg 与 training.svg，目标与没有达到的原因写进 goals.md；书里“快慢与内存”一页用它们。"""

import json
import math
import re
from pathlib import Path

from canvas import FAINT, INK, KEY, OUTPUT, QUERY, VALUE, WEIGHT, Canvas
from drawsvg import Circle, Line
from measure import FLOOR, HF, OURS, Cell

BENCH = Path(__file__).parent
COLORS = {"HF eager": KEY, "nn.TransformerEncoder": VALUE, "HF，编译": WEIGHT, FLOOR: FAINT}
FIGURES = {"forward": "前向的时间", "training": "训练一步的时间"}
# 算不出原因的，各部分一句
WHY = {
    "forward": "矩阵乘法以外的各步还不够省",
    "training": "双方的算子与优化器相同，能省的只有它们之间的零碎",
    "generation": "每一步只有一个词元，时间花在启动运算与读权重上，双方要读的一样多",
    "startup": "多出来的是 torch 以外的模块",
    "memory": "与长度无关的一份也算在内，句子越长它越不要紧",
}
TICKS = (0.25, 0.5, 1, 2, 4)
WIDTH, LEFT, RIGHT, TOP, ROW = 560, 220, 540, 70, 26


def load(path: Path) -> list[Cell]:
    cells = json.loads(path.read_text(encoding="utf8"))["cells"]
    return [Cell(**{key: value for key, value in cell.items() if key != "met"}) for cell in cells]


def place(ratio: float) -> float:
    """比值在横轴上的位置；左右每一格差一倍，超出的停在边上。"""
    low, high = math.log2(TICKS[0]), math.log2(TICKS[-1])
    share = (math.log2(ratio) - low) / (high - low)
    return round(LEFT + (RIGHT - LEFT) * min(1.0, max(0.0, share)), 1)


def draw(cells: list[Cell], part: str) -> str:
    """一行是一种写法：点是中位数，横线是最小到最大，竖的短画是目标。"""
    kept = [c for c in cells if c.part == part and not re.search("毫秒|÷|每秒", c.side)]
    cases = list(dict.fromkeys(c.case for c in kept))
    height = TOP + ROW * (len(kept) + len(cases)) + 20
    title = f"{FIGURES[part]} ÷ {HF} 的时间"
    told = "；".join(f"{c.case}，{c.side} {c.median:.2f}" for c in kept)
    canvas = Canvas(part, WIDTH, height, title, f"点在 1 的左边就比 {HF} 快。{told}。")
    canvas.text(title, WIDTH / 2, 22, 18)
    for tick in TICKS:
        x = place(tick)
        canvas.text(f"{tick:g}", x, 50, 15, FAINT)
        line = Line(x, 62, x, height - 12, stroke=FAINT, stroke_width=1.4 if tick == 1 else 0.4)
        canvas.drawing.append(line)
    y = TOP + 8
    for case in cases:
        canvas.text(case, 16, y, 16, INK, "start", font_weight="bold")
        for cell in (c for c in kept if c.case == case):
            y += ROW
            color = COLORS.get(cell.side, QUERY if cell.side == OURS else OUTPUT)
            canvas.text(cell.side, LEFT - 14, y, 15, INK, "end")
            low, middle, high = map(place, (cell.low, cell.median, cell.high))
            canvas.drawing.append(Line(low, y, high, y, stroke=color, stroke_width=2.5))
            canvas.drawing.append(Circle(middle, y, 5, fill=color))
            if cell.goal is not None:
                x = place(cell.goal)
                canvas.drawing.append(Line(x, y - 9, x, y + 9, stroke=INK, stroke_width=3))
        y += ROW
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
    lines = ["| 情形 | 量得 | 目标 |", "|---|---|---|"]
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
    for part in FIGURES:
        (folder / f"{part}.svg").write_text(draw(cells, part), encoding="utf8")


if __name__ == "__main__":
    write(BENCH / "encoder.json", BENCH)
