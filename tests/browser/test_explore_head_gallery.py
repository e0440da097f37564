"""可以动手的图“头的画廊”：图里的数就是权重，名字与个数就是量得的，键盘走得通。"""

import torch
from explorable_helpers import walks_the_board

WORDS = ["[CLS]", "time", "flies", "[SEP]"]
KINDS = ["前一个词元", "自己", "[CLS]", "分散"]


def data():
    maps = (torch.randn(6, 4, 4, generator=torch.Generator().manual_seed(6)) * 2).softmax(dim=-1)
    kind = torch.tensor([3, 0, 2, 2, 3, 2])
    return maps, {
        "tokens": WORDS,
        "maps": (maps.flatten(1) * 1000).round().int(),
        "heads": 3,
        "kinds": KINDS,
        "badges": ["前一个", "自己", "[CLS]", "分散"],
        "kind": kind,
        "measured": ["前一个词元", "自己", "[CLS]", "最大的一份"],
        "shares": torch.rand(4, 6, generator=torch.Generator().manual_seed(7)),
        "chosen": 4,
        "word": 2,
    }


MAPS, DATA = data()


def shown(page):
    return torch.tensor([float(text) for text in page.locator(".explore-number").all_inner_texts()])


def test_a_row_is_the_heads_row(page):
    cells = page.locator(".explore-rows rect:not(.explore-frame)")
    for head in range(6):
        page.locator("button.explore-head").nth(head).click()
        opacity = cells.evaluate_all("all => all.map((cell) => Number(cell.getAttribute('fill-opacity')))")
        expected = MAPS[head].clamp(min=0.04)
        torch.testing.assert_close(torch.tensor(opacity).view(4, 4), expected, atol=0.0006, rtol=0)
        for word in range(4):
            page.get_by_role("button", name=WORDS[word], exact=True).last.click()
            torch.testing.assert_close(shown(page), MAPS[head, word], atol=0.0056, rtol=0)


def test_opens_on_the_chosen_head_and_word(page):
    said = page.locator(".explore-said").inner_text()
    assert said.startswith("第 1 层第 1 个头：分散。")
    for share in DATA["shares"][:, 4].tolist():
        assert f"{share:.2f}" in said
    torch.testing.assert_close(shown(page), MAPS[4, 2], atol=0.0056, rtol=0)


def test_a_pattern_leaves_its_heads_bright(page):
    page.get_by_role("button", name="[CLS]", exact=True).first.click()
    assert page.locator(".explore-said").inner_text().startswith("[CLS]：3 个。第 0 层")
    dim = "buttons => buttons.map((button) => button.classList.contains('explore-dim'))"
    heads = page.locator("button.explore-head")
    assert heads.evaluate_all(dim) == [True, True, False, False, True, False]
    assert heads.nth(2).get_attribute("aria-pressed") == "true"  # 这一种的第一个
    page.get_by_role("button", name="自己", exact=True).click()
    said = page.locator(".explore-said").inner_text()
    assert "一个也没有" in said and f"{DATA['shares'][1].max():.2f}" in said
    page.get_by_role("button", name="全部", exact=True).click()
    assert not any(heads.evaluate_all(dim))


def test_a_small_map_is_darkest_where_most_weight_is(page):
    """每张小图里，画得最深的格子含有最大的权重。"""
    for head in range(6):
        paths = page.locator("button.explore-head").nth(head).locator("path")
        drawn = [
            path for path in paths.evaluate_all("all => all.map((path) => path.getAttribute('d'))") if path
        ]
        row, column = divmod(int(MAPS[head].argmax()), 4)
        assert f"M{column},{row}h" in drawn[-1]


def test_keyboard_alone(page):
    """画廊只占一站；方向键走，回车挑。"""
    page.keyboard.press("Tab")  # 画廊在最上面，下面是各种筛选
    after = walks_the_board(page, "第 1 层第 1 个头：分散", "第 0 层第 2 个头：[CLS]")
    assert page.locator(".explore-said").inner_text().startswith("第 0 层第 2 个头")
    assert after == "全部"


def test_no_name_stands_on_the_cells(page):
    """左边的词元收在格子外面。"""
    names = "all => all.slice(0, 4).map((text) => text.getBoundingClientRect().right)"
    left = page.locator(".explore-rows rect").first.bounding_box()["x"]
    assert max(page.locator(".explore-rows text").evaluate_all(names)) <= left
