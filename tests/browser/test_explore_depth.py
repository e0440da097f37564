"""可以动手的图“深度”：几层就画几层，差异、答案、正确率与课程库算的相同；另一个拿掉哪个加号、用哪个种子都挑得，键盘拖得动。"""

from itertools import product

import pytest
import torch

from course_lib.encoder import Encoder

DIGITS, DEPTHS, SEEDS = torch.tensor([3, 1, 4, 1, 5]), [1, 2, 4], 2
KINDS = ["加号都在", "拿掉一个", "都拿掉"]
ANSWERS = torch.tensor([[5, 1, 4, 1, 3], [5, 1, 9, 1, 1], [1, 1, 1, 1, 1]])


def spread(x):
    return ((x - x.mean(0)).norm() / x.norm()).item()


def flatten(states, kind):
    """第一种照旧，第二种让词元像了一些，第三种到后来完全相同。"""
    keep = [1, 0.4, 0][kind]
    return [x.mean(0) + (x - x.mean(0)) * (1 if layer == 0 else keep) for layer, x in enumerate(states)]


def data():
    runs = []
    for seed in range(SEEDS):
        torch.manual_seed(seed)
        encoder = Encoder(4, 16, num_heads=2, d_ff=32).eval()
        with torch.no_grad():
            hidden = encoder(torch.randn(1, 5, 16), output_hidden_states=True).hidden_states
        runs.append([x[0] for x in hidden])
    every = range(len(KINDS))
    states = [[[flatten(run, kind)[: depth + 1] for run in runs] for depth in DEPTHS] for kind in every]
    return {
        "digits": DIGITS,
        "depths": DEPTHS,
        "kinds": KINDS,
        "states": states,
        "spreads": [[[[spread(x) for x in tower] for tower in runs] for runs in kind] for kind in states],
        "answers": [
            [[ANSWERS[(kind + seed) % 3] for seed in range(SEEDS)] for _ in DEPTHS] for kind in every
        ],
        "scores": [
            [
                [round(0.9 - 0.3 * kind - 0.1 * at - 0.02 * seed, 2) for seed in range(SEEDS)]
                for at in range(3)
            ]
            for kind in every
        ],
    }


DATA = data()


def tower(page, half):
    """左边是第一种，右边是挑的一种。"""
    return page.locator(".explore-towers > div").nth(half)


def press(page, group, name):
    page.get_by_role("group", name=group).get_by_role("button", name=name, exact=True).click()


def set_to(page, depth):
    page.get_by_role("slider").fill(str(DEPTHS.index(depth)))


@pytest.mark.parametrize("depth", DEPTHS)
def test_shows_what_the_library_computed(page, depth):
    for half, kind, seed in product([0, 1], [1, 2], range(SEEDS)):
        set_to(page, depth)
        press(page, "另一个的加号", KINDS[kind])
        press(page, "随机数种子", str(seed))
        shown, at, which = tower(page, half), DEPTHS.index(depth), kind if half else 0
        assert shown.locator("caption").inner_text() == KINDS[which]
        floors = shown.locator("tbody tr:visible")
        assert floors.count() == depth + 1
        told = [float(text.rstrip("%")) for text in floors.locator(".explore-number").all_inner_texts()]
        expected = [100 * share for share in DATA["spreads"][which][at][seed]]
        assert all(abs(a - b) <= (0.51 if b > 9.9 else 0.051) for a, b in zip(told, expected, strict=True))
        told = shown.locator("tfoot tr").first.locator("td").all_inner_texts()
        answers = DATA["answers"][which][at][seed].tolist()
        hits = sum(a == b for a, b in zip(answers, DIGITS.flip(0).tolist(), strict=True))
        assert told == [*map(str, answers), f"对 {hits} 个"]
        assert shown.locator(".explore-hit").count() == hits
        scores = shown.locator(".explore-bars .explore-number").all_inner_texts()
        assert scores == [f"{score:.2f}" for score in DATA["scores"][which][at]]
        names = shown.locator(".explore-bars .explore-label").all_inner_texts()
        assert [name.startswith("▸") for name in names] == [s == seed for s in range(SEEDS)]
        left = floors.last.locator(".explore-number").inner_text()
        assert f"{KINDS[which]}，六个词元的差异还剩 {left}" in page.locator(".explore-said").inner_text()


def test_opens_with_everything_taken_away(page):
    assert tower(page, 1).locator("caption").inner_text() == KINDS[-1]
    assert tower(page, 0).locator("tbody tr:visible").count() == max(DEPTHS) + 1


@pytest.mark.parametrize("half", [0, 1])
def test_a_tile_is_a_vector(page, half):
    """颜色是正负，浓淡是大小；词元成了一样的，格子也就一样。"""
    last = tower(page, half).locator("tbody tr").nth(4).locator("svg")
    style = "all => all.map(r => [r.style.fill, Number(r.style.opacity)])"
    tiles = [tile.locator("rect").evaluate_all(style) for tile in last.all()]
    for tile, vector in zip(tiles, DATA["states"][2 * half][2][0][4], strict=True):
        assert [fill for fill, _ in tile] == [f"var(--{'minus' if x < 0 else 'plus'})" for x in vector]
        opacity = torch.tensor([value for _, value in tile])
        torch.testing.assert_close(opacity, (vector.abs() / 2).clamp(max=1), atol=0.0051, rtol=0)
    alike = all(abs(a[1] - b[1]) < 0.05 for tile in tiles for a, b in zip(tile, tiles[0], strict=True))
    assert alike == bool(half)


def test_the_keyboard_moves_the_depth(page):
    slider = page.get_by_role("slider")
    assert slider.get_attribute("aria-valuetext") == "4 层"
    slider.focus()
    page.keyboard.press("ArrowLeft")
    assert slider.get_attribute("aria-valuetext") == "2 层"
    assert tower(page, 0).locator("tbody tr:visible").count() == 3
