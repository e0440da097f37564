"""《为什么是 Transformer》的练习。"""

import math

import torch

from .registry import is_close, register, require, require_shape, run


@register("why_transformer.run-rnn")
def run_rnn(answer):
    x, (w_x, w_h) = torch.randn(6, 4), torch.randn(2, 4, 4)
    got = run(answer, x, w_x, w_h)
    states, linear, swapped, flipped = ([torch.zeros(4)] for _ in range(4))
    for x_t in x:
        states.append(torch.tanh(x_t @ w_x + states[-1] @ w_h))
        linear.append(x_t @ w_x + linear[-1] @ w_h)
        swapped.append(torch.tanh(x_t @ w_h + swapped[-1] @ w_x))
        flipped.append(torch.tanh(x_t @ w_x.T + flipped[-1] @ w_h.T))
    expected = torch.stack(states[1:])
    if isinstance(got, torch.Tensor):
        require(got.shape != (4,), "只交出了最后一个状态：每个词元都有一个状态，要全部留下来。")
        require(got.shape != (7, 4), "多了一行：初始状态 0 不是哪个词元的状态，不要放进结果。")
    require_shape(got, (6, 4), "结果")
    require(not is_close(got, torch.stack(linear[1:])), "每一步的末尾还要经过 tanh。")
    require(
        not is_close(got, torch.tanh(x @ w_x)),
        "每个词元只看了自己：算 h_t 时要加上 h_{t-1} 乘 w_h。",
    )
    before = torch.cat([torch.zeros(1, 4), x[:-1]])
    require(
        not is_close(got, torch.tanh(x @ w_x + before @ w_h)),
        "乘 w_h 的应当是前一个状态，不是前一个词元，否则消息只传一步。",
    )
    require(not is_close(got, torch.stack(flipped[1:])), "这里的向量是行，写在矩阵左边，矩阵不必转置。")
    require(not is_close(got, torch.stack(swapped[1:])), "两个矩阵用反了：w_x 乘词元，w_h 乘前一个状态。")
    require(
        not is_close(got[0], torch.tanh(x[0] @ w_x + x[0] @ w_h)), "初始状态应当是 0，不是第一个词元的向量。"
    )
    require(
        is_close(got, expected), "h_t 应当等于 tanh(x_t w_x + h_{t-1} w_h)，从 h_0 = 0 开始，逐个往下传。"
    )
    return "每个状态都要等前一个，这就是串行。"


@register("why_transformer.conv-layers")
def conv_layers(answer):
    for n, window in ((9, 3), (128, 3), (10, 5), (20, 7), (1, 3)):
        got = run(answer, n, window)
        half = window // 2
        asked = f"n={n}、window={window} 时得到 {got}"
        expected = math.ceil((n - 1) / half)
        require(
            n == 1 or got != math.ceil((n - 1) / (window - 1)),
            f"{asked}：窗口是居中的，每层向左只能多看 {half} 个，右边的另一半帮不上忙。",
        )
        require(
            n == 1 or got != math.ceil((n - 1) / window) or got == expected,
            f"{asked}：窗口有 {window} 格，但每层挪动的不是整个窗口，而是从中间到左边那 {half} 格。",
        )
        require(
            got != (n - 1) // half or got == expected,
            f"{asked}：除不尽时要向上取整，差一点也是看不到。",
        )
        require(
            got != math.ceil(n / half) or got == expected,
            f"{asked}：从第 {n} 个走到第 1 个，跨过的是 n − 1 格，不是 n 格。",
        )
        require(got == expected, f"{asked}，应当是 {expected}：跨过 n − 1 格，每层挪 window // 2 格。")
    return "路长随 n 成正比，窗口大一些，只把系数变小。"


@register("why_transformer.score-count")
def score_count(answer):
    for n, heads, layers in ((10, 1, 1), (10, 4, 3), (20, 4, 3)):
        got = run(answer, n, heads, layers)
        asked = f"n={n}、num_heads={heads}、num_layers={layers} 时得到 {got}"
        require(
            got != layers * heads * n * (n - 1),
            f"{asked}：每个词元也看自己，对角线上的分数要算在内。",
        )
        require(
            got != layers * heads * n * (n + 1) // 2,
            f"{asked}：“甲看乙”与“乙看甲”是两个分数，不能只算一半。",
        )
        require(
            heads * layers == 1 or got != n * n,
            f"{asked}：这是一层一个头的；每层、每个头各有一张表。",
        )
        expected = layers * heads * n * n
        require(got == expected, f"{asked}，应当是 {expected}：每层每个头一张 n × n 的表。")
    return "n 翻一倍，分数变成四倍。"


@register("why_transformer.serial-steps")
def serial_steps(answer):
    for kind, n, layers in (("rnn", 10, 1), ("attention", 10, 1), ("rnn", 10, 4), ("attention", 10, 4)):
        got = run(answer, kind, n, layers)
        asked = f"kind={kind!r}、n={n}、num_layers={layers} 时得到 {got}"
        if kind == "attention":
            require(got != n * layers, f"{asked}：一层注意力的各个位置可以同时算，等待的步数与 n 无关。")
            require(
                got != 1 or layers == 1,
                f"{asked}：一层只要一步，可是后一层要等前一层，层与层之间仍然有先后。",
            )
            require(got == layers, f"{asked}，应当是 {layers}：每层一步。")
            continue
        require(
            layers == 1 or got != n * layers,
            f"{asked}：上面一层不必等下面一层全部走完，只等左边一格和下面一格，两层可以错开一格同时走。",
        )
        require(got != layers or n == layers, f"{asked}：循环网络的一层里，每个位置都要等前一个。")
        expected = n + layers - 1
        require(
            got == expected,
            f"{asked}，应当是 {expected}：找最长的一条链，向右 n − 1 步，向上 {layers - 1} 步，再加起点。",
        )
    return "循环的步数随 n 增长，注意力的只随层数增长。"
