"""《复习》：一轮十题，答了当场说对不对；没答对的过了重新载入还记得；没有脚本时是一份清单。"""

import json

import pytest
from live_pages import new_page
from visitor import axe, prepare_axe, recolor

PAGE = "chapters/review.html"
KEY = "transformer-course-review"
ASKED = "() => document.querySelector('.review-question').dataset.id"


both_books = pytest.mark.parametrize("language", ["", "zh-TW/"])


@pytest.fixture
def language():
    return ""


@pytest.fixture
def review(open_tab, language):
    return open_tab(f"{language}{PAGE}")


def say(tab, right):
    """答对或答错当前的一题，给出它是哪一题。"""
    name = tab.evaluate(ASKED)
    true = "true" in tab.get_attribute(f"#{name}", "class")
    tab.click(f".review-buttons button[value={str(true == right).lower()}]")
    return name


def kept(tab):
    return json.loads(tab.evaluate(f"localStorage.getItem('{KEY}')"))


@both_books
def test_an_answer_is_judged_at_once_with_its_place(review):
    name = say(review, right=True)
    assert (
        "✓" in review.inner_text(".review-answer .right") and review.locator(".review-answer a").count() == 1
    )
    assert review.locator(f"#{name} details a").get_attribute("href") == review.get_attribute(
        ".review-answer a", "href"
    )
    assert review.locator(".review-buttons button[value]:enabled").count() == 0
    assert review.evaluate("document.activeElement.className") == "review-next"
    review.keyboard.press("Enter")
    assert review.evaluate(ASKED) != name and not review.inner_text(".review-answer")
    say(review, right=False)
    assert "✗" in review.inner_text(".review-answer .wrong")
    assert [step.get_attribute("class") for step in review.locator(".review-steps li").all()[:3]] == [
        "right",
        "wrong",
        None,
    ]


def test_a_round_is_ten_different_questions_and_ends_with_a_score(review):
    asked = []
    for number in range(10):
        asked.append(say(review, right=number < 7))
        review.click(".review-next")
    assert len(set(asked)) == 10
    assert review.locator(".review-question b").all_inner_texts() == ["7", "10"]
    review.click(".review-again")
    assert review.evaluate(ASKED) not in asked


@both_books
def test_what_was_missed_is_remembered_over_a_reload_and_asked_alone(review):
    missed = say(review, right=False)
    review.click(".review-next")
    say(review, right=True)
    review.reload()
    assert kept(review) == {"version": 1, "missed": [missed]} and review.inner_text(".review-choose b") == "1"
    review.check(".review-choose input")
    assert review.evaluate(ASKED) == missed and review.locator(".review-steps li").count() == 1
    say(review, right=True)
    assert kept(review)["missed"] == [] and review.inner_text(".review-choose b") == "0"
    review.uncheck(".review-choose input")
    review.check(".review-choose input")
    assert review.locator(".review-question .none").count() == 1


def test_what_another_version_kept_is_left_alone(review):
    review.evaluate(f"localStorage.setItem('{KEY}', JSON.stringify({{version: 99, missed: 3}}))")
    review.reload()
    assert review.inner_text(".review-choose b") == "0" and review.evaluate(ASKED)


def test_a_part_asks_only_its_own(review):
    for number in range(1, review.locator(".review-part").count() + 1):
        review.select_option(".review-choose select", index=number)
        own = review.locator(f".review-part:nth-child({number}) .question").evaluate_all(
            "(all) => all.map(({ id }) => id)"
        )
        for _ in range(min(10, len(own))):
            assert say(review, right=True) in own
            review.click(".review-next")


def test_the_keyboard_alone_plays(review):
    review.locator(".review-choose input").focus()
    review.keyboard.press("Tab")
    review.keyboard.press("Tab" if review.evaluate("document.activeElement.value") != "true" else "Shift")
    review.keyboard.press("Enter")
    assert review.locator(".review-steps .right, .review-steps .wrong").count() == 1
    review.keyboard.press("Enter")
    review.keyboard.press("Tab")
    assert review.evaluate("document.activeElement.value") == "true"


def test_without_a_script_and_on_paper_it_is_a_list(browser, roots):
    context = browser.new_context(java_script_enabled=False)
    tab = context.new_page()
    tab.goto(roots["http"] + PAGE)
    assert not tab.is_visible(".review") and tab.locator(".review-list .statement").first.is_visible()
    assert not tab.locator(".review-list .verdict").first.is_visible()
    tab.locator(".review-list summary").first.click()
    assert tab.locator(".review-list .verdict").first.is_visible()
    context.close()
    tab = new_page(browser, roots["file"] + PAGE)
    assert not tab.is_visible(".review-list")
    tab.emulate_media(media="print")
    assert not tab.is_visible(".review") and tab.is_visible(".review-list")
    tab.context.close()


@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_moves_and_an_answer_is_easy_to_read(open_tab, width):
    tab = open_tab(PAGE, viewport={"width": width, "height": 900})
    # 一页里最长的一句，按钮还在第一屏卡片里的老地方
    before = tab.locator(".review-buttons").bounding_box()
    say(tab, right=False)
    assert tab.locator(".review-buttons").bounding_box() == before
    assert tab.evaluate("window.shift") < 0.02
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    prepare_axe(tab)
    for scheme in ("light", "dark"):
        recolor(tab, scheme)
        assert axe(tab) == axe(tab, ["color-contrast", "target-size"]) == []
