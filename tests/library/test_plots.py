"""图的样式与热力图。"""

import math
import re

import matplotlib
import matplotlib.pyplot as plt
import pytest
import torch
from matplotlib.colors import to_hex

from course_lib.show import heatmap, palette
from course_lib.show.plots import use_style


@pytest.fixture(autouse=True)
def restore():
    yield
    matplotlib.rcdefaults()
    plt.close("all")


def test_lines_take_the_colors_of_the_book_in_order():
    use_style()
    ax = plt.subplots()[1]
    drawn = [ax.plot([0, 1])[0].get_color() for _ in palette.CYCLE]
    assert drawn == [palette.COLORS[name][0] for name in palette.CYCLE]
    assert [to_hex(f"C{i}") for i in range(6)] == [to_hex(name) for name in palette.CYCLE] == drawn


def test_color_maps_go_from_paper_to_the_full_color():
    """每一级都比前一级深；signed 的正中是纸。"""

    def depths(levels):
        return [sum(int(level[i : i + 2], 16) for i in (1, 3, 5)) for level in levels]

    for name in ("weight", "ink"):
        levels = [to_hex(color) for color in matplotlib.colormaps[name].colors]
        assert levels[0] == "#ffffff" and depths(levels) == sorted(depths(levels), reverse=True)
    signed = [to_hex(color) for color in matplotlib.colormaps["signed"].colors]
    half = len(signed) // 2
    assert signed[half] == "#ffffff"
    assert depths(signed[half:]) == sorted(depths(signed[half:]), reverse=True)
    assert depths(signed[: half + 1]) == sorted(depths(signed[: half + 1]))


def test_heatmap_of_weights():
    weights = torch.tensor([[0.25, 0.75], [0.9, 0.1]], requires_grad=True)
    ax = heatmap(weights, ["甲", "乙"], ["丙", "丁"], title="权重")
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_title()) == ("键", "查询", "权重")
    assert [label.get_text() for label in ax.get_xticklabels()] == ["丙", "丁"]
    assert [text.get_text() for text in ax.texts] == ["0.25", "0.75", "0.90", "0.10"]
    assert [text.get_position() for text in ax.texts] == [(0, 0), (1, 0), (0, 1), (1, 1)]  # 先列后行
    # 写着数的格子最多染到六成
    assert ax.images[0].get_clim() == (0, pytest.approx(0.9 / 0.6)) and ax.images[0].cmap.name == "weight"
    assert len(ax.figure.axes) == 1  # 有数就不要色条


def test_heatmap_of_masked_scores():
    """−∞ 与 NaN 是灰格，不影响颜色的范围；负的是空心格。"""
    ax = heatmap([[-2.0, -math.inf], [math.nan, 1.0]], ["a", "b"])
    assert [text.get_text() for text in ax.texts] == ["−2.00", "−∞", "nan", "1.00"]
    assert ax.images[0].get_clim() == pytest.approx((0, 2 / 0.6)) and ax.images[0].cmap.name == "ink"
    assert ax.images[0].get_array().tolist() == [[0.0, None], [None, 1.0]]
    (hollow,) = ax.patches
    assert hollow.get_xy() == pytest.approx((-0.44, -0.44)) and not hollow.get_fill()
    assert ax.images[0].get_array().mask.tolist() == [[False, True], [True, False]]


def test_heatmap_has_no_negative_zero():
    ax = heatmap([[-0.001, -0.0], [-0.005001, 1.0]], ["a", "b"])
    assert [text.get_text() for text in ax.texts] == ["0.00", "0.00", "−0.01", "1.00"]


def test_heatmap_annotates_only_small_tables():
    labels = list("abcdefghi")
    ax = heatmap(torch.rand(9, 9), labels)
    assert not ax.texts and ax.images[0].get_clim()[1] <= 1 and len(ax.figure.axes) == 1
    assert len(heatmap(torch.randn(9, 9), labels).figure.axes) == 2  # 有正有负，要一把尺子
    assert len(heatmap(torch.rand(9, 9), labels, annotate=True).texts) == 81
    assert not heatmap(torch.rand(2, 2), labels[:2], annotate=False).texts


@pytest.mark.parametrize("value", [0.0, -math.inf])
def test_heatmap_of_nothing(value):
    assert heatmap([[value]], ["a"]).images[0].get_clim() == pytest.approx((0, 1 / 0.6))


def test_heatmaps_side_by_side():
    left, right = plt.subplots(1, 2)[1]
    assert heatmap([[1.0]], ["甲"], ax=right) is right and not left.images


@pytest.mark.parametrize("shape", [(2, 3), (4,), (1, 2, 2)])
def test_heatmap_refuses_other_shapes(shape):
    with pytest.raises(ValueError, match=re.escape(f"matrix 的形状是 {shape}")):
        heatmap(torch.zeros(shape), ["a", "b"])
