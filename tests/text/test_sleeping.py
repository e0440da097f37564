"""睡着的测试由什么叫醒：行文只叫醒它自己那一页，代码叫醒守着它的。"""

import json
from pathlib import Path

import sleeping

from chapters import CHAPTERS, NOTEBOOKS


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
