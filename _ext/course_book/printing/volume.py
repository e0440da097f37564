"""把各页连同封面与目录合成一页，交给 Chromium 去印。"""

from dataclasses import dataclass
from html import escape
from pathlib import Path
from urllib.parse import urlsplit

from bs4 import BeautifulSoup

from course_book.printing.article import Article

CONTENTS = "contents"  # 目录的 id
PAPER = Path(__file__).with_name("paper.css")
# 首页自己的样式改的是全书的标题与段落，只许用在首页
OWN = {"front.css": "index"}
# 面板已是照片，按钮不印
UNUSED = ("live.css", "bert.css", "llm.css", "train.css", "togglebutton.css", "copybutton.css")


@dataclass(frozen=True)
class Cover:
    """封面上的字，与书里别处自己添的字。"""

    lang: str
    title: str
    subtitle: str
    edition: str  # 哪种文字
    foot: tuple[str, ...]  # 作者、日期与许可
    contents: str  # “目录”


def stylesheets(folder: Path, names: list[str]) -> str:
    """这些页用到的样式，依次，各一份。"""
    seen = {}
    for name in names:
        page = BeautifulSoup((folder / f"{name}.html").read_text(encoding="utf-8"), "html.parser")
        for link in page.select("link[rel=stylesheet]"):
            path = (folder / urlsplit(link["href"]).path).resolve()
            if path.name not in UNUSED:
                seen.setdefault(path, None)
    # type.css 之类在每一页都排在最后，只有几页才有的要在它们之前
    last = [path for path in seen if path.name in ("type.css", "wayfinding.css")]
    tags = []
    for path in [*(path for path in seen if path not in last), *last]:
        if path.name in OWN:
            css = path.read_text(encoding="utf-8")
            tags.append(f"<style>@scope (#page-{OWN[path.name]}) {{ {css} }}</style>")
        else:
            tags.append(f'<link rel="stylesheet" href="{path.as_uri()}">')
    return "\n".join(tags)


def feet(articles: list[Article]) -> str:
    """每一章的页脚：左边是章的题目，右边是页码。"""
    rules = []
    for article in articles:
        said = article.title.replace("\\", "\\\\").replace('"', r"\"")
        rules.append(
            f'@page {page_of(article)} {{ @bottom-left {{ content: "{said}"; }} '
            "@bottom-right { content: counter(page); } }\n"
            f"#page-{article.name} {{ page: {page_of(article)}; }}"
        )
    return "<style>" + "\n".join(rules) + "</style>"


def page_of(article: Article) -> str:
    return f"p-{article.name.replace('_', '-')}"


def cover_page(cover: Cover) -> str:
    return f"""<section class="cover">
<p class="cover-title">{escape(cover.title)}</p>
<p class="cover-subtitle">{escape(cover.subtitle)}</p>
<p class="cover-edition">{escape(cover.edition)}</p>
{cover_picture()}
<p class="cover-foot">{"<br>".join(map(escape, cover.foot))}</p>
</section>"""


def cover_picture() -> str:
    """一句话，they 看着前面的各个词：全书讲的就是这些弧从哪里来。"""
    words = ["John", "and", "Paul", "wrote", "several", "songs", "when", "they", "were"]
    weights = [0.36, 0.05, 0.30, 0.04, 0.05, 0.08, 0.06, None, 0.06]
    places = [9 + 152 * i / (len(words) - 1) for i in range(len(words))]
    chosen, base = weights.index(None), 112
    marks = []
    for x, word, weight in zip(places, words, weights, strict=True):
        if weight is not None:
            lift = 12 + 0.95 * abs(x - places[chosen])
            ends = f"M{places[chosen]:.1f},{base} C{places[chosen]:.1f},{base - lift:.1f} {x:.1f},{base - lift:.1f} {x:.1f},{base}"
            marks.append(
                f'<path d="{ends}" stroke-width="{0.4 + 10 * weight:.2f}" opacity="{0.3 + weight:.2f}"/>'
            )
        marks.append(
            f'<g class="{"chip" if weight is not None else "chosen"}">'
            f'<rect x="{x - 8.5:.1f}" y="{base + 2}" width="17" height="9" rx="2.2"/>'
            f'<text x="{x:.1f}" y="{base + 8}">{word}</text></g>'
        )
    return f'<svg viewBox="0 0 170 130" aria-hidden="true">{"".join(marks)}</svg>'


def contents_page(cover: Cover, parts: list[tuple[str, list[Article]]], numbers: dict[str, int]) -> str:
    def line(kind: str, text: str, anchor: str) -> str:
        return (
            f'<li class="{kind}"><a href="#{anchor}"><span class="entry">{escape(text)}</span>'
            f'<span class="dots"></span><span class="number">{numbers.get(anchor, 0) or "000"}</span></a></li>'
        )

    blocks = []
    for caption, articles in parts:
        if caption:
            blocks.append(f'<p class="part">{escape(caption)}</p>')
        for article in articles:
            number = article.place.partition(" · ")[0] if " · " in article.place else ""
            title = f"{number}　{article.title}" if number else article.title
            sections = "".join(line("section", h.text, h.anchor) for h in article.headings if h.level == 2)
            blocks.append(
                f'<ul class="chapter">{line("title", title, article.anchor)}</ul>'
                + (f'<ul class="sections">{sections}</ul>' if sections else "")
            )
    return f'<section class="contents"><h1 id="{CONTENTS}">{escape(cover.contents)}</h1>{"".join(blocks)}</section>'


def whole(cover: Cover, parts: list[tuple[str, list[Article]]], styles: str, numbers: dict[str, int]) -> str:
    """合成的一页；parts 是各部分的名字与其中的页，没有名字的排在前面；numbers 是标题的锚 → 页码。"""
    articles = [article for _, group in parts for article in group]
    bodies = []
    for article in articles:
        place = f'<p class="place">{escape(article.place)}</p>' if article.place else ""
        bodies.append(f'<div class="page" id="page-{article.name}">{place}{article.body}</div>')
    return f"""<!doctype html>
<html lang="{cover.lang}" data-theme="light" data-mode="light">
<head><meta charset="utf-8"><title>{escape(cover.title)}</title>
{styles}
<link rel="stylesheet" href="{PAPER.as_uri()}">
{feet(articles)}
</head>
<body>
{cover_page(cover)}
<main class="bd-main"><div class="bd-content"><div class="bd-article-container">
{contents_page(cover, parts, numbers)}
{"".join(bodies)}
</div></div></main>
</body></html>"""
