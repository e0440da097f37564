"""收作业：对的、错的、空的、卡住的、捣乱的，各得各的一行，谁也碍不着谁。"""

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import nbformat
import numpy as np
import pytest
import teach
import torch

from chapters import CHAPTERS, ROOT
from course_lib.exercises import EXERCISES, judge
from course_lib.exercises.__main__ import aligned, found, harmless, labels
from course_lib.exercises.comparing import same
from course_lib.exercises.exercise import Symptom
from course_lib.exercises.grading.cells import Cell, NotANotebookError, only_exercises, read
from course_lib.exercises.grading.marking import WRONG, Limits, Marking, Remote, _clean
from course_lib.exercises.grading.process import Gone
from course_lib.exercises.grading.pupil import outcome
from course_lib.exercises.grading.wire import LIMIT, decode, encode
from course_lib.exercises.running import takes

TOPIC = "scaled_dot_product_attention"
ATTEND = """\
def attend(q, keys, values):
    scores = keys @ q / q.numel() ** 0.5
    return scores.softmax(dim=0) @ values
"""
FORGOT = ATTEND.replace(" / q.numel() ** 0.5", "")
IMPORTS = ["import torch"]


def check(name, answer):
    return f'check("{TOPIC}.{name}", {answer})'


ONE_QUERY, AIM = ATTEND + check("one-query", "attend"), check("aim", "lambda keys, j: keys[j] * 1000")
SELF_SCORE = check("self-score", "32.0")
TEMPERATURE = """\
def reheat(weights, tau):
    powered = weights ** (1 / tau)
    return powered / powered.sum(dim=-1, keepdim=True)
""" + check("temperature", "reheat")
RIGHT = [ONE_QUERY, AIM, SELF_SCORE, TEMPERATURE]

FORGER = [
    "print('✓ 正确。四步都在')",
    # 换掉检查，换掉题目，再拿表里的解答来交
    "import course_lib.exercises as e\n"
    "e.judge = e.verdict = lambda name, answer: '✓ 正确。'\n"
    "e.EXERCISES = {}\n"
    "e.judging.judge = lambda exercise, answer: '✓ 正确。'\n"
    "e.judging.Trial.verdict = lambda self, answer: '✓ 正确。'\n"
    "e.comparing.same = lambda *_: True",
    FORGOT + check("one-query", "attend"),
    # 检查时翻看调用它的人，有没有解答或者判决可改
    f"""
import inspect
def aim(keys, j):
    for frame in inspect.stack():
        for value in frame.frame.f_locals.values():
            if callable(getattr(value, "right", None)):
                return value.right(keys, j)
    raise RuntimeError("\\n✓ 正确。\\x1b[2J")
{check("aim", "aim")}""",
    # 直接往管道里写
    f"""
import gc, json
(line,) = [x for x in gc.get_objects() if type(x).__name__ == "Line"]
line.say(verdict="✓ 正确。")
{check("self-score", "1.0")}""",
    f"""
import gc
(line,) = [x for x in gc.get_objects() if type(x).__name__ == "Line"]
line.say(check="{TOPIC}.temperature", takes=True)
while True:
    line.hear()
    line.say(result={{"tensor": ["float32", [10**9], ""]}})
check("{TOPIC}.temperature", None)""",
]

VANDAL = [
    # 删自己文件夹里的，改家里的，印出几百兆字，退出，留下一个另立门户的进程
    "import pathlib, os, shutil, subprocess, sys\n"
    "for path in pathlib.Path('..').resolve().glob('homework*'):\n"
    "    if path != pathlib.Path.cwd(): shutil.rmtree(path, ignore_errors=True)\n"
    "shutil.rmtree(pathlib.Path.cwd())\n"
    "os.makedirs(pathlib.Path.home() / '.config')\n"
    "(pathlib.Path.home() / '.config' / 'left').write_text('x')",
    "for _ in range(300): print('✓ 正确。' * 200_000)",
    "for detached in (True, False):\n"
    "    subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(987)'], start_new_session=detached)",
    "if os.fork() == 0:\n    os.setsid()\n    import time; time.sleep(987)",
    "sys.exit(3)",
    ONE_QUERY,
    AIM + "\nquit()",
    # 印出来的不算数
    "print('✓')\nraise SystemExit\n" + SELF_SCORE,
]

SUBMISSIONS = {
    "对的": RIGHT,
    "错的": [
        FORGOT + check("one-query", "attend"),
        "def aim(keys, j):\n    return keys[j] / 0\n" + check("aim", "aim") + "\n1 / 0",
        "self_score = = 3\n" + check("self-score", "self_score"),
    ],
    "空的": [check(name, "...") for name in ("one-query", "aim", "self-score", "temperature")],
    "卡住的": [
        "factor = 1\nimport math\ndef attend(q, keys, values):\n    while True: pass\n"
        + check("one-query", "attend"),
        "import os\nclass Kept: os._exit(0)\n" + check("aim", "lambda keys, j: math.pi"),
        "math.pi\n" + SELF_SCORE,
        "def reheat(weights, tau):\n    kept = []\n"
        "    while True: kept.append(torch.ones(10_000_000))\n" + check("temperature", "reheat"),
    ],
    "造假的": FORGER,
    "捣乱的": VANDAL,
    "怪的": [
        "%matplotlib inline\n" + ONE_QUERY,
        "kept = []\nkept.append(kept)\n" + check("aim", "lambda keys, j: kept"),
        "class Mute(Exception):\n    def __str__(self): raise ValueError\nraise Mute\n" + SELF_SCORE,
        check("temperature", "lambda weights, tau: {frozenset([1]): torch.empty(2, device='meta')}"),
    ],
    "=也是对的": [ONE_QUERY, "import ctypes\nctypes.string_at(0)\n" + SELF_SCORE],
}


def notebook(cells):
    # 头一格里的 import 语法不对，后面的也不跟着错
    checks = "from course_lib.exercises import check" + (", =" if cells is not RIGHT else "")
    cells = [nbformat.v4.new_code_cell(source) for source in [checks, *IMPORTS, *cells]]
    return nbformat.writes(nbformat.v4.new_notebook(cells=cells))


def grade(folder, *arguments):
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONUTF8": "1", "A_PASSWORD": "芝麻开门"}
    command = [sys.executable, "-m", "course_lib.exercises", *map(str, arguments)]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=280)


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    folder = tmp_path_factory.mktemp("交上来的")
    for name, cells in SUBMISSIONS.items():
        (folder / f"{name}.ipynb").write_text(notebook(cells), encoding="utf-8")
    (folder / "不是笔记本.ipynb").write_bytes(b"\x89PNG\r\n")
    (folder / "没有练习.ipynb").write_text(notebook(["print(1)"]), encoding="utf-8")
    table = folder / "成绩.csv"
    done = grade(folder, ".", "没有这个.ipynb", "--csv", table, "--seconds", 4, "--memory", 1500)
    assert "Traceback" not in done.stderr, done.stderr
    with table.open(encoding="utf-8", newline="") as file:
        _, *rows = csv.reader(file)
    return folder, done, rows, table


def verdicts(graded, who):
    """{题目: (结果, 说明)}"""
    return {
        row[1].partition(".")[2]: (row[2], row[3]) for row in graded[2] if row[0].endswith(f"{who}.ipynb")
    }


def marks(graded, who):
    return "".join(mark for mark, _ in verdicts(graded, who).values())


@pytest.mark.subprocess
class TestSubmissions:
    def test_right(self, graded):
        assert marks(graded, "对的") == "✓✓✓✓"

    def test_wrong_answers_draw_their_hints(self, graded):
        said = verdicts(graded, "错的")
        assert said["one-query"] == ("✗", f"还不对：{the_hint('one-query', '除以')}")
        assert said["aim"][0] == "✗" and "第 2 行 return keys[j] / 0" not in said["one-query"][1]
        assert said["self-score"][0] == "✗" and "第 1 行语法不对" in said["self-score"][1]
        assert said["temperature"] == ("—", "笔记本里没有这一题的检查。")

    def test_empty(self, graded):
        assert marks(graded, "空的") == "○○○○"

    def test_a_cell_that_hangs_or_crashes_costs_only_itself(self, graded):
        said = verdicts(graded, "卡住的")
        assert [mark for mark, _ in said.values()] == ["✗", "✗", "✓", "✗"]
        assert "运行了 4 秒还没有完" in said["one-query"][1]
        assert "让 Python 中断了" in said["aim"][1]
        assert "memory" in said["temperature"][1] or sys.platform != "linux"
        assert verdicts(graded, "=也是对的")["one-query"][0] == "✓"
        assert "退出码 -11" in verdicts(graded, "=也是对的")["self-score"][1]

    def test_odd_answers_are_called_wrong_not_hostile(self, graded):
        said = verdicts(graded, "怪的")
        assert [mark for mark, _ in said.values()] == ["✓", "✗", "✗", "✗"]
        assert "结果应当是小数张量" in said["aim"][1] and "结果应当是小数张量" in said["temperature"][1]
        assert said["self-score"][1] == "这一格运行到一半出错，没有轮到检查：抛出了异常（Mute：）。"

    def test_forged_verdicts_count_for_nothing(self, graded):
        said = verdicts(graded, "造假的")
        assert [mark for mark, _ in said.values()] == ["✗", "✗", "✗", "✗"], said
        assert said["one-query"] == verdicts(graded, "错的")["one-query"]
        # 异常的话里印不出勾，也没有控制字符
        assert "√ 正确" in said["aim"][1] and said["aim"][1].isprintable()
        assert "扰乱了检查" in said["self-score"][1] and "扰乱了检查" in said["temperature"][1]

    def test_vandals_harm_only_themselves(self, graded):
        assert marks(graded, "捣乱的") == "✓✓✗—"

    @pytest.mark.skipif(not sys.platform.startswith("linux"), reason="别的系统上查不到另立门户的进程")
    def test_nobody_is_left_behind(self, graded):
        commands = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if path.exists()]
        assert not [
            command for command in commands if b"time.sleep(987)" in command or b"grading.pupil" in command
        ]

    def test_files_that_are_not_submissions(self, graded):
        folder, done, rows, _ = graded
        faults = {Path(row[0]).name: row[3] for row in rows if row[2] == "没有批"}
        assert faults == {
            "不是笔记本.ipynb": "不是笔记本：它的内容不是 JSON，可能存坏了，也可能交错了文件。",
            "没有练习.ipynb": "里面没有一道练习：是不是交错了文件？",
            "没有这个.ipynb": "没有这个文件。",
        }
        assert done.returncode == 1 and all(f"{name}：{said}" in done.stdout for name, said in faults.items())
        assert sorted(path.stem for path in folder.glob("*.ipynb")) == sorted(
            [*SUBMISSIONS, "不是笔记本", "没有练习"]
        )

    def test_the_table(self, graded):
        lines = graded[1].stdout.splitlines()
        assert lines[0] == "《缩放点积注意力》"
        assert lines[1].split() == ["one-query", "aim", "self-score", "temperature", "做对"]
        (row,) = [line for line in lines if line.startswith("对的.ipynb")]
        assert row.split()[1:] == ["✓", "✓", "✓", "✓", "4/4"]
        (count,) = [line for line in lines if line.startswith("✓ ")]
        assert count.split()[1:] == ["4", "2", "2", "1"]

    def test_the_csv_opens_in_excel(self, graded):
        assert graded[3].read_bytes().startswith(b"\xef\xbb\xbf")
        assert len([row for row in graded[2] if row[0].startswith("'=也是")]) == 4
        assert all(cell[:1] not in ("=", "+", "-", "@") for row in graded[2] for cell in row)
        assert len([row for row in graded[2] if row[1]]) == 4 * len(SUBMISSIONS)


def the_hint(name, words):
    (hint,) = [h for h in EXERCISES[f"{TOPIC}.{name}"].wrong if words in h]
    return hint


@pytest.mark.subprocess
def test_whole_notebook_runs_cells_that_exercises_need(tmp_path):
    """往列表里添东西的一格，只有 --whole 才运行；出错的一格不碍后面的。口令不给学生的进程。"""
    path = tmp_path / "a.ipynb"
    cells = [
        "answers = []",
        "answers.append(32.0)\n1 / 0",
        "wanted = answers[0]",
        check("self-score", "wanted"),
        "import os\n"
        + check("aim", "(lambda keys, j: keys[j] * 1000) if 'A_PASSWORD' not in os.environ else 0"),
    ]
    path.write_text(notebook(cells), encoding="utf-8")
    for options, expected in (([], "—✓✗—"), (["--whole"], "—✓✓—")):
        done = grade(tmp_path, path, "--csv", "t.csv", *options)
        assert done.returncode == 0, done.stderr
        with (tmp_path / "t.csv").open(encoding="utf-8-sig") as file:
            rows = list(csv.DictReader(file))
        assert "".join(row["结果"] for row in rows) == expected
        assert options or rows[2]["说明"].endswith(
            "没有定义的名字（NameError：name 'wanted' is not defined）。"
            "（在它前面，第 5 个代码格先出了事：下标越界（IndexError：list index out of range）。）"
        )


@pytest.mark.subprocess
def test_what_was_graded_survives_the_grader(tmp_path):
    """谁也拦不住它停掉批作业的进程，可是批过的都在，屏幕上说得出停在谁那里。"""
    (tmp_path / "a.ipynb").write_text(notebook(RIGHT), encoding="utf-8")
    (tmp_path / "b.ipynb").write_text(
        notebook(["import os\nos.kill(os.getppid(), 9)\n" + ONE_QUERY]), encoding="utf-8"
    )
    done = grade(tmp_path, ".", "--csv", "t.csv")
    assert done.returncode == -9 and done.stderr.splitlines()[-1] == "[2/2] b.ipynb"
    with (tmp_path / "t.csv").open(encoding="utf-8-sig") as file:
        assert [(row["笔记本"], row["结果"]) for row in csv.DictReader(file)] == [("a.ipynb", "✓")] * 4


@pytest.mark.subprocess
@pytest.mark.thorough
@pytest.mark.parametrize(("kind", "mark"), [("key", "✓"), ("student", "○")])
def test_every_chapter(tmp_path, kind, mark):
    """答案的一份八十一道全对，学生的一份全是还没有写。"""
    teach.write(tmp_path)
    done = grade(tmp_path, kind, "--csv", "t.csv")
    with (tmp_path / "t.csv").open(encoding="utf-8-sig") as file:
        seen = {row["练习"]: row["结果"] for row in csv.DictReader(file)}
    assert done.returncode == 0 and seen == dict.fromkeys(EXERCISES, mark)


class Loopback:
    """不起进程的学生：一问一答都在这里，仍旧写成 JSON 再读回来。"""

    deadline = 0

    def __init__(self, exercise, answer):
        self.exercise, self.answer = exercise, answer

    def say(self, call):
        if call == 0:
            self.cases = self.exercise.inputs()
        self.case = self.cases[call]

    def hear(self):
        line = json.dumps(outcome(self.exercise, self.answer, self.case))
        assert len(line) < LIMIT // 10
        return json.loads(line)


@pytest.mark.parametrize("exercise", EXERCISES.values(), ids=EXERCISES)
def test_judging_from_afar_is_judging(exercise):
    """隔着管道判，与在一个进程里判，说的是同一句话：对的、每一种错的。"""
    wrong = [way.example if isinstance(way, Symptom) else way for _, way in exercise.wrong_ways()]
    for answer in [exercise.right, *wrong, lambda: 1, lambda *_: None, [1, torch.nan], {"a": ...}, None]:
        assert judge_from_afar(exercise, answer) == judge(exercise, answer)


def judge_from_afar(exercise, answer):
    from dataclasses import replace

    if exercise.cases is None or not callable(answer):
        return judge(exercise, decode(json.loads(json.dumps(encode(answer)))))
    remote = Remote(Loopback(exercise, answer), exercise, takes(answer, exercise.inputs()[0]))
    return judge(replace(exercise, observe=remote.observe if exercise.observe else None), remote)


@pytest.mark.parametrize(
    "value",
    [
        None, True, 3, -(10**40), 0.1, float("inf"), "行\ud800", ..., [1, (2.5, "a")], {"a": {1, 2}, 3: None},
        torch.randn(2, 3), torch.zeros(0, 4), torch.tensor(True), torch.randn(3).half(),
        torch.randn(2, 2).bfloat16().T, torch.randn(2, dtype=torch.complex64), np.arange(3), np.float32(2),
    ],
    ids=lambda v: type(v).__name__,
)  # fmt: skip
def test_what_is_written_is_read_back(value):
    back = decode(json.loads(json.dumps(encode(value))))
    value = value.item() if isinstance(value, np.generic) else value
    assert (
        back is value
        or same(
            torch.as_tensor(back) if isinstance(value, np.ndarray) else back,
            torch.as_tensor(value) if isinstance(value, np.ndarray) else value,
            0,
        )
        or back == tuple(value)
    ), back


@pytest.mark.parametrize(
    "value",
    [10**5000, object(), int, len, torch.zeros(9, 10**6), np.array(["a"])],
    ids=lambda v: type(v).__name__,
)
def test_what_cannot_be_written_is_named(value):
    assert len(json.dumps(encode(value))) < 100


@pytest.mark.parametrize(
    "written",
    [
        [1], {}, {"a": 1, "b": 2}, {"pickle": "x"}, {"tensor": ["float32", [2], ""]},
        {"tensor": ["float32", [-1], "AAAA"]}, {"tensor": ["object", [1], "AAAA"]}, {"dict": [[{"dict": []}, 1]]},
        {"list": 3}, {"raised": []}, {"class": "\0"},
    ],
    ids=range(11),
)  # fmt: skip
def test_nothing_ill_formed_is_read(written):
    remote = Remote(Loopback(EXERCISES[f"{TOPIC}.aim"], None), EXERCISES[f"{TOPIC}.aim"], True)
    remote._pupil.hear = lambda: {"result": written}
    with pytest.raises(Gone):
        remote(1, 2)


def kept(*codes):
    asks = ("topic.name",)
    cells = [Cell(code, asks if "check(" in code else ()) for code in codes]
    return [cell.code.strip() for cell in only_exercises(cells)]


def test_only_what_the_exercises_need_is_kept():
    assert kept(
        "import torch\nimport time\ntime.sleep(99)",
        "%pip install x\nwidth = 3\nheight = 4",
        "def area():\n    return width * other()\ndef unused(): ...",
        "def other():\n    return torch.ones(1)",
        "table = {}\nloss = train(area)",
        "table['a'] = 1\nwidth += 1",
        "check('topic.name', lambda: area() + table['a'])",
        "width = 0",
    ) == [
        "import torch",
        "width = 3",
        "def area():\n    return width * other()",
        "def other():\n    return torch.ones(1)",
        "table = {}",
        "table['a'] = 1\nwidth += 1",
        "check('topic.name', lambda: area() + table['a'])",
        "",
    ]
    assert kept("from math import *\nx = (", "x = (", "check('topic.name', pi)")[0] == ""
    assert kept("from math import *", "check('topic.name', pi)")[0] == "from math import *"


def test_slices_of_real_chapters_leave_the_training_out():
    for path in CHAPTERS:
        cells = read(path)
        sliced = only_exercises(cells)
        plain = "\n".join(cell.code for cell in sliced if not cell.asks and cell.code)
        assert len(plain.splitlines()) < 40 and "setup()" not in plain, (path.name, plain)


@pytest.mark.parametrize("content", ["[]", "{}", '{"cells": 3}', '{"cells": [3]}', "[" * 100_000, ""])
def test_other_files_are_not_notebooks(tmp_path, content):
    (tmp_path / "a.ipynb").write_text(content)
    with pytest.raises(NotANotebookError, match=r"^不是笔记本：.*。$"):
        read(tmp_path / "a.ipynb")
    with pytest.raises(NotANotebookError, match="打不开"):
        read(tmp_path)


def test_files_without_an_end_old_ones_and_long_names(tmp_path):
    (tmp_path / "old.ipynb").write_text('{"worksheets": [{"cells": []}], "nbformat": 3}')
    (tmp_path / "device.ipynb").symlink_to("/dev/zero")
    long = Path("长" * 1000)
    assert found([long]) == [long]
    for path, words in (("old.ipynb", "旧格式"), ("device.ipynb", "不是普通的文件"), (long, "打不开")):
        with pytest.raises(NotANotebookError, match=words):
            read(tmp_path / path)


def test_a_misspelt_name_is_named():
    cells = [Cell(check("temprature", "lambda weights, tau: weights"), (f"{TOPIC}.temprature",))]
    marks = Marking(EXERCISES, cells, Limits()).mark()
    assert (
        marks[f"{TOPIC}.temperature"].said == f"check 里的名字写成了 {TOPIC}.temprature，没有检查到这一题。"
    )
    assert [verdict.mark for verdict in marks.values()].count(WRONG) == 1
    assert Marking(EXERCISES, [Cell("", ("chess.knight",))], Limits()).mark() == {}


def test_small_matters(tmp_path):
    assert harmless("=1+1") == "'=1+1" and harmless("✗") == "✗"
    assert [harmless(f"{c}x")[0] for c in "+-@＝\t\r"] == ["'"] * 6
    assert aligned([["甲", "b"], ["abc", "d"]]) == "甲   b\nabc  d"
    assert _clean("✗ a\n✓\x1b[2J\u202e" + "长" * 500).isprintable()
    for name in ("a/x.ipynb", "b/x.ipynb", "b/.ipynb_checkpoints/x.ipynb"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    papers = found([tmp_path, tmp_path / "a" / "x.ipynb"])
    assert papers == [tmp_path / "a/x.ipynb", tmp_path / "b/x.ipynb"]
    assert len(set(labels(papers).values())) == 2


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda p: p.stem)
def test_teachers_notebooks(path):
    """学生的一份只少了解答，答案的一份只多了它；两份都还是笔记本。"""
    original = nbformat.read(path, as_version=4)
    student, key = teach.without_solutions(original), teach.with_answers(original)
    for made in (student, key):
        nbformat.validate(made)
        assert "参考解答" not in json.dumps(made, ensure_ascii=False)
    code = [
        [cell.source for cell in made.cells if cell.cell_type == "code"] for made in (original, student, key)
    ]
    assert code[0] == code[1]
    changed = [(a, b) for a, b in zip(code[1], code[2], strict=True) if a != b]
    assert changed == [(a, b) for a, b in zip(code[1], code[2], strict=True) if teach.ASKED.search(a)]
    prose = [
        "\n".join(cell.source for cell in made.cells if cell.cell_type == "markdown")
        for made in (original, student)
    ]
    assert prose[0].count("<summary>提示") == prose[1].count("<summary>提示") and len(prose[1]) > 0.8 * len(
        prose[0]
    )
