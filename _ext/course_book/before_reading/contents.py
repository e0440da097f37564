"""全书的次序：哪一页是哪一部分的第几章，它问什么，要读多久。

次序与部分来自 _toc.yml，问题来自 chapters/questions.yml，分钟来自那一章自己的开头：哪一样都只写在一处。
"""

import json
import re
from functools import cache
from typing import NamedTuple

import yaml

from course_book import ROOT

FOLDER = "chapters"
QUESTIONS = ROOT / FOLDER / "questions.yml"
MINUTES = re.compile(r"(\d+) 分钟")
SPENT = re.compile(r"正文大约 (\d+) 分钟.*?练习另计 (\d+) 分钟")


class Page(NamedTuple):
    """全书的一页。"""

    name: str  # 文件名，不带文件夹与后缀
    part: str
    number: int | None  # 第几章；文件名不以数字开头的不是一章
    question: str
    minutes: int | None  # 正文要读几分钟；不是一章的没有

    @property
    def lasting_name(self) -> str:
        """去掉编号的文件名：章的次序变了，它也不变。"""
        return re.sub(r"^\d+_", "", self.name)


def notebook_cells(name: str) -> list[dict]:
    return json.loads((ROOT / FOLDER / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]


def opening(cells: list[dict]) -> str:
    """一章的开头：头一个二级标题之前的行文；中间可以有一幅图。"""
    text = "\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    return text.partition("\n## ")[0]


def stated_minutes(name: str) -> int:
    """一章的开头写着要读几分钟，写了几个就取头一个：正文的在练习的前面。"""
    stated = MINUTES.search(opening(notebook_cells(name)))
    if not stated:
        raise SystemExit(f"{name}.ipynb 的开头没有写要读几分钟，例如“大约 40 分钟”。")
    return int(stated[1])


@cache
def pages() -> tuple[Page, ...]:
    """首页以外的各页，依次。"""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    questions = yaml.safe_load(QUESTIONS.read_text(encoding="utf-8"))
    listed = [
        (part["caption"], chapter["file"].rpartition("/")[2])
        for part in toc["parts"]
        for chapter in part["chapters"]
    ]
    if wrong := {name for _, name in listed} ^ set(questions):
        raise SystemExit(f"_toc.yml 与 {FOLDER}/{QUESTIONS.name} 里的页不一样：{'、'.join(sorted(wrong))}。")
    found, count = [], 0
    for part, name in listed:
        number = int(name.partition("_")[0]) if name[0].isdigit() else None
        if number is not None and number != (count := count + 1):
            raise SystemExit(f"按 _toc.yml 的次序，{name} 应当是第 {count} 章，文件名里却写着 {number}。")
        minutes = None if number is None else stated_minutes(name)
        found.append(Page(name, part, number, questions[name], minutes))
    return tuple(found)


def chapters() -> list[Page]:
    return [page for page in pages() if page.number is not None]


def digest() -> str:
    """它们一变，写着“第几章”与“下一章”的网页都要重写。"""
    return repr(pages())


def setup(app):
    pages.cache_clear()
    app.add_config_value("contents_digest", "", "html")
    app.connect("config-inited", lambda app, config: setattr(config, "contents_digest", digest()))
