"""可以动手的图“三块积木”，一幅一块：长度、相乘的三组、每个查询头的权重正是给它的数；拖层数、挑词元都到得了。"""

import pytest
import torch
from explorable_helpers import turn

LAYERS, HEADS, GROUPS, COUNT = 4, 6, 2, 3
WORDS = ["The", "capital", "is"]
rng = torch.Generator().manual_seed(18)
GATES, UPS = torch.randn(2, LAYERS, 3, COUNT, generator=rng)

DATA = {
    "part": "lengths",
    "tokens": WORDS,
    "before": (10 ** (4 * torch.rand(LAYERS, 3, generator=rng))).round().int(),
    "after": torch.full((LAYERS, 3), 24),
    "layer": 3,
}
GATE = {
    "part": "gate",
    "tokens": WORDS,
    "names": ["门最大", "门最近 0", "门最小"],
    "channels": torch.randint(1, 1537, (LAYERS, 3, COUNT), generator=rng),
    "gates": GATES,
    "ups": UPS,
    "negative": torch.randint(1537, (LAYERS, 3), generator=rng),
    "width": 1536,
    "layer": 3,
    "place": 2,
}
LOOKS = {
    "part": "heads",
    "tokens": WORDS,
    "looks": torch.randn(LAYERS, HEADS, 3, 3, generator=rng).tril().softmax(dim=-1),
    "groups": GROUPS,
    "layer": 3,
    "place": 2,
}
ALSO = [GATE, LOOKS]


def read(cells):
    return torch.tensor([float(text.replace("−", "-")) for text in cells.all_inner_texts()])


def everywhere(page, shows):
    """打开时，以后每一层、每个词元。"""
    shows(3, 2)
    for layer in range(1, LAYERS + 1):
        turn(page, "层", list(range(1, LAYERS + 1)), layer)
        for place, word in enumerate(WORDS):
            page.get_by_role("button", name=word, exact=True).click()
            shows(layer, place)


def test_every_layer_shows_its_lengths(page):
    for layer in range(1, LAYERS + 1):
        turn(page, "层", list(range(1, LAYERS + 1)), layer)
        before = DATA["before"][layer - 1]
        lengths = read(page.locator(".explore-number")).view(3, 2)
        assert lengths.tolist() == [[b, 24] for b in before.tolist()]
        said = page.locator(".explore-said").inner_text()
        assert f"第 {layer} 层" in said and f"最短的 {before.min()}，最长的 {before.max()}。" in said


def test_every_gate_times_the_other_road(open_figure):
    page = open_figure("bricks", GATE)

    def shows(layer, place):
        gate, up = (GATE[name][layer - 1, place] for name in ("gates", "ups"))
        three = torch.stack([gate, up, gate * up], dim=1)
        seen = read(page.locator(".explore-gated .explore-number")).view(COUNT, 3)
        torch.testing.assert_close(seen, three, atol=6e-3, rtol=0)
        bars = page.locator(".explore-sided i").evaluate_all(
            "all => all.map((bar) => parseFloat(bar.style.width) * (bar.classList.contains('explore-below') ? -1 : 1))"
        )
        wanted = 50 * three / three.abs().amax(dim=1, keepdim=True)  # 三组各用各的尺
        torch.testing.assert_close(torch.tensor(bars).view(COUNT, 3), wanted, atol=0.02, rtol=0)
        titles = page.locator(".explore-gated > .explore-label").all_inner_texts()
        channels = GATE["channels"][layer - 1, place].tolist()
        assert titles == [f"{name}：第 {k} 个" for name, k in zip(GATE["names"], channels, strict=True)]
        said = f"第 {layer} 层，{WORDS[place]}：1536 个门里，{GATE['negative'][layer - 1, place]} 个是负的。"
        assert page.locator(".explore-said").inner_text() == said

    everywhere(page, shows)


def test_every_head_shows_where_it_looks(open_figure):
    page = open_figure("bricks", LOOKS)
    assert page.locator(".explore-key").all_inner_texts() == ["键 1", "键 2"]
    assert page.locator(".explore-query").all_inner_texts() == [f"头 {h + 1}" for h in range(HEADS)]
    owners = page.locator(".explore-shared")
    assert [owner.get_attribute("rowspan") for owner in owners.all()] == ["3", "3"]

    def shows(layer, place):
        seen = read(page.locator("tbody td:not(.explore-shared, .explore-aside)")).view(HEADS, 3)
        torch.testing.assert_close(seen, LOOKS["looks"][layer - 1, :, place], atol=6e-3, rtol=0)
        assert f"第 {layer} 层里，{WORDS[place]} 看谁" in page.locator(".explore-said").inner_text()
        assert page.locator("td.explore-mark").count() == (place > 0)
        looks = LOOKS["looks"][layer - 1, :, place, 1 : place + 1]
        for group, three in enumerate(looks.unflatten(0, (GROUPS, -1))):
            apart = place > 0 and three.max() == looks.max() > 0.3
            apart = apart and (three[:, three.amax(0).argmax()] > three.max() / 2).sum() == 1
            assert page.locator(".explore-aside").nth(group).inner_text() == "同一份键与值，看得不同" * int(
                apart
            )

    everywhere(page, shows)


@pytest.mark.parametrize("data", [GATE, LOOKS], ids=["gate", "heads"])
def test_keyboard_alone(open_figure, data):
    page = open_figure("bricks", data)
    page.get_by_label("层", exact=True).focus()
    page.keyboard.press("Home")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    said = page.locator(".explore-said").inner_text()
    assert "第 1 层" in said and "The" in said
