"""首页：按钮与门通到它们说的地方，每一章有一张卡片，图不要脚本也能换词换头，手机上放得下、点得中。"""

import re
from itertools import groupby
from urllib.parse import unquote, urlsplit

import pytest
from built_book import BOOK
from live_pages import mostly_http

from chapters import ROOT, file_of
from course_book.before_reading.contents import chapters, pages
from course_book.doctree.front_doors import STILLS
from course_book.doctree.reading_paths import GLANCE

FRONT = "chapters/index.html"
FIGURES = ROOT / "figures/miniatures"
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
@mostly_http
def test_the_button_and_the_doors_lead_where_they_say(front, language, scheme):
    page = front(language, scheme)
    links = page.locator(".front-buttons a, .door a")
    assert links.count() == 1 + len(STILLS)
    for place, target in enumerate((file_of("why_transformer"), "live", "train", "llm")):
        assert links.nth(place).bounding_box()["y"] < (600 if place else 300), target
        links.nth(place).click()
        assert urlsplit(page.url).path.endswith(f"/{language}chapters/{target}.html")
        page.locator("h1").wait_for()  # 有公式的页等字来了才显出来
        assert page.locator("h1").inner_text()
        page.go_back()


@both_books
def test_every_page_of_the_book_has_its_card_or_its_door(front, language):
    page = front(language)
    doors = page.locator(".door a").evaluate_all("(links) => links.map((link) => link.getAttribute('href'))")
    assert doors == [f"{page.name}.html" for page in pages() if page.lasting_name in STILLS]
    cards = page.evaluate("""() => [...document.querySelectorAll('.chapter-cards li')].map((card) => {
      const link = card.querySelector('a'), text = (name) => card.querySelector(name)?.textContent ?? null;
      return {page: link.getAttribute('href'), name: link.dataset.chapter, title: link.textContent,
        question: text('p'), number: text('.card-number'), minutes: text('.card-minutes'),
        picture: card.querySelector('.card-picture > svg[aria-hidden="true"]') !== null};
    })""")  # fmt: skip
    carded = [page for page in pages() if page.lasting_name not in STILLS]
    assert [card["page"] for card in cards] == [f"{page.name}.html" for page in carded]
    for card, expected in zip(cards, carded, strict=True):
        assert card["picture"] == (FIGURES / f"{expected.lasting_name}.svg").is_file()
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
    ends, spent = [], 0
    for stop in page.locator(".book-route li").all():
        first, last, own = re.findall(r"[\d.]+", stop.locator("span").inner_text())
        own_minutes = sum(each.minutes for each in chapters() if int(first) <= each.number <= int(last))
        assert abs(float(own) - own_minutes / 60) <= 0.5
        ends, spent = [*ends, int(first), int(last)], spent + float(own)
        anchor = unquote(stop.locator("a").get_attribute("href")[1:])
        numbers = page.locator(f"section[id='{anchor}'] .card-number").all_inner_texts()
        assert [int(numbers[0]), int(numbers[-1])] == ends[-2:]
    assert ends[0] == 1 and ends[-1] == len(chapters()) and spent == hours
    assert all(b == a + 1 for a, b in zip(ends[1:-1:2], ends[2::2], strict=True))


@both_books
def test_each_reading_path_takes_as_long_as_it_says(front, language):
    """几个小时由各章的分钟加成；只看图的几章，一章只算几分钟。"""
    page, minutes = front(language), {page.number: page.minutes for page in chapters()}
    said = []
    for path in page.locator(".reading-paths li").all():
        spent = 0
        for i, part in enumerate(re.split("[；]", path.locator("p").inner_text())):
            runs = re.findall(r"(\d+)(?:–(\d+))?", part) if "第" in part else [("1", str(len(chapters())))]
            numbers = [n for a, b in runs for n in range(int(a), int(b or a) + 1)]
            spent += sum(GLANCE if i else minutes[n] for n in numbers)
        (hours,) = re.findall(r"\d+", path.locator("span").inner_text())
        assert abs(int(hours) - spent / 60) <= 0.5
        said.append(spent)
    assert len(said) == 3 and said[-1] == sum(minutes.values()) == max(said)


@both_books
def test_cards_fill_their_rows(front, language):
    """一排三张、两张或一张，没有一排是空着一半的；一排里的一样宽，小图都看得见。"""
    page = front(language)
    for width, columns in ((1600, 3), (1280, 3), (900, 2), (390, 1)):
        page.set_viewport_size({"width": width, "height": 900})
        lists = page.evaluate("""() => [...document.querySelectorAll('.chapter-cards:has(.card-picture)')].map((list) =>
          [...list.querySelectorAll('.card-face')].map((face) => {
            const {left, right, top, width} = face.getBoundingClientRect(), all = list.getBoundingClientRect();
            const picture = face.querySelector('.card-picture svg').getBoundingClientRect();
            return {left: Math.round(left - all.left), right: Math.round(all.right - right), top, width: Math.round(width),
              picture: [Math.round(picture.width), Math.round(picture.height), picture.left < left + 40]};
          }))""")
        for cards in lists:
            rows = [list(row) for _, row in groupby(cards, lambda card: card["top"])]
            assert max(map(len, rows)) == min(columns, len(cards)), width
            assert all(row[0]["left"] == row[-1]["right"] == 0 for row in rows), width
            widths = [[card["width"] for card in row] for row in rows]
            assert all(max(row) - min(row) <= 1 for row in widths), width
            assert all(
                card["picture"] == [*((120, 72) if columns > 1 else (80, 48)), True] for card in cards
            ), width


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
    # 先摆出来的是中文：两本书各读自己的一句
    granny, fish = ("奶奶 0.52", "鱼") if not language else ("奶奶 0.49", "魚")
    assert shown().startswith(f"她 看 {granny}")
    before = page.locator("figure.attention").bounding_box()
    page.locator(".attention-sentence:visible .attention-choices label").nth(2).click()
    assert shown().startswith(f"{fish}（第 2 ") and ("0.59" if language else "0.63") in shown()
    page.locator(".attention-sentence:visible .attention-words label", has_text="奶奶").locator(
        "visible=true"
    ).hover()
    assert shown().startswith("奶奶 看 ")
    page.mouse.move(0, 0)
    # 英文
    page.get_by_text("English", exact=True).click()
    assert "they" in shown() and "John 0.36，Paul 0.29" in shown()
    choices = page.locator(".attention-sentence:visible .attention-choices label")
    choices.nth(1).click()
    assert "wrote 看 songs 0.62" in shown()
    choices.nth(2).click()
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


def test_the_chosen_head_is_marked_in_the_door_below(front):
    """上面换一句、换一个头，门上画的与描得最浓的那一张也换。"""
    page = front()

    def marked():
        assert page.locator(".every-head:visible").count() == page.locator(".large-head:visible").count() == 1
        strong = page.locator(".every-head:visible .found rect").evaluate_all(
            "(marks) => marks.map((mark) => getComputedStyle(mark).strokeOpacity === '1')"
        )
        larger = page.locator(".large-head:visible > g").evaluate_all(
            "(heads) => heads.map((head) => getComputedStyle(head).display !== 'none')"
        )
        assert strong.count(True) == 1 and larger == strong
        return strong.index(True)

    for name, maps in (("中文", 144), ("English", 72)):
        page.get_by_text(name, exact=True).click()
        frames = page.locator(".every-head:visible > path").get_attribute("d")
        assert frames.count("M") == maps
        for i in range(3):
            page.locator(".attention-sentence:visible .attention-choices label").nth(i).click()
            assert marked() == i


@both_books
def test_the_doors_and_the_whole_route_stand_on_the_first_screen(front, language):
    """1280×800：题目、按钮、图、说明、两扇门与路线，不用滚动。"""
    page = front(language, width=1280)
    stops = [stop.bounding_box() for stop in page.locator(".book-route span").all()]
    assert stops and max(box["y"] + box["height"] for box in stops) <= 780


@both_books
@pytest.mark.parametrize("width", [360, 768, 1280])
def test_nothing_is_cut_or_too_small(front, language, width):
    page = front(language, width=width, has_touch=width < 700, is_mobile=width < 700)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    seen = page.evaluate("""() => {
      const all = (selector) => [...document.querySelectorAll(selector)].filter((node) => node.checkVisibility());
      const box = (node) => node.getBoundingClientRect();
      return {
        cut: all('.bd-article :is(.attention, .attention-arcs p, .door, .cards, .card-face, .book-route, .reading-paths, .front-classroom, .front-buttons) *, .card-face')
          .filter((node) => box(node).right > innerWidth + 0.5 || box(node).left < -0.5).map((node) => node.outerHTML.slice(0, 120)),
        small: all('.front-buttons a, .attention-choices label, .attention-words label')
          .filter((node) => box(node).height < (innerWidth < 700 ? 39.5 : 30)).map((node) => node.textContent),
        letters: Math.min(...all('.bd-article :is(.attention, .door, .cards, .book-route, .reading-paths) :is(label, p, span, a, b)')
          .map((node) => parseFloat(getComputedStyle(node).fontSize))),
        miniatures: Math.min(...all('.card-picture text').map((node) => parseFloat(getComputedStyle(node).fontSize))),
        numbers: Math.min(...all('.attention-arcs text')
          .map((node) => parseFloat(getComputedStyle(node).fontSize) * node.getScreenCTM().a)),
        under: all('.attention-arcs p').some((said) => box(said).bottom > box(said.closest('figure')).bottom + 8),
      };
    }""")  # fmt: skip
    assert seen.pop("letters") >= 12 and min(seen.pop("numbers"), seen.pop("miniatures")) >= 11
    assert seen == {"cut": [], "small": [], "under": False}


def test_the_picture_is_still_for_those_who_ask(front):
    page = front(reduced_motion="reduce")
    names = page.evaluate("document.querySelector('.attention-arcs path').getAnimations().length")
    assert names == 0
    assert page.evaluate("document.querySelector('.next-words b').getAnimations().length") == 0
    moving = front(reduced_motion="no-preference")
    assert (
        moving.evaluate("getComputedStyle(document.querySelector('.attention-lines path')).animationName")
        == "attention-draw"
    )


@both_books
def test_the_classroom_has_a_dark_wall(front, language):
    """画在网页里，颜色随明暗；读屏软件念得出画的是什么。"""
    walls = []
    for scheme in ("light", "dark"):
        drawing = front(language, color_scheme=scheme).locator(".front-classroom svg[role=img]")
        assert len(drawing.get_attribute("aria-label")) > 40
        wall = drawing.locator("rect").nth(1).evaluate("(wall) => getComputedStyle(wall).fill")
        walls.append([float(each) for each in re.findall(r"[\d.]+", wall.removeprefix("color(srgb"))[:3]])
    scale = max(1, max(walls[0])) and (1 if max(walls[0]) <= 1 else 255)
    assert min(walls[0]) > 0.9 * scale and max(walls[1]) < 0.25 * scale
