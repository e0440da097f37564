"""开场的一格不占第一屏：网页里看不见它，它报出的版本、设备与种子写在页尾。笔记本里照旧。"""

from docutils import nodes

from course_book.doctree.folds import is_cell


def move_to_the_foot(app, doctree):
    for cell in list(doctree.findall(is_cell)):
        if "setup" in cell["ids"]:
            said = cell.children[-1].astext().strip()
            cell.parent.remove(cell)
            doctree[0] += nodes.paragraph("", said, classes=["ran-with"], ids=["setup"])


def setup(app):
    app.connect("doctree-read", move_to_the_foot, priority=600)  # 各格有了名字之后，收起代码之前
