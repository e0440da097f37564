"""一个喷注的特征：质量，五个物理变量，喂给网络的几列，打乱粒子的次序。

形状字母：B 喷注数，N 每个喷注最多的粒子数。
"""

import torch
from torch import Tensor

from ..checks import check_mask, known_true


def jet_mass(features: Tensor, mask: Tensor) -> Tensor:
    """喷注的不变质量，单位 GeV，粒子当作没有质量：m² = (Σ E)² - |Σ p|²。

    它也等于 2 Σ pTᵢ pTⱼ (cosh Δηᵢⱼ - cos Δφᵢⱼ)，对 i < j 求和，只看两两之差，所以不必知道喷注轴在哪里。
    参数：features (B, N, 3)，mask (B, N)。返回：(B,)。
    """
    pt, eta, phi = features.masked_fill(~mask[..., None], 0.0).double().unbind(-1)
    energy, along, x, y = ((pt * part).sum(dim=-1) for part in (eta.cosh(), eta.sinh(), phi.cos(), phi.sin()))
    return (energy**2 - along**2 - x**2 - y**2).clamp(min=0).sqrt().to(features.dtype)


def jet_variables(features: Tensor, mask: Tensor) -> Tensor:
    """物理学家一眼就想到的五个量：质量、粒子数、最硬粒子占的份额、宽度（按 pT 加权离轴多远）、总 pT。

    参数：features (B, N, 3)，填充处是 0；mask (B, N)。返回：(B, 5)。
    """
    pt = features[..., 0].masked_fill(~mask, 0.0)
    total = pt.sum(dim=1)
    width = (pt * features[..., 1:].norm(dim=-1)).sum(dim=1) / total
    return torch.stack(
        [jet_mass(features, mask), mask.sum(dim=1), pt.amax(dim=1) / total, width, total], dim=1
    )


def network_inputs(features: Tensor, mask: Tensor) -> Tensor:
    """把 pT、Δη、Δφ 换成大小合适的 (ln pT - 2) / 1.5、5Δη、5Δφ；填充处是 0，不管那里原来是什么。

    参数：features (B, N, 3)；mask (B, N)，True = 真实粒子。返回：(B, N, 3)。
    错误：形状不对、有喷注一个粒子也没有、真实粒子里有 NaN、无穷或不是正数的 pT 时，抛出 `ValueError`；
    mask 不是布尔型时抛出 `TypeError`。
    """
    if features.dim() != 3 or features.size(-1) != 3 or mask.shape != features.shape[:2] or not mask.numel():
        raise ValueError(
            f"features 的形状应当是 (B, N, 3) 且不为空，mask 是 (B, N)，"
            f"这里是 {tuple(features.shape)} 与 {tuple(mask.shape)}。"
        )
    check_mask(mask, "mask ", "真实粒子")
    padding = ~mask[..., None]
    features = features.masked_fill(padding, 1.0)
    _check_particles(features, mask)
    pt, direction = features[..., :1], features[..., 1:]
    return torch.cat([(pt.log() - 2) / 1.5, 5 * direction], dim=-1).masked_fill(padding, 0.0)


def _check_particles(features: Tensor, mask: Tensor) -> None:
    empty = ~mask.any(dim=1)
    if known_true(empty.any()):
        raise ValueError(f"第 {int(empty.int().argmax())} 个喷注一个粒子也没有。")
    wrong = ~(features.isfinite().all(dim=-1) & (features[..., 0] > 0))
    if known_true(wrong.any()):
        jet, particle = wrong.nonzero()[0].tolist()
        raise ValueError(
            f"第 {jet} 个喷注的第 {particle} 个粒子是 {features[jet, particle].tolist()}："
            "三个数都要有限，pT 要大于 0；是填充的话，请在 mask 里标成 False。"
        )


def shuffle_particles(features: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    """打乱每个喷注里真实粒子的先后，填充仍在末尾，所以 mask 不变；随机数取自 torch 的全局种子。

    参数：features (B, N, 3)；mask (B, N)，填充在末尾。返回：打乱的 features 与原来的 mask。
    """
    order = torch.rand(mask.shape, device=mask.device).masked_fill(~mask, 2.0).argsort(dim=1)
    return features.gather(1, order[..., None].expand_as(features)), mask
