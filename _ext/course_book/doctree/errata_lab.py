"""勘误实验室的网页：每一条先猜，运行收成一行，猜过才露出应当怎样说；开头的索引由各条的标题得来。

笔记本里没有索引，也不折叠：那里有目录，代码要读者自己运行。
"""

import re

from docutils import nodes

from course_book.doctree.folds import Fold, is_cell
from course_book.doctree.traditional_chinese import in_book_language

CODE = re.compile(r"(S\d|L)-\d+ ")
# 每一条开头的两个字：意思想错了，用法想错了，写错了
KINDS = ("误解", "接口", "笔误")
# 表头的头一格是它的，是讲义的表
TABLE = "编号"
# 有脚本才用得上，没有时不出现
CONTROLS = """<div class="errata-controls" hidden>
<label>哪一种 <select><option value="">全部</option>{kinds}</select></label>
<label>出处 <select><option value="">全部</option>{lessons}</select></label>
<p aria-live="polite">已猜 <b>0</b> / <b>{count}</b>，猜中 <b>0</b></p>
<button type="button">从头再猜</button>
</div>"""


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


def claim_of(section) -> nodes.paragraph:
    return next(node for node in section.children if isinstance(node, nodes.paragraph))


def kind_of(section) -> str:
    """这一条是 KINDS 里的第几种，写成索引里的类名。"""
    return f"kind-{next(i for i, kind in enumerate(KINDS) if begins(claim_of(section), kind))}"


def words_of(title) -> list:
    """标题去掉编号；公式与行内代码照原样。"""
    first, *rest = (child.deepcopy() for child in title.children)
    return [nodes.Text(CODE.sub("", first.astext())), *rest]


def tile(section) -> nodes.list_item:
    """一条在索引里：看得见的是编号，读屏软件与没有脚本时读得到标题。"""
    code = nodes.strong("", CODE.match(section[0].astext())[0].strip())
    words = nodes.inline("", " ", *words_of(section[0]))
    link = nodes.reference("", "", code, words, internal=True, refid=section["ids"][0])
    return nodes.list_item("", nodes.paragraph("", "", link), classes=[kind_of(section)])


def index(sections) -> nodes.bullet_list:
    """一个题目一组。"""
    whole = nodes.bullet_list(classes=["errata-index"])
    for topic in dict.fromkeys(section.parent for section in sections):
        tiles = [tile(section) for section in sections if section.parent is topic]
        name = nodes.paragraph("", "", *(child.deepcopy() for child in topic[0].children))
        whole += nodes.list_item("", name, nodes.bullet_list("", *tiles))
    return whole


def arrange(app, doctree):
    if app.env.docname.rpartition("/")[2] != "errata":
        return
    every = list(doctree.findall(nodes.section))
    sections = [section for section in every if CODE.match(section[0].astext())]
    lessons = {CODE.match(section[0].astext())[1] for section in sections}
    lessons = sorted(lessons, key=lambda code: (code == "L", code))
    controls = in_book_language(CONTROLS).format(
        lessons="".join(f"<option>{name}</option>" for name in lessons),
        kinds="".join(
            f'<option value="kind-{i}">{in_book_language(kind)}</option>' for i, kind in enumerate(KINDS)
        ),
        count=len(sections),
    )
    found = index(sections)
    for section in sections:
        fold_run(section)
    for table in list(doctree.findall(nodes.table)):
        if next(table.findall(nodes.entry)).astext() == in_book_language(TABLE):
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
