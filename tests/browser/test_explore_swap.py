"""可以动手的图“激活修补”：颜色、两条概率与那句话正是给它的数；拖层数、挑词元、点格子、换一问都到得了。"""

import torch
from explorable_helpers import turn

LAYERS = 6
DEPTHS = list(range(1, LAYERS + 1))


def question(name, tokens, place, seed):
    rng = torch.Generator().manual_seed(seed)
    return {
        "name": name,
        "tokens": tokens,
        "place": place,
        "from": "Italy",
        "answers": ["Paris", "Rome"],
        "chances": torch.rand((len(tokens), LAYERS, 2), generator=rng) / 2,
    }


DATA = {
    "layer": 4,
    "questions": [
        question("五个词元", ["The", "capital", "of", "France", "is"], 3, 0),
        question("换一种问法", ["We", "went", "to", "France", "and", "visited", "its", "capital", ","], 3, 1),
    ],
}


def shows(page, one, place, layer):
    kept, changed = one["chances"][place, layer - 1].tolist()
    numbers = page.locator(".explore-bars .explore-number").all_inner_texts()
    torch.testing.assert_close([float(n) for n in numbers], [kept, changed], atol=6e-3, rtol=0)
    said = page.locator(".explore-said").inner_text()
    assert f"第 {layer} 层之后，把 {one['tokens'][place]} 这一格换成 Italy 那一句的" in said
    assert said.endswith("改答 Rome。" if changed > kept else "还是 Paris。")
    assert (
        page.get_by_role("button", name=one["tokens"][place], exact=True).get_attribute("aria-pressed")
        == "true"
    )
    frame = page.locator(".explore-swap .explore-frame:not([hidden])")
    assert frame.count() == 1 and frame.get_attribute("x") == str(layer - 1)
    assert page.locator(".explore-swap .explore-mark").inner_text() == one["tokens"][place]


def test_every_cell_shows_its_numbers(page):
    one = DATA["questions"][0]
    shows(page, one, 3, 4)  # 打开时在国名那一格
    for place, token in enumerate(one["tokens"]):
        page.get_by_role("button", name=token, exact=True).click()
        for layer in DEPTHS:
            turn(page, "层", DEPTHS, layer)
            shows(page, one, place, layer)


def test_the_color_is_the_chance_of_the_other_answer(page):
    changed = DATA["questions"][0]["chances"][..., 1]
    shades = page.locator(".explore-swap rect:not(.explore-frame)").evaluate_all(
        "cells => cells.map(cell => parseFloat(cell.style.getPropertyValue('--shade')))"
    )
    torch.testing.assert_close(
        torch.tensor(shades, dtype=torch.float32),
        (100 * changed / changed.max()).flatten(),
        atol=0.51,
        rtol=0,
    )


def test_a_cell_is_clicked_and_another_question_asked(page):
    first, second = DATA["questions"]
    strip = page.locator(".explore-swap svg").nth(1)
    width = strip.bounding_box()["width"]
    for layer in (1, LAYERS):
        strip.click(position={"x": width * (layer - 0.5) / LAYERS, "y": 8})
        shows(page, first, 1, layer)
    page.get_by_role("button", name="换一种问法", exact=True).click()
    shows(page, second, 3, LAYERS)  # 层不变，词元回到国名
