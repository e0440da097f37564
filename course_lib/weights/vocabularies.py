"""一个文件夹里的词表与模型配不配套：词表可以是 WordPiece 的，也可以是 Unigram 的。"""

from pathlib import Path
from typing import Any

from .errors import SourceError
from .reading import read_json
from .unigram import TOKENIZER, is_unigram, unigram_words
from .word_piece import read_words, vocabulary_file


def vocabulary_fault(folder: Path, vocab_size: Any, unigram: bool = False) -> str | None:
    """文件夹里的词表与 config.json 里的 vocab_size 不配套时，返回一句说明；没有问题就返回 None。

    模型的嵌入可以比词表多几个，凑成整数；少，或者一大半没有词元，就是词表不对。
    参数：unigram，是不是非得是 Unigram 的。
    """
    file = vocabulary_file(folder)
    try:
        values = read_json(file) if file.name == TOKENIZER else {}
        words = unigram_words(values) if unigram or is_unigram(values) else read_words(file)
    except SourceError as error:
        return str(error)
    if type(vocab_size) is int and not vocab_size / 2 <= max(words.values(), default=-1) + 1 <= vocab_size:
        return f"{file.name} 里有 {len(words)} 个词元，模型却要 {vocab_size} 个，两者不配套"
    return None


def unigram_fault(folder: Path, vocab_size: Any) -> str | None:
    """同 `vocabulary_fault`，而且非得是 Unigram 的。"""
    return vocabulary_fault(folder, vocab_size, unigram=True)
