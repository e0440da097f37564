"""《讲课》一页：各张表由页上的几行生成，写错的说出是哪一行；课表排得下，先修的在前；印出的结果是真的。"""

import json
import os
import re
import subprocess
import sys

import nbformat
import pytest

from chapters import ROOT, file_of
from course_book.before_reading.contents import chapters
from course_book.doctree import lesson_plan
from teach import notebooks
from teach.__main__ import parse

TEXT = (ROOT / "chapters" / "teaching.md").read_text(encoding="utf8")
LINKED = re.compile(r"\((\d\d_\w+)\.ipynb")


def block(name):
    return re.search(rf"(?ms)^```{{{name}}}\n(.*?)\n```$", TEXT)[1]


def rows(kind, text):
    directive = object.__new__(kind)
    return [[str(cell) for cell in row] for row in directive.rows(text.splitlines())]


def required(page):
    return set(LINKED.findall(lesson_plan.head(page)))


def test_a_semester_has_every_chapter_once():
    weeks = rows(lesson_plan.Semester, block("semester"))
    assert [name for week in weeks for name in LINKED.findall(week[1])] == [page.name for page in chapters()]
    assert [week[0] for week in weeks] == [str(i) for i in range(1, len(weeks) + 1)]
    assert all(int(week[2]) <= 120 for week in weeks)
    # 页上没有写到的章，一章一周
    assert len(rows(lesson_plan.Semester, "")) == len(chapters())


def test_four_weeks_fit_and_need_nothing_later():
    known, weeks = set(), rows(lesson_plan.ShortCourse, block("short-course"))
    assert len(weeks) == 4
    for _, taught, spent, shown in weeks:
        now, looked = LINKED.findall(taught), LINKED.findall(shown)
        assert int(spent) + 8 * len(looked) <= 180, "一周三个小时，一幅图七八分钟"
        known |= {*now, *looked}
        for page in chapters():
            assert page.name not in now or required(page) <= known, f"{page.name} 之前还要讲别的章"


def test_the_other_tables():
    shown = rows(lesson_plan.Explorables, block("explorables-to-show"))
    assert all(caption and question.endswith("？") for _, caption, question in shown)
    listed = rows(lesson_plan.Hints, block("hints-to-expect"))
    assert len(listed) == 2 * len(chapters())
    # 页上没有写到的章，取头两题的头一条
    assert len(rows(lesson_plan.Hints, "")) == 2 * len(chapters())


@pytest.mark.parametrize(
    ("kind", "line", "said"),
    [
        (lesson_plan.Semester, "feed_forwards", "没有 feed_forwards 这一章"),
        (lesson_plan.Explorables, "feed_forward#setup 猜？", r"\d\d_feed_forward 里没有画着可以动手的图的 setup 一格"),
        (lesson_plan.Hints, "feed_forward.from-scratch 99", "练习里没有 feed_forward.from-scratch 的第 99 条提示"),
        (lesson_plan.Hints, "feed_forward.lost 1", "练习里没有 feed_forward.lost 的第 1 条提示"),
    ],
)  # fmt: skip
def test_what_is_not_there_is_named(kind, line, said):
    with pytest.raises(ValueError, match=said):
        rows(kind, line)


def test_options_are_real():
    told = re.findall(r"`--([a-z-]+)`", TEXT)
    assert told and set(told) <= set(vars(parse(["作业"])))


@pytest.mark.subprocess
def test_output_on_the_page_is_what_the_grader_prints(tmp_path):
    """照页上说的三份作业，真的批一遍；为省时间，循环只等三秒。"""
    path = ROOT / "chapters" / f"{file_of('scaled_dot_product_attention')}.ipynb"
    notebook = nbformat.read(path, as_version=4)
    key, student = notebooks.with_answers(notebook), notebooks.without_solutions(notebook)
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
    command = re.search(r"python (-m teach .*)", TEXT)[1].split()
    done = subprocess.run(
        [sys.executable, *command, "--seconds", "3"],
        cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    told = lesson_plan.with_hints(block("grader-output"))
    assert done.stdout.replace("运行了 3 秒", "运行了 20 秒").strip() == told
