"""附录：参考文献收齐各章提到的文章，参考页收齐课程库的每个模块，docstring 译成网页时不走样。"""

import re

import pytest
from pybtex.database import parse_file

from chapters import CHAPTERS, ROOT, cells, source
from course_book.before_reading.library_reference import to_rst

BIBLIOGRAPHY = parse_file(str(ROOT / "chapters" / "references.bib"))
# 延伸阅读里的一篇：*Title*, 2017
CITED = re.compile(r"\*([A-Z][^*]{5,})\*, (\d{4})")


def further_reading(path):
    text = "\n\n".join(source(c) for c in cells(path, "markdown"))
    return text.partition("\n## 延伸阅读")[2] or text.partition("## 延伸阅读")[2]


def normal(title):
    return re.sub(r"[^a-z0-9]", "", title.lower())


def entry_for(title, year):
    """书里常只写标题的前半，所以只比前缀。"""
    return [
        key
        for key, entry in BIBLIOGRAPHY.entries.items()
        if normal(entry.fields["title"]).startswith(normal(title)) and entry.fields["year"] == year
    ]


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda p: p.stem)
def test_further_reading_is_in_the_bibliography(path):
    missing = [c for c in CITED.findall(further_reading(path)) if len(entry_for(*c)) != 1]
    assert not missing


def test_every_entry_is_cited():
    used = {key for path in CHAPTERS for c in CITED.findall(further_reading(path)) for key in entry_for(*c)}
    library = "".join(p.read_text(encoding="utf8") for p in (ROOT / "course_lib").rglob("*.py"))
    for key, entry in BIBLIOGRAPHY.entries.items():
        author = entry.persons["author"][0].last_names[-1]
        in_docstring = re.search(rf"{author} [^\n]*{entry.fields['year']}", library)
        assert key in used or in_docstring, f"{key} 没有哪一章提到"


def test_annotated_articles_are_in_the_bibliography():
    text = (ROOT / "chapters" / "references.md").read_text(encoding="utf8")
    annotated = re.findall(r"\{cite\}`(\w+)`", text)
    assert len(annotated) >= 12 and set(annotated) <= set(BIBLIOGRAPHY.entries)
    for line in text.splitlines():
        if line.startswith("- "):
            assert len(line.partition("：")[2]) >= 12, f"读它做什么：{line}"


def test_reference_page_lists_every_module():
    text = (ROOT / "chapters" / "course_lib.md").read_text(encoding="utf8")
    listed = re.findall(r"automodule:: course_lib\.([\w.]+)", text)
    library = ROOT / "course_lib"
    files = {path.relative_to(library).with_suffix("") for path in library.rglob("*.py")}
    # 练习只有一个入口；其余的文件夹里，入口只是转手
    rooms = {
        ".".join(file.parts)
        for file in files
        if not file.stem.startswith("__") and file.parts[0] != "exercises"
    }
    assert len(set(listed)) == len(listed) and set(listed) == rooms - {"show.frames"} | {"exercises"}


def test_docstrings_become_rst():
    assert to_rst("把 `x` 乘 2，**options 照抄。\n返回：a_ 与 b|c。") == (
        "把 \\ ``x``\\  乘 2，\\*\\*options 照抄。\n\n**返回**：a\\_ 与 b\\|c。"
    )
