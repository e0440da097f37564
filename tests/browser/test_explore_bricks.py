"""可以动手的图“三块积木”：条的长短与正负、谁与谁共用一份键与值、看得不同时说出来。"""

import torch
from figure_rows.writing import GATE, HEADS, heads_shows

from course_lib.show.explore import plain


def layers(page):
    """每一层、每个词元。"""
    for layer in range(4):
        page.get_by_label("层", exact=True).fill(str(layer))
        for place, word in enumerate(GATE["tokens"]):
            page.get_by_role("button", name=word, exact=True).click()
            yield layer, place


def test_every_gate_is_a_bar_either_way(open_figure):
    page = open_figure("bricks", GATE)
    signed = "all => all.map((bar) => parseFloat(bar.style.width) * (bar.matches('.explore-below') ? -1 : 1))"
    for at in layers(page):
        gate, up = (GATE[name][at] for name in ("gates", "ups"))
        three = torch.stack([gate, up, gate * up], dim=1)
        wanted = 50 * three / three.abs().amax(dim=1, keepdim=True)  # 三组各用各的尺
        bars = torch.tensor(page.locator(".explore-sided i").evaluate_all(signed)).double()
        torch.testing.assert_close(bars.view(3, 3), wanted, atol=0.02, rtol=0)


def test_heads_share_keys_and_differ_aloud(open_figure):
    page = open_figure("bricks", HEADS)
    assert page.locator(".explore-key").all_inner_texts() == ["键 1", "键 2"]
    assert page.locator(".explore-query").all_inner_texts() == [f"头 {h + 1}" for h in range(6)]
    assert [owner.get_attribute("rowspan") for owner in page.locator(".explore-shared").all()] == ["3", "3"]
    told = []
    for layer, place in layers(page):
        apart = heads_shows(plain(HEADS), {"layer": layer + 1, "place": place})["apart"]
        assert page.locator(".explore-aside").all_inner_texts() == [
            "同一份键与值，看得不同" * one for one in apart
        ]
        assert page.locator("td.explore-mark").count() == (place > 0)
        told += apart
    assert any(told) and not all(told)
