"""可以动手的图“一行注意力”：每个词元来问，分数、指数、权重与 torch 算的相同，条长与线宽跟着权重；亮的一行是权重最大的。"""

import pytest
import torch

rng = torch.Generator().manual_seed(4)
WORDS = ["[CLS]", "the", "sky", "is", "blue", "[SEP]"]
DATA = {
    "tokens": WORDS,
    "scores": (2 * torch.randn(6, 6, generator=rng)).double().round(decimals=2),
    "d": 32,
    "alike": torch.rand(6, 6, generator=rng),
    "chosen": 4,
}


@pytest.mark.parametrize("word", WORDS)
def test_a_row_is_a_softmax(page, word):
    page.get_by_role("button", name=word, exact=True).click()
    row = WORDS.index(word)
    scores = DATA["scores"][row]
    powers, weights = scores.exp(), scores.softmax(dim=-1)
    texts = [text.replace("−", "-") for text in page.locator(".explore-one-row text").all_text_contents()]
    assert f"加起来 {powers.sum():.1f}" in texts and f"÷ {powers.sum():.1f}" in texts
    for score, power, weight in zip(scores, powers, weights, strict=True):
        assert {f"{score:.2f}", f"{power:.1f}", f"{weight:.2f}"} <= set(texts)
    lines = page.locator(".explore-give").evaluate_all(
        "all => all.map((one) => parseFloat(one.style.strokeWidth))"
    )
    torch.testing.assert_close(torch.tensor(lines).double(), 0.8 + 6 * weights, atol=1e-3, rtol=0)
    most, near = int(weights.argmax()), WORDS[int(DATA["alike"][row].argmax())]
    said, power = page.locator(".explore-said"), f"{powers[most]:.1f}"
    assert said.inner_text().startswith(f"{word} 问 {WORDS[most]}：{scores[most]:.2f} 分，取指数 {power}；")
    assert f"{power} ÷ {powers.sum():.1f} = {weights[most]:.2f}，" in said.inner_text()
    assert f"与 {near} 的值" in texts
    hollow = page.locator(".explore-negative").count()
    assert hollow == int((scores < 0).sum())


def test_a_row_that_is_tapped_says_its_sum(page):
    page.locator(".explore-asked").nth(1).click()
    said, scores = page.locator(".explore-said").inner_text(), DATA["scores"][4]
    assert said.replace("−", "-").startswith(
        f"blue 问 the：{scores[1]:.2f} 分，取指数 {scores[1].exp():.1f}；"
    )
    assert f"= {scores.softmax(dim=-1)[1]:.2f}，" in said
