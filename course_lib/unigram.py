"""Unigram 分词：每个片段有一个分数，一个词有许多切法，取分数之和最高的一种；与真实的多语 BERT 的分词器逐个编号相同。

文本依次经过：特殊词元切分 → 归一化 → 空格写成 `▁` 并在它前面切开 → 求最好的一条路 → 查编号。
"""

import math
import os
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

import regex
import torch

from .checks import check_known, check_text, check_texts, check_vocab
from .weights import multilingual_bert
from .weights.unigram import read_unigram

BOS, PAD, EOS, UNK, MASK = SPECIAL_TOKENS = ("<s>", "<pad>", "</s>", "<unk>", "<mask>")
MANY = "一次处理多个文本请用 batch。"
SPACE = "▁"  # 空格写成它，词元里就看得出词从哪里开始
UNKNOWN_PENALTY = 10.0  # 词表里没有的字，比分数最低的片段还低这么多：有别的路，多半不走它
SHORT = 6  # 字素不到这么多个字节，才整个去换


class Span(NamedTuple):
    """一段归一化过的文本，与它在原文里的起止（以字符计）。"""

    text: str
    start: int
    end: int


def normalize(text: str, table: Mapping[str, str]) -> list[Span]:
    """照表换掉字符，如全角换成半角；连着的几个空格并成一个。

    参数：table，字符 → 换成什么。
    返回：归一化的文本，一个字一项，各记着它在原文里的起止；全部连起来就是那段文本。
    """
    spans = []
    for written, start, end in _replaced(text, table):
        for char in written:
            if char == " " and spans and spans[-1].text == " ":
                spans[-1] = spans[-1]._replace(end=end)
            else:
                spans.append(Span(char, start, end))
    return spans


def best_path(
    word: str, scores: Mapping[str, float], unknown: float, longest: int | None = None
) -> list[tuple[int, int]]:
    """分数之和最高的切法（Viterbi），各段的 (起, 止)：best[j] = maxᵢ (best[i] + score(word[i:j]))。

    前 j 个字最好的切法，去掉末一段 word[i:j]，剩下的就是前 i 个字最好的切法，所以从左到右，每个 j 只要记住一种；
    几种一样高，取末一段最长的。

    参数：scores，片段 → 分数，即对数概率；unknown，词表里没有的单个字的分数；longest，最长的片段有几个字，不给就现数。
    出处：Kudo, 2018, §3.2。
    """
    longest = longest or max(map(len, scores), default=1)
    best = [0.0] + [-math.inf] * len(word)
    came = [0] * len(best)  # came[j]：那种切法的末一段从哪里开始
    for end in range(1, len(best)):
        for start in range(max(0, end - longest), end):
            score = scores.get(word[start:end], unknown if end - start == 1 else -math.inf)
            if best[start] + score > best[end]:
                best[end], came[end] = best[start] + score, start
    path, end = [], len(word)
    while end:
        path.append((came[end], end))
        end = came[end]
    return path[::-1]


class UnigramTokenizer:
    """Unigram 分词器：`encode` 从文本到编号，`decode` 从编号回到文本。

    参数：scores，`{片段: 分数}`，按编号排好；normalization，`{字符: 换成什么}`。
    属性：scores、normalization 如上；unknown，词表里没有的字的分数。
    特殊词元 `<s> <pad> </s> <unk> <mask>` 写在文本里也算数。

    错误：scores 里缺了特殊词元时，抛出 `ValueError`。
    出处：Kudo, 2018；行为以 Hugging Face 的 tokenizers 为准。
    """

    def __init__(self, scores: Mapping[str, float], normalization: Mapping[str, str] | None = None):
        self.scores, self.normalization = dict(scores), dict(normalization or {})
        self.vocab = {piece: index for index, piece in enumerate(self.scores)}
        check_vocab(self.vocab)
        if missing := [token for token in SPECIAL_TOKENS if token not in self.vocab]:
            raise ValueError(f"词表里没有特殊词元 {'、'.join(missing)}；请把它加进 scores。")
        self.ids_to_tokens = {index: piece for piece, index in self.vocab.items()}
        self.unknown = min(self.scores.values()) - UNKNOWN_PENALTY
        self._longest = max(map(len, self.scores))
        self._special = re.compile(f"({'|'.join(map(re.escape, SPECIAL_TOKENS))})")

    @classmethod
    def from_pretrained(cls, name: str | os.PathLike | None = None) -> "UnigramTokenizer":
        """读出一个多语 BERT 的分词器。

        参数：name，与 `weights.multilingual_bert` 相同；不给就用环境变量 COURSE_MULTILINGUAL_BERT，再没有就用内置的那一个。
        错误：模型取不到、文件残缺，或者里面不是认识的 Unigram 时，抛出 `PretrainedError`。
        """
        return cls(**read_unigram(multilingual_bert(name), SPECIAL_TOKENS))

    def words(self, text: str) -> list[list[Span]]:
        """把文本归一化，切成词：`"我 爱"` → `▁我`、`▁爱`；一个词是一列字，各记着它在原文里的起止。

        汉字之间没有空格，一整句往往就是一个词。
        错误：`text` 不是字符串时抛出 `TypeError`；含落单的代理码位时抛出 `ValueError`。
        """
        words, position = [], 0
        for i, part in enumerate(self._special.split(check_text(text, many=MANY))):
            if i % 2:  # 正则里有一个捕获组，所以奇数段恰好是特殊词元
                words.append([Span(part, position, position + len(part))])
            else:
                words += _split(part, position, self.normalization)
            position += len(part)
        return words

    def pieces(self, text: str) -> list[Span]:
        """切成的词元，各记着它在原文里的起止；词表里没有的字，相邻的并成一个，照原样写出。错误同 `words`。"""
        pieces = []
        for word in self.words(text):
            for known, found in groupby(self._best(word), lambda piece: piece.text in self.scores):
                found = list(found)
                pieces += found if known else [_joined(found)]
        return pieces

    def tokenize(self, text: str) -> list[str]:
        """把文本切成词元（字符串），不加 `<s>` 与 `</s>`；词表里没有的是 `<unk>`。错误同 `words`。"""
        return [piece.text if piece.text in self.scores else UNK for piece in self.pieces(text)]

    def offsets(self, text: str) -> list[tuple[int, int]]:
        """各个词元在原文里的 (起, 止)，以字符计，与 `tokenize` 逐个对应；加在最前面的 `▁` 不占原文，单独成一个词元时起与止相同。错误同 `words`。"""
        return [(piece.start, piece.end) for piece in self.pieces(text)]

    def encode(self, text: str, text_pair: str | None = None, add_special_tokens: bool = True) -> list[int]:
        """把一个文本或一对文本变成编号：`<s> 甲 </s>` 或 `<s> 甲 </s> </s> 乙 </s>`。错误同 `words`。"""
        ids = self._ids(text)
        if not add_special_tokens:
            return ids if text_pair is None else ids + self._ids(text_pair, "text_pair")
        bos, eos = self.vocab[BOS], self.vocab[EOS]
        ids = [bos, *ids, eos]
        return ids if text_pair is None else [*ids, eos, *self._ids(text_pair, "text_pair"), eos]

    def decode(self, ids: Iterable[int]) -> str:
        """把编号（列表或一维张量）连成文本，特殊词元照样写出；归一化掉的已经丢失。

        错误：不是一列整数时抛出 `TypeError`，编号不在词表里时抛出 `ValueError`。
        """
        tokens = self.convert_ids_to_tokens(ids)
        return "".join(token.replace(SPACE, " " if i else "") for i, token in enumerate(tokens))

    def convert_ids_to_tokens(self, ids: Iterable[int]) -> list[str]:
        """逐个查出编号对应的词元；不是一列整数时抛出 `TypeError`，编号不在词表里时抛出 `ValueError`。"""
        return [self.ids_to_tokens[i] for i in check_known(ids, self.ids_to_tokens)]

    def batch(self, texts: Sequence[str], text_pairs: Sequence[str] | None = None) -> dict[str, torch.Tensor]:
        """编码一批文本（或文本对），在右侧用 `<pad>` 补到同样长。

        返回三个形状 (B, N)、类型 int64 的张量：`input_ids` 是编号；`attention_mask` 在真实词元处为 1、补齐处为 0；
        `token_type_ids` 全是 0：这一种模型不靠它分两段。

        错误：同 `encode`；`texts` 是单个字符串时抛出 `TypeError`；没有文本，或两个序列不一样长时，抛出 `ValueError`。
        """
        check_texts(texts, text_pairs)
        rows = [
            torch.tensor(self.encode(*pair))
            for pair in zip(texts, text_pairs or [None] * len(texts), strict=True)
        ]
        ids = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=self.vocab[PAD])
        lengths = torch.tensor([len(row) for row in rows])
        mask = (torch.arange(ids.size(1)) < lengths[:, None]).long()
        return {"input_ids": ids, "attention_mask": mask, "token_type_ids": torch.zeros_like(ids)}

    def _best(self, word: list[Span]) -> list[Span]:
        if word[0].text in SPECIAL_TOKENS:
            return word
        path = best_path("".join(span.text for span in word), self.scores, self.unknown, self._longest)
        return [_joined(word[start:end]) for start, end in path]

    def _ids(self, text: str, name: str = "text") -> list[int]:
        return [self.vocab[token] for token in self.tokenize(check_text(text, name, MANY))]


def _joined(spans: Sequence[Span]) -> Span:
    return Span("".join(span.text for span in spans), spans[0].start, spans[-1].end)


def _split(text: str, position: int, table: Mapping[str, str]) -> list[list[Span]]:
    """归一化，再在空格前面切开；position，这一段在原文里从哪里开始。"""
    spans = [span._replace(text=SPACE) if span.text == " " else span for span in normalize(text, table)]
    if spans and spans[0].text != SPACE:
        spans = [Span(SPACE, 0, 0), *spans]
    words = []
    for char, start, end in spans:
        if char == SPACE:
            words.append([])
        words[-1].append(Span(char, start + position, end + position))
    return words


def _replaced(text: str, table: Mapping[str, str]) -> Iterator[Span]:
    """逐个字素（字母连同它的重音符号）去换，与参考实现相同：短的字素整个换，换不了的，逐个字符换。"""
    for cluster in regex.finditer(r"\X", text):
        start, end = cluster.span()
        if (written := _cluster(cluster[0], table)) is not None:
            yield Span(written, start, end)
        else:
            yield from (Span(table.get(text[i], text[i]), i, i + 1) for i in range(start, end))


def _cluster(cluster: str, table: Mapping[str, str]) -> str | None:
    """不到六个字节的字素换成什么：从短到长，看它的开头哪一段换得掉，后面的就丢了；都换不掉的是 None。

    字母与重音符号合成一个字符，表里没有写，照 Unicode 的 NFKC；字母自己已经带着一个的，不再合。
    """
    if len(cluster.encode()) >= SHORT:
        return None
    if cluster[0] in table:
        return table[cluster[0]]
    if unicodedata.normalize("NFKD", cluster[0]) == cluster[0]:
        for end in range(2, len(cluster) + 1):
            if len(composed := unicodedata.normalize("NFKC", cluster[:end])) == 1:
                return composed
    return None
