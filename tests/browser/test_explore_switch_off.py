"""可以动手的图“关掉一个头”：移动的距离就是给它的数，平均与谁最远只在同一层里算，键盘走得通。"""

import re

import torch
from explorable_helpers import walks_the_board

WORDS = ["[CLS]", "they", "were", "inspired", "[SEP]"]
ENDINGS = ["inspired", "beautiful"]
random = torch.Generator().manual_seed(6)


def pair(name, tokens, endings, word):
    """两句，6 个头（两层）：后一层的距离大五倍。"""
    n = len(tokens)
    moved = torch.rand(2, 6, n, generator=random) * torch.tensor([[[0.1]] * 3 + [[0.5]] * 3])
    rows = (torch.randn(2, 6, n, generator=random) * 2).softmax(dim=-1)
    return {
        "name": name,
        "tokens": tokens,
        "endings": endings,
        "place": tokens.index(endings[0]),
        "word": word,
        "rows": (rows * 1000).round().int(),
        "moved": (moved * 1000).round().int(),
    }


DATA = {
    "sentences": [
        pair("songs", WORDS, ENDINGS, 1),
        pair("apples", ["[CLS]", "because", "they", "were", "hungry", "[SEP]"], ["hungry", "sweet"], 2),
    ],
    "heads": 3,
    "chosen": 4,
}
ROWS, MOVED = (DATA["sentences"][0][name] / 1000 for name in ("rows", "moved"))
MOVED = MOVED.unflatten(1, (2, 3))  # （句，层，头，词元）


def shown(page, which):
    """左边（0）每个词元的移动，右边（1）两句的权重。"""
    texts = page.locator(".explore-moved").nth(which).locator(".explore-number").all_inner_texts()
    return torch.tensor([[float(number) for number in text.split(" · ")] for text in texts])


def percent(page, part, side):
    bars = page.locator(f".explore-moved .explore-track {part}")
    return torch.tensor(bars.evaluate_all(f"all => all.map((bar) => parseFloat(bar.style.{side}))"))


def test_numbers_are_those_of_the_layer(page):
    """每个头：移动、同层其余的平均、在这一层里移动得最远的词元。"""
    for ending in [0, 1]:
        page.get_by_role("button", name=ENDINGS[ending], exact=True).click()
        for head in range(6):
            page.locator("button.explore-switch").nth(head).click()
            layer, own = divmod(head, 3)
            table = MOVED[ending, layer]
            others = (table.sum(dim=0) - table[own]) / 2
            torch.testing.assert_close(shown(page, 0)[:, 0], table[own], atol=0.0051, rtol=0)
            top = table.max()
            torch.testing.assert_close(
                percent(page, ".explore-fill", "width"), 100 * table[own] / top, atol=0.01, rtol=0
            )
            torch.testing.assert_close(
                percent(page, ".explore-tick", "left"), 100 * others / top, atol=0.01, rtol=0
            )
            won = (table.argmax(dim=0) == own).tolist()
            labels = page.locator(".explore-moved").first.locator(".explore-label")
            assert (
                labels.evaluate_all("all => all.map((one) => one.classList.contains('explore-mark'))") == won
            )
            said = page.locator(".explore-said").inner_text()
            assert f"关掉第 {layer} 层第 {own} 个头，they 移动" in said
            two = torch.tensor([float(number) for number in re.findall(r"0\.\d\d", said)])
            torch.testing.assert_close(two, torch.stack([table[own, 1], others[1]]), atol=0.0051, rtol=0)


def test_counts_over_all_sentences(page):
    """句数，那个词元动得最远的句数，这个头在这一层里最要紧的句数。"""
    for head in range(6):
        page.locator("button.explore-switch").nth(head).click()
        most = best = 0
        layer = slice(head // 3 * 3, head // 3 * 3 + 3)
        for its in DATA["sentences"]:
            for table in its["moved"]:
                most += int(table[head].argmax() == its["word"])
                best += int(table[layer, its["word"]].argmax() == head % 3)
        said = page.locator(".explore-said").inner_text()
        assert re.findall(r"(\d+) 句", said) == ["4", str(most), str(best)]


def test_another_pair(page):
    page.get_by_role("button", name="apples", exact=True).click()
    its = DATA["sentences"][1]
    torch.testing.assert_close(shown(page, 0)[:, 0], its["moved"][0, 4] / 1000, atol=0.0051, rtol=0)
    torch.testing.assert_close(shown(page, 1), its["rows"][:, 4].T / 1000, atol=0.0051, rtol=0)
    page.get_by_role("button", name="sweet", exact=True).click()
    torch.testing.assert_close(shown(page, 0)[:, 0], its["moved"][1, 4] / 1000, atol=0.0051, rtol=0)
    assert page.locator(".explore-moved").first.locator(".explore-label").nth(4).inner_text() == "sweet"


def test_both_endings_stand_side_by_side(page):
    for head in range(6):
        page.locator("button.explore-switch").nth(head).click()
        torch.testing.assert_close(shown(page, 1), ROWS[:, head].T, atol=0.0051, rtol=0)
        widths = page.locator(".explore-twins .explore-fill").evaluate_all(
            "all => all.map((bar) => parseFloat(bar.style.width))"
        )
        torch.testing.assert_close(torch.tensor(widths).view(5, 2), 100 * ROWS[:, head].T, atol=0.01, rtol=0)
    assert page.get_by_text("inspired / beautiful", exact=True).count() == 1


def test_the_board_compares_within_a_layer(page):
    """格子的深浅是与同层之比：后一层的距离都大五倍，却不因此更深。"""
    shade = "all => all.map((cell) => parseFloat(cell.style.getPropertyValue('--shade')))"
    shades = torch.tensor(page.locator("button.explore-switch").evaluate_all(shade), dtype=torch.float)
    they = MOVED[0, :, :, 1]
    ratio = they / ((they.sum(dim=1, keepdim=True) - they) / 2)
    expected = ((ratio - 0.8) / 2).clamp(0, 1) * 70
    torch.testing.assert_close(shades, expected.flatten(), atol=0.51, rtol=0)


def test_opens_on_the_chosen_head(page):
    assert (
        page.locator("button.explore-switch[aria-pressed=true]").get_attribute("aria-label")
        == "第 1 层第 1 个头"
    )
    assert page.locator(".explore-moved").first.locator(".explore-label").nth(3).inner_text() == "inspired"
    page.get_by_role("button", name="beautiful", exact=True).click()
    assert page.locator(".explore-moved").first.locator(".explore-label").nth(3).inner_text() == "beautiful"


def test_keyboard_alone(page):
    """棋盘只占一站；方向键走，回车关。"""
    page.keyboard.press("Tab")
    after = walks_the_board(page, "第 1 层第 1 个头", "第 0 层第 2 个头")
    assert page.locator(".explore-said").inner_text().startswith("关掉第 0 层第 2 个头")
    assert after == "songs"
