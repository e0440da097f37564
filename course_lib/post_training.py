"""后训练：监督微调、偏好优化与有奖励的强化学习，先是论文里的式子，后面是一个短短的循环。

形状字母：B 批大小，N 位置数，V 词表大小，G 一组里的回答数。对数概率都是自然对数，单位是奈特。
半精度的输入在 float32 里算，给出的也是 float32：两个对数概率之差，半精度常常就舍没了。
"""

from collections.abc import Callable
from math import comb

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from tqdm import tqdm

from .checks import (
    check_counted,
    check_groups_of_rewards,
    check_loss,
    check_pass_at_k,
    check_same_shape,
    check_trainable,
    check_trained,
)
from .precision import widen


def token_log_probs(logits: Tensor, ids: Tensor) -> Tensor:
    """每个词元在它前面的词元之后的对数概率。

    参数：logits (B, N, V)，模型读 ids 给出的分数；ids (B, N)。返回：(B, N-1)，第 n 个是 ids[:, n+1] 的。
    """
    scores = widen(logits[:, :-1]).log_softmax(dim=-1)
    return scores.gather(-1, ids[:, 1:, None].long())[..., 0]


def sft_loss(logits: Tensor, ids: Tensor, learned: Tensor) -> Tensor:
    """监督微调：只在要学的词元上取平均的交叉熵；题目要读，不要学着写，它的位置就填 False。

    参数：logits (B, N, V)；ids (B, N)；learned (B, N)，布尔，True 是要学的词元，第 0 个没有前文，填什么都不算。
    返回：标量，奈特每词元；一整行都不学的，不算在内。
    错误：learned 与 ids 形状不同，或者一个要学的也没有时，抛出 `ValueError`；learned 不是布尔型时抛出 `TypeError`。
    出处：Ouyang et al., 2022, §3.5。
    """
    check_same_shape(ids=ids, learned=learned)
    check_counted(learned[:, 1:], "learned", "要学的词元")
    return -token_log_probs(logits, ids)[learned[:, 1:]].mean()


def preference_loss(better: Tensor, worse: Tensor) -> Tensor:
    """Bradley–Terry：好的胜过差的，概率是 σ(better - worse)；损失是它的负对数，取平均。

    参数：better、worse (B,)，两个回答各自的奖励。返回：标量，奈特每对。错误：形状不同时抛出 `ValueError`。
    出处：Bradley & Terry, 1952；Ouyang et al., 2022, §3.5 式 (1)。
    """
    check_same_shape(better=better, worse=worse)
    return -F.logsigmoid(widen(better) - widen(worse)).mean()


def dpo_loss(
    better: Tensor, worse: Tensor, better_before: Tensor, worse_before: Tensor, beta: float = 0.1
) -> Tensor:
    """直接偏好优化：把 β (log π - log π_ref) 当作奖励，放进 `preference_loss`。

    参数：better、worse (B,)，正在学的模型给两个回答整句的对数概率；better_before、worse_before (B,)，学之前的模型给的，当作常数，不传梯度；
    beta > 0，越小，允许离原来的模型越远。返回：标量，奈特每对。错误：形状不同时抛出 `ValueError`。
    出处：Rafailov et al., 2023, §4 式 (7)。
    """
    check_same_shape(better=better, worse=worse, better_before=better_before, worse_before=worse_before)
    better, worse, better_before, worse_before = map(widen, (better, worse, better_before, worse_before))
    return preference_loss(beta * (better - better_before.detach()), beta * (worse - worse_before.detach()))


def group_advantages(rewards: Tensor, scale: bool = True) -> Tensor:
    """组内的优势：每个回答的奖励减去这一组的平均；scale=True 时再除以这一组的标准差（除以 G 的那种）。

    参数：rewards (..., G)，同一道题的 G 个回答，整数、布尔也行。返回：同形状，每组之和是 0；一组奖励全相同，就全是 0。
    有的实现除以 G − 1（如 TRL，`torch.std` 的默认）：那就是这里的每个数再乘 √((G − 1)/G)。
    错误：一组不到两个回答时抛出 `ValueError`。
    出处：Shao et al., 2024, §4.1.2；不除的是 Liu et al., 2025（Dr. GRPO）。
    """
    check_groups_of_rewards(rewards)
    rewards = widen(rewards)
    centred = rewards - rewards.mean(dim=-1, keepdim=True)
    if not scale:
        return centred
    spread = centred.square().mean(dim=-1, keepdim=True).sqrt()
    alike = rewards.amax(dim=-1, keepdim=True) == rewards.amin(dim=-1, keepdim=True)
    return torch.where(alike, 0.0, centred / spread.where(~alike, 1.0))


def grpo_loss(
    log_probs: Tensor,
    old_log_probs: Tensor,
    advantages: Tensor,
    written: Tensor,
    clip: float = 0.2,
    reference: Tensor | None = None,
    beta: float = 0.0,
    length: float | None = None,
) -> Tensor:
    """GRPO 的损失：-mean[min(ρA, clip(ρ, 1-ε, 1+ε)A) - β·KL]，ρ = π/π_old，逐个词元算。

    KL 用 exp(d) - d - 1 来估计，d = log π_ref - log π，永远不小于 0。梯度只经过 log_probs，其余都当作常数：
    抽样与学是同一个模型时，把同一个 log_probs 给两次就行，ρ = 1，梯度照样有。
    参数：log_probs、old_log_probs (B, N)，正在学的与抽样那时的模型给每个词元的对数概率；advantages (B,)；
    written (B, N)，布尔，True 是模型自己写的词元；clip，ε；reference (B, N)，参照模型给的，beta 不是 0 才用得着；
    length，不给就像论文那样，每个回答除以自己的词元数，再对回答取平均；给了就一律除以它，长短不同的回答里每个词元同样重；
    一个词元也没有写的回答算作 0。
    返回：标量。错误：形状不合，谁也没有写，或 beta 不是 0 又没有 reference 时抛出 `ValueError`；written 不是布尔型时抛出 `TypeError`。
    出处：Shao et al., 2024, §4.1.1 式 (3)、(4)；length 是 Liu et al., 2025 的改法。
    """
    check_same_shape(log_probs=log_probs, old_log_probs=old_log_probs, written=written)
    check_same_shape(advantages=advantages, answers=log_probs[:, 0])
    check_counted(written, "written", "模型写的词元")
    log_probs, old_log_probs, advantages = map(widen, (log_probs, old_log_probs, advantages))
    ratio = (log_probs - old_log_probs.detach()).exp()
    gain = advantages.detach()[:, None]
    goal = torch.minimum(ratio * gain, ratio.clamp(1 - clip, 1 + clip) * gain)
    if beta:
        if reference is None:
            raise ValueError(f"beta={beta}：要罚离参照模型的距离，请给 reference。")
        apart = reference.detach() - log_probs
        goal = goal - beta * (apart.exp() - apart - 1)
    sums = goal.masked_fill(~written, 0.0).sum(dim=-1)
    return -(sums / (written.sum(dim=-1).clamp(min=1) if length is None else length)).mean()


def pass_at_k(right: Tensor, samples: int, k: int) -> Tensor:
    """抽 samples 个、对了 right 个，从中随便拿 k 个，至少有一个对的概率：1 - C(n-c, k) / C(n, k)。

    参数：right (P,)，每道题对了几个，整数；samples，每道题抽了几个；1 ≤ k ≤ samples。返回：(P,)。
    错误：k 或 right 越界时抛出 `ValueError`。出处：Chen et al., 2021, §2.1。
    """
    check_pass_at_k(right, samples, k)
    missed = [comb(samples - c, k) / comb(samples, k) for c in right.tolist()]
    return 1 - torch.tensor(missed)


def reinforce(
    model: nn.Module,
    attempt: Callable[[], tuple[Tensor, Tensor, Tensor]],
    *,
    updates: int,
    lr: float = 3e-4,
    scale: bool = True,
    reference: nn.Module | None = None,
    beta: float = 0.0,
    length: float | None = None,
    before_update: Callable[[int], None] | None = None,
    label: str = "强化学习",
) -> list[float]:
    """强化学习的循环：让模型自己写一批回答，算奖励，比出优势，沿 `grpo_loss` 走一步；一批只用一次，所以裁剪用不上。

    参数：attempt() 让模型写一批，给出 ids (P·G, N)、written (P·G, N) 与 rewards (P, G)，同一组的 G 行挨在一起；
    before_update(u)，第 u 次更新之前调用；其余同 `group_advantages` 与 `grpo_loss`。
    返回：每次更新之前那一批的平均奖励。错误：没有可以训练的参数时抛出 `ValueError`；损失或最后的权重变成 NaN 或无穷时抛出 `FloatingPointError`。
    出处：Shao et al., 2024, 算法 1。
    """
    check_trainable(model)
    optimizer = torch.optim.Adam(model.parameters(), lr=lr, fused=True)
    means = []
    for update in tqdm(range(updates), desc=label, leave=False):
        if before_update:
            before_update(update)
        ids, written, rewards = attempt()
        means.append(rewards.float().mean().item())
        log_probs = token_log_probs(model(ids).logits, ids)
        far = None
        if beta:
            with torch.no_grad():
                far = token_log_probs(reference(ids).logits, ids)
        gain = group_advantages(rewards, scale).flatten()
        options = {"reference": far, "beta": beta, "length": length}
        loss = grpo_loss(log_probs, log_probs, gain, written[:, 1:], **options)
        check_loss(loss.item(), update + 1, lr, "奖励")
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    check_trained(model, lr)
    return means
