"""《复习》的题：小结里能独自成句的各条是真的，勘误实验室里的各条是假的，一条不多，一条不少；链接都通。"""

import functools
import re
from urllib.parse import unquote, urlsplit

import pytest
from built_book import BOOK
from built_book import parsed as page

from chapters import CHAPTERS, ROOT, cells, source

BOOKS = pytest.mark.parametrize("folder", [BOOK, BOOK / "zh-TW"], ids=["zh-CN", "zh-TW"])


@functools.cache
def ids(path):
    return {node["id"] for node in page(path).select("[id]")}


def summary_lines():
    """各章小结里的各条：章 → 源文里以“- ”开头的几行。"""
    for path in CHAPTERS:
        text = "\n\n".join(source(cell) for cell in cells(path, "markdown"))
        summary = re.split(r"\n## ", "\n" + text.partition("\n## 小结")[2])[0]
        lines = re.findall(r"^- (.+)", summary, re.MULTILINE)
        yield path.stem, [re.sub(r" ?\[→ [^]]*\]\([^)]*\)$", "", line) for line in lines]


def test_every_bullet_and_every_erratum_is_a_question():
    standing = [
        line for _, lines in summary_lines() for line in lines if line[0] not in "那这" and line[-1] != "："
    ]
    claims = re.findall(
        r"^### (?:S\d|L)-\d+ ", "\n".join(map(source, cells(ROOT / "chapters/errata.ipynb"))), re.M
    )
    asked = page(BOOK / "chapters/review.html").select(".review-list .question")
    assert len(standing) > 80 and len(claims) > 50
    assert sum("true" in each["class"] for each in asked) == len(standing)
    assert sum("false" in each["class"] for each in asked) == len(claims)
    assert len({each["id"] for each in asked}) == len(asked) == len(standing) + len(claims)


@BOOKS
def test_a_question_says_its_chapter_its_statement_and_its_answer(folder):
    for each in page(folder / "chapters/review.html").select(".review-list .question"):
        about, statement = each.find_all("p", recursive=False)
        assert re.match(r"第 \d+ 章 · .+？", about.text) and len(statement.text) > 10
        assert not re.match("[说說]法|[应應][当當][说說]", statement.text)
        why = each.details.find_all("p", recursive=False)
        true = "true" in each["class"]
        assert why[0].text == ("真的。" if true else "假的。") and (len(why) == 2) == true
        assert not each.select("article, [id] [id], .math:not(:has(> math))")


@BOOKS
def test_links_lead_to_the_place_that_shows_it(folder):
    for each in page(folder / "chapters/review.html").select(".review-list .question"):
        (link,) = each.select("a")
        address = urlsplit(link["href"])
        assert unquote(address.fragment) in ids(folder / "chapters" / address.path), link
        chapter = int(re.search(r"\d+", each.p.text)[0])
        assert address.path.startswith("errata" if "false" in each["class"] else f"{chapter:02}_")


def test_every_conclusion_stands_on_one_page_with_its_link():
    listed = page(BOOK / "chapters/conclusions.html").select(".conclusions > ul > li")
    assert len(listed) == sum(len(lines) for _, lines in summary_lines())
    for each in listed:
        address = urlsplit(each.select("a")[-1]["href"])
        assert unquote(address.fragment) in ids(BOOK / "chapters" / address.path), each


def test_the_two_books_ask_the_same():
    simplified, traditional = (
        [
            (each["id"], each["class"])
            for each in page(folder / "chapters/review.html").select(".review-list .question")
        ]
        for folder in (BOOK, BOOK / "zh-TW")
    )
    assert simplified == traditional
