"""两个分词器（我们的与参考的）和考它们的文本：全部字符，与各种文字、各种麻烦拼成的随机字符串。"""

import string
import unicodedata
from functools import cache

from transformers import AutoTokenizer

from course_lib.tokenization import PREFIX, SPECIAL_TOKENS, WordPieceTokenizer, normalize_words
from course_lib.weights import builtin_path

WHITE_AND_INVISIBLE = " \t\n\r\v\f\0\x1c\x85\u00a0\u2028\u2029\u3000\u200b\u200d\ufeff\ufffd\ue000\u0378"
SEED, COUNT = 20170612, 10_000
SCALARS = "".join(map(chr, (*range(0xD800), *range(0xE000, 0x110000))))


@cache
def ours() -> WordPieceTokenizer:
    return WordPieceTokenizer.from_vocab(builtin_path())


@cache
def reference():
    return AutoTokenizer.from_pretrained(builtin_path())


def reference_words(text: str) -> list[str]:
    backend = reference().backend_tokenizer
    normalized = backend.normalizer.normalize_str(text)
    return [word for word, _ in backend.pre_tokenizer.pre_tokenize_str(normalized)]


def probe(char: str) -> str:
    # 前面的 U+302E 也是组合符：NFD 会给相邻的组合符排序，两边对 char 的次序看法不同时，这里就显出来。
    return f"\u302e{char}b"


@cache
def differing(chars: str = SCALARS) -> frozenset[str]:
    """两边处理得不一样的字符：先成批比较，只在不同的批里逐个查。"""
    found = set()
    for start in range(0, len(chars), 2048):
        batch = chars[start : start + 2048]
        text = "\n".join(map(probe, batch))
        if normalize_words(text) != reference_words(text):
            found |= {c for c in batch if normalize_words(probe(c)) != reference_words(probe(c))}
    return frozenset(found)


@cache
def explained_by_unicode_version(char: str) -> bool:
    """两边的 Unicode 不一样新，这个字符因此可能处理得不同。

    参考实现的分类表停在 Unicode 8，大小写表则比 Python 新。
    所以能有不同的，只有至今未分配的字符，和分类变过（与 Unicode 3.2 相比）的组合符、格式符与标点。
    """
    now, before = unicodedata.category(char), unicodedata.ucd_3_2_0.category(char)
    matters = {category for category in (now, before) if category in ("Mn", "Mc", "Cf") or category[0] == "P"}
    return now == "Cn" or (now != before and bool(matters))


def ranges(chars) -> str:
    runs = []
    for code in sorted(map(ord, chars)):
        if runs and runs[-1][1] == code - 1:
            runs[-1][1] = code
        else:
            runs.append([code, code])
    return " ".join(f"{a:04X}" if a == b else f"{a:04X}-{b:04X}" for a, b in runs)


def agreed(text: str) -> str:
    """去掉两边可能处理得不同的字符。"""
    return "".join(char for char in text if not explained_by_unicode_version(char))


ACCENTS = "ÀéîõüçñåşğİıøßſẞǅﬁĳŉΐΰàÅ" + "\u0301\u0308\u0327\u0345\u0334\u20dd\u302e\u0591\u064b\u093f\u0e34"
EMOJI = ["👩‍👩‍👧‍👦", "👍🏽", "🏳️‍🌈", "❤️", "1️⃣", "🇨🇳", "😀", "☺", "👩🏻‍🚀", "\u200d", "\ufe0f", "\U000e0067"]
SPECIALS = [
    *SPECIAL_TOKENS,
    "[sep]",
    "[ CLS ]",
    "[MASK",
    "SEP]",
    "[[PAD]]",
    "[UNK][UNK]",
    "##ing",
    "[unused1]",
]
INVISIBLE = WHITE_AND_INVISIBLE + "\x01\x1b\x7f\x9f\u00ad\u200e\u200f\u202a\u202e\u2060\ufff9"
SPACES = " \t\n\r\v\f\x1c\x85\u00a0\u1680\u2003\u2028\u2029\u202f\u205f\u3000\u200b"


def between(rng, *blocks):
    """几个 Unicode 区间里的一串字符。"""
    return "".join(chr(rng.randint(*rng.choice(blocks))) for _ in range(rng.randint(1, 8)))


# 各种文字与各种麻烦，每样一个函数；一个字符串由几样接成，中间有时有空白
INGREDIENTS = [
    lambda rng: "".join(rng.choices(string.ascii_letters, k=rng.randint(1, 12))),
    lambda rng: rng.choice(sorted_vocab()).removeprefix(PREFIX).title(),
    lambda rng: "".join(rng.choices(string.ascii_letters + ACCENTS, k=rng.randint(1, 10))),
    lambda rng: rng.choice("aeiouyAEIOUYσΣ") + between(rng, (0x300, 0x36F)),
    lambda rng: between(rng, (0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0xF900, 0xFAFF), (0x20000, 0x2EBE0)),
    lambda rng: between(rng, (0x3041, 0x30FE), (0xFF66, 0xFF9D)),
    lambda rng: between(rng, (0xAC00, 0xD7A3), (0x1100, 0x11FF), (0x3131, 0x318E)),
    lambda rng: between(rng, (0x5D0, 0x5EA), (0x591, 0x5C7), (0x620, 0x669), (0xFB1D, 0xFDFF)),
    lambda rng: between(rng, (0x900, 0x97F), (0xE01, 0xE5B), (0x1780, 0x17DD)),
    lambda rng: between(rng, (0x370, 0x3FF), (0x400, 0x52F), (0x1E00, 0x1FFF)),
    lambda rng: "".join(rng.choices(EMOJI, k=rng.randint(1, 4))),
    lambda rng: "".join(rng.choices(INVISIBLE, k=rng.randint(1, 3))),
    lambda rng: rng.choice("aé字\u0301") * rng.randint(95, 130),
    lambda rng: "".join(rng.choices(string.punctuation + "，。「」—…‽¿€£′№", k=rng.randint(1, 5))),
    lambda rng: rng.choice(SPECIALS),
    lambda rng: f"{rng.uniform(0, 1e4):,.2f}",
    lambda rng: "".join(rng.choices(SCALARS, k=3)),
]


@cache
def sorted_vocab():
    return sorted(ours().vocab)


def random_text(rng) -> str:
    parts = []
    for ingredient in rng.choices(INGREDIENTS, k=rng.randint(1, 8)):
        parts += [ingredient(rng), rng.choice(["", "", *SPACES])]
    return agreed("".join(parts))
