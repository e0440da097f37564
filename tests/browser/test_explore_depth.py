"""可以动手的图“深度”：几层就画几层，差异、答案、正确率与课程库算的相同，键盘拖得动。"""

import pytest
import torch

from course_lib.encoder import Encoder

DIGITS, DEPTHS = torch.tensor([3, 1, 4, 1, 5]), [1, 2, 4]


def spread(x):
    return ((x - x.mean(0)).norm() / x.norm()).item()


def data():
    """两份里第一份是真的编码器，第二份让词元越来越像，到末层完全相同。"""
    torch.manual_seed(8)
    encoder = Encoder(4, 16, num_heads=2, d_ff=32).eval()
    with torch.no_grad():
        kept = [x[0] for x in encoder(torch.randn(1, 5, 16), output_hidden_states=True).hidden_states]
    lost = [x.mean(0) + (x - x.mean(0)) * (0.02 if i > 1 else 1 - i / 2) for i, x in enumerate(kept)]
    states = [[tower[: depth + 1] for depth in DEPTHS] for tower in (kept, lost)]
    return {
        "digits": DIGITS,
        "depths": DEPTHS,
        "states": states,
        "spreads": [[[spread(x) for x in tower] for tower in half] for half in states],
        "answers": [[DIGITS.flip(0)] * 3, [torch.tensor([5, 1, 9, 1, 1]), DIGITS, torch.full((5,), 1)]],
        "scores": [[[1.0, 0.98, 0.99]] * 3, [[0.9, 0.8, 0.7], [0.5, 0.4, 0.3], [0.1, 0.09, 0.11]]],
    }


DATA = data()


def tower(page, half):
    """先是有加号的，再是没有加号的。"""
    return page.locator(".explore-towers > div").nth(half)


def set_to(page, depth):
    page.get_by_role("slider").fill(str(DEPTHS.index(depth)))


@pytest.mark.parametrize("half", [0, 1])
@pytest.mark.parametrize("depth", DEPTHS)
def test_shows_what_the_library_computed(page, depth, half):
    set_to(page, depth)
    shown, at = tower(page, half), DEPTHS.index(depth)
    assert shown.locator("caption").inner_text() == ["有加号", "没有加号"][half]
    floors = shown.locator("tbody tr:visible")
    assert floors.count() == depth + 1
    told = [float(text.rstrip("%")) for text in floors.locator(".explore-number").all_inner_texts()]
    expected = [100 * share for share in DATA["spreads"][half][at]]
    assert all(abs(a - b) <= (0.51 if b > 9.9 else 0.051) for a, b in zip(told, expected, strict=True))
    told = shown.locator("tfoot tr").first.locator("td").all_inner_texts()
    answers = DATA["answers"][half][at].tolist()
    hits = sum(a == b for a, b in zip(answers, DIGITS.flip(0).tolist(), strict=True))
    assert told == [*map(str, answers), f"对 {hits} 个"]
    assert shown.locator(".explore-hit").count() == hits
    scores = shown.locator(".explore-bars .explore-number").all_inner_texts()
    assert scores == [f"{score:.2f}" for score in DATA["scores"][half][at]]
    left = floors.last.locator(".explore-number").inner_text()
    assert (
        f"{['有加号', '没有加号'][half]}的，六个词元的差异还剩 {left}"
        in page.locator(".explore-said").inner_text()
    )


@pytest.mark.parametrize("half", [0, 1])
def test_a_tile_is_a_vector(page, half):
    """颜色是正负，浓淡是大小；词元成了一样的，格子也就一样。"""
    last = tower(page, half).locator("tbody tr").nth(4).locator("svg")
    style = "all => all.map(r => [r.style.fill, Number(r.style.opacity)])"
    tiles = [tile.locator("rect").evaluate_all(style) for tile in last.all()]
    for tile, vector in zip(tiles, DATA["states"][half][2][4], strict=True):
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
