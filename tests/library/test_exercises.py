"""练习：每道题的折叠解答都能通过，典型的错答得到对路的提示，没写完不报错。"""

import contextlib
import io
import re

import pytest
import torch
from wrong_answers import WRONG_ANSWERS

from chapters import CHAPTERS, cells, source
from course_lib.exercises import check, exercise_names, verdict
from course_lib.exercises.registry import run

SOLUTION = re.compile(r"<details>\s*<summary>[^<]*</summary>\s*```python\n(.*?)```.*?</details>", re.S)
ASKED = re.compile(r'\bcheck\("([^"]+)"')


def asked_in(path):
    return [name for c in cells(path, "code") for name in ASKED.findall(source(c))]


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda p: p.stem)
class TestChapter:
    def test_three_to_five_exercises(self, path):
        names = asked_in(path)
        assert 3 <= len(names) <= 5 and len(set(names)) == len(names)
        assert {n.split(".")[0] for n in names} == {re.sub(r"^\d+_", "", path.stem)}

    def test_unfinished_cells_do_not_pass(self, path):
        """读者还没动手时，练习格应当说“还没有写完”，既不报错，也不算对。"""
        scope = {}
        for c in cells(path, "code"):
            if ASKED.search(source(c)):
                with contextlib.redirect_stdout(io.StringIO()) as out:
                    exec(preamble(path) + source(c), scope)
                assert out.getvalue().count("○ 还没有写完") == len(ASKED.findall(source(c))), c["id"]

    def test_folded_solutions_pass(self, path):
        solutions = SOLUTION.findall("\n\n".join(source(c) for c in cells(path, "markdown")))
        scope, passed = {}, []
        for solution in solutions:
            with contextlib.redirect_stdout(io.StringIO()) as out:
                exec(preamble(path) + solution, scope)
            assert "✗" not in out.getvalue() and "○" not in out.getvalue(), f"{solution}\n{out.getvalue()}"
            passed += ASKED.findall(solution)
        assert passed == asked_in(path), "每道题都要有折叠的解答，次序相同，解答末尾调用 check"


def preamble(path):
    """章里练习之前的 import；解答只许依赖它们和解答自己。"""
    lines = [
        line
        for c in cells(path, "code")
        if c["id"] != "setup"
        for line in re.findall(
            r"(?m)^(?:import .+|from .+ import [^(\n]+|from .+ import \([^)]+\))$", source(c)
        )
    ]
    return "\n".join(lines) + "\n"


def test_every_check_is_asked_somewhere():
    assert sorted(name for path in CHAPTERS for name in asked_in(path)) == exercise_names()


@pytest.mark.parametrize("name", exercise_names())
def test_wrong_answers_get_their_hints(name):
    """每道题至少两个典型错答，提示各不相同，且说中要害。"""
    wrong = WRONG_ANSWERS[name]
    assert len(wrong) >= 2
    hints = set()
    for answer, words in wrong:
        torch.manual_seed(0)
        hint = verdict(name, answer)
        assert hint.startswith("✗ ") and words in hint, hint
        hints.add(hint)
    assert len(hints) == len(wrong)


@pytest.mark.parametrize("name", exercise_names())
@pytest.mark.parametrize("answer", [None, ..., lambda *args: None, lambda *args: ...])
def test_unfinished(name, answer):
    said = verdict(name, answer)
    assert said.startswith("○ 还没有写完") or (callable(answer) and said.startswith("✗ 还不对"))


def fails_with(error):
    def answer(*args):
        raise error

    return answer


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (fails_with(ZeroDivisionError()), "✗ 运行你的答案时出错了，ZeroDivisionError"),
        (fails_with(KeyError("q")), "✗ 运行你的答案时出错了，KeyError"),
        (fails_with(NotImplementedError()), "○ 还没有写完"),
        (3, "✗ 还不对：这一题要交一个函数，收到的却是 int"),
        (lambda *args: [1, 2, 3], "✗ 还不对：输出应当是张量，收到的却是 list"),
        (lambda *args: "三", "✗ 还不对：输出应当是张量，收到的却是 str"),
    ],
)
def test_any_answer_gets_one_sentence_and_nothing_is_raised(answer, words):
    assert verdict("scaled_dot_product_attention.one-query", answer).startswith(words)


def test_answers_may_change_their_input_in_place():
    """检查用的数据与交给读者的是两份，否则就地修改会改掉标准答案。"""
    q = torch.arange(3.0)

    def in_place(x):
        return x.mul_(2)

    assert run(in_place, q).tolist() == [0, 2, 4] and q.tolist() == [0, 1, 2]


def test_unknown_exercise():
    with pytest.raises(ValueError, match="没有名叫"):
        check("nothing.here", 1)
