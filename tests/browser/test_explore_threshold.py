"""可以动手的图“阈值”：留下几个、混进几个、压低几倍、“提升”几倍，都与重算的相同；混进来的太少就不算。"""

from itertools import product

import pytest
import torch
from explorable_helpers import points, slide

BINS = 20
generator = torch.Generator().manual_seed(0)
METHODS = [
    {
        "name": name,
        "signal": torch.randint(0, 90, (BINS,), generator=generator),
        "background": torch.randint(0, 90, (BINS,), generator=generator),
    }
    for name in ("学得的", "另一种")
]
METHODS[0]["background"][-2:] = 3
RIVALS = [
    {"name": "只看质量", "cuts": [[0.1, 20.0], [0.5, 6.0], [1.0, 1.0]]},
    {"name": "五个变量", "cuts": [[0.1, 90.0], [0.4, 30.0], [1.0, 1.0]]},
]
DATA = {"methods": METHODS, "rivals": RIVALS, "at": 10, "least": 20}


def told(method, rival, at):
    kept, passed = (int(METHODS[method][kind][at:].sum()) for kind in ("signal", "background"))
    share = kept / int(METHODS[method]["signal"].sum())
    factor = int(METHODS[method]["background"].sum()) / passed
    cuts = RIVALS[rival]["cuts"]
    i = 1 if share <= cuts[1][0] else 2
    (x0, y0), (x1, y1) = cuts[i - 1 : i + 1]
    other = y0 + (y1 - y0) * (share - x0) / (x1 - x0)
    return kept, passed, share, factor, other


@pytest.mark.parametrize("method", [0, 1])
def test_numbers(page, method):
    for rival, at in product([0, 1], [0, 4, 10, 15]):
        page.get_by_role("button", name=METHODS[method]["name"], exact=True).click()
        page.get_by_role("button", name=RIVALS[rival]["name"], exact=True).click()
        slide(page, "阈值挡住", at)
        kept, passed, share, factor, other = told(method, rival, at)
        said = page.locator(".explore-said").inner_text()
        assert (
            f"双叉留下 {100 * share:.1f}%（{kept} 个），单叉混进 {passed} 个：本底压低 {factor:.1f} 倍"
            in said
        )
        assert (
            f"{RIVALS[rival]['name']}在同样的信号效率处是 {other:.1f} 倍，“提升”{factor / other:.1f} 倍"
            in said
        )


def test_opens_where_it_is_told_and_follows_the_keys(page):
    slider = page.get_by_label("阈值挡住", exact=True)
    assert slider.get_attribute("aria-valuetext") == "50%"
    slider.focus()
    page.keyboard.press("ArrowRight")
    assert f"单叉混进 {told(0, 0, 11)[1]} 个" in page.locator(".explore-said").inner_text()


def test_too_few_to_count(page):
    slide(page, "阈值挡住", BINS - 1)
    said = page.locator(".explore-said").inner_text()
    assert "单叉混进 3 个" in said and "不算数" in said and "提升" not in said


def test_the_lines_are_the_counts(page):
    """两条阶梯的高矮与各格的个数成比例，竖线立在阈值处。"""
    chart = page.locator(".explore-line").first
    for which, kind in enumerate(("signal", "background")):
        heights = points(chart.locator("polyline").nth(which))[::2, 1]
        torch.testing.assert_close(heights, 150 - METHODS[0][kind] / 100 * 140, atol=0.06, rtol=0)
    cursor = chart.locator(".explore-cursor")
    ends = [float(cursor.get_attribute(end)) for end in ("x1", "x2")]
    assert ends[0] == ends[1]
