"""三层：断言收成一行，“深入”的小节只露出标题与头一句，其余点开才看；印出来、被指到、被搜到时都展开。"""

import ast
import re

from docutils import nodes

from course_book.doctree.traditional_chinese import in_book_language
from tools.notebook_form import CLAIMS_TITLE

DEEP = "深入："


class Fold(nodes.General, nodes.Element):
    """网页里的 `<details>`：summary 是一直看得见的那一行，展开之后可以换成 opened。"""


def visit_fold(self, node):
    self.body.append(self.starttag(node, "details"))
    said = self.encode(node["summary"])
    if "opened" in node:
        said = f"<span>{said}</span><span>{self.encode(node['opened'])}</span>"
    self.body.append(f"<summary>{said}</summary>\n")


def depart_fold(self, node):
    self.body.append("</details>\n")


def count_asserts(code: str) -> int:
    """代码里有几条断言：assert 语句，与 assert_close 之类的调用。"""
    return sum(
        isinstance(node, ast.Assert)
        or (
            isinstance(node, ast.Call)
            and getattr(node.func, "attr", getattr(node.func, "id", "")).startswith("assert_")
        )
        for node in ast.walk(ast.parse(code))
    )


def fold_claims(app, doctree):
    for cell in [cell for cell in doctree.findall(nodes.container) if "tag_claims" in cell["classes"]]:
        code = next(cell.findall(nodes.literal_block))
        first, _, rest = code.astext().partition("\n")
        if first == in_book_language(CLAIMS_TITLE):
            code.children, code.rawsource = [nodes.Text(rest)], rest
        count = count_asserts(code.astext())
        fold = Fold(summary=in_book_language(f"✓ {count} 条断言，运行时都成立"), classes=["claims"])
        fold += cell.children
        cell.children = []
        cell += fold


def split_first_sentence(paragraph):
    """一段的头一句留下，其余移到另一段；只有一句就没有另一段。"""
    for place, child in enumerate(paragraph.children):
        end = re.search("[。？！]", child) if isinstance(child, nodes.Text) else None
        if end:
            head, tail = child[: end.end()], child[end.end() :]
            later = [nodes.Text(tail.lstrip("\n"))] * bool(tail.strip()) + paragraph.children[place + 1 :]
            paragraph.children = paragraph.children[:place]
            paragraph += nodes.Text(head)
            return [nodes.paragraph("", "", *later)] if any(node.astext().strip() for node in later) else []
    return []


def fold_deep(app, doctree):
    for section in doctree.findall(nodes.section):
        title, *body = section.children
        if not title.astext().startswith(DEEP):
            continue
        section["classes"].append("deep")
        shown = []
        if body and isinstance(body[0], nodes.paragraph):
            lead = body.pop(0)
            body = split_first_sentence(lead) + body
            shown = [lead]
        words = {"summary": in_book_language("展开"), "opened": in_book_language("收起")}
        fold = Fold(classes=["deep"], **words)
        fold += body
        section.children = []
        section += [title, *shown, fold]


def setup(app):
    app.add_node(Fold, html=(visit_fold, depart_fold))
    app.connect("doctree-read", fold_claims)
    app.connect("doctree-read", fold_deep, priority=400)  # 句间的换行还在，认得出一句
