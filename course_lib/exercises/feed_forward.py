"""《前馈网络》的练习。"""

import torch
import torch.nn.functional as F

from ..layers import FeedForward
from .registry import is_close, register, require, require_shape, run


@register("feed_forward.from-scratch")
def from_scratch(answer):
    x, w1, b1 = torch.randn(2, 5, 4), torch.randn(4, 8), torch.randn(8)
    w2, b2 = torch.randn(8, 4), torch.randn(4)
    got = run(answer, x, w1, b1, w2, b2)
    require_shape(got, (2, 5, 4), "输出")
    hidden = x @ w1 + b1
    expected = F.gelu(hidden) @ w2 + b2
    require(not is_close(got, hidden @ w2 + b2), "少了中间的非线性：两个线性映射可以合成一个。")
    require(not is_close(got, F.relu(hidden) @ w2 + b2), "这是 ReLU，这一题要的是 GELU：x·Φ(x)。")
    require(
        not is_close(got, F.gelu(expected)),
        "第二个线性映射之后又用了一次激活函数；非线性只有中间那一个。",
    )
    require(
        not is_close(got, F.gelu(hidden, approximate="tanh") @ w2 + b2, atol=1e-6),
        "这是 tanh 的近似式，差在万分之几；这一题要用 torch.erf 写精确的。",
    )
    require(
        not is_close(got, F.gelu(x @ w1) @ w2) and not is_close(got, F.gelu(x @ w1) @ w2 + b2),
        "第一个线性映射的偏置 b1 要在激活函数之前加上。",
    )
    require(not is_close(got, expected - b2), "第二个线性映射的偏置 b2 没有加。")
    require(
        not is_close(got, hidden * 0.5 * (1 + torch.erf(hidden)) @ w2 + b2),
        "erf 里少除了 √2：Φ(t) = (1 + erf(t / √2)) / 2。",
    )
    require(not is_close(got, 2 * F.gelu(hidden) @ w2 + b2), "大了一倍：Φ 的式子最前面还有二分之一。")
    require(is_close(got, expected), "输出不等于 GELU(x W₁ + b₁) W₂ + b₂。")
    return "与 F.gelu 的写法逐个相等。"


@register("feed_forward.parameter-count")
def parameter_count(answer):
    for d_model, d_ff in ((64, 256), (48, 100)):
        got = run(answer, d_model, d_ff)
        asked = f"d_model={d_model}、d_ff={d_ff} 时得到 {got}"
        matrices = 2 * d_model * d_ff
        require(got != matrices, f"{asked}：两个偏置没有数，一个长 {d_ff}，一个长 {d_model}。")
        require(got != d_model * d_ff + d_ff, f"{asked}：只数了第一个线性映射。")
        require(got != matrices + d_ff, f"{asked}：第二个偏置没有数，它长 {d_model}。")
        require(got != matrices + 2 * d_ff, f"{asked}：第二个偏置的长度是 d_model，不是 d_ff。")
        library = sum(p.numel() for p in FeedForward(d_model, d_ff).parameters())
        require(got == library, f"{asked}，应当是 {library}：两个矩阵各 D × F，偏置一个长 F，一个长 D。")
    return "2DF + F + D，与库里的模块相同。"


@register("feed_forward.swiglu-width")
def swiglu_width(answer):
    for d_model, d_ff in ((768, 3072), (64, 256), (10, 41)):
        got = run(answer, d_model, d_ff)
        asked = f"d_model={d_model}、d_ff={d_ff} 时得到 {got}"
        require(isinstance(got, int), f"{asked}，宽度应当是整数。")
        require(got != d_ff, f"{asked}：照旧的宽度配三个矩阵，参数会多出一半。")
        require(got != d_ff // 2, f"{asked}：矩阵从两个变成三个，不是四个，宽度不必减半。")
        require(got != d_ff // 3, f"{asked}：三个矩阵分的是原来*两个*矩阵的参数，不是一个。")
        require(got == d_ff * 2 // 3, f"{asked}：应当满足 3·D·F′ ≤ 2·D·F，取最大的整数 F′。")
    return "乘三分之二，768 宽的模型里从 3072 变成 2048。"


@register("feed_forward.maximum")
def maximum(answer):
    got = run(answer)
    require(
        isinstance(got, (tuple, list)) and len(got) == 2,
        "应当返回两个张量：w1 的形状 (2, 4)，w2 的形状 (4, 2)。",
    )
    w1, w2 = got
    require_shape(w1, (2, 4), "w1 ")
    require_shape(w2, (4, 2), "w2 ")
    x = torch.tensor([[3.0, 1.0], [1.0, 3.0], [-2.0, -5.0], [-5.0, -2.0], [4.0, -4.0], [0.0, 0.0]])
    output = F.relu(x @ w1.float()) @ w2.float()
    largest = x.amax(dim=-1, keepdim=True).expand(-1, 2)
    require(
        not is_close(output, x.amin(dim=-1, keepdim=True).expand(-1, 2)),
        "得到的是较小的那个：|a−b| 的两半应当加上，不是减去。",
    )
    require(
        not is_close(output, F.relu(largest)),
        "两个数都为负时，输出成了 0：a+b 也要拆成 ReLU(t) − ReLU(−t) 两半。",
    )
    require(not is_close(output, 2 * largest), "得到的是最大值的两倍：别忘了式子里的二分之一。")
    wrong = (output - largest).abs().amax(dim=-1).argmax()
    a, b = x[wrong].tolist()
    require(
        is_close(output, largest),
        f"x = ({a:g}, {b:g}) 时得到 {output[wrong].tolist()}，应当都是 {max(a, b):g}。",
    )
    return "四个神经元，一次 ReLU，就取出了最大值。"
