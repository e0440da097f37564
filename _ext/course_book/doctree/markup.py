"""写成 HTML 之前改好的几处：句间不留空隙，初次出现的术语不排成斜体，重复的 D3 合成一份，视图快看到时才载入，妨碍读屏软件的标记不写出来。"""

import hashlib
import html
import json
import re
from pathlib import Path

from docutils import nodes

from course_book.before_reading.local_files import D3
from course_book.doctree.traditional_chinese import in_book_language

HAN = re.compile("[\u4e00-\u9fff]")
BRIEF = 16  # 一格里至多这样多的字，公式按源码数
SAID_BY_ITSELF = ("繁體", "English", "形状", "意思", "一句话", "是什么")
FULL_WIDTH = set("，。；：？！、）”」》…")
# course_lib.show.frames 的输出是转义过的 srcdoc
INLINE_D3 = re.compile(r"&lt;script data-library=&quot;d3&quot;&gt;.*?&lt;/script&gt;", re.DOTALL)
FRAME = re.compile(r'<iframe title="([^"]*)" loading="lazy" srcdoc="([^"]*)"')
WAITING = (
    '<!doctype html><meta charset="utf-8"><style>body { margin: 0; padding: 1rem; color: #5f6b76; '
    "font: 15px/1.7 system-ui, sans-serif }</style><p>%s<br>这里要有脚本才能画出来，快看到时才载入。"
)


class Cell(nodes.entry):
    """自己写标签的一格：表头里没有字的不是表头；叠成几行的表里，格子带着它那一栏的名字。"""


def join_lines(app, doctree):
    """源文件里一句一行；换行在网页里会成为空格，全角标点之后不该有它。"""
    for block in doctree.findall(nodes.TextElement):
        kept = []
        for child in block.children:
            if not (child == "\n" and kept and kept[-1].astext()[-1:] in FULL_WIDTH):
                kept.append(child)
        block.children = kept


def mark_terms(app, doctree):
    """`*术语*` 在西文里是斜体，汉字没有斜体：记下来，由样式另给它一个样子。"""
    for emphasis in doctree.findall(nodes.emphasis):
        if HAN.search(emphasis.astext()):
            emphasis["classes"].append("term")


def share_d3(app, doctree, docname):
    link = f"&lt;script src=&quot;{'../' * docname.count('/')}_static/{D3}&quot;&gt;&lt;/script&gt;"
    for raw in doctree.findall(nodes.raw):
        if INLINE_D3.search(raw.astext()):
            raw.children = [nodes.Text(INLINE_D3.sub(link, raw.astext()))]
            raw.rawsource = ""


def load_views_later(app, doctree, docname):
    """一个视图有几十 KB：各成一个脚本，由 book.js 在快看到时载入；在那以前，框里写着它是什么。

    不用 `src`：从 file:// 打开时，框里的网页就不能随内容改框的高度了。
    """
    for raw in doctree.findall(nodes.raw):
        if app.builder.name == "html" and FRAME.search(raw.astext()):
            raw.children = [
                nodes.Text(FRAME.sub(lambda frame: _later(app, docname, *frame.groups()), raw.astext()))
            ]
            raw.rawsource = ""


def _later(app, docname, title, source):
    page = json.dumps(html.unescape(source), ensure_ascii=False)
    name = hashlib.sha256(page.encode()).hexdigest()[:16] + ".js"
    folder = Path(app.outdir, "_static", "views")
    folder.mkdir(parents=True, exist_ok=True)
    script = f"for (const frame of document.querySelectorAll('iframe[data-view$=\"{name}\"]')) frame.srcdoc = {page};\n"
    (folder / name).write_text(script, encoding="utf-8")
    waiting = html.escape(in_book_language(WAITING) % title)
    place = "../" * docname.count("/") + f"_static/views/{name}"
    return f'<iframe title="{title}" data-view="{place}" srcdoc="{waiting}"'


def mark_symbol_tables(app, doctree):
    """“符号、形状、意思”的表（“编号、说法、应当说”，“勘误、说法、在哪里”也是）：窄屏上一条两行，由样式来排；格子里都是短语的表，窄屏上排得下，也记下来。"""
    for table in doctree.findall(nodes.table):
        names = [entry.astext() for entry in next(table.findall(nodes.row))]
        if len(names) == 3 and names[0] in map(in_book_language, ("符号", "编号", "勘误")):
            table["classes"].append("symbols")
        elif max(len(entry.astext()) for entry in table.findall(nodes.entry)) <= BRIEF:
            table["classes"].append("brief")


def mark_blank_headings(app, doctree):
    for head in doctree.findall(nodes.thead):
        for entry in [entry for entry in head.findall(nodes.entry) if not entry.astext()]:
            entry.replace_self(Cell())


def label_stacked_cells(app, doctree):
    """栏多的表，窄屏上一行叠成几行：名字与意思不用说，其余的格子带着自己那一栏的名字。"""
    plain = set(map(in_book_language, SAID_BY_ITSELF))
    for table in [table for table in doctree.findall(nodes.table) if "stacked" in table["classes"]]:
        head, *rows = table.findall(nodes.row)
        names = [entry.astext() for entry in head]
        for row in rows:
            for name, entry in list(zip(names, row, strict=True))[1:]:
                if name not in plain:
                    children = entry.children if entry.astext() else []
                    entry.replace_self(Cell("", *children, label=name, classes=entry["classes"]))


def visit_cell(self, node):
    node.parent.column += 1
    label = {"data-label": node["label"]} if "label" in node else {}
    self.body.append(self.starttag(node, "td", "", **label))


def depart_cell(self, node):
    self.body.append("</td>\n")


def visit_citation(self, node):
    """与 docutils 写的只差两个已废弃的 role。"""
    if not isinstance(node.previous_sibling(), nodes.citation):
        self.body.append('<div class="citation-list">\n')
    self.body.append(self.starttag(node, "div", classes=["citation"]))


def setup(app):
    app.add_node(Cell, html=(visit_cell, depart_cell))
    app.add_node(nodes.citation, override=True, html=(visit_citation, None))
    app.connect("doctree-read", join_lines)
    app.connect("doctree-read", mark_terms)
    app.connect("doctree-read", mark_symbol_tables)
    app.connect("doctree-read", mark_blank_headings)
    app.connect("doctree-read", label_stacked_cells)
    app.connect("doctree-resolved", share_d3)
    app.connect("doctree-resolved", load_views_later)  # 在 share_d3 之后
