"""可以动手的图“掩码”：重算的权重与课程库的相同，键盘走得通。"""

import pytest
import torch
from explorable_helpers import numbers

from course_lib.attention import causal_mask, scaled_dot_product_attention


def data():
    scores = torch.randn(4, 4, generator=torch.Generator().manual_seed(4))
    return {"tokens": ["time", "flies", "fast", "[PAD]"], "scores": scores, "padding": [False] * 3 + [True]}


DATA = data()


@pytest.mark.parametrize(
    ("rule", "keep"),
    [
        ("都可以看", torch.ones(4, 4, dtype=torch.bool)),
        ("填充", torch.tensor([True] * 3 + [False]).expand(4, 4)),
        ("因果", causal_mask(4)),
        ("填充与因果", causal_mask(4) & torch.tensor([True] * 3 + [False])),
    ],
)
def test_masks_are_the_librarys(page, rule, keep):
    page.get_by_role("button", name=rule, exact=True).click()
    eye = torch.eye(4)
    _, weights = scaled_dot_product_attention(DATA["scores"] * 2, eye, eye, keep)  # √4 = 2
    torch.testing.assert_close(numbers(page, "权重"), weights, atol=0.0051, rtol=0)


def test_a_row_that_may_see_nothing(page):
    for word in ("time", "flies", "fast", "[PAD]"):
        page.get_by_role("button", name=f"flies 看 {word}：可以").click()
    assert numbers(page, "权重")[1].isnan().all() and "NaN" in page.locator(".explore-said").inner_text()
    page.get_by_role("button", name="给零").click()
    assert numbers(page, "权重")[1].tolist() == [0] * 4


def test_keyboard_alone(page):
    page.get_by_role("button", name="time 看 time：可以").focus()
    for key in ("ArrowRight", "ArrowDown", "Enter"):
        page.keyboard.press(key)
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "flies 看 flies：不可以"
