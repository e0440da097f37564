"""网页里训练用的几个任务（live/train/tasks.js）：答案与另写一遍的相同，练的与考的分得开，自己写的一句看不懂就不考。"""

import re

import pytest
from test_train_model import LIVE

pytestmark = pytest.mark.guards("live", "_ext")

TASKS = ("reverse", "sort", "copy", "brackets", "count", "add", "bite")
BATCH = """([name, key, count, settings]) => {
  const { TASKS, batch } = trainTasks({ trainRandom }), { words } = TASKS[name];
  const { ids, targets, length } = batch(name, key, count, settings);
  return Array.from({ length: count }, (_, i) => [ids, targets].map((all) => [...all.slice(i * length, (i + 1) * length)].map((id) => words[id] ?? "·").join("")));
}"""
ANSWER = """([name, text]) => {
  const { words, answer } = trainTasks({ trainRandom }).TASKS[name];
  return answer([...text].map((char) => words.indexOf(char))).map((id) => words[id] ?? "·").join("");
}"""


@pytest.fixture(scope="module")
def tab(browser):
    page = browser.new_page()
    page.set_content("<!doctype html><title>页</title>")
    for name in ("random", "tasks"):
        page.add_script_tag(path=LIVE / f"{name}.js")
    yield page
    page.close()


def reverse(text):
    return text[::-1]


def sort(text):
    return "".join(sorted(text))


def copy(text):
    period = next(p for p in range(3, 8) if text[p:] == text[:-p])
    return "·" * period + (text * 2)[period + 1 : len(text)] + text[(len(text)) % period]


def brackets(text):
    open_, said = [], ""
    for char in text:
        said += ")]}"["([{".index(open_.pop())] if char == "?" else "·"
        if char != "?":
            open_.append(char)
    return said


def count(text):
    return "".join(str(min(9, text.count(char))) for char in text)


def add(text):
    a, b = map(int, re.fullmatch(r"(\d\d)\+(\d\d)=\?\?\?", text).groups())
    return f"······{a + b:03d}"


def bite(text):
    biter, bitten, asked = re.fullmatch(r"(.)咬(.)，谁(疼|凶)？", text).groups()
    return "······" + (bitten if asked == "疼" else biter)


@pytest.mark.parametrize("name", TASKS)
@pytest.mark.parametrize("testing", [False, True])
def test_every_answer_is_right(tab, name, testing):
    for text, answer in tab.evaluate(BATCH, [name, [1, 2], 64, {"testing": testing}]):
        assert answer == globals()[name](text), text


@pytest.mark.parametrize("name", TASKS)
def test_what_is_tested_was_never_trained(tab, name):
    trained = {text for i in range(100) for text, _ in tab.evaluate(BATCH, [name, [1, i], 32, {}])}
    tested = {
        text for i in range(4) for text, _ in tab.evaluate(BATCH, [name, [0, i], 32, {"testing": True}])
    }
    assert trained and tested and not trained & tested


def test_the_other_way_round_was_trained(tab):
    """谁咬谁：考的一句里，同样几个字的另一句多半练过。"""
    trained = {text for i in range(100) for text, _ in tab.evaluate(BATCH, ["bite", [1, i], 32, {}])}
    tested = {text for text, _ in tab.evaluate(BATCH, ["bite", [0, 0], 32, {"testing": True}])}
    turned = [text[2] + text[1] + text[0] + text[3:] for text in tested]
    assert sum(text in trained for text in turned) > 0.6 * len(turned)


def test_half_the_answers_are_wrong(tab):
    """从这一批的答案里随手抽的，也有十分之一碰巧是对的。"""
    right, told = (tab.evaluate(BATCH, ["reverse", [1, 5], 32, {"wrong": wrong}]) for wrong in (0, 0.5))
    assert [text for text, _ in right] == [text for text, _ in told]
    same = [a == b for (_, x), (_, y) in zip(right, told, strict=True) for a, b in zip(x, y, strict=True)]
    assert 0.45 < sum(same) / len(same) < 0.65


@pytest.mark.parametrize(
    "name, text, answer",
    [
        ("copy", "abcabd", "···bc·"),
        ("brackets", "(?)?", "·)··"),
        ("add", "1+2", "···"),
        ("bite", "狗咬", "··"),
        ("count", "aa1", "221"),
    ],
)
def test_own_words(tab, name, text, answer):
    assert tab.evaluate(ANSWER, [name, text]) == answer
