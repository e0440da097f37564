"""《讲课》一页：分钟、先后、图与提示都与各章写的相同，命令与印出的结果是真的。"""

import ast
import json
import os
import re
import subprocess
import sys

import nbformat
import pytest
import teach

from chapters import CHAPTERS, ROOT, cells, source
from course_book.doctree.taiwan_chinese import undecided
from course_lib.exercises import EXERCISES
from course_lib.exercises.__main__ import parse

TEXT = (ROOT / "chapters" / "teaching.md").read_text(encoding="utf8")
FIRST = {path.stem: source(cells(path)[0]) for path in CHAPTERS}
CHAPTER = re.compile(r"\]\((\d\d_\w+)\.ipynb(?:#练习)?\)")
LINK = re.compile(r"\[((?:\\.|[^\]])+)\]\((\d\d_\w+)\.ipynb")


def rows(heading):
    """一节里那张表的各条，不算表头。"""
    section = re.search(rf"(?ms)^## {heading}\n(.*?)(?=^## |\Z)", TEXT)[1]
    table = [line for line in section.splitlines() if line.startswith("|")][2:]
    assert table
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in table]


def minutes(names):
    """正文与练习各要几分钟，照各章自己写的。"""
    stated = [re.search(r"正文大约 (\d+) 分钟.*?练习另计 (\d+) 分钟", FIRST[name]) for name in names]
    return [str(sum(int(found[i]) for found in stated)) for i in (1, 2)]


def required(name):
    return set(CHAPTER.findall(FIRST[name])) - {name}


def test_sixteen_weeks():
    weeks = [(week, CHAPTER.findall(chapters), spent) for week, chapters, *spent in rows("十六周")]
    assert [week for week, *_ in weeks] == [str(i) for i in range(1, 17)]
    assert [name for _, names, _ in weeks for name in names] == list(FIRST)
    assert all(spent == minutes(names) for _, names, spent in weeks)
    assert sum(int(spent[0]) > 90 for *_, spent in weeks) == 2 and "多出 90 分钟的两周" in TEXT


def test_four_weeks():
    known, count = set(), 0
    for week, taught, spent, shown in rows("四个星期"):
        names, looked = CHAPTER.findall(taught), CHAPTER.findall(shown)
        assert week == str(count := count + 1) and spent == minutes(names)[0]
        assert int(spent) + 8 * len(looked) <= 180, "一周三个小时，一幅图七八分钟"
        for name in sorted([*names, *looked]):
            known.add(name)
            if name in names:
                assert required(name) <= known | set(looked), f"{name} 之前还要讲 {required(name) - known}"
    assert count == 4


def test_prerequisites_come_earlier():
    for i, name in enumerate(FIRST):
        assert required(name) <= set(list(FIRST)[:i])


def test_links_say_the_titles():
    for words, name in LINK.findall("\n".join(line for line in TEXT.splitlines() if line.startswith("|"))):
        assert FIRST[name].splitlines()[0] == f"# {words.replace(chr(92), '')}"


def caption(code):
    call = next(
        node for node in ast.walk(ast.parse(code)) if getattr(getattr(node, "func", 0), "id", "") == "explore"
    )
    return call.args[1].value


def test_explorables_are_there_and_say_so():
    shown = []
    for place, words, guess in rows("放哪几幅图"):
        name, cell = re.fullmatch(r"`(\w+)#([\w-]+)`", place).groups()
        (code,) = [source(c) for c in cells(ROOT / "chapters" / f"{name}.ipynb") if c["id"] == cell]
        assert re.match(re.escape(words) + "[，。；]?", caption(code)) and guess.endswith("？")
        shown.append(name)
    assert shown == list(FIRST)


def test_hints_are_the_exercises_own():
    seen, name = [], ""
    for exercise, hint in rows("留哪几道题"):
        name = (CHAPTER.findall(exercise) or [name])[0]
        assert hint in EXERCISES[f"{name[3:]}.{exercise.split('`')[1]}"].wrong
        seen.append(name)
    assert seen == [name for name in FIRST for _ in range(2)]


def test_what_every_chapter_has():
    texts = ["\n".join(source(c) for c in cells(path, "markdown")) for path in CHAPTERS]
    assert all("**一道没有标准答案的题**" in text for text in texts)
    assert sum("破坏实验" in text for text in texts) > len(texts) / 2
    times = (ROOT / "bench" / "chapter_times.md").read_text(encoding="utf8")
    assert max(map(int, re.findall(r"\| (\d+) \|", times))) < 120 and "两分钟之内" in TEXT


def test_commands_and_options_are_real():
    assert "\nteach:" in (ROOT / "Makefile").read_text(encoding="utf8")
    assert {f"_build/teach/{name}/" for name in ("student", "key")} <= set(
        re.findall(r"_build/teach/\w+/", TEXT)
    )
    options = parse(["作业", "--csv", "成绩.csv", "--seconds", "3", "--memory", "5", "--whole"])
    assert options.whole and all(f"`--{name}`" in TEXT for name in ("seconds", "memory", "whole"))
    told = {"seconds": "一格最多运行 20 秒", "memory": "最多再多占 2000 MB"}
    assert parse(["作业"]).memory == 2000 and all(words in TEXT for words in told.values())


def test_traditional_edition_can_tell_lines_from_columns():
    plain = re.sub(r"`[^`]*`", "⌘", re.sub(r"(?s)```.*?```", "", TEXT))
    assert not [left for line in plain.splitlines() for cell in line.split("|") for left in undecided(cell)]


@pytest.mark.subprocess
def test_output_on_the_page_is_what_the_grader_prints(tmp_path):
    """照页上说的三份作业，真的批一遍；为省时间，循环只等三秒。"""
    path = ROOT / "chapters" / "04_scaled_dot_product_attention.ipynb"
    notebook = nbformat.read(path, as_version=4)
    key, student = teach.with_answers(notebook), teach.without_solutions(notebook)
    forgot = {
        "keys @ q / q.numel() ** 0.5": "keys @ q",
        "powered = weights ** (1 / tau)": "powered = (weights / tau).softmax(dim=-1)",
    }
    begun = {
        "def attend(q, keys, values): ...": "def attend(q, keys, values):\n    while True:\n        q = q / 2",
        "self_score = ...": "self_score = 32",
    }
    (tmp_path / "作业").mkdir()
    for number, (made, changes) in enumerate(((key, {}), (key, forgot), (student, begun)), start=2301):
        text = json.dumps(made, ensure_ascii=False)
        for old, new in changes.items():
            old, new = (json.dumps(part)[1:-1] for part in (old, new))
            assert old in text
            text = text.replace(old, new)
        (tmp_path / "作业" / f"{number}.ipynb").write_text(text, encoding="utf8")
    command = re.search(r"python (-m course_lib.exercises .*)", TEXT)[1].split()
    done = subprocess.run(
        [sys.executable, *command, "--seconds", "3"],
        cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert (
        done.stdout.replace("运行了 3 秒", "运行了 20 秒").strip()
        == re.search(r"(?s)```text\n(.*?)\n```", TEXT)[1]
    )
