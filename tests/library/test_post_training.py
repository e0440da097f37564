"""后训练的各个式子：与另写一遍的相等；在写得出闭式的小题上，梯度就是期望奖励的梯度；坏输入得到一句话。"""

import itertools
import math

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn
from torch.testing import assert_close

from course_lib.post_training import (
    dpo_loss,
    group_advantages,
    grpo_loss,
    pass_at_k,
    preference_loss,
    reinforce,
    sft_loss,
    token_log_probs,
)

torch.manual_seed(0)
LOGITS, IDS = torch.randn(3, 5, 7), torch.randint(7, (3, 5))


def test_token_log_probs_one_by_one():
    found = token_log_probs(LOGITS, IDS)
    for b, n in itertools.product(range(3), range(4)):
        scores = LOGITS[b, n].double()
        assert_close(
            found[b, n].double(), scores[IDS[b, n + 1]] - scores.exp().sum().log(), atol=1e-5, rtol=0
        )


def test_sft_loss_is_cross_entropy_on_the_answer():
    learned = torch.arange(5) >= 3
    learned = learned.expand(3, 5)
    answers = IDS.masked_fill(~learned, -100)
    expected = F.cross_entropy(LOGITS[:, :-1].flatten(0, 1), answers[:, 1:].flatten(), ignore_index=-100)
    assert_close(sft_loss(LOGITS, IDS, learned), expected)
    assert not torch.isclose(sft_loss(LOGITS, IDS, torch.ones_like(IDS) > 0), expected)


def test_a_row_with_nothing_to_learn_counts_nothing():
    learned = torch.ones(3, 5) > 0
    learned[1, 1:] = False
    assert_close(sft_loss(LOGITS, IDS, learned), sft_loss(LOGITS[::2], IDS[::2], learned[::2]))


def test_prompt_gets_no_gradient():
    logits = LOGITS.clone().requires_grad_()
    sft_loss(logits, IDS, (torch.arange(5) >= 3).expand(3, 5)).backward()
    touched = logits.grad.abs().sum(dim=(0, 2)) > 0
    assert touched.tolist() == [False, False, True, True, False]  # 前一个位置猜后一个


def test_dpo_by_the_formula():
    w, l_, w0, l0 = -5 * torch.rand(4, 6, dtype=torch.double)
    expected = [
        -math.log(1 / (1 + math.exp(-0.3 * ((a - a0) - (b - b0)))))
        for a, b, a0, b0 in zip(w, l_, w0, l0, strict=True)
    ]
    assert_close(dpo_loss(w, l_, w0, l0, beta=0.3).item(), sum(expected) / 6)
    assert_close(dpo_loss(w0, l0, w0, l0).item(), math.log(2))  # 还没有学
    assert_close(dpo_loss(w, l_, w0, l0), preference_loss(0.1 * (w - w0), 0.1 * (l_ - l0)))


def test_preference_loss_finds_the_win_rate():
    """好坏胜率是 3 : 1，最好的奖励之差就是 ln 3。"""
    gap = torch.zeros((), dtype=torch.double, requires_grad=True)
    signs = torch.tensor([1.0, 1, 1, -1], dtype=torch.double)
    optimizer = torch.optim.LBFGS([gap], max_iter=100, tolerance_change=1e-12)

    def closure():
        optimizer.zero_grad()
        loss = preference_loss(signs * gap, torch.zeros(4, dtype=torch.double))
        loss.backward()
        return loss

    optimizer.step(closure)
    assert_close(gap.item(), math.log(3), atol=1e-4, rtol=0)


@settings(deadline=None)
@given(st.lists(st.integers(-3, 3), min_size=2, max_size=9))
def test_advantages_sum_to_nothing(rewards):
    r = torch.tensor(rewards, dtype=torch.double)
    a = group_advantages(r)
    assert abs(a.sum().item()) < 1e-9
    if len(set(rewards)) == 1:
        assert not a.any()
    else:
        assert_close(a, (r - r.mean()) / r.std(correction=0))
        assert_close(a * math.sqrt(1 - 1 / len(rewards)), (r - r.mean()) / r.std())  # 除以 G - 1 的那种
    assert_close(group_advantages(r, scale=False), r - r.mean())


@pytest.mark.parametrize("kind", [torch.bool, torch.long, torch.uint8, torch.double])
def test_whole_rewards_are_rewards(kind):
    rewards = torch.tensor([[1, 0, 0, 1], [1, 1, 1, 1]])
    found = group_advantages(rewards.to(kind))
    assert found.dtype == (torch.double if kind == torch.double else torch.float)
    assert_close(found.float(), group_advantages(rewards.float()))


def test_advantages_are_by_group():
    rewards = torch.tensor([[1.0, 0, 0, 0], [1, 1, 1, 1], [1, 0, 1, 0]])
    expected = [[3**0.5, *[-(3**-0.5)] * 3], [0] * 4, [1, -1, 1, -1]]
    assert_close(group_advantages(rewards), torch.tensor(expected))


def test_grpo_one_token_at_a_time():
    """另写一遍：一个词元一个词元地照论文的式子。"""
    torch.manual_seed(1)
    new, old, reference = -3 * torch.rand(3, 4, 6, dtype=torch.double)
    gain = torch.tensor([1.5, -0.5, 0.2, -1.2], dtype=torch.double)
    written = torch.arange(6) < torch.tensor([[6], [3], [1], [4]])
    answers, clipped = [], 0
    for i in range(4):
        terms = []
        for t in range(int(written[i].sum())):
            ratio = math.exp(new[i, t] - old[i, t])
            near = min(max(ratio, 0.8), 1.2)
            clipped += ratio * gain[i] > near * gain[i]
            apart = (reference[i, t] - new[i, t]).item()
            terms.append(min(ratio * gain[i], near * gain[i]) - 0.3 * (math.exp(apart) - apart - 1))
        answers.append(terms)
    assert clipped > 1  # 裁剪真的裁到了
    options = {"reference": reference, "beta": 0.3}
    paper = -sum(sum(terms) / len(terms) for terms in answers) / 4
    assert_close(grpo_loss(new, old, gain, written, **options), torch.as_tensor(paper))
    fixed = -sum(map(sum, answers)) / 10 / 4
    assert_close(grpo_loss(new, old, gain, written, **options, length=10), torch.as_tensor(fixed))


def test_an_answer_of_nothing_is_nothing():
    new, old = -torch.rand(2, 3, 4).requires_grad_()
    written, gain = (
        torch.tensor([[1, 1, 0, 0], [0, 0, 0, 0], [1, 0, 1, 0]]) > 0,
        torch.tensor([1.0, -2.0, 0.5]),
    )
    for length in (None, 4):
        loss = grpo_loss(new, old, gain, written, length=length)
        assert_close(loss, 2 / 3 * grpo_loss(new[::2], old[::2], gain[::2], written[::2], length=length))
        assert torch.autograd.grad(loss, new)[0].isfinite().all()


def test_gradient_flows_to_the_learner_only():
    """抽样那时的、参照的与优势都当作常数，带着梯度交来也一样：同一个给两次，ρ = 1，梯度不是 0。"""
    torch.manual_seed(5)
    log_probs, other = -torch.rand(2, 3, 4).requires_grad_(), torch.rand(3, requires_grad=True)
    whole, options = torch.ones(3, 4) > 0, {"reference": -torch.rand(3, 4), "beta": 0.3}
    loss = grpo_loss(log_probs[0], log_probs[0], other, whole, **options)
    expected = grpo_loss(log_probs[0], log_probs[0].detach(), other.detach(), whole, **options)
    found, right = (torch.autograd.grad(each, log_probs, retain_graph=True)[0] for each in (loss, expected))
    assert_close(found, right)
    assert (found[0] != 0).all()
    rest = [log_probs[0], log_probs[0], other, whole]
    assert torch.autograd.grad(grpo_loss(*rest), other, allow_unused=True) == (None,)
    far = log_probs[0].clone()
    assert torch.autograd.grad(grpo_loss(*rest, reference=far, beta=0.3), far, allow_unused=True) == (None,)
    pairs = [other, other.flip(0), other * 2, other - 1]
    kept = [each.detach() for each in pairs[2:]]
    mine, fixed = (torch.autograd.grad(dpo_loss(*pairs[:2], *b), other)[0] for b in (pairs[2:], kept))
    assert_close(mine, fixed)


def test_clipped_tokens_get_no_gradient():
    old = torch.zeros(2, 2)
    new = torch.tensor([[0.5, 0.1], [-0.5, -0.1]], requires_grad=True)
    grpo_loss(new, old, torch.tensor([1.0, -1.0]), torch.ones(2, 2) > 0).backward()
    assert (new.grad != 0).tolist() == [[False, True], [False, True]]


# ---- 闭式：两步，每步三个词元，奖励随写出的一对而定，九种回答的期望算得出


REWARD = torch.tensor([[1.0, 0, 0.5], [0, 2, 0], [0.3, 0, 1]], dtype=torch.double)


def expected_reward(theta):
    """theta (4, 3)：头一步的分数，与头一个词元是 0、1、2 时第二步的分数。"""
    first, second = theta[0].softmax(-1), theta[1:].softmax(-1)
    return (first[:, None] * second * REWARD).sum()


def every_answer(theta):
    """九种回答：概率 (9,)，每个词元的对数概率 (9, 2)，奖励 (9,)。"""
    first, second = theta[0].log_softmax(-1), theta[1:].log_softmax(-1)
    log_probs = torch.stack([first[:, None].expand(3, 3), second], dim=-1).flatten(0, 1)
    return log_probs.sum(-1).exp().detach(), log_probs, REWARD.flatten()


def test_gradient_is_that_of_the_expected_reward():
    """把九种回答按概率加权，减去平均的优势给出的梯度就是期望奖励的梯度；梯度用有限差分量。"""
    torch.manual_seed(2)
    theta = torch.randn(4, 3, dtype=torch.double, requires_grad=True)
    chance, log_probs, reward = every_answer(theta)
    gain = (reward - (chance * reward).sum()) * chance * 9  # grpo_loss 对九种取平均，先乘回来
    whole = torch.ones(9, 2) > 0
    grpo_loss(log_probs, log_probs.detach(), gain, whole, length=1).backward()
    slopes = torch.zeros_like(theta)
    for i, j in itertools.product(range(4), range(3)):
        step = torch.zeros_like(theta)
        step[i, j] = 1e-5
        slopes[i, j] = (expected_reward(theta + step) - expected_reward(theta - step)).item() / 2e-5
    assert_close(-theta.grad, slopes, atol=1e-8, rtol=1e-6)


def test_sampled_groups_point_the_same_way():
    """真的抽样：一组八个，不除以标准差，平均的梯度是期望奖励的梯度乘 7/8（基线里有自己的一份）。"""
    torch.manual_seed(3)
    theta = (0.5 * torch.randn(4, 3, dtype=torch.double)).requires_grad_()
    chance, log_probs, reward = every_answer(theta)
    picks = torch.multinomial(chance, 8 * 60_000, replacement=True)
    gain = group_advantages(reward[picks].view(-1, 8), scale=False).flatten()
    chosen = log_probs[picks]
    loss = grpo_loss(chosen, chosen.detach(), gain, torch.ones_like(chosen) > 0, length=1)
    (found,) = torch.autograd.grad(loss, theta, retain_graph=True)
    (true,) = torch.autograd.grad(expected_reward(theta), theta)
    assert_close(-found, 7 / 8 * true, atol=4e-3, rtol=0)
    assert true.abs().max() > 0.05


def test_kl_estimate_is_the_kl():
    """按概率加权，exp(d) - d - 1 的平均就是 KL(π ‖ π_ref)。"""
    torch.manual_seed(4)
    mine, theirs = torch.randn(2, 6, dtype=torch.double).log_softmax(-1)
    kl = (mine.exp() * (mine - theirs)).sum()
    rows = mine[:, None]
    none = torch.zeros(6, dtype=torch.double)
    each = torch.stack(
        [
            grpo_loss(
                rows[[i]],
                rows[[i]],
                none[:1],
                torch.ones(1, 1) > 0,
                reference=theirs[[i], None],
                beta=1.0,
            )
            for i in range(6)
        ]
    )
    assert (each >= 0).all()
    assert_close((mine.exp() * each).sum(), kl)


@pytest.mark.parametrize("right, samples, k", [(0, 5, 3), (2, 5, 1), (2, 5, 3), (4, 5, 2), (5, 5, 5)])
def test_pass_at_k_counts_every_choice(right, samples, k):
    marks = [True] * right + [False] * (samples - right)
    choices = list(itertools.combinations(marks, k))
    expected = sum(map(any, choices)) / len(choices)
    assert_close(pass_at_k(torch.tensor([right]), samples, k).item(), expected)


class Lottery(nn.Module):
    """一个没有前文的模型：每个位置的下一个词元都照同一组分数。"""

    def __init__(self):
        super().__init__()
        self.scores = nn.Parameter(torch.zeros(4))

    def forward(self, ids):
        class Output:
            logits = self.scores.expand(*ids.shape, 4)

        return Output


@pytest.mark.parametrize("beta", [0.0, 5.0])
def test_the_loop_learns_what_is_rewarded(beta):
    torch.manual_seed(0)
    model, reference, seen = Lottery(), Lottery(), []

    def attempt():
        last = torch.multinomial(model.scores.softmax(-1), 32, replacement=True)
        ids = torch.stack([torch.zeros_like(last), last], dim=1)
        return ids, torch.tensor([False, True]).expand(32, 2), (last == 2).float().view(4, 8)

    means = reinforce(
        model, attempt, updates=80, lr=0.1, reference=reference, beta=beta, before_update=seen.append
    )
    assert seen == list(range(80)) and len(means) == 80
    if beta:  # 绳子拴着，走不远
        assert model.scores.softmax(-1)[2] < 0.6
    else:
        assert model.scores.softmax(-1)[2] > 0.9
        assert sum(means[:10]) / 10 < 0.6 < 0.9 < sum(means[-10:]) / 10


@pytest.mark.parametrize("options", [{}, {"scale": False}, {"length": 7}, {"beta": 0.5}])
def test_one_update_is_the_formula(options, capsys):
    torch.manual_seed(0)
    model, reference, ids = Lottery(), Lottery(), torch.randint(4, (4, 6))
    reference.requires_grad_(False).scores.normal_()
    written, rewards = torch.arange(6) > torch.tensor([[0], [1], [2], [3]]), torch.tensor([[5.0, 0], [1, 0]])
    same = token_log_probs(model(ids).logits, ids)
    gain = group_advantages(rewards, options.get("scale", True)).flatten()
    rest = {"reference": token_log_probs(reference(ids).logits, ids), **options}
    rest.pop("scale", None)
    loss = grpo_loss(same, same.detach(), gain, written[:, 1:], **rest)
    (slope,) = torch.autograd.grad(loss, model.parameters())
    reinforce(model, lambda: (ids, written, rewards), updates=1, reference=reference, **options)
    assert_close(model.scores.grad, slope)
    assert_close(model.scores.detach(), -3e-4 * slope.sign(), rtol=1e-3, atol=0)  # Adam 的第一步就是 lr
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("\r强化学习: ") and err.endswith("\r")  # 跑完就收起


@pytest.mark.parametrize(
    ("rewards", "lr", "said"),
    [
        ([[torch.nan, 1.0], [0, 1]], 3e-4, "第 1 步的损失是 nan：学习率 0.0003 可能太大，或者奖励里有 NaN。"),
        ([[torch.inf, 1.0], [0, 1]], 3e-4, "第 1 步的损失是 nan："),
        ([[0.0, 1], [0, 1]], 1e39, "最后一步之后，权重里有 NaN 或无穷：学习率 1e+39 可能太大。"),
        ([[0.0, 1], [0, 1]], 3e38, "第 2 步的损失是 nan：学习率 3e+38 可能太大"),
    ],
)
def test_nan_stops_the_loop(rewards, lr, said):
    """同 `train`：不把 NaN 留在权重里不说。"""
    model, ids = Lottery(), torch.tensor([[0, 1], [0, 2], [0, 1], [0, 2]])
    attempt = ids, torch.ones(4, 2) > 0, torch.tensor(rewards)
    with pytest.raises(FloatingPointError) as error:
        reinforce(model, lambda: attempt, updates=1 + ("第 2 步" in said), lr=lr)
    assert str(error.value).startswith(said)
    assert model.scores.isfinite().all() or "第 1 步" not in said  # 赶在更新之前


WRONG = {
    "形状应当相同：ids (3, 5)、learned (5,)": lambda: sft_loss(LOGITS, IDS, torch.ones(5) > 0),
    "形状应当相同：better (2,)、worse (3,)": lambda: preference_loss(torch.ones(2), torch.ones(3)),
    "至少要有两个回答": lambda: group_advantages(torch.ones(3, 1)),
    "advantages (3,)": lambda: grpo_loss(
        torch.ones(2, 4), torch.ones(2, 4), torch.ones(3), torch.ones(2, 4) > 0
    ),
    "请给 reference": lambda: grpo_loss(
        torch.ones(2, 4), torch.ones(2, 4), torch.ones(2), torch.ones(2, 4) > 0, beta=0.1
    ),
    "learned 里没有一个 True：一个要学的词元也没有": lambda: sft_loss(
        LOGITS, IDS, torch.arange(5).expand(3, 5) < 1
    ),
    "written 里没有一个 True": lambda: grpo_loss(
        torch.ones(2, 4), torch.ones(2, 4), torch.ones(2), torch.ones(2, 4) < 1
    ),
    "k=6：": lambda: pass_at_k(torch.tensor([1]), 5, 6),
    "在 0 与每道题抽的个数 5 之间": lambda: pass_at_k(torch.tensor([6]), 5, 2),
}


@pytest.mark.parametrize("said", WRONG)
def test_wrong_input(said):
    with pytest.raises(ValueError) as error:
        WRONG[said]()
    assert said in str(error.value)


@pytest.mark.parametrize("dtype", [torch.long, torch.int32, torch.uint8, torch.float])
def test_masks_are_boolean(dtype):
    """分词器给的是 0 与 1：当下标用，形状恰好也对。"""
    said = f"应当是布尔张量（True = .*），这里是 {dtype}；整数掩码请先用 .bool"
    with pytest.raises(TypeError, match=f"^learned {said}"):
        sft_loss(LOGITS, IDS, torch.ones(3, 5, dtype=dtype))
    with pytest.raises(TypeError, match=f"^written {said}"):
        grpo_loss(torch.ones(2, 4), torch.ones(2, 4), torch.ones(2), torch.ones(2, 4, dtype=dtype))


@pytest.mark.parametrize("odd", range(4))
def test_dpo_asks_for_one_shape(odd):
    four = [torch.ones(2 - (i == odd)) for i in range(4)]
    with pytest.raises(ValueError, match="形状应当相同：better"):
        dpo_loss(*four)


@pytest.mark.parametrize("odd", range(3))
def test_grpo_asks_for_one_shape(odd):
    three = [torch.ones(2, 1 if i == odd else 4) for i in range(3)]
    with pytest.raises(ValueError, match="形状应当相同：log_probs"):
        grpo_loss(*three[:2], torch.ones(2), three[2] > 0)
