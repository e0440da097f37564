import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from course_lib.tokenization import SPECIAL_TOKENS, WordPieceTokenizer, normalize_words
from course_lib.wordpiece_training import merge_pair, pair_association, pair_count, train_wordpiece

CORPUS = ["low lower lowest", "new newer newest", "slow slower 我爱低", "low low new wide wider widest!"]


def min_vocab_size(corpus) -> int:
    words = [word for text in corpus for word in normalize_words(text)]
    return len(SPECIAL_TOKENS) + len({(i > 0, char) for word in words for i, char in enumerate(word)})


@pytest.mark.parametrize("score", [pair_count, pair_association])
def test_train_wordpiece(score):
    """合并缩短自己的语料；训练文本不出现 [UNK]；结果与语料的次序无关。"""
    alphabet = min_vocab_size(CORPUS)
    small = WordPieceTokenizer(train_wordpiece(CORPUS, alphabet, score))
    large = WordPieceTokenizer(train_wordpiece(CORPUS, alphabet + 12, score))
    count = {t: sum(len(t.tokenize(text)) for text in CORPUS) for t in (small, large)}
    assert count[large] < count[small]
    assert len(large.vocab) == alphabet + 12 and list(large.vocab.values()) == list(range(alphabet + 12))
    assert all("[UNK]" not in large.tokenize(text) for text in CORPUS)
    assert large.vocab == train_wordpiece(CORPUS[::-1], alphabet + 12, score)


def test_first_merges_by_hand():
    """ "aab" 三次、"xy" 一次：按次数先合并 aa，按似然比先合并只出现一次的 xy。"""
    assert (pair_count(2, 4, 5), pair_association(2, 4, 5)) == (2, 0.1)
    texts = ["aab aab aab xy"]
    size = min_vocab_size(texts) + 1
    assert list(train_wordpiece(texts, size))[-1] == "aa"  # 不指定准则时按次数
    assert list(train_wordpiece(texts, size, pair_association))[-1] == "xy"
    assert merge_pair(("a", "##b", "##a", "##b"), ("##a", "##b")) == ("a", "##b", "##ab")


def test_training_stops_when_nothing_is_left():
    vocab = train_wordpiece(["ab ab " + "x" * 101], 100)  # 切词时不理的长词，训练时也不理
    assert list(vocab)[len(SPECIAL_TOKENS) :] == ["##b", "a", "ab"]


def test_training_needs_room_for_the_alphabet():
    with pytest.raises(ValueError, match="vocab_size=6 太小：特殊词元与单字符已有 7 个"):
        train_wordpiece(["ab"], 6)


@settings(max_examples=50, deadline=None, derandomize=True)
@given(st.lists(st.text(max_size=20), max_size=5))
def test_training_covers_any_text(corpus):
    """任何语料学出的词表都能拼出这份语料（长于 100 个字符的词除外）。"""
    tokenizer = WordPieceTokenizer(train_wordpiece(corpus, 1000))
    assert all("[UNK]" not in tokenizer.tokenize(text) for text in corpus)


def test_training_wants_a_list_of_texts():
    """单个字符串也能迭代，会被悄悄当成一列单字的文本。"""
    with pytest.raises(TypeError, match=r"请写成 \[text\]"):
        train_wordpiece("low lower", 100)
