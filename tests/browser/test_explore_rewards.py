"""可以动手的图“奖励教了什么”：写出的对没对、说的话、折线，都照那一份快照与那一种奖励。"""

import torch
from explorable_helpers import points, turn

STEPS = [0, 10, 80]
DATA = {
    "problems": ["题 3 8 5 9", "题 1 2 3 4"],
    "answers": [5, 0],
    "steps": STEPS,
    "runs": [
        {
            "name": "答案对",
            "written": [["答 4 。", "答 0 。"], ["想 5", "5 0 。"], ["想 3 3 8 1 5 6 9 5 。", "0 。"]],
            "right": [0.3, 0.5, 0.97],
            "thinks": [0.25, 0.5, 1],
            "length": [4.62, 7.0, 10],
        },
        {
            "name": "写得短",
            "written": [["答 4 。", "答 0 。"], ["。", "答 3 。"], ["5", "0"]],
            "right": [0.3, 0.2, 0],
            "thinks": [0.25, 0.1, 0],
            "length": [4.62, 3.2, 1],
        },
    ],
    "at": 2,
}
RIGHT = [[(0, 1), (0, 1), (1, 1)], [(0, 1), (0, 0), (0, 0)]]


def test_answers_are_marked(page):
    for run in [0, 1]:
        one = DATA["runs"][run]
        page.get_by_role("button", name=one["name"], exact=True).click()
        for at, step in enumerate(STEPS):
            turn(page, "更新了多少次", STEPS, step)
            for i, row in enumerate(page.locator(".explore-learned b").all()):
                hit = RIGHT[run][at][i]
                assert row.inner_text() == one["written"][at][i] + (" ✓" if hit else " ✗")
                assert row.locator(".explore-missed").count() == 1 - hit
            said = page.locator(".explore-said").inner_text()
            assert said.startswith(f"奖励“{one['name']}”，更新 {step} 次：")


def test_it_opens_on_the_step_it_was_told_and_says_the_shares(page):
    said = page.locator(".explore-said").inner_text()
    assert said == "奖励“答案对”，更新 80 次：答对 97 %，一步步想的 100 %，平均写 10.0 个词元。"


def test_the_lines_are_the_shares(page):
    for run in [0, 1]:
        page.get_by_role("button", name=DATA["runs"][run]["name"], exact=True).click()
        for which, key in enumerate(("thinks", "right")):
            found = points(page.locator(".explore-line polyline").nth(which))
            heights = 130 - 120 * torch.tensor(DATA["runs"][run][key], dtype=torch.float)
            torch.testing.assert_close(found[:, 1], heights, atol=0.06, rtol=0)
