"""可以动手的图“逐层的透镜”：每一层、每个词元显示的正是给它的数；拖、点、播放、换句都到得了。"""

import pytest
import torch

LAYERS = 4


def prompt(tokens, seed):
    rng = torch.Generator().manual_seed(seed)
    shape = (LAYERS + 1, len(tokens))
    chances = torch.rand((*shape, 5), generator=rng).sort(descending=True).values.softmax(dim=-1)
    words = [
        [[f" w{layer}{place}{i}" for i in range(5)] for place in range(shape[1])] for layer in range(shape[0])
    ]
    words[1][0][0], words[1][0][1] = " ", "\n"
    return {
        "tokens": tokens,
        "words": words,
        "chances": chances,
        "first": torch.rand((LAYERS, len(tokens)), generator=rng),
        "lengths": 10 ** (4 * torch.rand(shape, generator=rng)),
    }


DATA = {"prompts": [prompt(["The", " capital", " is"], 0), prompt(["Monday", ",", " then", " Tuesday"], 1)]}


def bars(page):
    rows = page.locator(".explore-bars li")
    names = rows.locator(".explore-label").all_inner_texts()
    return names, [float(text) for text in rows.locator(".explore-number").all_inner_texts()]


def shows(page, one, layer, place):
    names, values = bars(page)
    assert names == [word.strip() for word in one["words"][layer][place]]
    torch.testing.assert_close(torch.tensor(values), one["chances"][layer, place], atol=6e-4, rtol=0)
    said = page.locator(".explore-numbers").inner_text()
    assert f"向量长 {one['lengths'][layer, place]:.0f}" in said
    assert (f"{one['first'][layer - 1, place]:.2f}" if layer else "还没有") in said


def test_every_layer_shows_its_numbers(page):
    following = page.get_by_role("button", name="下一步", exact=True)
    for layer in range(LAYERS + 1):
        shows(page, DATA["prompts"][0], layer, 2)
        assert page.locator(".explore-slider input").input_value() == str(layer)
        following.click() if layer < LAYERS else None
    assert following.is_disabled()


def test_the_slider_leads_and_stops_the_play(page):
    page.get_by_role("button", name="播放").click()
    slider = page.locator(".explore-slider input")
    slider.focus()
    page.keyboard.press("End")
    shows(page, DATA["prompts"][0], LAYERS, 2)
    assert page.get_by_role("button", name="播放").is_visible()  # 动了手，播放就停
    page.keyboard.press("ArrowLeft")
    shows(page, DATA["prompts"][0], LAYERS - 1, 2)
    assert f"第 {LAYERS - 1} 层" in page.locator(".explore-said").inner_text()


def test_a_token_and_a_sentence_are_picked(page):
    page.get_by_role("button", name="下一步", exact=True).click()
    page.get_by_role("button", name="The", exact=True).click()
    names, _ = bars(page)
    assert names[:2] == ["␣", "↵"]  # 空白与换行也看得见
    page.get_by_role("button", name="Monday, then Tuesday", exact=True).click()
    shows(page, DATA["prompts"][1], 1, 3)  # 层不变，词元回到末一个
    page.get_by_role("button", name="then", exact=True).click()
    shows(page, DATA["prompts"][1], 1, 2)


@pytest.mark.parametrize("place", [0, 2])
def test_curves_follow_the_token(page, place):
    page.locator(".explore-token").nth(place).click()
    one = DATA["prompts"][0]
    curves = [line.get_attribute("points").split() for line in page.locator(".explore-line polyline").all()]
    assert [len(points) for points in curves] == [LAYERS, LAYERS + 1, LAYERS + 1]
    share, length, first = (
        torch.tensor([float(point.split(",")[1]) for point in points]) for points in curves
    )
    torch.testing.assert_close(share, 110 - 100 * one["first"][:, place], atol=0.06, rtol=0)
    torch.testing.assert_close(length, 110 - 25 * one["lengths"][:, place].log10(), atol=0.06, rtol=0)
    torch.testing.assert_close(first, 110 - 25 * one["lengths"][:, 0].log10(), atol=0.06, rtol=0)
