"""《为什么是 Transformer》的练习。"""

from math import ceil

import torch

from ..exercise import Exercise, Symptom


def rnn(x, w_x, w_h, start=None, activation=torch.tanh):
    state, states = torch.zeros(4) if start is None else start, []
    for x_t in x:
        state = activation(x_t @ w_x + state @ w_h)
        states.append(state)
    return torch.stack(states)


# 表格自己排版：提示在前，错答在后，写得下就在一行
# fmt: off
EXERCISES = [
    Exercise("why_transformer.run-rnn",
        cases=lambda rng: [(rng.randn(6, 4), *rng.randn(2, 4, 4))],
        right=lambda x, w_x, w_h: rnn(x, w_x, w_h),
        wrong={
            "只交出了最后一个状态：每个词元都有一个状态，要全部留下来。": Symptom(lambda x, w_x, w_h: rnn(x, w_x, w_h)[-1]),
            "多了一行：初始状态 0 不是哪个词元的状态，不要放进结果。":
                Symptom(lambda x, w_x, w_h: torch.cat([torch.zeros(1, 4), rnn(x, w_x, w_h)])),
            "每一步的末尾还要经过 tanh。": lambda x, w_x, w_h: rnn(x, w_x, w_h, activation=lambda y: y),
            "每个词元只看了自己：算 h_t 时要加上 h_{t-1} 乘 w_h。": lambda x, w_x, w_h: torch.tanh(x @ w_x),
            "乘 w_h 的应当是前一个状态，不是前一个词元，否则消息只传一步。":
                lambda x, w_x, w_h: torch.tanh(x @ w_x + torch.cat([torch.zeros(1, 4), x[:-1]]) @ w_h),
            "这里的向量是行，写在矩阵左边，矩阵不必转置。": lambda x, w_x, w_h: rnn(x, w_x.T, w_h.T),
            "两个矩阵用反了：w_x 乘词元，w_h 乘前一个状态。": lambda x, w_x, w_h: rnn(x, w_h, w_x),
            "初始状态应当是 0，不是第一个词元的向量。": lambda x, w_x, w_h: rnn(x, w_x, w_h, start=x[0]),
        },
        otherwise="h_t 应当等于 tanh(x_t w_x + h_{t-1} w_h)，从 h_0 = 0 开始，逐个往下传。",
        praise="每个状态都要等前一个，这就是串行。",
    ),
    Exercise("why_transformer.conv-layers",
        cases=lambda rng: [(9, 3), (128, 3), (10, 5), (20, 7), (1, 3)],
        right=lambda n, window: ceil((n - 1) / (window // 2)),
        wrong={
            "窗口是居中的，每层向左只能多看 window // 2 个，右边的另一半帮不上忙。":
                lambda n, window: ceil((n - 1) / (window - 1)),
            "每层挪动的不是整个窗口，而是从中间到左边那 window // 2 格。": lambda n, window: ceil((n - 1) / window),
            "除不尽时要向上取整，差一点也是看不到。": lambda n, window: (n - 1) // (window // 2),
            "从最后一个走到第 1 个，跨过的是 n − 1 格，不是 n 格。": lambda n, window: ceil(n / (window // 2)),
        },
        otherwise="跨过 n − 1 格，每层挪 window // 2 格。",
        praise="路长随 n 成正比，窗口大一些，只把系数变小。",
    ),
    Exercise("why_transformer.score-count",
        cases=lambda rng: [(10, 1, 1), (10, 4, 3), (20, 4, 3)],
        right=lambda n, num_heads, num_layers: num_layers * num_heads * n * n,
        wrong={
            "每个词元也看自己，对角线上的分数要算在内。": lambda n, heads, layers: layers * heads * n * (n - 1),
            "“甲看乙”与“乙看甲”是两个分数，不能只算一半。": lambda n, heads, layers: layers * heads * n * (n + 1) // 2,
            "这是一层一个头的；每层、每个头各有一张表。": lambda n, heads, layers: n * n,
        },
        otherwise="每层每个头一张 n × n 的表。",
        praise="n 翻一倍，分数变成四倍。",
    ),
    Exercise("why_transformer.serial-steps",
        cases=lambda rng: [("rnn", 10, 1), ("attention", 10, 1), ("rnn", 10, 4), ("attention", 10, 4)],
        right=lambda kind, n, num_layers: num_layers if kind == "attention" else n + num_layers - 1,
        wrong={
            "一层注意力的各个位置可以同时算，等待的步数与 n 无关。": [
                lambda kind, n, layers: n * layers,
                lambda kind, n, layers: n + layers - 1,
            ],
            "一层只要一步，可是后一层要等前一层，层与层之间仍然有先后。":
                lambda kind, n, layers: 1 if kind == "attention" else n + layers - 1,
            "上面一层不必等下面一层全部走完，只等左边一格和下面一格，两层可以错开一格同时走。":
                lambda kind, n, layers: layers if kind == "attention" else n * layers,
            "循环网络的一层里，每个位置都要等前一个。": lambda kind, n, layers: layers,
        },
        otherwise=[
            "找最长的一条链：向右 n − 1 步，再加起点。",
            "每层一步。",
            "找最长的一条链：向右 n − 1 步，向上 num_layers − 1 步，再加起点。",
            "每层一步。",
        ],
        praise="循环的步数随 n 增长，注意力的只随层数增长。",
    ),
]
