"""一章的输出由什么而来：用到的都算，隔着几层、写在函数里的也算；没有用到的、成书时才换上的不算。"""

import json

import pytest

from course_lib.weights.builtin import MODELS
from tools import made_of, versions


def of(name):
    (chapter,) = made_of.ROOT.glob(f"chapters/*{name}.ipynb")
    return {path.relative_to(made_of.ROOT).as_posix() for path in made_of.chapter_files(chapter)}


def test_what_a_chapter_uses():
    vision, jets = of("vision_transformer"), of("jet_tagging")
    assert {"course_lib/vit.py", "course_lib/checks.py", "figures/vision_transformer.svg"} <= vision
    # 这本书的行文是存好的一份，别的章改了，读它的一章不必重新执行
    assert "course_lib/tasks/this_book.txt" in of("decoder_only") - jets
    assert "course_lib/vit.py" not in jets and "course_lib/tasks/jets.py" in jets - vision
    everyone = [*vision, *jets]
    assert not [name for name in everyone if "/topics/" in name and not name.endswith("__init__.py")]
    assert not [name for name in everyone if name.endswith((".js", ".css"))]


@pytest.fixture
def house(tmp_path, monkeypatch):
    """一个小库，一章：one 用 two，two 在函数里用 deep.three；four 没有人用。"""
    monkeypatch.setattr(made_of, "ROOT", tmp_path)
    files = {
        "course_lib/__init__.py": "",
        "course_lib/one.py": "from .two import x\n",
        "course_lib/two.py": "def x():\n    from .deep import three\n",
        "course_lib/two.txt": "数据",
        "course_lib/deep/__init__.py": "",
        "course_lib/deep/three.py": "from ..one import x\nimport course_lib.deep.gone\n",
        "course_lib/four.py": "",
        "course_lib/records/plan.json": "{}",
        "course_lib/records/other.json": "{}",
        "figures/plan.svg": "",
        "figures/plan_narrow.svg": "",
        "figures/plan_b.svg": "",
        made_of.EXECUTION: "",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    code = '%pip install x\nfrom course_lib import one\nfigure("plan")\nRecord("plan")'
    cell = {"cell_type": "code", "source": code.splitlines(keepends=True)}
    chapter = tmp_path / "chapter.ipynb"
    chapter.write_text(json.dumps({"cells": [cell]}), encoding="utf-8")
    return chapter


USED = [
    "records/plan.json",
    "one.py",
    "two.py",
    "two.txt",
    "deep/__init__.py",
    "deep/three.py",
    "__init__.py",
]


def test_through_layers_functions_and_circles(house):
    found = {path.relative_to(house.parent).as_posix() for path in made_of.chapter_files(house)}
    assert found == {*(f"course_lib/{name}" for name in USED), "figures/plan.svg", "figures/plan_narrow.svg"}


@pytest.mark.parametrize(
    ("name", "follows"),
    [(f"course_lib/{name}", True) for name in USED]
    + [("figures/plan_narrow.svg", True), (made_of.EXECUTION, True)]
    + [
        ("course_lib/four.py", False),
        ("course_lib/records/other.json", False),
        ("figures/plan_b.svg", False),
    ],
)
def test_the_digest_follows_what_is_used(house, name, follows):
    """变了就不同，改回来又是原来那个。"""
    path, before = house.parent / name, made_of.digest(house)
    old = path.read_text(encoding="utf-8")
    path.write_text(f"{old}# 改过\n", encoding="utf-8")
    assert (made_of.digest(house) != before) == follows
    path.write_text(old, encoding="utf-8")
    assert made_of.digest(house) == before


def test_every_builtin_model_has_its_variable(monkeypatch):
    assert set(made_of.VARIABLES) == {model.kind.variable for model in MODELS}
    for name in made_of.VARIABLES:
        monkeypatch.setenv(name, "someone/some-model")
    assert not versions.clean_environment().keys() & set(made_of.VARIABLES)


@pytest.mark.parametrize("variable", made_of.VARIABLES)
def test_the_digest_follows_the_chosen_model_and_the_packages(house, monkeypatch, variable):
    read = made_of.environment.__wrapped__
    before = read()
    monkeypatch.setenv(variable, "someone/some-model")
    assert read() != before
    monkeypatch.delenv(variable)
    monkeypatch.setattr(made_of, "distributions", lambda: [])
    assert read() != before
