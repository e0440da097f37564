"""喷注鉴别：三种分类器，以及本底压低这把尺子。

形状字母：B 喷注数，N 每个喷注最多的粒子数，D 模型宽度 d_model。
"""

import math

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ..attention import padding_mask
from ..encoder import Encoder, EncoderOutput
from ..layers import SinusoidalPositionalEncoding
from .jet_features import network_inputs


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

    def encode(self, features: Tensor, mask: Tensor, need_weights: bool = False) -> EncoderOutput:
        """features (B, N, 3)、mask (B, N)，True = 真实粒子 → 编码器的输出，第 0 行是 [CLS]；need_weights=True 时带着注意力。"""
        x = self.tokens(features, mask)
        keys = padding_mask(F.pad(mask, (1, 0), value=True))  # [CLS] 总可以看
        return self.encoder(x, keys, need_weights=need_weights)

    def forward(self, features: Tensor, mask: Tensor) -> Tensor:
        """features (B, N, 3)、mask (B, N)，True = 真实粒子 → logits (B, 2)。"""
        return self.head(self.encode(features, mask).last_hidden_state[:, 0])


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
