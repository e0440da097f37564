"""可以动手的图“bank 怎样分开”：点站在哪里，两堆的名字写在哪里，指着、播放时怎样。"""

import torch
from figure_rows.words import BANKS, SENSES

DATA, SENTENCES = BANKS | {"chosen": 0}, BANKS["sentences"]


def go(page, layer):
    page.get_by_role("slider").fill(str(layer))
    page.wait_for_function("document.getAnimations().every((one) => one.playState === 'finished')")


def chosen(page):
    return page.locator("[role=option][aria-selected=true]").get_attribute("aria-label")


def centre(box):
    return torch.tensor([box["x"] + box["width"] / 2, box["y"] + box["height"] / 2])


def place(page, i):
    """第几句的点在屏幕上的中心。"""
    name = f"{'钱河'[SENSES[i]]}：{SENTENCES[i]}"
    return centre(page.locator(f"[role=option][aria-label='{name}'] > :first-child").bounding_box())


def test_dots_stand_where_the_points_are_and_those_too_close_are_parted(open_figure):
    """屏幕上的位置是点的相似变换，y 朝上；各层同一把尺子；太挤的拨开。"""
    angle = torch.arange(6) * torch.pi / 3
    round_ = torch.stack([angle.cos(), angle.sin()], dim=-1)
    points = torch.stack([layer * round_ for layer in range(4)])
    bank, control = DATA["places"]
    page = open_figure("banks", DATA | {"places": [bank | {"points": points}, control]})
    seen = []
    for layer in range(4):
        go(page, layer)
        seen.append(torch.stack([place(page, i) for i in range(3)]))  # 圆的框的中心就是它的位置
    seen = torch.stack(seen)
    assert (seen[0] - seen[0, 0]).abs().max() < 0.1
    points = points[:, :3] * torch.tensor([1.0, -1.0])
    scale = (seen[3, 0] - seen[3, 1]).norm() / (points[3, 0] - points[3, 1]).norm()
    torch.testing.assert_close(seen - seen[0, 0], (points - points[0, 0]) * scale, atol=1.0, rtol=0)
    points = 0.01 * round_ + torch.tensor([[5.0, 0]] * 3 + [[-5.0, 0]] * 3)  # 两团，几乎叠着
    page = open_figure("banks", DATA | {"places": [bank | {"points": torch.stack([points] * 4)}, control]})
    spots = torch.stack([place(page, i) for i in range(6)])
    assert torch.nn.functional.pdist(spots).min() > 14  # 一个点的直径


def test_shape_tells_the_sense_and_heaps_are_named_beside_their_own_dots(page):
    assert page.locator("[role=option]:has(circle)").count() == 3
    assert page.locator("[role=option]:has(polygon)").count() == 3
    assert "● 钱" not in page.locator(".explore-plane").inner_text()
    spots = torch.stack([place(page, i) for i in range(6)])
    for side, heap in enumerate(page.locator(".explore-heap").all()):
        away = (spots - centre(heap.bounding_box())).norm(dim=-1)
        assert heap.text_content() == "钱河"[side] and SENSES[away.argmin()] == side and away.min() > 14
    go(page, 0)  # 叠在一处，两堆无处写名字，就有图例
    assert not page.locator(".explore-heap").first.is_visible()
    assert "● 钱" in page.locator(".explore-plane").inner_text()


def test_a_hover_chooses_and_a_click_leaves_no_outline(page):
    go(page, 3)
    page.mouse.click(*place(page, 0).tolist())
    page.mouse.move(*place(page, 5).tolist())
    assert SENTENCES[5] in chosen(page)
    outline = "getComputedStyle(document.activeElement).outlineStyle"
    assert page.evaluate(f"[document.activeElement.tagName, {outline}]") == ["svg", "none"]


def test_play_walks_from_the_first_layer_and_a_hand_stops_it(page):
    page.clock.install()
    layer = page.locator(".explore-slider output")
    page.get_by_role("button", name="播放").click()  # 打开时在最后一层，播放就从头走
    assert layer.inner_text() == "第 0 层"
    page.clock.run_for(1900)
    assert layer.inner_text() == "第 1 层"
    page.get_by_role("slider").press("ArrowRight")
    page.clock.run_for(5000)
    assert layer.inner_text() == "第 2 层"


def test_a_finger_beside_a_dot_chooses_the_nearest_sentence(open_figure):
    page = open_figure("banks", DATA, width=360)
    go(page, 3)
    box = page.get_by_role("listbox").bounding_box()
    x, y = place(page, 1).tolist()
    page.mouse.click(max(box["x"] + 1, x - 6), y)
    assert SENTENCES[1] in chosen(page)
