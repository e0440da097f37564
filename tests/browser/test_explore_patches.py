"""可以动手的图“图像块”：一行数、最接近的几块与 patchify 的相同，鼠标、键盘都点得到，打乱只换座位。"""

import base64
import io

import matplotlib.pyplot as plt
import pytest
import torch

from course_lib.vit import patchify

SIZE, WIDTHS = 48, [16, 8, 4]
PIXELS = torch.randint(256, (SIZE, SIZE, 3), generator=torch.Generator().manual_seed(3))


def address(pixels):
    """无损的 data 网址：读出来的像素一个不差。"""
    stored = io.BytesIO()
    plt.imsave(stored, pixels.byte().numpy(), format="png")
    return "data:image/png;base64," + base64.b64encode(stored.getvalue()).decode()


DATA = {"image": address(PIXELS), "size": SIZE, "widths": WIDTHS, "at": 1, "chosen": 7}


@pytest.fixture
def page(page):
    page.locator(".explore-photo").wait_for()
    return page


def chosen_and_nearest(page):
    return [int(spot.get_attribute("data-patch")) for spot in page.locator(".explore-spot").all()]


def expected(width, n):
    """第 n 块的一行数，与数最接近的五块。"""
    rows = patchify(PIXELS.permute(2, 0, 1)[None] / 255, width)[0]
    apart = torch.cdist(rows[n : n + 1], rows, compute_mode="donot_use_mm_for_euclid_dist")[0]
    return rows[n], apart.argsort()[1:6].tolist()


@pytest.mark.parametrize(("step", "width"), [(0, 16), (1, 8), (2, 4)])
def test_rows_and_nearest_equal_the_library(page, step, width):
    slider = page.locator("input[type=range]")
    slider.fill(str(step))
    page.locator(".explore-photo").focus()
    page.keyboard.press("ArrowRight")
    n, *near = chosen_and_nearest(page)
    row, close = expected(width, n)
    assert near == close
    shown = page.locator(".explore-numbers").inner_text().replace("…", " ").split()
    torch.testing.assert_close(
        torch.tensor([float(x) for x in shown]), torch.cat([row[:4], row[-2:]]), atol=0.0051, rtol=0
    )
    count = (SIZE // width) ** 2
    note = page.locator(".explore-note").inner_text()
    assert f"= {count} 块" in note and f"{(count + 1) ** 2:,} 个分数" in note
    assert f"= {3 * width**2} 个数" in page.locator(".explore-said").inner_text()


def test_pointing_and_arrows_reach_a_patch(page):
    surface, side = page.locator(".explore-photo"), SIZE // 8
    box = surface.bounding_box()
    surface.click(position={"x": box["width"] * 2.5 / side, "y": box["height"] * 3.5 / side})
    assert chosen_and_nearest(page)[0] == 3 * side + 2
    for key in ("ArrowDown", "ArrowLeft"):
        page.keyboard.press(key)
    assert chosen_and_nearest(page)[0] == 4 * side + 1
    assert surface.get_attribute("aria-valuenow") == str(4 * side + 2)
    for _ in range(9):  # 走到边上就停住
        page.keyboard.press("ArrowDown")
    assert chosen_and_nearest(page)[0] == 5 * side + 1


def test_shuffling_moves_seats_and_nothing_else(page):
    before = chosen_and_nearest(page), page.locator(".explore-numbers").inner_text()
    page.get_by_role("button", name="打乱", exact=True).click()
    assert (chosen_and_nearest(page), page.locator(".explore-numbers").inner_text()) == before
    seat = int(page.locator(".explore-photo").get_attribute("aria-valuenow")) - 1
    assert seat != before[0][0]
    # 画出来的那一格真的是这一块：取格子正中的像素
    left, top = 16 * (seat % 6) + 7, 16 * (seat // 6) + 7
    shown = page.evaluate(
        "([x, y]) => [...document.querySelector('.explore-photo canvas').getContext('2d').getImageData(x, y, 1, 1).data]",
        [left, top],
    )[:3]
    n = before[0][0]
    block = PIXELS[8 * (n // 6) : 8 * (n // 6 + 1), 8 * (n % 6) : 8 * (n % 6 + 1)].reshape(-1, 3).tolist()
    assert shown in block
    page.get_by_role("button", name="原样", exact=True).click()
    assert page.locator(".explore-photo").get_attribute("aria-valuenow") == str(n + 1)
