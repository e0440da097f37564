"""一格里装着什么，成书时就写成它的类名：样式照着它排。

写成 `:has(…)`，图每动一下浏览器都要把整页再问一遍。
"""

import re

from docutils import nodes

from course_book.doctree.folds import is_cell

CAPTIONED = re.compile('<figure class="(?:shown|explore)"')
# 左右并排的几幅
PANELS = re.compile(r'<div class="plot".*?</svg>\s*<svg', re.DOTALL)
# 颜色随页面，或者自带底色：深色里不用垫一层
OWN_GROUND = re.compile(
    r'^\s*<svg|<div[^>]*>\s*<iframe|class="(?:plot|drawing|guess|shown)|<figure|<div class="highlight'
)


def name_cells(app, doctree):
    for cell in doctree.findall(is_cell):
        outputs = [part for part in cell.children if part.get("nb_element") == "cell_code_output"]
        drawn = [raw for part in outputs for raw in part.findall(nodes.raw)]
        text, panels = (
            "\n".join(raw.astext() for raw in drawn),
            any(PANELS.search(raw.astext()) for raw in drawn),
        )
        facts = {
            "bare": all("meta" in part["classes"] for part in cell.children),
            "noted": any("meta" in part["classes"] for part in cell.children),
            "pictured": '<figure class="shown"' in text,
            "touchable": '<figure class="explore"' in text,
            "captioned": CAPTIONED.search(text),
            "panels": panels,
            "one-plot": '<div class="wide">' in text and not panels,
            "listing": '<div class="highlight' in text,
            "seen-first": outputs and cell[0] is outputs[0],
        }
        cell["classes"] += [name for name, true in facts.items() if true]
        for raw in drawn:
            raw["classes"] += ["own-ground"] * bool(OWN_GROUND.search(raw.astext()))


def setup(app):
    app.connect("doctree-read", name_cells, priority=800)  # 代码与断言都收好之后
