import json
import random
import shutil
from pathlib import Path

import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st
from transformers import AutoTokenizer
from two_tokenizers import (
    COUNT,
    SCALARS,
    SEED,
    WHITE_AND_INVISIBLE,
    agreed,
    differing,
    explained_by_unicode_version,
    ours,
    random_text,
    ranges,
    reference,
)

from course_lib.tokenization import (
    PREFIX,
    SPECIAL_TOKENS,
    WordPieceTokenizer,
    clean_text,
    clean_up,
    is_punctuation,
    longest_match,
    normalize_words,
    remove_accents,
    space_cjk,
    split_words,
    to_lower,
)
from course_lib.weights import builtin_path

TOY = {"[UNK]": 10, "un": 20, "##aff": 30, "##able": 40, "##a": 50, "u": 60, "##n": 70}


def texts():
    """各种字符与词表片段、汉字（含扩展区）、重音、空白、特殊词元拼成的文本。"""
    piece = st.one_of(
        st.text(max_size=8),
        st.sampled_from(sorted(ours().vocab)),
        st.sampled_from(sorted(ours().vocab)).map(lambda token: " " + token.removeprefix(PREFIX).upper()),
        st.sampled_from([*SPECIAL_TOKENS, "[sep]", "[ SEP ]", "[SEP", "MASK]", "[", "]"]),
        st.sampled_from(WHITE_AND_INVISIBLE),
        st.characters(min_codepoint=0x2E80, max_codepoint=0xA000),
        st.characters(min_codepoint=0x1F000, max_codepoint=0x32000),
        st.sampled_from(list("ÀéñüçİıẞΣςσǅﬁ½Å가힣각がｶﾞ\u0301\u0308\u0327\u0345\u20dd\u302e\u0334")),
        st.sampled_from([". ", " .", "'", " n't", "don't", " ' s", "$1,000.50!?", "a" * 100, "é" * 101]),
    )
    return st.lists(piece, max_size=10).map("".join).map(agreed)


def folder_with(path: Path, **config) -> Path:
    shutil.copy(builtin_path() / "vocab.txt", path)
    (path / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "BertTokenizer"} | config))
    return path


def check_scalars(chars):
    """不同的只有分类随 Unicode 版本变过的，且不到千分之一。"""
    found = differing(chars)
    unexplained = {char for char in found if not explained_by_unicode_version(char)}
    assert not unexplained, ranges(unexplained)
    assert len(found) < 1112


def test_some_unicode_scalar_values():
    check_scalars(SCALARS[:0x3000] + SCALARS[0x3000::37])


@pytest.mark.thorough
def test_every_unicode_scalar_value():
    assert len(SCALARS) == 1_112_064
    check_scalars(SCALARS)


@settings(max_examples=500, deadline=None, derandomize=True)
@given(text=texts(), pair=texts(), special=st.booleans())
def test_matches_reference(text, pair, special):
    assert ours().tokenize(text) == reference().tokenize(text)
    ids = ours().encode(text, add_special_tokens=special)
    assert ids == reference().encode(text, add_special_tokens=special)
    assert ours().encode(text, pair, special) == reference().encode(text, pair, add_special_tokens=special)
    assert ours().decode(ids) == reference().decode(ids)


@pytest.mark.thorough
def test_ten_thousand_random_strings():
    rng = random.Random(SEED)
    texts = [random_text(rng) for _ in range(COUNT)]
    assert len(set(texts)) > 0.9 * COUNT
    for i, (text, ids) in enumerate(zip(texts, reference()(texts)["input_ids"], strict=True)):
        assert ours().encode(text) == ids, f"种子 {SEED} 的第 {i} 个字符串两边不同：{text!r}"


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.lists(st.integers(0, 30521) | st.integers(990, 1040) | st.integers(100, 103), max_size=30))
def test_decode_matches_reference(ids):
    assert ours().decode(ids) == reference().decode(ids)
    assert ours().convert_ids_to_tokens(ids) == reference().convert_ids_to_tokens(ids)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.lists(st.tuples(texts(), texts()), min_size=1, max_size=4))
def test_batch_matches_reference(pairs):
    firsts, seconds = map(list, zip(*pairs, strict=True))
    for mine, theirs in (
        (ours().batch(firsts), reference()(firsts, padding=True, return_tensors="pt")),
        (ours().batch(firsts, seconds), reference()(firsts, seconds, padding=True, return_tensors="pt")),
    ):
        assert mine.keys() == theirs.keys()
        assert all(torch.equal(mine[name], theirs[name]) for name in mine)
        assert all(mine[name].dtype == torch.int64 for name in mine)


@pytest.mark.parametrize(
    "config",
    [
        {"do_lower_case": False},
        {"do_lower_case": False, "strip_accents": True},
        {"strip_accents": False},
        {"tokenize_chinese_chars": False},
        {"clean_up_tokenization_spaces": True},
    ],
    ids=lambda config: "-".join(config),
)
def test_honours_tokenizer_config(tmp_path, config):
    """配置里的开关照办：与读同一文件夹的参考实现相同，而且至少一处与默认不同。"""
    folder = folder_with(tmp_path, **config)
    mine, theirs = WordPieceTokenizer.from_vocab(folder), AutoTokenizer.from_pretrained(folder)
    fixed = "Été İ ẞ É中国人abc ΑΣ it ' s [MASK] , x ' m"

    @settings(max_examples=100, deadline=None, derandomize=True)
    @given(texts())
    @example(fixed)
    def same(text):
        ids = mine.encode(text)
        assert ids == theirs.encode(text)
        assert mine.decode(ids) == theirs.decode(ids)

    same()
    assert mine.decode(mine.encode(fixed)) != ours().decode(ours().encode(fixed))


def test_known_ids():
    ids = [2051, 10029, 2066, 2019, 8612]
    assert ours().encode("time flies like an arrow", add_special_tokens=False) == ids
    assert ours().encode("time flies like an arrow") == [101, *ids, 102]
    assert ours().decode([101, 2051, 10029, 102]) == "[CLS] time flies [SEP]"
    assert ours().encode("") == [101, 102]
    assert ours().decode(torch.tensor([2051, 10029])) == "time flies"
    assert len(ours().vocab) == 30522


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("a[SEP]b", ["a", "[SEP]", "b"]),
        ("[sep]", ["[", "sep", "]"]),
        ("[[MASK]]", ["[", "[MASK]", "]"]),
        ("[SE\u200bP]", ["[", "sep", "]"]),
        ("e[SEP]\u0301e", ["e", "[SEP]", "e"]),
        ("a\0b\ufffd\u200bc\ue000", ["abc"]),
        ("\t \n\u3000", []),
        ("ΑΣ", ["α", "##σ"]),
        ("a\U0002b91fb", ["[UNK]"]),
        ("a\U0002b920b", ["a", "[UNK]", "b"]),
        ("我爱NLP", ["我", "[UNK]", "nl", "##p"]),
    ],
)
def test_tokenize_special_cases(text, tokens):
    """特殊词元要一字不差；看不见的字符消失而不断词；词尾的 Σ 不变成 ς；扩展 E 区开头不算汉字。"""
    assert ours().tokenize(text) == tokens == reference().tokenize(text)


def test_steps_one_by_one():
    assert clean_text("a\0\u200b\tb\u00a0c\ufffd\x85\u2028\u2029") == "a b c  "
    assert space_cjk("我爱NLP") == " 我  爱 NLP"
    assert space_cjk("かな한글") == "かな한글"
    assert remove_accents("Éé") == "Ee"
    assert to_lower("İΑΣ") == "i\u0307ας".replace("ς", "σ")
    assert split_words("don't $5") == ["don", "'", "t", "$", "5"]
    assert clean_up("it ' s well .") == "it's well."
    assert normalize_words("Été", lowercase=False) == ["Été"]
    assert normalize_words("É 中国", strip_accents=False, split_cjk=False) == ["é", "中国"]
    assert is_punctuation("。") and is_punctuation("$") and not is_punctuation("€")


def test_longest_match_by_hand():
    assert longest_match("unaffable", TOY) == ["un", "##aff", "##able"]
    assert longest_match("una", TOY) == ["un", "##a"]
    assert longest_match("able", TOY) == ["[UNK]"]  # 词首不能用 ##able
    assert longest_match("unx", TOY) == ["[UNK]"]  # 一段配不上，前面配上的也作废
    assert longest_match("u" + "n" * 99, {"u": 0, "##n": 1}) == ["u"] + ["##n"] * 99
    assert longest_match("u" + "n" * 100, {"u": 0, "##n": 1}) == ["[UNK]"]
    # 贪心取了最长的 ab，就配不上 c；而 a + ##bc 本来可以
    assert longest_match("abc", {"ab": 0, "a": 1, "##bc": 2}) == ["[UNK]"]


def test_toy_vocabulary():
    """编号不连续、没有 [CLS] 的词表也能用；用到缺少的特殊词元时才报错。"""
    toy = WordPieceTokenizer(TOY)
    assert toy.encode("Unaffable una!", add_special_tokens=False) == [20, 30, 40, 20, 50, 10]
    assert toy.decode([20, 30, 40, 20]) == "unaffable un"
    assert WordPieceTokenizer(["a", "####"]).decode([1, 0, 1]) == "#### a##"
    assert toy.tokenize("[CLS]") == ["[UNK]"] * 3
    with pytest.raises(ValueError, match=r"\[CLS\]"):
        toy.encode("una")
    with pytest.raises(ValueError, match="编号 21 不在词表里"):
        toy.decode([20, 21])
    assert WordPieceTokenizer(("我", "爱")).encode("爱我", add_special_tokens=False) == [1, 0]


def test_missing_unk_and_pad():
    toy = WordPieceTokenizer(["[CLS]", "[SEP]", "a"])
    assert toy.encode("a A") == [0, 2, 2, 1]
    with pytest.raises(ValueError, match=r"拼不出 'b'.*\[UNK\]"):
        toy.tokenize("a b")
    assert toy.batch(["a", "a"])["input_ids"].tolist() == [[0, 2, 1]] * 2
    with pytest.raises(ValueError, match=r"\[PAD\]"):
        toy.batch(["a", "a a"])


def test_batch_shapes_and_masks():
    batch = ours().batch(["time flies", "time"], ["like", "like an arrow"])
    assert batch["input_ids"].shape == (2, 7)
    assert batch["input_ids"][0].tolist() == [101, 2051, 10029, 102, 2066, 102, 0]
    assert batch["attention_mask"].tolist() == [[1] * 6 + [0], [1] * 7]
    assert batch["token_type_ids"].tolist() == [[0, 0, 0, 0, 1, 1, 0], [0, 0, 0, 1, 1, 1, 1]]


def test_empty_second_text():
    """空的第二段：encode 当作没有，批量编码算作一段，两处都与参考实现相同。"""
    assert ours().encode("q", "") == reference().encode("q", "") == [101, 1053, 102]
    assert ours().batch(["q"], [""])["input_ids"].tolist() == reference()(["q"], [""])["input_ids"]


@pytest.mark.parametrize("text", [None, 5, b"abc", ["a", "b"]], ids=repr)
def test_text_must_be_str(text):
    hint = "一次处理多个文本请用 batch" if isinstance(text, list) else "请先转成字符串"
    with pytest.raises(TypeError, match=rf"^text 应当是 str.*；{hint}。$"):
        ours().encode(text)
    if text is not None:
        with pytest.raises(TypeError, match=r"^text_pair 应当是 str"):
            ours().encode("a", text)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: ours().tokenize("a\ud800"), ValueError, r"第 1 个字符 U\+D800"),
        (lambda: ours().batch("time"), TypeError, "^batch 要的是一列文本，收到的是单个字符串"),
        (lambda: ours().batch(["a", "b"], "cd"), TypeError, "单个字符串"),
        (
            lambda: ours().batch(["a", "b"], ["c"]),
            ValueError,
            "texts 有 2 个，text_pairs 有 1 个；应当一样多",
        ),
        (lambda: ours().batch([]), ValueError, "texts 有 0 个，text_pairs 有 0 个；.*不为零"),
        (
            lambda: ours().decode([101, 30522]),
            ValueError,
            "编号 30522 不在词表里.*30522 个词元，编号从 0 到 30521",
        ),
        (lambda: ours().decode([-1]), ValueError, "编号 -1 不在词表里"),
        *(
            (lambda ids=ids: ours().decode(ids), TypeError, "^ids 应当是一列整数")
            for ids in ([2051.0], torch.tensor([[2051, 10029]]), [[2051]], ["time"], 2051, None)
        ),
    ],
)
def test_wrong_input(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_bad_vocabularies():
    with pytest.raises(ValueError, match="词表是空的"):
        WordPieceTokenizer({})
    with pytest.raises(ValueError, match="编号 1 被几个词元共用：a、b"):
        WordPieceTokenizer({"a": 1, "b": 1, "c": 2})


def test_from_vocab_files(tmp_path):
    """可以给文件，也可以给文件夹；词元里的 U+2028 不能被当成换行。"""
    words = [*SPECIAL_TOKENS, "x\u2028y", "a\u00a0"]
    expected = {word: index for index, word in enumerate(words)}
    (tmp_path / "vocab.txt").write_text("\n".join(words) + "\n", encoding="utf-8")
    (tmp_path / "alone.json").write_text(json.dumps({"model": {"vocab": expected}}))
    for path in (tmp_path, str(tmp_path / "vocab.txt"), tmp_path / "alone.json"):
        assert WordPieceTokenizer.from_vocab(path).vocab == expected


def test_from_vocab_errors(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"找不到词表.*请检查路径"):
        WordPieceTokenizer.from_vocab(tmp_path / "nowhere")
    with pytest.raises(FileNotFoundError, match=r"tokenizer\.json 或 vocab\.txt；请检查路径"):
        WordPieceTokenizer.from_vocab(tmp_path)
    for config in (
        {"cls_token": "<s>"},
        {"mask_token": {"content": "<mask>"}},
        {"added_tokens_decoder": {"7": {"content": "<extra>"}}},
    ):
        with pytest.raises(ValueError, match=r"定义了特殊词元.*编号会不一样"):
            WordPieceTokenizer.from_vocab(folder_with(tmp_path, **config))
    WordPieceTokenizer.from_vocab(folder_with(tmp_path, mask_token={"content": "[MASK]"}))
