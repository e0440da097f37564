"""写成网页的图：字是字，颜色随页面，每次相同，几幅不相混，并排的各成一幅。"""

import base64
import io
import re
from xml.etree import ElementTree

import matplotlib
import numpy as np
import pytest
from matplotlib import pyplot as plt
from PIL import Image
from sklearn.datasets import load_sample_image

from course_lib.show import heatmap, palette, setup
from course_lib.show.svg import as_html, as_svg, panels

HEX = re.compile(r"#[0-9a-f]{6}(?![0-9a-z])")


@pytest.fixture(autouse=True)
def restore():
    yield
    matplotlib.rcdefaults()
    plt.close("all")


def plots():
    """两幅图：各有汉字、公式、格子与点。"""
    for seed in (1, 2):
        setup(seed)
        figure, axes = plt.subplots(1, 2, figsize=(9, 3.4))
        axes[0].imshow(np.random.rand(3, 3))
        axes[1].scatter(*np.random.rand(2, 5), label="$W_h$ 的点")
        axes[1].set(title="权重：每行之和为 1", xlabel="负数", yscale="log")
        axes[1].legend()
        yield as_svg(figure)


def test_words_on_a_plot_are_words():
    for svg in plots():
        root = ElementTree.fromstring(svg)
        words = {node.text for node in root.iter()}
        assert {"权重：每行之和为 1", "\u00a0的点"} <= words  # 有公式的一句也没有拆成单字
        assert all(family.endswith("sans-serif") for family in re.findall('font-family: ([^;"]*)', svg))
        assert root.get("width").isdigit() and root.get("height").isdigit()


def test_a_plot_is_the_same_every_time():
    first, second = plots()
    assert [first, second] == list(plots()) and first != second


def test_two_plots_in_one_page_do_not_mix():
    """几幅 SVG 在同一页里：只留有人引用的编号，各幅的不相同。"""
    names = []
    for svg in plots():
        used = set(re.findall(r'(?:url\(|href=")#([\w-]+)', svg))
        own = [node.get("id") for node in ElementTree.fromstring(svg).iter() if node.get("id")]
        assert used == set(own) and len(own) == len(used)
        assert "<style" not in svg  # 它管的会是整页
        names += own
    assert len(names) == len(set(names)) > 2


def test_colors_turn_with_the_page_and_fall_back_to_light_ones():
    setup()
    figure, (left, right) = plt.subplots(1, 2)
    for name in (*palette.CYCLE, "k"):
        left.plot(np.random.rand(5), color=name)
    left.fill_between([0, 1], 0, 1, color="query", alpha=0.2)
    right.imshow(np.random.randn(8, 8), cmap="signed")
    figure.colorbar(right.images[0])
    svg = as_svg(figure)
    light = {pair[0] for pair in palette.COLORS.values()}
    fallbacks = re.findall(r"var\(--\w+,(#\w+)\)", svg)
    assert set(fallbacks) >= {palette.COLORS[name][0] for name in palette.CYCLE}
    assert len(HEX.findall(svg)) == len(fallbacks) and set(fallbacks) <= light
    assert "image/png" not in svg and svg.count("color-mix(") > 60  # 格子与色条也随着换


def test_a_photograph_stays_a_photograph():
    figure, ax = plt.subplots()
    ax.imshow(np.random.randint(0, 256, (6, 6, 3), dtype=np.uint8))
    assert as_svg(figure).count("image/png") == 1


def test_a_large_photograph_is_a_fraction_as_long():
    """照片写成 JPEG，看上去一样；透明的写不成，照旧。"""
    setup()
    photo = load_sample_image("china.jpg")[:224, :224]
    figure, ax = plt.subplots()
    ax.imshow(photo)
    svg = as_svg(figure)
    stored = Image.open(io.BytesIO(base64.b64decode(re.search(r"image/jpeg;base64,([^\"]+)", svg)[1])))
    turned = np.asarray(stored).astype(float)
    assert stored.size == (224, 224) and "image/png" not in svg
    assert abs(turned - photo).mean() < 4 and len(svg) < 30_000
    ax.imshow(np.dstack([photo, np.full((224, 224, 1), 128, np.uint8)]))
    ax.images[0].remove()
    assert as_svg(figure).count("image/png") == 1


def test_cells_keep_their_places():
    """像素换成方块之后，每一块仍在原处；掩掉的格子是灰的。"""
    setup()
    table = np.array([[0.0, 1.0, 1.0], [0.5, np.nan, 0.0]])
    svg = as_svg(heatmap(table, "甲乙", "丙丁戊", annotate=True).figure)
    body = re.search(r'<g transform="[^"]*" shape-rendering="crispEdges">(.*?)</g>', svg)[1]
    cells = dict(re.findall(r'<path fill="([^"]*)" d="([^"]*)"', body))
    assert cells[f"var(--line,{palette.COLORS['line'][0]})"] == "M1 1H2V2H1z"
    paper = f"var(--paper,{palette.COLORS['paper'][0]})"
    assert cells[paper] == "M0 0H1V1H0zM2 1H3V2H2z"
    deepest = next(path for color, path in cells.items() if "calc(100%" in color)
    assert deepest == "M1 0H2V1H1zM2 0H3V1H2z"


def rows_and_columns(figure):
    return [[len(panel) for panel in row] for row in panels(figure)]


def test_panels_side_by_side_come_apart():
    setup()
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3), sharey=True)
    left.set(ylabel="余弦", title="左边的")
    right.set_title("右边的")
    figure.suptitle("两幅一起的")
    html = as_html(figure)
    wide = html.partition('<div class="narrow">')[0]
    first, second = wide.split("<svg")[1:]
    assert "左边的" in first and "右边的" in second and "右边的" not in first
    assert "余弦" in first and "余弦" in second  # 共用纵轴的，分开之后各有自己的刻度与名字
    assert html.index("两幅一起的") < html.index("<svg") and html.count("两幅一起的") == 1
    heights = re.findall(r'height="(\d+)"', wide)
    assert heights[0] == heights[1]
    assert left.get_visible() and right.get_visible()


def test_a_wide_figure_has_a_narrow_copy_for_phones():
    """手机上缩不了多少，字就看得清；许多小图的一幅缩不窄，照旧横着滚动。"""
    setup()
    figure, ax = plt.subplots(figsize=(5.6, 3), layout="constrained")
    ax.set_title("一幅")
    widths = [int(width) for width in re.findall(r'<svg[^>]* width="(\d+)"', as_html(figure))]
    assert widths[0] > 500 and 300 < widths[1] < 360
    assert figure.get_size_inches().tolist() == [5.6, 3]
    assert as_html(plt.subplots(figsize=(4, 3))[0]).count("<svg") == 1
    assert as_html(plt.subplots(2, 6, figsize=(10, 3))[0]).count("<svg") == 1


def test_what_belongs_together_stays_together():
    assert rows_and_columns(plt.subplots()[0]) == [[1]]
    assert rows_and_columns(plt.subplots(2, 1)[0]) == [[2]]
    assert rows_and_columns(plt.subplots(2, 2)[0]) == [[1, 1], [1, 1]]
    assert rows_and_columns(plt.subplots(2, 6)[0]) == [[12]]  # 许多小图
    for layout in (None, "constrained"):  # 两种排法，色条的放法不同
        figure, axes = plt.subplots(1, 2, layout=layout)
        for ax in axes:
            figure.colorbar(ax.imshow(np.eye(2)), ax=ax)
        assert rows_and_columns(figure) == [[2, 2]]
    figure, axes = plt.subplots(1, 3, layout="constrained")
    figure.colorbar([ax.imshow(np.eye(2)) for ax in axes][-1], ax=axes)
    assert rows_and_columns(figure) == [[1, 1, 2]]  # 共用的跟着最后一幅
    figure = plt.figure()  # 上面一幅占满两栏
    for place in ((0, slice(None)), (1, 0), (1, 1)):
        figure.add_subplot(figure.add_gridspec(2, 2)[place])
    assert rows_and_columns(figure) == [[1], [1, 1]] and as_html(figure).count("<svg") == 3
    figure, axes = plt.subplots(1, 2)
    figure.legend(axes[0].plot([0, 1]), ["甲"])
    assert rows_and_columns(figure) == [[2]]
