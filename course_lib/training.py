"""训练与预测：全书共用的一个循环，一条不留痕迹的进度条，同一个种子给出同样的结果。

数据是一组第一维相同的张量，第一维数的是样本；循环按样本切成小批，送到模型所在的设备。
"""

import math
from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn
from tqdm import tqdm

from .checks import check_data, check_loss, check_trainable, check_trained


def warm_up_cosine(steps: int, warm_up: int = 0) -> Callable[[int], float]:
    """给 `train` 的 lr_scale：头 warm_up 步从 0 直线升到 1，此后沿半个余弦降，到第 steps 步是 0。

    错误：warm_up 为负，或者没有留下降的步数时，抛出 `ValueError`。
    出处：Loshchilov & Hutter, 2017（不重新开始的一段）；与 transformers 的 `get_cosine_schedule_with_warmup` 相同。
    """
    if not 0 <= warm_up < steps:
        raise ValueError(f"warm_up={warm_up}：应当在 0 与 steps={steps} 之间，小于它。")

    def scale(step: int) -> float:
        if step < warm_up:
            return step / warm_up
        return (1 + math.cos(math.pi * (step - warm_up) / (steps - warm_up))) / 2

    return scale


def train(
    model: nn.Module,
    loss_of: Callable[..., Tensor],
    data: Sequence[Tensor],
    *,
    epochs: int,
    lr: float = 1e-3,
    batch_size: int = 32,
    lr_scale: Callable[[int], float] | None = None,
    clip_norm: float | None = None,
    weight_decay: float = 0.0,
    before_epoch: Callable[[int], None] | None = None,
    seed: int = 0,
    label: str = "训练",
) -> list[float]:
    """用 AdamW 训练若干轮，返回每一步的损失；结束时模型处于 eval 状态。

    参数：loss_of(model, *batch) 给出一个标量损失；data，若干张量，第一维都是样本数；
    epochs，轮数；lr，学习率；lr_scale(step)，第 step 步（从 0 数起）学习率要乘的倍数，预热就用它；
    clip_norm，梯度范数的上限；weight_decay，权重衰减；
    before_epoch(epoch)，每轮开始之前调用，这时模型处于 eval 状态；seed，打乱样本与 dropout 所用的种子。
    返回：长为 epochs × 每轮步数的列表。
    错误：数据为空、长短不一，轮数、批大小不是正数，或模型没有可以训练的参数时抛出 `ValueError`；损失或最后的权重变成 NaN 或无穷时抛出 `FloatingPointError`。
    出处：Loshchilov & Hutter, 2019（AdamW）；weight_decay=0 时就是 Kingma & Ba, 2015 的 Adam。
    """
    count = check_data(data)
    check_trainable(model)
    if epochs < 1 or batch_size < 1:
        raise ValueError(f"轮数 epochs={epochs} 与批大小 batch_size={batch_size} 都应当至少是 1。")
    torch.manual_seed(seed)
    device = next(model.parameters()).device
    # fused：一次更新所有参数；小模型里逐个更新的开销比计算本身还大
    optimizer = torch.optim.AdamW(model.parameters(), lr=lr, weight_decay=weight_decay, fused=True)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lr_scale or (lambda step: 1.0))
    losses = []
    steps = epochs * math.ceil(count / batch_size)
    with tqdm(total=steps, desc=label, leave=False) as bar:
        for epoch in range(epochs):
            if before_epoch:
                model.eval()
                before_epoch(epoch)
            model.train()
            for chosen in torch.randperm(count).split(batch_size):
                loss = loss_of(model, *(part[chosen].to(device) for part in data))
                losses.append(loss.item())
                check_loss(losses[-1], len(losses), lr)
                optimizer.zero_grad()
                loss.backward()
                if clip_norm is not None:
                    nn.utils.clip_grad_norm_(model.parameters(), clip_norm)
                optimizer.step()
                scheduler.step()
                bar.update()
                bar.set_postfix_str(f"损失 {losses[-1]:.3f}", refresh=False)
    check_trained(model, lr)
    model.eval()
    return losses


@torch.no_grad()
def predict(forward: Callable[..., Tensor], data: Sequence[Tensor], batch_size: int = 256) -> Tensor:
    """分批算 forward(*batch)，把结果首尾接起来，放在 CPU 上；不记梯度。

    参数：forward，模型或任何函数，是模型时临时换成 eval 状态，算完各个部件恢复原样；data，若干张量，第一维都是样本数。
    返回：第一维是样本数的张量。
    错误：数据为空或长短不一时抛出 `ValueError`。
    """
    count = check_data(data)
    model = forward if isinstance(forward, nn.Module) else nn.Module()  # 普通的函数当作空的模型
    modes = {part: part.training for part in model.modules()}  # 各记各的：有的部件也许早就冻结在 eval 状态
    # 没有参数也没有 buffer 的，就在数据所在的设备上算
    device = next((x.device for x in (*model.parameters(), *model.buffers())), None)
    model.eval()
    try:
        batches = (
            forward(*(part[i : i + batch_size].to(device=device) for part in data))
            for i in range(0, count, batch_size)
        )
        return torch.cat([batch.cpu() for batch in batches])
    finally:
        for part, mode in modes.items():
            part.training = mode
