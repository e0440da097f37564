"""页内的地址：一节的锚来自标题，书里的每个链接都指到真有的地方。"""

import re
from urllib.parse import unquote, urldefrag

import pytest
from bs4 import BeautifulSoup
from built_book import ALL_PAGES, BOOK, MOVED

from course_book.doctree.addresses import slug


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


@pytest.fixture(scope="module")
def pages():
    found = {
        path: BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")
        for path in (BOOK / page for page in ALL_PAGES if "chapters/" in page)
    }
    assert found, f"{BOOK} 里没有成书：请先运行 make book。"
    return found


def test_every_section_is_named_by_its_title(pages):
    """繁体的书用的也是简体标题里的词：两本书的锚相同，见 test_traditional.py。"""
    wrong = []
    for path, soup in pages.items():
        for section in soup.select("article section") if path.parents[1] == BOOK else ():
            heading = section.find(re.compile("^h[1-6]$"), recursive=False)
            for node in heading.select(".headerlink, .math"):
                node.extract()
            name = re.escape(slug(heading.get_text()))
            # 由 docstring 来的一节，先有模块的名字
            names = [
                section["id"],
                *(span["id"] for span in section.find_all("span", id=True, recursive=False)),
            ]
            if not name or not any(re.fullmatch(rf"{name}(-\d+)?", each) for each in names):
                wrong.append((path.name, heading.get_text(), names))
    assert wrong == []


def test_every_link_inside_the_book_leads_somewhere(pages):
    anchors = {path: {node["id"] for node in soup.select("[id]")} for path, soup in pages.items()}
    lost = []
    for path, soup in pages.items():
        for link in soup.select("a[href]"):
            address, anchor = urldefrag(link["href"])
            # 打开 BERT 的那一页把读者写的句子也放在 # 之后
            if re.match(r"[a-z]+:", address) or "_sources/" in address or "=" in anchor:
                continue
            target = path.parent.joinpath(address).resolve() if address else path
            if not target.is_file() or (anchor and unquote(anchor) not in anchors[target]):
                lost.append((path.name, link["href"]))
    assert lost == []


@pytest.mark.parametrize("language", ["", "zh-TW/"])
@pytest.mark.parametrize("old", MOVED)
def test_an_old_address_leads_to_the_new_one(old, language):
    left = BeautifulSoup((BOOK / language / old).read_text(encoding="utf-8"), "html.parser")
    assert (BOOK / language / old).parent / left.a["href"] == BOOK / language / MOVED[old]
    assert (BOOK / language / MOVED[old]).is_file()
