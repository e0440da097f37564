"""可以动手的图“学的过程”：写出的字对没对、两个比例、折线，都照那一步的快照。"""

import torch
from explorable_helpers import points, turn

STEPS = [0, 10, 20, 30]
TRUTH = ["2050-05-05", "1982-01-24"]
WRITTEN = [["", ""], ["20-", "20-"], ["2055-05-05", "1982-11-24"], TRUTH]
DATA = {
    "sources": ["2050年5月5日", "1982年1月24日"],
    "truth": TRUTH,
    "steps": STEPS,
    "runs": [
        {"name": "种子 0", "written": WRITTEN, "valid": [0, 0.25, 0.92, 1], "right": [0, 0, 0.006, 1]},
        {
            "name": "来源打乱",
            "written": [["", ""]] + 3 * [["1999-02-19"] * 2],
            "valid": [0, 1, 1, 1],
            "right": 4 * [0],
        },
    ],
    "at": 2,
}


def test_letters_are_right_or_wrong(page):
    for run in [0, 1]:
        page.get_by_role("button", name=DATA["runs"][run]["name"], exact=True).click()
        for at, step in enumerate(STEPS):
            turn(page, "训练了多少步", STEPS, step)
            for i, row in enumerate(page.locator(".explore-learned b").all()):
                written = DATA["runs"][run]["written"][at][i]
                assert row.inner_text() == (written or "（没有写）")
                wrong = [n for n, letter in enumerate(written) if letter != TRUTH[i][n : n + 1]]
                spans = row.locator("span").evaluate_all(
                    "all => all.map((one) => one.className === 'explore-missed')"
                )
                assert [n for n, missed in enumerate(spans) if missed] == wrong
            said = page.locator(".explore-said").inner_text()
            assert f"{DATA['runs'][run]['name']}，第 {step} 步" in said


def test_it_opens_on_the_step_it_was_told_and_says_both_shares(page):
    said = page.locator(".explore-said").inner_text()
    assert said == "种子 0，第 20 步：日历上有的 92 %，一字不差的 0.6 %。"


def test_the_lines_are_the_shares(page):
    for run in [0, 1]:
        page.get_by_role("button", name=DATA["runs"][run]["name"], exact=True).click()
        for which, key in enumerate(("valid", "right")):
            heights = 130 - 120 * torch.tensor(DATA["runs"][run][key], dtype=torch.float)
            torch.testing.assert_close(
                points(page.locator(".explore-line polyline").nth(which))[:, 1], heights, atol=0.06, rtol=0
            )
