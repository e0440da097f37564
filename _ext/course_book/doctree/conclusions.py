"""各章小结里的话，连同讲它的那一节：《复习》拿来出题，《本书的结论》把它们按章排在一起。

小结的每一条以一个链接收尾，写作 `[→ 节的标题](#节的标题)`，指到讲它的那一节。
"""

from typing import NamedTuple

from docutils import nodes
from sphinx import addnodes
from sphinx.util.docutils import SphinxDirective

from course_book import ROOT
from course_book.before_reading.contents import FOLDER, Page, chapters
from course_book.doctree.traditional_chinese import in_book_language

SUMMARY = "小结"
ARROW = "→"


class Conclusion(NamedTuple):
    """小结里的一条。"""

    page: Page
    number: int  # 第几条
    said: nodes.paragraph  # 不带收尾的链接
    place: str  # 讲它的那一节：页与锚
    title: list[nodes.Node]  # 那一节的标题

    def link(self, app, docname: str) -> nodes.reference:
        docs, anchor = self.place.split("#")
        uri = f"{app.builder.get_relative_uri(docname, docs)}#{anchor}"
        return nodes.reference("", "", *self.title, internal=True, refuri=uri)


class ConclusionList(nodes.General, nodes.Element):
    """全部结论，读完各章才排得出来。"""


class ListConclusions(SphinxDirective):
    """`{conclusions}`：没有参数。"""

    def run(self):
        depend_on_chapters(self.env)
        return [ConclusionList()]


def depend_on_chapters(env):
    for path in (ROOT / FOLDER).glob("*.ipynb"):  # 章一变，这一页重写
        env.note_dependency(str(path))


def bare(node):
    """离开原处的一份：里面的链接只留下字，锚留在原处。"""
    copy = node.deepcopy()
    for link in list(copy.findall(lambda each: isinstance(each, (addnodes.pending_xref, nodes.reference)))):
        link.replace_self([nodes.Text(link.astext())])
    for each in copy.findall(nodes.Element):
        each["ids"] = []
    return copy


def section_named(doctree, name: str):
    return next((section for section in doctree.findall(nodes.section) if name in section["ids"]), None)


def conclusions(page: Page, doctree) -> list[Conclusion]:
    """一章小结里的各条。"""
    found = []
    for number, item in enumerate(section_named(doctree, SUMMARY).findall(nodes.list_item), start=1):
        said = item[0].deepcopy()
        link = next(each for each in said.findall(nodes.reference) if each.astext().startswith(ARROW))
        link.parent.remove(link)
        shown = section_named(doctree, link["refid"])
        title = [child.deepcopy() for child in shown[0].children]
        found.append(Conclusion(page, number, bare(said), f"{FOLDER}/{page.name}#{shown['ids'][0]}", title))
    return found


def arrange(app, doctree, docname):
    for place in list(doctree.findall(ConclusionList)):
        whole = nodes.container(classes=["conclusions"])
        for page in chapters():
            name = f"{FOLDER}/{page.name}"
            if name not in app.env.found_docs:  # 改书的人只成了几页
                continue
            title = f"{page.number}　{app.env.titles[name].astext()}"
            link = nodes.reference(
                "", title, internal=True, refuri=app.builder.get_relative_uri(docname, name)
            )
            every = nodes.bullet_list()
            for each in conclusions(page, app.env.get_doctree(name)):
                each.said.extend([nodes.Text(f" {ARROW} "), each.link(app, docname)])
                every += nodes.list_item("", each.said)
            question = nodes.paragraph("", in_book_language(page.question), classes=["asked"])
            whole += [nodes.rubric("", "", link), question, every]
        place.replace_self(whole)


def setup(app):
    app.add_node(ConclusionList)
    app.add_directive("conclusions", ListConclusions)
    app.connect("doctree-resolved", arrange)
