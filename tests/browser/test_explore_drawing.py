"""画出来的与数一致：共用的零件各画一遍，点站在数说的地方，格子的颜色是正负、浓淡是大小。"""

import figure_rows
import pytest
import torch
from explorable_helpers import same_shape

from course_lib.layers import sinusoidal_encoding

ROWS = {row.id: row for row in figure_rows.every()}
PARTS = """() => {
  const { bars, meter, line, matrix, arcs, fixed } = Explore, stage = document.querySelector(".explore-stage");
  const style = (nodes, key) => [...nodes].map((node) => parseFloat(node.style[key]));
  const list = bars({ labels: ["甲", "乙"], values: [0, 0], name: "" }), sided = meter(true), plain = meter();
  list.update([0.1, -0.2], ["记", ""], ["丙", "丁"], 0.5);
  sided.update(-1, 4, "负一");
  plain.update(3, 4, "三");
  const chart = line({ lines: [{ label: "线", hue: "ink", points: [] }], name: "", width: 340, height: 120, x: [0, 10], y: [-1, 1] });
  chart.update([[[0, -1], [5, 0.5], [10, 1]]], 5, "半");
  const table = matrix({ values: [[1, -2], [NaN, 0]], rows: ["一", "二"], columns: ["左", "右"], title: "表", pick: () => {} });
  table.update([[1, -2], [undefined, 0]], { mark: (i, j) => i === 0 && j === 1, faded: (i) => i === 1 });
  const bows = arcs({ words: ["a", "b", "c"], name: "", least: 0.3 });
  bows.update(1, [0.25, 0.75, 0]);
  stage.replaceChildren(list.node, ...sided.nodes, ...plain.nodes, chart.node, table.node, bows.node);
  return {
    fixed: [0, -0.001, -1.5, null, Infinity, -Infinity].map((x) => fixed(x)),
    bars: style(list.node.querySelectorAll(".explore-fill"), "width"), words: [...list.node.children].map((row) => row.textContent),
    meters: [...style([sided.nodes[0].firstChild, plain.nodes[0].firstChild], "width"), sided.nodes[0].firstChild.className],
    points: chart.node.querySelector("polyline").getAttribute("points"),
    cursor: ["x1", "x2"].map((end) => Number(chart.node.querySelector(".explore-cursor").getAttribute(end))),
    tip: [chart.node.querySelector(".explore-tip").textContent, Number(chart.node.querySelector(".explore-tip").getAttribute("y"))],
    shades: table.cells.flat().map((cell) => cell.style.getPropertyValue("--shade")), texts: table.cells.flat().map((cell) => cell.textContent),
    classes: table.cells.flat().map((cell) => cell.className.replaceAll("explore-", "")), names: table.cells.flat().map((cell) => cell.ariaLabel),
    arcs: style(bows.node.querySelectorAll("path"), "strokeWidth"), given: [...bows.node.querySelectorAll("text")].map((text) => text.textContent),
    asker: bows.node.querySelector(".explore-mark").textContent,
  };
}"""


def test_every_part_draws_its_numbers(open_figure):
    seen = open_figure("cache", ROWS["cache"].data).evaluate(PARTS)
    assert seen == {
        "fixed": ["0.00", "0.00", "−1.50", "NaN", "∞", "−∞"],
        "bars": [20, 0],  # 0.1 占 0.5 的两成；负的不画
        "words": ["丙记0.10", "丁−0.20"],
        "meters": [12.5, 75, "explore-below"],  # 有正负的从中间起，只有半截
        "points": "40.0,100.0 185.0,32.5 330.0,10.0",
        "cursor": [185, 185],
        "tip": ["半", 24.5],
        "shades": ["50%", "100%", "0%", "0%"],
        "texts": ["1.00", "−2.00", "", "0.00"],
        "classes": ["", "negative mark", "faded", "faded"],
        "names": ["一 → 左：1.00", "一 → 右：−2.00", "二 → 左：还没翻开", "二 → 右：0.00"],
        "arcs": pytest.approx([3.4, 9.4, 0.4]),
        "given": ["", "0.75", "", "a", "b", "c"],
        "asker": "b",
    }


CENTRES = """(all) => all.map((one) => one.getBoundingClientRect()).map((box) => [(box.left + box.right) / 2, (box.top + box.bottom) / 2])"""


@pytest.mark.parametrize(
    ("name", "spots", "wanted"),
    [
        ("jet", "[role=option]", lambda data: [one[1:] for one in data["jets"][1]["particles"]]),
        ("word_map", "[role=option] circle", lambda data: data["tables"]["训练过"]["points"]),
        ("epochs", ".explore-dots-map circle", lambda data: data["points"][-1][1::2]),
    ],
)
def test_dots_stand_where_the_points_are(open_figure, name, spots, wanted):
    """屏幕上的位置是点的相似变换，y 朝上。"""
    page = open_figure(name, ROWS[name].data)
    page.wait_for_function("document.getAnimations().every((one) => one.playState === 'finished')")
    seen = torch.tensor(page.locator(spots).evaluate_all(CENTRES))
    same_shape(seen, torch.tensor(wanted(ROWS[name].made), dtype=torch.float), atol=0.01)


TILE = ".explore-towers > div:first-child tbody tr:nth-child(5) td:nth-child(4) rect"


@pytest.mark.parametrize(
    ("name", "cells", "vector"),
    [
        ("depth", TILE, lambda data: torch.tensor(data["states"][0][2][0][4][2]) / 2),
        ("clock", ".explore-strip:nth-child(2) rect", lambda data: sinusoidal_encoding(4, 16)[3]),
    ],
)
def test_colours_tell_sign_and_size(open_figure, name, cells, vector):
    signed = "all => all.map((one) => (one.style.fill.includes('minus') ? -1 : 1) * one.style.opacity)"
    drawn = open_figure(name, ROWS[name].data).locator(cells).evaluate_all(signed)
    torch.testing.assert_close(torch.tensor(drawn), vector(ROWS[name].made).clamp(-1, 1), atol=0.0051, rtol=0)
