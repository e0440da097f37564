"""中文全文检索：索引里放各节的原文，由 search.js 去找、去排先后。

Sphinx 自己的索引只记哪一页有哪个词，不记几次、在哪一节：分不出讲它的一章和提到它的一章。
有了原文，摘要也不必再去取别的网页，从 file:// 打开时同样有。
"""

import csv
import json
import re
import unicodedata
from pathlib import Path

from bs4 import BeautifulSoup
from sphinx.search import SearchLanguage, js_index

from course_book.doctree.traditional_chinese import in_book_language
from course_book.kept import kept, kept_folder

SCRIPT = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")
# 读者会说、书里却另有说法的词
WORDS = Path(__file__).with_name("search_words.csv")

# 图、独立成行的公式与打印出来的数，读不成句子；图下面折着的代码与断言也是，还占去索引的三成；首页的卡片与路线、勘误的索引只是目录，复习的题都是别处的话
UNREADABLE = (
    "svg, script, style, a.headerlink, figure.attention, nav, div.cards, "
    ".errata-index, .review, .review-list, "
    "div.math, div.meta, div.output.stream, div.output.text_plain"
)
HEADING = re.compile(r"h[1-6]")
ARTICLE = re.compile(r"<article\b.*</article>", re.S)

FRACTION = re.compile(r"\\d?frac\s*(\{[^{}]*\}|\w)\s*(\{[^{}]*\}|\\?\w+)")
COMMAND = re.compile(r"\\([A-Za-z]+)\s*|\\.|[{}$]")
SYMBOLS = {
    **{"sqrt": "√", "times": "×", "cdot": "·", "odot": "⊙", "sum": "Σ", "partial": "∂", "infty": "∞"},
    **{"approx": "≈", "in": "∈", "to": "→", "ge": "≥", "le": "≤", "ne": "≠", "top": "⊤"},
    **{"varepsilon": "ε", "ell": "ℓ", "dots": "…"},
}
FUNCTIONS = {"sin", "cos", "tanh", "ln", "log", "exp", "max", "min"}


def plain_formula(latex: str) -> str:
    r"""行内公式的近似写法：`\sqrt{d_k}` 成为 √d_k，能读，也能搜。"""

    def symbol(command):
        name = command[1] or ""
        letter = f"GREEK {'CAPITAL' if name.istitle() else 'SMALL'} LETTER {name.upper()}"
        try:
            return SYMBOLS.get(name) or unicodedata.lookup(letter)
        except KeyError:
            return name if name in FUNCTIONS else ""

    return COMMAND.sub(symbol, FRACTION.sub(r"\1/\2", latex)).strip()


def plain_text(text: str) -> str:
    lines = (re.sub(r"\s+", " ", line).strip() for line in text.split("\n"))
    return "\n".join(line for line in lines if line)


def sections(page: str) -> list[list[str]]:
    """网页里的每一节：它的 id、标题与原文（不含下级的节）；一段、一行代码或表格的一行各占一行。"""
    article = BeautifulSoup(page, "html.parser").article
    for node in article.select(UNREADABLE):
        node.decompose()
    for formula in article.select("math"):
        formula.replace_with(plain_formula(formula.annotation.get_text()))
    for cell in article.select(":is(td, th) + :is(td, th)"):
        cell.insert_before(" · ")
    for row in article.select("tr"):
        row.string = row.get_text().replace("\n", "")
    for block in article.select("p, li, tr, dt, dd, pre, figcaption, br"):
        block.insert_after("\n")
    found = []
    # 从后往前，取走一节时它下级的都已取走
    for section in reversed(article.select("section[id]")):
        title = section.find(HEADING, recursive=False).extract()
        found.append([section["id"], plain_text(title.get_text()), plain_text(section.extract().get_text())])
    return found[::-1]


def kept_sections(app, name: str) -> list[list[str]]:
    """一页的正文没有变，就不再拆开来看：别的页改了名，侧栏与页脚变了也不必。"""
    page = ARTICLE.search(Path(app.builder.get_outfilename(name)).read_text(encoding="utf-8"))[0]
    return kept(kept_folder(app), f"search/{name}", page, lambda: sections(page))


def same_words(glossary: list[list[str]]) -> list[list[str]]:
    """术语表的每一行里说同一件事的各种写法；一行里有两个术语的不要。"""
    rows = [line.split(" · ") for _, _, text in glossary for line in text.split("\n")]
    rows = [[*row[:3], *row[4:]] for row in rows if len(row) > 3 and "、" not in row[0]]
    words = [re.split("[、，（）]|, ", "，".join(row).lower()) for row in rows]
    return [sorted({word for word in row if word}) for row in words]


def readers_words() -> list[list[str]]:
    """长的在前：“注意力怎么计算”先于“注意力”。"""
    with WORDS.open(encoding="utf-8") as table:
        rows = [[in_book_language(word).lower() for word in row] for row in list(csv.reader(table))[1:]]
    return sorted(rows, key=lambda row: -len(row[0]))


class ChineseSearch(SearchLanguage):
    lang = "zh"
    language_name = "Chinese"
    js_splitter_code = in_book_language(SCRIPT)


def put_texts_in_index(app, exception):
    path = Path(app.outdir, "searchindex.js")
    if exception or not path.is_file():
        return
    index = js_index.loads(path.read_text(encoding="utf-8"))
    # 下次构建时 Sphinx 要读这些键，检索不用它们
    index |= {key: {} for key in ("alltitles", "indexentries", "objects", "terms", "titleterms")}
    index["sections"] = [kept_sections(app, name) for name in index["docnames"]]
    pages = dict(zip(index["docnames"], index["sections"], strict=True))
    index["same_words"] = same_words(next((pages[name] for name in pages if name.endswith("glossary")), []))
    index["readers_words"] = readers_words()
    text = json.dumps(index, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    path.write_text(f"Search.setIndex({text})", encoding="utf-8")


def setup(app):
    app.add_search_language(ChineseSearch)
    app.connect("build-finished", put_texts_in_index)
