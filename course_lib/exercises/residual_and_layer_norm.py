"""《残差连接与层归一化》的练习。"""

import torch
import torch.nn.functional as F

from .registry import is_close, register, require, require_shape, run


@register("residual_and_layer_norm.layer-norm")
def layer_norm(answer):
    # 数小而 ε 大，ε 放错地方才看得出来
    x, eps = 0.1 * torch.randn(2, 4, 6), 1e-2
    gamma, beta = torch.rand(6) + 0.5, torch.rand(6) + 0.5
    got = run(answer, x, gamma, beta, eps)
    require_shape(got, (2, 4, 6), "结果")

    def scaled(dim=-1, unbiased=False):
        variance = x.var(dim=dim, unbiased=unbiased, keepdim=True)
        return (x - x.mean(dim=dim, keepdim=True)) / (variance + eps).sqrt()

    unit, variance = scaled(), x.var(dim=-1, unbiased=False, keepdim=True)
    centred = x - x.mean(dim=-1, keepdim=True)
    hints = {
        "方差除以的是 D，不是 D − 1：x.var 默认除以 D − 1，要写 unbiased=False。": scaled(unbiased=True),
        "ε 应当加在根号里面：除以 √(σ² + ε)，不是 σ + ε。": centred / (variance.sqrt() + eps),
        "ε 没有用上。": centred / variance.sqrt(),
        "应当除以标准差，忘了开方。": centred / (variance + eps),
        "没有减去均值：那是 RMSNorm 的写法。": x / (x.pow(2).mean(dim=-1, keepdim=True) + eps).sqrt(),
        "分子没有减去均值。": x / (variance + eps).sqrt(),
        "均值与方差求在了词元那一维上；应当在每个词元自己的 D 个特征上求，即最后一维。": scaled(dim=1),
        "均值与方差求在了批那一维上；应当在每个词元自己的 D 个特征上求，即最后一维。": scaled(dim=0),
        "均值与方差跨词元、跨句子求了，那是批归一化；应当只在最后一维上求。": scaled(dim=(0, 1)),
        "整句共用一个均值与方差；应当每个词元各算各的。": scaled(dim=(1, 2)),
        "所有的数共用一个均值与方差；应当每个词元各算各的。": scaled(dim=(0, 1, 2)),
    }
    for hint, wrong in hints.items():
        forms = (wrong, wrong * gamma, wrong * gamma + beta)
        require(not any(is_close(got, form) for form in forms), hint)
    require(not is_close(got, unit), "还要乘 γ、加 β，它们是层归一化学得的参数。")
    require(not is_close(got, unit * gamma), "还要加 β。")
    require(not is_close(got, unit + beta), "还要乘 γ。")
    require(not is_close(got, (unit + beta) * gamma), "先乘 γ，再加 β，β 不乘 γ。")
    require(not is_close(got, unit * beta + gamma), "γ 与 β 用反了：γ 是乘的，β 是加的。")
    require(is_close(got, unit * gamma + beta), "结果不等于 (x − μ) / √(σ² + ε) · γ + β。")
    return "与 F.layer_norm 相等。"


@register("residual_and_layer_norm.norm-parameters")
def norm_parameters(answer):
    for num_layers, d_model in ((3, 10), (6, 384), (12, 768)):
        got, expected = run(answer, num_layers, d_model), (2 * num_layers + 1) * 2 * d_model
        hints = {
            0: "层归一化有可学习的 γ 与 β，各 D 个数。",
            (2 * num_layers + 1) * d_model: "只数了 γ 或 β 中的一个，每个 LN 两样都有。",
            4 * num_layers * d_model: "嵌入层里的那个 LN 没有数。",
            (num_layers + 1) * 2 * d_model: "每层有两个 LN，注意力之后一个，前馈网络之后一个。",
            num_layers * 2 * d_model: "每层有两个 LN，嵌入层里还有一个。",
            (2 * num_layers + 1) * 2: "γ 与 β 不是一个数，是长 D 的向量。",
            (2 * num_layers + 2) * 2 * d_model: "多数了一个：BERT 是 post-norm，末尾不另加归一化。",
        }
        asked = f"{num_layers} 层、宽 {d_model} 时得到 {got}"
        require(got == expected, f"{asked}：{hints.get(got, f'应当是 {expected}，每个 LN 有 2D 个数。')}")
    return "每层两个，嵌入层一个，每个 2D。"


@register("residual_and_layer_norm.residual-gradient")
def residual_gradient(answer):
    w, g = torch.randn(3, 3), torch.randn(5, 3)
    got = run(answer, w, g)
    require_shape(got, (5, 3), "梯度")
    hints = {
        "这只是岔路传回来的，加号还把 g 原样传回一份。": g @ w.T,
        "这只是加号传回来的，岔路也传回一份。": g,
        "岔路那一项要乘 W 的转置：X 的第 i 个特征经 W 的第 i 行影响 Y。": g + g @ w,
        "两处都错了：W 要转置，加号还把 g 原样传回一份。": g @ w,
        "两项是相加，不是相减。": g - g @ w.T,
        "这是 Y = X + XW 的前向算法；梯度要乘 W 的转置，从 g 出发。": g @ (torch.eye(3) + w),
    }
    for hint, wrong in hints.items():
        require(not is_close(got, wrong), hint)
    require(is_close(got, g + g @ w.T), "梯度应当是两项之和：加号传回的 g，与岔路传回的一项。")
    return "第一项里没有 W：岔路再差，g 也原样回到输入。"


@register("residual_and_layer_norm.pre-norm")
def pre_norm(answer):
    x = torch.randn(5, 4)
    layers = [_layer() for _ in range(2)]
    final_norm = _norm()
    got = run(answer, x, layers, final_norm)
    require_shape(got, (5, 4), "输出")

    def stack(step, final=final_norm, which=layers):
        y = x
        for layer in which:
            y = step(y, *layer)
        return final(y)

    def right(y, attend, ffn, norm1, norm2):
        y = y + attend(norm1(y))
        return y + ffn(norm2(y))

    def post(y, attend, ffn, norm1, norm2):
        y = norm1(y + attend(y))
        return norm2(y + ffn(y))

    def normed_road(y, attend, ffn, norm1, norm2):
        y = norm1(y) + attend(norm1(y))
        return norm2(y) + ffn(norm2(y))

    def bare(y, attend, ffn, norm1, norm2):
        return ffn(norm2(attend(norm1(y))))

    def no_norm(y, attend, ffn, norm1, norm2):
        y = y + attend(y)
        return y + ffn(y)

    def first_only(y, attend, ffn, norm1, norm2):
        y = y + attend(norm1(y))
        return y + ffn(y)

    def parallel(y, attend, ffn, norm1, norm2):
        return y + attend(norm1(y)) + ffn(norm2(y))

    def output_norm(y, attend, ffn, norm1, norm2):
        y = y + norm1(attend(y))
        return y + norm2(ffn(y))

    def swapped(y, attend, ffn, norm1, norm2):
        return right(y, attend, ffn, norm2, norm1)

    def shared(y, attend, ffn, norm1, norm2):
        return right(y, attend, ffn, norm1, norm1)

    def identity(y):
        return y

    hints = {
        "末尾的 final_norm 没有用：pre-norm 的主路从不归一化，输出会随层数变大。": stack(right, identity),
        "final_norm 用在了每一层：它只在所有层之后做一次。": stack(
            lambda *a: final_norm(right(*a)), identity
        ),
        "这是 post-norm：归一化应当在子层之前，加号之后不做。": stack(post),
        "这是 post-norm，末尾也没有 final_norm：归一化应当在子层之前。": stack(post, identity),
        "加回去的应当是 x，不是归一化之后的 x：那样主路就被归一化了。": stack(normed_road),
        "子层的输出没有加回主路：少了残差连接。": stack(bare),
        "子层之前没有归一化。": stack(no_norm),
        "前馈网络之前没有归一化，应当用 norm2。": stack(first_only),
        "前馈网络应当接着读加过注意力的 x，不是这一层最初的 x。": stack(parallel),
        "归一化的是子层的输出；应当归一化子层的输入。": stack(output_norm),
        "norm1 与 norm2 用反了。": stack(swapped),
        "两个子层用了同一个 norm1：它们各有自己的 γ 与 β。": stack(shared),
        "只走了第一层，应当走完 layers 里的每一层。": stack(right, which=layers[:1]),
        "层的次序反了。": stack(right, which=layers[::-1]),
    }
    for hint, wrong in hints.items():
        require(not is_close(got, wrong), hint)
    require(is_close(got, stack(right)), "每层应当是 x ← x + f(LN(x)) 做两次，最后做一次 final_norm。")
    return "主路上只有加号，末尾补一次归一化。"


def _norm():
    gamma, beta = torch.rand(2, 4) + 0.5
    return lambda y: F.layer_norm(y, (4,), gamma, beta)


def _layer():
    mix, w1, w2 = torch.randn(5, 5) / 2, torch.randn(4, 4), torch.randn(4, 4)
    return (lambda y: mix @ y), (lambda y: F.gelu(y @ w1) @ w2), _norm(), _norm()
