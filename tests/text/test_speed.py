"""“快慢与内存”一页的图由记录画成，记录变了它们就得跟着变。"""

import xml.etree.ElementTree as ET

import pytest
import speed
from measure import Cell

RECORD = speed.load(speed.BENCH / "encoder.json")
SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("name", ["matmul", "memory", "gpu/matmul"])
def test_pictures_follow_the_record(name, tmp_path):
    """是最近一次记录画成的；360 像素宽的手机上，正文宽 328，字也看得清。"""
    speed.write(tmp_path)
    svg = (speed.BENCH / f"{name}.svg").read_bytes()
    assert (tmp_path / f"{name}.svg").read_bytes() == svg, "请运行 bench/speed.py"
    root = ET.fromstring(svg)
    sizes = [float(node.get("font-size")) for node in root.iter(f"{SVG}text")]
    assert min(sizes) * 328 / float(root.get("width")) >= 11


def recorded(part, case, side):
    return next(c.median for c in RECORD if (c.part, c.case, c.side) == (part, case, side))


def shapes(svg, fill):
    """涂成一种颜色的方块：（宽，高）。"""
    rects = [r for r in ET.fromstring(svg).iter(f"{SVG}rect") if r.get("fill") == fill]
    return [(float(r.get("width")), float(r.get("height"))) for r in rects]


def test_bars_are_as_long_as_the_shares():
    found = (
        ("fp32 (1, 16)", speed.SHARE, 0.5),
        ("fp32 (1, 32)", speed.SHARE, 1.0),
        ("fp32 (1, 32)", "我们", 2.0),
    )
    svg = speed.draw_matmul([Cell("forward", case, side, x, x, x) for case, side, x in found])
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
