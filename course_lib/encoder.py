"""编码器：自注意力与前馈网络各带残差连接和层归一化，再叠若干层。

文本、图像块与粒子用的是同一个类：norm_first=False 是 BERT 的次序（post-norm），True 是 ViT 的次序（pre-norm）。
"""

from typing import NamedTuple

from torch import Tensor, nn

from .attention import MultiHeadAttention
from .layers import FeedForward, Residual


class EncoderOutput(NamedTuple):
    """编码器的输出，字段名与 Hugging Face 相同。

    last_hidden_state：(B, N, D)，每个词元一个向量。
    hidden_states：num_layers + 1 个 (B, N, D)，第 0 个是输入，第 l 个是第 l 层的输出；没要就是 None。
    attentions：num_layers 个 (B, h, N, N) 的注意力权重；没要就是 None。
    """

    last_hidden_state: Tensor
    hidden_states: tuple[Tensor, ...] | None = None
    attentions: tuple[Tensor, ...] | None = None


class EncoderLayer(Residual):
    """一个编码器层：两个子层（自注意力、前馈网络），每个都有残差连接和层归一化。

    参数：d_model，D；num_heads，h；d_ff，F；dropout，残差相加之前以及子层内部的丢弃概率；
    activation，"gelu" 或 "relu"；norm_first，归一化在子层之前还是之后；layer_norm_eps，根号里的 ε。
    出处：Vaswani et al., 2017, §3.1（post-norm）；Xiong et al., 2020（两种次序的比较）。
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        d_ff: int,
        dropout: float = 0.1,
        activation: str = "gelu",
        norm_first: bool = False,
        layer_norm_eps: float = 1e-5,
    ):
        super().__init__()
        self.norm_first = norm_first
        self.self_attn = MultiHeadAttention(d_model, num_heads, dropout)
        self.ffn = FeedForward(d_model, d_ff, dropout, activation)
        self.norm1, self.norm2 = (nn.LayerNorm(d_model, eps=layer_norm_eps) for _ in range(2))
        self.dropout = nn.Dropout(dropout)

    def forward(
        self, x: Tensor, mask: Tensor | None = None, need_weights: bool = False
    ) -> tuple[Tensor, Tensor | None]:
        """x (B, N, D)；mask 可广播到 (B, h, N, N)，True = 可以注意。

        返回：(B, N, D)；need_weights=True 时还有 (B, h, N, N) 的权重，否则为 None。
        """
        y = self.before(self.norm1, x)
        y, weights = self.self_attn(y, mask=mask, need_weights=need_weights)
        x = self.after(self.norm1, x + self.dropout(y))
        y = self.ffn(self.before(self.norm2, x))
        return self.after(self.norm2, x + self.dropout(y)), weights


class Encoder(nn.Module):
    """把 num_layers 个编码器层叠起来；pre-norm 时末尾再加一次层归一化。

    pre-norm 的主干从不被归一化，各层输出一路相加，所以最后必须补一次；post-norm 不需要。

    参数：num_layers，层数；其余与 `EncoderLayer` 相同，按名字给。
    出处：Vaswani et al., 2017, §3.1；Xiong et al., 2020, §3。
    """

    def __init__(self, num_layers: int, d_model: int, **layer_options):
        super().__init__()
        self.layers = nn.ModuleList(EncoderLayer(d_model, **layer_options) for _ in range(num_layers))
        first = self.layers[0]
        self.norm = nn.LayerNorm(d_model, eps=first.norm1.eps) if first.norm_first else nn.Identity()

    def forward(
        self,
        x: Tensor,
        mask: Tensor | None = None,
        output_hidden_states: bool = False,
        need_weights: bool = False,
    ) -> EncoderOutput:
        """x (B, N, D)；mask 可广播到 (B, h, N, N)，True = 可以注意。返回 `EncoderOutput`。"""
        hidden_states, attentions = [x], []
        for layer in self.layers:
            x, weights = layer(x, mask, need_weights)
            if output_hidden_states:  # 没要就不留：算完一层，上一层的内存就能再用
                hidden_states.append(x)
            attentions.append(weights)
        return EncoderOutput(
            self.norm(x),
            tuple(hidden_states) if output_hidden_states else None,
            tuple(attentions) if need_weights else None,
        )
