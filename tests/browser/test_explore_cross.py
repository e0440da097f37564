"""可以动手的图“话题与身边的词”：四格、两条、各词的比与那句话正是给它的数；点一个词，四格都换；鼠标、键盘都到得了。"""

import torch

LEANS = {
    "bank": torch.tensor([[-0.0717, -0.0021], [0.0109, 0.09]]),
    "[SEP]": torch.tensor([[-0.0612, -0.0341], [0.0624, 0.1089]]),
}


def effects(lean):
    """换话题、换修饰语，偏向平均各变多少。"""
    return (lean[1] - lean[0]).mean().item(), (lean[:, 1] - lean[:, 0]).mean().item()


DATA = {
    "words": [
        {
            "word": word,
            "inside": word == "bank",
            "lean": lean,
        }
        for word, lean in LEANS.items()
    ],
    "texts": [[f"{topic} {kind} {{}} today." for kind in ("saving", "muddy")] for topic in ("Pay", "Swim")],
    "seat": "bank",
    "marks": ["saving", "muddy"],
    "topics": ["说钱", "说水"],
    "kinds": ["savings 等", "muddy 等"],
    "names": ["钱", "河"],
    "chosen": "bank",
}


def shows(page, word):
    lean, most = LEANS[word], torch.stack(list(LEANS.values())).abs().max()
    cells = page.locator("tbody td")
    for cell, value in zip(cells.all(), lean.flatten().tolist(), strict=True):
        side = "河" if value > 0 else "钱"
        assert cell.locator("strong").inner_text() == f"偏{side} {abs(value):.3f}"
        hue, shade = cell.evaluate(
            "one => ['--hue', '--shade'].map(name => one.style.getPropertyValue(name))"
        )
        assert hue == ("var(--ochre)" if value > 0 else "var(--ink)")
        assert abs(float(shade.rstrip("%")) - 100 * abs(value) / most) < 0.6
        assert cell.locator("mark").inner_text() == word
    topic, kind = effects(lean)
    said = page.locator(".explore-said").inner_text()
    assert said == f"{word}：换身边的词，变的是换话题的 {kind / topic:.2f}。"
    moved = page.locator(".explore-bars .explore-number").all_inner_texts()
    assert moved == [f"{topic:.3f}", f"{kind:.3f}"]
    page.wait_for_function("document.getAnimations().every((one) => one.playState === 'finished')")
    longest = max(effect for each in LEANS.values() for effect in effects(each))
    for row, move in zip(page.locator(".explore-bars li").all(), (topic, kind), strict=True):
        bar, track = (row.locator(f".explore-{part}").bounding_box()["width"] for part in ("fill", "track"))
        assert abs(bar / track - move / longest) < 0.02
    assert page.locator("button[aria-pressed=true]").inner_text().startswith(word)
    for one, each in LEANS.items():  # 一词一条：两条之比
        topic, kind = effects(each)
        row = page.get_by_role("button").filter(has_text=one)
        assert row.locator("small").inner_text() == f"{kind / topic:.2f}"
        width = row.locator(".explore-fill").evaluate("bar => parseFloat(bar.style.width)")
        assert abs(width - 100 * kind / topic) < 0.1


def test_four_cells_and_the_bars_show_their_numbers(page):
    shows(page, "bank")


def test_a_tap_and_the_keys_choose_a_word(page):
    page.get_by_role("button", name="[SEP]").click()
    shows(page, "[SEP]")
    # 句末的一个不坐在那个座位上
    assert page.locator("tbody td span").last.inner_text() == "Swim muddy bank today. [SEP]"
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    shows(page, "bank")
    assert page.locator("tbody td span").first.inner_text() == "Pay saving bank today."
