"""Unigram：最好的一条路与穷举的相同；整个分词器在书的每一行、繁体、各种怪字符上与 tokenizers 逐个编号相同。"""

from itertools import combinations, pairwise

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from unigram_texts import ODD, book_lines, known, ours, random_texts, reference, texts, traditional

from course_lib.unigram import SPACE, SPECIAL_TOKENS, UNK, Span, UnigramTokenizer, best_path, normalize


def differing(texts) -> list[str]:
    """两边编号不同的；一批一批地比。"""
    texts = list(texts)
    theirs = reference().encode_batch(texts)
    return [text for text, encoding in zip(texts, theirs, strict=True) if ours().encode(text) != encoding.ids]


# ---- 最好的一条路


def every_path(word: str):
    """一个词的全部切法。"""
    for count in range(len(word)):
        for cuts in combinations(range(1, len(word)), count):
            yield [*pairwise((0, *cuts, len(word)))]


def total(path, word, scores, unknown):
    """一种切法的分数；有一段没有分数就是 None。"""
    found = [
        scores.get(word[start:end], unknown if end - start == 1 else None)
        for start, end in path
    ]  # fmt: skip
    return None if None in found else sum(found)


def test_best_path_by_hand():
    scores = {
        "北京": -2.0,
        "大学": -2.5,
        "北京大": -4.5,
        "学": -3.0,
        "学生": -2.0,
        "生": -4.0,
        "大": -3.5,
        "北": -5.0,
    }
    cut = lambda word, *rest: [word[a:b] for a, b in best_path(word, scores, *rest)]  # noqa: E731
    assert cut("北京大学", -20) == ["北京", "大学"]  # −4.5，北京大·学 是 −7.5
    assert cut("北京大学生", -20) == ["北京大", "学生"]  # −6.5；北京·大学·生 是 −8.5，北京·大·学生 是 −7.5
    assert cut("北京大学生", -20, 2) == ["北京", "大", "学生"]  # 不许三个字的
    assert cut("京北", -20) == ["京", "北"]  # 没有“京”，它自己算 −20
    assert best_path("", scores, -20) == []
    assert best_path("天地", {}, -1.0) == [(0, 1), (1, 2)]


def test_the_longest_last_piece_wins_a_tie():
    scores = {"a": -1.0, "aa": -2.0, "aaa": -3.0}
    assert best_path("aaa", scores, -9) == [(0, 3)]
    assert best_path("aaaa", scores, -9) == [(0, 1), (1, 4)]


@settings(max_examples=300, deadline=None, derandomize=True)
@given(
    st.text("ab", max_size=9),
    st.dictionaries(st.text("ab", min_size=1, max_size=4), st.integers(-6, 0).map(float), max_size=12),
    st.integers(-9, -1),
    st.booleans(),
)
def test_best_path_is_the_best_of_all(word, scores, unknown, told):
    """整数的分数，一样高的就多；一样高时从后往前逐段比，长的在先。"""
    longest = max(map(len, scores), default=1) if told else None
    found = best_path(word, scores, unknown, longest)
    scored = [(total(path, word, scores, unknown), path) for path in every_path(word)] if word else [(0, [])]
    possible = [(score, path) for score, path in scored if score is not None]
    best = max(score for score, _ in possible)
    tied = [path for score, path in possible if score == best]
    assert found == min(tied, key=lambda path: [start for start, _ in path[::-1]])


# ---- 归一化


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("", []),
        ("Ａ字", [("A", 0, 1), ("字", 1, 2)]),
        ("a　 b", [("a", 0, 1), (" ", 1, 3), ("b", 3, 4)]),
        ("㌔", [("キ", 0, 1), ("ロ", 0, 1)]),
        ("e\u0301x", [("é", 0, 2), ("x", 2, 3)]),
        ("①\u0301", [("1", 0, 2)]),
        ("é\u0302", [("é", 0, 1), ("\u0302", 1, 2)]),
        ("a\x01b", [("a", 0, 1), ("b", 2, 3)]),
    ],
)
def test_normalize(text, spans):
    """换掉的、并成一个的、合成一个的、丢掉的，都记得来处。"""
    assert normalize(text, ours().normalization) == spans
    theirs = reference().normalizer.normalize_str(text)
    assert "".join(written for written, *_ in spans) == theirs


def test_another_table():
    assert [span.text for span in normalize("爱A  b", {"A": "a b", "爱": ""})] == list("a b b")
    assert normalize("字", {}) == [Span("字", 0, 1)]


# ---- 与参考实现


def test_what_a_reader_sees():
    tokens = ["▁", "因为他们", "打电话", ",", "天空", "是", "蓝色", "的", "。"]
    assert ours().tokenize("因为他们打电话，天空是蓝色的。") == tokens
    assert ours().tokenize("Ｉ like  apples") == ["▁I", "▁like", "▁apple", "s"]
    assert ours().tokenize("印刷膠帶") == ["▁", "印刷膠帶"]
    assert ours().tokenize("𠮷𠮷野") == ["▁", UNK, "野"]  # 相邻的两个并成一个
    assert [piece.text for piece in ours().pieces("𠮷𠮷野")] == ["▁", "𠮷𠮷", "野"]
    assert ours().tokenize("＜s＞") == ["▁", "<s>"]  # 换成半角才成了它，参考实现也这样
    assert ["".join(span.text for span in word) for word in ours().words("我 爱<s>你")] == [
        "▁我",
        "▁爱",
        "<s>",
        "▁你",
    ]
    assert min(ours().scores.values()) - ours().unknown == 10


def test_odd_texts():
    assert not differing(ODD) and not differing([f"我{text}们 {text}" for text in ODD])


def test_some_lines_of_this_book():
    lines = book_lines()
    assert len(lines) > 15_000
    assert not differing([*lines[::5], *traditional(lines[1::8])])


def test_random_texts():
    assert not differing(random_texts(4000))


@pytest.mark.thorough
def test_every_line_of_this_book():
    assert not differing([*book_lines(), *traditional(book_lines())])
    assert not differing(random_texts(100_000, seed=1))


@settings(max_examples=150, deadline=None, derandomize=True)
@given(texts(), texts())
def test_the_same_as_the_reference(text, pair):
    assert ours().encode(text) == reference().encode(text).ids
    assert (
        ours().encode(text, add_special_tokens=False)
        == reference().encode(text, add_special_tokens=False).ids
    )
    assert ours().encode(text, pair) == reference().encode(text, pair).ids
    bare = reference().encode(text, pair, add_special_tokens=False).ids
    assert ours().encode(text, pair, add_special_tokens=False) == bare
    assert ours().decode(bare) == reference().decode(bare, skip_special_tokens=False)


def test_only_unassigned_characters_are_left_out():
    """未分配的字符两边可能断在不同的字素；已知的一个是 U+05C8。"""
    assert known("a\u05c8b") == "ab"
    assert differing(["℃\u05c8"]) == ["℃\u05c8"]
    assert not differing(["℃\u05c7"])


def test_every_piece_is_decoded_alike():
    """每一个编号，放在开头与放在后面。"""
    for ids in ([i] for i in range(0, 250_002, 41)):
        assert ours().decode(ids) == reference().decode(ids, skip_special_tokens=False)
    ids = list(range(0, 250_002, 7))
    assert ours().decode(ids) == reference().decode(ids, skip_special_tokens=False)
    assert ours().decode(torch.tensor(ours().encode("天空 是蓝色的"))) == "<s> 天空 是蓝色的</s>"


# ---- 词元在原文里的位置


def test_offsets_hold_those_of_the_reference():
    """他们并掉空格、合掉重音时只记一个字符，我们记全，所以他们的总在我们的里面；加在前面的 ▁ 他们算在后一个字符上。

    第一个字符丢掉了的，他们从此错开一个，不比。
    """
    some = [*ODD, *book_lines()[::25], *random_texts(1000, seed=2)]
    some = [text for text in some if normalize(text[:1], ours().normalization)]
    exact = 0
    for text, encoding in zip(some, reference().encode_batch(some, add_special_tokens=False), strict=True):
        pairs = [*zip(ours().offsets(text), encoding.offsets, strict=True)]
        pairs = [(mine, theirs) for mine, theirs in pairs if mine[0] < mine[1]]
        assert all(a <= c < d <= b for (a, b), (c, d) in pairs), ascii(text)
        exact += all(mine == theirs for mine, theirs in pairs)
    assert exact > len(some) / 2


def test_offsets_cut_the_text():
    """一段接着一段；把原文的一段另外归一化，就是那个词元；两段之间至多是丢掉的字符。

    开头与特殊词元之后的一段，前面加了 ▁。
    """
    table = ours().normalization
    for text in ["a<s>b", "叫 `<s>`。", *book_lines()[3::50], *traditional(book_lines()[4::100])]:
        end, starts = 0, True
        for piece in ours().pieces(text):
            gap, part = text[end : piece.start], text[piece.start : piece.end]
            assert not normalize(gap, table), ascii(text)
            written = "".join(span.text for span in normalize(part, table)).replace(" ", SPACE)
            assert piece.text in (written, SPACE + written) if starts else piece.text == written, ascii(text)
            end, starts = piece.end, piece.text in SPECIAL_TOKENS
        assert not normalize(text[end:], table)


def test_offsets_by_hand():
    assert ours().offsets("天空  是") == [(0, 0), (0, 2), (2, 4), (4, 5)]
    assert ours().offsets("a<s>字") == [(0, 1), (1, 4), (4, 4), (4, 5)]
    assert ours().offsets("") == []


# ---- 一批


def test_batch():
    batch = ours().batch(["天空", "因为他们打电话", ""])
    assert {name: (x.dtype, x.shape) for name, x in batch.items()} == dict.fromkeys(
        ("input_ids", "attention_mask", "token_type_ids"), (torch.int64, (3, 5))
    )
    backend = type(reference()).from_str(reference().to_str())
    backend.enable_padding(pad_id=1, pad_token="<pad>")
    for pairs in (None, ["是蓝色的", "", "a b"]):
        batch = ours().batch(["天空", "因为他们打电话", ""], pairs)
        given = (
            zip(["天空", "因为他们打电话", ""], pairs, strict=True)
            if pairs
            else ["天空", "因为他们打电话", ""]
        )
        theirs = backend.encode_batch(list(given))
        assert batch["input_ids"].tolist() == [each.ids for each in theirs]
        assert batch["attention_mask"].tolist() == [each.attention_mask for each in theirs]
        assert batch["token_type_ids"].tolist() == [each.type_ids for each in theirs]


# ---- 自己给的词表；给错了的


SMALL = dict.fromkeys(SPECIAL_TOKENS, 0.0) | {"▁": -1.0, "a": -2.0, "b": -2.0, "ab": -3.0}


def test_a_small_vocabulary():
    tokenizer = UnigramTokenizer(SMALL, {"Ａ": "a"})
    assert tokenizer.tokenize("Ａb ba cc") == ["▁", "ab", "▁", "b", "a", "▁", UNK]
    assert tokenizer.encode("ab") == [0, 5, 8, 2] and tokenizer.decode([0, 5, 8, 2]) == "<s> ab</s>"
    assert tokenizer.convert_ids_to_tokens(torch.tensor([8, 3])) == ["ab", UNK]
    assert tokenizer.tokenize("a<s>b<mask>") == ["▁", "a", "<s>", "▁", "b", "<mask>"]
    assert tokenizer.unknown == -13 and UnigramTokenizer(SMALL).normalization == {}
    assert UnigramTokenizer(SMALL).tokenize("▁▁a") == ["▁", "▁", "a"]  # 原文里的 ▁ 也从那里切开


@pytest.mark.parametrize(
    ("error", "words", "wrong"),
    [
        (TypeError, "text 应当是 str.*请用 batch。", lambda it: it.encode(["天空"])),
        (TypeError, "text 应当是 str", lambda it: it.offsets(None)),
        (TypeError, "text_pair 应当是 str", lambda it: it.encode("天空", 3)),
        (ValueError, "第 1 个字符 U.D800 是落单的代理码位", lambda it: it.tokenize("a\ud800")),
        (TypeError, "收到的是单个字符串", lambda it: it.batch("天空")),
        (ValueError, "不为零", lambda it: it.batch([])),
        (ValueError, "应当一样多", lambda it: it.batch(["天空"], ["甲", "乙"])),
        (ValueError, "编号 250002 不在词表里", lambda it: it.decode([0, 250_002])),
        (ValueError, "编号 -1 不在词表里", lambda it: it.convert_ids_to_tokens([-1])),
        (TypeError, "应当是一列整数", lambda it: it.decode([0.5])),
        (ValueError, "词表是空的", lambda it: UnigramTokenizer({})),
        (ValueError, "没有特殊词元 <pad>、<mask>；", lambda it: UnigramTokenizer(
            {token: score for token, score in SMALL.items() if token not in ("<pad>", "<mask>")})),
    ],
)  # fmt: skip
def test_wrong_input_is_one_sentence(error, words, wrong):
    with pytest.raises(error, match=words) as caught:
        wrong(ours())
    assert str(caught.value).count("\n") == 0
