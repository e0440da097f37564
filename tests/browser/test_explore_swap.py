"""可以动手的图“激活修补”：颜色、框、两条概率在哪里，几层改答的说法；拖、点都到得了。"""

import torch
from figure_rows.writing import SWAP

LAYERS, DATA = 6, SWAP
FIRST = DATA["questions"][0]


def state(page):
    return page.evaluate("document.querySelector('figure').state()")


def shades(page, where):
    cells = page.locator(f"{where} rect:not(.explore-frame)")
    return torch.tensor(
        cells.evaluate_all("all => all.map((one) => parseFloat(one.style.getPropertyValue('--shade')))")
    ).double()


def middle(box, layer):
    return box["x"] + box["width"] * (layer - 0.5) / LAYERS, box["y"] + 8


def one_question(place, chances):
    tokens = [f"token{i}" for i in range(len(chances) - 1)] + ["is"]
    return DATA | {"questions": [FIRST | {"tokens": tokens, "place": place, "chances": chances}]}


def two_rows(first, last):
    """换前一个、换末一个，哪几层改答。"""
    changed = torch.tensor([first, last]) - 0.5
    return torch.stack([torch.zeros(2, LAYERS), changed], dim=-1)


def test_the_color_says_which_answer_and_the_frame_where(page):
    kept, changed = FIRST["chances"].unbind(dim=-1)
    assert (shades(page, ".explore-swap") == 100 * (changed > kept).flatten()).all()
    assert not page.locator(".explore-early, .explore-leap, .explore-across").count()
    for layer in range(1, LAYERS + 1):
        page.get_by_label("层", exact=True).fill(str(layer - 1))
        frame = page.locator(".explore-swap .explore-frame:not([hidden])")
        assert frame.count() == 1 and frame.get_attribute("x") == str(layer - 1)
        marks = page.locator(".explore-swap .explore-mark, .explore-ticks .explore-mark").all_inner_texts()
        assert marks == ["France", str(layer)]


def test_a_drag_moves_the_layer_and_a_click_chooses_the_cell(page):
    box = page.locator(".explore-swap .explore-strip svg").nth(1).bounding_box()
    page.mouse.move(*middle(box, 1))
    page.mouse.down()
    for layer in range(2, LAYERS + 1):
        page.mouse.move(*middle(box, layer))
        assert state(page)["layer"] == layer
    page.mouse.up()
    page.mouse.move(*middle(box, 1))  # 不按着，不动
    assert state(page)["layer"] == LAYERS
    page.mouse.click(*middle(box, 2))
    assert (state(page)["place"], state(page)["layer"]) == (1, 2)
    page.get_by_role("button", name="换一种问法", exact=True).click()
    assert (state(page)["place"], state(page)["layer"]) == (3, 2)  # 层不变，词元回到国名


def test_one_step_is_named_and_has_its_arrow(open_figure):
    chances = torch.tensor([0.5, 0.1]).repeat(5, LAYERS, 1)
    chances[3, :4] = chances[4, 4:] = torch.tensor([0.1, 0.5])
    page = open_figure("swap", one_question(3, chances))
    assert page.locator(".explore-leap").inner_text() == "第 5 层：一步"
    head = page.locator(".explore-across i").bounding_box()  # 箭头落在末一个词元的第 5 层
    cell = page.locator(".explore-swap .explore-strip svg").last.locator("rect").nth(4).bounding_box()
    assert abs(head["x"] + head["width"] / 2 - cell["x"] - cell["width"] / 2) < 1
    assert cell["y"] < head["y"] + head["height"] < cell["y"] + cell["height"]


def test_a_gap_is_said_and_has_no_arrow(open_figure):
    """换前一个词到第 2 层为止改答，换末一个从第 5 层起才改答：中间两层，换哪一格都不改口。"""
    page = open_figure("swap", one_question(0, two_rows([1, 1, 0, 0, 0, 0], [0, 0, 0, 0, 1, 1])))
    assert page.locator(".explore-leap").inner_text() == "第 3 到 4 层：换了都不改口"
    assert not page.locator(".explore-across").count()


def test_the_layers_that_have_it_unread_are_bracketed(open_figure):
    """换国名到第 2 层为止都改答，换末一个从第 3 层起都改答；提前读到第 5 层才读得出。"""
    early = {"early": torch.tensor([0.0, 0.0, 0.01, 0.02, 0.3, 0.8])}
    page = open_figure("swap", one_question(0, two_rows([1, 1, 0, 0, 0, 0], [0, 0, 1, 1, 1, 1])) | early)
    strip, waits = (page.locator(f".explore-early {one}").bounding_box() for one in ("svg", ".explore-waits"))
    cell = strip["width"] / LAYERS
    assert abs(waits["x"] - strip["x"] - 2 * cell) < 1 and abs(waits["width"] - 2 * cell) < 1
    page = open_figure("swap", DATA | {"questions": [FIRST]} | early)
    assert page.locator(".explore-waits").is_hidden()  # 没有一步到的，不画


def test_the_early_reading_stands_above_and_is_said(open_figure):
    early = torch.tensor([0.0, 0.01, 0.02, 0.05, 0.3, 0.8])
    page = open_figure("swap", DATA | {"questions": [FIRST], "early": early})
    torch.testing.assert_close(shades(page, ".explore-early"), 100 * early.double() / 0.8, atol=0.51, rtol=0)
    box = page.locator(".explore-early svg").bounding_box()
    for layer in range(1, LAYERS + 1):
        page.mouse.click(*middle(box, layer))
        frames = page.locator(".explore-frame:not([hidden])").evaluate_all(
            "all => all.map(f => f.getAttribute('x'))"
        )
        assert frames == [str(layer - 1)] * 2  # 词元不变，两处的框同在一层
        assert page.locator(".explore-question span").inner_text() == f"第 {layer} 层：{early[layer - 1]:.2f}"
    assert [q[0] for q in page.locator(".explore-question").all_inner_texts()] == ["读", "换"]
    assert not page.get_by_role("group", name="哪一问").count()
