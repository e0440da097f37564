"""编码器层里除注意力以外的零件：层归一化、前馈网络、正弦位置编码。

形状字母：B 批大小，N 位置数，D 模型宽度 d_model，F 前馈网络的中间宽度 d_ff。
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .checks import check_length
from .precision import widen

ACTIVATIONS = {"relu": F.relu, "gelu": F.gelu}


def layer_norm(x: Tensor, gamma: Tensor, beta: Tensor, eps: float = 1e-5) -> Tensor:
    """层归一化：(x - μ) / √(σ² + ε) · γ + β，μ 与 σ² 在每个词元自己的 D 个特征上求。

    参数：x (..., D)，gamma 与 beta (D,)，eps 加在根号里面。返回：与 x 同形、同类型。
    编码器里用的是 `nn.LayerNorm`，它把同一个式子合成一个算子，参数名为 weight 与 bias。
    出处：Ba et al., 2016, §3。
    """
    wide = widen(x)
    mean = wide.mean(dim=-1, keepdim=True)
    variance = wide.var(dim=-1, unbiased=False, keepdim=True)
    return ((wide - mean) / torch.sqrt(variance + eps) * gamma + beta).to(x.dtype)


class FeedForward(nn.Module):
    """逐位置的前馈网络：两个线性映射，中间一个非线性，FFN(x) = φ(x W₁ + b₁) W₂ + b₂。

    参数：d_model，D；d_ff，中间宽度 F；dropout，中间层的丢弃概率；activation，"relu" 或 "gelu"；bias，有无 b₁、b₂。
    错误：不认识的 activation 抛出 `ValueError`。
    出处：Vaswani et al., 2017, §3.3（ReLU）；Devlin et al., 2019（GELU）。
    """

    def __init__(
        self, d_model: int, d_ff: int, dropout: float = 0.0, activation: str = "gelu", bias: bool = True
    ):
        super().__init__()
        if activation not in ACTIVATIONS:
            raise ValueError(f"不认识的激活函数 {activation!r}，可用的有 {'、'.join(ACTIVATIONS)}。")
        self.linear1 = nn.Linear(d_model, d_ff, bias=bias)
        self.linear2 = nn.Linear(d_ff, d_model, bias=bias)
        self.activation = ACTIVATIONS[activation]
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        """x (..., D) → (..., D)；每个位置各算各的，用同一组参数。"""
        return self.linear2(self.dropout(self.activation(self.linear1(x))))


class Residual(nn.Module):
    """带残差连接的层：每个子层的输出都加回主干；层归一化放在哪里，由 norm_first 决定。

    post-norm（False）：x ← LN(x + 子层(x))；pre-norm（True）：x ← x + 子层(LN(x))。
    出处：Vaswani et al., 2017, §3.1（post-norm）；Xiong et al., 2020（两种次序的比较）。
    """

    norm_first: bool

    def before(self, norm: nn.LayerNorm, x: Tensor) -> Tensor:
        """进子层之前：pre-norm 在这里归一化。"""
        return norm(x) if self.norm_first else x

    def after(self, norm: nn.LayerNorm, x: Tensor) -> Tensor:
        """加上残差之后：post-norm 在这里归一化。"""
        return x if self.norm_first else norm(x)


def sinusoidal_encoding(max_len: int, d_model: int) -> Tensor:
    """正弦位置编码：PE[pos, 2i] = sin(pos / 10000^(2i/D))，PE[pos, 2i+1] = cos(pos / 10000^(2i/D))。

    奇偶之分在特征维上，不在位置上：每个位置都同时有正弦与余弦。
    参数：max_len，位置数；d_model，D，须为偶数。返回：(max_len, D)，torch 的默认类型，值在 -1 与 1 之间。
    错误：D 是奇数时抛出 `ValueError`。
    出处：Vaswani et al., 2017, §3.5。
    """
    if d_model % 2:
        raise ValueError(f"d_model={d_model} 是奇数，正弦与余弦没法成对。")
    dtype = torch.promote_types(torch.get_default_dtype(), torch.float32)  # 半精度里，相邻的大位置是同一个数
    position = torch.arange(max_len, dtype=dtype)[:, None]
    frequency = 10000 ** (-torch.arange(0, d_model, 2, dtype=dtype) / d_model)
    angle = position * frequency  # (max_len, D/2)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1).to(torch.get_default_dtype())


class SinusoidalPositionalEncoding(nn.Module):
    """把正弦位置编码加到词元嵌入上；没有可训练的参数。

    参数：max_len，最多的位置数；d_model，D。
    错误：序列比 max_len 长时抛出 `ValueError`。
    出处：Vaswani et al., 2017, §3.5。
    """

    def __init__(self, max_len: int, d_model: int):
        super().__init__()
        # 登记为 buffer 才会随 .to(device) 搬家；它能重算，所以不必存进 state_dict。
        self.register_buffer("encoding", sinusoidal_encoding(max_len, d_model), persistent=False)

    def forward(self, x: Tensor, past: int = 0) -> Tensor:
        """x (B, N, D) → (B, N, D)；past 是 x 之前已有的位置数，逐个生成词元时要用。"""
        end = past + x.size(1)
        check_length(end, self.encoding.size(0))
        return x + self.encoding[past:end].to(x.dtype)
