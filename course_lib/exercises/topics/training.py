"""《训练》的练习。"""

import torch
import torch.nn.functional as F

from ..exercise import Exercise, Symptom

TARGET = torch.tensor([[1, 7, 5, 9, 2, 0], [1, 4, 8, 6, 3, 2]])
ANSWERS = torch.tensor([[3, 5, 2, 0], [4, 1, 2, 0], [5, 3, 1, 2]])


def loss(pick=lambda each, real: each[real].mean(), q=lambda eps: (1 - eps + eps / 6, eps / 6)):
    """q 给出要学的分布在答案上的、在别的每个词元上的值；pick 把各个位置的损失合成一个数。"""

    def smoothed_loss(logits, answers, smoothing):
        answer, other = q(smoothing)
        target = torch.full_like(logits, other).scatter(-1, answers[..., None], answer)
        return pick(-(target * logits.log_softmax(dim=-1)).sum(dim=-1), answers != 0)

    return smoothed_loss


# 表格自己排版：提示在前，错答在后，写得下就在一行
# fmt: off
EXERCISES = [
    Exercise("training.shift-right",
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
    Exercise("training.smoothed-loss",
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
]
