"""WordPiece 分词：从字符串到词元编号，每一步是一个小函数，合起来与真实 BERT 的分词器逐字相同。

文本依次经过：特殊词元切分 → 清理 → 汉字两侧加空格 → 去重音 → 转小写 → 按空白与标点切词 → 最长匹配。
"""

import re
import string
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import torch

from .checks import check_known, check_text, check_texts, check_vocab
from .weights.word_piece import read_vocab

PAD, UNK, CLS, SEP, MASK = SPECIAL_TOKENS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
MANY = "一次处理多个文本请用 batch。"
PREFIX = "##"  # 词内的后续片段以它开头，这样 "##s"（复数词尾）与 "s"（单独的字母）是两个词元
MAX_WORD_LENGTH = 100

# 只认汉字，不认假名与谚文（它们像字母一样连成词）。区间照搬参考实现：它漏了扩展 E 区开头的 256 个字
# （2B820–2B91F），我们若补上，分词结果就会与它不同。
CJK = re.compile(
    "[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002a6df"
    "\U0002a700-\U0002b81f\U0002b920-\U0002ceaf\U0002f800-\U0002fa1f]"
)

CLEAN_UPS = (" .", " ?", " !", " ,", " ' ", " n't", " 'm", " 's", " 've", " 're")


def is_punctuation(char: str) -> bool:
    """判断一个字符是不是标点：Unicode 的 P 类，外加全部 ASCII 符号（如 `$`、`+`、`^`，它们不属于 P 类）。"""
    return char in string.punctuation or unicodedata.category(char).startswith("P")


def clean_text(text: str) -> str:
    """去掉看不见的字符（控制、格式、私用区、U+FFFD），各种空白一律换成普通空格。"""
    kept = []
    for char in text:
        category = unicodedata.category(char)
        if char in "\t\n\r" or category in ("Zs", "Zl", "Zp"):
            kept.append(" ")
        elif category not in ("Cc", "Cf", "Co") and char != "\ufffd":
            kept.append(char)
    return "".join(kept)


def space_cjk(text: str) -> str:
    """在每个汉字两侧加空格，使一个汉字成为一个词：`"我爱NLP"` → `" 我  爱 NLP"`。"""
    return CJK.sub(r" \g<0> ", text)


def remove_accents(text: str) -> str:
    """去掉重音：先按 NFD 把 `é` 拆成 `e` 与组合符，再丢掉组合符（Mn 类）。"""
    return "".join(char for char in unicodedata.normalize("NFD", text) if unicodedata.category(char) != "Mn")


def to_lower(text: str) -> str:
    """逐字符转小写。"""
    # 整串的 str.lower() 会看上下文，把词尾的 Σ 变成 ς；参考实现逐字符转换，总是得到 σ。
    return "".join(char.lower() for char in text)


def split_words(text: str) -> list[str]:
    """按空白切开，并让每个标点自成一词：`"don't stop"` → `["don", "'", "t", "stop"]`。"""
    spaced = "".join(f" {char} " if is_punctuation(char) else char for char in text)
    return spaced.split()


def normalize_words(
    text: str, lowercase: bool = True, strip_accents: bool | None = None, split_cjk: bool = True
) -> list[str]:
    """从文本到词：清理、汉字分开、去重音、转小写、切词。

    `strip_accents=None` 表示跟随 `lowercase`，与 BERT 原来的做法一致。
    """
    text = clean_text(text)
    if split_cjk:
        text = space_cjk(text)
    if lowercase if strip_accents is None else strip_accents:
        text = remove_accents(text)
    if lowercase:
        text = to_lower(text)
    return split_words(text)


def longest_match(word: str, vocab: Mapping[str, int]) -> list[str]:
    """贪心最长匹配：从左到右，每次取词表里最长的前缀；有一段配不上，整个词就是 `[UNK]`。

    长于 100 个字符的词不再尝试，直接是 `[UNK]`。

    出处：Schuster & Nakajima, 2012；Devlin et al., 2019, §3。
    """
    if len(word) > MAX_WORD_LENGTH:
        return [UNK]
    pieces, start = [], 0
    while start < len(word):
        prefix = PREFIX if start else ""
        for end in range(len(word), start, -1):
            if (piece := prefix + word[start:end]) in vocab:
                break
        else:
            return [UNK]
        pieces.append(piece)
        start = end
    return pieces


def clean_up(text: str) -> str:
    """解码时收掉英文标点与缩写前面的空格，如 `"well ."` → `"well."`。"""
    for spaced in CLEAN_UPS:
        text = text.replace(spaced, spaced.strip())
    return text


class WordPieceTokenizer:
    """WordPiece 分词器：`encode` 从文本到编号，`decode` 从编号回到文本。

    `vocab` 是 `{词元: 编号}`（编号不必连续），或按编号排好的词元列表；
    五个特殊词元 `[PAD] [UNK] [CLS] [SEP] [MASK]` 缺了哪个，用到它时才报错。
    文本里写出的特殊词元（大小写与括号须完全一致）不再切开。

    错误：词表为空，或两个词元的编号相同时，抛出 `ValueError`。
    出处：Devlin et al., 2019, §3；行为以 Hugging Face 的 `BertTokenizer` 为准。
    """

    def __init__(
        self,
        vocab: Mapping[str, int] | Sequence[str],
        lowercase: bool = True,
        strip_accents: bool | None = None,
        split_cjk: bool = True,
        clean_up_spaces: bool = False,
    ):
        self.vocab = dict(vocab) if isinstance(vocab, Mapping) else {t: i for i, t in enumerate(vocab)}
        check_vocab(self.vocab)
        self.ids_to_tokens = {index: token for token, index in self.vocab.items()}
        self.lowercase, self.strip_accents, self.split_cjk = lowercase, strip_accents, split_cjk
        self.clean_up_spaces = clean_up_spaces
        special = [re.escape(token) for token in SPECIAL_TOKENS if token in self.vocab]
        self._special = re.compile(f"({'|'.join(special)})" if special else r"(?!)")

    @classmethod
    def from_vocab(cls, path: str | Path) -> "WordPieceTokenizer":
        """从 `vocab.txt`（一行一个词元，行号就是编号）或装有它的文件夹建立分词器。

        文件夹里若有 `tokenizer_config.json`，其中的 `do_lower_case`、`strip_accents`、
        `tokenize_chinese_chars` 与 `clean_up_tokenization_spaces` 都会照办。

        错误：找不到 `vocab.txt` 时抛出 `FileNotFoundError`；读不出来时抛出 `PretrainedError`；
        配置改了特殊词元（这里不支持）时抛出 `ValueError`。
        """
        return cls(**read_vocab(path, SPECIAL_TOKENS))

    def tokenize(self, text: str) -> list[str]:
        """把文本切成词元（字符串），不加 `[CLS]` 与 `[SEP]`。

        错误：`text` 不是字符串时抛出 `TypeError`；含落单的代理码位，
        或需要 `[UNK]` 而词表里没有它时，抛出 `ValueError`。
        """
        tokens = []
        for i, part in enumerate(self._special.split(check_text(text, many=MANY))):
            if i % 2:  # 正则里有一个捕获组，所以奇数段恰好是特殊词元
                tokens.append(part)
                continue
            for word in normalize_words(part, self.lowercase, self.strip_accents, self.split_cjk):
                pieces = longest_match(word, self.vocab)
                if pieces == [UNK] and UNK not in self.vocab:
                    raise ValueError(f"词表拼不出 {word!r}，又没有 {UNK} 可以代替；请把 {UNK} 加进词表。")
                tokens += pieces
        return tokens

    def encode(self, text: str, text_pair: str | None = None, add_special_tokens: bool = True) -> list[int]:
        """把一个文本或一对文本变成编号：`[CLS] 甲 [SEP]` 或 `[CLS] 甲 [SEP] 乙 [SEP]`。

        错误：同 `tokenize`；要加的特殊词元不在词表里时，抛出 `ValueError`。
        """
        if text_pair == "":  # 参考实现在这里把空的第二段当作没有；批量编码（batch）时则算一段
            text_pair = None
        first, second = self._encode_parts(text, text_pair, add_special_tokens)
        return first + second

    def decode(self, ids: Iterable[int]) -> str:
        """把编号（列表或一维张量）连成文本，特殊词元照样写出；大小写、重音与原来的空格已经丢失。

        错误：不是一列整数时抛出 `TypeError`，编号不在词表里时抛出 `ValueError`。
        """
        words = []
        for i, token in enumerate(self.convert_ids_to_tokens(ids)):
            if i:
                token = token.removeprefix(PREFIX) if token.startswith(PREFIX) else f" {token}"
            words.append(clean_up(token))
        text = "".join(words)
        return clean_up(text) if self.clean_up_spaces else text

    def convert_ids_to_tokens(self, ids: Iterable[int]) -> list[str]:
        """逐个查出编号对应的词元；不是一列整数时抛出 `TypeError`，编号不在词表里时抛出 `ValueError`。"""
        return [self.ids_to_tokens[i] for i in check_known(ids, self.ids_to_tokens)]

    def batch(self, texts: Sequence[str], text_pairs: Sequence[str] | None = None) -> dict[str, torch.Tensor]:
        """编码一批文本（或文本对），在右侧用 `[PAD]` 补到同样长。

        返回三个形状 (B, N)、类型 int64 的张量：`input_ids` 是编号；
        `attention_mask` 在真实词元处为 1、补齐处为 0；
        `token_type_ids` 在第二段（含它的 `[SEP]`）为 1，其余为 0。

        错误：同 `encode`；`texts` 是单个字符串时抛出 `TypeError`；
        没有文本，或两个序列不一样长时，抛出 `ValueError`。
        """
        check_texts(texts, text_pairs)
        text_pairs = text_pairs or [None] * len(texts)
        parts = [self._encode_parts(*pair, True) for pair in zip(texts, text_pairs, strict=True)]
        length = max(len(first) + len(second) for first, second in parts)
        rows = {"input_ids": [], "attention_mask": [], "token_type_ids": []}
        for first, second in parts:
            ids = first + second
            pad = length - len(ids)
            rows["input_ids"].append(ids + [self._special_id(PAD) for _ in range(pad)])
            rows["attention_mask"].append([1] * len(ids) + [0] * pad)
            rows["token_type_ids"].append([0] * len(first) + [1] * len(second) + [0] * pad)
        return {name: torch.tensor(values) for name, values in rows.items()}

    def _encode_parts(self, text, text_pair, add_special_tokens) -> tuple[list[int], list[int]]:
        first = [self.vocab[token] for token in self.tokenize(text)]
        second = []
        if text_pair is not None:
            second = [self.vocab[token] for token in self.tokenize(check_text(text_pair, "text_pair", MANY))]
        if add_special_tokens:
            cls, sep = self._special_id(CLS), self._special_id(SEP)
            first = [cls, *first, sep]
            second = second if text_pair is None else [*second, sep]
        return first, second

    def _special_id(self, token: str) -> int:
        if token not in self.vocab:
            raise ValueError(f"这里要用到 {token}，词表里却没有；请把它加进词表。")
        return self.vocab[token]
