"""字节级 BPE：从字符串到字节，再把字节一步步并成词元，与真实大语言模型的分词器逐个编号相同。

文本依次经过：特殊词元切分 → 预切分 → UTF-8 字节 → 按学到的次序合并 → 查编号。
"""

import heapq
import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import count, pairwise

from .pretokenization import SMOLLM, pretokenize
from .tokenization import check_text, known_ids
from .weights import llm_source
from .weights.byte_pair import read_tokenizer

START, END = "<|im_start|>", "<|im_end|>"  # 对话模板里，一条消息的开头与结尾


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
    """把文本的 UTF-8 字节逐个写成可见字符：`" 我"` → `["Ġ", "æ", "Ī", "ĳ"]`。"""
    return [BYTE_TO_CHAR[byte] for byte in text.encode()]


def unspell(token: str) -> bytes:
    """`spell` 的逆：把可见字符写成的词元还原成字节；有别的字符时抛出 `ValueError`。"""
    if unknown := [char for char in token if char not in CHAR_TO_BYTE]:
        raise ValueError(
            f"词元 {token!r} 里的 {unknown[0]!r} 不代表任何字节；请用 byte_characters 的字符来写。"
        )
    return bytes(CHAR_TO_BYTE[char] for char in token)


def merge(parts: Sequence[str], ranks: Mapping[tuple[str, str], int], limit: int | None = None) -> list[str]:
    """反复合并次序最靠前（相同则最靠左）的相邻一对，直到没有可合并的，或者已经合并了 `limit` 次。

    参数：ranks，`{(左, 右): 次序}`，小的先合并。
    出处：Sennrich et al., 2016, §3.2。
    """
    parts, end = list(parts), len(parts)
    left, right = list(range(-1, end - 1)), list(range(1, end + 1))  # 每一段眼下的左邻与右邻
    waiting: list[tuple[int, int]] = []  # (次序, 左段的位置) 的堆：不必每次从头找最小的

    def wait(i: int) -> None:
        if i >= 0 and right[i] < end and (pair := (parts[i], parts[right[i]])) in ranks:
            heapq.heappush(waiting, (ranks[pair], i))

    for i in range(end):
        wait(i)
    while waiting and limit != 0:
        rank, i = heapq.heappop(waiting)
        j = right[i]
        if j == end or ranks.get((parts[i], parts[j])) != rank:
            continue  # 等待的时候，其中一段已经被别人并走了
        parts[i], parts[j] = parts[i] + parts[j], ""
        right[i] = right[j]
        if right[j] < end:
            left[right[j]] = i
        wait(left[i])
        wait(i)
        limit = limit and limit - 1
    return [part for part in parts if part]


class BytePairTokenizer:
    """字节级 BPE 分词器：`encode` 从文本到编号，`decode` 从编号回到文本。

    参数：
    vocab，`{词元: 编号}`，词元用 `byte_characters` 的字符写成（特殊词元照原样写）；
    merges，`(左, 右)` 的列表，先学到的在前；special，特殊词元，文本里写出的不再切开；
    patterns，预切分依次使用的正则；whole_pieces，一段若本身就是词元便不再合并（Llama 3 如此）；
    template，对话模板（Jinja）的原文；bos_id、eos_id、pad_id，开头、结束与填充词元的编号，没有就是 None。

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
        template: str | None = None,
        bos_id: int | None = None,
        eos_id: int | None = None,
        pad_id: int | None = None,
    ):
        self.vocab = dict(vocab)
        self.special = {token: self.vocab[token] for token in special}
        self.ranks = {pair: rank for rank, pair in enumerate(merges)}
        self.patterns, self.whole_pieces, self.template = patterns, whole_pieces, template
        self.bos_id, self.eos_id, self.pad_id = bos_id, eos_id, pad_id
        self._bytes = {
            index: token.encode() if token in self.special else unspell(token)
            for token, index in self.vocab.items()
        }
        if len(self._bytes) < len(self.vocab):
            index, _ = Counter(self.vocab.values()).most_common(1)[0]
            raise ValueError(f"编号 {index} 被几个词元共用；每个词元要有自己的编号。")
        for left, right in self.ranks:
            if left + right not in self.vocab:
                raise ValueError(
                    f"{left!r} 与 {right!r} 合并的结果不在词表里；词表与合并规则要出自同一个模型。"
                )
        longest_first = sorted(map(re.escape, self.special), key=len, reverse=True)
        self._special = re.compile(f"({'|'.join(longest_first)})" if longest_first else r"(?!)")

    @classmethod
    def from_pretrained(cls, name: str | os.PathLike | None = None) -> "BytePairTokenizer":
        """读出一个大语言模型的分词器。

        参数：name，GGUF 文件、本地文件夹或 hub 上的名字；不给就用环境变量 COURSE_LLM，再没有就用内置模型。
        错误：模型取不到、文件残缺，或者里面不是认识的字节级 BPE 时，抛出 `PretrainedError`。
        """
        return cls(**read_tokenizer(llm_source(name)))

    @classmethod
    def from_gguf(cls, path: str | os.PathLike) -> "BytePairTokenizer":
        """从一个 GGUF 文件的元数据读出分词器，不碰权重；错误：文件残缺等，抛出 `PretrainedError`。"""
        return cls(**read_tokenizer(path))

    def pretokenize(self, text: str) -> list[str]:
        """把文本切成段：特殊词元自成一段，其余按正则切开；连起来就是原文。

        错误：`text` 不是字符串时抛出 `TypeError`；含落单的代理码位时抛出 `ValueError`。
        """
        pieces = []
        for i, part in enumerate(self._special.split(check_text(text))):
            pieces += [part] if i % 2 else pretokenize(part, self.patterns)  # 奇数段恰好是特殊词元
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
        """一段文本的合并过程：第一项是逐个字节，此后每项多合并一次，最后一项是词元，都写成可见字符。"""
        parts = self._spell(piece)
        merges = len(parts) - len(merge(parts, self.ranks))
        return [merge(parts, self.ranks, limit) for limit in range(merges + 1)]

    def token_bytes(self, index: int) -> bytes:
        """一个编号代表的字节，不一定拼得成完整的字符；错误同 `decode`。"""
        return self._bytes[known_ids([index], self._bytes)[0]]

    def decode(self, ids: Iterable[int], skip_special_tokens: bool = False) -> str:
        """把编号（列表或一维张量）连成文本；拼不成 UTF-8 的字节写作 `�`。

        错误：不是一列整数时抛出 `TypeError`，编号不在词表里时抛出 `ValueError`。
        """
        dropped = set(self.special.values()) if skip_special_tokens else ()
        kept = (i for i in known_ids(ids, self._bytes) if i not in dropped)
        return b"".join(self._bytes[i] for i in kept).decode(errors="replace")

    def chat(self, messages: Sequence[Mapping[str, str]], add_generation_prompt: bool = True) -> str:
        """按对话模板把一串消息写成一个文本：每条是 `<|im_start|>角色`、换行、内容、`<|im_end|>`、换行。

        没有以 system 消息开头时，补上模板自带的那一句；`add_generation_prompt=True` 再写出助手的开头，
        让模型接着往下写。内容里若有特殊词元的写法，编码时会被当真，与模板自己写的没有分别。

        参数：messages，`[{"role": "user", "content": "…"}, …]`。
        错误：模型没有这种模板，或者消息缺了角色、内容时抛出 `ValueError`。
        """
        if START not in (self.template or ""):
            raise ValueError(f"这个模型没有带 {START} 的对话模板；请改用指令微调过的模型。")
        if not messages or not all(
            isinstance(m, Mapping) and isinstance(m.get(key), str)
            for m in messages
            for key in ("role", "content")
        ):
            raise ValueError(f"messages 应当是带 role 与 content 的一列字典，收到的是 {messages!r:.60}。")
        system = re.search(rf"{re.escape(START)}system\n([^{{}}']+){re.escape(END)}", self.template)
        if system and messages[0]["role"] != "system":
            messages = [{"role": "system", "content": system[1]}, *messages]
        text = "".join(f"{START}{m['role']}\n{m['content']}{END}\n" for m in messages)
        return text + f"{START}assistant\n" if add_generation_prompt else text

    def _spell(self, piece: str) -> list[str]:
        return [char for char in spell(piece) if char in self.vocab]


def train_byte_pairs(text: str, num_merges: int) -> BytePairTokenizer:
    """从一个文本学出分词器：从 256 个字节开始，一次次合并相邻次数最多的一对，直到合并了 `num_merges` 次。

    次数相同时取左边编号最小的一对，再相同取右边编号最小的；无可合并时提早停下。编号 0 到 255 是字节
    （依所写的字符排序），此后每次合并得到的新词元依次编号。预切分与 SmolLM 相同。

    错误：`text` 不是字符串时抛出 `TypeError`；含落单的代理码位，或 `num_merges` 为负时抛出 `ValueError`。
    出处：Sennrich et al., 2016, §3.2。
    """
    if num_merges < 0:
        raise ValueError(f"num_merges={num_merges} 不能是负数。")
    words = Counter(pretokenize(check_text(text)))
    splits = {word: spell(word) for word in words}
    counts: Counter[tuple[str, str]] = Counter()  # 一对在全文里相邻多少次
    where = defaultdict(set)  # 一对出现在哪些词里：合并它只会改变这些词的次数

    def tally(word: str, sign: int) -> None:
        for pair in pairwise(splits[word]):
            counts[pair] += sign * words[word]
            (where[pair].add if sign > 0 else where[pair].discard)(word)

    for word in words:
        tally(word, +1)
    vocab = {char: index for index, char in enumerate(sorted(BYTE_TO_CHAR))}
    merges = []
    while len(merges) < num_merges and (most := max(counts.values(), default=0)):
        best = min((p for p in counts if counts[p] == most), key=lambda p: (vocab[p[0]], vocab[p[1]]))
        merges.append(best)
        vocab.setdefault("".join(best), len(vocab))
        for word in list(where[best]):
            tally(word, -1)
            splits[word] = merge(splits[word], {best: 0})
            tally(word, +1)
    return BytePairTokenizer(vocab, merges)
