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


def lasting(path):
    """去掉编号的文件名：章的次序变了，它也不变。"""
    return re.sub(r"^\d+_", "", path.stem)


def file_of(name):
    """一页今天的文件名，不带后缀；测试里写的都是不变的名字。"""
    found = [path.stem for path in NOTEBOOKS + PAGES if lasting(path) == name]
    assert len(found) == 1, f"chapters/ 里应当有一页叫 {name}，有的是 {found}。"
    return found[0]


def page_of(name):
    """那一页成书后的网页。"""
    return f"chapters/{file_of(name)}.html"


def cells(path, kind=None):
    notebook = json.loads(path.read_text(encoding="utf8"))
    return [c for c in notebook["cells"] if kind in (None, c["cell_type"])]


def source(cell):
    return "".join(cell["source"])
