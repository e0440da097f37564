"""可以动手的图“弄没一个词”：深浅、箭头与那句话正是给它的数；点词、点格子，鼠标、键盘都到得了。"""

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


def test_each_measure_shades_the_words_by_their_fall(page):
    cells = page.locator(".explore-matrix tbody td")
    for k, (way, ruler) in enumerate((i, j) for i in range(2) for j in range(3)):
        cells.nth(k).click()
        now = FALLS[way, ruler, OTHERS]
        seen = page.locator("button.explore-erase").evaluate_all(
            "all => all.map(one => [one.querySelector('small').textContent,"
            " parseFloat(one.style.getPropertyValue('--shade'))])"
        )
        shown = torch.tensor([signed(text) for text, _ in seen])
        shades = torch.tensor([float(shade) for _, shade in seen])
        torch.testing.assert_close(shown, now, atol=6e-4, rtol=0)
        torch.testing.assert_close(shades, 100 * now.abs() / FALLS[..., OTHERS].abs().max(), atol=0.6, rtol=0)
        said = page.locator(".explore-said").first.inner_text()
        assert said.startswith(f"{DATA['ways'][way]}一个词，按{DATA['rulers'][ruler]}量")
        assert f"退得最多的是 {WORDS[OTHERS[now.argmax()]]}，" in said


def test_a_word_fills_the_table(page):
    page.get_by_role("button", name="fishing").click()
    assert page.locator(".explore-matrix caption").inner_text().startswith("fishing")
    numbers = [signed(x) for x in page.locator(".explore-matrix tbody td").all_inner_texts()]
    torch.testing.assert_close(torch.tensor(numbers), FALLS[..., 2].flatten(), atol=6e-4, rtol=0)
    page.locator(".explore-matrix tbody td").first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    said, verdict = page.locator(".explore-said").all_inner_texts()
    assert said.startswith("删掉一个词，按第 3 层量")
    shown = (1000 * FALLS[..., 2]).round()  # 写出来是零的，不算退也不算进
    back, ahead = int((shown > 0).sum()), int((shown < 0).sum())
    assert verdict.startswith(f"fishing：6 种量法里，{back} 种退，{ahead} 种进")
    assert ("几乎不动" in verdict) == (back + ahead < 6)
