"""可以动手的图“谁去了哪里”：词右下是它的专家，同一个专家的都亮，忙闲照那一份快照与那一种练法。"""

from itertools import chain

import pytest
from explorable_helpers import turn

STEPS = [0, 40]
SENTENCES = [["the", "plot", "was", "dull", "."], ["the", "acting"]]
WAYS = [
    {"name": "不管", "chosen": [[[0, 1, 2, 1, 0], [0, 2]], [[0, 1, 0, 1, 2], [0, 1]]]},
    {"name": "压低名次", "chosen": [[[2, 2, 2, 1, 0], [2, 2]], [[1, 0, 2, 1, 0], [1, 0]]]},
]
for way in WAYS:
    flat = [list(chain(*snapshot)) for snapshot in way["chosen"]]
    way["load"] = [[chosen.count(e) / len(chosen) for e in range(3)] for chosen in flat]
DATA = {"sentences": SENTENCES, "steps": STEPS, "ways": WAYS}


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way["name"])
def test_a_word_lights_all_that_its_expert_takes(page, way):
    for now in [0, 1]:
        page.get_by_role("button", name=way["name"], exact=True).click()
        turn(page, "练了几步", STEPS, STEPS[now])
        chosen = list(chain(*way["chosen"][now]))
        chips = page.locator(".explore-token")
        assert [int(text) for text in page.locator(".explore-token sub").all_inner_texts()] == chosen
        for i, picked in enumerate(chosen):
            chips.nth(i).click()
            lit = chips.evaluate_all(
                "(all) => all.map((chip) => chip.getAttribute('aria-pressed') === 'true')"
            )
            assert lit == [e == picked for e in chosen]
            said = page.locator(".explore-said").inner_text()
            share = f"{100 * way['load'][now][picked]:.0f} %"
            assert said.startswith(f"练了 {STEPS[now]} 步，{way['name']}：{picked} 号专家分到 {share}")
            words = [word for word, e in zip(chain(*SENTENCES), chosen, strict=True) if e == picked]
            assert all((f"{w} × {words.count(w)}" if words.count(w) > 1 else w) in said for w in words)


def test_bars_are_the_loads(page):
    widths = page.locator(".explore-bars .explore-fill").evaluate_all(
        "fills => fills.map(fill => parseFloat(fill.style.width))"
    )
    assert widths == pytest.approx([100 * share for share in WAYS[0]["load"][-1]], abs=0.05)
