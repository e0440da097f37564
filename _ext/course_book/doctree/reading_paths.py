"""首页上的几条读法：各读哪几章，约几个小时，由各章自己写的分钟算出。"""

from html import escape
from itertools import groupby

from docutils import nodes
from docutils.parsers.rst import Directive

from course_book.before_reading.contents import Page, chapters
from course_book.doctree.chapter_cards import about, minutes
from course_book.doctree.traditional_chinese import in_book_language

GLANCE = 8  # 只看开头的图与小结，一章几分钟


class Paths(nodes.General, nodes.Element):
    """几条读法；lines 是页上写的几行。"""


class ReadingPaths(Directive):
    """`{reading-paths}`：一行一条，`名字：要读的 | 翻一翻的`，各以顿号分开。

    一章写它不带编号的文件名，一个部分写 _toc.yml 里的名字；冒号后面空着的是全书。
    """

    has_content = True

    def run(self):
        lines = [line for line in self.content if line.strip()]
        try:
            for line in lines:
                parse(line)
        except ValueError as error:
            raise self.error(f"{error}。") from error
        return [Paths(lines=lines)]


def chosen(names: str) -> list[Page]:
    """几个名字说的是哪几章，依书里的次序。"""
    asked = {name.strip() for name in names.split("、")} - {""}
    known = {name for page in chapters() for name in (page.lasting_name, page.part)}
    if asked - known:
        raise ValueError(f"没有这一章，也没有这一部分：{'、'.join(sorted(asked - known))}")
    return [page for page in chapters() if {page.lasting_name, page.part} & asked]


def parse(line: str) -> tuple[str, list[Page], list[Page]]:
    """一条读法：名字，要读的各章，翻一翻的各章。"""
    name, _, names = line.strip().partition("：")
    read, glanced = (chosen(each) for each in names.partition("|")[::2])
    return name, read or chapters(), glanced


def numbers(found: list[Page]) -> str:
    """第几章，相连的三章以上写成一段：“1、2、4–6、8”。"""
    runs = groupby(enumerate(page.number for page in found), key=lambda each: each[1] - each[0])
    said = []
    for _, run in runs:
        run = [number for _, number in run]
        said += [f"{run[0]}–{run[-1]}"] if len(run) > 2 else map(str, run)
    return "、".join(said)


def path(line: str) -> str:
    name, read, glanced = parse(line)
    hours = round((minutes(read) + GLANCE * len(glanced)) / 60)
    which = f"第 {numbers(read)} 章" if len(read) < len(chapters()) else f"全部 {len(read)} 章"
    if glanced:
        which += f"；第 {numbers(glanced)} 章只看开头的图与小结"
    return f"<li><b>{escape(name)}</b> <span>{about(hours)}</span><p>{which}</p></li>"


def draw(app, doctree, docname):
    for place in list(doctree.findall(Paths)):
        shown = in_book_language("".join(map(path, place["lines"])))
        place.replace_self(nodes.raw("", f'<ul class="reading-paths">{shown}</ul>', format="html"))


def setup(app):
    app.add_node(Paths)
    app.add_directive("reading-paths", ReadingPaths)
    app.connect("doctree-resolved", draw)
