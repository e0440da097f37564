"""可以动手的图“三块积木”：长度、相乘的三列、所选查询头的权重正是给它的数；拖层数、挑词元、点头都到得了。"""

import torch
from explorable_helpers import turn

LAYERS, HEADS, GROUPS, COUNT = 4, 6, 2, 5
WORDS = ["The", "capital", "is"]
rng = torch.Generator().manual_seed(18)
LOOKS = torch.randn(LAYERS, HEADS, 3, 3, generator=rng).tril().softmax(dim=-1)
GATES, UPS = torch.randn(2, LAYERS, 3, COUNT, generator=rng)

DATA = {
    "tokens": WORDS,
    "before": (10 ** (4 * torch.rand(LAYERS, 3, generator=rng))).round().int(),
    "after": torch.full((LAYERS, 3), 24),
    "gates": (100 * GATES).round().int(),
    "ups": (100 * UPS).round().int(),
    "looks": (1000 * LOOKS).round().int(),
    "groups": GROUPS,
    "layer": 3,
    "place": 2,
    "head": 4,
}


def numbers(page, name):
    texts = page.get_by_label(name, exact=True).locator(".explore-number").all_inner_texts()
    return torch.tensor([float(text.replace("−", "-")) for text in texts])


def shows(page, layer, place, head):
    l = layer - 1  # noqa: E741
    lengths = numbers(page, "RMSNorm 前后，各个词元的长度").view(3, 2)
    assert lengths.tolist() == [[b, 24] for b in DATA["before"][l].tolist()]
    gate, up = (DATA[name][l, place] / 100 for name in ("gates", "ups"))
    three = numbers(page, "门的系数、另一路、乘出来的").view(COUNT, 3)
    torch.testing.assert_close(three, torch.stack([gate, up, gate * up], dim=1), atol=6e-3, rtol=0)
    given = numbers(page, "这个查询头看谁")
    torch.testing.assert_close(given, DATA["looks"][l, head, place] / 1000, atol=6e-3, rtol=0)
    said = page.locator(".explore-said").inner_text()
    group = head // (HEADS // GROUPS) + 1
    assert f"第 {layer} 层，进前馈网络时：{WORDS[place]} 的向量长" in said
    assert f"这一层的第 {head + 1} 个查询头用第 {group} 份键与值" in said
    assert page.locator(".explore-shared.explore-mark b").all_inner_texts() == [f"键 {group}", f"值 {group}"]


def test_every_layer_token_and_head_shows_its_numbers(page):
    shows(page, 3, 2, 4)  # 打开时
    for layer in range(1, LAYERS + 1):
        turn(page, "层", list(range(1, LAYERS + 1)), layer)
        for place, word in enumerate(WORDS):
            page.get_by_role("button", name=word, exact=True).click()
            head = (layer + place) % HEADS
            page.get_by_role("button", name=f"第 {head + 1} 个查询头", exact=True).click()
            shows(page, layer, place, head)


def test_a_bar_is_as_long_as_its_number_and_turns_where_it_is_negative(page):
    gate, up = (DATA[name][2, 2] / 100 for name in ("gates", "ups"))
    wanted = torch.stack([gate, up, gate * up], dim=1).flatten()
    bars = page.locator(".explore-sided i").evaluate_all(
        "all => all.map((bar) => parseFloat(bar.style.width) * (bar.classList.contains('explore-below') ? -1 : 1))"
    )
    torch.testing.assert_close(torch.tensor(bars), 50 * wanted / wanted.abs().max(), atol=0.01, rtol=0)


def test_keyboard_alone(page):
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    shows(page, 3, 2, 0)
    page.get_by_label("层", exact=True).focus()
    page.keyboard.press("Home")
    shows(page, 1, 2, 0)
