"""可以动手的图“喷注”：圆的地方、大小、深浅与数相同，打乱次序只动表与概率，换喷注、换头、方向键都说得对。"""

from itertools import product

import torch
from explorable_helpers import same_shape

HEADS = ["第 0 层头 0", "第 1 层头 0"]


def jet(seed, label):
    generator = torch.Generator().manual_seed(seed)
    n = 9
    pt = (60 * torch.rand(n, generator=generator) + 1).sort(descending=True).values
    direction = torch.rand(n, 2, generator=generator) - 0.5
    orders = [torch.arange(n), *(torch.randperm(n, generator=generator) for _ in range(3))]
    said = torch.rand(4, 2, generator=generator)
    said[:, 0] = said[0, 0]  # Transformer 不问次序
    return {
        "label": label,
        "particles": torch.cat([pt[:, None], direction], dim=1),
        "attention": torch.randn(2, n + 1, generator=generator).softmax(dim=-1),
        "without": torch.rand(n, generator=generator),
        "orders": orders,
        "said": said,
    }


JETS = [jet(1, 0), jet(2, 1)]
DATA = {"heads": HEADS, "jets": JETS}


def circles(page):
    return page.locator("[role=option]")


def said(page):
    verdict, particle = page.locator(".explore-said").all_inner_texts()
    return verdict, particle.replace("−", "-")


def depths(page):
    return torch.tensor(
        circles(page).evaluate_all("all => all.map(one => Number(one.style.getPropertyValue('--depth')))")
    )


def test_depth_is_the_attention(page):
    for which, head in product([0, 1], [0, 1]):
        page.get_by_role("button", name="甲乙"[which], exact=True).click()
        page.get_by_role("button", name=HEADS[head], exact=True).click()
        attention = JETS[which]["attention"][head]
        torch.testing.assert_close(depths(page), attention[1:] / attention[1:].max(), atol=6e-4, rtol=0)
        assert f"注意力是 {attention[1]:.3f}，给自己的是 {attention[0]:.3f}" in said(page)[1]
        assert f"其实是{['单叉', '双叉'][which]}" in said(page)[0]


def test_depth_is_the_change_without_it(page):
    page.get_by_role("button", name="拿走它的影响", exact=True).click()
    change = JETS[0]["said"][0, 0] - JETS[0]["without"]
    torch.testing.assert_close(depths(page), change.abs() / change.abs().max(), atol=6e-4, rtol=0)
    hues = circles(page).evaluate_all("all => all.map(one => one.style.getPropertyValue('--hue'))")
    assert hues == ["var(--minus)" if value < 0 else "var(--plus)" for value in change]
    assert "注意力" not in said(page)[1]


def test_circles_stand_where_the_particles_are(page):
    """屏幕上的位置是 (Δη, Δφ) 的相似变换，Δφ 朝上；面积正比于 pT。"""
    seen = torch.tensor(
        circles(page).evaluate_all(
            "all => all.map(one => ['cx', 'cy', 'r'].map(name => Number(one.getAttribute(name))))"
        )
    )
    particles = JETS[0]["particles"]
    same_shape(seen[:, :2], particles[:, 1:], atol=0.005)
    hard = particles[:, 0] > 5
    ratio = seen[hard, 2] ** 2 / particles[hard, 0]
    assert ratio.max() / ratio.min() < 1.05


def test_shuffling_moves_the_table_and_not_the_picture(page):
    picture = page.locator(".explore-jet-plane svg").inner_html()
    for turn in (1, 2, 3, 1):
        page.get_by_role("button", name="打乱登记的次序").click()
        rows = page.locator(".explore-jet-rows tbody tr")
        shown = [float(rows.nth(k).locator("td").first.inner_text()) for k in range(5)]
        order = JETS[0]["orders"][turn][:5]
        torch.testing.assert_close(torch.tensor(shown), JETS[0]["particles"][order, 0], atol=0.051, rtol=0)
        numbers = [float(text) for text in page.locator(".explore-number").all_inner_texts()]
        torch.testing.assert_close(torch.tensor(numbers), JETS[0]["said"][turn], atol=0.0051, rtol=0)
        moved = (JETS[0]["said"][turn] - JETS[0]["said"][0]).abs()
        assert f"Transformer 动了 0.000，拉直的动了 {moved[1]:.3f}" in said(page)[0]
        assert page.locator(".explore-jet-plane svg").inner_html() == picture
        marks = page.locator(".explore-jet-before").evaluate_all(
            "all => all.map(one => parseFloat(one.style.left))"
        )
        torch.testing.assert_close(torch.tensor(marks), 100 * JETS[0]["said"][0], atol=0.01, rtol=0)
    page.get_by_role("button", name="排回去").click()
    assert "pT 从大到小" in said(page)[0]


def test_opens_on_the_one_it_is_told(open_figure):
    page = open_figure("jet", DATA | {"chosen": 1})
    assert page.get_by_role("button", name="乙", exact=True).get_attribute("aria-pressed") == "true"
    assert "其实是双叉" in said(page)[0]


def test_tap_and_arrow_keys(page):
    box = circles(page).nth(4).bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    assert circles(page).nth(4).get_attribute("aria-selected") == "true"
    pt, eta, phi = JETS[0]["particles"][4].tolist()
    without = JETS[0]["without"][4]
    expected = f"pT {pt:.1f} GeV，Δη {eta:.2f}，Δφ {phi:.2f}".replace("-0.00", "0.00")
    assert expected in said(page)[1]
    assert f"变成 {without:.2f}" in said(page)[1]
    page.get_by_role("listbox").focus()
    for key, expected in (("ArrowRight", 5), ("ArrowDown", 6), ("ArrowLeft", 5), ("ArrowUp", 4)):
        page.keyboard.press(key)
        assert circles(page).nth(expected).get_attribute("aria-selected") == "true"
        active = page.get_by_role("listbox").get_attribute("aria-activedescendant")
        assert page.locator(f"#{active}").get_attribute("aria-selected") == "true"
