"""《讲课》一页的几张表：次序、标题与分钟取自各章的开头，图下的话取自那一格，提示取自练习的表；这里只管排出来。

页上写的是哪几章、哪一幅、哪一题，各以不带编号的名字，`feed_forward`、`feed_forward#explore-neurons`、`feed_forward.from-scratch`。
"""

import ast
import re

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from course_book import ROOT
from course_book.before_reading.contents import FOLDER, SPENT, Page, chapters, notebook_cells, opening
from course_lib.exercises import EXERCISES

HINT = re.compile(r"\{([\w.-]+) (\d+)\}")
TOPICS = ROOT / "course_lib/exercises/topics"


def cells(page: Page) -> dict[str, str]:
    """一章的各格：名字 → 源文。"""
    return {cell["id"]: "".join(cell["source"]) for cell in notebook_cells(page.name)}


def chapter(name: str) -> Page:
    found = [page for page in chapters() if page.lasting_name == name]
    if not found:
        raise ValueError(f"没有 {name} 这一章")
    return found[0]


def named(names: str) -> list[Page]:
    return [chapter(name) for name in names.split()]


def head(page: Page) -> str:
    return opening(notebook_cells(page.name))


def link(page: Page, anchor: str = "") -> str:
    title = re.sub(r"([\[\]])", r"\\\1", head(page).splitlines()[0].removeprefix("# "))
    return f"[{title}]({page.name}.ipynb{anchor})"


def spent(found: list[Page]) -> tuple[int, int]:
    """正文与练习各要几分钟，照各章自己写的。"""
    stated = [SPENT.search(head(page)) for page in found]
    if missing := [page.name for page, minutes in zip(found, stated, strict=True) if not minutes]:
        raise ValueError(f"{missing[0]} 的开头没有写“正文大约几分钟，练习另计几分钟”")
    return tuple(sum(int(minutes[i]) for minutes in stated) for i in (1, 2))


def hint(exercise: str, number: int) -> str:
    """一道题的第几条提示，从 1 数起。"""
    hints = [*EXERCISES[exercise].wrong] if exercise in EXERCISES else []
    if not 0 < number <= len(hints):
        raise ValueError(f"练习里没有 {exercise} 的第 {number} 条提示")
    return hints[number - 1]


def with_hints(text: str) -> str:
    """`{练习 第几条}` 换成那条提示。"""
    return HINT.sub(lambda place: hint(place[1], int(place[2])), text)


def caption(page: Page, cell: str) -> str:
    """一格可以动手的图，图下的头一句话。"""
    code = cells(page).get(cell, "")
    if "explore(" not in code:
        raise ValueError(f"{page.name} 里没有画着可以动手的图的 {cell} 一格")
    calls = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Call)]
    (said,) = [call.args[1].value for call in calls if getattr(call.func, "id", "") == "explore"]
    return re.split("[。；：]", said)[0]


class Plan(SphinxDirective):
    """一张表：`rows` 由页上写的各行得出表里的各行。"""

    has_content = True
    header: tuple[str, ...]

    def run(self):
        # 章与练习一变，这一页重读
        for path in [*(ROOT / FOLDER).glob("*.ipynb"), *TOPICS.glob("*.py")]:
            self.env.note_dependency(str(path))
        try:
            return self.made([line for line in self.content if line])
        except ValueError as error:
            raise self.error(f"{error}。") from error

    def made(self, lines) -> list[nodes.Node]:
        rows = [self.header, ["---"] * len(self.header), *self.rows(lines)]
        return self.parse_text_to_nodes("\n".join(f"| {' | '.join(map(str, row))} |" for row in rows))


class Semester(Plan):
    """一章一周，除了写在同一行的几章。"""

    header = ("第几周", "章", "正文（分钟）", "练习（分钟）")

    def rows(self, lines):
        together = {page: week for week in map(named, lines) for page in week}
        weeks = list(dict.fromkeys(tuple(together.get(page, [page])) for page in chapters()))
        return [[i, "、".join(map(link, week)), *spent(week)] for i, week in enumerate(weeks, start=1)]


class ShortCourse(Plan):
    """一行一周：通讲的几章，竖线之后是只放图的几章。"""

    header = ("第几周", "通讲的章", "正文（分钟）", "只放那幅图的章")

    def rows(self, lines):
        weeks = [[named(names) for names in line.partition("|")[::2]] for line in lines]
        return [
            [i, "、".join(map(link, taught)), spent(taught)[0], "、".join(map(link, shown)) or "没有"]
            for i, (taught, shown) in enumerate(weeks, start=1)
        ]


class Explorables(Plan):
    """一行一幅：`章#格`，空一格，先让学生猜什么。"""

    header = ("在哪里", "图下写着", "先让学生猜")

    def rows(self, lines):
        for line in lines:
            place, _, question = line.partition(" ")
            name, _, cell = place.partition("#")
            page = chapter(name)
            yield [f"`{page.name}#{cell}`", caption(page, cell), question]


class Hints(Plan):
    """一行一题：练习的名字，空一格，第几条提示；没有写到的章，取头两题的头一条。"""

    header = ("练习", "写错时得到的提示")

    def rows(self, lines):
        chosen = {name: hint(name, int(number)) for name, number in map(str.split, lines)}
        for page in chapters():
            own = [name for name in EXERCISES if name.startswith(f"{page.lasting_name}.")]
            picked = [name for name in own if name in chosen] or own[:2]
            for place, name in enumerate(picked):
                before = "" if place else f"{link(page, '#练习')}："
                said = chosen.get(name) or hint(name, 1)
                yield [f"{before}`{name.partition('.')[2]}`", re.sub(r"([\\`*_|<$])", r"\\\1", said)]


class GraderOutput(Plan):
    """批改印出的一段。"""

    def made(self, lines):
        text = with_hints("\n".join(self.content))
        return [nodes.literal_block(text, text, language="text")]


def setup(app):
    app.add_directive("semester", Semester)
    app.add_directive("short-course", ShortCourse)
    app.add_directive("explorables-to-show", Explorables)
    app.add_directive("hints-to-expect", Hints)
    app.add_directive("grader-output", GraderOutput)
