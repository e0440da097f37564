"""影评的语法：下一个词、遮住的词的概率与造出来的影评一致，熵与手算的相同。"""

import math
from collections import Counter

import pytest

from course_lib.tasks.review_grammar import END, entropy, grammatical, masked_word, next_word, split_words
from course_lib.tasks.reviews import ASPECTS, GOOD, reviews

MADE = [split_words(text) for text in reviews(8000, seed=3).texts]
SENTENCE = "the music was dull , but the story was so charming ."
OPENINGS = ["", "the", "although", "i", "critics called", "the music was", "although the plot was very"]


def chance(words, split="train"):
    """整句的概率：一个词一个词地乘起来。"""
    product = 1.0
    for i, word in enumerate([*words, END]):
        try:
            product *= next_word(words[:i], split).get(word, 0.0)
        except ValueError:
            return 0.0
    return product


@pytest.mark.parametrize("opening", OPENINGS)
def test_next_word_is_how_often_it_is_made(opening):
    start = opening.split()
    then = Counter(words[len(start)] for words in MADE if words[: len(start)] == start)
    chances, count = next_word(start), sum(then.values())
    assert sum(chances.values()) == pytest.approx(1) and set(then) <= set(chances)
    for word, expected in chances.items():
        # 造影评时正负、成对与否恰好各半，起伏只会比独立抽签更小
        assert abs(then[word] / count - expected) < 5 * math.sqrt(expected * (1 - expected) / count) + 1e-9


def test_the_first_word_by_hand():
    """先说评语的占 1/4；不然：转折有 1/8 以 although 开头，纠正有 1/4 以 critics、i 开头，其余是 the。"""
    chances = next_word([])
    assert chances["it"] == pytest.approx(1 / 8)
    assert chances["although"] == chances["critics"] == pytest.approx(3 / 4 / 16)
    assert chances["i"] == pytest.approx(3 / 4 / 16 + 1 / 8)


def test_a_word_far_to_the_right_decides():
    chances = masked_word(SENTENCE.split(), 5)
    assert chances == pytest.approx({"but": 2 / 3, "although": 1 / 3})
    assert masked_word(SENTENCE.replace("charming", "boring").split(), 5) == pytest.approx({"and": 1})
    assert set(next_word(SENTENCE.split()[:5])) == {"but", "although", "and", "it"}


@pytest.mark.parametrize("words", [SENTENCE.split(), MADE[0], MADE[1], MADE[2]], ids=" ".join)
def test_masked_word_is_the_chain_rule_turned_round(words):
    vocab = sorted({word for made in MADE for word in made})
    for place in range(len(words)):
        whole = {word: chance([*words[:place], word, *words[place + 1 :]]) for word in vocab}
        total = sum(whole.values())
        expected = {word: p / total for word, p in whole.items() if p}
        assert masked_word(words, place) == pytest.approx(expected)


def test_made_reviews_are_grammatical():
    assert all(grammatical(words) and grammatical(words, "train") for words in MADE[:500])
    assert not any(grammatical(words, "test") for words in MADE[:500])
    assert all(grammatical(split_words(text), "test") for text in reviews(200, split="test").texts)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "the music was dull",
        "the music was dull, and the story was charming.",
        "the music was dull, but the story was boring.",
        "the music was dull, but the music was charming.",
        "the music was so very dull, but the story was charming.",
        "the music was not dull, it was boring.",
        "i saw it last night. the music was dull. the story was slow. i saw it last night.",
    ],
)
def test_ungrammatical(text):
    assert not grammatical(split_words(text))


def test_entropy_by_hand():
    """各处的选择互不相干，熵是它们的和。"""

    def nats(*shares):
        assert sum(shares) == pytest.approx(1)
        return -sum(p * math.log(p) for p in shares)

    two = math.log(12 * 11)
    opinions = 2 * (math.log(4) + math.log(9) + nats(2 / 5, 1 / 5, 1 / 5, 1 / 5))
    # 前两个转折的模板相同；纠正的四个只有一个方面
    twins = math.log(2) + nats(1 / 4, *[1 / 8] * 6) + two / 2 + math.log(12) / 2
    plain = 2 * math.log(2) + two
    expected = math.log(2) + (twins + plain) / 2 + opinions + nats(1 / 2, *[1 / 8] * 4)
    got, length = entropy()
    assert got == pytest.approx(expected, abs=1e-6)
    assert length == pytest.approx(sum(len(words) + 1 for words in MADE) / len(MADE), abs=0.15)
    assert got - entropy("test")[0] == pytest.approx(2 * math.log(9 / 3), abs=1e-6)
    assert entropy(None)[0] - got == pytest.approx(2 * math.log(12 / 9), abs=1e-6)


def test_floor_on_made_reviews_is_the_entropy():
    each = [-math.log(chance(words)) for words in MADE[:1000]]
    mean = sum(each) / len(each)
    error = math.sqrt(sum((x - mean) ** 2 for x in each)) / len(each)
    assert abs(mean - entropy()[0]) < 4 * error < 0.4


def test_splits_share_words_but_no_pairs():
    for aspect in ASPECTS:
        start = f"the {aspect} was".split()
        train, test, both = (
            {w for w in next_word(start, split) if w in GOOD} for split in ("train", "test", None)
        )
        assert not train & test and train | test == both == set(GOOD)


@pytest.mark.parametrize(
    "ask",
    [
        lambda: next_word(["music"]),
        lambda: next_word([], "dev"),
        lambda: masked_word(SENTENCE.split(), 12),
        lambda: masked_word(["music", "music"], 0),
        lambda: entropy("dev"),
    ],
)
def test_wrong_requests(ask):
    with pytest.raises(ValueError, match=r"影评|split=|place=|语法"):
        ask()
