"""“快慢与内存”一页：图由记录画成，正文说的与记录相符，记录变了它们就得跟着变；没有达到的目标各有原因。"""

import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest
import speed
from measure import Cell

FILES = ["goals.md", "matmul.svg", "memory.svg"]
RECORD = speed.load(speed.BENCH / "encoder.json")
PAGE = (speed.BENCH.parent / "chapters/speed.md").read_text(encoding="utf8")
SVG = "{http://www.w3.org/2000/svg}"
CASE = "fp32 (1, 16)"


def cell(side, median, goal=None, part="forward", case=CASE, at_least=False):
    return Cell(part, case, side, median, median, median, goal, at_least)


def test_page_follows_the_record(tmp_path):
    speed.write(speed.BENCH / "encoder.json", tmp_path)
    for name in FILES:
        assert (tmp_path / name).read_bytes() == (speed.BENCH / name).read_bytes(), "请运行 bench/speed.py"


def test_missed_goals_are_explained():
    floor = cell(speed.FLOOR, 0.7)
    below, near = cell("我们", 0.9, 0.6), cell("我们", 0.9, 0.8)
    assert "下限以下" in speed.goals([floor, below]) and "0.70" in speed.goals([floor, below])
    assert "其余各步得再省 50%" in speed.goals([floor, near])
    assert "跨着目标" in speed.goals([floor, replace(near, low=0.7)])
    share = cell("矩阵乘法 ÷ 我们", 0.6, 0.75, at_least=True)
    assert "占了其余的 40%" in speed.goals([floor, share])
    padded = [
        cell(s, m, g, "ragged", "fp32，真实词元占 50%")
        for s, m, g in (("我们", 1.0, None), ("按长度分组", 0.7, 0.6))
    ]
    assert "乘起来已有 0.50" in speed.goals(padded)


@pytest.mark.parametrize("part", ["training", "generation", "startup", "memory"])
def test_every_part_has_a_reason(part):
    missed = cell("我们", 2.0, 1.0, part)
    assert "**未达到**" in speed.goals([missed]) and speed.WHY[part] in speed.goals([missed])
    assert speed.goals([cell("我们", 0.5, 1.0, part)]).endswith("全部达到。\n")


def recorded(part, case, side):
    return next(c.median for c in RECORD if (c.part, c.case, c.side) == (part, case, side))


def test_page_says_what_the_record_says():
    """正文只说大约：换了记录，对不上的就改正文。"""
    shapes = list(dict.fromkeys(c.case for c in RECORD if c.side == speed.SHARE and "fp32" in c.case))
    ours = {shape: recorded("forward", shape, speed.OURS) for shape in shapes}
    assert "不相上下" in PAGE and all(0.85 < ratio < 1.1 for ratio in ours.values())
    short, *long = (recorded("forward", shape, speed.SHARE) for shape in shapes)
    assert "还有近三成" in PAGE and 0.25 < 1 - short < 0.3
    assert "九成上下" in PAGE and min(long) > 0.88
    saved = [
        1 - recorded("forward", f"fp32 {shape}", "我们，编译") / ours[f"fp32 {shape}"]
        for shape in ("(1, 16)", "(32, 128)")
    ]
    assert "省下约一成" in PAGE and 0.07 < saved[0] < 0.15 and abs(saved[1]) < 0.03
    (case,) = {c.case for c in RECORD if c.part == "ragged"}
    grouped = recorded("ragged", case, "我们，按长度分组") / recorded("ragged", case, speed.OURS)
    assert "省下三分之一" in PAGE and abs(1 - grouped - 1 / 3) < 0.05 and "占 54%" in case
    doubled = [recorded("memory", side, "最后一次加倍的倍数") for side in (speed.OURS, "我们，要权重")]
    assert "约变成四倍" in PAGE and abs(doubled[0] - 2) < 0.2 and abs(doubled[1] - 4) < 0.2


def shapes(svg, fill):
    """涂成一种颜色的方块：（宽，高）。"""
    rects = [r for r in ET.fromstring(svg).iter(f"{SVG}rect") if r.get("fill") == fill]
    return [(float(r.get("width")), float(r.get("height"))) for r in rects]


def test_bars_are_as_long_as_the_shares():
    halves = [cell(speed.SHARE, share, case=f"fp32 (1, {n})") for n, share in ((16, 0.5), (32, 1.0))]
    svg = speed.draw_matmul([*halves, cell("HF eager", 2.0)])
    assert [width for width, _ in shapes(svg, speed.KEY)] == [speed.BAR / 2, speed.BAR]
    root = ET.fromstring(svg)
    assert root.get("role") == "img" and "1 句，每句 32 个词元，100%" in root.get("aria-label")


def test_areas_are_proportional_to_the_memory():
    svg = speed.draw_memory(RECORD)
    squares, strips = shapes(svg, speed.WEIGHT), shapes(svg, speed.OUTPUT)
    for side, drawn in (("我们，要权重", squares), (speed.OURS, strips)):
        used = [recorded("memory", side, f"{n} 个词元") for n in speed.LENGTHS]
        assert [w * h for w, h in drawn] == pytest.approx([mb * 170**2 / 1428 for mb in used], rel=0.02)
    assert all(width == height for width, height in squares)


@pytest.mark.parametrize("name", ["matmul", "memory"])
def test_pictures_are_legible_on_a_phone(name):
    """360 像素宽的手机上，正文宽 328。"""
    root = ET.parse(speed.BENCH / f"{name}.svg").getroot()
    sizes = [float(node.get("font-size")) for node in root.iter(f"{SVG}text")]
    assert "min-width:0" in root.get("style") and min(sizes) * 328 / float(root.get("width")) >= 11
