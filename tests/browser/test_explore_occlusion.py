"""可以动手的图“弄没一个词”：条的长短与方向、那句话正是给它的数；点词、点格子，鼠标、键盘都到得了。"""

import torch

WORDS = ["money", "bank", "fishing", "river", "bank", "."]
FALLS = 0.01 * torch.randn(2, 3, len(WORDS), generator=torch.Generator().manual_seed(1))
DATA = {
    "words": WORDS,
    "seat": 4,
    "ways": ["遮住", "删掉"],
    "rulers": ["第 3 层", "最后一层", "最后四层之和"],
    "falls": FALLS,
    "names": ["钱", "河"],
    "chosen": 3,
}
OTHERS = [0, 1, 2, 3, 5]


def signed(text):
    """←0.012 是退，0.012→ 是进，没有箭头的是零。"""
    size = float(text.strip("←→"))
    assert (size == 0) == (text == text.strip("←→"))
    return -size if text.endswith("→") else size


def test_each_measure_draws_the_words_by_their_fall(page):
    cells = page.locator(".explore-matrix tbody td")
    for k, (way, ruler) in enumerate((i, j) for i in range(2) for j in range(3)):
        cells.nth(k).click()
        now = FALLS[way, ruler, OTHERS]
        seen = page.locator("[role=option] i").evaluate_all(
            "all => all.map(one => parseFloat(one.style.getPropertyValue('--size'))"
            " * (one.matches('.explore-ahead') ? -1 : 1))"
        )
        sizes = 50 * now / FALLS[..., OTHERS].abs().max()
        torch.testing.assert_close(torch.tensor(seen), sizes, atol=0.06, rtol=0)
        said = page.locator(".explore-said").inner_text()
        assert said.startswith(f"{DATA['ways'][way]} river，按{DATA['rulers'][ruler]}量")
        moved, best = FALLS[way, ruler, 3], now.argmax()
        assert f"{'往河进' if moved < 0 else '往钱退'} {moved.abs():.3f}；" in said
        assert f"退得最多的是 {WORDS[OTHERS[best]]}，{now[best]:.3f}。".replace("-", "−") in said


def test_a_word_fills_the_table(page):
    page.get_by_role("option", name="fishing").click()
    assert page.locator(".explore-matrix caption").inner_text().startswith("fishing")
    numbers = [signed(x) for x in page.locator(".explore-matrix tbody td").all_inner_texts()]
    torch.testing.assert_close(torch.tensor(numbers), FALLS[..., 2].flatten(), atol=6e-4, rtol=0)
    page.get_by_role("listbox").focus()
    for key, word in (("ArrowDown", "river"), ("ArrowUp", "fishing")):
        page.keyboard.press(key)
        chosen = page.locator("[role=option][aria-selected=true]")
        assert chosen.get_attribute("aria-label") == word
        assert page.get_by_role("listbox").get_attribute("aria-activedescendant") == chosen.get_attribute(
            "id"
        )
    page.locator(".explore-matrix tbody td").first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert page.locator(".explore-said").inner_text().startswith("删掉 fishing，按第 3 层量")
    shown = (1000 * FALLS[..., 2]).round()  # 写出来是零的，不算退也不算进
    back, ahead = int((shown > 0).sum()), int((shown < 0).sum())
    verdict = page.locator(".explore-matrix caption").inner_text()
    assert verdict.startswith(f"fishing：6 种量法里，{back} 种退，{ahead} 种进")
    assert ("几乎不动" in verdict) == (back + ahead < 6)
