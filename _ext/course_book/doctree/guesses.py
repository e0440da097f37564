"""先猜再看：猜一猜后面，到头一幅图为止，网页里隔着一层雾，猜过、按了“先不猜”或者点一点雾才看得清（样式与脚本在 book.css、book.js）。

没有脚本时、印出来时、在笔记本里，照原来的次序。勘误实验室另有一套（errata_lab）。
"""

from docutils import nodes

from course_book.doctree.folds import is_cell
from course_book.doctree.traditional_chinese import in_book_language

BUTTON = '<p class="tell"><button type="button">先不猜，直接看</button></p>'


def has(cell, text) -> bool:
    return is_cell(cell) and any(text in raw.astext() for raw in cell.findall(nodes.raw))


def answers(cell) -> list:
    """一处猜一猜的答案：后面、同一小节里，到头一幅图为止；没有图，就只是紧接着的一段。"""
    found = []
    while (cell := cell.next_node(descend=False, siblings=True)) is not None:
        if isinstance(cell, nodes.section) or has(cell, '<div class="guess"'):
            break
        found.append(cell)
        if has(cell, "<figure"):
            return found
    return found[:1]


def cover_answers(app, doctree):
    if app.env.docname.rpartition("/")[2] == "errata":
        return
    for cell in [each for each in doctree.findall(is_cell) if has(each, '<div class="guess"')]:
        if covered := answers(cell):
            cell["classes"].append("asks")
            cell.insert(
                len(cell) - ("meta" in cell[-1]["classes"]),
                nodes.raw("", in_book_language(BUTTON), format="html"),
            )
        for part in covered:
            part["classes"].append("veiled")


def setup(app):
    app.connect("doctree-read", cover_answers, priority=650)  # 折好了代码之后
