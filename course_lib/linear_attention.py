"""线性注意力：不留下每个词元的键与值，只留一块固定大小的记忆，一边读一边写。

记忆 S 是 d × v 的矩阵：写下一对键与值，就是加上 k vᵀ；读出，就是 qᵀ S。
半精度的输入在 float32 里算：记忆要加上许多次。
形状字母：B 批大小，h 头数，N 位置数，d 键的宽度，v 值的宽度。
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .checks import check_memory
from .config import LanguageModelConfig
from .precision import widen


def linear_attention(
    query: Tensor, key: Tensor, value: Tensor, state: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """只加不减的记忆：S ← S + k vᵀ，读出 qᵀ S；没有 softmax，也不除以总和。

    参数：query、key (B, h, N, d)，value (B, h, N, v)，state (B, h, d, v)，以前的记忆，没有就是零。
    返回：output (B, h, N, v)，与 value 同类型；最后的 state，至少是 float32。错误：形状对不上时抛出 `ValueError`。
    出处：Katharopoulos et al., 2020, §3.3（这里特征映射取恒等）。
    """
    ones = key.new_ones(key.shape[:-1])
    return _remember(query, key, value, ones, ones, state, erase=False)


def gated_delta_rule(
    query: Tensor, key: Tensor, value: Tensor, decay: Tensor, rate: Tensor, state: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """写之前先读、先忘：S ← a S，S ← S + β k (v − Sᵀ k)ᵀ，读出 qᵀ S。

    键长为 1、β = 1 时，写完再用 k 去读，读到的正好是 v：旧的被改写，不是又加一份。
    参数：query、key、value、state 同 `linear_attention`；decay (B, h, N)，a，留下几成，1 = 不忘；rate (B, h, N)，β，改写几成。
    返回与错误同 `linear_attention`。出处：Yang et al., 2024（Gated Delta Networks）, 式 10。
    """
    return _remember(query, key, value, decay, rate, state, erase=True)


def _start(query, key, value, decay, rate, state):
    """形状对得上，都不窄于 float32；没有以前的记忆，就从零开始。"""
    check_memory(query, key, value, decay, rate)
    query, key, value, decay, rate = map(widen, (query, key, value, decay, rate))
    if state is None:
        state = key.new_zeros(*key.shape[:2], key.size(-1), value.size(-1))
    return (query, key, value, decay, rate), widen(state)


def _remember(query, key, value, decay, rate, state, erase):
    parts, state = _start(query, key, value, decay, rate, state)
    outputs = []
    for q, k, v, a, b in zip(*(x.unbind(2) for x in parts), strict=True):
        state = state * a[..., None, None]
        if erase:
            v = v - (k.unsqueeze(-2) @ state).squeeze(-2)
        state = state + k.unsqueeze(-1) * (b.unsqueeze(-1) * v).unsqueeze(-2)
        outputs.append((q.unsqueeze(-2) @ state).squeeze(-2))
    return torch.stack(outputs, dim=2).to(value.dtype), state


def gated_delta_rule_in_chunks(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    decay: Tensor,
    rate: Tensor,
    state: Tensor | None = None,
    chunk: int = 32,
    erase: bool = True,
) -> tuple[Tensor, Tensor]:
    """与 `gated_delta_rule` 相等，但一次算一段：段内解一个三角方程，段与段之间才一步接一步。

    段内第 i 步要写的是 uᵢ = βᵢ (vᵢ − 以前的记忆里读到的 − 段内前几步刚写的)，各步的 u 因此满足一个下三角的线性方程组。
    参数、返回与错误同 `gated_delta_rule`；chunk，一段几个词元；erase=False 时写之前不读，uᵢ = βᵢ vᵢ，不必解方程。
    出处：Yang et al., 2024（Gated Delta Networks）, §3.3。
    """
    parts, state = _start(query, key, value, decay, rate, state)
    outputs = []
    for q, k, v, a, b in zip(*(x.split(chunk, dim=2) for x in parts), strict=True):
        kept = a.cumprod(dim=-1)[..., None]  # 段首以前的，到这一步留下几成
        later = k.new_ones(k.size(2), k.size(2)).tril(-1) > 0
        # 第 j 步写的，到第 i 步留下几成；不用对数相减，a 可以是 0
        between = a[..., None].where(later, 1.0).cumprod(dim=-2).tril()
        written = b[..., None] * v
        if erase:
            system = b[..., None] * (k @ k.mT) * between  # 对角线都是 1，不必写出
            known = written - b[..., None] * kept * (k @ state)
            written = torch.linalg.solve_triangular(system, known, upper=False, unitriangular=True)
        outputs.append(kept * (q @ state) + ((q @ k.mT) * between) @ written)
        left = between[..., -1, :, None]
        state = kept[..., -1:, :] * state + (left * k).mT @ written
    return torch.cat(outputs, dim=2).to(value.dtype), state


class LinearAttention(nn.Module):
    """用记忆代替注意力的一层，可以换进语言模型：`layer.self_attn = LinearAttention(config)`。

    键与查询各除以自己的长度；delta=False 时只加不减，decay=False 时不忘。
    a = exp(−softplus(·))，β = σ(·)，都由词元自己算出。不用旋转：次序本来就在写的先后里。
    参数：config，`LanguageModelConfig`。出处：Yang et al., 2024（Gated Delta Networks）；少了它的短卷积、输出门与归一化。
    """

    def __init__(self, config: LanguageModelConfig, delta: bool = True, decay: bool = True):
        super().__init__()
        self.h, self.delta, self.decay = config.num_heads, delta, decay
        self.qkv_proj = nn.Linear(config.d_model, 3 * config.d_model, bias=False)
        self.gates = nn.Linear(config.d_model, 2 * config.num_heads)
        nn.init.constant_(self.gates.bias[: self.h], -4.0)  # 起初几乎不忘
        self.out_proj = nn.Linear(config.d_model, config.d_model, bias=False)

    def forward(self, x: Tensor, turns=None, mask=None, need_weights=False, cache=None):
        """x (B, N, D) → (B, N, D) 与 None：没有权重可看。

        错误：给了填充掩码、缓存，或要权重时抛出 `ValueError`。
        """
        if mask is not None or cache is not None or need_weights:
            raise ValueError("这一层没有权重，也不认填充与缓存：请把各句截成一样长，整句地算。")
        query, key, value = self.qkv_proj(x).unflatten(-1, (3, self.h, -1)).permute(2, 0, 3, 1, 4)
        query, key = F.normalize(widen(query), dim=-1), F.normalize(widen(key), dim=-1)
        forget, rate = widen(self.gates(x)).transpose(1, 2).chunk(2, dim=1)
        decay = (-F.softplus(forget)).exp() if self.decay else torch.ones_like(forget)
        output, _ = gated_delta_rule_in_chunks(query, key, value, decay, rate.sigmoid(), erase=self.delta)
        return self.out_proj(output.transpose(1, 2).flatten(-2)), None
