"""印好的两本书：篇幅、书签、链接、字、公式与每一页的样子。要先 make pdf。"""

import re
from functools import cache

import numpy as np
import pypdfium2
import pytest
import yaml
from bs4 import BeautifulSoup
from pypdf import PdfReader

from course_book import ROOT
from course_book.doctree import taiwan_chinese
from course_book.printing.__main__ import BOOKS, CONTENTS, PDF, PREFACE
from course_book.printing.article import plain

pytestmark = [pytest.mark.thorough, pytest.mark.timeout(900)]
both = pytest.mark.parametrize("lang", BOOKS)
TOC = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
MILLIMETRE = 72 / 25.4
FOOT, SIDE = 20 * MILLIMETRE, 20 * MILLIMETRE
# 去掉空白与看不见的断字符，才好比
UNSEEN = re.compile(r"[\s\u00ad\ufffe\u200b\u2060]+")


@cache
def path_of(lang):
    found = list(PDF.glob(f"*.{lang}.pdf"))
    assert len(found) == 1, f"{PDF} 里没有 {lang} 的那一份：请先运行 make pdf。"
    return found[0]


@cache
def reader(lang):
    return PdfReader(path_of(lang))


@cache
def texts(lang):
    """每一页的字，由另一个库（Chrome 里的那一个）读出。"""
    document = pypdfium2.PdfDocument(path_of(lang))
    return [UNSEEN.sub("", page.get_textpage().get_text_bounded()) for page in document]


@cache
def pages(lang):
    """书里的各页，依次：部分、正文。"""
    folder, convert, _ = BOOKS[lang]
    listed = [("", TOC["root"])]
    listed += [(convert(part["caption"]), each["file"]) for part in TOC["parts"] for each in part["chapters"]]
    read = lambda name: BeautifulSoup((folder / f"{name}.html").read_text(encoding="utf-8"), "html.parser")  # noqa: E731
    return [(part, read(name).find("article")) for part, name in listed]


def entries(outline, depth=0):
    """书签：多深、写着什么、本身。"""
    for entry in outline:
        if isinstance(entry, list):
            yield from entries(entry, depth + 1)
        else:
            yield depth, entry.title, entry


@both
def test_it_is_not_too_long(lang):
    assert path_of(lang).stat().st_size <= 20e6
    assert 300 < len(reader(lang).pages) <= 900
    assert {tuple(round(float(x)) for x in page.mediabox[2:]) for page in reader(lang).pages} == {(595, 842)}


@both
def test_bookmarks_follow_the_contents(lang):
    convert = BOOKS[lang][1]
    expected = [(0, convert(CONTENTS))]
    last = ""
    for part, body in pages(lang):
        expected += [(0, part)] if part != last else []
        last = part
        for link in body.select("a.headerlink, div.meta"):
            link.decompose()
        for heading in body.find_all(["h1", "h2", "h3"]):
            if not heading.find_parent(["figure", "table"]):
                expected.append((int(heading.name[1]) - (not part), plain(heading)))
    expected[1] = (0, convert(PREFACE))
    found = list(entries(reader(lang).outline))
    assert [(depth, title) for depth, title, _ in found] == expected
    numbers = [reader(lang).get_destination_page_number(entry) for _, _, entry in found]
    assert numbers == sorted(numbers)


@both
def test_the_contents_tell_the_page(lang):
    listed = "".join(texts(lang)[1:7])
    assert "000" not in listed
    for depth, title, entry in entries(reader(lang).outline):
        if depth == 1 and UNSEEN.sub("", title) in listed:
            number = reader(lang).get_destination_page_number(entry) + 1
            assert re.search(re.escape(UNSEEN.sub("", title)) + rf"\D*{number}", listed), title


@both
def test_links_lead_inside(lang):
    names, inner, outer = set(reader(lang).named_destinations), 0, set()
    for page in reader(lang).pages:
        for note in page.get("/Annots", []):
            note = note.get_object()
            if "/Dest" in note:
                inner += 1
                assert str(note["/Dest"]) in names
            elif "/A" in note:
                outer.add(note["/A"]["/URI"])
    assert inner > 1000 and len(outer) > 40
    assert [link for link in outer if not link.startswith(("http://", "https://", "mailto:"))] == []
    written = {link["href"] for _, body in pages(lang) for link in body.select('a[href^="http"]')}
    assert {link.split("#")[0].rstrip("/") for link in written} <= {
        link.split("#")[0].rstrip("/") for link in outer
    }


@both
def test_the_words_can_be_searched_and_copied(lang):
    whole = "".join(texts(lang))
    # 部首与兼容汉字长得一样，却搜不到；私用区的字复制出来是空白。pdfium 会自己换掉一些，所以读 pypdf 的
    told = "".join(page.extract_text() for page in reader(lang).pages[:60])
    assert re.findall("[\u2e80-\u2fdf\uf900-\ufaff\ue000-\uf8ff]", told) == []
    # 一段可能跨页，中间隔着页脚：比它的开头
    sampled = [
        UNSEEN.sub("", paragraph.get_text())[:20]
        for _, body in pages(lang)
        for paragraph in body.select("section > p")[:12]
        if not paragraph.find(True) and len(paragraph.get_text()) > 20
    ]
    assert len(sampled) > 100
    assert [words for words in sampled if words not in whole] == []


@both
def test_nothing_of_the_page_is_left_over(lang):
    whole = "".join(texts(lang))
    convert = taiwan_chinese.convert if lang == "zh-TW" else str
    left = [
        "展开代码",
        "条断言，运行时都成立",
        "还没有写完：把",
        "还没有装入模型",
        "这里要有脚本",
        "到这一节的链接",
        "[object Object]",
    ]
    left = [UNSEEN.sub("", convert(words)) for words in left] + ["TODO", "undefined"]
    assert [words for words in left if words in whole] == []


@both
def test_formulas_and_letters_are_drawn_as_outlines(lang):
    fonts, pictures = {}, set()
    for page in reader(lang).pages:
        resources = page["/Resources"].get_object()
        for font in (resources.get("/Font") or {}).values():
            fonts[font.idnum] = font.get_object()
        for name, picture in (resources.get("/XObject") or {}).items():
            if picture.get_object()["/Subtype"] == "/Image":
                pictures.add((name, picture.idnum))
    assert any("STIXTwoMath" in str(font.get("/BaseFont", "")) for font in fonts.values())
    for font in fonts.values():
        if font["/Subtype"] == "/Type3":  # 字形就写在里面
            continue
        (inner,) = font["/DescendantFonts"]
        descriptor = inner.get_object()["/FontDescriptor"].get_object()
        assert {"/FontFile", "/FontFile2", "/FontFile3"} & set(descriptor), font["/BaseFont"]
    # 只有面板与 bertviz 的照片、那张真实的照片与它的图像块，没有一条公式是图片
    assert len(pictures) < 40


@both
def test_every_page_is_whole(lang):
    """没有空页，没有伸出版心的，标题下面还有东西。"""
    document = pypdfium2.PdfDocument(path_of(lang))
    lowest = {}
    for _, title, entry in entries(reader(lang).outline):
        place = float(entry.top), title
        number = reader(lang).get_destination_page_number(entry)
        lowest[number] = min(place, lowest.get(number, place))
    blank, clipped, alone = [], [], []
    for number, page in enumerate(document):
        ink = page.render(scale=0.5).to_numpy().min(axis=2) < 200
        body = ink[: round(ink.shape[0] - FOOT / 2)]
        edge = round((SIDE - 4) / 2)
        if not body.any():
            blank.append(number + 1)
        if ink[:, :edge].any() or ink[:, -edge:].any():
            clipped.append(number + 1)
        if number in lowest:
            top, title = lowest[number]
            under = page.get_textpage().get_text_bounded(bottom=FOOT, top=top)
            said = UNSEEN.sub("", under).removeprefix(UNSEEN.sub("", title))
            # 跟着的也可能是图，没有字
            if not said and not body[round((842 - top + 70) / 2) :].any():
                alone.append(number + 1)
    assert (blank, clipped, alone) == ([], [], [])
    assert np.mean([len(text) for text in texts(lang)]) > 200
