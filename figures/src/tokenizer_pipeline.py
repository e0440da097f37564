from canvas import FAINT, INK, OUTPUT, Canvas

from course_lib.tokenization import (
    WordPieceTokenizer,
    clean_text,
    longest_match,
    remove_accents,
    space_cjk,
    split_words,
    to_lower,
)
from course_lib.weights import builtin_path

TITLE, HEIGHT = "分词的全程", 38
LABELS = ["原文", "清理，汉字两侧加空格", "去重音，转小写", "切成词", "最长匹配，加特殊词元", "查编号"]
tokenizer = WordPieceTokenizer.from_vocab(builtin_path())


def said(text, words, tokens):
    return (
        f"原文 {text} 先清理、在汉字两侧加空格，再去重音、转小写，切成 {len(words)} 个词，"
        f"每个词按最长匹配切成词元，两端加上 [CLS] 与 [SEP]，最后查出 {len(tokens)} 个编号。"
    )


def draw(name, text, width, height, slot, left, first, step, sizes, notes, labels_above=False):
    """slot 是一格多宽，left 与 first 是头一格的左边与中线，step 是两步相距多远；字的大小依次是步骤、话、词元。"""
    spaced = space_cjk(clean_text(text))
    lowered = to_lower(remove_accents(spaced))
    words = split_words(lowered)
    pieces = [longest_match(word, tokenizer.vocab) for word in words]
    tokens = ["[CLS]", *(part for parts in pieces for part in parts), "[SEP]"]
    assert [tokenizer.vocab[token] for token in tokens] == tokenizer.encode(text)

    c = Canvas(name, width, height, TITLE, said(text, words, tokens))
    gap = 10 if slot > 60 else 5
    rows = [first + step * i for i in range(6)]
    small, middle_size, large = sizes
    for label, y in zip(LABELS, rows, strict=True):
        if labels_above:
            aside = 28 if label == LABELS[-1] else 0  # 让开 [CLS] 下面的箭头
            c.text(label, left + aside, y - HEIGHT / 2 - 11, small, FAINT, anchor="start")
        else:
            c.text(label, left - 22, y, small, FAINT, anchor="end")

    def down(x, i):
        """从第 i 步往下一步的箭头。"""
        c.arrow((x, rows[i] + HEIGHT / 2 + 3), (x, rows[i + 1] - HEIGHT / 2 - 3))

    wide = slot * len(tokens) - gap
    for i, shown in enumerate((text, spaced, lowered)):
        c.box(left, rows[i] - HEIGHT / 2, wide, HEIGHT, shown.replace(" ", "␣"), INK, large)
        down(left + (wide / 2 if not labels_above else wide * 0.75), i)
    at = 1  # 第 0 格留给 [CLS]
    for word, parts in zip(words, pieces, strict=True):
        x, span = left + slot * at, slot * len(parts) - gap
        c.box(x, rows[3] - HEIGHT / 2, span, HEIGHT, word, INK, middle_size)
        for i, part in enumerate(parts):
            middle, unknown = x + slot * i + (slot - gap) / 2, part == "[UNK]"
            c.box(x + slot * i, rows[4] - HEIGHT / 2, slot - gap, HEIGHT, part, INK, small, filled=unknown)
            if not labels_above or middle > left + slot * 3.2:
                down(middle, 3)
            down(middle, 4)
        at += len(parts)
    for i, token in enumerate(tokens):
        x = left + slot * i
        if i in (0, len(tokens) - 1):
            c.box(x, rows[4] - HEIGHT / 2, slot - gap, HEIGHT, token, FAINT, small)
            down(x + (slot - gap) / 2, 4)
        c.box(x, rows[5] - HEIGHT / 2, slot - gap, HEIGHT, str(tokenizer.vocab[token]), OUTPUT, small)
    for i, note in enumerate(notes):
        x, y = (left, rows[5] + 40 + 22 * i) if labels_above else (width // 2, 456)
        c.text(note, x, y, 13 if labels_above else 16, INK, anchor="start" if labels_above else "middle")
    c.save()


draw(
    "tokenizer_pipeline", "Café tokenizers! 天气", 840, 470, 71, 190, 34, 76, (16, 17, 17),
    ["␣ 是空格；[UNK] 表示词表里没有；[CLS] 与 [SEP] 由分词器加上，不在原文里。"],
)  # fmt: skip
draw(
    "tokenizer_pipeline_narrow", "Tokenizers 天气", 358, 534, 50, 6, 42, 84, (13, 14, 15),
    ["␣ 是空格；[UNK] 表示词表里没有；", "[CLS] 与 [SEP] 由分词器加上。"], labels_above=True,
)  # fmt: skip
