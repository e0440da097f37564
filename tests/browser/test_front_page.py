"""首页：按钮通到它们说的地方，每一章有一张卡片，图不要脚本也能换词换头，手机上放得下、点得中。"""

import re
from urllib.parse import unquote, urlsplit

import pytest
from built_book import BOOK

from course_book.before_reading.contents import chapters, pages

FRONT = "chapters/index.html"
both_books = pytest.mark.parametrize("language", ["", "zh-TW/"])


@pytest.fixture
def front(browser, roots):
    opened = []

    def open_front(language="", scheme="http", width=1280, **settings):
        tab = browser.new_context(viewport={"width": width, "height": 900}, **settings).new_page()
        opened.append(tab.context)
        tab.goto(f"{roots[scheme]}{language}{FRONT}")
        return tab

    yield open_front
    for context in opened:
        context.close()


@both_books
@pytest.mark.parametrize("scheme", ["http", "file"])
@pytest.mark.parametrize("place, target", [(0, "01_why_transformer"), (1, "live")])
def test_the_two_buttons_lead_where_they_say(front, language, scheme, place, target):
    page = front(language, scheme)
    button = page.locator(".front-buttons a").nth(place)
    assert button.bounding_box()["y"] < 400 and page.locator(".front-buttons a").count() == 2
    button.click()
    assert urlsplit(page.url).path.endswith(f"/{language}chapters/{target}.html")
    assert page.locator("h1").inner_text()


@both_books
def test_every_page_of_the_book_has_its_card(front, language):
    page = front(language)
    cards = page.evaluate("""() => [...document.querySelectorAll('.chapter-cards li')].map((card) => {
      const link = card.querySelector('a'), text = (name) => card.querySelector(name)?.textContent ?? null;
      return {page: link.getAttribute('href'), name: link.dataset.chapter, title: link.textContent,
        question: text('p'), number: text('.card-number'), minutes: text('.card-minutes')};
    })""")  # fmt: skip
    assert [card["page"] for card in cards] == [f"{page.name}.html" for page in pages()]
    for card, expected in zip(cards, pages(), strict=True):
        text = (BOOK / language / "chapters" / card["page"]).read_text(encoding="utf-8")
        assert card["title"] in re.sub(r"<[^>]+>", "", re.search(r"<h1>(.*?)<a", text, re.S)[1])
        assert card["name"] == expected.lasting_name and len(card["question"]) > 8
        if not language:
            assert card["question"] == expected.question
        assert card["number"] == (expected.number and str(expected.number))
        stated = expected.minutes and rf"{expected.minutes} 分[钟鐘]"
        assert re.fullmatch(stated, card["minutes"]) if stated else card["minutes"] is None


@both_books
def test_the_route_counts_the_chapters_and_leads_to_the_cards(front, language):
    page = front(language)
    total = page.locator(".book-route p").inner_text()
    count, hours = map(int, re.findall(r"\d+", total))
    assert count == len(chapters())
    assert abs(hours - sum(chapter.minutes for chapter in chapters()) / 60) <= 0.5
    ends = []
    for stop in page.locator(".book-route li").all():
        ends += [int(n) for n in re.findall(r"\d+", stop.locator("span").inner_text())[:2]]
        anchor = unquote(stop.locator("a").get_attribute("href")[1:])
        numbers = page.locator(f"section[id='{anchor}'] .card-number").all_inner_texts()
        assert [int(numbers[0]), int(numbers[-1])] == ends[-2:]
    assert ends[0] == 1 and ends[-1] == len(chapters())
    assert all(b == a + 1 for a, b in zip(ends[1:-1:2], ends[2::2], strict=True))


@pytest.mark.parametrize("scripts", [True, False])
@both_books
def test_words_and_heads_are_chosen_without_a_script(front, language, scripts):
    """点词、点头；键盘也行。任何时候都恰好看得见一份弧。"""
    page = front(language, java_script_enabled=scripts)

    def shown():
        visible = [said for said in page.locator(".attention-arcs p").all() if said.is_visible()]
        assert len(visible) == 1
        return visible[0].inner_text().replace("\N{NO-BREAK SPACE}", " ")

    page.mouse.move(0, 0)
    assert "they" in shown() and "John 0.36，Paul 0.29" in shown()
    before = page.locator("figure.attention").bounding_box()
    page.locator(".attention-choices label").nth(1).click()
    assert "wrote 看 songs 0.62" in shown()
    page.locator(".attention-choices label").nth(2).click()
    page.keyboard.press("ArrowUp")  # 三个单选钮之间
    assert "wrote" in shown()
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    page.mouse.move(0, 0)
    assert "several" in shown()
    page.locator(".attention-head:visible label", has_text="inspired").hover()
    assert "inspired" in shown()
    page.mouse.move(0, 0)
    assert "several" in shown()
    assert page.locator("figure.attention").bounding_box() == before  # 换来换去，下面的字不动


@both_books
def test_the_whole_route_stands_on_the_first_screen(front, language):
    """1280×800：题目、按钮、图、说明与路线，不用滚动。"""
    page = front(language, width=1280)
    stops = [stop.bounding_box() for stop in page.locator(".book-route span").all()]
    assert stops and max(box["y"] + box["height"] for box in stops) <= 780


@both_books
@pytest.mark.parametrize("width", [360, 390, 768, 1280])
def test_nothing_is_cut_or_too_small(front, language, width):
    page = front(language, width=width, has_touch=width < 700, is_mobile=width < 700)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    seen = page.evaluate("""() => {
      const all = (selector) => [...document.querySelectorAll(selector)].filter((node) => node.checkVisibility());
      const box = (node) => node.getBoundingClientRect();
      return {
        cut: all('.bd-article :is(.attention, .attention-arcs p, .cards, .card-face, .book-route, .front-classroom, .front-buttons) *, .card-face')
          .filter((node) => box(node).right > innerWidth + 0.5 || box(node).left < -0.5).map((node) => node.outerHTML.slice(0, 120)),
        small: all('.front-buttons a, .attention-choices label, .attention-words label')
          .filter((node) => box(node).height < (innerWidth < 700 ? 39.5 : 30)).map((node) => node.textContent),
        letters: Math.min(...all('.bd-article :is(.attention, .cards, .book-route) :is(label, p, span, a)')
          .map((node) => parseFloat(getComputedStyle(node).fontSize))),
        numbers: Math.min(...all('.attention-arcs text')
          .map((node) => parseFloat(getComputedStyle(node).fontSize) * node.getScreenCTM().a)),
        under: all('.attention-arcs p').some((said) => box(said).bottom > box(said.closest('figure')).bottom + 8),
      };
    }""")  # fmt: skip
    assert seen.pop("letters") >= 12 and seen.pop("numbers") >= 11
    assert seen == {"cut": [], "small": [], "under": False}


def test_the_picture_is_still_for_those_who_ask(front):
    page = front(reduced_motion="reduce")
    names = page.evaluate("document.querySelector('.attention-arcs path').getAnimations().length")
    assert names == 0
    moving = front(reduced_motion="no-preference")
    assert (
        moving.evaluate("getComputedStyle(document.querySelector('.attention-lines path')).animationName")
        == "attention-draw"
    )
