"""四个数之和的末位：写法、批改、抽样。"""

import pytest
import torch

from course_lib.tasks import last_digit as task


def seeded():
    return torch.Generator().manual_seed(0)


def test_as_the_docstring_says():
    digits = torch.tensor([[3, 8, 5, 9]])
    assert task.text(task.direct(digits)[0]) == "题 3 8 5 9 答 5 。"
    assert task.text(task.steps(digits)[0]) == "题 3 8 5 9 想 3 3 8 1 5 6 9 5 。"
    assert task.text(task.papers(digits.expand(1, 3, 4))[0]) == "题 3 8 5 9 题 3 8 5 9 题 3 8 5 9"


def test_reading_marks_its_own_examples():
    digits = task.problems(50, seeded())
    for ids, thinks, length in ((task.direct(digits), False, 3), (task.steps(digits), True, 10)):
        marks = task.read(ids)
        assert marks.right.all() and (marks.length == length).all()
        assert (marks.steps == thinks).all() and (marks.chain == thinks).all()
        assert (task.written(ids).sum(1) == length).all() and not task.written(ids)[:, : task.PROMPT].any()


@pytest.mark.parametrize(
    "wrote, right, steps, chain, length",
    [
        ("答5。", True, False, False, 3),
        ("答6。", False, False, False, 3),
        ("答5", False, False, False, 10),  # 没有句号，填充也算写了
        ("想3381569 5。".replace(" ", ""), True, True, True, 10),
        ("想3381579 5。".replace(" ", ""), True, True, False, 10),  # 中间错了，末了碰巧对
        ("答3381569 5。".replace(" ", ""), True, False, False, 10),
        ("5。", True, False, False, 2),
        ("。", False, False, False, 1),
        ("答5。答6。", True, False, False, 3),  # 只看头一个句号
    ],
)
def test_marking(wrote, right, steps, chain, length):
    row = [task.TOKENS.index(c) for c in "题3859" + wrote]
    marks = task.read(torch.tensor([row]))
    assert [x.item() for x in marks] == [right, steps, chain, length]


def test_the_corpus_is_a_mixture():
    rows = task.corpus(4000, seeded())
    assert rows.shape == (4000, task.LENGTH)
    after = rows[:, task.PROMPT]
    for token, share in ((task.STEPS, 0.5), (task.DIRECT, 0.3), (task.ASK, 0.2)):
        assert abs((after == token).float().mean() - share) < 0.03
    solved = rows[after != task.ASK]
    assert task.read(solved).right.all()


def test_sampling_repeats_and_greedy_needs_no_dice():
    model, digits = task.small_model().eval(), task.problems(8, seeded())
    first, second = (task.answer(model, digits, seeded()) for _ in range(2))
    assert torch.equal(first, second) and torch.equal(first[:, : task.PROMPT], task.prompts(digits))
    assert torch.equal(task.answer(model, digits), task.answer(model, digits))
    assert not torch.equal(first, task.answer(model, digits))
