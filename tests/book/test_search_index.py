"""检索的索引：改了几页再成书，与从头成的一字不差，而且只重读改过的。"""

import pytest
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace

from course_book import kept
from course_book.after_writing import search

SETTINGS = {
    "extensions": ["course_book.after_writing.search"],
    "html_theme": "sphinx_book_theme",
    "language": "zh_CN",
    "project": "小书",
}
CONTENTS = "目录\n====\n\n.. toctree::\n\n   one\n   two\n"


@pytest.fixture
def book(tmp_path, monkeypatch):
    """三页的小书。返回的函数写下几页再成书，给出索引的全文与重读了几页。"""
    read, sections = [], search.sections
    monkeypatch.setattr(search, "sections", lambda page: read.append(page) or sections(page))
    (tmp_path / "pages").mkdir()

    def build(folder="html", **pages):
        for name, text in pages.items():
            (tmp_path / f"pages/{name}.rst").write_text(text, encoding="utf-8")
        read.clear()
        places = [tmp_path / "pages", None, tmp_path / folder, tmp_path / f"{folder}-trees"]
        with docutils_namespace():
            Sphinx(*places, "html", SETTINGS, status=None).build()
        return (tmp_path / folder / "searchindex.js").read_text(encoding="utf-8"), len(read)

    build(index=CONTENTS, one="甲\n==\n\n第一页的话。\n", two="乙\n==\n\n第二页的话。\n")
    return build


@pytest.mark.parametrize(
    ("pages", "number"),
    [
        ({}, 0),
        ({"two": "乙\n==\n\n改过的话。\n"}, 1),
        ({"two": "改名\n====\n\n第二页的话。\n"}, 2),  # 目录里有它的名字
        ({"three": "丙\n==\n\n第三页的话。\n", "index": CONTENTS + "   three\n"}, 2),
    ],
    ids=["same", "sentence", "title", "new"],
)
def test_the_index_is_as_if_built_afresh(book, pages, number):
    index, read = book(**pages)
    assert read == number
    assert index == book("afresh")[0]
    assert all(text.split("\n")[-2] in index for text in pages.values() if "话" in text)


def test_other_code_reads_again_and_broken_files_are_made_again(book, tmp_path, monkeypatch):
    before = book()[0]
    (tmp_path / "html-trees/kept/search/one.pickle").write_bytes(b"\x80\x04")
    assert book() == (before, 1)
    monkeypatch.setattr(kept, "CODE", "另一份成书的代码")
    assert book() == (before, 3)
