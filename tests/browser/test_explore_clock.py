"""可以动手的图“一排钟”：针的角度、编码、点积与课程库的相同；间隔不变，转过的角就不变，无论从哪里出发。"""

import re
from math import pi

import pytest
import torch
from explorable_helpers import points, slide

from course_lib.layers import sinusoidal_encoding

DATA = {"d_model": 16, "positions": 60, "offsets": 40}
TABLE = sinusoidal_encoding(101, 16)
SPEEDS = 10000 ** (-torch.arange(0, 16, 2) / 16)


def pairs(page):
    """每只钟下面的正弦与余弦，连起来就是编码。"""
    texts = page.locator(".explore-pair").all_inner_texts()
    return torch.tensor([float(number.replace("−", "-")) for text in texts for number in text.split(", ")])


def angles(page, hue):
    """一种颜色的针，各指着多少弧度。"""
    hands = page.locator(f".explore-clock line[style*='--{hue}']")
    return torch.tensor(
        hands.evaluate_all("all => all.map(hand => parseFloat(hand.style.transform.slice(7)))")
    )


def turned(page):
    """写着的“转 2 圈又 30°”，换成弧度。"""
    read = []
    for text in page.locator(".explore-turned").all_inner_texts():
        laps, degrees = re.fullmatch(r"转 (?:(\d+) 圈又 )?([\d.]+)°", text).groups()
        read.append(2 * pi * int(laps or 0) + float(degrees) * pi / 180)
    return torch.tensor(read)


def product(page):
    said = page.locator(".explore-said").inner_text().replace("−", "-")
    return float(re.search(r"点积 ÷ 8 是 (-?[\d.]+)", said)[1])


@pytest.mark.parametrize(("position", "offset"), [(0, 0), (3, 5), (17, 1), (60, 40)])
def test_numbers_are_the_librarys(page, position, offset):
    slide(page, "位置", position)
    slide(page, "间隔", offset)
    torch.testing.assert_close(pairs(page), TABLE[position], atol=0.0051, rtol=0)
    for hue, row in (("ink", TABLE[position]), ("ochre", TABLE[position + offset])):
        hands = angles(page, hue)
        shown = torch.stack([hands.sin(), hands.cos()], dim=-1).flatten()
        torch.testing.assert_close(shown, row, atol=1e-4, rtol=0)
    strips = page.locator(".explore-strip").all()
    for strip, row in zip(strips, (TABLE[position], TABLE[position + offset]), strict=True):
        seen = strip.locator("rect").evaluate_all(
            "all => all.map(cell => (cell.style.fill.includes('minus') ? -1 : 1) * cell.style.opacity)"
        )
        torch.testing.assert_close(torch.tensor(seen, dtype=torch.float), row, atol=0.0051, rtol=0)
    assert abs(product(page) - float(TABLE[position] @ TABLE[position + offset]) / 8) < 0.0051


def test_the_offset_is_one_rotation_wherever_one_stands(page):
    slide(page, "间隔", 13)
    seen = []
    for position in (0, 8, 41):
        slide(page, "位置", position)
        torch.testing.assert_close(turned(page), 13 * SPEEDS, atol=0.01, rtol=0)
        torch.testing.assert_close(
            angles(page, "ochre") - angles(page, "ink"), 13 * SPEEDS, atol=1e-4, rtol=0
        )
        seen.append((turned(page).tolist(), product(page), page.locator("polyline").get_attribute("points")))
    assert seen[0] == seen[1] == seen[2]
    slide(page, "间隔", 14)
    assert (turned(page) - 13 * SPEEDS).abs().max() > 0.5


def test_the_curve_is_the_dot_product(page):
    heights = points(page.locator("polyline"))[:, 1]
    expected = (sinusoidal_encoding(41, 16) @ TABLE[0]) / 8
    assert len(heights) == 41
    torch.testing.assert_close((110 - heights) / 100, expected, atol=0.002, rtol=0)


def test_plays_pauses_and_obeys_the_keys(page):
    place = page.get_by_label("位置", exact=True)
    place.focus()
    page.keyboard.press("ArrowRight")
    assert place.input_value() == "4"
    page.get_by_role("button", name="播放", exact=True).click()
    page.wait_for_function("document.querySelector('.explore input').value >= 6")
    page.get_by_role("button", name="暂停", exact=True).click()
    stopped = place.input_value()
    page.wait_for_timeout(700)
    assert place.input_value() == stopped
    slide(page, "位置", 59)
    page.get_by_role("button", name="播放", exact=True).click()
    page.get_by_role("button", name="播放", exact=True).wait_for()
    assert place.input_value() == "60"
