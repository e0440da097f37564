"""颜色只写在一处；两种底上都读得清。"""

import re
from pathlib import Path

import pytest

from course_lib.show import palette
from course_lib.show.palette import COLORS, MARKS, TINT, adapt, mix

ROOT = Path(__file__).parents[2]
HUES = [name for name in COLORS if name not in ("line", "paper")]


def channels(color):
    return [int(color[i : i + 2], 16) for i in (1, 3, 5)]


def contrast(one, other):
    def luminance(color):
        parts = [c / 255 for c in channels(color)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return sum(share * c for share, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

    dark, light = sorted(map(luminance, (one, other)))
    return (light + 0.05) / (dark + 0.05)


def blend(color, share, paper):
    pairs = zip(channels(color), channels(paper), strict=True)
    return "#" + "".join(f"{round(p + (c - p) * share):02x}" for c, p in pairs)


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("name", HUES)
def test_readable_on_both_grounds(name, theme):
    """字与线对纸，写在染了色的格子里的字对格子，都不小于 4.5；只画线与点的对纸不小于 3。"""
    color, paper, ink = (COLORS[which][theme] for which in (name, "paper", "ink"))
    assert contrast(color, paper) >= (3 if name in MARKS else 4.5)
    if name not in ("ink", "faint"):
        assert contrast(ink, blend(color, TINT[theme], paper)) >= 4.5
    assert contrast(ink, COLORS["line"][theme]) >= 4.5  # 掩掉的格子


def test_adapting_keeps_the_light_color_as_fallback():
    for name, (light, _) in COLORS.items():
        assert adapt(f'fill="{light}"') == f'fill="var(--{name},{light})"'
    assert adapt("#000000") == adapt(COLORS["ink"][0])
    # 画实物的图：自己的颜色在深色的页面上换成写明的那一种，别的仍随全书
    own = f'<svg data-dark="#f7f4ee:#20262b" fill="#f7f4ee" stroke="{COLORS["ink"][0]}">'
    wall = "color-mix(in srgb,#20262b var(--night,0%),#f7f4ee)"
    assert adapt(own) == f'<svg fill="{wall}" stroke="{adapt(COLORS["ink"][0])}">'
    assert adapt("#123456 url(#abcdef12)") == "#123456 url(#abcdef12)"
    assert adapt(mix(COLORS["weight"][0], 60)) == (
        "color-mix(in srgb,var(--weight,#7a4fa3) calc(100%*var(--tint,0.6)),var(--paper,#ffffff))"
    )


def test_every_color_has_its_variable_in_both_themes():
    light, dark = re.findall(r"\{(.*?)\}", palette.css())
    for name, pair in COLORS.items():
        assert f"--{name}:{pair[0]};" in light and f"--{name}:{pair[1]};" in dark
    assert "--night:0%;" in light and "--night:100%;" in dark


def test_colors_are_written_in_one_place_only():
    """插图、图、可以动手的图、“打开 BERT”不自己写颜色；没有变量时的那一份与这里的相同；教室画的是实物。"""
    own = set()
    for pattern in ("figures/src/*.py", "course_lib/show/**/*.*", "live/**/*.*", "bench/speed.py"):
        for path in ROOT.glob(pattern):
            if path.suffix in {".py", ".js", ".css"} and path.name not in {"palette.py", "classroom.py"}:
                text = path.read_text(encoding="utf-8")
                found = set(re.findall(r"#[0-9a-f]{6}\b|#[0-9a-f]{3}\b", text))
                own |= {(path.name, color) for color in found - {pair[0] for pair in COLORS.values()}}
    # bertviz 的视图自带白底，里面是它自己的颜色
    assert own == {("frames.py", "#fff"), ("frames.py", "#000")}


def test_chapters_name_their_colors():
    """各章画图时不用 matplotlib 的默认色与色图：它们不随页面换颜色。"""
    strangers = re.compile(
        r"tab:|RdBu|Blues|Reds|viridis|gray_r|colou?r=\W+(gray|black|white|red|blue|0\.\d)"
    )
    found = {
        (path.name, match[0])
        for path in (ROOT / "chapters").glob("*.ipynb")
        for match in strangers.finditer(path.read_text(encoding="utf-8"))
    }
    assert found == set()
