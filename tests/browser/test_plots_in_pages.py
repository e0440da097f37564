"""代码画的图与插图，在真的 Chromium 里：并排的在手机上排成一列，字够大，颜色随页面的明暗。"""

import re

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
from built_book import PAGES
from visitor import PLOTS, SMALLEST

from course_lib.show import captions, palette, setup
from course_lib.show.svg import as_html

CHAPTERS = [name for name in PAGES if re.search(r"^chapters/(\d|errata)", name)]
RGB = {
    theme: {
        name: tuple(int(pair[i][j : j + 2], 16) for j in (1, 3, 5)) for name, pair in palette.COLORS.items()
    }
    for i, theme in enumerate(["light", "dark"])
}


@pytest.fixture(scope="module")
def plot():
    setup()
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
    axes[0].plot(np.arange(5), "o-", color="weight")
    axes[0].set(title="左", xlabel="步")
    axes[1].imshow(np.eye(4), cmap="weight")
    html = as_html(figure)
    plt.close(figure)
    matplotlib.rcdefaults()
    return html


def opened(page, html, width, theme="light", style=True):
    page.set_viewport_size({"width": width, "height": 900})
    colors = captions.style() if style else ""
    page.set_content(
        f'<!doctype html><html lang="zh-CN" data-theme="{theme}"><body>{html}{colors}</body></html>'
    )


@pytest.mark.parametrize(("width", "places"), [(360, 2), (700, 1)])
def test_panels_stack_on_a_phone(blank, plot, width, places):
    opened(blank, plot, width)
    seen = blank.evaluate(PLOTS)
    (row,) = seen["rows"]
    assert len({top for _, _, top in row}) == places
    assert all(0 <= left < right <= width for left, right, _ in row)
    assert seen["smallest"] >= SMALLEST


def rgb(page, selector, name):
    value = page.locator(selector).first.evaluate(f"node => getComputedStyle(node).{name}")
    if value.startswith("color("):  # color-mix 给出的是 0 到 1 的数
        return [255 * float(part) for part in re.findall(r"[\d.]+", value)][:3]
    return [float(part) for part in re.findall(r"[\d.]+", value)][:3]


@pytest.mark.parametrize("theme", ["light", "dark", "none"])
def test_colors_follow_the_page(blank, plot, theme):
    """没有变量的页面里，用的是浅色的一组。"""
    opened(blank, plot, 700, theme, style=theme != "none")
    colors = RGB["dark" if theme == "dark" else "light"]
    assert rgb(blank, "text:text('左')", "fill") == list(colors["ink"])
    assert rgb(blank, "path[style*='--weight']", "stroke") == list(colors["weight"])
    share = 0.99 * (0.8 if theme == "dark" else 1)  # 深底上按同样的比例淡下去
    cell = rgb(blank, "path[fill*='--weight']", "fill")
    mixed = [
        share * hue + (1 - share) * paper
        for hue, paper in zip(colors["weight"], colors["paper"], strict=True)
    ]
    assert max(abs(a - b) for a, b in zip(cell, mixed, strict=True)) < 2


@pytest.mark.parametrize("name", CHAPTERS)
def test_every_color_in_a_plot_is_the_books(book, name):
    """图与插图里的颜色都是变量，网页变深它们就跟着变；照片不算，画实物的写明了深浅两种。"""
    text = (book / name).read_text(encoding="utf-8")
    drawn = re.findall(r"<svg[^>]*viewBox.*?</svg>", text, re.DOTALL)
    left = {
        color
        for svg in drawn
        for color in re.findall(r"(?<![\w,(])#[0-9a-f]{3,6}\b(?!-)", re.sub(r"base64,[^\"]*", "", svg))
    }
    assert left == set()
