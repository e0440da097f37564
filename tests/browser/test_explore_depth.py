"""可以动手的图“深度”：几层就画几层，差异、答案、正确率与课程库算的相同，键盘拖得动。"""

import pytest
import torch
from explorable_helpers import fits_a_phone_and_a_finger

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


def set_to(page, depth, plus):
    page.get_by_role("slider").fill(str(DEPTHS.index(depth)))
    page.get_by_role("button", name="有" if plus else "没有", exact=True).click()


@pytest.mark.parametrize("plus", [True, False])
@pytest.mark.parametrize("depth", DEPTHS)
def test_shows_what_the_library_computed(page, depth, plus):
    set_to(page, depth, plus)
    half, at = 0 if plus else 1, DEPTHS.index(depth)
    floors = page.locator(".explore-tower tbody tr:visible")
    assert floors.count() == depth + 1
    shown = [float(text.rstrip("%")) for text in floors.locator(".explore-number").all_inner_texts()]
    expected = [100 * share for share in DATA["spreads"][half][at]]
    assert all(abs(a - b) <= (0.51 if b > 9.9 else 0.051) for a, b in zip(shown, expected, strict=True))
    told = page.locator(".explore-tower tfoot tr").first.locator("td").all_inner_texts()
    answers = DATA["answers"][half][at].tolist()
    hits = sum(a == b for a, b in zip(answers, DIGITS.flip(0).tolist(), strict=True))
    assert told == [*map(str, answers), f"对 {hits} 个"]
    assert page.locator(".explore-tower .explore-hit").count() == hits
    scores = page.locator(".explore-bars .explore-number").all_inner_texts()
    assert scores == [f"{score:.2f}" for score in DATA["scores"][half][at]]
    said = page.locator(".explore-said").inner_text()
    assert said.startswith(f"{depth} 层，{'有' if plus else '没有'}加号") and scores[2] in said


@pytest.mark.parametrize("plus", [True, False])
def test_a_tile_is_a_vector(page, plus):
    """颜色是正负，浓淡是大小；词元成了一样的，格子也就一样。"""
    set_to(page, 4, plus)
    last = page.locator(".explore-tower tbody tr").nth(4).locator("svg")
    style = "all => all.map(r => [r.style.fill, Number(r.style.opacity)])"
    tiles = [tile.locator("rect").evaluate_all(style) for tile in last.all()]
    for tile, vector in zip(tiles, DATA["states"][0 if plus else 1][2][4], strict=True):
        assert [fill for fill, _ in tile] == [f"var(--{'query' if x < 0 else 'key'})" for x in vector]
        opacity = torch.tensor([value for _, value in tile])
        torch.testing.assert_close(opacity, (vector.abs() / 2).clamp(max=1), atol=0.0051, rtol=0)
    alike = all(abs(a[1] - b[1]) < 0.05 for tile in tiles for a, b in zip(tile, tiles[0], strict=True))
    assert alike != plus


def test_the_keyboard_moves_the_depth(page):
    slider = page.get_by_role("slider")
    assert slider.get_attribute("aria-valuetext") == "4 层"
    slider.focus()
    page.keyboard.press("ArrowLeft")
    assert slider.get_attribute("aria-valuetext") == "2 层"
    assert page.locator(".explore-tower tbody tr:visible").count() == 3


def test_fits_a_phone_and_a_finger(open_figure):
    page = open_figure("depth", DATA, width=360)
    fits_a_phone_and_a_finger(page)
    assert page.get_by_role("slider").bounding_box()["width"] > 120
