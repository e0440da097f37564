"""可以动手的图“神经元”：次序与激活值和排序得到的相同；换神经元、换一份词、写自己的词，都说得对。"""

import pytest
import torch

COMMON = 30
WORDS = [f"word{i}" for i in range(40)]
GROUPS = {"甲": WORDS[20:26], "乙": WORDS[26:34]}
FOUND = {"甲": [[0, 5], [3, 7]], "乙": [[1, 2]], "随便取的": [[2, 9]]}
_generator = torch.Generator().manual_seed(7)
ANSWERS = {
    name: torch.randint(-16, 400, (len(places), 40), generator=_generator) for name, places in FOUND.items()
}
DATA = {
    "words": WORDS,
    "common": COMMON,
    "groups": GROUPS,
    "found": FOUND,
    "full": {"甲": 2, "乙": 0},
    "answers": ANSWERS,
    "tries": ["word3", "word38"],
    "first": "乙",
}
SHEETS = {"名单上的 14 个词": list(range(20, 34)), "最常见的 30 个词": list(range(COMMON))}


def press(page, name):
    page.get_by_role("button", name=name, exact=True).click()


def shown(page):
    rows = page.locator(".explore-words").first.locator("li")
    words, numbers = (rows.locator(f".explore-{part}").all_inner_texts() for part in ("label", "number"))
    hollow = [
        "explore-stranger" in row for row in rows.evaluate_all("rows => rows.map((row) => row.className)")
    ]
    return words, [float(number.replace("−", "-")) for number in numbers], hollow


@pytest.mark.parametrize("name", ["甲", "乙", "随便取的"])
def test_highest_words_of_a_sheet(page, name):
    for sheet in SHEETS:
        press(page, name)
        press(page, sheet)
        values = ANSWERS[name][0]
        order = sorted(SHEETS[sheet], key=lambda i: (-int(values[i]), i))[:12]
        words, numbers, hollow = shown(page)
        assert words == [WORDS[i] for i in order]
        assert numbers == pytest.approx([int(values[i]) / 100 for i in order])
        group = GROUPS.get(name, [])
        assert hollow == [word not in group for word in words]
        said = page.locator(".explore-said").first.inner_text()
        assert said.startswith(f"{sheet}里，最高的 12 个")
        if group:
            assert f"有 {12 - sum(hollow)} 个在“{name}”的名单上" in said


def test_both_sheets_on_one_scale(page):
    press(page, "甲")
    top = int(ANSWERS["甲"][0].max()) / 100
    for sheet in SHEETS:
        press(page, sheet)
        _, numbers, _ = shown(page)
        width = (
            page.locator(".explore-words")
            .first.locator(".explore-fill")
            .first.evaluate(
                "bar => bar.getBoundingClientRect().width / bar.parentElement.getBoundingClientRect().width"
            )
        )
        assert width == pytest.approx(numbers[0] / top, abs=0.02)


def test_next_neuron_of_the_same_list(page):
    about = page.locator(".explore-stage p").first
    assert page.get_by_role("button", name="换一个", exact=True).is_disabled()
    assert "还没有全排在最前" in about.inner_text()
    press(page, "甲")
    assert "第 0 层第 5 个神经元" in about.inner_text() and "这样的一共 2 个" in about.inner_text()
    press(page, "换一个")
    assert "第 3 层第 7 个神经元" in about.inner_text() and "这是第 2 个" in about.inner_text()
    assert shown(page)[1][0] == int(ANSWERS["甲"][1][20:34].max()) / 100
    press(page, "换一个")
    assert "第 0 层第 5 个神经元" in about.inner_text()
    press(page, "随便取的")
    assert "随便取的" in about.inner_text()


def test_a_word_of_ones_own(page):
    press(page, "甲")
    press(page, "最常见的 30 个词")
    values = ANSWERS["甲"][0]
    told, box = page.locator(".explore-said").nth(1), page.locator("input[type=text]")
    for word, i in {" Word38 ": 38, "word3": 3}.items():
        box.fill(word)
        higher = int((values[:COMMON] > values[i]).sum())
        text = told.inner_text().replace("−", "-")
        assert f"{WORDS[i]} 的激活值是 {int(values[i]) / 100:.2f}" in text
        assert f"有 {higher} 个词比它高" in text
    press(page, "word38")
    assert box.input_value() == "word38" and "word38 的激活值" in told.inner_text()
    box.fill("nothing")
    assert "没有预先算好" in told.inner_text()
    box.fill("")
    assert "写在这里" in told.inner_text()


def test_a_silent_neuron_says_so(open_figure):
    silent = {name: -values.abs() for name, values in ANSWERS.items()}
    page = open_figure("neurons", DATA | {"answers": silent})
    assert "没有一个词的激活值高过 0" in page.locator(".explore-said").first.inner_text()
