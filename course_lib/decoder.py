"""解码器：带因果掩码的自注意力、交叉注意力、前馈网络，以及逐个生成词元时用的缓存。

形状字母：B 批大小，N 目标的位置数，M 来源（编码器一侧）的位置数，D 模型宽度，h 头数，d 头宽。
"""

from typing import NamedTuple

import torch
from torch import Tensor, nn

from .attention import MultiHeadAttention
from .layers import FeedForward


class DecoderOutput(NamedTuple):
    """解码器的输出。

    last_hidden_state：(B, N, D)。
    attentions：num_layers 个 (B, h, N, N) 的自注意力权重；没要就是 None。
    cross_attentions：num_layers 个 (B, h, N, M) 的交叉注意力权重；没要就是 None。
    """

    last_hidden_state: Tensor
    attentions: tuple[Tensor, ...] | None = None
    cross_attentions: tuple[Tensor, ...] | None = None


class LayerCache:
    """一个解码器层已经算过的键与值：自注意力的逐步变长，交叉注意力的只算一次，没有交叉注意力的就一直是 None。

    own：自注意力的键与值，各 (B, h, 已有的位置数, d)；memory：交叉注意力的键与值，各 (B, h, M, d)；还没有就是 None。
    """

    def __init__(self):
        self.own: tuple[Tensor, Tensor] | None = None
        self.memory: tuple[Tensor, Tensor] | None = None

    def __len__(self) -> int:
        """已有几个位置。"""
        return 0 if self.own is None else self.own[0].size(2)

    def grow(self, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
        """接上新位置的键与值，返回全部。"""
        if self.own is not None:
            keys, values = (torch.cat(pair, dim=2) for pair in zip(self.own, (keys, values), strict=True))
        self.own = keys, values
        return self.own

    def select(self, rows: Tensor) -> None:
        """按 rows（整数，一维）重排批里的各行：束搜索留下哪几条，缓存就跟着留下哪几条。"""
        self.own, self.memory = (
            pair and tuple(part[rows] for part in pair) for pair in (self.own, self.memory)
        )


class DecoderLayer(nn.Module):
    """一个解码器层：三个子层（自注意力、交叉注意力、前馈网络），每个都有残差连接和层归一化。

    交叉注意力的查询来自解码器自己，键与值来自编码器的输出 memory。
    post-norm（norm_first=False）：x ← LN(x + 子层(x))；pre-norm（norm_first=True）：x ← x + 子层(LN(x))。

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
        self.norm1 = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.norm2 = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.norm3 = nn.LayerNorm(d_model, eps=layer_norm_eps)
        self.dropout = nn.Dropout(dropout)

    def forward(
        self,
        x: Tensor,
        memory: Tensor,
        mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        need_weights: bool = False,
        cache: LayerCache | None = None,
    ) -> tuple[Tensor, Tensor | None, Tensor | None]:
        """x (B, N, D)，memory (B, M, D)。

        mask 可广播到 (B, h, N, N)，memory_mask 可广播到 (B, h, N, M)，True = 可以注意。
        给了 cache，x 就只是接在后面的新位置，mask 的列数要算上缓存里已有的位置。
        返回：(B, N, D)；need_weights=True 时还有自注意力与交叉注意力的权重，否则为 None。
        错误：x 与 memory 的批大小不同时抛出 `ValueError`；其余见 `MultiHeadAttention.forward`。
        """
        if len(x) != len(memory):  # memory 只有一份时能广播，大家就都去读同一个来源，不报错
            raise ValueError(
                f"x {tuple(x.shape)} 与 memory {tuple(memory.shape)} 的批大小不同，每个目标应当有自己的来源。"
            )

        def attend_self(y):
            if cache is None:
                return self.self_attn(y, mask=mask, need_weights=need_weights)
            keys, values = cache.grow(*self.self_attn.keys_values(y))
            return self.self_attn.attend(y, keys, values, mask, need_weights)

        def attend_memory(y):
            if cache is None:
                return self.cross_attn(y, memory, mask=memory_mask, need_weights=need_weights)
            if cache.memory is None:  # 来源不变，键与值算一次就够
                cache.memory = self.cross_attn.keys_values(memory)
            return self.cross_attn.attend(y, *cache.memory, memory_mask, need_weights)

        x, own = self._add_and_norm(x, attend_self, self.norm1)
        x, cross = self._add_and_norm(x, attend_memory, self.norm2)
        x, _ = self._add_and_norm(x, lambda y: (self.ffn(y), None), self.norm3)
        return x, own, cross

    def _add_and_norm(self, x: Tensor, sublayer, norm: nn.LayerNorm) -> tuple[Tensor, Tensor | None]:
        if self.norm_first:
            y, weights = sublayer(norm(x))
            return x + self.dropout(y), weights
        y, weights = sublayer(x)
        return norm(x + self.dropout(y)), weights


class Decoder(nn.Module):
    """把 num_layers 个解码器层叠起来，每一层都去看同一份 memory；pre-norm 时末尾再加一次层归一化。

    参数：num_layers，层数；其余与 `DecoderLayer` 相同，按名字给。
    出处：Vaswani et al., 2017, §3.1。
    """

    def __init__(
        self,
        num_layers: int,
        d_model: int,
        *,
        norm_first: bool = False,
        layer_norm_eps: float = 1e-5,
        **layer_options,
    ):
        super().__init__()
        layer_options |= {"norm_first": norm_first, "layer_norm_eps": layer_norm_eps}
        self.layers = nn.ModuleList(DecoderLayer(d_model, **layer_options) for _ in range(num_layers))
        self.norm = nn.LayerNorm(d_model, eps=layer_norm_eps) if norm_first else nn.Identity()

    def new_cache(self) -> list[LayerCache]:
        """每层一个空的缓存。"""
        return [LayerCache() for _ in self.layers]

    def forward(
        self,
        x: Tensor,
        memory: Tensor,
        mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        need_weights: bool = False,
        cache: list[LayerCache] | None = None,
    ) -> DecoderOutput:
        """参数与 `DecoderLayer.forward` 相同，cache 是 `new_cache()` 给的一列；返回 `DecoderOutput`。"""
        own, cross = [], []
        for layer, layer_cache in zip(self.layers, cache or [None] * len(self.layers), strict=True):
            x, own_weights, cross_weights = layer(x, memory, mask, memory_mask, need_weights, layer_cache)
            own.append(own_weights)
            cross.append(cross_weights)
        weights = (tuple(own), tuple(cross)) if need_weights else (None, None)
        return DecoderOutput(self.norm(x), *weights)
