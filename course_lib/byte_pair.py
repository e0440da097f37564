"""字节级 BPE：从字符串到字节，再把字节一步步并成词元，与真实大语言模型的分词器逐个编号相同。

文本依次经过：特殊词元切分 → 归一化（有的模型）→ 预切分 → UTF-8 字节 → 按学到的次序合并 → 查编号。
"""

import math
import os
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from heapq import heapify, heappop, heappush
from itertools import count, pairwise

from .chat_template import render
from .checks import check_known, check_merges, check_messages, check_text, check_vocab
from .pretokenization import SMOLLM, pretokenize
from .weights import llm_source
from .weights.byte_pair import load_tokenizer


def byte_characters() -> list[str]:
    """256 个字节各用哪个字符来写：看得见的字符代表自己，其余 68 个字节从 U+0100 起依次借用。

    于是任何字节串都能写成没有空白与控制字符的一个词，如空格写作 `Ġ`、换行写作 `Ċ`。
    出处：Radford et al., 2019, §2.2 的公开实现。
    """
    borrowed = count(256)
    visible = (chr(byte).isprintable() and not chr(byte).isspace() for byte in range(256))
    return [chr(byte if shown else next(borrowed)) for byte, shown in enumerate(visible)]


BYTE_TO_CHAR = byte_characters()
CHAR_TO_BYTE = {char: byte for byte, char in enumerate(BYTE_TO_CHAR)}


def spell(text: str) -> list[str]:
    """把文本的 UTF-8 字节逐个写成可见字符：`" 我"` → `["Ġ", "æ", "Ī", "ĳ"]`。

    错误：同 `BytePairTokenizer.pretokenize`。
    """
    return [BYTE_TO_CHAR[byte] for byte in check_text(text).encode()]


def unspell(token: str) -> bytes:
    """`spell` 的逆：把可见字符写成的词元还原成字节；有别的字符时抛出 `ValueError`。"""
    if unknown := [char for char in token if char not in CHAR_TO_BYTE]:
        raise ValueError(
            f"词元 {token!r} 里的 {unknown[0]!r} 不代表任何字节；请用 byte_characters 的字符来写。"
        )
    return bytes(CHAR_TO_BYTE[char] for char in token)


def merge(parts: Sequence[str], ranks: Mapping[tuple[str, str], int], limit: float = math.inf) -> list[str]:
    """反复合并次序最靠前（相同则最靠左）的相邻一对，直到没有可合并的，或者已经合并了 `limit` 次。

    参数：ranks，`{(左, 右): 次序}`，小的先合并。
    出处：Sennrich et al., 2016, §3.2。
    """
    # 次序存在堆里，左邻右邻存在表里，合并一次只看两处；末尾添的空段是两头的尽头，什么也不与它合并
    parts = [*parts, ""]
    left, right = [*range(-1, len(parts) - 1)], [*range(1, len(parts)), 0]
    waiting = [(ranks[pair], i) for i, pair in enumerate(pairwise(parts)) if pair in ranks]
    heapify(waiting)
    while waiting and limit > 0:
        rank, i = heappop(waiting)
        j = right[i]
        if ranks.get((parts[i], parts[j])) != rank:
            continue  # 等待的时候，其中一段已经被别人并走了
        parts[i], parts[j] = parts[i] + parts[j], ""
        right[i] = right[j]
        left[right[i]] = i
        for k in (left[i], i):
            if (pair := (parts[k], parts[right[k]])) in ranks:
                heappush(waiting, (ranks[pair], k))
        limit -= 1
    return [part for part in parts if part]


class BytePairTokenizer:
    """字节级 BPE 分词器：`encode` 从文本到编号，`decode` 从编号回到文本。

    参数：
    vocab，`{词元: 编号}`，词元用 `byte_characters` 的字符写成（特殊词元照原样写）；
    merges，`(左, 右)` 的列表，先学到的在前；special，特殊词元，文本里写出的不再切开；
    patterns，预切分依次使用的正则；whole_pieces，一段若本身就是词元便不再合并（Llama 3 如此）；
    template，对话模板（Jinja）的原文，有几个就是 `{名字: 原文}`；bos_id、eos_id、pad_id，开头、结束与填充词元的编号，没有就是 None；
    names，模板里还叫得出名字的词元，如 `{"image_token": "<image>"}`；
    normalization，切之前先归一成哪一种写法，如 "NFC"（e 与 ́ 并成一个字符 é），None 就是不动。

    错误：两个词元的编号相同、词元里有不代表字节的字符，或者合并的结果不在词表里时，抛出 `ValueError`。
    出处：Radford et al., 2019, §2.2；编号以 Hugging Face 的 tokenizers 为准。
    """

    def __init__(
        self,
        vocab: Mapping[str, int],
        merges: Iterable[tuple[str, str]],
        special: Iterable[str] = (),
        patterns: Sequence[str] = SMOLLM,
        whole_pieces: bool = False,
        template: str | Mapping[str, str] | None = None,
        bos_id: int | None = None,
        eos_id: int | None = None,
        pad_id: int | None = None,
        names: Mapping[str, str] | None = None,
        normalization: str | None = None,
    ):
        self.vocab = dict(vocab)
        self.special = {token: self.vocab[token] for token in special}
        self.ranks = {pair: rank for rank, pair in enumerate(merges)}
        self.patterns, self.whole_pieces, self.template = patterns, whole_pieces, template
        self.normalization = normalization
        self.bos_id, self.eos_id, self.pad_id, self.names = bos_id, eos_id, pad_id, dict(names or {})
        check_vocab(self.vocab)
        check_merges(self.ranks, self.vocab)
        self._bytes = {
            index: token.encode() if token in self.special else unspell(token)
            for token, index in self.vocab.items()
        }
        longest_first = sorted(map(re.escape, self.special), key=len, reverse=True)
        self._special = re.compile(f"({'|'.join(longest_first)})" if longest_first else r"(?!)")

    @classmethod
    def from_pretrained(cls, name: str | os.PathLike | None = None) -> "BytePairTokenizer":
        """读出一个大语言模型的分词器。

        参数：name，GGUF 文件、本地文件夹或 hub 上的名字；不给就用环境变量 COURSE_LLM，再没有就用内置模型。
        错误：模型取不到、文件残缺，或者里面不是认识的字节级 BPE 时，抛出 `PretrainedError`。
        """
        return load_tokenizer(cls, llm_source(name))

    @classmethod
    def from_gguf(cls, path: str | os.PathLike) -> "BytePairTokenizer":
        """从一个 GGUF 文件的元数据读出分词器，不碰权重；错误：文件残缺等，抛出 `PretrainedError`。"""
        return load_tokenizer(cls, path)

    def pretokenize(self, text: str) -> list[str]:
        """把文本切成段：特殊词元自成一段，其余归一化之后按正则切开；连起来就是（归一化之后的）原文。

        错误：`text` 不是字符串时抛出 `TypeError`；含落单的代理码位时抛出 `ValueError`。
        """
        pieces = []
        for i, part in enumerate(self._special.split(check_text(text))):
            is_special = i % 2 == 1
            pieces += [part] if is_special else pretokenize(self._normalized(part), self.patterns)
        return pieces

    def tokenize(self, text: str) -> list[str]:
        """把文本切成词元（特殊词元之外都写成可见字符）；词表里没有的字节会被略去，与参考实现相同。

        错误：同 `pretokenize`。
        """
        tokens = []
        for piece in self.pretokenize(text):
            parts = self._spell(piece)
            if piece in self.special:
                tokens.append(piece)
            elif self.whole_pieces and (token := "".join(parts)) in self.vocab:
                tokens.append(token)
            else:
                tokens += merge(parts, self.ranks)
        return tokens

    def encode(self, text: str) -> list[int]:
        """把文本变成编号，首尾不另加词元；错误同 `pretokenize`。"""
        return [self.vocab[token] for token in self.tokenize(text)]

    def merge_steps(self, piece: str) -> list[list[str]]:
        """一段文本的合并过程：第一项是逐个字节，此后每项多合并一次，最后一项是词元，都写成可见字符；错误同 `pretokenize`。"""
        steps = [self._spell(piece)]
        while len(merged := merge(steps[-1], self.ranks, limit=1)) < len(steps[-1]):
            steps.append(merged)
        return steps

    def token_bytes(self, index: int) -> bytes:
        """一个编号代表的字节，不一定拼得成完整的字符；错误同 `decode`。"""
        return self._bytes[check_known([index], self._bytes)[0]]

    def decode(self, ids: Iterable[int], skip_special_tokens: bool = False) -> str:
        """把编号（列表或一维张量）连成文本；拼不成 UTF-8 的字节写作 `�`。

        错误：不是一列整数时抛出 `TypeError`，编号不在词表里时抛出 `ValueError`。
        """
        dropped = set(self.special.values()) if skip_special_tokens else ()
        kept = (i for i in check_known(ids, self._bytes) if i not in dropped)
        return b"".join(self._bytes[i] for i in kept).decode(errors="replace")

    def chat(self, messages: Sequence[Mapping[str, str]], add_generation_prompt: bool = True) -> str:
        """按模型自带的对话模板把一串消息写成一个文本，与 transformers 的 `apply_chat_template` 逐字相同。

        `add_generation_prompt=True` 再写出助手的开头，让模型接着往下写。
        内容里若有特殊词元的写法，编码时会被当真，与模板自己写的没有分别。

        参数：messages，`[{"role": "user", "content": "…"}, …]`。
        错误：模型没有带模板，消息不是只有角色与内容，或者模板写不出它们时，抛出 `ValueError`。
        """
        if not self.template:
            raise ValueError("这个模型没有带对话模板；请改用指令微调过的模型。")
        check_messages(messages)
        ids = {"bos_token": self.bos_id, "eos_token": self.eos_id, "pad_token": self.pad_id}
        tokens = {name: self.decode([index]) for name, index in ids.items() if index is not None}
        tokens = self.names | tokens
        return render(self.template, [dict(m) for m in messages], add_generation_prompt, tokens)

    def _normalized(self, text: str) -> str:
        return unicodedata.normalize(self.normalization, text) if self.normalization else text

    def _spell(self, piece: str) -> list[str]:
        return [char for char in spell(piece) if char in self.vocab]
