"""一页的正文：去掉纸上用不着的，打开折叠着的，把各页的锚与链接改成合在一起以后的。"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

from bs4 import BeautifulSoup, Tag

# 纸上用不着的：动手用的、准备用的、断言、网页自己的路标
LEFT_OUT = ", ".join(
    [
        *["script", "noscript", "style", "link", "a.headerlink", "button.copybtn", ".toggle-button"],
        *["p.ran-with", "div.meta", "div.cell[id^=exercise-] > .cell_output"],
        *[".errata-controls", ".tell", ".review", ".front-buttons", ".book-route"],
        *[".toctree-wrapper", ".read-state"],
    ]
)
LONG = 16  # 多于这么多行的代码可以分在两页
HEADINGS = ["h1", "h2", "h3"]
# 这些属性里写的是别处的 id
POINTERS = ["for", "headers", "aria-labelledby", "aria-describedby", "aria-controls", "aria-owns"]
# 首页那幅注意力图的样式认得这些名字
KEPT = re.compile("attention-")
USED = re.compile(r"url\(#([^)]+)\)")


@dataclass
class Heading:
    level: int
    text: str
    anchor: str


@dataclass
class Article:
    """一页：`name` 是文件名，`body` 是理好的正文，`place` 是题目上面的一行。"""

    name: str
    body: Tag
    place: str
    headings: list[Heading] = field(default_factory=list)
    anchors: dict[str, str] = field(default_factory=dict)  # 网页里的 id → 合在一起以后的

    @property
    def title(self) -> str:
        return self.headings[0].text

    @property
    def anchor(self) -> str:
        return self.headings[0].anchor


def read(name: str, html: str, numbers: Iterator[int]) -> Article:
    body = BeautifulSoup(html, "html.parser").find("article")
    place = body.select_one(".chapter-place")
    # “第 4 章，共 21 章 · 注意力”：纸上不说一共几章
    article = Article(name, body, re.sub(r"，共 \d+ 章", "", place.extract().get_text()) if place else "")
    for part in body.select(LEFT_OUT):
        part.decompose()
    for cell in body.select("div.cell"):
        if not cell.find(["pre", "svg", "img", "table", "p", "figure"]):
            cell.decompose()
    # 打开选项，网页以为是读者猜过了
    for guessed in body.select("[data-guess]"):
        del guessed["data-guess"]
    for code in body.select("div.highlight pre"):
        if code.get_text().count("\n") > LONG:
            code["class"] = [*code.get("class", []), "long"]
    unfold(body)
    rename(article, numbers)
    for heading in body.find_all(HEADINGS):
        if not heading.find_parent(["figure", "table"]):
            heading["id"] = heading.get("id") or f"h{next(numbers)}"
            article.headings.append(Heading(int(heading.name[1]), plain(heading), heading["id"]))
    return article


def plain(heading: Tag) -> str:
    """标题的字；公式里的 TeX 不算。"""
    copy = BeautifulSoup(str(heading), "html.parser")
    for source in copy.select("annotation"):
        source.decompose()
    return " ".join(copy.get_text().split())


def unfold(body: Tag):
    """折叠的都打开：“深入”与实验的那一行只是开关，不要；提示与解答的那一行是题目，留着。"""
    for fold in body.find_all("details"):
        said = fold.find("summary", recursive=False)
        fold.name = "div"
        fold.attrs = {"class": ["fold", *fold.get("class", [])]}
        if said and {"deep", "run"} & set(fold["class"]):
            said.decompose()
        elif said:
            said.name, said.attrs = "p", {"class": "fold-title"}


def rename(article: Article, numbers: Iterator[int]):
    """各页的 id 会重名，换成编号；页里用到它的地方跟着换。"""
    for node in article.body.find_all(id=True):
        if not KEPT.match(node["id"]):
            article.anchors[node["id"]] = node["id"] = f"i{next(numbers)}"
    new = article.anchors
    for node in article.body.find_all():
        for name in POINTERS:
            if name in node.attrs:
                ids = node[name] if isinstance(node[name], list) else node[name].split()
                node[name] = " ".join(new.get(each, each) for each in ids)
        for name, value in node.attrs.items():
            if isinstance(value, str) and "url(#" in value:
                node[name] = USED.sub(lambda match: f"url(#{new.get(match[1], match[1])})", value)
            elif name.endswith("href") and node.name == "use" and value[1:] in new:
                node[name] = "#" + new[value[1:]]


def relink(article: Article, others: dict[str, Article], base: str | None):
    """书里的链接指向 PDF 里的那一处；网页独有的，有公开的地址就指向那里，没有就只剩下字。"""
    for link in article.body.select("a[href]"):
        target = urlsplit(link["href"])
        name = re.fullmatch(r"(?:\.\./chapters/)?(\w+)\.html", target.path)
        other = article if not target.path else others.get(name[1]) if name else None
        anchor = unquote(target.fragment)
        if target.scheme in ("http", "https", "mailto"):
            continue
        link.attrs = {"href": link["href"], "class": link.get("class", [])}
        if other and (not anchor or anchor in other.anchors):
            link["href"] = "#" + (other.anchors[anchor] if anchor else other.anchor)
        elif base and (other or target.path):
            link["href"] = (
                f"{base}chapters/{target.path or article.name + '.html'}"
                + f"#{target.fragment}" * bool(anchor)
            )
        else:
            link.unwrap()


def tell_where(article: Article, base: str | None, convert: Callable[[str], str]):
    """照片下面写明：能动手的那一个在哪里。"""
    where = f"{base or ''}chapters/{article.name}.html"
    for figure in article.body.select("figure.photograph"):
        words = (
            f"这是照片；可以动手的在网页里：{where}"
            if base
            else f"这是照片；可以动手的在成书的网页 {where} 里"
        )
        note = BeautifulSoup("<figcaption></figcaption>", "html.parser").figcaption
        note.string = convert(words)
        figure.append(note)
