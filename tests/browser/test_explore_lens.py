"""可以动手的图“逐层的透镜”：每一层、每个词元显示的正是给它的数；拖、点、播放、换句都到得了。"""

import torch

LAYERS = 4
VOCABULARY = [" ", "\n", *(f" w{i}" for i in range(40))]


def prompt(name, tokens, seed):
    rng = torch.Generator().manual_seed(seed)
    words = torch.randint(2, len(VOCABULARY), (LAYERS + 1, 5), generator=rng)
    words[1, :2] = torch.tensor([0, 1])
    return {
        "name": name,
        "tokens": tokens,
        "words": words,
        "chances": torch.rand((LAYERS + 1, 5), generator=rng).sort(descending=True).values.softmax(dim=-1),
        "answers": torch.rand(LAYERS + 1, generator=rng),
        "looks": torch.rand((LAYERS, len(tokens)), generator=rng).softmax(dim=-1),
        "lengths": 10 ** (4 * torch.rand((LAYERS + 1, len(tokens)), generator=rng)),
    }


DATA = {
    "vocabulary": VOCABULARY,
    "prompts": [
        prompt("The capital is", ["The", " capital", " is"], 0),
        prompt("换一句", ["Monday", ",", " then", " Tuesday"], 1),
    ],
}


def first_and_rest(numbers):
    return torch.stack([numbers[0], numbers[1:].mean()])


def pair(page, name):
    group = page.get_by_role("group", name=name, exact=True)
    numbers = group.locator(".explore-number").all_inner_texts()
    return group.locator(".explore-label").all_inner_texts(), torch.tensor([float(x) for x in numbers])


def shows(page, one, layer):
    rows = page.get_by_role("list", name="提前读出的五个词元").locator("li")
    names = ["␣" if VOCABULARY[i] == " " else VOCABULARY[i].strip() or "↵" for i in one["words"][layer]]
    assert rows.locator(".explore-label").all_inner_texts() == names
    values = torch.tensor([float(x) for x in rows.locator(".explore-number").all_inner_texts()])
    torch.testing.assert_close(values, one["chances"][layer], atol=6e-4, rtol=0)
    labels, values = pair(page, "注意力")
    assert labels == [one["tokens"][0], "其余平均"]
    looks = one["looks"][layer - 1] if layer else torch.zeros(len(one["tokens"]))
    torch.testing.assert_close(values, first_and_rest(looks), atol=6e-3, rtol=0)
    _, values = pair(page, "长度")
    torch.testing.assert_close(values, first_and_rest(one["lengths"][layer]), atol=0.6, rtol=1e-4)
    said = page.locator(".explore-label").all_inner_texts()
    assert any("谁也没有看" in text for text in said) == (layer == 0)


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
