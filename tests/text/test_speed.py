"""“快慢与内存”一页：表与图由记录写成，记录变了它们就得跟着变；没有达到的目标各有原因。"""

import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest
import speed
from measure import Cell

FILES = ["goals.md", "forward.svg", "training.svg"]
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


def test_figures_stay_inside_their_frame():
    cells = [cell("HF eager", 100.0), cell("我们", 0.01, 0.9), cell("我们，每秒千词元", 5.0)]
    root = ET.fromstring(speed.draw(cells, "forward"))
    dots = [float(dot.get("cx")) for dot in root.iter("{http://www.w3.org/2000/svg}circle")]
    assert dots == [speed.RIGHT, speed.LEFT]
    assert root.get("role") == "img" and "HF eager 100.00" in root.get("aria-label")
