"""《训练与推理》的练习。"""

import torch
import torch.nn.functional as F

from .exercise import Exercise, Symptom

TARGET = torch.tensor([[1, 7, 5, 9, 2, 0], [1, 4, 8, 6, 3, 2]])
ANSWERS = torch.tensor([[3, 5, 2, 0], [4, 1, 2, 0], [5, 3, 1, 2]])
# 对数概率、长度、alpha：使典型的错法各自选中不同的几条；倒数第二组的比值在 1.25 与多算一个的 1.22 之间
BEAMS = [
    ([-2.0, -2.3, -3.2, -5.6], [3, 5, 12, 24], 0.6),
    ([-1.15, -1.43], [3, 5], 2.0),
    ([-1.15, -1.43], [3, 5], 0.6),
    ([-2.0, -2.3], [24, 3], 0.6),
    ([-0.1, -0.2], [12, 3], 0.6),
    ([-1.15, -1.43], [3, 5], 1.0),
    ([-4.0, -1.0, -3.0], [4, 5, 6], 0.0),
]


def loss(pick=lambda each, real: each[real].mean(), q=lambda eps: (1 - eps + eps / 6, eps / 6)):
    """q 给出要学的分布在答案上的、在别的每个词元上的值；pick 把各个位置的损失合成一个数。"""

    def smoothed_loss(logits, answers, smoothing):
        answer, other = q(smoothing)
        target = torch.full_like(logits, other).scatter(-1, answers[..., None], answer)
        return pick(-(target * logits.log_softmax(dim=-1)).sum(dim=-1), answers != 0)

    return smoothed_loss


def best(score):
    """score 收下对数概率、长度、alpha、修正。"""
    return lambda log_probabilities, lengths, alpha: int(
        score(log_probabilities, lengths, alpha, ((5 + lengths) / 6) ** alpha).argmax()
    )


def nucleus(probabilities, p, more=0, normal=True):
    ordered, order = probabilities.sort(descending=True)
    kept = probabilities * (order.argsort() < (ordered.cumsum(dim=0) - ordered < p).sum() + more)
    return kept / kept.sum() if normal else kept


# 表格自己排版：提示在前，错答在后，写得下就在一行
# fmt: off
EXERCISES = [
    Exercise("training_and_inference.shift-right",
        cases=lambda rng: [(TARGET,)],
        right=lambda target: (target[:, :-1], target[:, 1:]),
        wrong={
            "应当返回两样：解码器的输入与答案。": Symptom(lambda t: t[:, :-1]),
            "输入与答案是同一串，没有错开：每个位置照抄自己就对了，损失接近 0，生成却是废话。": lambda t: (t, t),
            "两样颠倒了：这样是看着后一个词元猜前一个；输入应当以开头（编号 1）开始。": lambda t: (t[:, 1:], t[:, :-1]),
            "还是同一串：两边去掉的是同一头；输入去掉最后一个，答案去掉第一个。":
                [lambda t: (t[:, :-1], t[:, :-1]), lambda t: (t[:, 1:], t[:, 1:])],
            "roll 把末尾的词元转到了前面：开头应当本来就在 target 里，只要切片，不要循环移动。":
                Symptom(lambda t: (t.roll(1, 1)[:, :-1], t[:, 1:]), lambda got, t: got[0].equal(t.roll(1, 1)[:, :-1])),
            "输入应当是 target 去掉最后一个，以开头开始。":
                Symptom(lambda t: (t.fliplr()[:, 1:], t[:, 1:]), lambda got, t: not got[0].equal(t[:, :-1])),
        },
        otherwise="答案应当是 target 去掉第一个，第 n 个位置的答案是第 n + 1 个词元。",
        praise="输入与答案正好错开一位。",
    ),
    Exercise("training_and_inference.smoothed-loss",
        cases=lambda rng: [(2 * rng.randn(3, 4, 6), ANSWERS, 0.2)],
        right=lambda logits, answers, smoothing:
            F.cross_entropy(logits.mT, answers, ignore_index=0, label_smoothing=smoothing).item(),
        wrong={
            "损失应当是一个数：最后要对真实的答案取平均。": Symptom(loss(lambda each, real: each)),
            "这是没有平滑的损失，smoothing 没有用上。": loss(q=lambda eps: (1, 0)),
            "填充（编号 0）的位置也算进了损失：这里的答案有 2 个是填充，应当去掉。": loss(lambda each, real: each.mean()),
            "填充的位置清零了，取平均时却还数着它们：分母应当只数真实的答案。": loss(lambda each, real: (each * real).mean()),
            "应当取平均，不是求和，否则批越大损失越大。": loss(lambda each, real: each[real].sum()),
            "符号反了：损失是对数概率的相反数。": loss(lambda each, real: -each[real].mean()),
            "平滑的是模型的概率；应当平滑要学的分布 q，再与对数概率相乘。":
                lambda z, a, eps: loss(q=lambda eps: (1, 0))(((1 - eps) * z.softmax(-1) + eps / 6).log(), a, eps),
            "ε 只分给了答案以外的 V - 1 个；约定是平均分给全部 V 个，答案也有 ε/V。": loss(q=lambda eps: (1 - eps, eps / 5)),
            "每个词元各得 ε，合计超过了 1；应当各得 ε/V，也就是对词表取平均。": loss(q=lambda eps: (1, eps)),
        },
        otherwise="应当是真实答案的平均：-(1-ε) log p(答案) - ε × 全词表 log p 的平均。",
        praise="与 F.cross_entropy 的 label_smoothing、ignore_index 相同。",
    ),
    Exercise("training_and_inference.length-penalty",
        cases=lambda rng: [(torch.tensor(log_p), torch.tensor(lengths), alpha) for log_p, lengths, alpha in BEAMS],
        right=best(lambda p, n, alpha, weight: p / weight),
        wrong={
            "没有修正：alpha 应当使长的更有机会。": best(lambda p, n, alpha, weight: p),
            "挑了最差的一条：对数概率是负数，越大（越接近 0）越好。": best(lambda p, n, alpha, weight: -p / weight),
            "乘了修正：对数概率是负数，乘大于 1 的数更负，反而罚了长的；应当除。": best(lambda p, n, alpha, weight: p * weight),
            "除以了长度本身，alpha 没有用上：应当除以 (5 + 长度) / 6 的 alpha 次方。": best(lambda p, n, alpha, weight: p / n),
            "除以了长度的 alpha 次方：应当是 (5 + 长度) / 6 的，短句差得小些。": best(lambda p, n, alpha, weight: p / n**alpha),
            "修正的是概率，不是对数概率：公式里是对数概率之和除以修正。": best(lambda p, n, alpha, weight: p.exp() / weight),
            "长度多算了一个：公式是 5 + 长度，lengths 已经算上结尾。": best(lambda p, n, alpha, weight: p / (1 + n / 6) ** alpha),
        },
        otherwise="应当是 对数概率 / ((5 + 长度) / 6) ** alpha 最大的是第几条，从 0 数起。",
        praise="alpha 为 0 时就是概率最大的一条，越大越偏向长的。",
    ),
    Exercise("training_and_inference.top-p",
        cases=lambda rng: [(torch.tensor([0.05, 0.4, 0.15, 0.3, 0.1]), p) for p in (0.8, 0.6, 0.2, 1.0)],
        right=lambda probabilities, p: nucleus(probabilities, p),
        wrong={
            "留得对，但没有重新归一：留下的概率之和应当是 1。": lambda q, p: nucleus(q, p, normal=False),
            "留下的数对，次序乱了：排过序之后，要放回原来的位置。": lambda q, p: nucleus(q, p).sort(descending=True).values,
            "留少了：跨过 p 的那一个也要留，合计才达到 p。": lambda q, p: nucleus(q, p, -1),
            "留多了：从高到低加，合计一达到 p 就停。": [lambda q, p: nucleus(q, p, 1), lambda q, p: q],
        },
        otherwise="从高到低留到合计达到 p 为止，至少留最高的一个，其余是 0，再除以它们的和。",
        praise="最高的总在，长尾截去，留下的重新归一。",
    ),
    Exercise("training_and_inference.cache-size",
        cases=lambda rng: [(6, 512, 20, 31), (2, 32, 7, 11)],
        right=lambda layers, d_model, n, m: layers * 2 * (n + m) * d_model,
        wrong={
            "键与值要各存一份。": lambda layers, d, n, m: layers * (n + m) * d,
            "查询不必存，用过一次就不再用，只存键与值。": lambda layers, d, n, m: layers * 3 * (n + m) * d,
            "只数了自注意力的；来源的 m 个位置，交叉注意力的键与值也存着。": lambda layers, d, n, m: layers * 2 * n * d,
            "每一层都有自己的键与值，还要乘层数。": lambda layers, d, n, m: 2 * (n + m) * d,
            "来源的键与值也是每层各一份，因为每层的投影不同。": lambda layers, d, n, m: 2 * (layers * n + m) * d,
            "两处是相加，不是相乘；存的是键与值，不是 N × M 的权重。": lambda layers, d, n, m: layers * 2 * n * m * d,
        },
        otherwise="层数 × 2 份 × (N + M) 个位置 × D。",
        praise="与 LayerCache 里实际存的一样多，与头数无关。",
    ),
]
