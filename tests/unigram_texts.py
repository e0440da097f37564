"""多语 BERT 的分词器（我们的与参考的），与考它的文本；库的测试、网页的测试共用。"""

import functools
import random
import unicodedata

from hypothesis import strategies as st
from opencc import OpenCC
from tokenizers import Tokenizer

from course_lib.unigram import SPECIAL_TOKENS, UnigramTokenizer
from tools.reference_tokenizer import reference_path

ODD = [
    "", " ", "  ", "a ", " a", "a  b", "a b  ", "　天　空　", "\n", "\r\nx", "\t", "a\u00a0b", "\u200b", "x\u200by",
    "天空是蓝色的。", "因为他们打电话，印刷膠帶", "iPhone１２", "Ａpple　真好吃", "≤10℃", "100％", "㍿", "㌔", "①②", "ⅷ",
    "👩‍👩‍👧", "👩‍👩‍👧‍👦 👍🏽", "🏳️‍🌈", "1️⃣", "🇨🇳", "😀😀", "❤️", "한국어", "각", "\u1100\u1161\u11a8", "ｶﾞｷﾞ", "ﾊﾟｱ", "が", "か\u3099",
    "𠮷", "𠮷𠮷a", "𠮷野家", "ﬁ", "ﬃ", "ﬁn", "é", "e\u0301", "cafe\u0301 ", "a\u0301\u0302", "Å", "Å", "A\u030a\u0301", "Ǻ", "①\u0301", "ệ",
    "<s>", "a<s>b", "a <s> b", " <mask> x", "<s><s>", "<s>a</s>", "<unk>", "<pad>", "<S>", "< s >", "＜s＞", "<mask", "▁a", "a▁b", "▁▁",
    "नमस्ते", "किताब", "ภาษาไทยน้ำ", "ﷺ", "السلام", "שָׁלוֹם", "Привет", "½", "x²", "\u0301", "\ufeff", "\ufffd", "\x00\x7f",
]  # fmt: skip


@functools.cache
def ours() -> UnigramTokenizer:
    return UnigramTokenizer.from_pretrained()


@functools.cache
def reference() -> Tokenizer:
    return Tokenizer.from_file(str(reference_path()))


def known(text: str) -> str:
    """去掉未分配的字符：新版 Unicode 里它们可能已有字素的规矩，两边的字符表不一样新，断在哪里就不同。"""
    return "".join(char for char in text if unicodedata.category(char) != "Cn")


@functools.cache
def book_lines() -> tuple[str, ...]:
    """书里的每一行：各页与各笔记本的源文件，每种只要一遍。"""
    from chapters import NOTEBOOKS, PAGES, cells, source

    lines = [line for path in PAGES for line in path.read_text(encoding="utf-8").splitlines()]
    for path in NOTEBOOKS:
        lines += [line for cell in cells(path) for line in source(cell).splitlines()]
    return tuple(dict.fromkeys(lines))


def traditional(lines) -> list[str]:
    """换成繁体之后与原来不同的。"""
    convert = OpenCC("s2twp").convert
    return [changed for line in lines if (changed := convert(line)) != line]


def random_texts(count: int, seed: int = 0) -> list[str]:
    """一半由麻烦的零件拼成，一半是随便哪些字符。"""
    rng = random.Random(seed)
    parts = [
        *SPECIAL_TOKENS,
        "  ",
        *"abc é\u0301\u0308 ▁＜s＞<>한각ｶﾞ😀\u200d👩👧\ufe0f中国我的，。 \n\t\r𠮷①ﬁÅ\u0e33\u0e34\u093f\u1100\u1161\u11a8Ａ",
    ]
    scalars = "".join(map(chr, (*range(0xD800), *range(0xE000, 0x110000))))
    mixed = ["".join(rng.choices(parts, k=rng.randint(0, 12))) for _ in range(count // 2)]
    pools = [scalars[:0x3000], scalars]
    return mixed + [known("".join(rng.choices(rng.choice(pools), k=rng.randint(1, 8)))) for _ in mixed]


def texts():
    """各种字符、词表里的片段、汉字、表情、空白、特殊词元拼成的文本。"""
    piece = st.one_of(
        st.text(max_size=8),
        st.sampled_from(ODD),
        st.sampled_from([*ours().scores]).map(lambda piece: piece.replace("▁", " ")),
        st.text(st.sampled_from(" \t\n\r\x1c\x85\xa0\u2003\u2028\u3000\u200b"), max_size=4),
        st.characters(min_codepoint=0x2E80, max_codepoint=0xA000),
        st.characters(min_codepoint=0x300, max_codepoint=0x36F),
    )
    return st.lists(piece, max_size=8).map("".join).map(known)
