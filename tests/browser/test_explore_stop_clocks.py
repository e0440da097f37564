"""可以动手的图“停钟”：停住哪一只，线与正确率就是那一份；一次只停一只；停住的钟，针不再离开最后一个训练过的座位。"""

from math import pi

import pytest
import torch
from explorable_helpers import points

LAPS = [2 * pi * 10000 ** (2 * i / 32) for i in range(6)]


def numbers(trained):
    rng = torch.Generator().manual_seed(trained)
    return {
        "trained": trained,
        "seeds": 3,
        "late": torch.randn(7, 2 * trained, generator=rng),
        "right": torch.rand(7, generator=rng),
    }


DATA = {"laps": LAPS, "at": 1, "runs": [numbers(trained) for trained in (6, 10, 16)]}


def clock(page, i):
    return page.locator("button.explore-clock").nth(i)


def shown(page):
    """（两条折线的各点，两条横条旁的数）。"""
    chart = page.locator(".explore-line:visible")
    lines = [points(line) for line in chart.locator("polyline").all()]
    return lines, page.locator(".explore-bars .explore-number").all_inner_texts()


@pytest.mark.parametrize(("run", "stop"), [(1, None), (1, 2), (0, 1), (2, 5)])
def test_lines_and_scores_are_those_given(page, run, stop):
    data = DATA["runs"][run]
    page.get_by_role("button", name=f"{data['trained']} 个座位", exact=True).click()
    if stop is not None:
        clock(page, stop).click()
    state, trained = 0 if stop is None else stop + 1, data["trained"]
    (near, far), scores = shown(page)
    assert (len(near), len(far)) == (trained, trained + 1)
    assert near[-1].tolist() == far[0].tolist()
    low, high = data["late"].min(), data["late"].max()
    heights = 130 - (data["late"][state] - low) / (high - low) * 120
    torch.testing.assert_close(torch.cat([near[:, 1], far[1:, 1]]), heights, atol=0.06, rtol=0)
    assert scores == [f"{data['right'][i]:.2f}" for i in (0, state)]
    said = page.locator(".explore-said").inner_text()
    assert f"答对 {scores[1]}（3 个种子平均" in said and f"读 {2 * trained} 个" in said
    assert (f"停住一圈 {LAPS[stop]:.1f} 格的" if stop is not None else "都走着") in said


def test_one_at_a_time_and_another_size_starts_anew(page):
    pressed = page.locator("button.explore-clock[aria-pressed=true]")
    clock(page, 0).click()
    clock(page, 3).click()
    assert pressed.count() == 1 and clock(page, 3).get_attribute("aria-pressed") == "true"
    clock(page, 3).click()
    assert pressed.count() == 0
    clock(page, 5).click()
    page.get_by_role("button", name="6 个座位", exact=True).click()
    assert pressed.count() == 0


def test_a_stopped_hand_stays_where_training_ended(page):
    def seats(kind):
        dots = clock(page, 2).locator(f".explore-{kind}")
        spots = dots.evaluate_all(
            "all => all.map(d => [Number(d.getAttribute('cx')), -d.getAttribute('cy')])"
        )
        return torch.tensor(spots)

    def angles(spots):
        return torch.atan2(spots[:, 0], spots[:, 1])

    turned = 2 * pi * torch.arange(20) / LAPS[2]
    for kind, expected in (("near", turned[:10]), ("far", turned[10:])):
        away = (angles(seats(kind)) - expected + pi) % (2 * pi) - pi
        assert away.abs().max() < 0.01
    clock(page, 2).focus()
    page.keyboard.press("Enter")
    away = (angles(seats("far")) - turned[9] + pi) % (2 * pi) - pi
    assert away.abs().max() < 0.01 and len(seats("near")) == 10
    assert "停在 9 号" in clock(page, 2).inner_text()
