"""图的号码：有说明的图与表依次编号，说明前面写上“图 4-3”，深入里的另数，写“图 4-A”；行文里 `[上图](#格的名字)` 这样的链接，在书里写的是号码。"""

import re
from collections import Counter
from pathlib import PurePosixPath

from docutils import nodes
from sphinx import addnodes

from course_book import ROOT
from course_book.before_reading.contents import pages
from course_book.doctree.folds import is_cell, is_deep
from course_book.doctree.traditional_chinese import in_book_language

# 可以动手的图、代码画的图、插图，与表
KINDS = {"figcaption": "图", "caption": "表"}
CAPTION = re.compile(f"<({'|'.join(KINDS)})>")


def number_figures(app, doctree):
    """不是一章的页，号码里没有章号，只有“图 3”。"""
    name = PurePosixPath(app.env.docname).name
    chapter = next((page.number for page in pages() if page.name == name), None)
    app.env.note_dependency(str(ROOT / "_toc.yml"))  # 换了次序，号码也换
    counts, numbers = Counter(), {}
    for cell in doctree.findall(is_cell):
        deep = is_folded(cell)  # 不点开就看不见：正文的号码里不能因它缺一个
        for raw in cell.findall(nodes.raw):
            before, *rest = CAPTION.split(raw.astext())
            for kind, after in zip(rest[::2], rest[1::2], strict=True):
                count = chr(ord("A") + counts[kind, deep]) if deep else counts[kind, deep] + 1
                counts[kind, deep] += 1
                count = f"{chapter}-{count}" if chapter else count
                said = in_book_language(f"{KINDS[kind]} {count}")
                numbers |= {id: said for id in cell["ids"] if id not in numbers}
                before += f'<{kind}><b class="figure-number">{said}　</b>{after}'
            if rest:
                raw.children, raw.rawsource = [nodes.Text(before)], ""
    cite(doctree, numbers)


def is_folded(node) -> bool:
    """在一节“深入”里面。"""
    return node is not None and (is_deep(node) or is_folded(node.parent))


def cite(doctree, numbers: dict[str, str]):
    """指到一格的链接，格里是有号码的图，就写号码；笔记本里还是章里写的话。"""
    for link in list(doctree.findall(addnodes.pending_xref)):
        target = link["reftarget"]
        if target in numbers:
            link.replace_self(nodes.reference("", numbers[target], internal=True, refid=target))


def setup(app):
    app.connect("doctree-read", number_figures, priority=550)  # 各格有了名字之后，收起代码之前
