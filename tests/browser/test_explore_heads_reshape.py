"""可以动手的图“分头”：拆、算、合，对的写法与错的写法都与 torch 的相同，键盘走得通。"""

import pytest
import torch
from explorable_helpers import numbers

from course_lib.attention import MultiHeadAttention, scaled_dot_product_attention

WORDS = ["the", "sky", "is", "blue"]


def data():
    random = torch.Generator().manual_seed(6)
    weights = torch.randn(4, 6, 6, generator=random) / 6**0.5
    names = ("w_query", "w_key", "w_value", "w_out")
    return {"tokens": WORDS, "x": torch.randn(4, 6, generator=random), "heads": 2, "chosen": 3} | dict(
        zip(names, weights, strict=True)
    )


DATA = data()
CUTS = {
    "先 view，再 transpose": (
        lambda t: t.view(4, 2, 3).transpose(0, 1),
        lambda z: z.transpose(0, 1).reshape(4, 6),
    ),
    "一步 view": (lambda t: t.view(2, 4, 3), lambda z: z.reshape(4, 6)),
}


def follow(way):
    cut, join = CUTS[way]
    z, weights = scaled_dot_product_attention(
        *(cut(DATA["x"] @ DATA[name]) for name in ("w_query", "w_key", "w_value"))
    )
    return cut(DATA["x"] @ DATA["w_query"]), weights, z, join(z), join(z) @ DATA["w_out"]


@pytest.mark.parametrize("way", CUTS)
def test_every_step_is_torchs(page, way):
    page.get_by_role("button", name=way, exact=True).click()
    query, weights, z, joined, output = follow(way)
    for step, name, expected in (("4", "Q，头 ", query), ("5", "权重，头 ", weights), ("6", "Z，头 ", z)):
        page.get_by_role("button", name=f"第 {step} 步，共 8 步").click()
        for i in range(2):
            torch.testing.assert_close(numbers(page, f"{name}{i}"), expected[i], atol=0.0051, rtol=0)
    page.get_by_role("button", name="第 8 步，共 8 步").click()
    torch.testing.assert_close(numbers(page, "拼接"), joined, atol=0.0051, rtol=0)
    torch.testing.assert_close(numbers(page, "输出"), output, atol=0.0051, rtol=0)


def test_the_right_way_is_the_librarys():
    mha = MultiHeadAttention(6, 2, bias=False).requires_grad_(False)
    projections = {"w_query": mha.q_proj, "w_key": mha.k_proj, "w_value": mha.v_proj, "w_out": mha.out_proj}
    for name, linear in projections.items():
        linear.weight.copy_(DATA[name].T)
    torch.testing.assert_close(follow("先 view，再 transpose")[-1], mha(DATA["x"][None])[0][0])


def test_the_wrong_way_says_who_is_left_and_how_wrong_it_is(page):
    page.get_by_role("button", name="一步 view", exact=True).click()
    said = page.locator(".explore-said")
    page.get_by_role("button", name="第 4 步，共 8 步").click()
    assert "第 0 个头里只有 the、sky，第 1 个头里只有 is、blue" in said.inner_text()
    page.get_by_role("button", name="第 8 步，共 8 步").click()
    right, wrong = (follow(way)[-1] for way in CUTS)
    assert f"相差 {(wrong - right).norm() / right.norm():.2f}" in said.inner_text()


def test_a_colour_is_a_head(page):
    """对的写法里一个头一种颜色，错的写法里混了。"""
    colours = {}
    for way in CUTS:
        page.get_by_role("button", name=way, exact=True).click()
        page.get_by_role("button", name="第 4 步，共 8 步").click()
        first = page.locator(".explore-matrix", has=page.locator("caption", has_text="Q，头 0"))
        hues = first.locator("td").evaluate_all(
            "cells => cells.map((cell) => cell.style.getPropertyValue('--hue'))"
        )
        colours[way] = len(set(hues))
    assert list(colours.values()) == [1, 2]


def test_moving_is_over_or_not_wanted(page):
    """换步时数会挪过去；读者不要动画时不挪。"""
    running = "document.getAnimations().filter((one) => one.effect.getKeyframes().some((key) => key.transform)).length"
    for step in ("3", "4"):
        page.get_by_role("button", name=f"第 {step} 步，共 8 步").click()
    assert page.evaluate(running) == 24
    page.emulate_media(reduced_motion="reduce")
    for step in ("3", "4"):
        page.get_by_role("button", name=f"第 {step} 步，共 8 步").click()
    assert page.evaluate(running) == 0
