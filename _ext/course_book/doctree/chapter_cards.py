"""首页上各章的卡片与全书的路线：次序、问题与分钟都从 before_reading.contents 取，这里只管排出来。

卡片上的小图是 figures/miniatures/名字.svg，名字是那一章不带编号的文件名；没有画的章，卡片上只有字。
"""

from html import escape

from docutils import nodes
from docutils.parsers.rst import Directive
from sphinx.util.docutils import SphinxDirective

from course_book import ROOT
from course_book.before_reading.contents import FOLDER, Page, pages
from course_book.doctree.front_doors import STILLS
from course_book.doctree.traditional_chinese import in_book_language
from course_lib.show.palette import adapt

MINIATURES = ROOT / "figures/miniatures"


class Cards(nodes.General, nodes.Element):
    """几个部分的卡片；parts 是各部分的名字。"""


class Route(nodes.General, nodes.Element):
    """全书的路线：有卡片的每一节是一站。"""


class ChapterCards(SphinxDirective):
    """`{chapter-cards}`：每行写一个部分的名字，与 _toc.yml 里的相同。"""

    has_content = True

    def run(self):
        parts = [line.strip() for line in self.content if line.strip()]
        if unknown := set(parts) - {page.part for page in pages()}:
            raise self.error(f"_toc.yml 里没有这些部分：{'、'.join(sorted(unknown))}。")
        for path in MINIATURES.glob("*.svg"):  # 小图一变，这一页重写
            self.env.note_dependency(str(path))
        return [Cards(parts=parts)]


class BookRoute(Directive):
    """`{book-route}`：没有参数。"""

    def run(self):
        return [Route()]


def of_parts(parts: list[str]) -> list[Page]:
    """几个部分里有卡片的各页：另有一扇门的（front_doors）不再排在里面。"""
    return [page for page in pages() if page.part in parts and page.lasting_name not in STILLS]


def minutes(found: list[Page]) -> int:
    return sum(page.minutes or 0 for page in found)


def hours(groups: list[list[Page]]) -> list[float]:
    """各组约几个小时，以半小时计：加起来恰好是合在一起的约几个小时，零头大的先进一。"""
    exact = [minutes(group) / 30 for group in groups]
    found = [int(each) for each in exact]
    left = 2 * round(sum(exact) / 2) - sum(found)
    for i in sorted(range(len(groups)), key=lambda i: found[i] - exact[i])[: max(0, left)]:
        found[i] += 1
    return [each / 2 for each in found]


def about(hours: float) -> str:
    return f"约 {hours:g} 小时"


def span(found: list[Page]) -> str:
    """一站从第几章到第几章。"""
    numbers = [page.number for page in found if page.number]
    return f"第 {numbers[0]}–{numbers[-1]} 章" if len(numbers) > 1 else f"第 {numbers[0]} 章"


def miniature(page: Page) -> str:
    path = MINIATURES / f"{page.lasting_name}.svg"
    if not path.is_file():
        return ""
    return f'<div class="card-picture">{in_book_language(adapt(path.read_text(encoding="utf-8")))}</div>'


def card(page: Page, title: str, link: str, part: str) -> str:
    """一章一张；每个部分的头一张上面写着部分的名字。"""
    above = f'<span class="card-part">{escape(in_book_language(part))}</span>' if part else ""
    number = f'<span class="card-number">{page.number}</span> ' if page.number else ""
    spent = f'<span class="card-minutes">{in_book_language(f"{page.minutes} 分钟")}</span>' if number else ""
    return (
        f'<li>{above}<div class="card-face">{miniature(page)}<div class="card-words">{number}'
        f'<a class="reference internal" href="{escape(link)}" data-chapter="{page.lasting_name}">{escape(title)}</a>'
        f"<p>{escape(in_book_language(page.question))}</p>{spent}</div></div></li>"
    )


def cards(app, docname: str, parts: list[str]) -> str:
    shown, last = [], None
    for page in of_parts(parts):
        name = f"{FOLDER}/{page.name}"
        if name not in app.env.titles:  # 改书的人只成了几页
            continue
        title, link = app.env.titles[name].astext(), app.builder.get_relative_uri(docname, name)
        shown.append(card(page, title, link, page.part if page.part != last and len(parts) > 1 else ""))
        last = page.part
    several = " several-parts" if len(parts) > 1 else ""
    return f'<div class="cards"><ul class="chapter-cards{several}">{"".join(shown)}</ul></div>'


def route(stops) -> str:
    """stops 是 (一节, 它的各页)；没有章的一节不是一站。"""
    stops = [(section, found) for section, found in stops if any(page.number for page in found)]
    every = [[page for page in found if page.number] for _, found in stops]
    spent = hours(every)
    total = in_book_language(f"一共 {sum(map(len, every))} 章，{about(sum(spent))}，练习另计")
    items = "".join(
        f'<li><a class="reference internal" href="#{section["ids"][0]}">{escape(section[0].astext())}</a>'
        f"<span>{in_book_language(f'{span(found)}，{each:g} 小时')}</span></li>"
        for (section, found), each in zip(stops, spent, strict=True)
    )
    return f'<nav class="book-route" aria-label="{total}"><p>{total}</p><ol>{items}</ol></nav>'


def draw(app, doctree, docname):
    """标题取自 Sphinx，已是这本书的文字；其余的话在这里换。"""
    stops = []
    for place in list(doctree.findall(Cards)):
        stops.append((place.parent, of_parts(place["parts"])))
        place.replace_self(nodes.raw("", cards(app, docname, place["parts"]), format="html"))
    for place in list(doctree.findall(Route)):
        place.replace_self(nodes.raw("", route(stops), format="html"))


def style(app, pagename, templatename, context, doctree):
    if doctree and any("chapter-cards" in raw.astext() for raw in doctree.findall(nodes.raw)):
        app.add_css_file("front.css")


def setup(app):
    app.add_node(Cards)
    app.add_node(Route)
    app.add_directive("chapter-cards", ChapterCards)
    app.add_directive("book-route", BookRoute)
    app.connect("doctree-resolved", draw)
    app.connect("html-page-context", style)
