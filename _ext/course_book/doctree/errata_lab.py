"""勘误实验室的网页：每一条先猜，运行收成一行，猜过才露出应当怎样说；开头的索引由各条的标题得来。

笔记本里没有索引，也不折叠：那里有目录，代码要读者自己运行。
"""

import re

from docutils import nodes

from course_book.doctree.folds import Fold
from course_book.doctree.traditional_chinese import in_book_language

CODE = re.compile(r"(S\d|L)-\d+ ")
HEAD = ("编号", "说法", "题目")
# 有脚本才用得上，没有时不出现
FILTER = """<div class="errata-filter" hidden>
<label>出处 <select data-column="0"><option value="">全部</option>{lessons}</select></label>
<label>题目 <select data-column="2"><option value="">全部</option>{topics}</select></label>
<p aria-live="polite"><b>{count}</b> 条<span hidden>，猜了 <b>0</b> 条，猜中 <b>0</b> 条</span></p>
</div>"""


def is_cell(node) -> bool:
    return isinstance(node, nodes.container) and node.get("nb_element") == "cell_code"


def begins(node, word: str) -> bool:
    words = [child for child in node.children if child.astext()] if isinstance(node, nodes.paragraph) else []
    return bool(words) and isinstance(words[0], nodes.strong) and words[0].astext() == in_book_language(word)


def fold_run(section):
    """第一格是猜一猜；它与“应当说”之间的都是运行。"""
    children = list(section.children)
    asked = next(place for place, node in enumerate(children) if is_cell(node))
    told = next(place for place, node in enumerate(children) if begins(node, "应当说"))
    words = {"summary": in_book_language("运行，看个究竟"), "opened": in_book_language("收起运行")}
    run, answer = Fold(classes=["run"], **words), nodes.container(classes=["answer"])
    run += children[asked + 1 : told]
    answer += children[told:]
    for code in list(children[asked].findall(nodes.container)):  # 出题的代码里写着答案
        if code.get("nb_element") == "cell_code_source":
            code.parent.remove(code)
    section.children = []
    section += [*children[: asked + 1], run, answer]
    section["classes"].append("erratum")


def fold_table(section, table):
    rows = len(list(table.findall(nodes.row))) - 1
    fold = Fold(
        classes=["deep"], summary=in_book_language(f"展开 {rows} 条"), opened=in_book_language("收起")
    )
    section.replace(table, fold)
    fold += table
    section["classes"].append("deep")


def words_of(title) -> list:
    """标题去掉编号；公式与行内代码照原样。"""
    first, *rest = (child.deepcopy() for child in title.children)
    return [nodes.Text(CODE.sub("", first.astext())), *rest]


def row(*columns):
    made = nodes.row()
    for column in columns:
        made += nodes.entry("", nodes.paragraph("", "", *column))
    return made


def index(sections) -> nodes.table:
    table = nodes.table("", classes=["errata-index"])
    group = nodes.tgroup(cols=len(HEAD))
    group += [nodes.colspec(colwidth=width) for width in (12, 64, 24)]
    group += nodes.thead("", row(*([nodes.Text(in_book_language(word))] for word in HEAD)))
    body = nodes.tbody()
    for section in sections:
        link = nodes.reference("", "", *words_of(section[0]), internal=True, refid=section["ids"][0])
        code = nodes.Text(CODE.match(section[0].astext())[0].strip())
        body += row([code], [link], [nodes.Text(section.parent[0].astext())])
    group += body
    table += group
    return table


def options(names) -> str:
    return "".join(f"<option>{name}</option>" for name in dict.fromkeys(names))


def arrange(app, doctree):
    if app.env.docname.rpartition("/")[2] != "errata":
        return
    every = list(doctree.findall(nodes.section))
    sections = [section for section in every if CODE.match(section[0].astext())]
    lessons = {CODE.match(section[0].astext())[1] for section in sections}
    controls = in_book_language(FILTER).format(
        lessons=options(sorted(lessons, key=lambda code: (code == "L", code))),
        topics=options(section.parent[0].astext() for section in sections),
        count=len(sections),
    )
    found = index(sections)
    for section in sections:
        fold_run(section)
    for table in list(doctree.findall(nodes.table)):
        if next(table.findall(nodes.entry)).astext() == in_book_language(HEAD[0]):
            fold_table(table.parent, table)
    top = every[0]
    top.insert(
        next(place for place, node in enumerate(top.children) if is_cell(node)),
        [nodes.raw("", controls, format="html"), found],
    )


def style(app, pagename, templatename, context, doctree):
    if doctree and pagename.rpartition("/")[2] == "errata":
        app.add_css_file("errata.css")
        app.add_js_file("errata.js", defer="defer")


def setup(app):
    app.connect("doctree-read", arrange)
    app.connect("html-page-context", style)
