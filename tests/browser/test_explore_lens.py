"""可以动手的图“逐层的透镜”：每一层、每个词元显示的正是给它的数；拖、点、播放、换句都到得了。"""

import torch

LAYERS = 4
VOCABULARY = [" ", "\n", *(f" w{i}" for i in range(40))]


def prompt(name, tokens, seed):
    rng = torch.Generator().manual_seed(seed)
    shape = (LAYERS + 1, len(tokens))
    words = torch.randint(2, len(VOCABULARY), (*shape, 5), generator=rng)
    words[1, 0, :2] = torch.tensor([0, 1])
    return {
        "name": name,
        "tokens": tokens,
        "words": words,
        "chances": torch.rand((*shape, 5), generator=rng).sort(descending=True).values.softmax(dim=-1),
        "answers": torch.rand(shape, generator=rng),
        "looks": torch.rand((LAYERS, len(tokens), len(tokens)), generator=rng).softmax(dim=-1),
        "lengths": 10 ** (4 * torch.rand(shape, generator=rng)),
    }


DATA = {
    "vocabulary": VOCABULARY,
    "prompts": [
        prompt("The capital is", ["The", " capital", " is"], 0),
        prompt("换一句", ["Monday", ",", " then", " Tuesday"], 1),
    ],
}


def bars(page, name):
    rows = page.get_by_role("list", name=name).locator("li")
    names = rows.locator(".explore-label").all_inner_texts()
    numbers = ".explore-track + .explore-number", ".explore-meter + .explore-number"
    values, lengths = ([float(x) for x in rows.locator(one).all_inner_texts()] for one in numbers)
    return names, torch.tensor(values), torch.tensor(lengths)


def shows(page, one, layer, place):
    names, values, _ = bars(page, "提前读出的五个词元")
    assert names == [VOCABULARY[i].strip() for i in one["words"][layer, place]]
    torch.testing.assert_close(values, one["chances"][layer, place], atol=6e-4, rtol=0)
    names, values, lengths = bars(page, "这一层里它看谁")
    assert names == [token.strip().replace(",", "“,”") for token in one["tokens"]]
    looks = one["looks"][layer - 1, place] if layer else torch.zeros(len(names))
    torch.testing.assert_close(values, looks, atol=6e-3, rtol=0)
    torch.testing.assert_close(lengths, one["lengths"][layer], atol=0.6, rtol=1e-4)
    said = page.locator(".explore-lens .explore-label").all_inner_texts()
    assert any("谁也没有看" in text for text in said) == (layer == 0)


def test_every_layer_shows_its_numbers(page):
    following = page.get_by_role("button", name="下一步", exact=True)
    shows(page, DATA["prompts"][0], LAYERS - 1, 2)  # 打开时在倒数第二层
    page.locator(".explore-slider input").fill("0")
    for layer in range(LAYERS + 1):
        shows(page, DATA["prompts"][0], layer, 2)
        assert page.locator(".explore-slider input").input_value() == str(layer)
        following.click() if layer < LAYERS else None
    assert following.is_disabled()


def test_the_slider_leads_and_stops_the_play(page):
    page.get_by_role("button", name="播放").click()
    slider = page.locator(".explore-slider input")
    slider.focus()
    page.keyboard.press("End")
    shows(page, DATA["prompts"][0], LAYERS, 2)
    assert page.get_by_role("button", name="播放").is_visible()  # 动了手，播放就停
    page.keyboard.press("ArrowLeft")
    shows(page, DATA["prompts"][0], LAYERS - 1, 2)
    assert f"第 {LAYERS - 1} 层" in page.locator(".explore-said").inner_text()


def test_a_token_and_a_sentence_are_picked(page):
    page.locator(".explore-slider input").fill("1")
    page.get_by_role("button", name="The", exact=True).click()
    names, *_ = bars(page, "提前读出的五个词元")
    assert names[:2] == ["␣", "↵"]  # 空白与换行也看得见
    page.get_by_role("button", name="换一句", exact=True).click()
    shows(page, DATA["prompts"][1], 1, 3)  # 层不变，词元回到末一个
    page.get_by_role("button", name="then", exact=True).click()
    shows(page, DATA["prompts"][1], 1, 2)


def test_curves_follow_the_token(page):
    for place in [0, 2]:
        page.locator(".explore-token").nth(place).click()
        one = DATA["prompts"][0]
        curves = [
            line.get_attribute("points").split() for line in page.locator(".explore-line polyline").all()
        ]
        assert [len(points) for points in curves] == [LAYERS + 1, LAYERS]
        answer, first = (torch.tensor([float(point.split(",")[1]) for point in points]) for points in curves)
        torch.testing.assert_close(answer, 130 - 120 * one["answers"][:, place], atol=0.06, rtol=0)
        torch.testing.assert_close(first, 130 - 120 * one["looks"][:, place, 0], atol=0.06, rtol=0)
