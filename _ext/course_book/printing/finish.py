"""印好的 PDF：读出各个标题落在哪里，写上书签与书名，理顺复制出来的字。"""

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pypdf import PdfReader, PdfWriter
from pypdf.generic import Fit, NameObject, TextStringObject

from course_book.printing.article import Article, Heading
from course_book.printing.characters import unify_fonts

# 它复制 Chromium 的 PDF 时把几个内嵌的对象单独编了号，自己又报出来
logging.getLogger("pypdf").setLevel(logging.ERROR)


ABOVE = 12  # 跳到标题时，上面留一点空


@dataclass(frozen=True)
class Place:
    """一个标题落在哪一页（从 0 数起），离页底多高。"""

    page: int
    top: float


def flatten(outline) -> Iterator:
    for entry in outline:
        if isinstance(entry, list):
            yield from flatten(entry)
        else:
            yield entry


def places(path: Path, headings: list[Heading]) -> dict[str, Place]:
    """Chromium 给每个标题一个书签，依次；它写的字有时重复一遍，位置是对的。"""
    reader = PdfReader(path)
    entries = list(flatten(reader.outline))
    if len(entries) != len(headings):
        raise RuntimeError(f"书里有 {len(headings)} 个标题，印出的书签却有 {len(entries)} 个。")
    return {
        heading.anchor: Place(reader.get_destination_page_number(entry), float(entry.top))
        for heading, entry in zip(headings, entries, strict=True)
    }


def finish(
    printed: Path,
    parts: list[tuple[str, list[Article]]],
    contents: Heading,
    found: dict[str, Place],
    language: str,
    facts: dict[str, str],
    final: Path,
):
    """把 printed 写成 final：书签依 parts 的次序，facts 是书名与作者。"""
    writer = PdfWriter(clone_from=printed)
    unify_fonts(writer)

    def bookmark(heading: Heading, parent=None, text=None):
        place = found[heading.anchor]
        fit = Fit.xyz(left=0, top=place.top + ABOVE)
        return writer.add_outline_item(
            title=text or heading.text, page_number=place.page, parent=parent, fit=fit, is_open=False
        )

    bookmark(contents)
    for caption, articles in parts:
        part = bookmark(articles[0].headings[0], text=caption) if caption else None
        for article in articles:
            parents = {0: part}
            for heading in article.headings:
                parents = {level: item for level, item in parents.items() if level < heading.level}
                parents[heading.level] = bookmark(heading, parents[max(parents)])
    writer.root_object[NameObject("/Lang")] = TextStringObject(language)
    writer.root_object[NameObject("/PageMode")] = NameObject("/UseOutlines")
    writer.create_viewer_preferences().display_doctitle = True
    writer.metadata = None
    writer.add_metadata(facts)
    writer.write(final)
