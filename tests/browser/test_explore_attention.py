"""可以动手的图“注意力”：每一格、每一个数怎样算出来，写得与 torch 算的一样；一步一行，真实的宽度标在滑杆上。"""

import pytest
from figure_rows.weights import WORDS, attention
from figure_walk import tensor

from course_lib.show.explore import plain

DATA = plain(attention())
QUERY, KEY = (tensor(DATA["x"]) @ tensor(DATA[f"w_{name}"]) for name in ("query", "key"))


def detail(page):
    return page.locator(".explore-detail").inner_text().replace("−", "-")


def go(page, step):
    page.get_by_role("button", name=f"第 {step} 步，共 8 步").click()


@pytest.mark.parametrize("step", [5, 6, 7, 8])
def test_every_cell_tells_how_it_came(page, step):
    """点哪一格，写的就是哪一格：点积，除以 √d，它的指数除以这一行的总和。"""
    go(page, step)
    for i, one in enumerate(WORDS):
        for j, other in enumerate(WORDS):
            page.get_by_role("button", name=f"{one} → {other}").last.click()
            dot, powers, said = QUERY[i] @ KEY[j], (QUERY[i] @ KEY.mT / 3**0.5).exp(), detail(page)
            whole = f"{dot:.2f}".replace("-0.00", "0.00")
            if step == 5:
                assert f"{one} 的查询与 {other} 的键" in said and f"加起来是 {whole}。" in said
            if step in (6, 7):
                assert f"{one} 的查询 · {other} 的键 = " in said and f" = {whole}" in said
            if step == 6:
                assert f"÷ 1.73 = {dot / 3**0.5:.2f}".replace("-0.00", "0.00") in said
            if step > 6:
                assert (
                    f"{other} 的权重是 {powers[j]:.2f} ÷ {powers.sum():.2f} = {powers[j] / powers.sum():.2f}"
                    in said
                )
            if step == 7:
                assert f"{one} 这一行，各取指数，加起来 {powers.sum():.2f}" in said


def test_a_projection_tells_its_first_number(page):
    for step, name in enumerate(("w_query", "w_key", "w_value"), 2):
        go(page, step)
        assert f" = {(tensor(DATA['x']) @ tensor(DATA[name]))[3, 0]:.2f}。" in detail(page)
        assert "blue 的" in detail(page)


def test_the_real_width_is_marked_and_open(page):
    assert page.get_by_role("slider").get_attribute("aria-valuetext") == "1024"
    mark, thumb = page.get_by_text("真实的头在这里").bounding_box(), page.get_by_role("slider").bounding_box()
    assert abs((mark["x"] + mark["width"] / 2) - (thumb["x"] + thumb["width"] / 2)) < 3


def test_an_equation_stands_on_one_line(page):
    for step in range(8):
        go(page, step + 1)
        flow = page.locator(".explore-flow")
        assert flow.evaluate(
            "one => one.scrollWidth <= one.clientWidth && one.firstElementChild.offsetTop < 120"
        )
        assert flow.evaluate("one => getComputedStyle(one).flexWrap") == "nowrap"


def test_the_first_play_starts_at_the_beginning(page):
    page.clock.install()
    page.get_by_role("button", name="播放").click()  # 打开时在第 7 步
    page.clock.run_for(5000)
    assert page.locator("[aria-current=step]").get_attribute("aria-label") == "第 3 步，共 8 步"
