import torch


def forward_match(text, vocab):
    pieces, start = [], 0
    while start < len(text):
        end = next(end for end in range(len(text), start, -1) if text[start:end] in vocab)
        pieces.append(text[start:end])
        start = end
    return pieces


def not_reversed(text, vocab):
    pieces, end = [], len(text)
    while end > 0:
        start = next(start for start in range(end) if text[start:end] in vocab)
        pieces.append(text[start:end])
        end = start
    return pieces


def rest_after_match(word, vocab, prefix_inside="##", give_up=False):
    start = 0
    while start < len(word):
        prefix = prefix_inside if start else ""
        ends = [end for end in range(start + 1, len(word) + 1) if prefix + word[start:end] in vocab]
        if not ends:
            return word if give_up else word[start:]
        start = max(ends)
    return ""


def pad(rows, pad_id, max_len, mask_by_id=False, keep_sep=True, inverted=False):
    if keep_sep:
        rows = [row if len(row) <= max_len else [*row[: max_len - 1], row[-1]] for row in rows]
    rows = [row[:max_len] for row in rows]
    longest = max(map(len, rows))
    ids = torch.tensor([row + [pad_id] * (longest - len(row)) for row in rows])
    mask = (torch.arange(longest) < torch.tensor([[len(row)] for row in rows])).int()
    if mask_by_id:
        mask = (ids != pad_id).int()
    return ids, 1 - mask if inverted else mask


def seps_before(ids, sep, inclusive=False):
    return [ids[: i + inclusive].count(sep) for i in range(len(ids))]


WRONG_ANSWERS = {
    "tokenization.backward-match": [
        (forward_match, "从左往右"),
        (not_reversed, "次序却是反的"),
        (lambda text, vocab: list(text), "切成了单字"),
        (lambda text, vocab: [text], "应当切成"),
        (lambda text, vocab: text, "列表"),
    ],
    "tokenization.stuck": [
        (lambda word, vocab: rest_after_match(word, vocab, prefix_inside=""), "要带着 ##"),
        (lambda word, vocab: rest_after_match(word, vocab, give_up=True), "不是整个都配不上"),
        (lambda word, vocab: word[-1:], "应当返回空字符串"),
        (lambda word, vocab: rest_after_match(word, vocab)[:1], "卡住时还剩"),
        (lambda word, vocab: ["[UNK]"], "应当返回字符串"),
    ],
    "tokenization.pad-batch": [
        (lambda *args: pad(*args, mask_by_id=True), "要看长度"),
        (lambda *args: pad(*args, keep_sep=False), "仍是 [SEP]"),
        (lambda *args: pad(*args, inverted=True), "反了"),
        (lambda rows, pad_id, max_len: pad(rows, pad_id, 99), "形状应当是 (3, 6)"),
        (lambda *args: pad(*args)[0], "要返回两样"),
    ],
    "tokenization.segments": [
        (
            lambda ids, sep: [int(n > 0) for n in seps_before(ids, sep, inclusive=True)],
            "第一个 [SEP] 属于第一段",
        ),
        (
            lambda ids, sep: [
                int(n == 1 and i != sep) for n, i in zip(seps_before(ids, sep), ids, strict=True)
            ],
            "最后一个 [SEP]",
        ),
        (lambda ids, sep: [int(n > 0) for n in seps_before(ids, sep)], "不属于第二段"),
        (lambda ids, sep: [int(n == 1) for n in seps_before(ids, sep)], "没有第二段"),
    ],
    "tokenization.embedding-rows": [
        (len, "行数要看最大的编号"),
        (lambda vocab: max(vocab.values()), "编号从 0 数起"),
        (lambda vocab: list(vocab.values())[-1] + 1, "不一定最大"),
        (lambda vocab: 30522, "至少要 24 行"),
    ],
}
