"""可以动手的图“词的地图”：亮起来的近邻与课程算出的相同，点、换表、换组、方向键都说得对。"""

import pytest
import torch
import torch.nn.functional as F
from explorable_helpers import same_shape

WORDS = ["monday", "tuesday", "friday", "red", "blue", "green", "dog", "cat", "cow"]
GROUPS = {"星期": [0, 1, 2], "颜色": [3, 4, 5], "动物": [6, 7, 8]}


def rows():
    """九个词、十六维，每组有自己的方向；另一张表没有。"""
    generator = torch.Generator().manual_seed(2)
    noise = torch.randn(9, 16, generator=generator)
    return {"训练过": noise + 3 * torch.eye(3, 16).repeat_interleave(3, dim=0), "新建": noise}


ROWS = rows()


def cosines(table):
    unit = F.normalize(ROWS[table], dim=-1)
    return unit @ unit.T


def mapped(table):
    close = cosines(table)
    best = close.clone().fill_diagonal_(-2).topk(4)
    near = [
        list(zip(*pair, strict=True))
        for pair in zip(best.indices.tolist(), best.values.tolist(), strict=True)
    ]
    groups = {}
    for name, group in GROUPS.items():
        others = [i for i in range(9) if i not in group]
        inside = close[group][:, group][~torch.eye(3, dtype=torch.bool)].mean()
        groups[name] = inside, close[group][:, others].mean()
    return {
        "points": ROWS[table][:, :2],
        "near": near,
        "everywhere": [[(f"{word}s", 0.75)] for word in WORDS],
        "groups": groups,
    }


def question():
    a, b, c, answer = ROWS["训练过"][:4]
    near = [("tuesday", 0.71), ("red", 0.62), ("blue", 0.4), ("friday", 0.3), ("cow", 0.2), ("dog", 0.1)]
    points = torch.stack([a, b, c, answer])[:, :2]
    return {
        "words": ["monday", "tuesday", "friday", "red"],
        "points": points,
        "landing": (c - a + b)[:2],
        "near": near,
    }


DATA = {
    "words": WORDS,
    "groups": GROUPS,
    "total": 30522,
    "tables": {name: mapped(name) for name in ROWS},
    "chosen": 0,
}
STEP = {
    "questions": [question(), question() | {"words": ["monday", "tuesday", "friday", "cow"]}],
    "total": 30522,
}
ALSO = [STEP]


def chosen(page):
    return page.locator("[role=option][aria-selected=true]").get_attribute("aria-label")


def listed(page):
    """横条旁边的名字与数。"""
    names = page.locator(".explore-near .explore-label").all_inner_texts()
    numbers = page.locator(".explore-number").all_inner_texts()
    return names, [float(number.replace("−", "-")) for number in numbers]


def place(page, i):
    """第几个词在屏幕上的中心。"""
    box = page.locator("[role=option] circle").nth(i).bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def settled(page):
    """点都到了自己的地方，不再移动。"""
    page.locator(".explore-map svg[viewBox]").wait_for()
    page.wait_for_function("document.getAnimations().every((one) => one.playState === 'finished')")


@pytest.mark.parametrize("table", ROWS)
def test_a_tap_lights_the_nearest_rows(page, table):
    for i in [0, 4, 8]:
        page.get_by_role("button", name=table, exact=True).click()
        settled(page)
        page.mouse.click(*place(page, i))
        assert chosen(page) == WORDS[i]
        best = cosines(table)[i].index_fill(0, torch.tensor([i]), -2).topk(4)
        names, numbers = listed(page)
        assert names == [WORDS[j] for j in best.indices]
        torch.testing.assert_close(torch.tensor(numbers), best.values, atol=0.0051, rtol=0)
        assert page.locator(".explore-arrows path").count() == 4
        said = page.locator(".explore-said").inner_text()
        assert (
            said.startswith(f"{WORDS[i]}，{table}的表")
            and f"30,522 行里，离它最近的是 {WORDS[i]}s 0.75" in said
        )


@pytest.mark.parametrize("zoom", [1.5, 3])
def test_a_tap_lands_on_its_word_while_the_page_is_enlarged(open_figure, zoom):
    page = open_figure("word_map", DATA, width=1280)
    page.evaluate("(zoom) => (document.body.style.zoom = zoom)", zoom)
    page.wait_for_timeout(100)
    settled(page)
    for i in (4, 8, 1):
        page.locator("[role=option] circle").nth(i).scroll_into_view_if_needed()
        page.mouse.click(*place(page, i))
        assert chosen(page) == WORDS[i]


def test_dots_stand_where_the_points_are(page):
    """平面上的方向与比例不变：屏幕上的位置是点的相似变换，只是 y 朝上。"""
    settled(page)
    seen = torch.tensor([place(page, i) for i in range(9)])
    same_shape(seen, DATA["tables"]["训练过"]["points"], atol=0.01)


def test_a_group_and_its_numbers(page):
    settled(page)
    page.get_by_role("button", name="动物", exact=True).click()
    inside, across = DATA["tables"]["训练过"]["groups"]["动物"]
    said = page.locator(".explore-said").inner_text().replace("−", "-")
    assert f"平均 {inside:.2f}，与别组的词平均 {across:.2f}" in said
    assert page.locator("g.explore-faded").count() == 6
    page.mouse.click(*place(page, 8))  # 再点一个词，就回到一个词
    assert chosen(page) == "cow" and page.locator("g.explore-faded").count() == 0
    assert page.get_by_role("button", name="一个词").get_attribute("aria-pressed") == "true"


def test_keyboard_walks_to_the_nearest_that_way(page):
    settled(page)
    page.get_by_role("listbox").focus()
    for key, axis, sign in (
        ("ArrowRight", 0, 1),
        ("ArrowLeft", 0, -1),
        ("ArrowDown", 1, 1),
        ("ArrowUp", 1, -1),
    ):
        before = place(page, WORDS.index(chosen(page)))
        page.keyboard.press(key)
        after = place(page, WORDS.index(chosen(page)))
        assert after == before or sign * (after[axis] - before[axis]) > 0
    seen = set()
    for key in ["ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp"] * 9:
        page.keyboard.press(key)
        seen.add(chosen(page))
    assert len(seen) > 3
    active = page.get_by_role("listbox").get_attribute("aria-activedescendant")
    assert page.locator(f"#{active}").get_attribute("aria-label") == chosen(page)


def test_a_step_and_who_is_nearest(open_figure):
    page = open_figure("word_map", STEP)
    forward = page.get_by_role("button", name="下一步", exact=True)
    said = page.locator(".explore-said")
    # 打开时两步都已走完，还没有说谁最近
    assert (
        page.locator(".explore-near").inner_text() == "" and page.locator(".explore-arrows path").count() == 2
    )
    assert "从 monday" not in said.inner_text() and "搬到 friday 的脚下" in said.inner_text()
    page.get_by_role("button", name="上一步", exact=True).click()
    assert "从 monday 到 tuesday 是一步：tuesday − monday" in said.inner_text()
    assert page.locator(".explore-arrows path").count() == 1
    forward.click()
    forward.click()
    assert "最近的是 tuesday，余弦 0.71" in said.inner_text()
    assert listed(page)[0] == ["tuesday", "red", "blue", "friday", "cow"]
    forward.click()
    assert "第一名是 red，0.62，对了" in said.inner_text()
    assert listed(page)[0][0] == "red" and "friday" not in listed(page)[0]
    page.get_by_role("button", name="friday − monday + tuesday").nth(1).click()
    for _ in range(2):
        forward.click()
    assert "第一名是 red，0.62，不是 cow" in said.inner_text()


def test_the_landing_completes_the_parallelogram(open_figure):
    page = open_figure("word_map", STEP)
    settled(page)
    circles = page.locator(".explore-map circle")
    boxes = [circles.nth(i).bounding_box() for i in range(5)]
    a, b, c, _, landing = (torch.tensor([box["x"], box["y"]]) for box in boxes)
    torch.testing.assert_close(landing, c - a + b, atol=0.5, rtol=0)


def test_a_finger_beside_a_dot_chooses_the_nearest_word(open_figure):
    page = open_figure("word_map", DATA, width=360)
    settled(page)
    box = page.get_by_role("listbox").bounding_box()
    x, y = place(page, 8)
    page.mouse.click(min(x + 12, box["x"] + box["width"] - 2), y)
    assert chosen(page) == "cow"
