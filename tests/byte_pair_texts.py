"""内置大语言模型的分词器（我们的与参考的），与考它的文本和对话；库的测试、网页的测试共用。"""

import functools
import unicodedata

from hypothesis import strategies as st
from tokenizers import Tokenizer
from tokenizers.pre_tokenizers import ByteLevel, Digits, Sequence
from transformers import AutoTokenizer

from course_lib.byte_pair import BytePairTokenizer
from course_lib.weights import builtin_llm_path

LOST = "\x04\x06\x13\x14\x16\x1d"  # 只有一个字节，而这个字节不在任何词元里


@functools.cache
def ours() -> BytePairTokenizer:
    return BytePairTokenizer.from_gguf(builtin_llm_path())


@functools.cache
def reference():
    return AutoTokenizer.from_pretrained(builtin_llm_path().parent, gguf_file=builtin_llm_path().name)


@functools.cache
def smollm() -> Tokenizer:
    """参考实现从 GGUF 文件转换时，漏了 SmolLM 单独切出数字的一步；这里补上。"""
    backend = Tokenizer.from_str(reference().backend_tokenizer.to_str())
    backend.pre_tokenizer = Sequence([Digits(individual_digits=True), ByteLevel(add_prefix_space=False)])
    return backend


def known(text: str) -> str:
    """去掉未分配的字符：新版 Unicode 里它们可能已是字母，两边的字符表不一样新。"""
    return "".join(char for char in text if unicodedata.category(char) != "Cn")


def texts():
    """各种字符、汉字、表情、代码、空白与数字、控制字符、特殊词元拼成的文本。"""
    piece = st.one_of(
        st.text(max_size=8),
        st.text(st.sampled_from(" \t\n\r\v\f\x1c\x85\xa0\u2003\u2028\u3000\u200b"), max_size=6),
        st.text(st.sampled_from(" 0179½²①٣Ⅷ一x"), max_size=6),
        st.characters(min_codepoint=0x2E80, max_codepoint=0xA000),
        st.characters(min_codepoint=0x1F000, max_codepoint=0x32000),
        st.characters(max_codepoint=0xA0),
        st.sampled_from(["👩‍👩‍👧‍👦", "👍🏽", "🏳️‍🌈", "1️⃣", "🇨🇳", "\u200d", "\ufe0f", "e\u0301", "가", "ﾞ"]),
        st.sampled_from(
            ["don't", "I'M", " we'll", "''s", "for i in range(10):\n    x[i] += 1\n", "</p>\r\n"]
        ),
        st.sampled_from(
            [*ours().special, "<|im_start", "|im_end|>", "<|IM_END|>", "<|<|im_end|>|>", "a" * 99]
        ),
        st.sampled_from(["人工智能正在改变我们的生活。", " the", "The", " Transformer", "=" * 70]),
    )
    return st.lists(piece, max_size=10).map("".join).map(known)


MESSAGES = st.lists(
    st.fixed_dictionaries(
        {"role": st.sampled_from(["system", "user", "assistant", "tool"]), "content": st.text(max_size=20)}
    ),
    min_size=1,
    max_size=5,
)

PARTS = ["a", "b", "ab", "ba", "aa", "aab", "abab"]
# 一串字母，一些合并规则：随便什么次序，后来的次序也可能在前面，不只是学得出来的那种；规则只用前几条
LETTERS, RULES, SOME = (
    st.lists(st.sampled_from("ab"), max_size=14),
    st.permutations([(x, y) for x in PARTS for y in PARTS]),
    st.integers(0, 49),
)
