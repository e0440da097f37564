"""《一个网络，两张掩码》的练习。"""

import torch

from ..exercise import Exercise

MASK = 3


def perplexity_with(reduce):
    """reduce 收下各个正确答案的对数概率（已去掉填充）。"""
    return lambda logits, answers: reduce(steps(logits, answers)[answers != 0]).item()


def steps(logits, answers):
    return logits.log_softmax(dim=-1).gather(-1, answers[..., None])[..., 0]


def corrupted(hide, swap, targets=lambda ids, chosen, dice: torch.where(chosen, ids, 0)):
    """hide、swap 收下骰子的点数，说哪些换成 [MASK]，哪些换成别的词元。"""

    def answer(ids, chosen, dice, others):
        noisy = torch.where(chosen & hide(dice), MASK, ids)
        return torch.where(chosen & swap(dice), others, noisy), targets(ids, chosen, dice)

    return answer


def filled(total):
    """total 收下 (K, N) 的对数概率与空在第几个，给出每个候选的分数。"""
    return lambda log_probabilities, place: total(log_probabilities, place).softmax(dim=0)


def reviews_to_score(rng):
    """空以前各个候选都一样；空以后的，有的候选越往后越不像话。"""
    cases = []
    for candidates, length, place in ((4, 6, 2), (3, 8, 0), (5, 5, 4)):
        scores = -3 * rng.rand(candidates, length)
        scores[:, :place] = scores[0, :place]
        cases.append((scores, place))
    return cases


# 表格自己排版：提示在前，错答在后，写得下就在一行
# fmt: off
EXERCISES = [
    Exercise("decoder_only.perplexity",
        cases=lambda rng: [(rng.randn(2, 4, 7), torch.tensor([[3, 1, 6, 0], [2, 5, 0, 0]])), (torch.zeros(1, 3, 9), torch.tensor([[4, 8, 1]]))],
        right=perplexity_with(lambda p: (-p.mean()).exp()),
        wrong={
            "这是平均的损失；困惑度是 e 的损失次方。": perplexity_with(lambda p: -p.mean()),
            "填充也算进去了：answers 等于 0 的位置不是词，不算。": lambda logits, answers: (-steps(logits, answers).mean()).exp().item(),
            "先取 e 的次方、后平均了：应当先平均对数概率，最后取一次。": perplexity_with(lambda p: (-p).exp().mean()),
            "加起来了，没有平均：句子越长，数就越大，不能相比。": perplexity_with(lambda p: (-p.sum()).exp()),
            "少了负号：困惑度不小于 1。": perplexity_with(lambda p: p.mean().exp()),
            "平均的是概率：应当平均对数概率。": perplexity_with(lambda p: 1 / p.exp().mean()),
            "底数不一致：对数是自然对数，就要取 e 的次方，不是 2 的。": perplexity_with(lambda p: 2 ** -p.mean()),
            "用了 logits 本身：先过 log_softmax，才是对数概率。": lambda logits, answers: (-logits.gather(-1, answers[..., None])[..., 0][answers != 0].mean()).exp().item(),
        },
        otherwise="去掉填充，取正确答案的对数概率，求平均，变号，再取 e 的次方。",
        praise="什么也不知道时，它恰好是词表的大小。",
        observe=lambda result, *_: float(result),  # 一个数的张量也可以
    ),
    Exercise("decoder_only.mask-recipe",
        cases=lambda rng: [(4 + (40 * rng.rand(3, 60)).long(), rng.rand(3, 60) < 0.4, rng.rand(3, 60), 50 + (9 * rng.rand(3, 60)).long())],
        right=corrupted(lambda d: d < 0.8, lambda d: d >= 0.9),
        wrong={
            "挑中的全换成了 [MASK]：还有一成换成别的，一成不动。": corrupted(lambda d: d < 2, lambda d: d > 2),
            "少了换成别的那一成：dice 不小于 0.9 时用 others。": corrupted(lambda d: d < 0.8, lambda d: d > 2),
            "剩下的两成全换成了别的：其中一成要原样不动。": corrupted(lambda d: d < 0.8, lambda d: d >= 0.8),
            "换成别的与不动的颠倒了：dice 在 0.8 与 0.9 之间的不动。": corrupted(lambda d: d < 0.8, lambda d: (d >= 0.8) & (d < 0.9)),
            "没挑中的也动了：dice 只管 chosen 为真的位置。": lambda ids, chosen, dice, others: (torch.where(dice >= 0.9, others, torch.where(dice < 0.8, MASK, ids)), torch.where(chosen, ids, 0)),
            "答案只留了 [MASK] 处的：换成别的、原样不动的，也都要猜。": corrupted(lambda d: d < 0.8, lambda d: d >= 0.9, lambda ids, chosen, dice: torch.where(chosen & (dice < 0.8), ids, 0)),
            "答案里每个位置都有：没挑中的不算损失，应当是 0。": corrupted(lambda d: d < 0.8, lambda d: d >= 0.9, lambda ids, chosen, dice: ids),
        },
        otherwise="chosen 处：dice < 0.8 换成 3，dice ≥ 0.9 换成 others，其余不动；答案在 chosen 处是原来的编号，别处是 0。",
        praise="三种都要猜，网络才不敢只在看见 [MASK] 时动脑筋。",
    ),
    Exercise("decoder_only.fill-by-writing",
        cases=reviews_to_score,
        right=filled(lambda scores, place: scores.sum(dim=1)),
        wrong={
            "只看了空里的那个词：右边的词在不同的候选之后，概率也不同，要一起乘。": filled(lambda scores, place: scores[:, place]),
            "漏了空里的词自己：从空开始，一直乘到句末。": filled(lambda scores, place: scores[:, place + 1 :].sum(dim=1)),
            "用了平均：整句的概率是相乘，对数相加，不除以长度。": filled(lambda scores, place: scores.mean(dim=1)),
            "没有归一：各个候选的概率之和应当是 1。": lambda log_probabilities, place: log_probabilities.sum(dim=1).exp(),
            "归一的是对数：先取 e 的次方，再除以和；softmax 一步就够。": lambda log_probabilities, place: log_probabilities.sum(dim=1) / log_probabilities.sum(),
            "加的是概率：整句的概率是各步相乘，就是对数相加。": lambda log_probabilities, place: log_probabilities.exp().sum(dim=1) / log_probabilities.exp().sum(),
            "只看了左边，各个候选就一样了：空里的词与右边的词才分得出它们。": filled(lambda scores, place: scores[:, :place].sum(dim=1)),
        },
        otherwise="每个候选一行，整行相加就是整句的对数概率，再对候选求 softmax。",
        praise="只看左边的网络，把整句的概率算完，也就用上了右边。",
    ),
]
