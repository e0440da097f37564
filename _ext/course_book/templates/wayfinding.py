"""读者在哪里，怎样放映：题目上面一行“第 4 章，共 17 章”，侧栏里各章的编号，页脚说出下一章问什么的卡片。"""

import re
from pathlib import PurePosixPath

from course_book.before_reading.contents import chapters, pages
from course_book.doctree.traditional_chinese import in_book_language

LINK = re.compile(r'(<a class="[^"]*" href="([^"]*)")>')


def known(docname):
    """`docname` 是目录里的哪一页；首页与检索页不在其中。"""
    return next((page for page in pages() if page.name == PurePosixPath(docname).name), None)


def place(page) -> str:
    """一页的位置，如“第 4 章，共 17 章 · 注意力”；不是一章的只有部分的名字。"""
    where = f"第 {page.number} 章，共 {len(chapters())} 章 · " if page.number else ""
    return in_book_language(where + page.part)


def number_chapters(tree, pagename) -> str:
    """目录里的链接前面添上第几章，读过没有由脚本照着 data-chapter 来记。"""

    def add(link):
        page = known(pagename if link[2] == "#" else link[2].removesuffix(".html"))
        if not (page and page.number):
            return link[0]
        return (
            f'{link[1]} data-chapter="{page.lasting_name}"><span class="chapter-number">{page.number}</span> '
        )

    return LINK.sub(add, str(tree))


def card(docname, link, rel) -> dict:
    """页脚的一张卡片：前一页或后一页的题目、问题与分钟；`link` 是 Sphinx 给的题目与地址。"""
    page = known(docname)
    numbered = page is not None and page.number is not None
    said = {
        "way": {"prev": "上一", "next": "下一"}[rel] + ("章" if numbered else "页"),
        "question": page.question if page else "",
        "minutes": f"大约 {page.minutes} 分钟" if numbered else "",
    }
    said = {name: in_book_language(text) for name, text in said.items()}
    return said | {"number": numbered and page.number, "rel": rel, **link}


def add_places(app, pagename, templatename, context, doctree):
    page = known(pagename) if doctree else None
    context |= {
        "say": in_book_language,
        "chapter": page,
        "chapter_count": len(chapters()),
        "number_chapters": lambda tree: number_chapters(tree, pagename),
    }
    if page:
        app.add_css_file("projection.css", priority=900)
        app.add_js_file("projection.js", defer="defer")
        context["body"] = f'<p class="chapter-place">{place(page)}</p>\n{context["body"]}'
        if page.number:
            context["head_tags"]["chapter"] = page.number
    _, before, after = app.builder.relations.get(pagename, [None] * 3)
    around = [(before, "prev"), (after, "next")]
    context["cards"] = [card(docname, context[rel], rel) for docname, rel in around if docname]


def setup(app):
    app.add_css_file("wayfinding.css", priority=900)
    app.add_js_file("wayfinding.js", defer="defer")
    app.connect("html-page-context", add_places, priority=400)  # 脚本的清单之后还要筛一遍
