"""喷注鉴别：造出一叉与两叉的喷注，三种分类器，以及本底压低这把尺子。

一个喷注是一组粒子，每个粒子三个数：横动量 pT（GeV），相对喷注轴的方向 Δη 与 Δφ；次序没有意义。
形状字母：B 喷注数，N 每个喷注最多的粒子数，D 模型宽度 d_model。
"""

import math
from typing import NamedTuple

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .attention import padding_mask
from .encoder import Encoder
from .layers import SinusoidalPositionalEncoding

SLOTS = 24  # 一根分叉、一片软辐射至多留这么多粒子
THRESHOLD = 0.5  # GeV，更软的粒子当作没有看见


class Jets(NamedTuple):
    """一批喷注：features (B, N, 3)，填充处是 0；mask (B, N)，True = 真实粒子；labels (B,)，1 = 两叉，0 = 一叉。"""

    features: Tensor
    mask: Tensor
    labels: Tensor


def jets(count: int, seed: int = 0, max_particles: int = 30, radius: float = 0.8) -> Jets:
    """造 count 个喷注，一叉与两叉各半；这是为上课编的玩具，*不是*真正的产生器。

    两类的 pT 都在 400 到 600 GeV 之间均匀分布，都由两根分叉加一片软辐射组成，不同的是两根分叉怎样来。
    两叉：质量 m 为 80.4 或 91.2 GeV（W 或 Z）的粒子衰变，份额 z 在 0.15 到 0.85 之间均匀，两根都像夸克。
    一叉：夸克或胶子放出一个胶子，z 在 0.1 到 0.5 之间服从 dz/z，m 在 30 到 150 GeV 之间服从 dm/m。
    夹角都是 m / (pT √(z(1-z)))，一叉的截在 radius 以内。每根分叉碎成若干粒子，个数的平均正比于 ln pT，
    胶子的多些；粒子偏离分叉轴的横向动量约 1 GeV，所以越软的偏得越开。软辐射平均 5 个，均匀撒在半径之内。
    留下 pT 超过 0.5 GeV 的，按 pT 从大到小取前 max_particles 个，方向相对于按 pT 加权的中心。
    没有的东西：多次辐射、色联系、自旋、粒子的种类、探测器的分辨率、同时发生的其他对撞。

    参数：count，正的偶数；seed，种子，训练与留出要用不同的；max_particles，N；radius，喷注半径 R。
    错误：参数不对时抛出 `ValueError`。
    """
    if count < 2 or count % 2 or max_particles < 1 or not 0 < radius < math.inf:
        raise ValueError(
            f"count={count} 应当是正的偶数，max_particles={max_particles} 与 radius={radius} 应当是正数。"
        )
    rng = np.random.default_rng(seed)
    labels = rng.permutation(count) % 2
    two = labels == 1
    pt = rng.uniform(400, 600, count)
    z = np.where(two, rng.uniform(0.15, 0.85, count), np.exp(rng.uniform(np.log(0.1), np.log(0.5), count)))
    boson = np.where(rng.random(count) < 0.5, 80.4, 91.2)
    mass = np.where(two, boson, np.exp(rng.uniform(np.log(30), np.log(150), count)))
    angle = mass / (pt * np.sqrt(z * (1 - z)))
    angle = np.where(two, angle, np.minimum(angle, radius))
    gluon = ~two & (rng.random(count) < 0.5)
    turn = rng.uniform(0, 2 * np.pi, count)
    first = _prong(rng, (1 - z) * pt, gluon, -z * angle, turn)  # 两根按 pT 加权的中心在原点
    second = _prong(rng, z * pt, ~two, (1 - z) * angle, turn)
    parts = zip(first, second, _soft(rng, count, radius), strict=True)
    pt, eta, phi = (np.concatenate(part, axis=1) for part in parts)
    pt = np.where((np.hypot(eta, phi) < radius) & (pt > THRESHOLD), pt, 0.0)
    for axis in (eta, phi):
        axis -= (pt * axis).sum(axis=1, keepdims=True) / pt.sum(axis=1, keepdims=True)
    order = np.argsort(-pt, axis=1)[:, :max_particles]
    features = np.stack([np.take_along_axis(x, order, axis=1) for x in (pt, eta, phi)], axis=-1)
    features = F.pad(torch.tensor(features, dtype=torch.float32), (0, 0, 0, max_particles - order.shape[1]))
    mask = features[..., 0] > 0
    return Jets(features.masked_fill(~mask[..., None], 0.0), mask, torch.tensor(labels))


def _prong(rng, pt, gluon, distance, turn):
    """一根分叉碎成的粒子：pT、Δη、Δφ，各 (B, SLOTS)；distance 与 turn 是分叉轴离喷注轴多远、朝哪边。"""
    count = 1 + rng.poisson(np.where(gluon, 2.5, 1.6) * np.log(pt))
    share = rng.gamma(0.5, size=(len(pt), SLOTS)) * (np.arange(SLOTS) < count[:, None])
    particles = pt[:, None] * share / share.sum(axis=1, keepdims=True)
    kick = rng.rayleigh(np.where(gluon, 1.2, 0.8)[:, None], share.shape)
    spread, around = kick / np.maximum(particles, THRESHOLD), rng.uniform(0, 2 * np.pi, share.shape)
    eta, phi = ((distance * side)[:, None] for side in (np.cos(turn), np.sin(turn)))
    return particles, eta + spread * np.cos(around), phi + spread * np.sin(around)


def _soft(rng, count, radius):
    shape = count, SLOTS
    particles = rng.exponential(1.5, shape) * (np.arange(SLOTS) < rng.poisson(5, count)[:, None])
    spread, around = radius * np.sqrt(rng.random(shape)), rng.uniform(0, 2 * np.pi, shape)
    return particles, spread * np.cos(around), spread * np.sin(around)


def jet_mass(features: Tensor, mask: Tensor) -> Tensor:
    """喷注的不变质量，单位 GeV，粒子当作没有质量：m² = (Σ E)² - |Σ p|²。

    它也等于 2 Σ pTᵢ pTⱼ (cosh Δηᵢⱼ - cos Δφᵢⱼ)，对 i < j 求和，只看两两之差，所以不必知道喷注轴在哪里。
    参数：features (B, N, 3)，mask (B, N)。返回：(B,)。
    """
    pt, eta, phi = features.masked_fill(~mask[..., None], 0.0).double().unbind(-1)
    energy, along, x, y = ((pt * part).sum(dim=-1) for part in (eta.cosh(), eta.sinh(), phi.cos(), phi.sin()))
    return (energy**2 - along**2 - x**2 - y**2).clamp(min=0).sqrt().to(features.dtype)


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
    if mask.dtype != torch.bool:
        raise TypeError(f"mask 应当是布尔张量（True = 真实粒子），这里是 {mask.dtype}。")
    if not (nonempty := mask.any(dim=1)).all():
        raise ValueError(f"第 {int(nonempty.int().argmin())} 个喷注一个粒子也没有。")
    padding = ~mask[..., None]
    features = features.masked_fill(padding, 1.0)
    wrong = ~(features.isfinite().all(dim=-1) & (features[..., 0] > 0))
    if wrong.any():
        jet, particle = wrong.nonzero()[0].tolist()
        raise ValueError(
            f"第 {jet} 个喷注的第 {particle} 个粒子是 {features[jet, particle].tolist()}："
            "三个数都要有限，pT 要大于 0；是填充的话，请在 mask 里标成 False。"
        )
    pt, direction = features[..., :1], features[..., 1:]
    return torch.cat([(pt.log() - 2) / 1.5, 5 * direction], dim=-1).masked_fill(padding, 0.0)


def shuffle_particles(features: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    """打乱每个喷注里真实粒子的先后，填充仍在末尾，所以 mask 不变；随机数取自 torch 的全局种子。

    参数：features (B, N, 3)；mask (B, N)，填充在末尾。返回：打乱的 features 与原来的 mask。
    """
    order = torch.rand(mask.shape, device=mask.device).masked_fill(~mask, 2.0).argsort(dim=1)
    return features.gather(1, order[..., None].expand_as(features)), mask


class JetClassifier(nn.Module):
    """喷注的 Transformer：线性嵌入，加一个学得的 [CLS]，编码器（pre-norm），取 [CLS]，线性层，返回 logits。

    没有位置编码，所以粒子换次序，输出不变；positions=True 时按粒子排列的次序加正弦位置编码，留作对照。

    参数：d_model、num_heads、num_layers、d_ff，与 `Encoder` 相同，没有 dropout。错误：同 `network_inputs`。
    出处：Qu et al., 2022, §4（那里还有两两之间的偏置，[CLS] 也只在最后两层加入）。
    """

    def __init__(self, d_model=32, num_heads=2, num_layers=2, d_ff=64, positions=False):
        super().__init__()
        self.embed = nn.Linear(3, d_model)
        self.cls = nn.Parameter(0.02 * torch.randn(d_model))
        self.positions = SinusoidalPositionalEncoding(512, d_model) if positions else nn.Identity()
        options = {"num_heads": num_heads, "d_ff": d_ff, "dropout": 0.0, "norm_first": True}
        self.encoder = Encoder(num_layers, d_model, **options)
        self.head = nn.Linear(d_model, 2)

    def tokens(self, features: Tensor, mask: Tensor) -> Tensor:
        """features (B, N, 3)、mask (B, N) → 词元 (B, N + 1, D)，第 0 个是 [CLS]。"""
        x = self.positions(self.embed(network_inputs(features, mask)))
        return torch.cat([self.cls.expand(len(x), 1, -1), x], dim=1)

    def forward(self, features: Tensor, mask: Tensor) -> Tensor:
        """features (B, N, 3)、mask (B, N)，True = 真实粒子 → logits (B, 2)。"""
        x = self.tokens(features, mask)
        keys = padding_mask(F.pad(mask, (1, 0), value=True))  # [CLS] 总可以看
        return self.head(self.encoder(x, keys).last_hidden_state[:, 0])


class DeepSets(nn.Module):
    """Deep Sets：logits = ρ(Σᵢ φ(xᵢ))，每个粒子各自经过 φ，相加，再经过 ρ；粒子之间不交谈。

    参数：width，φ 与 ρ 的宽度。错误：同 `network_inputs`。
    出处：Zaheer et al., 2017；用于喷注见 Komiske et al., 2019（Particle Flow Network）。
    """

    def __init__(self, width: int = 72):
        super().__init__()
        first, second, third = nn.Linear(3, width), nn.Linear(width, width), nn.Linear(width, width)
        self.phi = nn.Sequential(first, nn.GELU(), second, nn.GELU(), third)
        self.rho = nn.Sequential(nn.Linear(width, width), nn.GELU(), nn.Linear(width, 2))

    def forward(self, features: Tensor, mask: Tensor) -> Tensor:
        """features (B, N, 3)、mask (B, N) → logits (B, 2)。"""
        each = self.phi(network_inputs(features, mask)).masked_fill(~mask[..., None], 0.0)
        return self.rho(each.sum(dim=1) / 10)  # 除以 10 只为让起初的数大小合适


class FlatMLP(nn.Module):
    """拉直的多层感知机：30 个座位首尾相接，再过两个隐藏层；它*不是*不变的，留作对照。

    参数：num_particles，N，只收这么长的输入；width，隐藏层的宽度。错误：同 `network_inputs`。
    """

    def __init__(self, num_particles: int = 30, width: int = 96):
        super().__init__()
        first, second = nn.Linear(3 * num_particles, width), nn.Linear(width, width)
        self.net = nn.Sequential(nn.Flatten(), first, nn.GELU(), second, nn.GELU(), nn.Linear(width, 2))

    def forward(self, features: Tensor, mask: Tensor) -> Tensor:
        """features (B, N, 3)、mask (B, N) → logits (B, 2)。"""
        return self.net(network_inputs(features, mask))


def background_rejection(labels, scores, efficiency: float) -> tuple[float, int]:
    """本底压低：阈值取到信号效率刚好不低于 efficiency，这时 1/ε_B = 全部本底 / 混进来的本底。

    参数：labels (B,)，1 = 信号，0 = 本底；scores (B,)，越大越像信号；efficiency，0 与 1 之间。
    返回：(倍数, 混进来的个数 n)；倍数的相对误差约 1/√n；n = 0 时倍数是无穷大，只说明本底不够多：
    以 95% 的把握，只能说它大于“全部本底 / 3.0”。
    错误：efficiency 不在 (0, 1] 之内，或只有一类时，抛出 `ValueError`。
    """
    from sklearn.metrics import roc_curve  # 导入它要一两秒，而每一章的 check 都会导入本模块

    labels = np.asarray(labels)
    background = int((labels == 0).sum())
    if not 0 < efficiency <= 1 or background in (0, len(labels)):
        raise ValueError(
            f"efficiency={efficiency} 应当在 0 与 1 之间，信号与本底都要有；{len(labels)} 个里本底有 {background} 个。"
        )
    # 默认会丢掉共线的点，就跳过了刚好达到 efficiency 的那个阈值
    false, true, _ = roc_curve(labels, np.asarray(scores), drop_intermediate=False)
    passed = round(false[np.argmax(true >= efficiency - 1e-12)] * background)
    return (background / passed if passed else math.inf), passed
