"""把合成的一页印成 PDF，印两遍：头一遍量出各个标题在哪一页，第二遍目录里就写得上页码。"""

from pathlib import Path

from playwright.sync_api import Browser
from pypdf import PdfReader

from course_book.printing.article import Article, Heading
from course_book.printing.capture import OUTSIDE, WIDTH
from course_book.printing.finish import finish, places
from course_book.printing.volume import CONTENTS, Cover, whole


def print_sheet(browser: Browser, html: str, sheet: Path, printed: Path, tagged: bool) -> int:
    """印一遍，返回页数；sheet 要是文件，样式与字体才读得到。"""
    sheet.write_text(html, encoding="utf-8")
    page = browser.new_page()
    page.emulate_media(media="print")
    page.set_viewport_size({"width": WIDTH, "height": 1000})
    page.goto(sheet.as_uri())
    if tagged and (outside := page.evaluate(OUTSIDE, WIDTH)):
        raise RuntimeError("这些伸出了版心，会被切掉：\n" + "\n".join(outside))
    page.pdf(path=printed, prefer_css_page_size=True, print_background=True, outline=tagged, tagged=tagged)
    page.close()
    return len(PdfReader(printed).pages)


def press(
    browser: Browser,
    cover: Cover,
    parts: list[tuple[str, list[Article]]],
    styles: str,
    facts: dict[str, str],
    final: Path,
):
    """cover、parts 与 styles 见 `volume.whole`；facts 是写进 PDF 的书名与作者；写成 final。"""
    contents = Heading(1, cover.contents, CONTENTS)
    headings = [contents, *(heading for _, group in parts for each in group for heading in each.headings)]
    sheet, draft = final.with_suffix(".html"), final.with_suffix(".draft.pdf")
    length = print_sheet(browser, whole(cover, parts, styles, {}), sheet, draft, tagged=True)
    found = places(draft, headings)
    # 标记（给读屏软件的结构）有二十多 MB，只在头一遍要：书签由它而来
    numbers = {anchor: place.page + 1 for anchor, place in found.items()}
    if print_sheet(browser, whole(cover, parts, styles, numbers), sheet, draft, tagged=False) != length:
        raise RuntimeError("写上页码以后页数变了，目录里的页码就不对了。")
    finish(draft, parts, contents, found, cover.lang, facts, final)
    sheet.unlink()
    draft.unlink()
