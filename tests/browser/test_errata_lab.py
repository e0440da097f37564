"""勘误实验室：先猜，猜过才露出应当怎样说；索引一条一格，记得住猜中几条；没有脚本时也能用。"""

import json

import pytest

from chapters import ROOT, cells

PAGE = "chapters/errata.html"
CLAIMS = [cell["id"] for cell in cells(ROOT / "chapters/errata.ipynb", "markdown")]
CODES = [name.removeprefix("claim-").upper() for name in CLAIMS if name.startswith("claim-")]
KEY = "transformer-course-errata"
TILES = ".errata-index li li"
SHOWN = f"{TILES}:not([hidden])"


both_books = pytest.mark.parametrize("language", ["", "zh-TW/"])


@pytest.fixture
def language():
    return ""


@pytest.fixture
def lab(blank, roots, language):
    blank.goto(f"{roots['http']}{language}{PAGE}")
    return blank


def numbers(lab):
    return lab.locator(".errata-controls b").all_inner_texts()


@both_books
def test_the_index_lists_every_claim_and_leads_to_it(lab):
    listed = lab.evaluate(
        "[...document.querySelectorAll('.errata-index a')].map((a) => decodeURIComponent(a.hash.slice(1)))"
    )
    assert listed == lab.evaluate("[...document.querySelectorAll('section.erratum')].map(({ id }) => id)")
    assert len(listed) > 40
    lab.locator(f"{TILES} a").nth(30).click()
    assert -20 < lab.locator("section.erratum").nth(30).bounding_box()["y"] < 200
    parts = "[...document.querySelectorAll('section.erratum')].map((each) => ['.guess', 'details.run', '.answer'].map((part) => each.querySelectorAll(`:scope > ${part}, :scope > .cell ${part}`).length))"
    assert all(found == [1, 1, 1] for found in lab.evaluate(parts))


def test_a_tile_is_named_as_its_card_and_read_with_its_claim(lab):
    names = "[...document.querySelectorAll('.errata-index a')].map((a) => a.textContent)"
    heads = (
        "[...document.querySelectorAll('section.erratum > h3')].map((each) => each.firstChild.textContent)"
    )
    for name, head in zip(lab.evaluate(names), lab.evaluate(heads), strict=True):
        assert name.startswith(head[:8])
    tile = lab.locator(f"{TILES} a").nth(3)
    claim = tile.locator("span").first
    assert claim.bounding_box()["width"] <= 1
    tile.focus()
    lab.keyboard.press("Shift+Tab")
    lab.keyboard.press("Tab")
    assert claim.bounding_box()["width"] > 100


@both_books
def test_the_index_filters_by_kind_and_lesson(lab):
    kind, lesson = lab.locator(".errata-controls select").all()
    everything = lab.locator(SHOWN).count()
    lesson.select_option("S2")
    codes = lab.locator(f"{SHOWN} strong").all_inner_texts()
    assert sorted(codes) == sorted(code for code in CODES if code.startswith("S2-")) != []
    lesson.select_option("L")
    popular = [code for code in CODES if code.startswith("L-")]
    assert lab.locator(f"{SHOWN} strong").all_inner_texts() == popular
    kind.select_option("kind-0")
    word = kind.locator("option:checked").inner_text()
    assert lab.locator(f"{SHOWN} strong").all_inner_texts() == popular
    lesson.select_option("")
    for code in lab.locator(f"{SHOWN} strong").all_inner_texts():
        section = lab.locator(f"section.erratum:has(> :is(h2, h3):has-text('{code} '))")
        assert section.locator("> p").first.inner_text().startswith(f"{word}："), code
    assert 10 < lab.locator(SHOWN).count() < everything
    kind.select_option("")
    assert lab.locator(SHOWN).count() == everything == int(numbers(lab)[1])


@both_books
def test_an_answer_waits_for_the_guess_and_the_first_guess_counts(lab):
    first, second = lab.locator("section.erratum").all()[:2]
    answer = first.locator(".answer")
    assert not answer.is_visible() and not second.locator(".answer").is_visible()
    first.locator(".guess details:not(.right) summary").first.focus()
    lab.keyboard.press("Enter")
    assert answer.is_visible() and not second.locator(".answer").is_visible()
    first.locator(".guess details.right summary").click()
    second.locator(".guess details.right summary").click()
    lab.wait_for_selector(f"{TILES} [data-guess=right]")
    marks = "[...document.querySelectorAll('.errata-index a')].slice(0, 3).map(({ dataset }) => dataset.guess ?? null)"
    assert lab.evaluate(marks) == ["wrong", "right", None] and numbers(lab)[::2] == ["2", "1"]
    # 过了重新载入还记得，卡片上也记着猜的是哪一个
    lab.reload()
    assert lab.evaluate(marks) == ["wrong", "right", None] and numbers(lab)[::2] == ["2", "1"]
    assert first.get_attribute("data-guess") == "wrong" and first.locator(".mine:not(.right)").count() == 1
    assert second.locator(".mine.right").count() == 1 and not answer.is_visible()
    lab.click(".errata-controls button")
    assert lab.evaluate(marks) == [None] * 3 and numbers(lab)[0] == "0" and lab.locator(".mine").count() == 0
    assert lab.evaluate(f"JSON.parse(localStorage.getItem('{KEY}')).guesses") == {}


def test_a_run_pointed_at_is_open_with_its_answer(blank, roots):
    blank.goto(f"{roots['http']}{PAGE}#run-s1-3")
    section = blank.locator("section.erratum:has(#run-s1-3)")
    assert section.locator("#run-s1-3").is_visible() and section.locator(".answer").is_visible()


def test_a_word_found_by_searching_is_in_sight(blank, roots):
    blank.goto(roots["http"] + PAGE)
    blank.evaluate(f"localStorage.setItem('found-words', {json.dumps(json.dumps(['register_buffer']))})")
    blank.reload()
    assert blank.locator("section.erratum:has(#run-s1-3) > .answer").is_visible()


def test_without_a_script_and_on_paper(browser, roots):
    context = browser.new_context(java_script_enabled=False)
    tab = context.new_page()
    tab.goto(roots["http"] + PAGE)
    answer = tab.locator("section.erratum > .answer").first
    claim = tab.locator(f"{TILES} a > span").first
    assert not tab.is_visible(".errata-controls") and claim.bounding_box()["width"] > 100
    assert not answer.is_visible()
    tab.emulate_media(media="print")
    assert answer.is_visible() and claim.bounding_box()["width"] > 100
    tab.emulate_media(media="screen")
    tab.locator(".guess summary").first.click()
    assert answer.is_visible()
    context.close()


def test_it_fits_a_phone_and_a_finger(lab):
    for width in (360, 390):
        lab.set_viewport_size({"width": width, "height": 800})
        assert lab.evaluate("document.documentElement.scrollWidth") <= width
        small = lab.evaluate(
            "[...document.querySelectorAll('.errata-controls :is(select, button), .errata-index a, details.run > summary, .erratum .guess summary')].filter((each) => each.getBoundingClientRect().height < 39.5).map((each) => each.outerHTML.slice(0, 80))"
        )
        assert small == [], width
