"""三层：准备用的代码与断言收成图下面的一行，“深入”的小节只露出标题与头一句，练习只露出一行，其余点开才看；印出来、被指到、被搜到时都展开。"""

import ast
import re

from docutils import nodes

from course_book.doctree.traditional_chinese import in_book_language

DEEP = "深入："
EXERCISES = "练习"


class Fold(nodes.General, nodes.Element):
    """网页里的 `<details>`：summary 是一直看得见的那一行，展开之后可以换成 opened。"""


def visit_fold(self, node):
    self.body.append(self.starttag(node, "details", **node.get("html", {})))
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


def is_cell(node) -> bool:
    return isinstance(node, nodes.container) and node.get("nb_element") == "cell_code"


def is_deep(node) -> bool:
    """一节“深入”。"""
    return isinstance(node, nodes.section) and node[0].astext().startswith(DEEP)


def folded_claims(cell) -> Fold:
    code = next(cell.findall(nodes.literal_block)).astext()
    summary = in_book_language(f"✓ {count_asserts(code)} 条断言")
    return Fold("", *cell.children, summary=summary, classes=["claims"])


def line_of(cell) -> nodes.container:
    """一格最下面的一行，没有就添上。"""
    if not (cell.children and "meta" in cell[-1]["classes"]):
        cell += nodes.container(classes=["meta"])
    return cell[-1]


def fold_code(app, doctree):
    """代码与断言收进它下面的一行；除了这一行什么也不剩的格，并进前面那一格，前面不是格就并进后面的。"""
    own = {}
    for cell in list(doctree.findall(is_cell)):
        # 只有进度条的输出已经拿掉，剩个空的
        source, *seen = [part for part in cell.children if part.children]
        if "tag_claims" in cell["classes"]:
            fold, seen = folded_claims(cell), []
        elif cell.get("hide_mode") == "input" and source["nb_element"] == "cell_code_source":
            del cell["hide_mode"]
            fold = Fold("", source, summary=in_book_language("代码"), classes=["code"])
        else:
            continue
        cell.children = seen
        line_of(cell).append(fold)
        own[cell] = fold
    for cell, fold in own.items():
        before, after = cell.previous_sibling(), cell.next_node(descend=False, siblings=True)
        other = before if is_cell(before) else after
        if not is_cell(other) or [part["classes"] for part in cell.children] != [["meta"]]:
            continue
        fold["ids"] += cell["ids"]
        line, moved = line_of(other), cell[0].children
        line.children = [*line.children, *moved] if other is before else [*moved, *line.children]
        for each in moved:
            each.parent = line
        cell.parent.remove(cell)
    for line in [each for each in doctree.findall(nodes.container) if each["classes"] == ["meta"]]:
        join_code(line)


def join_code(line):
    """挨着的几格代码共用一个“代码”。"""
    kept = []
    for fold in line.children:
        if kept and kept[-1]["classes"] == fold["classes"] == ["code"]:
            kept[-1] += nodes.container("", *fold.children, ids=fold["ids"])  # 指到哪一格，仍到那一格
        else:
            kept.append(fold)
    line.children = kept


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
    for section in doctree.findall(is_deep):
        title, *body = section.children
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


def opens_exercise(node) -> bool:
    """一段，以黑体的题目与句号开头。"""
    first = next((each for each in node.children if each.astext()), None)
    return isinstance(first, nodes.strong) and node.astext().startswith(f"{first.astext()}。")


def fold_exercises(app, doctree):
    """一道练习露出一行：题目与头几个字；同一时候只开着一道，先开头一道。"""
    words = {"summary": in_book_language("展开"), "opened": in_book_language("收起")}
    titles = [each for each in doctree.findall(nodes.title) if each.astext() == in_book_language(EXERCISES)]
    for title in titles:
        section, fold = title.parent, None
        for child in section.children[:]:
            if opens_exercise(child):
                html = {"name": "exercise"} if fold else {"name": "exercise", "open": "open"}
                fold = Fold(classes=["deep"], html=html, **words)
                task = nodes.container(classes=["task"])
                child.replace_self(task)
                task += [child, fold]
            elif fold:
                section.remove(child)
                fold += child


def setup(app):
    app.add_node(Fold, html=(visit_fold, depart_fold))
    app.connect("doctree-read", fold_code, priority=600)  # 勘误实验室先取走了出题的代码
    app.connect("doctree-read", fold_exercises, priority=700)  # 格先各有各的一行
    app.connect("doctree-read", fold_deep, priority=400)  # 句间的换行还在，认得出一句
