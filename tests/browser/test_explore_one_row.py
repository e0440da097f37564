"""可以动手的图“一行注意力”：写出的数、条长与线宽跟着权重；亮的一行是权重最大的，点哪一行，说哪一行。"""

import pytest
import torch
from figure_rows.weights import ROW as DATA

from course_lib.show.explore import plain

SCORES = torch.tensor(plain(DATA["scores"]), dtype=torch.double)


@pytest.mark.parametrize("row", range(6))
def test_a_row_is_written_and_drawn(page, row):
    word = DATA["tokens"][row]
    page.get_by_role("button", name=word, exact=True).click()
    scores, powers, weights = SCORES[row], SCORES[row].exp(), SCORES[row].softmax(dim=-1)
    texts = [text.replace("−", "-") for text in page.locator(".explore-one-row text").all_text_contents()]
    assert f"加起来 {powers.sum():.1f}" in texts and f"÷ {powers.sum():.1f}" in texts
    for score, power, weight in zip(scores, powers, weights, strict=True):
        assert {f"{score:.2f}".replace("-0.00", "0.00"), f"{power:.1f}", f"{weight:.2f}"} <= set(texts)
    lines = page.locator(".explore-give").evaluate_all(
        "all => all.map((one) => parseFloat(one.style.strokeWidth))"
    )
    torch.testing.assert_close(torch.tensor(lines).double(), 0.8 + 6 * weights, atol=1e-3, rtol=0)
    assert page.locator(".explore-negative").count() == int((scores < 0).sum())
    for i in [int(weights.argmax()), 1]:  # 打开时说的是权重最大的一行
        said = page.locator(".explore-said").inner_text().replace("−", "-")
        assert said.startswith(f"{word} 问 {DATA['tokens'][i]}：{scores[i]:.2f} 分，取指数 {powers[i]:.1f}；")
        assert f"{powers[i]:.1f} ÷ {powers.sum():.1f} = {weights[i]:.2f}，" in said
        page.locator(".explore-asked").nth(1).click()
