"""可以动手的图，在真的 Chromium 里：重算的数与课程库的相同，键盘走得通，窄屏不横着跑。"""

import pytest
import torch

from course_lib.attention import causal_mask, scaled_dot_product_attention
from course_lib.show.explore import page as figure

TOKENS = ["the", "sky", "is", "blue"]


def attention_data():
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


def mask_data():
    scores = torch.randn(4, 4, generator=torch.Generator().manual_seed(4))
    return {"tokens": ["time", "flies", "fast", "[PAD]"], "scores": scores, "padding": [False] * 3 + [True]}


DATA = {"attention": attention_data, "mask": mask_data}


@pytest.fixture
def open_figure(blank):
    def open_it(name, width=760):
        errors = []
        blank.on("pageerror", lambda error: errors.append(error))
        blank.set_viewport_size({"width": width, "height": 900})
        data = DATA[name]()
        blank.set_content(
            f'<!doctype html><html lang="zh-CN"><body>{figure(name, "说明", data)}</body></html>'
        )
        assert not errors
        return blank, data

    return open_it


def numbers(page, title):
    """题为 title 的矩阵里的数。"""
    rows = page.locator(".explore-matrix", has=page.locator("caption", has_text=title)).locator("tbody tr")
    texts = [row.locator("td").all_inner_texts() for row in rows.all()]
    return torch.tensor([[float(text.replace("−", "-")) for text in row] for row in texts])


def test_attention_is_the_librarys(open_figure):
    page, data = open_figure("attention")
    query, key, value = (data["x"] @ data[f"w_{name}"] for name in ("query", "key", "value"))
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


def test_clicking_a_score_shows_how_it_came(open_figure):
    page, data = open_figure("attention")
    for _ in range(5):
        page.get_by_role("button", name="下一步", exact=True).click()
    page.get_by_role("button", name="sky → is").first.click()
    q, k = data["x"][1] @ data["w_query"], data["x"][2] @ data["w_key"]

    def said():
        return page.locator(".explore-detail").inner_text().replace("−", "-")

    assert f"= {q @ k / 3**0.5:.2f}" in said()
    page.get_by_role("button", name="下一步", exact=True).click()
    powers = (data["x"][1] @ data["w_query"] @ (data["x"] @ data["w_key"]).T / 3**0.5).exp()
    assert f"加起来 {powers.sum():.2f}" in said() and f"= {powers[2] / powers.sum():.2f}。" in said()
    page.get_by_role("button", name="上一步").click()
    page.get_by_role("button", name="上一步").click()
    assert f"加起来是 {q @ k:.2f}" in said()


@pytest.mark.parametrize(("way", "power"), [("不除", 0), ("除以 √d", 0.5), ("除以 d", 1)])
def test_wider_keys_saturate(open_figure, way, power):
    page, data = open_figure("attention")
    page.get_by_role("button", name=way, exact=True).click()
    page.get_by_role("slider").fill("2")
    shares = (data["wide"][1024] / 1024**power).softmax(dim=0)
    shown = [float(text) for text in page.locator(".explore-number").all_inner_texts()]
    torch.testing.assert_close(torch.tensor(shown), shares, atol=0.0051, rtol=0)


def test_play_goes_to_the_end_and_a_hand_stops_it(open_figure):
    page, _ = open_figure("attention")
    page.clock.install()
    page.get_by_role("button", name="播放").click()
    page.clock.run_for(5000)
    assert page.locator("[aria-current=step]").get_attribute("aria-label") == "第 3 步，共 8 步"
    page.get_by_role("button", name="上一步").click()
    page.clock.run_for(10000)
    assert page.locator("[aria-current=step]").get_attribute("aria-label") == "第 2 步，共 8 步"


@pytest.mark.parametrize(
    ("rule", "keep"),
    [
        ("都可以看", torch.ones(4, 4, dtype=torch.bool)),
        ("填充", torch.tensor([True] * 3 + [False]).expand(4, 4)),
        ("因果", causal_mask(4)),
        ("填充与因果", causal_mask(4) & torch.tensor([True] * 3 + [False])),
    ],
)
def test_masks_are_the_librarys(open_figure, rule, keep):
    page, data = open_figure("mask")
    page.get_by_role("button", name=rule, exact=True).click()
    eye = torch.eye(4)
    _, weights = scaled_dot_product_attention(data["scores"] * 2, eye, eye, keep)  # √4 = 2
    torch.testing.assert_close(numbers(page, "权重"), weights, atol=0.0051, rtol=0)


def test_a_row_that_may_see_nothing(open_figure):
    page, _ = open_figure("mask")
    for word in ("time", "flies", "fast", "[PAD]"):
        page.get_by_role("button", name=f"flies 看 {word}：可以").click()
    assert numbers(page, "权重")[1].isnan().all() and "NaN" in page.locator(".explore-said").inner_text()
    page.get_by_role("button", name="给零").click()
    assert numbers(page, "权重")[1].tolist() == [0] * 4


def test_keyboard_alone(open_figure):
    page, _ = open_figure("mask")
    page.get_by_role("button", name="time 看 time：可以").focus()
    for key in ("ArrowRight", "ArrowDown", "Enter"):
        page.keyboard.press(key)
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "flies 看 flies：不可以"


@pytest.mark.parametrize("name", DATA)
def test_fits_a_phone_and_a_finger(open_figure, name):
    page, _ = open_figure(name, width=360)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    for button in page.locator(".explore :is(button:not(.explore-dot), td[role=button])").all():
        box = button.bounding_box()
        assert min(box["width"], box["height"]) >= 39


@pytest.mark.parametrize("scheme", ["http", "file"])
@pytest.mark.parametrize("language", ["", "zh-TW/"])
def test_alive_in_the_book(blank, roots, scheme, language):
    """成书里脚本共用一份；指到折叠的小节，它就展开。"""
    errors = []
    blank.on("pageerror", lambda error: errors.append(error))
    blank.goto(
        f"{roots[scheme]}{language}chapters/04_scaled_dot_product_attention.html#深入-饱和时梯度还剩多少"
    )
    figures = blank.locator("figure.explore")
    assert figures.count() == blank.locator("figure.explore[data-ready]").count() == 2
    assert "Explore.define" not in blank.content() and "data-library" not in blank.content()
    assert blank.locator("section.deep > details").first.evaluate("fold => fold.open") is False
    assert blank.locator("[id='深入-饱和时梯度还剩多少'] > details").evaluate("fold => fold.open") is True
    blank.get_by_role("button", name="下一步", exact=True).click()
    assert blank.locator("caption", has_text="Q").count() and not errors


def test_without_scripts_a_sentence(browser):
    page = browser.new_context(java_script_enabled=False).new_page()
    page.set_content(figure("mask", "说明", mask_data()))
    assert "要有脚本" in page.locator(".explore-stage").inner_text()
    page.context.close()


def test_scripts_may_arrive_twice(open_figure):
    """笔记本里每格输出都带着脚本。"""
    page, _ = open_figure("mask")
    page.evaluate(
        "html => document.body.append(document.createRange().createContextualFragment(html))",
        figure("mask", "又一幅", mask_data()),
    )
    assert page.locator("figure.explore[data-ready]").count() == 2
    page.get_by_role("button", name="因果", exact=True).nth(1).click()
    assert (
        page.locator("figure").nth(0).get_by_role("button", name="都可以看").get_attribute("aria-pressed")
        == "true"
    )
