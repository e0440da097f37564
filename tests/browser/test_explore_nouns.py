"""可以动手的图“座位上换一个词”：点站在它的差上；说的数与过线的词正是给它的；层、点、键盘都到得了。"""

import torch

GAPS = {"dog": [0, 0.01, 0.07], "book": [0, 0.02, 0.01], "firm": [0, 0.05, 0.09], "pond": [0, 0.01, 0.02]}
GAPS |= {"bank": [0, 0.04, 0.06], "field": [0, 0.05, 0.1]}
GROUPS = {"寻常的名词": ["dog", "book"], "只沾一边": ["firm", "pond"], "两边都沾": ["bank", "field"]}
DATA = {
    "groups": [
        {"name": name, "nouns": [{"word": w, "gaps": GAPS[w], "hits": [0, 7, 5]} for w in words]}
        for name, words in GROUPS.items()
    ],
    "mark": "bank",
    "count": 8,
    "chosen": "dog",
    "layers": [0, 1, 2],
}


def chosen(page):
    return page.locator("[role=option][aria-selected=true]").get_attribute("aria-label")


def place(page, word):
    box = page.locator(f"[role=option][aria-label='{word}'] i").bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_every_layer_shows_its_gaps_and_who_is_past_the_mark(page):
    for layer, past in ((2, "firm、dog"), (1, "firm"), (0, "")):
        page.get_by_role("button", name=f"第 {layer} 层").click()
        page.wait_for_function("document.getAnimations().every((one) => one.playState === 'finished')")
        x = torch.tensor([place(page, word)[0] for word in GAPS])
        gaps = torch.tensor([all_layers[layer] for all_layers in GAPS.values()])
        if layer:  # 横着的位置是差的线性函数
            torch.testing.assert_close(
                (x - x.min()) / (x.max() - x.min()),
                (gaps - gaps.min()) / (gaps.max() - gaps.min()),
                atol=0.01,
                rtol=0,
            )
        said, one = page.locator(".explore-said").all_inner_texts()
        assert f"第 {layer} 层，bank 的差是 {GAPS['bank'][layer]:.3f}" in said
        assert said.endswith(f"比它大的：{past}。" if past else "谁也分不开。")
        groups = page.locator(".explore-nouns-row > .explore-label").all_inner_texts()
        for group, (name, words) in zip(groups, GROUPS.items(), strict=True):
            others = [w for w in words if w != "bank"]
            over = sum(GAPS[w][layer] > GAPS["bank"][layer] for w in others)
            assert group == f"{name}，过线 {over} / {len(others)}"
        assert one.startswith(f"dog：差 {GAPS['dog'][layer]:.3f}")


def test_a_tap_and_the_keys_choose_a_noun(page):
    page.mouse.click(*place(page, "pond"))
    assert chosen(page) == "pond"
    page.get_by_role("listbox").focus()
    for key, word in (
        ("ArrowRight", "firm"),
        ("ArrowDown", "field"),
        ("ArrowLeft", "bank"),
        ("ArrowUp", "firm"),
    ):
        page.keyboard.press(key)
        assert chosen(page) == word
    assert "差 0.090，8 个里挑中 5 个" in page.locator(".explore-said").last.inner_text()
