"""可以动手的图“掩码”：重算的权重与课程库的相同，说的倍数是真的，键盘走得通；补长的那一幅，宽窄与所给的权重相同。"""

import pytest
import torch
from explorable_helpers import numbers

from course_lib.attention import causal_mask, scaled_dot_product_attention


def data():
    scores = torch.randn(4, 4, generator=torch.Generator().manual_seed(4))
    return {"tokens": ["time", "flies", "fast", "[PAD]"], "scores": scores, "padding": [False] * 3 + [True]}


DATA = data()


def test_masks_are_the_librarys(page):
    for rule, keep in [
        ("都可以看", torch.ones(4, 4, dtype=torch.bool)),
        ("填充", torch.tensor([True] * 3 + [False]).expand(4, 4)),
        ("因果", causal_mask(4)),
        ("填充与因果", causal_mask(4) & torch.tensor([True] * 3 + [False])),
    ]:
        page.get_by_role("button", name=rule, exact=True).click()
        eye = torch.eye(4)
        _, weights = scaled_dot_product_attention(DATA["scores"] * 2, eye, eye, keep)  # √4 = 2
        torch.testing.assert_close(numbers(page, "权重"), weights, atol=0.0051, rtol=0)


def test_a_row_that_may_see_nothing(page):
    for word in ("time", "flies", "fast", "[PAD]"):
        page.get_by_role("button", name=f"flies 看 {word}：可以").click()
    assert numbers(page, "权重")[1].isnan().all() and "NaN" in page.locator(".explore-said").inner_text()
    page.get_by_role("button", name="给零").click()
    assert numbers(page, "权重")[1].tolist() == [0] * 4


def test_one_cell_shares_out_its_row(page):
    before = numbers(page, "权重")
    page.get_by_role("button", name="fast 看 [PAD]：可以").click()
    after = numbers(page, "权重")
    keep = torch.ones(4, 4, dtype=torch.bool)
    keep[2, 3] = False
    weights = DATA["scores"].masked_fill(~keep, -torch.inf).softmax(dim=-1)
    torch.testing.assert_close(after, weights, atol=0.0051, rtol=0)
    factor = 1 / (1 - DATA["scores"][2].softmax(dim=-1)[3].item())
    assert f"其余的各乘 {factor:.2f}" in page.locator(".explore-said").inner_text()
    assert (after != before).any(dim=1).tolist() == [False, False, True, False]
    page.get_by_role("button", name="fast 看 [PAD]：不可以").click()
    assert torch.equal(numbers(page, "权重"), before)
    assert f"其余的各乘 {1 / factor:.2f}" in page.locator(".explore-said").inner_text()


def test_keyboard_alone(page):
    page.get_by_role("button", name="time 看 time：可以").focus()
    for key in ("ArrowRight", "ArrowDown", "Enter"):
        page.keyboard.press(key)
    assert page.evaluate("document.activeElement.getAttribute('aria-label')").startswith(
        "flies 看 flies：不可以"
    )


WORDS, SIZES = ["[CLS]", "time", "[SEP]"], [3, 8, 64]
FILLERS = [
    {
        "name": name,
        "rows": torch.cat(
            [torch.rand(3, 3, 3), torch.tensor([0, 0.5, 3])[:, None, None].expand(3, 3, 1)], dim=-1
        ),
        "moved": [0, size, 2 * size],
    }
    for name, size in (("[PAD]", 0.4), ("句号", 0.2))
]
for _filler in FILLERS:
    _filler["rows"] /= _filler["rows"].sum(dim=-1, keepdim=True)


@pytest.fixture
def longer(open_figure):
    return open_figure("mask", {"words": WORDS, "sizes": SIZES, "fillers": FILLERS})


def parts(page):
    widths = page.locator(".explore-mosaics li").evaluate_all(
        "rows => rows.map((row) => [...row.querySelectorAll('.explore-share')].map((part) => Number(part.style.flexGrow)))"
    )
    return torch.tensor(widths)


@pytest.mark.parametrize("filler", [0, 1])
def test_longer_padding_takes_its_share(longer, filler):
    name = FILLERS[filler]["name"]
    longer.get_by_role("button", name=name, exact=True).click()
    for at, size in enumerate(SIZES):
        longer.get_by_role("slider").fill(str(at))
        rows = FILLERS[filler]["rows"][at]
        torch.testing.assert_close(parts(longer), rows, atol=1e-3, rtol=0)
        shown = longer.locator(".explore-mosaics .explore-number").all_inner_texts()
        assert [float(n) for n in shown] == pytest.approx(rows[:, -1].tolist(), abs=0.0051)
        said = longer.locator(".explore-said").inner_text()
        if size > 3:
            assert f"补了 {size - 3} 个{name}" in said.replace("个 ", "个")
            assert f"变了 {FILLERS[filler]['moved'][at]:.2f}" in said
        else:
            assert "没有补" in said


def test_the_padding_mask_undoes_it(longer):
    longer.get_by_role("slider").fill("2")
    longer.get_by_role("button", name="填充掩码", exact=True).click()
    torch.testing.assert_close(parts(longer), FILLERS[0]["rows"][0], atol=1e-3, rtol=0)
    assert "一个也不许看" in longer.locator(".explore-said").inner_text()
