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
import torch

from chapters import CHAPTERS, ROOT
from course_lib.exercises import EXERCISES, judge
from course_lib.exercises.comparing import same
from course_lib.exercises.exercise import Symptom
from course_lib.exercises.running import takes
from teach import notebooks
from teach.__main__ import aligned, found, harmless, labels
from teach.cells import ASKED, Cell, NotANotebookError, read
from teach.marking import WRONG, Limits, Marking, Remote, _clean
from teach.process import Gone
from teach.pupil import outcome
from teach.wire import LIMIT, decode, encode

pytestmark = pytest.mark.guards("course_lib/exercises", "teach", "chapters/*.ipynb")

TOPIC = "scaled_dot_product_attention"
ASKED_THERE = [name.partition(".")[2] for name in EXERCISES if name.startswith(f"{TOPIC}.")]
HANDED_IN = ("one-query", "aim", "self-score", "temperature")  # 下面各本里都有的
ATTEND = """\
def attend(q, keys, values):
    scores = keys @ q / q.numel() ** 0.5
    return scores.softmax(dim=0) @ values
"""
FORGOT = ATTEND.replace(" / q.numel() ** 0.5", "")
CHECKED = "from course_lib.exercises import check\n"


def check(name, answer):
    return f'check("{TOPIC}.{name}", {answer})'


ONE_QUERY, AIM = ATTEND + check("one-query", "attend"), check("aim", "lambda keys, j: keys[j] * 1000")
SELF_SCORE = check("self-score", "32.0")
TEMPERATURE = """\
def reheat(weights, tau):
    powered = weights ** (1 / tau)
    return powered / powered.sum(dim=-1, keepdim=True)
""" + check("temperature", "reheat")

# 每一种攻击真的做了，都要在 MARKS 里留下记号；攻击所在的格不是练习格，所以整本运行
MARKED = """
from pathlib import Path
import json, os, shutil, subprocess, sys, time
def done(attack, **facts): Path({folder!r}, attack).write_text(json.dumps(facts))
def was_done(attack): return Path({folder!r}, attack).exists()
"""
FORGER = [
    "print('✓ 正确。四步都在')\ndone('印出假的勾')",
    """
import course_lib.exercises as e
fake = e.check = e.verdict = e.judge = e.computed.judge = lambda *_: '✓ 正确。'
e.judging.Judge.verdict = e.judging.Judge._verdict = fake
e.comparing.same = e.judging.same = lambda *_: True
e.EXERCISES.clear()
done('换掉检查', said=[e.verdict('x', 1), e.judging.Judge.verdict(None, 1), e.judging.same(1, 2)])""",
    FORGOT + check("one-query", "attend"),
    # 检查时翻看调用它的人，有没有解答或者判决可改
    f"""
import inspect
def aim(keys, j):
    values = [value for frame in inspect.stack() for value in frame.frame.f_locals.values()]
    rights = [value.right for value in values if hasattr(value, "right")]
    done('翻看调用的人', rights=rights)
    raise RuntimeError("\\n✓ 正确。\\x1b[2J")
{check("aim", "aim")}""",
    # 直接往管道里写
    f"""
import gc
(line,) = [x for x in gc.get_objects() if type(x).__name__ == "Line"]
done('往管道里写判决')
line.say(verdict="✓ 正确。")
{check("self-score", "1.0")}""",
    f"""
import gc
(line,) = [x for x in gc.get_objects() if type(x).__name__ == "Line"]
line.say(check="{TOPIC}.temperature", takes=True)
done('往管道里写结果', asked=line.hear())
while True:
    line.say(result={{"dict": [[i * (2**61 - 1), 0] for i in range(50_000)]}})
    line.hear()
check("{TOPIC}.temperature", None)""",
]
VANDAL = [
    "done('读环境变量', names=sorted(os.environ))",
    """
home = Path.cwd()
for path in home.parent.glob('homework*'):
    if path != home: shutil.rmtree(path, ignore_errors=True)
shutil.rmtree(home)
done('删掉文件夹', still=home.exists())
os.makedirs(Path.home() / '.config')
(Path.home() / '.config' / 'left').write_text('x')""",
    """
written = sum(print('✓ 正确。' * 200_000) or 1_000_000 for _ in range(60))
done('印出几千万字', written=written)""",
    """
code = MARKED + "done('另立门户的进程', pid=os.getpid())\\ntime.sleep(987)"
subprocess.Popen([sys.executable, '-c', code], start_new_session=True)
while not was_done('另立门户的进程'): time.sleep(0.05)""",
    """
if os.fork() == 0:
    os.setsid()
    done('分出去的进程', pid=os.getpid())
    time.sleep(987)
while not was_done('分出去的进程'): time.sleep(0.05)""",
    "done('退出')\nsys.exit(3)",
    ONE_QUERY,
    AIM + "\ndone('关掉内核')\nquit()",
    # 印出来的不算数
    "print('✓')\nraise SystemExit\n" + SELF_SCORE,
    "done('立刻结束进程')\nos._exit(7)\n" + TEMPERATURE,
]
STUCK = [
    # 卡住的一格里的 import 别的格还用得到
    "import math\ndef attend(q, keys, values):\n    done('停不下来')\n    time.sleep(10**6)\n" + check("one-query", "attend"),
    "import ctypes\ndone('段错误')\nctypes.string_at(0)\n" + AIM,
    "math.pi\n" + SELF_SCORE,
    "def reheat(weights, tau):\n    done('占满内存')\n    return torch.empty(10**9)\n" + check("temperature", "reheat"),
]  # fmt: skip
ATTACKS = {
    "印出假的勾", "换掉检查", "翻看调用的人", "往管道里写判决", "往管道里写结果", "读环境变量", "删掉文件夹", "印出几千万字",
    "另立门户的进程", "分出去的进程", "退出", "关掉内核", "立刻结束进程", "停不下来", "段错误", "占满内存",
}  # fmt: skip

SUBMISSIONS = {
    "=空的": [check(name, "...") for name in HANDED_IN],
    "卡住的": STUCK,
    "捣乱的": VANDAL,
    "造假的": FORGER,
    # 在它们之后批的
    "错的": [
        FORGOT + check("one-query", "attend"),
        "def aim(keys, j):\n    return keys[j] * (1 / 0)\n" + check("aim", "aim") + "\n1 / 0",
        "class Mute(Exception):\n    def __str__(self): raise ValueError\nraise Mute\n" + SELF_SCORE,
        "reheat = = 3\n" + check("temperature", "reheat"),
    ],
    "预备，对的": ["%matplotlib inline\n" + ONE_QUERY, AIM, SELF_SCORE, TEMPERATURE],
}


def notebook(cells):
    cells = [nbformat.v4.new_code_cell(source) for source in cells]
    return nbformat.writes(nbformat.v4.new_notebook(cells=cells))


def grade(folder, *arguments):
    # 学生的文件夹建在 TMPDIR 里：捣乱的那一本要删旁边的
    (folder / "tmp").mkdir(exist_ok=True)
    own = {
        "PYTHONPATH": str(ROOT),
        "PYTHONUTF8": "1",
        "TMPDIR": str(folder / "tmp"),
        "A_PASSWORD": "芝麻开门",
    }
    command = [sys.executable, "-m", "teach", *map(str, arguments)]
    return subprocess.run(command, cwd=folder, env=os.environ | own, capture_output=True, text=True)


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """（提交的文件夹，命令的结果，表格的各行，攻击留下的记号）"""
    folder, marks = tmp_path_factory.mktemp("交上来的"), tmp_path_factory.mktemp("记号")
    marked = MARKED.format(folder=str(marks))
    for name, cells in SUBMISSIONS.items():
        # 头一格里的 import 语法不对，后面的也不跟着错
        checks = "from course_lib.exercises import check" + (", =" if name == "错的" else "")
        first = [checks, "import torch", marked + f"MARKED = {marked!r}"]
        (folder / f"{name}.ipynb").write_text(notebook([*first, *cells]), encoding="utf-8")
    (folder / "不是笔记本.ipynb").write_bytes(b"\x89PNG\r\n")
    (folder / "没有练习.ipynb").write_text(notebook(["print(1)"]), encoding="utf-8")
    done = grade(
        folder,
        ".",
        "没有这个.ipynb",
        "--whole",
        "--csv",
        folder / "成绩.csv",
        "--seconds",
        8,
        "--memory",
        1500,
    )
    assert "Traceback" not in done.stderr, done.stderr
    with (folder / "成绩.csv").open(encoding="utf-8", newline="") as file:
        _, *rows = csv.reader(file)
    return folder, done, rows, {path.name: json.loads(path.read_text()) for path in marks.iterdir()}


def verdicts(graded, who):
    """{题目: (结果, 说明)}"""
    rows = [row for row in graded[2] if row[0].endswith(f"{who}.ipynb")]
    said = {name.partition(".")[2]: (mark, words) for _, name, mark, words in rows}
    assert all(mark == "—" for name, (mark, _) in said.items() if name not in HANDED_IN)
    return {name: said[name] for name in HANDED_IN}


def marks(graded, who):
    return "".join(mark for mark, _ in verdicts(graded, who).values())


@pytest.mark.subprocess
class TestSubmissions:
    def test_right_wrong_and_empty(self, graded):
        assert marks(graded, "预备，对的") == "✓✓✓✓" and marks(graded, "空的") == "○○○○"
        said = verdicts(graded, "错的")
        assert {mark for mark, _ in said.values()} == {"✗"}
        assert said["one-query"][1] == f"还不对：{the_hint('one-query', '除以')}"
        assert "第 2 行 return keys[j] * (1 / 0)" in said["aim"][1]
        assert said["self-score"][1] == "这一格运行到一半出错，没有轮到检查：抛出了异常（Mute）。" + (
            "（在它前面，第 1 个代码格先出了事：第 1 行语法不对（SyntaxError：invalid syntax）。）"
        )
        assert "第 1 行语法不对" in said["temperature"][1]

    def test_every_attack_was_made(self, graded):
        facts = graded[3]
        assert facts.keys() == ATTACKS
        assert facts["换掉检查"]["said"] == ["✓ 正确。", "✓ 正确。", True]
        assert facts["删掉文件夹"] == {"still": False}
        assert facts["印出几千万字"]["written"] == 6 * 10**7
        assert "call" in facts["往管道里写结果"]["asked"]

    def test_forged_verdicts_count_for_nothing(self, graded):
        said = verdicts(graded, "造假的")
        assert marks(graded, "造假的") == "✗✗✗✗", said
        assert said["one-query"] == verdicts(graded, "错的")["one-query"]
        # 学生的进程里没有解答；异常的话里印不出勾，也没有控制字符
        assert not any(graded[3]["翻看调用的人"]["rights"])
        assert "√ 正确" in said["aim"][1] and said["aim"][1].isprintable()
        assert "扰乱了检查" in said["self-score"][1] and "扰乱了检查" in said["temperature"][1]

    def test_vandals_harm_only_themselves(self, graded):
        assert marks(graded, "捣乱的") == "✓✓✗✗"
        assert "退出码 7" in verdicts(graded, "捣乱的")["temperature"][1]
        assert "A_PASSWORD" not in graded[3]["读环境变量"]["names"]

    def test_a_cell_that_hangs_or_crashes_costs_only_itself(self, graded):
        said = verdicts(graded, "卡住的")
        assert marks(graded, "卡住的") == "✗✗✓✗"
        assert "运行了 8 秒还没有完" in said["one-query"][1]
        assert "退出码 -11" in said["aim"][1]
        assert "memory" in said["temperature"][1] or sys.platform != "linux"

    @pytest.mark.skipif(not sys.platform.startswith("linux"), reason="别的系统上查不到另立门户的进程")
    def test_nobody_is_left_behind(self, graded):
        for attack in ("另立门户的进程", "分出去的进程"):
            assert not Path("/proc", str(graded[3][attack]["pid"])).exists(), attack
        commands = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if path.exists()]
        assert not [command for command in commands if b"time.sleep(987)" in command]

    def test_files_that_are_not_submissions(self, graded):
        folder, done, rows, _ = graded
        faults = {Path(row[0]).name: row[3] for row in rows if row[2] == "没有批"}
        assert faults == {
            "不是笔记本.ipynb": "不是笔记本：它的内容不是 JSON，可能存坏了，也可能交错了文件。",
            "没有练习.ipynb": "里面没有一道练习：是不是交错了文件？",
            "没有这个.ipynb": "没有这个文件。",
        }
        assert done.returncode == 1 and all(f"{name}：{said}" in done.stdout for name, said in faults.items())
        assert {path.stem for path in folder.glob("*.ipynb")} == {*SUBMISSIONS, "不是笔记本", "没有练习"}

    def test_the_table(self, graded):
        lines = graded[1].stdout.splitlines()
        assert lines[0] == "《缩放点积注意力》"
        assert lines[1].split() == [*ASKED_THERE, "做对"]
        (row,) = [line for line in lines if line.startswith("预备，对的.ipynb")]
        marks = ["✓" if name in HANDED_IN else "—" for name in ASKED_THERE]
        assert row.split()[1:] == [*marks, f"4/{len(ASKED_THERE)}"]
        (count,) = [line for line in lines if line.startswith("✓ ")]
        right = {"one-query": "2", "aim": "2", "self-score": "2", "temperature": "1"}
        assert count.split()[1:] == [right.get(name, "0") for name in ASKED_THERE]

    def test_the_csv_opens_in_excel(self, graded):
        assert (graded[0] / "成绩.csv").read_bytes().startswith(b"\xef\xbb\xbf")
        assert len([row for row in graded[2] if row[0].startswith("'=空的")]) == len(ASKED_THERE)
        assert all(cell[:1] not in ("=", "+", "-", "@") for row in graded[2] for cell in row)
        assert len([row for row in graded[2] if row[1]]) == len(ASKED_THERE) * len(SUBMISSIONS)


def the_hint(name, words):
    (hint,) = [h for h in EXERCISES[f"{TOPIC}.{name}"].wrong if words in h]
    return hint


def marked(*sources, whole=False):
    """一本笔记本的各道各得什么。"""
    cells = [Cell(source, tuple(ASKED.findall(source))) for source in sources]
    return Marking(EXERCISES, cells, Limits(whole=whole)).mark()


@pytest.mark.subprocess
def test_only_what_is_needed_runs():
    """先只运行练习格；缺了别的格里的名字，就从头到尾再运行一遍，出错的一格不碍后面的。"""
    before = ["import torch", "answers = [0.0]", "answers[0] = 32.0\n1 / 0", "raise SystemExit"]
    own = "answers = [1.0]\n"
    seen = marked("raise SystemExit", *before, own + check("self-score", "answers[0]"))
    assert seen[f"{TOPIC}.self-score"].mark == WRONG  # 别的格没有运行
    seen = marked(*before, check("self-score", "answers[0]"), AIM)
    right = {name.partition(".")[2] for name, verdict in seen.items() if verdict.mark == "✓"}
    assert right == {"self-score", "aim"}
    seen = marked(*before, "wanted = nothing", check("self-score", "wanted"))
    assert seen[f"{TOPIC}.self-score"].said.endswith(
        "没有定义的名字（NameError：name 'wanted' is not defined）。"
        "（在它前面，第 3 个代码格先出了事：除以了 0（ZeroDivisionError：division by zero）。）"
    )


@pytest.mark.subprocess
def test_what_was_graded_survives_the_grader(tmp_path):
    """谁也拦不住它停掉批作业的进程，可是批过的都在，屏幕上说得出停在谁那里。"""
    (tmp_path / "a.ipynb").write_text(notebook([CHECKED + SELF_SCORE]), encoding="utf-8")
    killer = "import os\nos.kill(os.getppid(), 9)\n"
    (tmp_path / "b.ipynb").write_text(notebook([CHECKED + killer + SELF_SCORE]), encoding="utf-8")
    done = grade(tmp_path, ".", "--csv", "t.csv")
    assert done.returncode == -9 and done.stderr.splitlines()[-1] == "[2/2] b.ipynb"
    with (tmp_path / "t.csv").open(encoding="utf-8-sig") as file:
        seen = {row["练习"]: row["结果"] for row in csv.DictReader(file) if row["笔记本"] == "a.ipynb"}
    assert seen[f"{TOPIC}.self-score"] == "✓" and len(seen) == len(ASKED_THERE)


@pytest.mark.subprocess
@pytest.mark.thorough
@pytest.mark.parametrize(("kind", "mark"), [("key", "✓"), ("student", "○")])
def test_every_chapter(tmp_path, kind, mark):
    """答案的一份全对，学生的一份全是还没有写。"""
    notebooks.write(tmp_path)
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
    for answer in [
        exercise.right,
        *wrong,
        lambda: 1,
        lambda *_: None,
        lambda *_: 10**5000,
        [1, torch.nan],
        {"a": ...},
        None,
    ]:
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
        None, True, 3, -(10**40), [10**5000], 0.1, float("inf"), "行\ud800", ..., [1, (2.5, "a")], {"a": {1, 2}, 3: None},
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
    [object(), int, len, torch.zeros(9, 10**6), np.array(["a"])],
    ids=lambda v: type(v).__name__,
)
def test_what_cannot_be_written_is_named(value):
    assert len(json.dumps(encode(value))) < 100


@pytest.mark.parametrize(
    "written",
    [
        [1], {}, {"a": 1, "b": 2}, {"pickle": "x"}, {"tensor": ["float32", [2], ""]},
        {"tensor": ["float32", [-1], "AAAA"]}, {"tensor": ["object", [1], "AAAA"]}, {"dict": [[{"dict": []}, 1]]},
        {"list": 3}, {"raised": []}, {"class": "\0"}, {"int": "三"},
        {"dict": [[i, 0] for i in range(10_001)]},
    ],
    ids=range(13),
)  # fmt: skip
def test_nothing_ill_formed_is_read(written):
    remote = Remote(Loopback(EXERCISES[f"{TOPIC}.aim"], None), EXERCISES[f"{TOPIC}.aim"], True)
    remote._pupil.hear = lambda: {"result": written}
    with pytest.raises(Gone):
        remote(1, 2)


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


@pytest.mark.parametrize(
    ("command", "arguments", "said"),
    [("teach", "--help", "--csv"), ("teach.notebooks", "--help", "usage"), ("teach.notebooks", "out", "out")],
)
@pytest.mark.subprocess
def test_a_terminal_without_chinese(tmp_path, command, arguments, said):
    """印成问号，不停下；问一句怎样用，什么也不写。"""
    env = os.environ | {"PYTHONIOENCODING": "cp1252", "PYTHONPATH": str(ROOT)}
    asked = [sys.executable, "-m", command, arguments]
    done = subprocess.run(asked, cwd=tmp_path, env=env, capture_output=True, text=True)
    assert done.returncode == 0 and said in done.stdout and "??" in done.stdout and not done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ([] if arguments == "--help" else ["out"])


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda p: p.stem)
def test_teachers_notebooks(path):
    """学生的一份只少了解答，答案的一份只多了它；两份都还是笔记本。"""
    original = nbformat.read(path, as_version=4)
    student, key = notebooks.without_solutions(original), notebooks.with_answers(original)
    for made in (student, key):
        nbformat.validate(made)
        assert "参考解答" not in json.dumps(made, ensure_ascii=False)
    code = [
        [cell.source for cell in made.cells if cell.cell_type == "code"] for made in (original, student, key)
    ]
    assert code[0] == code[1]
    changed = [(a, b) for a, b in zip(code[1], code[2], strict=True) if a != b]
    assert changed == [(a, b) for a, b in zip(code[1], code[2], strict=True) if notebooks.ASKED.search(a)]
    prose = [
        "\n".join(cell.source for cell in made.cells if cell.cell_type == "markdown")
        for made in (original, student)
    ]
    assert prose[0].count("<summary>提示") == prose[1].count("<summary>提示") and len(prose[1]) > 0.8 * len(
        prose[0]
    )
