"""预切分：合并之前先把文本切成段（词、数字、符号、空白），合并不会越过段的边界。"""

from collections.abc import Sequence

import regex  # 标准库的 re 不认 \p{L}

from .checks import check_text

# 英文缩写、字母、数字、其余符号各成一段，后三样可以带上前面的一个空格；一串空白把最后一个空格让给后面的词。
GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
DIGIT = r"\p{N}"
SMOLLM = (DIGIT, GPT2)  # 先把每个数字单独切出来，所以没有一个词元含有两个数字
# 与 GPT2 相比：缩写不分大小写，字母前面可以带一个别的符号而不只是空格，数字一个一段，符号连着后面的换行，换行自成一段。
QWEN2 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)


def pretokenize(text: str, patterns: Sequence[str] = SMOLLM) -> list[str]:
    """依次用每个正则（里面不能有捕获组）再切一遍，配上的与没配上的都留下；连起来就是原文。

    `"don't  go 42"` → `["don", "'t", " ", " go", " ", "4", "2"]`。
    错误：`text` 不是字符串时抛出 `TypeError`；含落单的代理码位时抛出 `ValueError`。
    出处：Radford et al., 2019, §2.2；单独切出数字照 SmolLM。
    """
    pieces = [check_text(text)]
    for pattern in patterns:
        pieces = [part for piece in pieces for part in regex.split(f"({pattern})", piece) if part]
    return pieces
