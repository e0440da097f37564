"""可以动手的图“注意力”：每一步的数与课程库的相同，点、播放、滑杆都说得对。"""

import pytest
import torch
from explorable_helpers import numbers

from course_lib.attention import scaled_dot_product_attention

TOKENS = ["the", "sky", "is", "blue"]


def data():
    generator = torch.Generator().manual_seed(3)
    x = torch.randn(4, 6, generator=generator)
    w_query, w_key, w_value = torch.randn(3, 6, 3, generator=generator) / 6**0.5
    wide = {d: torch.randn(2, 8, generator=generator) * d**0.5 for d in (4, 64, 1024)}
    return {
        "tokens": TOKENS,
        "x": x,
        "w_query": w_query,
        "w_key": w_key,
        "w_value": w_value,
        "chosen": 3,
        "wide": wide,
        "average": {d: [0.9, 0.36, 0.13] for d in wide},
        "real": [64],
    }


DATA = data()


def test_attention_is_the_librarys(page):
    query, key, value = (DATA["x"] @ DATA[f"w_{name}"] for name in ("query", "key", "value"))
    output, weights = scaled_dot_product_attention(query, key, value)
    expected = {
        "Q 查询": query,
        "K 键": key,
        "V 值": value,
        "点积": query @ key.T,
        "权重": weights,
        "输出": output,
    }
    seen = {}
    assert page.locator("caption", has_text="权重").count()  # 打开时在权重那一步
    page.get_by_role("button", name="第 1 步，共 8 步").click()
    for step in range(8):
        for title in expected:
            if page.locator("caption", has_text=title).count():
                seen[title] = numbers(page, title)
        if step < 7:
            page.get_by_role("button", name="下一步", exact=True).click()
    assert page.get_by_role("button", name="下一步", exact=True).is_disabled()
    for title, matrix in expected.items():
        torch.testing.assert_close(seen[title], matrix, atol=0.0051, rtol=0)


def test_clicking_a_score_shows_how_it_came(page):
    page.get_by_role("button", name="上一步").click()
    page.get_by_role("button", name="sky → is").first.click()
    q, k = DATA["x"][1] @ DATA["w_query"], DATA["x"][2] @ DATA["w_key"]

    def said():
        return page.locator(".explore-detail").inner_text().replace("−", "-")

    assert f"= {q @ k / 3**0.5:.2f}" in said() and f" = {q @ k:.2f}" in said()
    page.get_by_role("button", name="下一步", exact=True).click()
    powers = (DATA["x"][1] @ DATA["w_query"] @ (DATA["x"] @ DATA["w_key"]).T / 3**0.5).exp()
    assert f"加起来 {powers.sum():.2f}" in said() and f"= {powers[2] / powers.sum():.2f}。" in said()
    page.get_by_role("button", name="上一步").click()
    page.get_by_role("button", name="上一步").click()
    assert f"加起来是 {q @ k:.2f}" in said()


@pytest.mark.parametrize("step", ["第 7 步", "第 8 步"])
def test_every_weight_tells_how_it_came(page, step):
    """点哪一格，写的就是哪一格：它的指数，除以这一行的总和；分数的一步还写出点积。"""
    page.get_by_role("button", name=f"{step}，共 8 步").click()
    query, key = (DATA["x"] @ DATA[f"w_{name}"] for name in ("query", "key"))
    for i, one in enumerate(TOKENS):
        for j, other in enumerate(TOKENS):
            page.get_by_role("button", name=f"{one} → {other}").last.click()
            said = page.locator(".explore-detail").inner_text().replace("−", "-")
            if step == "第 7 步":
                assert f"{one} 的查询 · {other} 的键 = " in said
                assert f" = {query[i] @ key[j]:.2f}".replace("-0.00", "0.00") in said
            powers = (query[i] @ key.mT / 3**0.5).exp()
            assert f"{other} 的权重是 {powers[j]:.2f} ÷ {powers.sum():.2f}" in said


def test_a_projection_tells_its_first_number(page):
    for step in range(1, 4):
        page.get_by_role("button", name=f"第 {step + 1} 步，共 8 步").click()
        number = DATA["x"][3] @ DATA[("w_query", "w_key", "w_value")[step - 1]][:, 0]
        said = page.locator(".explore-detail").inner_text().replace("−", "-")
        assert f" = {number:.2f}。" in said and "blue 的" in said


@pytest.mark.parametrize("asked", [0, 1])
@pytest.mark.parametrize(("way", "power"), [("不除", 0), ("除以 √d", 0.5), ("除以 d", 1)])
def test_wider_keys_saturate(page, way, power, asked):
    page.get_by_role("button", name=way, exact=True).click()
    page.get_by_role("slider").fill("2")
    if asked:
        page.get_by_role("button", name="换一个查询").click()
    shown = [float(text) for text in page.locator(".explore-number").all_inner_texts()]
    chosen = (DATA["wide"][1024][asked] / 1024**power).softmax(dim=0)
    torch.testing.assert_close(torch.tensor(shown), chosen, atol=0.0051, rtol=0)
    lengths = page.locator(".explore-keys .explore-fill").evaluate_all(
        "fills => fills.map(fill => parseFloat(fill.style.width) / 100)"
    )
    torch.testing.assert_close(torch.tensor(lengths), chosen, atol=1e-4, rtol=0)
    assert f"最大的权重 {chosen.max():.2f}；许多查询平均 {DATA['average'][1024][int(2 * power)]:.2f}" in (
        page.locator(".explore-said").last.inner_text()
    )


def test_the_real_width_is_marked_and_open(page):
    assert page.get_by_role("slider").get_attribute("aria-valuetext") == "1024"
    mark, thumb = page.get_by_text("真实的头在这里").bounding_box(), page.get_by_role("slider").bounding_box()
    assert abs((mark["x"] + mark["width"] / 2) - (thumb["x"] + thumb["width"] / 2)) < 3


def test_an_equation_stands_on_one_line(page):
    for step in range(8):
        page.get_by_role("button", name=f"第 {step + 1} 步，共 8 步").click()
        flow = page.locator(".explore-flow")
        assert flow.evaluate(
            "flow => flow.scrollWidth <= flow.clientWidth && flow.firstElementChild.offsetTop < 120"
        )
        assert flow.evaluate("flow => getComputedStyle(flow).flexWrap") == "nowrap"


def test_play_goes_to_the_end_and_a_hand_stops_it(page):
    page.clock.install()
    page.get_by_role("button", name="播放").click()  # 打开时在第 7 步，头一次播放从头走
    page.clock.run_for(5000)
    assert page.locator("[aria-current=step]").get_attribute("aria-label") == "第 3 步，共 8 步"
    page.get_by_role("button", name="上一步").click()
    page.clock.run_for(10000)
    assert page.locator("[aria-current=step]").get_attribute("aria-label") == "第 2 步，共 8 步"
