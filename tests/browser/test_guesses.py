"""先猜再看：猜过了，或者按了“先不猜，往下读”，才露出同一小节里后面的；没有脚本、印出来，都照原来的次序。"""

import json

import pytest

PAGE = "chapters/17_decoder_only.html"
# 各处猜一猜与它后面、同一小节里的：露着几处
SHOWN = """() => [...document.querySelectorAll('.asks')].map((cell) => {
  let shown = 0;
  for (let next = cell.nextElementSibling; next && next.tagName !== 'SECTION'; next = next.nextElementSibling) shown += next.checkVisibility();
  return shown;
})"""


@pytest.fixture
def chapter(open_tab):
    return lambda at="", **settings: open_tab(PAGE + at, "file", **settings)


def test_a_guess_or_the_button_uncovers_the_answer(chapter):
    page = chapter()
    assert page.evaluate(SHOWN) == [0, 0]
    page.locator(".asks .guess summary").first.click()
    page.wait_for_selector(".asks.told")
    first, second = page.evaluate(SHOWN)
    assert first > 2 and second == 0
    page.locator(".asks:not(.told) .tell button").press("Enter")
    assert min(page.evaluate(SHOWN)) > 2
    assert not page.locator(".tell").first.is_visible()
    page.locator(".asks .guess summary").first.click()  # 合上选项，也不再盖住
    assert min(page.evaluate(SHOWN)) > 2


def test_what_is_pointed_at_or_found_is_in_sight(chapter):
    page = chapter("#written-bars")
    assert page.locator("#written-bars").is_visible() and page.locator("#written-bars .plot").is_visible()
    assert page.evaluate("document.querySelector('#written-bars').getBoundingClientRect().top") < 900
    page.evaluate(f"localStorage.setItem('found-words', {json.dumps(json.dumps(['梯度就不指路']))})")
    page.reload()
    assert page.get_by_text("梯度就不指路").is_visible()


def test_without_a_script_and_on_paper_nothing_is_covered(chapter):
    page = chapter(java_script_enabled=False)
    for cell in page.locator(".asks").all():
        assert (
            cell.locator("xpath=following-sibling::*[1]").is_visible()
            and not cell.locator(".tell").is_visible()
        )
    page = chapter()
    page.emulate_media(media="print")
    assert min(page.evaluate(SHOWN)) > 2 and not page.locator(".tell").first.is_visible()
