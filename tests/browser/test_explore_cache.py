"""可以动手的图“KV 缓存”：要算的位置与乘法照公式，拿掉掩码，存着的过了时。"""

from explorable_helpers import turn

WORDS, WRITING = ["开头", "甲", "乙", "丙"], ["甲", "乙", "丙", "结尾"]
FRESH = [[0.0] * n for n in range(1, 5)]
STALE = [[0.0], [0.4, 0.0], [0.5, 0.3, 0.0], [0.9, 0.2, 0.001, 0.0]]
SIZES = {"D": 64, "F": 256, "L": 2, "M": 2}
DATA = {"words": WORDS, "writing": WRITING, "gaps": [FRESH, STALE], "sizes": SIZES}


def multiplications(n):
    width, ff, layers, source = SIZES.values()
    one = 6 * width**2 + 2 * width * ff + 2 * n * width + 2 * source * width
    return layers * one, layers * (n * one + 2 * source * width**2)


def test_counts(page):
    for n in [1, 2, 3, 4]:
        turn(page, "写第几个", [1, 2, 3, 4], n)
        whole, kept = page.locator(".explore-places").all()
        assert whole.locator(".explore-work").count() == n and kept.locator(".explore-work").count() == 1
        for cells in (whole, kept):
            assert cells.locator(".explore-empty").count() == 4 - n
        said = page.locator(".explore-said").inner_text()
        for number in multiplications(n):
            assert f"{number:,} 次" in said
        assert f"一共算了 {n * (n + 1) // 2} 个与 {n} 个" in said


def test_without_the_mask_what_is_kept_is_stale(page):
    for n in [1, 2, 3, 4]:
        turn(page, "写第几个", [1, 2, 3, 4], n)
        assert page.locator(".explore-stale").count() == 0
        page.get_by_role("button", name="拿掉", exact=True).click()
        gaps = STALE[n - 1]
        assert page.locator(".explore-stale").count() == sum(gap > 0.005 for gap in gaps)
        assert ("过了时" in page.locator(".explore-said").inner_text()) == any(gaps)
        notes = page.locator(".explore-places").last.locator("small").all_inner_texts()[: n - 1]
        assert notes == [f"差 {gap:.2f}" for gap in gaps[:-1]]
        page.get_by_role("button", name="有", exact=True).click()
        assert page.locator(".explore-stale").count() == 0
