"""可以动手的图“两个空”：分数、指数、权重与课程库算的相同；下拉与点格子是同一件事；换句式，句子跟着换；表里翻开头一行、头一列与试过的格。"""

import pytest
import torch
from explorable_helpers import numbers

NOUNS, COLORS = ["sky", "sea", "gold"], ["blue", "red"]
FRAMES = [["[CLS]", "the", 0, "is", 1, "[SEP]"], ["[CLS]", "that", 1, 0, "again", "[SEP]"]]
DATA = {
    "nouns": NOUNS,
    "colors": COLORS,
    "frames": FRAMES,
    "scores": 2 * torch.randn(2, 3, 2, 6, generator=torch.Generator().manual_seed(2)),
}


def row(page, column):
    """第几栏的六个数：0 是分数，1 是指数，2 是权重。"""
    texts = page.locator(f".explore-steps tbody td:nth-child({column + 2}) .explore-number").all_inner_texts()
    return torch.tensor([float(text.replace("−", "-")) for text in texts])


@pytest.mark.parametrize("frame", [0, 1])
def test_the_row_is_the_softmax_of_its_scores(page, frame):
    page.get_by_role("button", name=("The … is …", "That … … again")[frame], exact=True).click()
    at = FRAMES[frame].index(0)
    for i, noun in enumerate(NOUNS):
        for j, color in enumerate(COLORS):
            page.get_by_label("名词").select_option(noun)
            page.get_by_label("颜色").select_option(color)
            scores = DATA["scores"][frame, i, j]
            torch.testing.assert_close(row(page, 0), scores, atol=0.0051, rtol=0)
            torch.testing.assert_close(row(page, 1), scores.exp(), atol=0.051, rtol=0)
            torch.testing.assert_close(row(page, 2), scores.softmax(dim=0), atol=0.0051, rtol=0)
            said = page.locator(".explore-said").inner_text()
            assert said.startswith(f"{color} 给 {noun}") and said.endswith(
                f"= {scores.softmax(dim=0)[at]:.2f}。"
            )
    shares = DATA["scores"][frame].softmax(dim=-1)[..., at]
    torch.testing.assert_close(numbers(page, "权重"), shares, atol=0.0051, rtol=0)


def test_a_cell_chooses_both_words(page):
    page.get_by_role("button", name="gold → red").click()
    assert [page.get_by_label(name).input_value() for name in ("名词", "颜色")] == ["gold", "red"]
    assert page.locator(".explore-steps tr.explore-mark th").inner_text() == "gold"
    assert page.locator("td.explore-mark").get_attribute("aria-label").startswith("gold → red")
    page.get_by_role("button", name="That … … again").click()
    words = page.locator(".explore-steps th[scope=row]").all_inner_texts()
    assert words == ["[CLS]", "that", "red", "gold", "again", "[SEP]"]
    spoken = page.locator(".explore-sentence-of").evaluate(
        "row => [...row.children].map(part => part.value ?? part.textContent).join(' ')"
    )
    assert spoken == "That red gold again"


def test_cells_turn_as_sentences_are_tried(page):
    cells = page.locator(".explore-matrix tbody td")
    assert [bool(text) for text in cells.all_inner_texts()] == [True, True, True, False, True, False]
    page.get_by_label("颜色").select_option("red")
    page.get_by_label("名词").select_option("gold")
    assert [bool(text) for text in cells.all_inner_texts()] == [True, True, True, False, True, True]
    assert page.get_by_text("翻开 5 / 6").is_visible()
    page.get_by_role("button", name="全部翻开").click()
    assert all(cells.all_inner_texts()) and page.get_by_role("button", name="全部翻开").is_disabled()
