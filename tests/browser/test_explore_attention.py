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
    wide = {d: torch.randn(8, generator=generator) * d**0.5 for d in (4, 64, 1024)}
    return {
        "tokens": TOKENS,
        "x": x,
        "w_query": w_query,
        "w_key": w_key,
        "w_value": w_value,
        "chosen": 3,
        "wide": wide,
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
    for _ in range(5):
        page.get_by_role("button", name="下一步", exact=True).click()
    page.get_by_role("button", name="sky → is").first.click()
    q, k = DATA["x"][1] @ DATA["w_query"], DATA["x"][2] @ DATA["w_key"]

    def said():
        return page.locator(".explore-detail").inner_text().replace("−", "-")

    assert f"= {q @ k / 3**0.5:.2f}" in said()
    page.get_by_role("button", name="下一步", exact=True).click()
    powers = (DATA["x"][1] @ DATA["w_query"] @ (DATA["x"] @ DATA["w_key"]).T / 3**0.5).exp()
    assert f"加起来 {powers.sum():.2f}" in said() and f"= {powers[2] / powers.sum():.2f}。" in said()
    page.get_by_role("button", name="上一步").click()
    page.get_by_role("button", name="上一步").click()
    assert f"加起来是 {q @ k:.2f}" in said()


@pytest.mark.parametrize(("way", "power"), [("不除", 0), ("除以 √d", 0.5), ("除以 d", 1)])
def test_wider_keys_saturate(page, way, power):
    page.get_by_role("button", name=way, exact=True).click()
    page.get_by_role("slider").fill("2")
    shares = (DATA["wide"][1024] / 1024**power).softmax(dim=0)
    shown = [float(text) for text in page.locator(".explore-number").all_inner_texts()]
    torch.testing.assert_close(torch.tensor(shown), shares, atol=0.0051, rtol=0)


def test_play_goes_to_the_end_and_a_hand_stops_it(page):
    page.clock.install()
    page.get_by_role("button", name="播放").click()
    page.clock.run_for(5000)
    assert page.locator("[aria-current=step]").get_attribute("aria-label") == "第 3 步，共 8 步"
    page.get_by_role("button", name="上一步").click()
    page.clock.run_for(10000)
    assert page.locator("[aria-current=step]").get_attribute("aria-label") == "第 2 步，共 8 步"
