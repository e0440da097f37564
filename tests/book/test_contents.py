"""第几章、问什么、要读多久：各写在一处，两本书里说的都是它们；少了一样，成书就停下来说出是哪一样。"""

import json
import re
from html import unescape
from itertools import pairwise

import pytest
import yaml
from built_book import BOOK, part, read

from chapters import CHAPTERS, cells
from course_book.before_reading import contents
from course_book.doctree.taiwan_chinese import convert
from course_book.templates.wayfinding import number_chapters

BOOKS = {"zh-CN": (BOOK, str), "zh-TW": (BOOK / "zh-TW", convert)}


@pytest.fixture(autouse=True)
def read_again():
    contents.pages.cache_clear()
    yield
    contents.pages.cache_clear()


def test_every_chapter_has_its_question_and_minutes():
    found = contents.chapters()
    assert [page.name for page in found] == sorted(path.stem for path in CHAPTERS)
    assert [page.number for page in found] == list(range(1, len(CHAPTERS) + 1))
    for page, path in zip(found, sorted(CHAPTERS), strict=True):
        assert f"{page.minutes} 分钟" in contents.opening(cells(path))
    for page in contents.pages():
        assert page.question[-1] in "？。" and len(re.findall("[\u4e00-\u9fff]", page.question)) <= 24


@pytest.fixture
def small(tmp_path, monkeypatch):
    """两章一附录的小书；返回的函数改其中一样，再读一遍。"""
    (tmp_path / "chapters").mkdir()
    monkeypatch.setattr(contents, "ROOT", tmp_path)
    monkeypatch.setattr(contents, "QUESTIONS", tmp_path / "chapters/questions.yml")

    def read(names=("01_one", "02_two", "end"), questions=("01_one", "02_two", "end"), head="大约 5 分钟"):
        toc = {"parts": [{"caption": "上", "chapters": [{"file": f"chapters/{name}"} for name in names]}]}
        (tmp_path / "_toc.yml").write_text(yaml.safe_dump(toc), encoding="utf-8")
        contents.QUESTIONS.write_text(yaml.safe_dump(dict.fromkeys(questions, "？")), encoding="utf-8")
        for name in names:
            notebook = {"cells": [{"cell_type": "markdown", "source": [f"# {name}\n", head]}]}
            (tmp_path / f"chapters/{name}.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
        contents.pages.cache_clear()
        return contents.pages()

    return read


def test_the_first_minutes_stated_are_the_text_s(small):
    one, two, end = small(head="正文大约 35 分钟，练习另计 40 分钟")
    assert (one.minutes, two.number, two.lasting_name) == (35, 2, "two")
    assert end == contents.Page("end", "上", None, "？", None)


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ({"head": "没有写"}, r"01_one\.ipynb 的开头没有写要读几分钟"),
        ({"questions": ("01_one", "end")}, r"_toc\.yml 与 chapters/questions\.yml 里的页不一样：02_two。"),
        ({"names": ("01_one", "end")}, r"里的页不一样：02_two。"),
        ({"names": ("02_two", "01_one", "end")}, r"02_two 应当是第 1 章，文件名里却写着 2。"),
    ],
)
def test_what_is_missing_is_named(small, fault, said):
    with pytest.raises(SystemExit, match=said):
        small(**fault)


def test_only_links_to_chapters_are_numbered():
    first = contents.chapters()[0]
    tree = (
        f'<a class="reference internal" href="{first.name}.html">甲</a><a class="x" href="errata.html">乙</a>'
    )
    marked = f'data-chapter="{first.lasting_name}"><span class="chapter-number">1</span> 甲</a>'
    assert marked in number_chapters(tree, "chapters/index")
    assert "乙" in number_chapters(tree, "chapters/index").partition('href="errata.html">')[2]
    # 正在读的一页，链接写作 #
    here = '<a class="current" href="#">甲</a>'
    assert marked in number_chapters(here, f"chapters/{first.name}")
    assert number_chapters(here, "search") == here


@pytest.fixture(scope="module", params=BOOKS)
def book(request):
    """每一页的文件，与这本书里的字。"""
    folder, words = BOOKS[request.param]
    return lambda name: folder / f"chapters/{name}.html", words


def test_every_page_says_where_it_is(book):
    (path, words), found = book, contents.pages()
    for page in found:
        where = f"第 {page.number} 章，共 {len(CHAPTERS)} 章 · {page.part}" if page.number else page.part
        assert part(path(page.name), "p", "chapter-place").text == words(where)
        numbered = part(path(page.name), "nav", "bd-docs-nav").select(".chapter-number")
        numbers = [int(number.text) for number in numbered]
        assert numbers == list(range(1, len(CHAPTERS) + 1))
    assert not part(path("index"), "p", "chapter-place")


def test_the_cards_say_what_comes(book):
    path, words = book
    for page, after in pairwise(contents.pages()):
        title = unescape(re.search("<h1>([^<]*)<", read(path(after.name)))[1])
        card = part(path(page.name), "nav", "way-cards").select_one("a[rel=next]")
        assert card["href"] == f"{after.name}.html"
        way, question = words("下一章" if after.number else "下一页"), words(after.question)
        minutes = [words(f"大约 {after.minutes} 分钟")] * bool(after.number)
        said = [way, f"{after.number or ''} {title}".strip(), question, *minutes]
        assert [" ".join(part.text.split()) for part in card.find_all(recursive=False)] == said
        back = part(path(after.name), "nav", "way-cards").select_one("a[rel=prev]")
        assert back["href"] == f"{page.name}.html" and words(page.question) in back.text
