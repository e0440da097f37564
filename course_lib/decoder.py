"""解码器：带因果掩码的自注意力、交叉注意力、前馈网络，以及逐个生成词元时用的缓存。

形状字母：B 批大小，N 目标的位置数，M 来源（编码器一侧）的位置数，D 模型宽度，h 头数，d 头宽。
"""

from typing import NamedTuple

from torch import Tensor, nn

from .attention import Cache, MultiHeadAttention
from .checks import check_caches
from .layers import FeedForward, Residual


class DecoderOutput(NamedTuple):
    """解码器的输出。

    last_hidden_state：(B, N, D)。
    attentions：num_layers 个 (B, h, N, N) 的自注意力权重；没要就是 None。
    cross_attentions：num_layers 个 (B, h, N, M) 的交叉注意力权重；没要就是 None。
    """

    last_hidden_state: Tensor
    attentions: tuple[Tensor, ...] | None = None
    cross_attentions: tuple[Tensor, ...] | None = None


class DecoderLayer(Residual):
    """一个解码器层：三个子层（自注意力、交叉注意力、前馈网络），每个都有残差连接和层归一化。

    交叉注意力的查询来自解码器自己，键与值来自编码器的输出 memory。
    参数：与 `EncoderLayer` 相同。
    出处：Vaswani et al., 2017, §3.1。
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        d_ff: int,
        dropout: float = 0.1,
        activation: str = "relu",
        norm_first: bool = False,
        layer_norm_eps: float = 1e-5,
    ):
        super().__init__()
        self.norm_first = norm_first
        self.self_attn = MultiHeadAttention(d_model, num_heads, dropout)
        self.cross_attn = MultiHeadAttention(d_model, num_heads, dropout)
        self.ffn = FeedForward(d_model, d_ff, dropout, activation)
        self.norm1, self.norm2, self.norm3 = (nn.LayerNorm(d_model, eps=layer_norm_eps) for _ in range(3))
        self.dropout = nn.Dropout(dropout)

    def forward(
        self,
        x: Tensor,
        memory: Tensor,
        mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        need_weights: bool = False,
        own_cache: Cache | None = None,
        memory_cache: Cache | None = None,
    ) -> tuple[Tensor, Tensor | None, Tensor | None]:
        """x (B, N, D)，memory (B, M, D)；mask 可广播到 (B, h, N, N)，memory_mask 到 (B, h, N, M)，True = 可以注意。

        给了自注意力的 own_cache，x 就只是接在后面的新位置，mask 的列数要算上已有的；
        memory_cache 是交叉注意力的，来源只投影一次。
        返回：(B, N, D)；need_weights=True 时还有自注意力与交叉注意力的权重，否则为 None。
        错误：见 `MultiHeadAttention.forward`。
        """
        y = self.before(self.norm1, x)
        y, own = self.self_attn(y, mask=mask, need_weights=need_weights, cache=own_cache)
        x = self.after(self.norm1, x + self.dropout(y))
        y = self.before(self.norm2, x)
        y, cross = self.cross_attn(y, memory, memory, memory_mask, need_weights, memory_cache)
        x = self.after(self.norm2, x + self.dropout(y))
        y = self.ffn(self.before(self.norm3, x))
        return self.after(self.norm3, x + self.dropout(y)), own, cross


class Decoder(nn.Module):
    """把 num_layers 个解码器层叠起来，每一层都去看同一份 memory；pre-norm 时末尾再加一次层归一化。

    参数：num_layers，层数；其余与 `DecoderLayer` 相同，按名字给。
    出处：Vaswani et al., 2017, §3.1。
    """

    def __init__(self, num_layers: int, d_model: int, **layer_options):
        super().__init__()
        self.layers = nn.ModuleList(DecoderLayer(d_model, **layer_options) for _ in range(num_layers))
        first = self.layers[0]
        self.norm = nn.LayerNorm(d_model, eps=first.norm1.eps) if first.norm_first else nn.Identity()

    def new_cache(self) -> list[tuple[Cache, Cache]]:
        """每层一对空的缓存：自注意力的，交叉注意力的。"""
        return [(Cache(), Cache()) for _ in self.layers]

    def forward(
        self,
        x: Tensor,
        memory: Tensor,
        mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        need_weights: bool = False,
        cache: list[tuple[Cache, Cache]] | None = None,
    ) -> DecoderOutput:
        """参数与 `DecoderLayer.forward` 相同，cache 是 `new_cache()` 给的一列；返回 `DecoderOutput`。"""
        check_caches(cache, len(self.layers), tuple)
        attentions = []
        for layer, pair in zip(self.layers, cache or [()] * len(self.layers), strict=True):
            x, *weights = layer(x, memory, mask, memory_mask, need_weights, *pair)
            attentions.append(weights)
        own, cross = zip(*attentions, strict=True) if need_weights else (None, None)
        return DecoderOutput(self.norm(x), own, cross)
