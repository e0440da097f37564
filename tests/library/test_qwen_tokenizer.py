"""Qwen 的分词：先归一成 NFC，数字一个一段，符号连着换行；词表借用内置大语言模型的，与 transformers 的 Qwen2Tokenizer 逐个编号相同。"""

import unicodedata
from functools import cache

import pytest
from byte_pair_texts import known, ours, texts
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny_models import GGUF_TOKENIZER, changed_copy, make_gguf, refusal
from transformers import Qwen2Tokenizer

from course_lib.byte_pair import BytePairTokenizer
from course_lib.pretokenization import QWEN2, pretokenize
from course_lib.weights.byte_pair import load_tokenizer, read_tokenizer


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("qwen")
    reference().save_pretrained(path)
    return path


@cache
def reference():
    vocab, merges = {**ours().vocab}, [*ours().ranks]
    special = [token for token in ours().special if token != "<|endoftext|>"]
    return Qwen2Tokenizer(vocab=vocab, merges=merges, additional_special_tokens=special)


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("DON'T don't", ["DON", "'T", " don", "'t"]),
        ("x=3.14", ["x", "=", "3", ".", "1", "4"]),
        ("（你好）\n\n世界", ["（你好", "）\n\n", "世界"]),
        ("a \n b", ["a", " \n", " b"]),
        ("  if x:\r\n    y", [" ", " if", " x", ":\r\n", "   ", " y"]),
        (".name", [".name"]),
    ],
)
def test_pieces(text, pieces):
    assert pretokenize(text, (QWEN2,)) == pieces
    steps = reference().backend_tokenizer.pre_tokenizer.pre_tokenize_str(text)
    assert [text[a:b] for _, (a, b) in steps] == pieces


# 拆开写的字母与谚文，遇上特殊词元的：特殊词元先切，归一化在后
DECOMPOSED = st.text(st.sampled_from("eéa\u0301\u0300\u0338>가각\u1100\u1161\u11a8\u212b 我"), max_size=8)
ODD = st.one_of(texts(), DECOMPOSED, st.builds("{}<|im_end|>{}".format, DECOMPOSED, DECOMPOSED)).map(known)


def test_matches_transformers(folder):
    tokenizer = load_tokenizer(BytePairTokenizer, folder)
    assert tokenizer.normalization == "NFC" and tokenizer.patterns == (QWEN2,)

    @settings(max_examples=1500, deadline=None, derandomize=True)
    @given(ODD)
    def the_same(text):
        assert tokenizer.encode(text) == reference().encode(text)
        assert "".join(tokenizer.pretokenize(text)) == "".join(
            part if part in tokenizer.special else unicodedata.normalize("NFC", part)
            for part in tokenizer._special.split(text)
        )

    the_same()


def test_the_gguf_says_the_same(folder, tmp_path):
    told = read_tokenizer(make_gguf(tmp_path / "a.gguf", ids={}, tokenizer=GGUF_TOKENIZER | {"pre": "qwen2"}))
    again = read_tokenizer(folder)
    assert {name: told[name] for name in ("patterns", "normalization")} == {
        name: again[name] for name in ("patterns", "normalization")
    }


@pytest.mark.parametrize("file", ["tokenizer.json", "tokenizer_config.json"])
def test_tokens_looked_for_after_normalizing_are_refused(folder, tmp_path, file):
    """特殊词元若要等归一化之后再找，拆开写的就也算：课程不做。"""

    def switch_on(values):
        values["added_tokens"][0]["normalized"] = True

    def declare(values):
        values["added_tokens_decoder"] = {"1": {"content": "<|im_start|>", "normalized": True}}

    change = switch_on if file == "tokenizer.json" else declare
    assert "的 normalized 打开着" in refusal(
        read_tokenizer, changed_copy(folder, tmp_path / "m", file, change)
    )
