"""《训练与推理》的练习。"""

from numbers import Integral

import torch
import torch.nn.functional as F

from .registry import is_close, register, require, require_shape, run


@register("training_and_inference.shift-right")
def shift_right(answer):
    target = torch.tensor([[1, 7, 5, 9, 2, 0], [1, 4, 8, 6, 3, 2]])
    got = run(answer, target)
    require(
        isinstance(got, tuple | list) and len(got) == 2,
        f"应当返回两样：解码器的输入与答案，收到的却是 {type(got).__name__}。",
    )
    given, answers = got
    require(
        not (is_same(given, target) and is_same(answers, target)),
        "输入与答案是同一串，没有错开：每个位置照抄自己就对了，损失会接近 0，生成却是废话。",
    )
    require_shape(given, (2, 5), "输入")
    require_shape(answers, (2, 5), "答案")
    first, last = target[:, :-1], target[:, 1:]
    require(
        not (is_same(given, last) and is_same(answers, first)),
        "两样颠倒了：这样是看着后一个词元猜前一个；输入应当以开头（编号 1）开始。",
    )
    require(
        not is_same(given, answers),
        "输入与答案还是同一串：两边去掉的是同一头；输入去掉最后一个，答案去掉第一个。",
    )
    require(
        not is_same(given, target.roll(1, dims=1)[:, :-1]),
        "roll 把末尾的词元转到了前面：开头应当本来就在 target 里，只要切片，不要循环移动。",
    )
    require(is_same(given, first), "输入应当是 target 去掉最后一个，以开头开始。")
    require(is_same(answers, last), "答案应当是 target 去掉第一个，第 n 个位置的答案是第 n + 1 个词元。")
    return "输入与答案正好错开一位。"


@register("training_and_inference.smoothed-loss")
def smoothed_loss(answer):
    logits, eps = 2 * torch.randn(3, 4, 6), 0.2
    answers = torch.tensor([[3, 5, 2, 0], [4, 1, 2, 0], [5, 3, 1, 2]])
    got = torch.as_tensor(run(answer, logits, answers, eps))
    require(got.dim() == 0, f"损失应当是一个数，这里的形状是 {tuple(got.shape)}：最后要对真实的答案取平均。")
    log_p = logits.log_softmax(dim=-1)
    right, mean, real = log_p.gather(-1, answers[..., None])[..., 0], log_p.mean(dim=-1), answers != 0
    each = -(1 - eps) * right - eps * mean

    def said(value):
        return is_close(got, value)

    require(not said(-right[real].mean()), "这是没有平滑的损失，smoothing 没有用上。")
    require(not said(each.mean()), "填充（编号 0）的位置也算进了损失：这里的答案有 2 个是填充，应当去掉。")
    require(
        not said((each * real).mean()), "填充的位置清零了，取平均时却还数着它们：分母应当只数真实的答案。"
    )
    require(not said(each[real].sum()), "应当取平均，不是求和，否则批越大损失越大。")
    require(not said(-each[real].mean()), "符号反了：损失是对数概率的相反数。")
    p = logits.softmax(dim=-1)
    mixed = (1 - eps) * p.gather(-1, answers[..., None])[..., 0] + eps / 6
    require(
        not said(-mixed.log()[real].mean()), "平滑的是模型的概率；应当平滑要学的分布 q，再与对数概率相乘。"
    )
    others = (log_p.sum(dim=-1) - right) / 5
    require(
        not said((-(1 - eps) * right - eps * others)[real].mean()),
        "ε 只分给了答案以外的 V - 1 个；这里的约定是平均分给全部 V 个，答案也有 ε/V。",
    )
    require(
        not said((-(1 - eps) * right - eps * log_p.sum(dim=-1))[real].mean()),
        "每个词元各得 ε，合计超过了 1；应当各得 ε/V，也就是对词表取平均。",
    )
    expected = F.cross_entropy(logits.flatten(0, 1), answers.flatten(), ignore_index=0, label_smoothing=eps)
    require(said(expected), "应当是真实答案的平均：-(1-ε) log p(答案) - ε × 全词表 log p 的平均。")
    return "与 F.cross_entropy 的 label_smoothing、ignore_index 相同。"


@register("training_and_inference.length-penalty")
def length_penalty(answer):
    # 这几组数使典型的错法各自选中不同的几条
    cases = [
        (torch.tensor([-2.0, -2.3, -3.2, -5.6]), torch.tensor([3, 5, 12, 24]), 0.6),
        (torch.tensor([-1.15, -1.43]), torch.tensor([3, 5]), 2.0),
        (torch.tensor([-1.15, -1.43]), torch.tensor([3, 5]), 0.6),
        (torch.tensor([-1.15, -1.43]), torch.tensor([3, 5]), 1.0),  # 1.25 与多算一个的 1.22 之间
        (torch.tensor([-2.0, -2.3]), torch.tensor([24, 3]), 0.6),
        (torch.tensor([-0.1, -0.2]), torch.tensor([12, 3]), 0.6),
        (torch.tensor([-4.0, -1.0, -3.0]), torch.tensor([4, 5, 6]), 0.0),
    ]
    results = []
    for log_p, lengths, alpha in cases:
        got = run(answer, log_p, lengths, alpha)
        require(
            isinstance(got, Integral) or (isinstance(got, torch.Tensor) and got.dim() == 0),
            "应当返回一个编号：最好的是第几条，从 0 数起。",
        )
        results.append(int(got))

    def picks(score):
        return [int(score(*case).argmax()) for case in cases]

    def weight(lengths, alpha):
        return ((5 + lengths) / 6) ** alpha

    require(results != picks(lambda p, n, a: p), "没有修正：alpha 应当使长的更有机会。")
    require(
        results != picks(lambda p, n, a: -p / weight(n, a)),
        "挑了最差的一条：对数概率是负数，越大（越接近 0）越好。",
    )
    require(
        results != picks(lambda p, n, a: p * weight(n, a)),
        "乘了修正：对数概率是负数，乘大于 1 的数只会更负，反而罚了长的；应当除。",
    )
    require(
        results != picks(lambda p, n, a: p / n),
        "除以了长度本身，alpha 没有用上：应当除以 ((5 + 长度) / 6) 的 alpha 次方。",
    )
    require(
        results != picks(lambda p, n, a: p / n**a),
        "除以了长度的 alpha 次方：这里的公式是 ((5 + 长度) / 6) 的 alpha 次方，短句之间差得小一些。",
    )
    require(
        results != picks(lambda p, n, a: p.exp() / weight(n, a)),
        "修正的是概率，不是对数概率：公式里是对数概率之和除以修正。",
    )
    require(
        results != picks(lambda p, n, a: p / weight(n + 1, a)),
        "长度多算了一个：公式是 5 + 长度，lengths 里已经算上结尾。",
    )
    require(
        results == picks(lambda p, n, a: p / weight(n, a)),
        "应当取 对数概率 / ((5 + 长度) / 6) ** alpha 最大的一条。",
    )
    return "alpha 为 0 时就是概率最大的一条，越大越偏向长的。"


@register("training_and_inference.top-p")
def top_p(answer):
    p = torch.tensor([0.05, 0.4, 0.15, 0.3, 0.1])
    cases = {0.8: [1, 2, 3], 0.6: [1, 3], 0.2: [1], 1.0: [0, 1, 2, 3, 4]}
    for limit, kept in cases.items():
        got = run(answer, p, limit)
        require_shape(got, (5,), "结果")
        expected = torch.zeros(5)
        expected[kept] = p[kept]
        asked = f"p={limit} 时"
        require(
            not is_close(got, expected) or limit == 1.0,
            f"{asked}留得对，但没有重新归一：留下的概率之和应当是 1。",
        )
        require(
            bool((got.sum() - 1).abs() < 1e-5),
            f"{asked}结果之和是 {float(got.sum()):.2f}，应当是 1：至少要留最高的一个，留下的要除以它们的和。",
        )
        expected = expected / expected.sum()
        require(
            not is_close(got.sort(descending=True).values, expected.sort(descending=True).values)
            or is_close(got, expected),
            f"{asked}留下的数对，次序乱了：排过序之后，要放回原来的位置。",
        )
        count, wanted = int((got > 0).sum()), len(kept)
        require(
            count >= wanted,
            f"{asked}只留了 {count} 个，应当是 {wanted} 个：跨过 p 的那一个也要留，合计才达到 p。",
        )
        require(
            count <= wanted,
            f"{asked}留了 {count} 个，应当是 {wanted} 个：从高到低加，合计一达到 p 就停。",
        )
        require(is_close(got, expected), f"{asked}应当留下最高的 {wanted} 个，其余是 0，再除以它们的和。")
    return "最高的总在，长尾截去，留下的重新归一。"


@register("training_and_inference.cache-size")
def cache_size(answer):
    for layers, d_model, n, m in ((6, 512, 20, 31), (2, 32, 7, 11)):
        got = run(answer, layers, d_model, n, m)
        asked = f"layers={layers}、d_model={d_model}、n={n}、m={m} 时得到 {got}"
        one = (n + m) * d_model
        require(got != layers * one, f"{asked}：键与值要各存一份。")
        require(got != layers * 3 * one, f"{asked}：查询不必存，用过一次就不再用，只存键与值。")
        require(
            got != layers * 2 * n * d_model,
            f"{asked}：只数了自注意力的；来源的 {m} 个位置，交叉注意力的键与值也存着。",
        )
        require(got != 2 * one, f"{asked}：每一层都有自己的键与值，还要乘层数。")
        require(
            got != 2 * (layers * n + m) * d_model,
            f"{asked}：来源的键与值也是每层各一份，因为每层的投影不同。",
        )
        require(
            got != layers * 2 * n * m * d_model,
            f"{asked}：两处是相加，不是相乘；存的是键与值，不是 N × M 的权重。",
        )
        require(
            got == layers * 2 * one, f"{asked}，应当是 {layers * 2 * one}：层数 × 2 份 × (N + M) 个位置 × D。"
        )
    return "与 LayerCache 里实际存的一样多，与头数无关。"


def is_same(got, expected):
    return isinstance(got, torch.Tensor) and torch.equal(got, expected)
