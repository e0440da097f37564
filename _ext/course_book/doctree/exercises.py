"""练习格：能在网页里检查的，在格里记下它的名字，脚本就把它换成编辑框；没有脚本时，格还是原来的样子。"""

import re

from docutils import nodes

from course_book.after_writing import live_exercises
from course_book.doctree.folds import is_cell

CHECK = re.compile(r'^check\("([^"]+)"', re.MULTILINE)
MARK = "data-exercise"


def mark_cells(app, doctree, docname):
    for cell in doctree.findall(is_cell):
        names = [name for name in CHECK.findall(cell.astext()) if name in live_exercises.in_the_page()]
        if names:
            cell.append(nodes.raw("", f'<template {MARK}="{" ".join(names)}"></template>', format="html"))


def has_exercises(doctree) -> bool:
    return any(MARK in raw.astext() for raw in doctree.findall(nodes.raw))


def setup(app):
    # 能在网页里做的多了少了，网页都重写一遍
    app.add_config_value("exercises_in_the_page", sorted(live_exercises.in_the_page()), "html")
    app.connect("doctree-resolved", mark_cells)
