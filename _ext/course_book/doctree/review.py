"""《复习》一页：各章小结里的话是真的，勘误实验室里的说法是假的；题目都从那里来，这里不另写一句。

没有脚本时是一份按部分排好的清单，答案折叠着；有脚本时由 review.js 从清单里抽题。
"""

import re
from typing import NamedTuple

from docutils import nodes
from sphinx import addnodes
from sphinx.util.docutils import SphinxDirective

from course_book.before_reading.contents import FOLDER, Page, chapters
from course_book.doctree.conclusions import bare, conclusions, depend_on_chapters
from course_book.doctree.errata_lab import CODE, KINDS, begins, claim_of, is_cell
from course_book.doctree.folds import Fold
from course_book.doctree.traditional_chinese import in_book_language

LAB = f"{FOLDER}/errata"
# 指着前一句的，或者话没有说完的，离开小结就读不懂
LEANING = re.compile("[那这這]|.*：$", re.DOTALL)
# 有脚本才用得上，没有时不出现
STAGE = """<div class="review" hidden>
<div class="review-choose">
<label>范围 <select><option value="">全书</option>{parts}</select></label>
<label><input type="checkbox"> 只看错过的 <b>0</b> 题</label>
</div>
<ol class="review-steps" aria-label="这一轮"></ol>
<div class="review-card">
<div class="review-question" tabindex="-1"></div>
<p class="review-buttons">
<button type="button" value="true">真的</button>
<button type="button" value="false">假的</button>
<button type="button" class="review-next">接着</button>
<button type="button" class="review-again">再来一轮</button>
</p>
<div class="review-answer" aria-live="polite"></div>
</div>
<template>
<p class="right">✓ 答对了</p>
<p class="wrong">✗ 没答对</p>
<p class="score">答对 <b></b> 题，共 <b></b> 题。没答对的记在这个浏览器里，勾上“只看错过的”，就只考它们；再考时答对了，才不再记着。</p>
<p class="none">这里没有错过的题。</p>
</template>
</div>"""


class TrueOrFalse(nodes.General, nodes.Element):
    """全部题目的清单，读完各章才排得出来。"""


class TrueOrFalseList(SphinxDirective):
    """`{true-or-false}`：没有参数。"""

    def run(self):
        depend_on_chapters(self.env)
        return [TrueOrFalse()]


class Question(NamedTuple):
    name: str  # 两本书相同；错过没有照它来记
    page: Page  # 属于哪一章
    true: bool
    statement: nodes.paragraph
    why: list[nodes.Node]
    place: str  # 讲它的那一处：页与锚
    place_title: list[nodes.Node]


def without_label(paragraph, *labels: str) -> nodes.paragraph:
    """去掉开头的“**误解**：”之类。"""
    copy = bare(paragraph)
    if any(begins(copy, label) for label in labels):
        place = next(place for place, node in enumerate(copy.children) if isinstance(node, nodes.strong))
        rest = copy[place + 1]
        copy.children[: place + 2] = [nodes.Text(rest.removeprefix("："))]
    return copy


def truths(page: Page, doctree) -> list[Question]:
    """一章小结里的各条。"""
    return [
        Question(f"{page.lasting_name}-{each.number}", page, True, each.said, [], each.place, each.title)
        for each in conclusions(page, doctree)
        if not LEANING.match(each.said.astext())
    ]


def chapter_of(topic) -> Page:
    """勘误的一节属于哪一章：它头一个指到的那一章。"""
    linked = [link["reftarget"] for link in topic.findall(addnodes.pending_xref)]
    return next(page for target in linked for page in chapters() if target == f"{FOLDER}/{page.name}")


def falsehoods(lab) -> list[Question]:
    found = []
    for section in lab.findall(nodes.section):
        code = CODE.match(section[0].astext())
        if not code:
            continue
        told = next(node for node in section.children if "answer" in node["classes"])
        why = [bare(node) for node in told.children if not is_cell(node)]
        name = code[0].strip()
        found.append(
            Question(
                name.lower(),
                chapter_of(section.parent),
                False,
                without_label(claim_of(section), *KINDS),
                [without_label(why[0], "应当说"), *why[1:]],
                f"{LAB}#{section['ids'][0]}",
                [nodes.Text(in_book_language(f"勘误实验室 {name}"))],
            )
        )
    return found


def questions(env) -> list[Question]:
    """全部题目，按章的次序；改书的人只成了几页时，只有这几页的。"""
    pages = [page for page in chapters() if f"{FOLDER}/{page.name}" in env.found_docs]
    found = [each for page in pages for each in truths(page, env.get_doctree(f"{FOLDER}/{page.name}"))]
    if LAB in env.found_docs:
        found += falsehoods(env.get_doctree(LAB))
    return sorted(found, key=lambda each: each.page.number)


def paragraph(kind: str, *children) -> nodes.paragraph:
    return nodes.paragraph("", "", *children, classes=[kind])


def item(app, docname: str, question: Question) -> nodes.list_item:
    docs, anchor = question.place.split("#")
    uri = f"{app.builder.get_relative_uri(docname, docs)}#{anchor}"
    link = nodes.reference("", "", *question.place_title, internal=True, refuri=uri)
    about = in_book_language(f"第 {question.page.number} 章 · {question.page.question}")
    answer = Fold(classes=["review-fold"], summary=in_book_language("真的还是假的？"))
    answer += paragraph("verdict", nodes.Text(in_book_language("真的。" if question.true else "假的。")))
    answer += question.why
    answer += paragraph("place", nodes.Text(in_book_language("看它是怎样得来的：")), link)
    kind = "true" if question.true else "false"
    made = nodes.list_item(classes=["question", kind], ids=[f"question-{question.name}"])
    question.statement["classes"].append("statement")
    made += [paragraph("about", nodes.Text(about)), question.statement, answer]
    return made


def arrange(app, doctree, docname):
    for place in list(doctree.findall(TrueOrFalse)):
        asked = questions(app.env)
        parts = list(dict.fromkeys(each.page.part for each in asked))
        whole = nodes.container(classes=["review-list"])
        for part in parts:
            group = nodes.container(classes=["review-part"])
            group += nodes.rubric("", in_book_language(part))
            every = nodes.bullet_list()
            every += [item(app, docname, each) for each in asked if each.page.part == part]
            group += every
            whole += group
        options = "".join(f"<option>{part}</option>" for part in parts)
        stage = in_book_language(STAGE.format(parts=options))
        place.replace_self([nodes.raw("", stage, format="html"), whole])


def style(app, pagename, templatename, context, doctree):
    if doctree and pagename.rpartition("/")[2] == "review":
        app.add_css_file("review.css")
        app.add_js_file("review.js", defer="defer")


def setup(app):
    app.add_node(TrueOrFalse)
    app.add_directive("true-or-false", TrueOrFalseList)
    app.connect("doctree-resolved", arrange)
    app.connect("html-page-context", style)
