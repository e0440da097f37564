"""记录与章相符：记下的名字章里都问到，章里问的都记下；最小、平均、最大由各个种子算出，没有手改过。"""

import ast
import json

import pytest

from chapters import NOTEBOOKS
from course_lib.record import FOLDER
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
