"""页内的地址：一节的锚来自标题，书里的每个链接都指到真有的地方。"""

import re
from types import SimpleNamespace
from urllib.parse import unquote, urldefrag

import pytest
from bs4 import BeautifulSoup
from built_book import ALL_PAGES, BOOK, parsed, read, tags
from docutils import nodes
from docutils.utils import new_document

from course_book.doctree.addresses import PLACE, link_places, slug

# 一节的开头：它的 id，另有的几个 id，与标题
SECTION = re.compile(r"(<section\b[^>]*>\s*(?:<span [^>]*></span>\s*)*)<h[1-6]>(.*?)</h[1-6]>", re.S)


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("手算", "手算"),
        ("分类与 [CLS]", "分类与-cls"),
        ("`padding_idx` 管什么？", "padding_idx-管什么"),
        ("去掉 √d", "去掉-√d"),
        ("论文为什么乘 ", "论文为什么乘"),
    ],
)
def test_a_title_gives_its_own_words(title, name):
    assert slug(title) == name


def linked(*places, between="、"):
    """行文里依次指到 places，中间是 between；返回写成的文字与链接。"""
    words = [word for place in places for word in (nodes.Text(between), nodes.literal("", place))][1:]
    return resolved(nodes.paragraph("", "", *words))


def resolved(*content):
    """一章两节：节里的格是 a、b（手算）与 c（深入：再算），d 在 S0-3 里；另一页的内容是 content，返回它的文字与链接。"""
    chapter = nodes.section("", nodes.title("", "章名：副题"), nodes.container(ids=["top"]), ids=["章名"])
    for title, names in {"手算": "ab", "深入：再算": "c", "S0-3 对吗？": "d"}.items():
        section = nodes.section("", nodes.title("", title), ids=[title])
        section += [nodes.container(ids=[name]) for name in names]
        chapter += section
    target, page = new_document("章"), new_document("页")
    target += chapter
    page += content
    titles = {"chapters/one": chapter[0]}
    env = SimpleNamespace(found_docs={"chapters/one"}, titles=titles, get_doctree=lambda name: target)
    builder = SimpleNamespace(get_relative_uri=lambda here, there: "one.html")
    link_places(SimpleNamespace(env=env, builder=builder), page, "chapters/map")
    return page.astext(), [link["refuri"] for link in page.findall(nodes.reference)]


@pytest.mark.parametrize(
    ("places", "text", "cells"),
    [
        (["one#a"], "章名 · 手算", "a"),
        (["one#a", "one#c"], "章名 · 手算、再算", "ac"),
        (["one#a", "one#b", "one#c"], "章名 · 手算、再算", "ac"),
        (["one#c", "one#a", "one#b", "one#d"], "章名 · 再算、手算、S0-3", "cad"),
        (["one#d"], "章名 · S0-3", "d"),
        (["one#a", "elsewhere#x"], "章名 · 手算、elsewhere#x", "a"),
        (["one#a", "one#lost"], "章名 · 手算、one#lost", "a"),
    ],
)
def test_a_place_is_shown_by_its_titles(places, text, cells):
    assert linked(*places) == (text, [f"one.html#{cell}" for cell in cells])


def test_what_is_said_between_two_places_stays():
    """只有顿号随着重复的一处去掉。"""
    text = "章名 · 手算里没有除，再看手算"
    assert linked("one#a", "one#b", between="里没有除，再看") == (text, ["one.html#a", "one.html#b"])
    assert linked("one#a", "one#a", between="") == ("章名 · 手算手算", ["one.html#a"] * 2)


# 行内的记号：代码、公式、链接
INLINE = {"`": lambda text: nodes.literal("", text), "$": lambda text: nodes.math("", text),
          "[": lambda text: nodes.reference("", text, refuri="elsewhere")}  # fmt: skip


def inline(text):
    """`代码`、$公式$ 与 [链接[ 的一段。"""
    pieces = re.split(r"([`$[])(.+?)\1", text)
    marked = zip(pieces[1::3], pieces[2::3], pieces[3::3], strict=True)
    words = [pieces[0], *(part for mark, of, rest in marked for part in (INLINE[mark](of), rest))]
    return [nodes.Text(word) if isinstance(word, str) else word for word in words if word]


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("`one#a` 里的 `softmax`、`one#b`。", "章名 · 手算 里的 softmax、手算。"),
        ("`one#a`、`softmax`、`one#b`、`one#c`", "章名 · 手算、softmax、手算、再算"),
        ("`one#a`、`x`、`one#c`、`y`、`one#b`。", "章名 · 手算、x、再算、y、手算。"),
        ("`one#a`、$x$、`one#b`", "章名 · 手算、x、手算"),
        ("$x$、`one#a`、`one#b`、$y$", "x、章名 · 手算、y"),
        ("`one#a`、[别处[、`one#b`", "章名 · 手算、别处、手算"),
        ("`one#a`、`one#b` 里的 `softmax`、`one#c`。", "章名 · 手算 里的 softmax、再算。"),
        ("、`one#a`、`one#b`、", "、章名 · 手算、"),
    ],
)
@pytest.mark.parametrize("where", ["行文", "列表", "表格"])
def test_only_a_place_after_a_place_is_dropped(written, text, where):
    paragraph = nodes.paragraph("", "", *inline(written))
    if where == "列表":
        paragraph = nodes.bullet_list("", nodes.list_item("", paragraph))
    elif where == "表格":
        paragraph = nodes.row("", nodes.entry("", nodes.paragraph("", "")), nodes.entry("", paragraph))
    assert resolved(paragraph)[0].strip() == text


def test_a_place_before_every_section_is_the_chapter():
    assert linked("one#top") == ("章名", ["one.html#top"])


@pytest.fixture(scope="module")
def pages():
    found = [BOOK / page for page in ALL_PAGES if "chapters/" in page]
    assert found, f"{BOOK} 里没有成书：请先运行 make book。"
    return found


def test_every_section_is_named_by_its_title(pages):
    """繁体的书用的也是简体标题里的词：两本书的锚相同，见 test_traditional.py。"""
    wrong = []
    for path in (path for path in pages if path.parents[1] == BOOK):
        found = SECTION.findall(read(path))
        assert len(found) == sum(name == "section" for name, _ in tags(path)) > 0
        for opening, heading in found:
            heading = BeautifulSoup(heading, "html.parser")
            for node in heading.select(".headerlink, .math"):
                node.extract()
            name = re.escape(slug(heading.get_text()))
            # 由 docstring 来的一节，先有模块的名字
            names = re.findall(r'\bid="([^"]*)"', opening)
            if not name or not any(re.fullmatch(rf"{name}(-\d+)?", each) for each in names):
                wrong.append((path.name, heading.get_text(), names))
    assert wrong == []


def test_the_lesson_map_speaks_in_titles(pages):
    maps = [parsed(path) for path in pages if path.stem == "lesson_map"]
    places = [[link for link in soup.select("td a.internal") if "#" in link["href"]] for soup in maps]
    left = [code.get_text() for soup in maps for code in soup.select("td code")]
    assert [words for words in left if PLACE.fullmatch(words)] == []  # 处处成为链接
    assert len(places) == 2 and [a["href"] for a in places[0]] == [a["href"] for a in places[1]]
    assert len(places[0]) > 200
    for link in [*places[0], *places[1]]:
        assert re.search("[\u4e00-\u9fff]|S\\d", link.get_text()) and "#" not in link.get_text(), link


def test_every_link_inside_the_book_leads_somewhere(pages):
    anchors = {path: {tag["id"] for _, tag in tags(path) if "id" in tag} for path in pages}
    lost = []
    for path in pages:
        for href in [tag["href"] for name, tag in tags(path) if name == "a" and "href" in tag]:
            address, anchor = urldefrag(href)
            # 打开 BERT 的那一页把读者写的句子也放在 # 之后
            if re.match(r"[a-z]+:", address) or "_sources/" in address or "=" in anchor:
                continue
            target = path.parent.joinpath(address).resolve() if address else path
            if not target.is_file() or (anchor and unquote(anchor) not in anchors[target]):
                lost.append((path.name, href))
    assert lost == []
