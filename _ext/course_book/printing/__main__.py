"""`make pdf`：两本书各印一份，写进 _build/pdf/。"""

import subprocess
import time
from datetime import date
from itertools import count
from pathlib import Path

import yaml
from bs4 import BeautifulSoup
from pypdf import PdfReader

from course_book import ROOT
from course_book.before_reading.contents import FOLDER, pages
from course_book.doctree import taiwan_chinese
from course_book.printing import article, volume
from course_book.printing.capture import capture
from course_book.printing.press import press
from tools import chromium

BOOK = ROOT / "_build/html"
PDF = ROOT / "_build/pdf"
# 文字 → 成书在哪里，怎样换我们自己添的字，怎样称呼这种文字
BOOKS = {
    "zh-CN": (BOOK, str, "简体中文"),
    "zh-TW": (BOOK / "zh-TW", taiwan_chinese.convert, "繁體中文"),
}
PREFACE, CONTENTS, LICENSE = "关于本书", "目录", "代码 MIT，文字与插图 CC BY 4.0"


def edition() -> str:
    """最后一次提交的日期；不在 git 里就没有。"""
    asked = ["git", "-C", str(ROOT), "log", "-1", "--format=%cs"]
    try:
        told = subprocess.run(asked, capture_output=True, text=True).stdout.strip()
    except OSError:
        return ""
    if not told:
        return ""
    day = date.fromisoformat(told)
    return f"{day.year} 年 {day.month} 月 {day.day} 日"


def address_of(folder: Path) -> str | None:
    """这本书公开的地址，以斜线结尾；还没有公开就是 None。"""
    page = BeautifulSoup((folder / FOLDER / "index.html").read_text(encoding="utf-8"), "html.parser")
    told = page.find("meta", property="og:url")
    return told["content"].rpartition(f"{FOLDER}/")[0] if told else None


def print_book(browser, lang: str) -> Path:
    folder, convert, kind = BOOKS[lang]
    names = ["index", *(page.name for page in pages())]
    numbers = count(1)
    articles = {
        name: article.read(name, capture(browser, folder / FOLDER / f"{name}.html"), numbers)
        for name in names
    }
    front = articles["index"]
    title, subtitle = front.title, front.body.select_one("h1 + p").get_text()
    front.body.h1.string = front.headings[0].text = convert(PREFACE)
    address = address_of(folder)
    for each in articles.values():
        article.relink(each, articles, address)
        article.tell_where(each, address, convert)
    parts = {"": [front]}
    for page in pages():
        parts.setdefault(convert(page.part), []).append(articles[page.name])

    author = convert(yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))["author"])
    foot = tuple(filter(None, [author, edition(), convert(LICENSE), address]))
    cover = volume.Cover(lang, title, subtitle, kind, foot, convert(CONTENTS))
    styles = volume.stylesheets(folder / FOLDER, names)
    facts = {"/Title": f"{title}（{kind}）", "/Author": author, "/Subject": subtitle}
    final = PDF / f"{title.replace(' ', '-')}.{lang}.pdf"
    press(browser, cover, list(parts.items()), styles, facts, final)
    return final


def main():
    PDF.mkdir(parents=True, exist_ok=True)
    with chromium.open_browser() as browser:
        chromium.require_font(browser)
        for lang, (folder, _, _) in BOOKS.items():
            if not (folder / FOLDER).is_dir():  # make book BOOK_LANG=… 只成了另一本
                continue
            start = time.monotonic()
            final = print_book(browser, lang)
            size, count = final.stat().st_size / 1e6, len(PdfReader(final).pages)
            print(f"{final}：{count} 页，{size:.1f} MB，用了 {time.monotonic() - start:.0f} 秒", flush=True)


if __name__ == "__main__":
    main()
