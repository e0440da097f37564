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

tokenizer = WordPieceTokenizer.from_vocab(builtin_path())
text = "Café tokenizers! 天气"
spaced = space_cjk(clean_text(text))
lowered = to_lower(remove_accents(spaced))
words = split_words(lowered)
pieces = [longest_match(word, tokenizer.vocab) for word in words]
tokens = ["[CLS]", *(part for parts in pieces for part in parts), "[SEP]"]
assert [tokenizer.vocab[token] for token in tokens] == tokenizer.encode(text)

c = Canvas(
    "tokenizer_pipeline",
    840,
    470,
    "分词的全程",
    f"原文 {text} 先清理、在汉字两侧加空格，再去重音、转小写，切成 {len(words)} 个词，"
    f"每个词按最长匹配切成词元，两端加上 [CLS] 与 [SEP]，最后查出 {len(tokens)} 个编号。",
)
LEFT, STEP, SLOT, HEIGHT = 190, 76, 71, 38
rows = [34 + STEP * i for i in range(6)]
labels = ["原文", "清理，汉字两侧加空格", "去重音，转小写", "切成词", "最长匹配，加特殊词元", "查编号"]
for label, y in zip(labels, rows, strict=True):
    c.text(label, 168, y, 15, FAINT, anchor="end")
width = SLOT * len(tokens) - 10
for shown, y in zip((text, spaced, lowered), rows, strict=False):
    c.box(LEFT, y - HEIGHT / 2, width, HEIGHT, shown.replace(" ", "␣"), INK, 17)
    c.arrow((LEFT + width / 2, y + HEIGHT / 2 + 3), (LEFT + width / 2, y + STEP - HEIGHT / 2 - 3))

slot = 1  # 第 0 格留给 [CLS]
for word, parts in zip(words, pieces, strict=True):
    x, span = LEFT + SLOT * slot, SLOT * len(parts) - 10
    c.box(x, rows[3] - HEIGHT / 2, span, HEIGHT, word, INK, 16)
    for i, part in enumerate(parts):
        middle = x + SLOT * i + (SLOT - 10) / 2
        left, unknown = x + SLOT * i, part == "[UNK]"
        c.box(left, rows[4] - HEIGHT / 2, SLOT - 10, HEIGHT, part, INK, 15, filled=unknown)
        c.arrow((middle, rows[3] + HEIGHT / 2 + 3), (middle, rows[4] - HEIGHT / 2 - 3))
        c.arrow((middle, rows[4] + HEIGHT / 2 + 3), (middle, rows[5] - HEIGHT / 2 - 3))
    slot += len(parts)
for i, token in enumerate(tokens):
    x, special = LEFT + SLOT * i, i in (0, len(tokens) - 1)
    if special:
        c.box(x, rows[4] - HEIGHT / 2, SLOT - 10, HEIGHT, token, FAINT, 15)
        middle = x + (SLOT - 10) / 2
        c.arrow((middle, rows[4] + HEIGHT / 2 + 3), (middle, rows[5] - HEIGHT / 2 - 3))
    c.box(x, rows[5] - HEIGHT / 2, SLOT - 10, HEIGHT, str(tokenizer.vocab[token]), OUTPUT, 15)
c.text("␣ 是空格；[UNK] 表示词表里没有；[CLS] 与 [SEP] 由分词器加上，不在原文里。", 420, 450, 14, INK)
c.save()
