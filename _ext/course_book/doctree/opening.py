"""一章的开头：粗体的问题连同问号；“读完这一章，你能”与要读几分钟、先读哪几章，收在一个小框里，排在故事之后；要读几分钟写在前面的，也收进来。"""

from docutils import nodes

from course_book.doctree.traditional_chinese import in_book_language


def box_opening(app, doctree):
    if not doctree.children or not isinstance(doctree[0], nodes.section):
        return
    parts = list(doctree[0].children)
    start = next(
        (i for i, node in enumerate(parts) if node.astext().startswith(in_book_language("读完这一章"))), None
    )
    if start is None or not isinstance(parts[start + 1], nodes.bullet_list):
        return
    spent = in_book_language("正文大约")
    able = parts[start : start + 2]
    time = [node for node in parts if isinstance(node, nodes.paragraph) and node.astext().startswith(spent)]
    box = nodes.container("", nodes.container("", *able), *time, classes=["opening"])
    parts[start : start + 2] = [box]
    doctree[0].children = [node for node in parts if node not in time]
    box.parent = doctree[0]


def whole_question(app, doctree):
    """`**问题**？` 的问号也是粗的：写在星号里面，Markdown 不认它是结尾。"""
    for asked in list(doctree.findall(nodes.paragraph)):
        said = [part for part in asked.children if part.astext()]  # 粗体之前，MyST 放一段空的
        bold, marks = said[::2], said[1::2]
        alike = all(isinstance(part, nodes.strong) for part in bold) and len(bold) == len(marks)
        if alike and all(isinstance(mark, nodes.Text) and mark.strip() == "？" for mark in marks):
            for question, mark in zip(bold, marks, strict=True):
                question += nodes.Text("？")
                asked.replace(mark, nodes.Text(mark.replace("？", "")))


def setup(app):
    app.connect("doctree-read", whole_question)
    app.connect("doctree-read", box_opening)
