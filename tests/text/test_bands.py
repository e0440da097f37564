"""记录与章相符：记下的名字章里都问到，章里问的都记下；最小、平均、最大由各个种子算出，没有手改过。"""

import ast
import json

import numpy as np
import pytest
import torch

from chapters import NOTEBOOKS
from course_lib.record import FOLDER, Record
from tools import bands, made_of

USERS = {made_of.record_of(path): path for path in NOTEBOOKS if made_of.record_of(path)}


def test_each_record_has_its_chapter():
    assert USERS and {path.stem for path in FOLDER.glob("*.json")} == set(USERS)


@pytest.mark.parametrize("name", USERS)
def test_names_and_numbers_agree(name):
    runs = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))["runs"]
    nodes = [node for tree in made_of.cells(USERS[name]) for node in ast.walk(tree)]
    words = {node.value for node in nodes if isinstance(node, ast.Constant)}
    calls = [node for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)]
    asked = {
        call.args[0].value
        for call in calls
        if call.func.attr in ("holds", "read") and call.args and isinstance(call.args[0], ast.Constant)
    }
    assert asked <= set(runs) <= words
    for band in runs.values():
        assert bands.band(band["seeds"]) == band
        assert len(band["seeds"]) == bands.SEEDS


@pytest.mark.parametrize("name", USERS)
def test_a_chapter_is_executed_until_its_record_is_last_asked(name):
    codes = bands.asking(USERS[name])
    assert codes == made_of.codes(USERS[name])[: len(codes)] and "record." in codes[-1]
    assert not any("record." in code for code in made_of.codes(USERS[name])[len(codes) :])


def test_what_does_not_hold_is_noted():
    """换一个种子就不成立的断言，记下来，后面的照旧执行。"""
    noted = []
    code = bands.Noting().visit(ast.parse("for x in (1, 2):\n    assert x < 2\nafter = x"))
    names = {"unheld": noted.append}
    exec(compile(ast.fix_missing_locations(code), "one", "exec"), names)
    assert noted == ["x < 2"] and names["after"] == 2


@pytest.mark.parametrize(("again", "fits"), [(0.5, True), (0.6, False)])
def test_what_is_read_first_and_trained_later_is_one_number(tmp_path, monkeypatch, again, fits):
    monkeypatch.setattr(torch, "manual_seed", torch.manual_seed)  # 一遍执行会换掉它们，测完还原
    monkeypatch.setattr(np.random, "seed", np.random.seed)
    monkeypatch.setattr(Record, "holds", Record.holds)
    monkeypatch.setattr(Record, "read", Record.read)
    lines = (
        'from course_lib.record import Record; record = Record("one"); record.runs = {"准": {"seeds": [0.4]}}',
        'old = record.read("准"); rows = record.read("准", lambda: 0.5)',  # 没说怎样练的，读旧的
        f'record.holds("准", {again}); assert old[0] == 0.4; assert rows[0] > 0.9',
    )
    cells = [{"cell_type": "code", "source": [line]} for line in lines]
    (tmp_path / "01_one.ipynb").write_text(json.dumps({"cells": cells}), encoding="utf-8")
    if fits:
        assert bands.run(tmp_path / "01_one.ipynb", 1) == {"asked": {"准": 0.5}, "unheld": ["rows[0] > 0.9"]}
    else:
        with pytest.raises(ValueError, match="“准”问了两次"):
            bands.run(tmp_path / "01_one.ipynb", 1)


def test_what_compares_seeds_is_not_listed():
    """第 0 遍就不成立的断言，比的是几个种子，不是换了种子不成立。"""
    runs = [
        {"asked": {"准": 0.5}, "unheld": ["rows.max() > rows.min()", *more]} for more in ([], ["x > 1"], [])
    ]
    assert json.loads(bands.written(runs))["unheld"] == {"x > 1": [1]}
