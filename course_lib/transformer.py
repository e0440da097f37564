"""编码器-解码器 Transformer：训练时一次看完整个目标，生成时一个词元一个词元地来。

形状字母：B 批大小，N 目标的位置数，M 来源的位置数，D 模型宽度，V 目标的词表大小。
"""

import math

from torch import Tensor, nn

from .attention import Cache, causal_mask, padding_mask
from .checks import check_caches, check_ids
from .config import TransformerConfig
from .decoder import Decoder, DecoderOutput
from .encoder import Encoder
from .layers import SinusoidalPositionalEncoding


class Transformer(nn.Module):
    """编码器读来源，解码器据此逐个写出目标。

    两边的嵌入各自乘 √D，再加正弦位置编码；输出层与目标嵌入共享矩阵。

    参数：config，`TransformerConfig`。
    出处：Vaswani et al., 2017, §3。
    """

    def __init__(self, config: TransformerConfig):
        super().__init__()
        self.config = config
        self.source_embedding = nn.Embedding(config.source_vocab, config.d_model, padding_idx=config.pad_id)
        self.target_embedding = nn.Embedding(config.target_vocab, config.d_model, padding_idx=config.pad_id)
        for table in (self.source_embedding, self.target_embedding):
            # torch 的初值标准差是 1；缩小之后再乘 √D，仍是 1，与位置编码大小相当。
            table.weight.data.mul_(config.d_model**-0.5)
        self.positions = SinusoidalPositionalEncoding(config.max_len, config.d_model)
        self.dropout = nn.Dropout(config.dropout)
        options = {"num_heads": config.num_heads, "d_ff": config.d_ff, "dropout": config.dropout}
        options |= {"activation": "relu", "norm_first": config.norm_first}
        self.encoder = Encoder(config.num_layers, config.d_model, **options)
        self.decoder = Decoder(config.num_layers, config.d_model, **options)

    def encode(self, source: Tensor) -> tuple[Tensor, Tensor]:
        """source (B, M)，填充用 pad_id → memory (B, M, D) 与 memory_mask (B, 1, 1, M)。"""
        x = self._embed(self.source_embedding, source)
        mask = padding_mask(source != self.config.pad_id)
        return self.encoder(x, mask).last_hidden_state, mask

    def decode(
        self,
        target: Tensor,
        memory: Tensor,
        memory_mask: Tensor | None = None,
        need_weights: bool = False,
        cache: list[tuple[Cache, Cache]] | None = None,
    ) -> DecoderOutput:
        """target (B, N)，以 bos_id 开头 → `DecoderOutput`；cache 由 `decoder.new_cache()` 给，给了它，target 就只是新的编号。"""
        check_caches(cache, len(self.decoder.layers), tuple)
        past = len(cache[0][0]) if cache else 0
        x = self._embed(self.target_embedding, target, past)
        mask = causal_mask(target.size(1), target.device, past)
        return self.decoder(x, memory, mask, memory_mask, need_weights, cache)

    def logits(self, hidden: Tensor) -> Tensor:
        """(B, N, D) → 每个位置对词表的分数 (B, N, V)；矩阵就是目标嵌入。"""
        return hidden @ self.target_embedding.weight.T

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        """source (B, M)，target (B, N) 以 bos_id 开头 → logits (B, N, V)，第 n 个位置预测第 n + 1 个词元。

        错误：形状不对、编号不在词表里、序列超过 max_len 时抛出 `ValueError`；编号不是整数时抛出 `TypeError`。
        """
        memory, memory_mask = self.encode(source)
        return self.logits(self.decode(target, memory, memory_mask).last_hidden_state)

    def _embed(self, table: nn.Embedding, ids: Tensor, past: int = 0) -> Tensor:
        check_ids(ids, table, "来源的编号" if table is self.source_embedding else "目标的编号")
        return self.dropout(self.positions(table(ids) * math.sqrt(self.config.d_model), past))
