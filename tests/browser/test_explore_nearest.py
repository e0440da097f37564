"""可以动手的图“近邻”：写一个词，名字与余弦都与排序得到的相同；没有算好的词说得明白。"""

import pytest
import torch
import torch.nn.functional as F

WORDS = [f"word{i}" for i in range(60)]
KNOWN = 50
_rows = F.normalize(torch.randn(60, 8, generator=torch.Generator().manual_seed(4)), dim=-1)
BEST = (_rows[:KNOWN] @ _rows.T).topk(6)
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def packed(place, cosine):
    return f"{DIGITS[place // 1296]}{DIGITS[place // 36 % 36]}{DIGITS[place % 36]}{round(100 * cosine):02}"


PAIRS = [
    list(zip(places[1:], cosines[1:], strict=True))
    for places, cosines in zip(BEST.indices.tolist(), BEST.values.tolist(), strict=True)
]
DATA = {
    "words": " ".join(WORDS),
    "known": KNOWN,
    "near": "".join(packed(*pair) for pairs in PAIRS for pair in pairs),
    "common": 48,
    "total": 30522,
    "chance": 0.21,
    "tries": ["word3", "word49"],
    "first": "word7",
}


def shown(page):
    names = page.locator(".explore-words .explore-label").all_inner_texts()
    numbers = page.locator(".explore-words .explore-number").all_inner_texts()
    return names, [float(number) for number in numbers]


def test_five_nearest_of_ones_own_word(page):
    for text, place in [("word7", 7), (" Word0 ", 0), ("word49", 49)]:
        page.get_by_role("textbox").fill(text)
        names, numbers = shown(page)
        assert names == [WORDS[i] for i, _ in PAIRS[place]]
        assert numbers == pytest.approx([cosine for _, cosine in PAIRS[place]], abs=0.0051)
        said = page.locator(".explore-said").inner_text()
        assert f"30,522 行里，离 {text.strip().lower()} 最近的五行" in said and "0.21" in said


def test_opens_with_a_word_and_buttons_ask(page):
    assert shown(page)[0] == [WORDS[i] for i, _ in PAIRS[7]]
    page.get_by_role("button", name="word49", exact=True).click()
    assert page.get_by_role("textbox").input_value() == "word49"
    assert shown(page)[0] == [WORDS[i] for i, _ in PAIRS[49]]


def test_a_word_that_is_not_there_says_so(page):
    page.get_by_role("textbox").fill("word55")  # 只是别人的近邻，问不得
    assert "word55 没有预先算好" in page.locator(".explore-said").inner_text()
    assert not page.locator(".explore-words").is_visible()
    page.get_by_role("textbox").fill("")
    assert "写一个英文词" in page.locator(".explore-said").inner_text()
