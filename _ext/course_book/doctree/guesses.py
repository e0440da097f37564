"""先猜再看：猜一猜后面、同一小节里的就是它的答案，网页里猜过或者按了“先不猜，往下读”才露出来（样式与脚本在 book.css、book.js）。

没有脚本时、印出来时、在笔记本里，照原来的次序。勘误实验室另有一套（errata_lab）。
"""

from docutils import nodes

from course_book.doctree.folds import is_cell
from course_book.doctree.traditional_chinese import in_book_language

BUTTON = '<p class="tell"><button type="button">先不猜，往下读</button></p>'


def asks(cell) -> bool:
    return any('<div class="guess"' in raw.astext() for raw in cell.findall(nodes.raw))


def cover_answers(app, doctree):
    if app.env.docname.rpartition("/")[2] == "errata":
        return
    for cell in [each for each in doctree.findall(is_cell) if asks(each)]:
        after = cell.next_node(descend=False, siblings=True)
        if after is not None and not isinstance(after, nodes.section):
            cell["classes"].append("asks")
            cell.insert(
                len(cell) - ("meta" in cell[-1]["classes"]),
                nodes.raw("", in_book_language(BUTTON), format="html"),
            )


def setup(app):
    app.connect("doctree-read", cover_answers, priority=650)  # 折好了代码之后
