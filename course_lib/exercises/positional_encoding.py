"""《位置编码》的练习。"""

import torch
from torch import Tensor

from ..attention import scaled_dot_product_attention
from ..layers import sinusoidal_encoding
from .registry import is_close, register, require, require_shape, run


@register("positional_encoding.encode")
def encode(answer):
    d_model = 8
    positions = torch.tensor([0.0, 1.0, 2.0, 2.5, 7.0, 100.0])
    got = run(answer, positions, d_model)
    require_shape(got, (6, d_model), "编码")
    position = positions[:, None]
    frequency = 10000 ** (-torch.arange(0, d_model, 2) / d_model)
    angle = position * frequency
    expected = torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)
    require(
        not is_close(got, torch.cat([angle.sin(), angle.cos()], dim=-1)),
        "频率都对，列的次序不同：这是前一半正弦、后一半余弦；本章的公式让它们一列隔一列。",
    )
    require(
        not is_close(got, torch.stack([angle.cos(), angle.sin()], dim=-1).flatten(1)),
        "正弦与余弦对调了：偶数维（从 0 数起）用正弦，奇数维用余弦，所以位置 0 是 0、1、0、1、……。",
    )
    every = position * 10000 ** (-torch.arange(d_model) / d_model)
    alternating = torch.where(torch.arange(d_model) % 2 == 0, every.sin(), every.cos())
    require(
        not is_close(got, alternating),
        "每一列各用了一个频率：同一对的正弦与余弦共用一个频率，指数是 2i/D，i 是第几对，不是第几列。",
    )
    require(
        not is_close(got, angle.sin().repeat_interleave(2, 1)),
        "每一对的两列都是正弦：偶数维用正弦，奇数维用余弦。",
    )
    by_position = torch.where(
        position % 2 == 0, angle.sin().repeat_interleave(2, 1), angle.cos().repeat_interleave(2, 1)
    )
    require(
        not is_close(got, by_position) and got[0].abs().sum() > 0.5,
        "位置 0 的编码全是 0，大约是按位置的奇偶分了正弦与余弦：奇偶说的是特征维，每个位置都有余弦。",
    )
    slow = position * 10000 ** (-torch.arange(d_model // 2) / d_model)
    require(
        not is_close(got, torch.stack([slow.sin(), slow.cos()], dim=-1).flatten(1)),
        "频率的指数少了因子 2：应当是 2i/D，最后一对的频率才接近 1/10000。",
    )
    rows = sinusoidal_encoding(101, d_model)
    require(
        not is_close(got, rows[:6]),
        "用的是第几行（0、1、2、……），没有用给你的位置：positions 里有 2.5，也有 100。",
    )
    require(
        not is_close(got, rows[positions.long()]) and not is_close(got, rows[positions.round().long()]),
        "2.5 被取整了：把位置直接代进公式，不要拿它去查表。",
    )
    require(
        is_close(got, expected, atol=1e-4), "与公式不符：第 2i、2i+1 列是 pos / 10000^(2i/D) 的正弦与余弦。"
    )
    return "小数的位置也算得出来：正弦编码是位置的函数，不是一张表。"


@register("positional_encoding.read-position")
def read_position(answer):
    for d_model in (64, 128):
        table = sinusoidal_encoding(1001, d_model).double()
        for pos in (0, 300, 5, 1, 1000):
            got = run(answer, table[pos])
            require(
                isinstance(got, (int, float)) or (isinstance(got, Tensor) and got.numel() == 1),
                f"应当返回一个数，收到的却是 {type(got).__name__}。",
            )
            got, asked = float(got), f"位置是 {pos} 时得到 {float(got):.2f}"
            wrapped = float(torch.atan2(table[pos, 0], table[pos, 1]))
            require(
                pos < 4 or abs(got - wrapped) > 0.01,
                f"{asked}：用的是最快的一对，它每 2π ≈ 6.28 个位置就转一圈，转了几圈看不出来；换最慢的一对。",
            )
            require(
                pos == 0 or abs(got - float(torch.atan2(table[pos, -2], table[pos, -1]))) > 1e-3,
                f"{asked}：这是最慢一对的角度，还要除以它的频率，才是位置。",
            )
            frequency = 10000 ** (-(d_model - 2) / d_model)
            swapped = float(torch.atan2(table[pos, -1], table[pos, -2])) / frequency
            require(
                abs(got - swapped) > 1,
                f"{asked}：正弦与余弦对调了，角度是 atan2(正弦, 余弦)，正弦在倒数第二列。",
            )
            rough = float(torch.atan2(table[pos, -2], table[pos, -1])) * 10000
            require(
                pos < 5 or abs(got - rough) > 0.5,
                f"{asked}：最慢的频率不是 1/10000，而是 10000^(-(D-2)/D)，因为最后一对的 2i 是 D-2。",
            )
            require(
                pos < 300 or abs(got - float(table[pos, -2]) / frequency) > 1e-3,
                f"{asked}：正弦只是约等于角度，还要用反正弦或 atan2 求出角度。",
            )
            arccos = float(table[pos, -1].acos()) / frequency
            require(
                abs(got - pos) < 0.1 or abs(got - arccos) > 1e-3,
                f"{asked}：角度很小时余弦几乎是 1，舍入的误差会被反余弦放大；改用 atan2 或反正弦。",
            )
            require(abs(got - pos) < 0.1, f"{asked}：最慢的一对转过的角度除以它的频率，就是位置。")
    return "慢的一对定大致的位置，快的几对定细微的差别，好比时针与秒针。"


@register("positional_encoding.is-equivariant")
def is_equivariant(answer):
    x = torch.randn(6, 4)
    matrix = torch.randn(4, 4)
    table = sinusoidal_encoding(6, 4)
    tried = set()

    def linear(x):
        tried.add(tuple(x[:, 0].tolist()))
        return x @ matrix

    functions = {  # 名字：（函数，是否等变，答错时的提示）
        "每行都换成各行的平均": (
            lambda x: x.mean(dim=0).expand_as(x),
            True,
            "它不变，也就等变：各行相同，换不换次序都一样；浮点数的舍入难免有差，比较时要留容差。",
        ),
        "逐行的线性映射": (
            linear,
            True,
            "等变是 f(Πx) = Πf(x)：同一种重排，一边换输入的行，一边换输出的行；直接与 f(x) 比较，检验的是不变。",
        ),
        "自注意力": (
            lambda x: scaled_dot_product_attention(x, x, x)[0],
            True,
            "没有位置的自注意力是等变的，结果只差舍入：比较时要留容差。",
        ),
        "加上位置编码": (
            lambda x: x + table,
            False,
            "加上位置编码之后，换次序的结果与输出换次序并不相同；一种重排也没有试吗？",
        ),
        "每行与左右两行平均（首尾相接）": (
            lambda x: (x + x.roll(1, 0) + x.roll(-1, 0)) / 3,
            False,
            "整体轮转和首尾颠倒都不会改变谁与谁相邻，所以看不出来；再试一种会改变邻居的，比如只交换两行。",
        ),
        "只把后三行的次序颠倒": (
            lambda x: torch.cat([x[:3], x[3:].flip(0)]),
            False,
            "只交换头两行，碰不到后面的行；再试一种每一行都挪动的，比如整体轮转。",
        ),
        "从头累加": (
            lambda x: x.cumsum(dim=0),
            False,
            "各行只看自己和之前的行，好比因果掩码，换了次序，前面是谁就变了。",
        ),
    }
    for name, (f, expected, hint) in functions.items():
        got = run(answer, f, x)
        require(
            (isinstance(got, bool) or hasattr(got, "dtype")) and torch.as_tensor(got).numel() == 1,
            f"应当返回 True 或 False，收到的却是 {type(got).__name__}。",
        )
        require(bool(got) == expected, f"“{name}”判错了。{hint}")
    # 原样加上至少两种重排；只有一种时，总有不等变的函数恰好躲过它。
    require(len(tried) > 2, "这里的函数都判对了，但只试了一种重排，总有函数恰好躲过它；至少再试一种。")
    return "等变要对每一种重排都成立，不变是它的特例。"


@register("positional_encoding.position-ids")
def position_ids(answer):
    mask = torch.tensor([[1, 1, 1, 1, 1], [0, 0, 1, 1, 1], [0, 0, 0, 0, 1]])
    got = run(answer, mask)
    require_shape(got, (3, 5), "编号")
    require(
        not got.is_floating_point() and got.dtype != torch.bool,
        f"编号要用来查表，应当是整数，这里是 {got.dtype}。",
    )
    count = mask.cumsum(dim=1)
    require(
        not torch.equal(got, torch.arange(5).expand(3, 5)),
        "每句都是 0、1、2、……，没有理会填充：第二句的第一个真实词元应当是 0，这里却是 2。",
    )
    require(
        not torch.equal(got, torch.arange(5) * mask),
        "填充处是 0，但真实词元的编号仍从填充数起：第二句应当是 0、0、0、1、2。",
    )
    require(
        not torch.equal(got, count) and not torch.equal(got, count * mask),
        "多了 1：累加到第一个真实词元时是 1，而它的编号应当是 0。",
    )
    require(int(got.min()) >= 0, f"出现了 {int(got.min())}：填充处应当是 0，负的编号查表会报错。")
    require(bool((got[mask == 0] == 0).all()), f"填充处应当是 0，这里有 {int(got[mask == 0].max())}。")
    require(
        torch.equal(got, ((count - 1) * mask).to(got.dtype)),
        "每句的第一个真实词元是 0，以后逐个加一；填充处是 0。",
    )
    return "同一句话，左边有没有填充，真实词元的编号都一样。"
