"""睡着的测试由什么叫醒：行文只叫醒它自己那一页，代码叫醒守着它的。"""

import ast
import json
import re
from pathlib import Path

import sleeping

from chapters import CHAPTERS, NOTEBOOKS
from tools import made_of

INIT = f"{sleeping.TOPICS}/__init__.py"


def test_prose_wakes_only_what_reads_whole_pages(tmp_path, monkeypatch):
    monkeypatch.setattr(sleeping, "ROOT", tmp_path)
    path = tmp_path / "a.ipynb"

    def seen(prose, code):
        cells = [{"cell_type": "markdown", "source": prose}, {"cell_type": "code", "id": "a", "source": code}]
        path.write_text(json.dumps({"cells": cells}), encoding="utf-8")
        return sleeping.digest_of({path}), sleeping.digest_of({path}, whole=True)

    before, prose, code = seen("话", "1"), seen("别的话", "1"), seen("话", "2")
    assert before[0] == prose[0] != code[0]
    assert len({before[1], prose[1], code[1]}) == 3


def test_a_chapter_wakes_its_own_page():
    for path in CHAPTERS:
        assert sleeping.of_a_page(path.stem) & set(NOTEBOOKS) == {path}


def test_a_chapter_is_woken_by_its_own_exercises_and_figures():
    """别的章的不叫醒它；名字要原样写出，才知道是哪一幅。"""
    for path in CHAPTERS:
        mine = {each.relative_to(sleeping.ROOT).as_posix() for each in sleeping.of_a_page(path.stem)}
        nodes = [
            node for tree in made_of.cells(path) for node in ast.walk(tree) if isinstance(node, ast.Call)
        ]
        for name in (node.args[0] for node in nodes if getattr(node.func, "id", None) == "explore"):
            assert isinstance(name, ast.Constant), f"{path.name} 的一幅可以动手的图没有写出名字"
            assert f"{sleeping.EXPLORABLES}/{name.value}.js" in mine
        topics = {
            f"{sleeping.TOPICS}/{topic}.py" for topic in re.findall(r'\bcheck\(\\?"(\w+)\.', path.read_text())
        }
        assert topics == {name for name in mine if name.startswith(f"{sleeping.TOPICS}/")} - {INIT}
    assert f"{sleeping.EXPLORABLES}/tokenize.js" not in mine


def test_a_page_that_gathers_is_woken_by_what_it_became(tmp_path, monkeypatch):
    """汇成的页只看成了什么样；还没有成书的，与成过的不一样。一章成了什么样不看。"""
    monkeypatch.setattr(sleeping, "BOOK", tmp_path)
    monkeypatch.setattr(sleeping, "ALL_PAGES", ["chapters/glossary.html", "zh-TW/chapters/glossary.html"])
    (tmp_path / "zh-TW/chapters").mkdir(parents=True)
    before = sleeping.built("glossary")
    (tmp_path / sleeping.ALL_PAGES[1]).write_text("甲")
    assert before != (first := sleeping.built("glossary"))
    (tmp_path / sleeping.ALL_PAGES[1]).write_text("乙")
    assert first != sleeping.built("glossary")
    assert {sleeping.built(path.stem) for path in CHAPTERS} == {b""}


def test_only_what_passed_is_written_down(tmp_path, monkeypatch):
    monkeypatch.setattr(sleeping, "RECORD", tmp_path / "asleep.json")
    here = Path(__file__).relative_to(sleeping.ROOT).as_posix()
    sleeping.RECORD.write_text(json.dumps({f"{here} kept": "1", f"{here} failed": "2", "gone.py": "3"}))
    sleeping.recorded.cache_clear()
    sleeping.put_to_sleep({f"{here} new": "4", f"{here} half": "5"}, {f"{here} failed", f"{here} half"})
    assert json.loads(sleeping.RECORD.read_text()) == {f"{here} kept": "1", f"{here} new": "4"}
    sleeping.recorded.cache_clear()
