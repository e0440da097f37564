"""可以动手的图“逐层的透镜”：每一层、每个词元显示的正是给它的数；拖、点、播放、换句都到得了。"""

import torch

LAYERS = 4
VOCABULARY = [" ", "\n", *(f" w{i}" for i in range(40))]


def prompt(name, last, seed):
    rng = torch.Generator().manual_seed(seed)
    words = torch.randint(2, len(VOCABULARY), (LAYERS + 1, 5), generator=rng)
    words[1, :2] = torch.tensor([0, 1])
    return {
        "name": name,
        "last": last,
        "words": words,
        "chances": torch.rand((LAYERS + 1, 5), generator=rng).sort(descending=True).values.softmax(dim=-1),
        "answers": torch.rand(LAYERS + 1, generator=rng),
    }


DATA = {
    "vocabulary": VOCABULARY,
    "prompts": [
        prompt("The capital is", "is", 0),
        prompt("换一句", "Tuesday", 1),
    ],
}


def shows(page, one, layer):
    rows = page.get_by_role("list", name="提前读出的五个词元").locator("li")
    names = ["␣" if VOCABULARY[i] == " " else VOCABULARY[i].strip() or "↵" for i in one["words"][layer]]
    assert rows.locator(".explore-label").all_inner_texts() == names
    values = torch.tensor([float(x) for x in rows.locator(".explore-number").all_inner_texts()])
    torch.testing.assert_close(values, one["chances"][layer], atol=6e-4, rtol=0)
    said = page.locator(".explore-said").inner_text()
    assert f"从 {one['last']} 读出的第一名" in said
    assert said.startswith(f"第 {layer} 层之后" if layer else "第 0 层，还没有听过别的词元")


def test_every_layer_shows_its_numbers(page):
    shows(page, DATA["prompts"][0], LAYERS - 1)  # 打开时在倒数第二层
    for name, one in zip(("The capital is", "换一句"), DATA["prompts"], strict=True):
        page.get_by_role("button", name=name, exact=True).click()
        for layer in range(LAYERS + 1):
            page.locator(".explore-slider input").fill(str(layer))
            shows(page, one, layer)


def test_the_slider_leads_and_stops_the_play(page):
    page.get_by_role("button", name="播放").click()
    slider = page.locator(".explore-slider input")
    slider.focus()
    page.keyboard.press("End")
    shows(page, DATA["prompts"][0], LAYERS)
    assert page.get_by_role("button", name="播放").is_visible()  # 动了手，播放就停
    page.keyboard.press("ArrowLeft")
    shows(page, DATA["prompts"][0], LAYERS - 1)
    assert f"第 {LAYERS - 1} 层" in page.locator(".explore-said").inner_text()


def test_the_curve_is_the_answer(page):
    for name, one in zip(("The capital is", "换一句"), DATA["prompts"], strict=True):
        page.get_by_role("button", name=name, exact=True).click()
        curve = page.locator(".explore-line polyline").get_attribute("points").split()
        heights = torch.tensor([float(point.split(",")[1]) for point in curve])
        torch.testing.assert_close(heights, 110 - 100 * one["answers"], atol=0.06, rtol=0)
