"""可以动手的图“bank 怎样分开”：挑中几个、最像的一句与课程库算的相同；层、句子，鼠标、手指、键盘都到得了。"""

import pytest
import torch

SENTENCES = [f"Sentence {i} by the bank of number {i}." for i in range(6)]
SENSES = [0, 0, 0, 1, 1, 1]
LAYERS = 4


def token(name, seed):
    """第 0 层六个向量相同，此后越走越按词义分开。"""
    generator = torch.Generator().manual_seed(seed)
    noise, pull = torch.randn(6, 16, generator=generator), torch.zeros(6, 16)
    pull[:3, 0], pull[3:, 1] = 3, 3
    start = 4 * torch.ones(16)
    vectors = torch.stack([start + layer * (0.4 * noise + pull) for layer in range(LAYERS)])
    unit = torch.nn.functional.normalize(vectors, dim=-1)
    points = torch.stack([(layer - layer.mean(dim=0))[:, :2] for layer in unit])
    return {"name": name, "points": points, "cosines": unit @ unit.mT}


DATA = {
    "sentences": SENTENCES,
    "short": list("甲乙丙丁戊己"),
    "word": "bank",
    "senses": SENSES,
    "names": ["钱", "河"],
    "places": [token("bank", 12), token("[SEP]", 13)],
    "control": "[SEP]",
}


def said(page):
    return page.locator(".explore-said").inner_text().replace("−", "-")


def layer_of(page):
    return page.locator(".explore-slider output").inner_text()


def chip(page, name):
    return page.get_by_role("button").filter(has_text=name)


def go(page, layer):
    page.get_by_role("slider").fill(str(layer))
    page.wait_for_function("document.getAnimations().every((one) => one.playState === 'finished')")


def chosen(page):
    return page.locator("[role=option][aria-selected=true]").get_attribute("aria-label")


def place(page, i):
    """第几句的点在屏幕上的中心。"""
    dots = page.locator(f"[role=option][aria-label='{'钱河'[SENSES[i]]}：{SENTENCES[i]}'] > :first-child")
    box = dots.bounding_box()
    return torch.tensor([box["x"] + box["width"] / 2, box["y"] + box["height"] / 2])


@pytest.mark.parametrize("at", [0, 1])
def test_hits_and_the_nearest_are_the_librarys(open_figure, at):
    page = open_figure("banks", DATA | {"chosen": 4})
    for layer in range(LAYERS):
        there = DATA["places"][at]
        chip(page, there["name"]).click()
        go(page, layer)
        cosines, sense = there["cosines"][layer], torch.tensor(SENSES)
        cards = page.locator(".explore-cards").inner_text()
        assert SENTENCES[4] in cards
        bold = page.locator(".explore-cards [lang=en] b").first.inner_text()
        assert bold == there["name"]  # 看的是哪一个，粗的就是哪一个
        if layer == 0:
            assert "都一样" in cards and "6 个 bank 都一样" in said(page)
            assert "都一样" in chip(page, there["name"]).inner_text()
        else:
            best = cosines[4].index_fill(0, torch.tensor([4]), -2).argmax()
            assert SENTENCES[best] in cards and f"余弦 {cosines[4, best]:.3f}" in cards
            picked = (cosines - 2 * torch.eye(6)).argmax(dim=-1)
            right = (sense[picked] == sense).sum()
            assert f"{right}/6" in chip(page, there["name"]).inner_text()
            wide = chip(page, there["name"]).locator(".explore-fill").get_attribute("style")
            assert float(wide.split("width:")[1].strip(" %;")) == pytest.approx(
                100 * right.item() / 6, abs=1e-3
            )
            of = (
                f"6 个 bank，{right} 个挑中"
                if at == 0
                else f"[SEP]，{'6 个全中' if right == 6 else f'{right} 个挑中'}"
            )
            assert of in said(page)
            crossing = page.locator(".explore-cross line")
            assert crossing.count() == (sense[picked] != sense).sum()  # 红的正是过了界的
            assert page.locator("[role=option] text", has_text="戊").count() == 1


def test_dots_stand_where_the_points_are_and_those_too_close_are_parted(open_figure):
    """屏幕上的位置是点的相似变换，y 朝上；各层同一把尺子；太挤的拨开。"""
    angle = torch.arange(6) * torch.pi / 3
    round_ = torch.stack([angle.cos(), angle.sin()], dim=-1)
    points = torch.stack([layer * round_ for layer in range(LAYERS)])
    page = open_figure(
        "banks", DATA | {"places": [DATA["places"][0] | {"points": points}, *DATA["places"][1:]]}
    )
    seen = []
    for layer in range(LAYERS):
        go(page, layer)
        seen.append(torch.stack([place(page, i) for i in range(3)]))  # 圆的框的中心就是它的位置
    seen = torch.stack(seen)
    assert (seen[0] - seen[0, 0]).abs().max() < 0.1
    points = points[:, :3] * torch.tensor([1.0, -1.0])
    scale = (seen[3, 0] - seen[3, 1]).norm() / (points[3, 0] - points[3, 1]).norm()
    torch.testing.assert_close(seen - seen[0, 0], (points - points[0, 0]) * scale, atol=1.0, rtol=0)
    points = 0.01 * round_ + torch.tensor([[5.0, 0]] * 3 + [[-5.0, 0]] * 3)  # 两团，几乎叠着
    crowd = DATA["places"][0] | {"points": torch.stack([points] * LAYERS)}
    page = open_figure("banks", DATA | {"places": [crowd, *DATA["places"][1:]]})
    spots = torch.stack([place(page, i) for i in range(6)])
    assert torch.nn.functional.pdist(spots).min() > 14  # 一个点的直径


def test_shape_tells_the_sense_without_colour(page):
    assert page.locator("[role=option]:has(circle)").count() == 3
    assert page.locator("[role=option]:has(polygon)").count() == 3
    heaps = page.locator(".explore-heap")
    assert heaps.all_text_contents() == ["钱", "河"]
    go(page, 0)  # 叠在一处，两堆无处写名字，就有图例
    assert not heaps.first.is_visible() and "● 钱" in page.locator(".explore-plane").inner_text()


def test_heaps_are_named_beside_their_own_dots(page):
    assert "● 钱" not in page.locator(".explore-plane").inner_text()
    spots = torch.stack([place(page, i) for i in range(6)])
    for side, heap in enumerate(page.locator(".explore-heap").all()):
        box = heap.bounding_box()
        away = (spots - torch.tensor([box["x"] + box["width"] / 2, box["y"] + box["height"] / 2])).norm(
            dim=-1
        )
        assert SENSES[away.argmin()] == side and away.min() > 14


def test_a_tap_a_hover_and_keys_choose_the_sentence(page):
    go(page, 3)
    page.mouse.click(*place(page, 0).tolist())
    assert SENTENCES[0] in chosen(page)
    page.mouse.move(*place(page, 5).tolist())
    assert SENTENCES[5] in chosen(page)
    # 鼠标点了，图外没有框
    outline = "getComputedStyle(document.activeElement).outlineStyle"
    assert page.evaluate(f"[document.activeElement.tagName, {outline}]") == ["svg", "none"]
    page.mouse.move(0, 0)
    page.get_by_role("listbox").focus()
    page.keyboard.press("ArrowRight")
    assert SENTENCES[0] in chosen(page)
    page.keyboard.press("ArrowLeft")
    assert SENTENCES[5] in chosen(page)
    active = page.get_by_role("listbox").get_attribute("aria-activedescendant")
    assert page.locator(f"#{active}").get_attribute("aria-label") == chosen(page)
    assert page.locator(".explore-cards b", has_text="bank").count() == 2


def test_play_walks_to_the_last_layer_and_stops(page):
    assert layer_of(page) == "第 3 层"  # 打开时在最后一层，播放就从头走
    page.get_by_role("button", name="播放").click()
    page.get_by_role("button", name="暂停").wait_for()
    page.wait_for_function("document.querySelector('.explore-slider output').textContent === '第 1 层'")
    page.get_by_role("slider").focus()
    page.keyboard.press("ArrowRight")  # 自己动手，播放就停
    assert layer_of(page) == "第 2 层" and page.get_by_role("button", name="播放").is_visible()
    page.get_by_role("button", name="播放").click()
    page.wait_for_function("document.querySelector('.explore-slider output').textContent === '第 3 层'")
    page.get_by_role("button", name="播放").wait_for()


def test_a_finger_beside_a_dot_chooses_the_nearest_sentence(open_figure):
    page = open_figure("banks", DATA, width=360)
    go(page, 3)
    box = page.get_by_role("listbox").bounding_box()
    x, y = place(page, 1).tolist()
    page.mouse.click(max(box["x"] + 1, x - 6), y)
    assert SENTENCES[1] in chosen(page)
