"""先猜再看：猜过了，或者按了“先不猜，直接看”，后面的才看得清；没有脚本、印出来，都照原来的次序。"""

import json

import pytest

from chapters import page_of

PAGE = page_of("decoder_only")
# 各处猜一猜后面，连着有几处隔着雾
VEILED = """() => [...document.querySelectorAll('.asks')].map((cell) => {
  let veiled = 0;
  const covered = (next) => getComputedStyle(next).filter !== 'none' || getComputedStyle(next.firstElementChild ?? next).visibility === 'hidden';
  for (let next = cell; (next = next.nextElementSibling) && covered(next); ) veiled += 1;
  return veiled;
})"""


@pytest.fixture
def chapter(open_tab):
    return lambda at="", **settings: open_tab(PAGE + at, "file", **settings)


def test_a_guess_or_the_button_clears_the_veil(chapter):
    page = chapter()
    first, second = page.evaluate(VEILED)
    assert first and second
    page.locator(".asks .guess summary").first.click()
    page.wait_for_selector(".asks.told")
    assert page.evaluate(VEILED) == [0, second]
    page.locator(".asks:not(.told) .tell button").press("Enter")
    assert page.evaluate(VEILED) == [0, 0] and not page.locator(".tell").first.is_visible()
    page.locator(".asks .guess summary").first.click()  # 合上选项，也不再盖住
    assert page.evaluate(VEILED) == [0, 0]


def test_the_veil_ends_with_the_first_picture_and_a_touch_clears_it(chapter):
    page = chapter()
    pictures = page.locator(".asks").evaluate_all(
        """cells => cells.map((cell) => {
          let pictures = 0;
          for (let next = cell; (next = next.nextElementSibling)?.matches('.veiled'); ) pictures += next.querySelectorAll('figure').length;
          return pictures;
        })"""
    )
    assert set(pictures) <= {0, 1} and 1 in pictures
    page.locator(".veiled").first.click(position={"x": 20, "y": 5})
    assert page.evaluate(VEILED)[0] == 0 and page.locator(".asks.told").count() == 1


def test_what_is_pointed_at_or_found_is_in_sight(chapter):
    page = chapter("#written-bars")
    assert page.locator("#written-bars .plot").is_visible()
    assert not page.locator("#written-bars").evaluate("cell => cell.matches('.veiled')")
    assert page.evaluate("document.querySelector('#written-bars').getBoundingClientRect().top") < 900
    page.evaluate(f"localStorage.setItem('found-words', {json.dumps(json.dumps(['梯度就不指路']))})")
    page.reload()
    place = page.get_by_text("梯度就不指路")
    assert place.is_visible() and not place.evaluate("place => place.closest('.veiled')")


def test_without_a_script_and_on_paper_nothing_is_covered(chapter):
    page = chapter(java_script_enabled=False)
    assert max(page.evaluate(VEILED)) == 0 and not page.locator(".tell").first.is_visible()
    page = chapter()
    page.emulate_media(media="print")
    assert max(page.evaluate(VEILED)) == 0 and not page.locator(".tell").first.is_visible()
