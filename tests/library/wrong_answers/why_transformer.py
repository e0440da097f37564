from math import ceil

import torch


def rnn(x, w_x, w_h, start=None, act=torch.tanh):
    state, states = torch.zeros(x.size(1)) if start is None else start, []
    for x_t in x:
        state = act(x_t @ w_x + state @ w_h)
        states.append(state)
    return torch.stack(states)


WRONG_ANSWERS = {
    "why_transformer.run-rnn": [
        (lambda x, a, b: rnn(x, a, b, act=lambda y: y), "还要经过 tanh"),
        (lambda x, a, b: torch.tanh(x @ a), "只看了自己"),
        (lambda x, a, b: rnn(x, b, a), "用反了"),
        (lambda x, a, b: rnn(x, a.T, b.T), "不必转置"),
        (
            lambda x, a, b: torch.tanh(x @ a + x.roll(1, 0).index_fill(0, torch.tensor(0), 0) @ b),
            "前一个状态，",
        ),
        (lambda x, a, b: rnn(x, a, b)[-1], "只交出了最后一个"),
        (lambda x, a, b: rnn(x, a, b, start=x[0]), "初始状态应当是 0"),
        (lambda x, a, b: torch.cat([torch.zeros(1, 4), rnn(x, a, b)]), "多了一行"),
        (lambda x, a, b: rnn(x.flip(0), a, b), "逐个往下传"),
    ],
    "why_transformer.conv-layers": [
        (lambda n, window: ceil((n - 1) / (window - 1)), "居中"),
        (lambda n, window: ceil((n - 1) / window), "不是整个窗口"),
        (lambda n, window: (n - 1) // (window // 2), "向上取整"),
        (lambda n, window: ceil(n / (window // 2)), "不是 n 格"),
        (lambda n, window: 1, "应当是 8"),
    ],
    "why_transformer.score-count": [
        (lambda n, heads, layers: layers * heads * n * (n - 1), "也看自己"),
        (lambda n, heads, layers: layers * heads * n * (n + 1) // 2, "不能只算一半"),
        (lambda n, heads, layers: n * n, "各有一张表"),
        (lambda n, heads, layers: heads * n * n, "应当是 1200"),
    ],
    "why_transformer.serial-steps": [
        (lambda kind, n, layers: n * layers, "与 n 无关"),
        (lambda kind, n, layers: layers if kind == "attention" else n * layers, "错开一格"),
        (lambda kind, n, layers: layers, "都要等前一个"),
        (lambda kind, n, layers: 1 if kind == "attention" else n + layers - 1, "层与层之间"),
        (lambda kind, n, layers: layers if kind == "attention" else n + layers, "最长的一条链"),
    ],
}
