"""《位置编码》的练习。"""

import math

import torch

from ...attention import scaled_dot_product_attention
from ...layers import sinusoidal_encoding
from ..exercise import Exercise, Symptom

MASK = torch.tensor([[1, 1, 1, 1, 1], [0, 0, 1, 1, 1], [0, 0, 0, 0, 1]])
SWAP, ROLL, FLIP, MIX = [1, 0, 2, 3, 4, 5], [5, 0, 1, 2, 3, 4], [5, 4, 3, 2, 1, 0], [2, 0, 3, 1, 5, 4]


def encode(positions, d_model, even=torch.sin, odd=torch.cos, step=2):
    angle = positions[:, None] * 10000 ** (-torch.arange(0, d_model, step) / d_model)
    return torch.stack([even(angle), odd(angle)], dim=-1).flatten(1)


def turned(x, places, sign=1, step=2):
    """每一对转过 places × 频率；sign 是 −1 时往回转。"""
    angle = places[:, None] * 10000 ** (-torch.arange(0, x.size(-1), step) / x.size(-1))
    cos, sin = angle[:, : x.size(-1) // 2].cos(), sign * angle[:, : x.size(-1) // 2].sin()
    first, second = x[:, 0::2], x[:, 1::2]
    return torch.stack([first * cos + second * sin, second * cos - first * sin], dim=-1).flatten(1)


def halves(x):
    """把 (x₀, x₁, x₂, …) 排成前一半、后一半成对的样子。"""
    half = x.size(-1) // 2
    return torch.stack([x[:, :half], x[:, half:]], dim=-1).flatten(1)


def slowest(row):
    return 10000 ** (2 / len(row) - 1)


def commutes(f, x, *orders):
    return all(torch.allclose(f(x[order]), f(x)[order], atol=1e-5) for order in orders)


class Dodge:
    """记下头两份输入之间是哪一种重排，从此只对这一种等变：只试一种重排的，抽多少份都被它躲过。"""

    def __init__(self):
        self.first = self.order = None

    def __call__(self, x):
        if self.first is None:
            self.first = x
        elif self.order is None:
            same = (x[:, None] == self.first).all(dim=-1)
            if same.any(dim=1).all() and not x.equal(self.first):
                self.order = same.int().argmax(dim=1)
        else:
            return x + x[self.order]
        return x


class Draw:
    """每调用一次给一份新的 x；头三份的各列从小到大，总和很小，有两个函数在它们上面看不出毛病。"""

    def __init__(self, rng):
        self.inputs, self.next = rng.randn(200, 6, 4), 0
        self.inputs[:3] = self.inputs[:3].sort(dim=1).values - 1

    def __call__(self):
        self.next += 1
        return self.inputs[(self.next - 1) % len(self.inputs)].clone()


def functions_to_try(rng):
    matrix, table = rng.randn(4, 4), sinusoidal_encoding(6, 4)
    functions = [
        lambda x: x.mean(dim=0).expand_as(x),
        lambda x: x @ matrix,
        lambda x: scaled_dot_product_attention(x, x, x)[0],
        lambda x: x + table,
        lambda x: x.cumsum(dim=0),
        lambda x: (x + x.roll(1, 0) + x.roll(-1, 0)) / 3,
        lambda x: torch.cat([x[:3], x[3:].flip(0)]),
        lambda x: x if x[2, 0] < x[3, 0] else -x,
        lambda x: x.cumsum(dim=0) if x.sum() > -5 else x,
        Dodge(),
    ]
    return [(f, Draw(rng)) for f in functions]


def every(*orders, draws=50):
    """对每一份新抽的 x 试这几种重排；不给就每份随机取一种。"""

    def answer(f, draw):
        inputs = (draw() for _ in range(draws))
        return all(commutes(f, x, *(orders or [torch.randperm(len(x))])) for x in inputs)

    return answer


def many_orders_of_one(f, draw):
    x = draw()
    return commutes(f, x, *(torch.randperm(len(x)) for _ in range(50)))


# 表格自己排版：提示在前，错答在后，写得下就在一行
# fmt: off
TOO_FEW = {
    "每行与左右两行平均不等变：首尾颠倒和整体轮转都不改变谁与谁相邻，再试一种会改变的，比如只交换两行。": every(ROLL, FLIP),
    "只把后三行颠倒不等变：只交换头两行碰不到它们，再试一种每一行都挪动的，比如整体轮转。": every(SWAP),
    "看第 2、3 两行谁的第一个数大、再决定要不要变号，不等变：在你抽的这一份上，交换和轮转都没有碰到它；多抽几份 x 再试。":
        every(SWAP, ROLL, draws=1),
    "总和大于 −5 才累加，不等变：抽到的 x 总和都不到 −5，试多少种重排也看不见；多抽几份 x 再试。": many_orders_of_one,
    "只试了一种重排，总有函数恰好躲过它；至少再试一种。": every(MIX),
}
EXERCISES = [
    Exercise("positional_encoding.encode",
        cases=lambda rng: [(torch.tensor([0.0, 1.0, 2.0, 2.5, 7.0, 100.0]), 8)],
        right=lambda positions, d_model: encode(positions, d_model),
        atol=1e-4,
        wrong={
            "列的次序不同：这是前一半正弦、后一半余弦，公式里一列隔一列。": lambda p, d: encode(p, d)[:, [0, 2, 4, 6, 1, 3, 5, 7]],
            "正弦与余弦对调了：偶数维（从 0 数起）用正弦，奇数维用余弦，所以位置 0 是 0、1、0、1、……。":
                lambda p, d: encode(p, d, torch.cos, torch.sin),
            "每一列各用了一个频率：同一对的正弦与余弦共用一个频率，指数是 2i/D，i 是第几对，不是第几列。":
                lambda p, d: encode(p, d, step=1)[:, [0, 3, 4, 7, 8, 11, 12, 15]],
            "每一对的两列都是正弦：偶数维用正弦，奇数维用余弦。": lambda p, d: encode(p, d, torch.sin, torch.sin),
            "位置 0 的编码全是 0，大约是按位置的奇偶分了正弦与余弦：奇偶说的是特征维，每个位置都有余弦。": Symptom(
                lambda p, d: encode(p, d, *[torch.sin] * 2).where(p[:, None] % 2 == 0, encode(p, d, *[torch.cos] * 2)),
                lambda got, *_: not got[0].any(),
            ),
            "频率的指数少了因子 2：应当是 2i/D，最后一对的频率才接近 1/10000。": lambda p, d: encode(p, d, step=1)[:, :d],
            "用的是第几行，没有用给你的位置：positions 里有 2.5，也有 100。": lambda p, d: encode(torch.arange(len(p)), d),
            "2.5 被取整了：把位置直接代进公式，不要拿它去查表。": [
                lambda p, d: encode(p.floor(), d),
                lambda p, d: encode(p.ceil(), d),
            ],
        },
        otherwise="与公式不符：第 2i、2i+1 列是 pos / 10000^(2i/D) 的正弦与余弦。",
        praise="小数的位置也算得出来：正弦编码是位置的函数，不是一张表。",
    ),
    Exercise("positional_encoding.read-position",
        cases=lambda rng: [
            (sinusoidal_encoding(1001, d)[position].double(),) for d in (64, 128) for position in (0, 300, 5, 1, 1000)
        ],
        right=lambda row: math.atan2(row[-2], row[-1]) / slowest(row),
        atol=0.02,
        wrong={
            "这是最快的一对，每 2π ≈ 6.28 个位置转一圈，转了几圈看不出来；换最慢的一对。": lambda row: math.atan2(row[0], row[1]),
            "这是最慢一对的角度，还要除以它的频率，才是位置。": lambda row: math.atan2(row[-2], row[-1]),
            "正弦与余弦对调了，角度是 atan2(正弦, 余弦)，正弦在前一列。": lambda row: math.atan2(row[-1], row[-2]) / slowest(row),
            "最慢的频率不是 1/10000，是 10000^(-(D-2)/D)：末一对的 2i 是 D-2。": lambda row: math.atan2(row[-2], row[-1]) * 10000,
            "正弦只是约等于角度，还要用反正弦或 atan2 求出角度。": lambda row: row[-2] / slowest(row),
            "角度很小时余弦几乎是 1，舍入的误差会被反余弦放大；改用 atan2 或反正弦。": lambda row: row[-1].acos() / slowest(row),
        },
        otherwise="最慢的一对转过的角度除以它的频率，就是位置。",
        praise="慢的一对定大致的位置，快的几对定细微的差别，好比时针与秒针。",
    ),
    Exercise("positional_encoding.rope",
        cases=lambda rng: [(rng.randn(6, 8), torch.tensor([0, 3, 1, 107, 40, 2]))],
        right=lambda x, places: turned(x, places),
        atol=1e-4,
        wrong={
            "转的方向反了：正弦那一项的正负号互换，才是正文的 R；分数照样只看间隔，只是与正文不同。": lambda x, p: turned(x, p, -1),
            "这是把正弦编码加上去了：RoPE 转动向量，不加东西；加上去的，分数里有认得座位号的两项。": lambda x, p: x + encode(p, x.size(-1)),
            "用的是第几份，没有用给你的 places：后移之后座位号从 100 多起。": lambda x, p: turned(x, torch.arange(len(x))),
            "成对的是第 2i 与 2i+1 个数，这里把前一半与后一半配成了对（有的模型这样写，与本题不同）。": [
                lambda x, p: turned(halves(x), p),
                lambda x, p: torch.cat([turned(halves(x), p)[:, 0::2], turned(halves(x), p)[:, 1::2]], dim=1),
            ],
            "每一对都转了同样的角：第 i 对的频率是 10000^(-2i/D)。": [
                lambda x, p: turned(x.reshape(-1, 2), p.repeat_interleave(x.size(-1) // 2)).reshape(x.shape),
            ],
            "频率的指数少了因子 2：应当是 2i/D。": lambda x, p: turned(x, p, step=1),
            "转完没有把一对一对排回去：头一个数都在前一半，第二个都在后一半。": [
                lambda x, p: torch.cat([turned(x, p)[:, 0::2], turned(x, p)[:, 1::2]], dim=1),
            ],
            "长度变了，就不是旋转：一对里，一个数是 a·cos + b·sin，另一个是 b·cos − a·sin。": Symptom(
                lambda x, p: x * encode(p, x.size(-1)),
                lambda got, x, *_: not torch.allclose(got.float().norm(dim=1), x.norm(dim=1), atol=1e-3),
            ),
        },
        otherwise="与 R 乘 x 不符：第 i 对转过 pos × 10000^(-2i/D)，a 变成 a·cos + b·sin，b 变成 b·cos − a·sin。",
        praise="两边的座位一起后移多少，点积都不变：位置只以间隔进入分数。",
    ),
    Exercise("positional_encoding.is-equivariant",
        cases=functions_to_try,
        right=lambda f, draw: every()(f, draw),
        wrong=TOO_FEW,
        otherwise=[
            "每行都换成各行的平均，结果不变，也就等变；浮点数的舍入难免有差，比较时要留容差。",
            "逐行的线性映射等变：f(Πx) = Πf(x)，同一种重排，一边换输入的行，一边换输出的行；直接与 f(x) 比较，检验的是不变。",
            "没有位置的自注意力是等变的，结果只差舍入：比较时要留容差。",
            "加上位置编码之后，换次序的结果与输出换次序并不相同；一种重排也没有试吗？",
            "从头累加不等变：各行只看自己和之前的行，好比因果掩码，换了次序，前面是谁就变了。",
            *TOO_FEW,
        ],
        praise="等变要对每一份输入、每一种重排都成立；抽得越多，漏网的越少，但这不是证明。",
    ),
    Exercise("positional_encoding.position-ids",
        cases=lambda rng: [(MASK,)],
        right=lambda attention_mask: (attention_mask.cumsum(1) - 1) * attention_mask,
        wrong={
            "每句都是 0、1、2、……，没有理会填充：每句的第一个真实词元应当是 0。": lambda mask: torch.arange(5).expand(3, 5),
            "填充处是 0，但真实词元的编号仍从填充数起：第二句应当是 0、0、0、1、2。": lambda mask: torch.arange(5) * mask,
            "多了 1：累加到第一个真实词元时是 1，而它的编号应当是 0。": [lambda m: m.cumsum(1), lambda m: m.cumsum(1) * m],
            "填充处出现了负数：填充处应当是 0，负的编号查表会报错。": lambda mask: mask.cumsum(1) - 1,
            "填充处应当是 0。":
                Symptom(lambda m: (m.cumsum(1) - 1).masked_fill(m == 0, 1), lambda got, mask: (got[mask == 0] > 0).all()),
        },
        otherwise="每句的第一个真实词元是 0，以后逐个加一；填充处是 0。",
        praise="同一句话，左边有没有填充，真实词元的编号都一样。",
    ),
]
