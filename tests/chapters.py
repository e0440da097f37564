"""各章的文件，与笔记本里的格。"""

import json
import re
from pathlib import Path

from tools import notebook_form

ROOT = Path(__file__).parents[1]
NOTEBOOKS = notebook_form.chapters()
# 勘误实验室也是笔记本，但不是一章：没有练习，条目多少由讲义决定
CHAPTERS = [path for path in NOTEBOOKS if path.stem[0].isdigit()]
# 行文里指到一格：`章#格`
PLACE = re.compile(r"`(\w+)#([\w-]+)`")
PAGES = sorted((ROOT / "chapters").glob("*.md"))


def cells(path, kind=None):
    notebook = json.loads(path.read_text(encoding="utf8"))
    return [c for c in notebook["cells"] if kind in (None, c["cell_type"])]


def source(cell):
    return "".join(cell["source"])
