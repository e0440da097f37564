"""“一个网络，两张掩码”一章说的、练起来太久的几件事：褒贬的两种规矩混着，学不学得会，看各占多少。"""

from types import SimpleNamespace

import pytest

from chapters import CHAPTERS, cells, source
from course_lib.tasks.review_grammar import END

(CHAPTER,) = [path for path in CHAPTERS if path.stem.endswith("decoder_only")]
NEEDED = [
    "what-may-be-seen",
    "data",
    "model",
    "encode",
    "next-task",
    "mask-task",
    "train",
    "kinds",
    "one-rule-strip",
]


@pytest.fixture(scope="module")
def chapter():
    """这一章里定义的东西；它自己的三次训练不做。"""
    code = {cell["id"]: source(cell) for cell in cells(CHAPTER, "code")}
    space = {"END": END}
    for name in NEEDED:
        text = (
            code[name].partition("gpt, gpt_curve =")[0].partition("measured = ")[0].partition("fresh = ")[0]
        )
        exec(text, space)
    return SimpleNamespace(**space)


def alike(chapter, review):
    first, second = (word in chapter.GOOD for word in review if word in chapter.kinds["评价"])
    return first == second


@pytest.mark.thorough
@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    ("kept", "least", "most"),
    [
        (lambda same, i: True, 0.47, 0.53),  # 各占一半
        (lambda same, i: not same or i % 3 == 0, 0.65, 1),  # 同褒贬的减到三分之一
        (lambda same, i: same, 0.9, 1),
        (lambda same, i: not same, 0.9, 1),
    ],
    ids=["各一半", "三比一", "只有同褒贬的", "只有相反的"],
)
def test_what_a_thousand_steps_teach(chapter, kept, least, most):
    train, test = (
        [r for i, r in enumerate(texts) if kept(alike(chapter, r), i)]
        for texts in (
            chapter.known,
            [chapter.split_words(text) for text in chapter.reviews(400, seed=1).texts],
        )
    )
    net, _ = chapter.trained(chapter.next_loss, steps=1000, lessons=chapter.encode(train))
    assert least < chapter.right_side(net, test) <= most
