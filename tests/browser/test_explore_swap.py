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
    ticks = page.locator(".explore-ticks span").all_inner_texts()
    assert ticks[layer - 1] == str(layer) == page.locator(".explore-ticks .explore-mark").inner_text()


def test_every_cell_shows_its_numbers(page):
    one = DATA["questions"][0]
    shows(page, one, 3, 4)  # 打开时在国名那一格
    for place, token in enumerate(one["tokens"]):
        page.get_by_role("button", name=token, exact=True).click()
        for layer in DEPTHS:
            turn(page, "层", DEPTHS, layer)
            shows(page, one, place, layer)


def shades(page, where):
    found = page.locator(f"{where} rect:not(.explore-frame)").evaluate_all(
        "cells => cells.map(cell => parseFloat(cell.style.getPropertyValue('--shade')))"
    )
    return torch.tensor(found, dtype=torch.float32)


def test_the_color_says_which_answer(page):
    changed = DATA["questions"][0]["chances"][..., 1]
    found = shades(page, ".explore-swap")
    kept = DATA["questions"][0]["chances"][..., 0]
    assert (found == 100 * (changed > kept).flatten()).all()
    assert not page.locator(".explore-early").count()


def test_the_step_is_named_only_where_it_is_one(page, open_figure):
    assert not page.locator(".explore-leap, .explore-across").count()
    one = DATA["questions"][0] | {"chances": torch.tensor([0.5, 0.1]).repeat(5, LAYERS, 1)}
    one["chances"][3, :4], one["chances"][4, 4:] = (torch.tensor([0.1, 0.5]),) * 2
    page = open_figure("swap", DATA | {"questions": [one]})
    assert page.locator(".explore-leap").inner_text() == "第 5 层：一步"
    head = page.locator(".explore-across i").bounding_box()  # 箭头落在末一个词元的第 5 层
    cell = page.locator(".explore-swap .explore-strip svg").last.locator("rect").nth(4).bounding_box()
    assert abs(head["x"] + head["width"] / 2 - cell["x"] - cell["width"] / 2) < 1
    assert cell["y"] < head["y"] + head["height"] < cell["y"] + cell["height"]


def test_a_drag_moves_the_layer(page):
    box = page.locator(".explore-swap .explore-strip svg").nth(1).bounding_box()
    middle = [box["x"] + box["width"] * (layer - 0.5) / LAYERS for layer in DEPTHS]
    page.mouse.move(middle[0], box["y"] + 8)
    page.mouse.down()
    for layer in DEPTHS[1:]:
        page.mouse.move(middle[layer - 1], box["y"] + 8)
        assert f"第 {layer} 层之后" in page.locator(".explore-said").inner_text()
    page.mouse.up()
    page.mouse.move(middle[0], box["y"] + 8)  # 不按着，不动
    assert f"第 {LAYERS} 层之后" in page.locator(".explore-said").inner_text()


def test_a_cell_is_clicked_and_another_question_asked(page):
    first, second = DATA["questions"]
    strip = page.locator(".explore-swap svg").nth(1)
    width = strip.bounding_box()["width"]
    for layer in (1, LAYERS):
        strip.click(position={"x": width * (layer - 0.5) / LAYERS, "y": 8})
        shows(page, first, 1, layer)
    page.get_by_role("button", name="换一种问法", exact=True).click()
    shows(page, second, 3, LAYERS)  # 层不变，词元回到国名


def test_the_layers_that_have_it_unread_are_bracketed(open_figure):
    """换国名到第 2 层为止都改答，换末一个从第 3 层起都改答；提前读到第 5 层才读得出。"""
    kept = torch.zeros(2, LAYERS)
    changed = torch.tensor([[1, 1, 0, 0, 0, 0], [0, 0, 1, 1, 1, 1]]) - 0.5
    one = question("两个词元", ["France", "is"], 0, 0)
    one |= {"chances": torch.stack([kept, changed], dim=-1)}
    early = torch.tensor([0.0, 0.0, 0.01, 0.02, 0.3, 0.8])
    page = open_figure("swap", DATA | {"questions": [one], "early": early})
    strip, waits = (page.locator(f".explore-early {one}").bounding_box() for one in ("svg", ".explore-waits"))
    cell = strip["width"] / LAYERS
    assert abs(waits["x"] - strip["x"] - 2 * cell) < 1 and abs(waits["width"] - 2 * cell) < 1
    page = open_figure("swap", DATA | {"questions": DATA["questions"][:1], "early": early})
    assert page.locator(".explore-waits").is_hidden()  # 没有一步到的，不画


def test_a_gap_is_said_and_has_no_arrow(open_figure):
    """换前一个词到第 2 层为止改答，换末一个从第 5 层起才改答：中间两层，换哪一格都不改口。"""
    changed = torch.tensor([[1, 1, 0, 0, 0, 0], [0, 0, 0, 0, 1, 1]]) - 0.5
    one = question("隔着两层", ["hot", "is"], 0, 0)
    one |= {"chances": torch.stack([torch.zeros(2, LAYERS), changed], dim=-1)}
    page = open_figure("swap", DATA | {"questions": [one]})
    assert page.locator(".explore-leap").inner_text() == "第 3 到 4 层：换了都不改口"
    assert not page.locator(".explore-across").count()


def test_the_early_reading_stands_above_and_is_said(open_figure):
    early = torch.tensor([0.0, 0.01, 0.02, 0.05, 0.3, 0.8])
    one = DATA["questions"][0]
    page = open_figure("swap", DATA | {"questions": [one], "early": early})
    torch.testing.assert_close(shades(page, ".explore-early"), 100 * early / 0.8, atol=0.51, rtol=0)
    strip = page.locator(".explore-early svg")
    width = strip.bounding_box()["width"]
    for layer in DEPTHS:
        strip.click(position={"x": width * (layer - 0.5) / LAYERS, "y": 8})
        frames = page.locator(".explore-frame:not([hidden])").evaluate_all(
            "all => all.map(f => f.getAttribute('x'))"
        )
        assert frames == [str(layer - 1)] * 2  # 词元不变，两处的框同在一层
        read = page.locator(".explore-question span").inner_text()
        assert read == f"第 {layer} 层：{early[layer - 1]:.2f}"
        said = page.locator(".explore-said").inner_text()
        assert f"第 {layer} 层之后，把 France 这一格换成 Italy 那一句的" in said
    assert [q[0] for q in page.locator(".explore-question").all_inner_texts()] == ["读", "换"]
    assert not page.get_by_role("group", name="哪一问").count()
