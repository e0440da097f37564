"""繁体的书：两本书的页面一一对应、一样多，代码只有注释与字符串里的汉字不同；一句话换得对不对，见 tests/text/test_taiwan_chinese.py。"""

import copy
import re

import pytest
from built_book import ALL_PAGES, BOOK, parsed

from chapters import ROOT
from course_book.doctree.taiwan_chinese import AS_IS, CHANGED, KNOWN, PRINTED, QUOTES

TRADITIONAL = BOOK / "zh-TW"
PAGES = [page.removeprefix("zh-TW/") for page in ALL_PAGES if "zh-TW/" in page] or ["chapters/index.html"]
HAN = re.compile("[\u4e00-\u9fff]+")
CODE = "pre, code, .sig"
# 首页的注意力与它的门：两本书各读自己的一句，弧与小图的多少不同
OWN_SENTENCE = "figure.attention, svg.every-head, svg.large-head"


@pytest.fixture(scope="module")
def soups():
    """每一页两本书的文档树：（简体，繁体）。"""

    return {page: (parsed(BOOK / page), parsed(TRADITIONAL / page)) for page in PAGES}


def test_every_chapter_has_a_page():
    names = {path.stem for kind in ("md", "ipynb") for path in (ROOT / "chapters").glob(f"*.{kind}")}
    assert {f"chapters/{name}.html" for name in names} <= set(PAGES)


@pytest.mark.guards(page=True)
@pytest.mark.parametrize("page", PAGES)
def test_code_and_anchors_differ_only_in_chinese(soups, page):
    """汉字与引号之外，代码与输出一字不差；标识符里没有汉字，所以换过的只是注释、字符串与印出的话。"""

    def code(soup):
        marks = str.maketrans(QUOTES)
        return [HAN.sub("", block.get_text()).translate(marks) for block in soup.select(CODE)]

    def anchors(soup):
        return [node["id"] for node in soup.select("[id]")]

    simplified, traditional = soups[page]
    assert code(simplified) == code(traditional)
    assert anchors(simplified) == anchors(traditional)


@pytest.mark.guards(page=True)
@pytest.mark.parametrize("page", PAGES)
def test_what_is_printed_reads_as_in_the_code(soups, page):
    """代码里写着的话印出来，换得与代码里的一样；代码里也许有两种，中文语料就不换。"""

    def words(cells):
        blocks = [cell.select(f"{part} pre") for cell in cells for part in (".cell_input", ".cell_output")]
        return [HAN.findall("\n".join(pre.get_text() for pre in block)) for block in blocks]

    simplified, traditional = (words(soup.select("div.cell")) for soup in soups[page])
    pairs = [zip(*both, strict=True) for both in zip(simplified, traditional, strict=True)]
    for written, printed in zip(pairs[::2], pairs[1::2], strict=True):
        written = set(written)
        known = {ours for ours, _ in written}
        turned = [ours for ours, theirs in written if ours != theirs]
        assert len(turned) == len(set(turned))  # 换了的，处处换得一样
        assert [pair for pair in printed if pair[0] in known and pair not in written] == []


@pytest.mark.guards(page=True)
@pytest.mark.parametrize("page", PAGES)
def test_blocks_say_equally_much(soups, page):
    """每一块在两本书里都有字；除去换了术语的几个字，长短也一样，OpenCC 自己的说法只多一两个字。"""

    def texts(soup):
        for kept in soup.select(f"script, style, {OWN_SENTENCE}"):
            kept.clear()
        return [(tag.name, "".join(tag.find_all(string=True, recursive=False)).strip()) for tag in soup(True)]

    def says_as_much(ours, theirs):
        grown = len(theirs) - len(ours) - sum(len(CHANGED[word]) - len(word) for word in KNOWN.findall(ours))
        return bool(ours) == bool(theirs) and -1 <= grown <= 2 + len(ours) // 30

    simplified, traditional = (texts(copy.copy(soup)) for soup in soups[page])
    assert [tag for tag, _ in simplified] == [tag for tag, _ in traditional]
    pairs = [(ours, theirs) for (_, ours), (_, theirs) in zip(simplified, traditional, strict=True)]
    assert [pair for pair in pairs if not says_as_much(*pair)] == []


@pytest.mark.guards(page=True)
@pytest.mark.parametrize("page", PAGES)
def test_pictures_differ_only_in_chinese(soups, page):
    """图与插图是写在网页里的 SVG，字换得了；两本书的同一幅，汉字、引号与字体之外一样。"""

    def rest(soup):
        marks = str.maketrans(QUOTES)
        fonts = "SC|TC|YaHei|JhengHei"
        own = soup.select(f"figure.attention svg, {OWN_SENTENCE}")
        drawn = [svg for svg in soup.select("svg") if not any(svg is one for one in own)]
        return [re.sub(fonts, "", HAN.sub("", str(svg)).translate(marks)) for svg in drawn]

    simplified, traditional = soups[page]
    assert not simplified.select(".cell_output img, img[src$='.svg']")
    assert rest(simplified) == rest(traditional)


@pytest.mark.guards(page=True)
@pytest.mark.parametrize("page", PAGES)
def test_no_simplified_character_is_left(soups, page):
    """Big5 里只有繁体字；照录的写法、锚与去简体的链接除外，代码、图、属性与脚本都在内。"""
    soup = copy.copy(soups[page][1])
    for node in soup.select("[id], [href*='#']"):
        del node["id"], node["href"]
    for kept in soup.select(".notranslate, [lang=zh-CN]"):
        kept.decompose()
    text = f"{soup}\n{soup.get_text()}"
    for kept in AS_IS:
        text = text.replace(kept, "")
    left = [run for run in HAN.findall(text) if run != run.encode("big5", "ignore").decode("big5")]
    assert left == []


@pytest.mark.guards(page=True)
@pytest.mark.parametrize("page", PAGES)
def test_each_page_leads_to_its_twin(soups, page):
    for soup, folder, language in zip(soups[page], (BOOK, TRADITIONAL), ("zh-TW", "zh-CN"), strict=True):
        links = soup.select(f"a[hreflang={language}], link[hreflang={language}]")
        twin = (TRADITIONAL if folder == BOOK else BOOK) / page
        targets = {(folder / page).parent.joinpath(link["href"]).resolve() for link in links}
        assert targets == ({twin} if page != "index.html" else set())


def test_what_is_printed_as_it_is_is_still_printed():
    """写在源文件里的例外见 tests/text/test_taiwan_chinese.py。"""
    pages = (BOOK / page for page in PAGES if "chapters/" in page)
    text = re.sub(r"<[^>]*>", "", "".join(page.read_text(encoding="utf-8") for page in pages))
    assert [passage for passage in PRINTED if passage not in text] == []
