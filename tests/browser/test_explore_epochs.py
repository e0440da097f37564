"""可以动手的图“训练一轮一轮地放”：答对的比例照判断数出，词的底色是交来的权重，步与选项都到得了。"""

import pytest
import torch
from explorable_helpers import same_shape

COUNT, EPOCHS = 15, 4
WORDS = [["[CLS]", "dull", ",", "but", "great", "[SEP]"], ["[CLS]", "not", "great", ".", "[SEP]"]]
SECOND = ["[CLS]", "great", "[SEP]"]
# 两处选择拼成四条：先一条长的，后面换着来
REVIEWS = [WORDS[0], SECOND, WORDS[1], SECOND]


def data():
    """十五条影评，四轮，两个头的权重；最后一轮全对。"""
    generator = torch.Generator().manual_seed(4)
    labels = torch.arange(COUNT) % 2
    guesses = torch.randint(2, (EPOCHS, COUNT), generator=generator)
    guesses[-1] = labels
    reviews = [
        {
            "words": words,
            "label": i % 2,
            "chance": torch.rand(EPOCHS, len(words) - 1, generator=generator),
            "looks": torch.rand(EPOCHS, 2, len(words), generator=generator).softmax(dim=-1),
        }
        for i, words in enumerate(REVIEWS)
    ]
    return {
        "labels": labels,
        "order": (torch.arange(COUNT) < 10).int(),
        "points": torch.randint(1000, (EPOCHS, COUNT, 2), generator=generator),
        "guesses": ["".join(map(str, row)) for row in guesses.tolist()],
        "parts": [{"label": "先说", "options": ["dull", "not"]}, {"label": "接着", "options": ["but", "."]}],
        "reviews": reviews,
    }


DATA = data()


def go_to(page, epoch):
    page.locator(".explore-dot").nth(epoch).click()


def right(epoch):
    hit = torch.tensor([int(c) for c in DATA["guesses"][epoch]]) == DATA["labels"]
    order = DATA["order"].bool()
    return hit[order].float().mean(), hit[~order].float().mean(), hit


def test_every_epoch_counts_what_is_right(page):
    following = page.get_by_role("button", name="下一步", exact=True)
    go_to(page, 0)
    for epoch in range(EPOCHS):
        order, plain, hit = right(epoch)
        said = page.locator(".explore-stepper .explore-said").inner_text()
        assert f"看次序的答对 {100 * order:.0f} %，直说的 {100 * plain:.0f} %" in said
        assert page.locator(".explore-wrong").count() == int((~hit).sum())
        following.click() if epoch < EPOCHS - 1 else None
    assert following.is_disabled()


@pytest.mark.parametrize("epoch", [0, 2])
def test_dots_stand_where_the_points_are(page, epoch):
    go_to(page, epoch)
    page.wait_for_function("document.getAnimations().every((one) => one.playState === 'finished')")
    boxes = [dot.bounding_box() for dot in page.locator(".explore-dots-map circle").all()]
    seen = torch.tensor([[b["x"] + b["width"] / 2, b["y"] + b["height"] / 2] for b in boxes])
    same_shape(seen, DATA["points"][epoch][DATA["labels"] == 1].float(), atol=0.01)


def choose(page, chosen):
    for part, option in zip(DATA["parts"], divmod(chosen, 2), strict=True):
        row = page.get_by_role("group", name=part["label"])
        row.get_by_role("button", name=part["options"][option], exact=True).click()
    return DATA["reviews"][chosen]


@pytest.mark.parametrize("chosen", range(4))
@pytest.mark.parametrize("epoch", [0, 3])
def test_words_wear_their_weights(page, epoch, chosen):
    go_to(page, epoch)
    review = choose(page, chosen)
    rows = page.locator(".explore-looks")
    assert rows.count() == 2
    for row, weights in zip(rows.all(), review["looks"][epoch], strict=True):
        assert row.locator("span[lang=en]").all_inner_texts() == review["words"]
        shown = row.locator("small").all_inner_texts()
        for text, weight in zip(shown, weights.tolist(), strict=True):
            assert text.strip() == ("" if weight < 0.05 else f"{weight:.2f}")
        shades = row.locator(".explore-look").evaluate_all(
            "all => all.map((one) => parseFloat(one.style.getPropertyValue('--shade')))"
        )
        torch.testing.assert_close(torch.tensor(shades, dtype=torch.float), 100 * weights, atol=0.51, rtol=0)
    chance = float(review["chance"][epoch][0])
    assert page.locator(".explore-bars .explore-number").inner_text() == f"{chance:.2f}"
    verdict = page.locator(".explore-said").last.inner_text()
    assert verdict.endswith("对了。" if (chance > 0.5) == review["label"] else "错了。")


def test_a_hidden_word_changes_the_chance(page):
    """点一个词遮住它，概率换成遮住它的那一个；再点一次就放出来；换一条，也放出来。"""
    review = choose(page, 0)
    words, chance = review["words"], review["chance"][-1]
    hiding = page.get_by_role("group", name="遮住哪个词")
    number, said = page.locator(".explore-bars .explore-number"), page.locator(".explore-said").last
    assert hiding.get_by_role("button").all_inner_texts() == words[1:-1]
    for i, word in enumerate(words[1:-1], 1):
        hiding.get_by_role("button", name=word, exact=True).click()
        assert number.inner_text() == f"{float(chance[i]):.2f}"
        assert (
            said.inner_text()
            == f"遮住 {word}，是褒的概率从 {float(chance[0]):.2f} 变成 {float(chance[i]):.2f}。"
        )
        assert hiding.locator("[aria-pressed=true]").all_inner_texts() == [word]
    page.keyboard.press("Enter")  # 焦点还在这个词上
    assert hiding.locator("[aria-pressed=true]").count() == 0
    assert number.inner_text() == f"{float(chance[0]):.2f}"
    hiding.get_by_role("button", name=words[1], exact=True).click()
    choose(page, 1)
    assert hiding.locator("[aria-pressed=true]").count() == 0
