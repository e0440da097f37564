"""可以动手的图“一个数”：每个倍数的损失与下一个词元正是给它的数；挑中的一段是粗的那条。"""

import torch
from explorable_helpers import points, turn

rng = torch.Generator().manual_seed(12)
TIMES = [0, 0.25, 0.5, 0.75, 1]
DATA = {
    "times": TIMES,
    "curves": [{"name": name, "losses": 12 * torch.rand(5, generator=rng)} for name in ("甲", "乙", "丙")],
    "blind": 10.8,
    "asked": "The capital is",
    "words": [["oun", " ", "\n", ",", "Ant"], *[[f" w{i}{j}" for j in range(5)] for i in range(4)]],
    "chances": torch.rand(5, 5, generator=rng).sort(descending=True).values.softmax(dim=-1),
    "at": 1,
}


def shows(page, at, chosen):
    one = DATA["curves"][chosen]
    first = DATA["words"][at][0].strip()
    p = DATA["chances"][at]
    said = page.locator(".explore-said").inner_text()
    assert said == (
        f"这个数乘 {TIMES[at]}：{one['name']}那段的损失 {one['losses'][at]:.2f}；"
        f"“The capital is”后面最可能是 {first}，{p[0]:.2f}。"
    )
    seen = page.locator(".explore-bars .explore-number").all_inner_texts()
    torch.testing.assert_close(torch.tensor([float(text) for text in seen]), p, atol=6e-3, rtol=0)
    bold = points(page.locator(".explore-line polyline").last)
    high = -(-max(float(curve["losses"].max()) for curve in DATA["curves"]) // 1)
    torch.testing.assert_close(bold[:, 1], 230 - 220 * one["losses"] / high, atol=0.06, rtol=0)
    assert page.locator(".explore-tip").text_content() == f"{one['losses'][at]:.2f}"


def test_every_setting_shows_its_numbers(page):
    shows(page, 1, 0)
    for at, time in enumerate(TIMES):
        turn(page, "倍", TIMES, time)
        for chosen, name in enumerate(("甲", "乙", "丙")):
            page.get_by_role("button", name=name, exact=True).click()
            shows(page, at, chosen)


def test_the_presets_are_three_clicks_away(page):
    for name, time in (("×0", 0), ("×½", 0.5), ("×1", 1)):
        page.get_by_role("button", name=name, exact=True).click()
        shows(page, TIMES.index(time), 0)
        assert page.get_by_role("button", name=name, exact=True).get_attribute("aria-pressed") == "true"
    turn(page, "倍", TIMES, 0.75)
    assert not page.get_by_role("group", name="现成的").locator("[aria-pressed=true]").count()
    assert page.locator(".explore-end").all_text_contents() == ["瞎猜", "", "", "甲"]


def test_blanks_are_seen(page):
    turn(page, "倍", TIMES, 0)
    assert page.locator(".explore-bars .explore-label").all_inner_texts()[1:4] == ["␣", "↵", "“,”"]


def test_of_two_that_differ_by_a_blank_the_one_without_says_so(open_figure):
    words = [[" Paris", "x", "y", "z", "Paris"], *DATA["words"][1:]]
    page = open_figure("one_number", DATA | {"words": words, "at": 0})
    assert page.locator(".explore-bars .explore-label").all_inner_texts() == [
        "Paris",
        "x",
        "y",
        "z",
        "Paris 无空格",
    ]
