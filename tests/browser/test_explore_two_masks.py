"""可以动手的图“两种掩码”：掩码的格子与库里的相同，横条、别的、犹豫几个词与给的数相同，键盘与手指都走得通。"""

import re

import pytest
import torch

from course_lib.attention import causal_mask

SENTENCES = [
    ["[CLS]", "the", "music", "was", "dull", ",", "but", "the", "story", "was", "charming", ".", "[SEP]"],
    ["[CLS]", "the", "plot", "was", "slow", ".", "[SEP]"],
]


def data():
    torch.manual_seed(5)

    def chances(word):
        top = torch.rand(4, 2)
        top = 0.9 * top / top.sum(dim=0)
        options = [[name, *pair] for name, pair in zip([word, "so", "photography", "very"], top, strict=True)]
        return {"options": options, "hesitates": [7.25, 3.75]}

    return {
        "place": 6,
        "sentences": [
            {"words": words, **{kind: [chances(word) for word in words[1:-1]] for kind in ("causal", "both")}}
            for words in SENTENCES
        ],
    }


DATA = data()
KINDS = {"causal": "因果：猜下一个词", "both": "双向：猜遮住的词"}


def choose(page, kind, sentence=0, place=6):
    page.get_by_role("button", name=KINDS[kind], exact=True).click()
    page.get_by_role("button", name="甲乙"[sentence]).click()
    page.locator(".explore-cloze button").nth(place - 1).click()


def shown_grid(page):
    """每格看得见（True）与否；深色的是第几行。"""
    classes = page.locator(".explore-two-masks rect").evaluate_all(
        "all => all.map((cell) => cell.getAttribute('class'))"
    )
    n = round(len(classes) ** 0.5)
    rows = [classes[i * n : (i + 1) * n] for i in range(n)]
    lit = {i for i, row in enumerate(rows) if "explore-lit" in row}
    return torch.tensor([[cell != "explore-shut" for cell in row] for row in rows]), lit


@pytest.mark.parametrize("kind", KINDS)
def test_grid_is_the_mask(page, kind):
    for sentence, place in [(0, 1), (0, 6), (0, 11), (1, 3)]:
        choose(page, kind, sentence, place)
        n = len(SENTENCES[sentence])
        allowed, lit = shown_grid(page)
        expected = causal_mask(n) if kind == "causal" else torch.ones(n, n, dtype=torch.bool)
        assert torch.equal(allowed, expected)
        # 因果时，猜第 place 个词用的是它前面那一行
        assert lit == {place - 1 if kind == "causal" else place}
        names = page.locator(".explore-two-masks text").all_text_contents()
        words = list(SENTENCES[sentence])
        if kind == "both":
            words[place] = "[MASK]"
        assert names == words
        assert f"看得见 {expected[next(iter(lit))].sum()} 个" in page.locator(
            ".explore-two-masks svg"
        ).get_attribute("aria-label")


@pytest.mark.parametrize("kind", KINDS)
def test_bars(page, kind):
    for sentence, place in [(0, 2), (1, 5)]:
        choose(page, kind, sentence, place)
        told = DATA["sentences"][sentence][kind][place - 1]
        rest = [1 - sum(float(option[k]) for option in told["options"]) for k in (1, 2)]
        expected = [*told["options"], ["别的", *rest]]
        lines = page.get_by_role("list", name="那里的词各有多大可能").locator("li")
        for line, (word, guessed, true) in zip(lines.all(), expected, strict=True):
            assert line.locator(".explore-label").inner_text() == word
            assert float(line.locator(".explore-number").inner_text()) == pytest.approx(
                float(guessed), abs=0.0051
            )
            assert float(line.locator(".explore-note").inner_text()) == pytest.approx(float(true), abs=0.0051)
            left = line.locator(".explore-truth").evaluate("tick => parseFloat(tick.style.left)")
            assert left == pytest.approx(100 * float(true), abs=0.01)
        there = page.locator(".explore-there .explore-label").all_inner_texts()
        assert there == [SENTENCES[sentence][place]]
        said = page.locator(".explore-said").inner_text()
        assert (
            "3.8 个词里犹豫" in said
            and "网络是 7.3 个" in said
            and f"写的是“{SENTENCES[sentence][place]}”" in said
        )


def test_what_cannot_be_seen_is_struck_out(page):
    choose(page, "causal", 0, 4)
    away = page.locator(".explore-cloze .explore-away").all_inner_texts()
    assert away == SENTENCES[0][5:-1]
    choose(page, "both", 0, 4)
    assert page.locator(".explore-cloze .explore-away").count() == 0


def test_shorter_sentence_keeps_a_word_chosen(page):
    choose(page, "both", 0, 11)
    page.get_by_role("button", name=re.compile("^乙：")).click()
    assert page.locator(".explore-cloze [aria-pressed=true]").all_inner_texts() == ["."]
