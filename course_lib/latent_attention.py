"""多头潜在注意力：缓存里不存各个头的键与值，只存一个短向量，要用时再展开，或者干脆不展开。

形状字母：B 批大小，N 新位置数，M 已看到的位置数，h 头数，d 每个头不转的宽度，r 转的那一份的宽度，
c 潜在向量的宽度，v 每个头的值的宽度，D 模型宽度。
"""

import torch
from torch import Tensor, nn

from .attention import Cache, causal_mask, scaled_dot_product_attention
from .checks import check_latent
from .config import LanguageModelConfig
from .language_model import rotate


def expanded_latent_attention(
    query: Tensor,
    query_turned: Tensor,
    latent: Tensor,
    key_turned: Tensor,
    to_key: Tensor,
    to_value: Tensor,
    mask: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """先把潜在向量展开成各个头的键与值，再照常做注意力。

    参数：query (B, h, N, d)，query_turned (B, h, N, r)，已经转过；latent (B, M, c)；key_turned (B, M, r)，各头合用，已经转过；
    to_key (h, d, c)、to_value (h, v, c)，每个头的展开矩阵；mask 可广播到 (B, h, N, M)，True = 可以注意。
    返回：output (B, h, N, v)，weights (B, h, N, M)；分数除以 √(d + r)。
    错误：宽度对不上时抛出 `ValueError`。出处：DeepSeek-AI, 2024（V2）, §2.1。
    """
    check_latent(query, latent, to_key, to_value)
    key = latent.unsqueeze(1) @ to_key.mT  # (B, h, M, d)
    value = latent.unsqueeze(1) @ to_value.mT  # (B, h, M, v)
    turned = key_turned.unsqueeze(1).expand(-1, key.size(1), -1, -1)
    query, key = torch.cat([query, query_turned], dim=-1), torch.cat([key, turned], dim=-1)
    return scaled_dot_product_attention(query, key, value, mask)


def absorbed_latent_attention(
    query: Tensor,
    query_turned: Tensor,
    latent: Tensor,
    key_turned: Tensor,
    to_key: Tensor,
    to_value: Tensor,
    mask: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """不展开：展开键的矩阵乘到查询上，展开值的矩阵留到最后，注意力直接在潜在向量上做。

    q·(W c) = (Wᵀ q)·c，Σ aⱼ (W cⱼ) = W Σ aⱼ cⱼ，所以与 `expanded_latent_attention` 相等；参数与返回也相同。
    """
    check_latent(query, latent, to_key, to_value)
    narrow = query.size(-1) + query_turned.size(-1)
    query = torch.cat([query @ to_key, query_turned], dim=-1)  # (B, h, N, c + r)
    key = torch.cat([latent, key_turned], dim=-1).unsqueeze(1)  # (B, 1, M, c + r)，各头合用
    query = query * (query.size(-1) / narrow) ** 0.5  # 要除以的是 √(d + r)
    average, weights = scaled_dot_product_attention(query, key, latent.unsqueeze(1), mask)
    return average @ to_value.mT, weights


class LatentAttention(nn.Module):
    """因果的多头潜在注意力，可以换进语言模型的一层：`layer.self_attn = LatentAttention(config, d_latent)`。

    参数：config，`LanguageModelConfig`，各头不转的一份、转的一份、值，都是 D/h 宽；d_latent，c；absorbed，不展开来算。
    """

    def __init__(self, config: LanguageModelConfig, d_latent: int, absorbed: bool = False):
        super().__init__()
        self.h, self.d, self.absorbed = config.num_heads, config.d_model // config.num_heads, absorbed
        self.q_proj = nn.Linear(config.d_model, 2 * config.d_model, bias=False)
        self.down_proj = nn.Linear(config.d_model, d_latent + self.d, bias=False)
        self.norm = nn.RMSNorm(d_latent, eps=config.norm_eps)
        self.up_proj = nn.Linear(d_latent, 2 * config.d_model, bias=False)
        self.out_proj = nn.Linear(config.d_model, config.d_model, bias=False)

    def forward(
        self,
        x: Tensor,
        turns: Tensor | None = None,
        mask: Tensor | None = None,
        need_weights: bool = False,
        cache: Cache | None = None,
    ) -> tuple[Tensor, Tensor | None]:
        """参数与返回见 `GroupedQueryAttention.forward`；cache 里的 keys 是潜在向量，values 是转过的键，各只有一个头。"""
        query, query_turned = self.q_proj(x).unflatten(-1, (self.h, -1)).transpose(1, 2).chunk(2, dim=-1)
        latent, key_turned = self.down_proj(x).split([self.norm.weight.numel(), self.d], dim=-1)
        latent, key_turned = self.norm(latent).unsqueeze(1), key_turned.unsqueeze(1)
        if turns is not None:
            query_turned, key_turned = rotate(query_turned, turns), rotate(key_turned, turns)
        cache = Cache() if cache is None else cache
        cache.grow(latent, key_turned)
        total = len(cache)
        causal = causal_mask(x.size(1), x.device, total - x.size(1))
        to_key, to_value = self.up_proj.weight.unflatten(0, (self.h, -1)).chunk(2, dim=1)
        attend = absorbed_latent_attention if self.absorbed else expanded_latent_attention
        parts = (query, query_turned, cache.keys[:, 0], cache.values[:, 0], to_key, to_value)
        output, weights = attend(*parts, causal if mask is None else causal & mask)
        return self.out_proj(output.transpose(1, 2).flatten(-2)), weights if need_weights else None
