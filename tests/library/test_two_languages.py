"""用两种语言问的同一个问题：题目成对，例子不混进题目，停在要答的地方。"""

import re

import pytest

from course_lib.tasks.two_languages import LANGUAGES, PLAIN, RELATIONS, ask

HAN = re.compile(r"[\u4e00-\u9fff]")


@pytest.mark.parametrize("name", RELATIONS)
def test_items_are_pairs(name):
    """两种语言各问各答，没有重复；一种语言里答案相同的，另一种里也相同，不然认不出是哪一题。"""
    items = RELATIONS[name].items
    assert len(items) >= 24 and len({zh for zh, *_ in items}) == len({en for _, _, en, _ in items}) == len(
        items
    )
    for zh, answer, en, other in items:
        assert HAN.fullmatch(zh[0]) and HAN.match(answer) and not HAN.search(en + other)
    pairs = {(answer, other) for _, answer, _, other in items}
    assert len(pairs) == len({a for a, _ in pairs}) == len({b for _, b in pairs})


@pytest.mark.parametrize("name", RELATIONS)
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("wording", [0, 1])
def test_a_question_stops_where_the_answer_begins(name, language, wording):
    beginning, questions = ask(name, language, wording, [0, 1], [2, 3])
    side = 2 * LANGUAGES.index(language)
    items = [item[side : side + 2] for item in RELATIONS[name].items]
    lines = beginning.splitlines()
    assert beginning.endswith("\n") and len(lines) == 2
    for line, (asked, answer) in zip(lines, items, strict=False):
        assert asked in line and line.endswith(answer)
    for question, (asked, answer) in zip(questions, items[2:], strict=False):
        assert asked in question and question[-1] in "：:" and not question.endswith(answer)
        # 接上答案，就是又一个例子
        whole = question + ("" if language == "zh" else " ") + answer + "\n"
        assert whole == RELATIONS[name].lines[language][wording].format(x=asked, y=answer)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("首府", "zh", 0), "没有“首府”这种关系"),
        (("首都", "fr", 0), "没有“首都”这种关系或“fr”"),
        (("首都", "zh", 2), "没有第 2 种写法：“首都”有 2 种"),
    ],
)
def test_what_is_not_there_is_named(given, said):
    with pytest.raises(ValueError, match=said):
        ask(*given, [0], [1])


def test_plain_sentences_are_in_their_language():
    zh, en = PLAIN["zh"], PLAIN["en"]
    assert len({*zh}) == len({*en}) == 8
    assert all(HAN.match(text) for text in zh) and not any(HAN.search(text) for text in en)
