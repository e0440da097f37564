"""可以动手的图“缓存随长度怎样长”：横条照式子长，末尾是装得下几个词元。"""

import pytest
from explorable_helpers import turn

MODELS = [
    {"name": "甲", "each": 500_000, "start": 0},
    {"name": "乙", "each": 0, "start": 80_000_000},
    {"name": "丙", "each": 25_000, "start": 75_000_000},
]
DATA = {"models": MODELS}
LENGTHS = [256 * 2**i for i in range(13)]


def widths(page):
    return page.locator(".explore-bars .explore-fill").evaluate_all(
        "fills => fills.map(fill => parseFloat(fill.style.width))"
    )


def test_bars_follow_the_bytes(page):
    for n in [256, 16384, 1 << 20]:
        turn(page, "词元", LENGTHS, n)
        sizes = [model["each"] * n + model["start"] for model in MODELS]
        assert widths(page) == pytest.approx([100 * size / max(sizes) for size in sizes], abs=0.05)
        notes = page.locator(".explore-bars .explore-note").all_inner_texts()
        for size, note in zip(sizes, notes, strict=True):
            told = f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.1f} MB"
            assert note.startswith(told)
        said = page.locator(".explore-said").inner_text()
        assert f"{n:,} 个词元" in said and ("甲" in said) == (sizes[0] > 24e9)


def test_memory_ends_where_it_says(page):
    for gigabytes in (24, 80):
        page.get_by_role("button", name=f"{gigabytes} GB", exact=True).click()
        notes = page.locator(".explore-bars .explore-note").all_inner_texts()
        for model, note in zip(MODELS, notes, strict=True):
            if model["each"]:
                most = int((gigabytes * 1e9 - model["start"]) // model["each"])
                assert f"装得下 {most:,} 个" in note
            else:
                assert "多长都一样" in note
