"""《训练》的练习。"""

import torch
import torch.nn.functional as F

from ..exercise import Exercise, Symptom

LETTERS = torch.tensor([[1, 7, 5, 9, 6, 4, 2], [1, 4, 8, 6, 3, 9, 2]])
ANSWERS = torch.tensor([[3, 5, 2, 0], [4, 1, 2, 0], [5, 3, 1, 2]])


def honest(target):
    """第 n 个位置只用 target 的前 n + 1 个。"""
    return target[:, :-1].float().cumsum(dim=1)[..., None]


def peek(place, at):
    """第 place 个位置还看见 target 的第 at 个，其余老实。"""
    here = (torch.arange(6) == place).float()[:, None]
    return lambda target: honest(target) + here * target[:, at : at + 1].float()[..., None]


FORWARDS = [
    honest,
    lambda target: torch.zeros(2, 6, 3),
    lambda target: target[:, 1:].float()[..., None],
    lambda target: honest(target) * 0 + target[:, :-1].float().sum(dim=1)[:, None, None],
    peek(3, 4),
    peek(0, 3),
    peek(2, 6),
]


def leaks(upto=0, places=lambda size: range(1, size)):
    """从第 n 个起都改掉，比前 n + upto 个位置。"""

    def answer(forward, target):
        before = forward(target)
        for n in places(target.size(1)):
            changed = torch.cat([target[:, :n], target[:, n:] + 1], dim=1)
            kept = max(0, n + upto)
            if not torch.allclose(forward(changed)[:, :kept], before[:, :kept]):
                return True
        return False

    return answer


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
    Exercise("training.leaks",
        cases=lambda rng: [(forward, LETTERS) for forward in FORWARDS],
        right=leaks(),
        wrong={
            "漏看了自己的答案：第 n 个位置猜的就是 target 的第 n + 1 个，改掉它，这个位置也不该变。": leaks(upto=-1),
            "改了输入，看得见它的位置本来就会变；只比不该看见它的那些位置。": leaks(upto=100),
            "只改了最后一个字符：中间的字符漏给前面，就看不见；逐个位置都试一遍。": leaks(places=lambda size: [size - 1]),
            "只查了第一个位置：后面的位置也可能看见自己的答案；逐个位置都试一遍。": leaks(places=lambda size: [1]),
            "说反了：看得见答案才是 True。": lambda forward, target: not leaks()(forward, target),
        },
        otherwise=[
            "这一个是老实的：第 n 个位置只用了 target 的前 n + 1 个。",
            "这一个与 target 无关，没有看见任何答案。",
            "这一个没有右移：每个位置都看得见自己的答案。",
            "这一个没有因果掩码：每个位置都看得见全部的输入。",
            "这一个只有第 3 个位置（从 0 数起）看得见自己的答案。",
            "这一个只有第 0 个位置看得见后面的一个字符。",
            "这一个只有第 2 个位置看得见最后一个字符。",
        ],
        praise="它不问损失是多少，只问改掉答案，猜测变不变：损失曲线看不出的毛病，它看得出。",
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
