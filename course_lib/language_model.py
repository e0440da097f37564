"""只有解码器的语言模型：GPT 与 Llama 是同一个骨架，换的是归一化、位置、前馈网络与键值的头数。

先是四个函数，每个就是论文里的一个式子；后面的模块只是给它们装上参数。
形状字母：B 批大小，N 新位置数，M 已看到的位置数（缓存里的加上新的），D 模型宽度，h 查询头数，
g 几个查询头共用一个键值头，d 每个头的宽度（多半是 D/h），F 前馈网络的中间宽度，V 词表大小。
"""

import os
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .attention import Cache, causal_mask, fused_attention, needed_padding_mask, scaled_dot_product_attention
from .checks import (
    check_attention,
    check_caches,
    check_float_type,
    check_groups,
    check_ids,
    check_length,
    check_pairs,
)
from .config import LanguageModelConfig
from .layers import FeedForward
from .precision import widen
from .weights import llm_source, open_llama


def rms_norm(x: Tensor, gamma: Tensor, eps: float = 1e-5) -> Tensor:
    """均方根归一化：x / √(mean(x²) + ε) · γ；与层归一化相比，不减均值，没有 β。

    参数：x (..., D)，gamma (D,)，eps 加在根号里面。返回：与 x 同形、同类型。
    模型里用的是 `nn.RMSNorm`，它把同一个式子合成一个算子，参数名为 weight。
    出处：Zhang & Sennrich, 2019, §3。
    """
    wide = widen(x)
    return (wide / torch.sqrt(wide.square().mean(dim=-1, keepdim=True) + eps) * gamma).to(x.dtype)


def rotary(x: Tensor, positions: Tensor, theta: float = 10_000.0) -> Tensor:
    """旋转位置编码：位置 p 上，第 i 对特征 (x_2i, x_2i+1) 转过角度 p · θ^(-2i/d)。

    配对：相邻的两个特征成一对，与论文、GGUF 文件相同；
    Hugging Face 的 Llama 把前半与后半配成对，所以装它的权重时要把 W^Q、W^K 的行重排。
    参数：x (..., N, d)，d 为偶数；positions 可广播到 (..., N)，单位是词元；theta，底数。返回：与 x 同形，每一对的长度不变。
    错误：d 是奇数时抛出 `ValueError`。
    出处：Su et al., 2021, §3.2.2。
    """
    return rotate(x, rotations(positions, x.size(-1), theta))


def rotations(positions: Tensor, d_head: int, theta: float) -> Tensor:
    """各个位置的旋转，写成长度为 1 的复数：positions (..., N) → (..., N, d/2)；各层相同，算一次就够。"""
    check_pairs(d_head)
    steps = torch.arange(0, d_head, 2, dtype=torch.float32, device=positions.device)
    angles = positions[..., None] * theta ** (-steps / d_head)
    return torch.polar(torch.ones_like(angles), angles)


def rotate(x: Tensor, turns: Tensor) -> Tensor:
    """x (..., N, d) 的每一对当作一个复数，乘上 turns (..., N, d/2)：乘一个长度为 1 的复数就是转过它的角度。"""
    pairs = torch.view_as_complex(widen(x).unflatten(-1, (-1, 2)))  # 复数没有半精度可用
    return torch.view_as_real(pairs * turns).flatten(-2).to(x.dtype)


def grouped_query_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor | None = None,
    need_weights: bool = True,
    is_causal: bool = False,
) -> tuple[Tensor, Tensor | None]:
    """分组查询注意力：h 个查询头分成几组，一组 g 个头共用一个键值头，缓存因此只有原来的 1/g。

    参数：query (..., h, N, d)，key、value (..., h/g, M, d)；mask 可广播到 (..., 1, N, M)，各头相同，True = 可以注意；
    is_causal=True 时，N 个查询是 M 个位置的最后 N 个，各自又看不到自己后面的。
    返回：output (..., h, N, d)，weights (..., h, N, M)；need_weights=False 时改走融合算子，第二项为 None。
    错误：h 不能被键值的头数整除时抛出 `ValueError`；其余见 `scaled_dot_product_attention`。
    出处：Ainslie et al., 2023, §2.2；一组就是全部时是 Shazeer, 2019 的 multi-query attention。
    """
    group = check_groups(query.size(-3), key.size(-3))
    check_attention(*(x[..., :1, :, :] for x in (query, key, value)), mask)  # 各头的形状相同，查一个就够
    n, total = query.size(-2), key.size(-2)
    is_causal &= n > 1  # 只有一个查询，就是最新的位置，后面没有别的
    if is_causal and (need_weights or mask is not None or n < total):
        causal = causal_mask(n, query.device, total - n)
        mask, is_causal = causal if mask is None else causal & mask, False
    if not need_weights:  # 融合算子自己会挡后面的，不必造掩码；也会让一组头共用键值，不必抄
        return fused_attention(query, key, value, mask, is_causal=is_causal, enable_gqa=True), None
    key, value = (x.repeat_interleave(group, dim=-3) for x in (key, value))
    return scaled_dot_product_attention(query, key, value, mask)


def swiglu(gate: Tensor, up: Tensor) -> Tensor:
    """SwiGLU 的中间层：SiLU(gate) ⊙ up，一半当门，决定另一半过多少；SiLU(z) = z · σ(z)。

    参数：gate、up (..., F)，同一个输入的两个线性映射。返回：(..., F)。
    出处：Shazeer, 2020, §2。
    """
    return F.silu(gate) * up


class LanguageModelOutput(NamedTuple):
    """语言模型的输出。

    logits：(B, N, V)，第 n 个位置预测第 n + 1 个词元。
    hidden_states：num_layers + 1 个 (B, N, D)，第 0 个是嵌入，第 l 个是第 l 层的输出；没要就是 None。
    最后一个也没有经过末尾的归一化，每一个都可以用 `model.head(model.norm(x))` 读出分数；
    Hugging Face 的最后一个却是归一化之后的。
    attentions：num_layers 个 (B, h, N, M) 的注意力权重；没要就是 None。
    """

    logits: Tensor
    hidden_states: tuple[Tensor, ...] | None = None
    attentions: tuple[Tensor, ...] | None = None


class GroupedQueryAttention(nn.Module):
    """多头因果注意力，键与值可以比查询少几个头；头数相同时就是普通的多头注意力。

    参数：config，`LanguageModelConfig`。出处：Ainslie et al., 2023；qk_norm 是 Dehghani et al., 2023, §2。
    """

    def __init__(self, config: LanguageModelConfig):
        super().__init__()
        self.d_head = config.d_head
        width, kv_width = config.num_heads * self.d_head, config.num_kv_heads * self.d_head
        bias = config.bias or config.qkv_bias
        self.q_proj = nn.Linear(config.d_model, width, bias=bias)
        self.k_proj = nn.Linear(config.d_model, kv_width, bias=bias)
        self.v_proj = nn.Linear(config.d_model, kv_width, bias=bias)
        self.out_proj = nn.Linear(width, config.d_model, bias=config.bias)
        self.q_norm, self.k_norm = self._head_norm(config), self._head_norm(config)

    def forward(
        self,
        x: Tensor,
        turns: Tensor | None = None,
        mask: Tensor | None = None,
        need_weights: bool = False,
        cache: Cache | None = None,
    ) -> tuple[Tensor, Tensor | None]:
        """x (B, N, D)；turns，`rotations` 给的旋转，没有就不转；mask 挡住填充，可广播到 (B, 1, N, M)；后面的总是挡住。

        给了 cache，就把这 N 个位置接在已有的后面，M 是接好之后的个数。
        返回：(B, N, D)；need_weights=True 时还有 (B, h, N, M) 的权重，否则为 None。
        """
        query, key, value = self._remember(x, turns, cache)
        output, weights = grouped_query_attention(query, key, value, mask, need_weights, True)
        return self.out_proj(output.transpose(1, 2).flatten(-2)), weights

    def _project(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """新位置的查询 (B, h, N, d)，键与值 (B, h/g, N, d)。"""
        query, key, value = (
            proj(x).unflatten(-1, (-1, self.d_head)).transpose(1, 2)
            for proj in (self.q_proj, self.k_proj, self.v_proj)
        )
        return self.q_norm(query), self.k_norm(key), value

    @staticmethod
    def _head_norm(config: LanguageModelConfig) -> nn.Module:
        return nn.RMSNorm(config.d_head, eps=config.norm_eps) if config.qk_norm else nn.Identity()

    def _remember(
        self, x: Tensor, turns: Tensor | None, cache: Cache | None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """新位置转过的查询，与接在缓存后面的全部的键 (B, h/g, M, d)、值。"""
        query, key, value = self._project(x)
        if turns is not None:
            query, key = rotate(query, turns), rotate(key, turns)
        cache = Cache() if cache is None else cache
        cache.grow(key, value)  # 存的是转过的键，以后不必再转
        return query, cache.keys, cache.values


class SwiGLU(nn.Module):
    """带门的前馈网络：W_down(SiLU(W_gate x) ⊙ W_up x)，三个矩阵，所以 F 通常取得比 4D 小。

    参数：d_model，D；d_ff，F；bias，有无偏置。出处：Shazeer, 2020, §2。
    """

    def __init__(self, d_model: int, d_ff: int, bias: bool = False):
        super().__init__()
        self.gate_proj = nn.Linear(d_model, d_ff, bias=bias)
        self.up_proj = nn.Linear(d_model, d_ff, bias=bias)
        self.down_proj = nn.Linear(d_ff, d_model, bias=bias)

    def forward(self, x: Tensor) -> Tensor:
        """x (..., D) → (..., D)；每个位置各算各的。"""
        return self.down_proj(swiglu(self.gate_proj(x), self.up_proj(x)))


class LanguageModelLayer(nn.Module):
    """一层，pre-norm：x ← x + 注意力(norm1(x))，x ← x + 前馈(norm2(x))。

    参数：config，`LanguageModelConfig`。出处：Radford et al., 2019, §2.3；Touvron et al., 2023, §2.2。
    """

    def __init__(self, config: LanguageModelConfig):
        super().__init__()
        self.norm1, self.norm2 = _norm(config), _norm(config)
        self.self_attn = GroupedQueryAttention(config)
        ffn = SwiGLU if config.ffn == "swiglu" else FeedForward
        self.ffn = ffn(config.d_model, config.d_ff, bias=config.bias)

    def forward(self, x: Tensor, *attention) -> tuple[Tensor, Tensor | None]:
        """x (B, N, D)；其余与返回见 `GroupedQueryAttention.forward`。"""
        attended, weights = self.self_attn(self.norm1(x), *attention)
        x = x + attended
        return x + self.ffn(self.norm2(x)), weights


def _norm(config: LanguageModelConfig) -> nn.Module:
    if config.norm == "rms":
        return nn.RMSNorm(config.d_model, eps=config.norm_eps)
    return nn.LayerNorm(config.d_model, eps=config.norm_eps, bias=config.bias)


class LanguageModel(nn.Module):
    """由前面的词元猜下一个：嵌入、若干层、末尾的归一化，再与词表里的每个词元比一比。

    矩阵的初值取标准差 0.02 的正态分布，偏置取 0，与 GPT-2 相同。
    参数：config，`LanguageModelConfig`。
    出处：Radford et al., 2019, §2.3（GPT-2）；Touvron et al., 2023, §2.2（Llama）。
    """

    def __init__(self, config: LanguageModelConfig):
        super().__init__()
        self.config = config
        self.tokens = nn.Embedding(config.vocab_size, config.d_model)
        learned = config.positions == "learned"
        self.positions = nn.Embedding(config.max_len, config.d_model) if learned else None
        self.layers = nn.ModuleList(LanguageModelLayer(config) for _ in range(config.num_layers))
        self.norm = _norm(config)
        self.output = None if config.tied else nn.Linear(config.d_model, config.vocab_size, bias=False)
        for name, p in self.named_parameters():
            if p.dim() == 2:
                nn.init.normal_(p, std=0.02)
            elif name.endswith("bias"):
                nn.init.zeros_(p)

    @classmethod
    def from_pretrained(
        cls, name: str | os.PathLike | None = None, dtype: torch.dtype = torch.float32
    ) -> "LanguageModel":
        """装入真实权重，并处于 eval 状态。

        参数：name，GGUF 文件、Llama 或 Qwen 的文件夹，或 hub 上的名字；不给就用环境变量 COURSE_LLM，再没有就用内置模型；
        dtype，权重的类型，`torch.bfloat16` 占的内存是一半，CPU 上多半慢些。
        错误：模型取不到、文件残缺或权重对不上时抛出 `PretrainedError`；dtype 不是浮点数的类型时抛出 `ValueError`。
        """
        check_float_type(dtype)
        return open_llama(llm_source(name)).build(lambda config: cls(config).to(dtype))

    def new_cache(self) -> list[Cache]:
        """每层一个空的缓存。"""
        return [Cache() for _ in self.layers]

    def head(self, hidden: Tensor) -> Tensor:
        """归一化之后的 (..., D) → 对词表的分数 (..., V)；tied 时矩阵就是词元的嵌入。"""
        return F.linear(hidden, (self.output or self.tokens).weight)

    def forward(
        self,
        ids: Tensor,
        attention_mask: Tensor | None = None,
        cache: list[Cache] | None = None,
        output_hidden_states: bool = False,
        need_weights: bool = False,
        last_only: bool = False,
    ) -> LanguageModelOutput:
        """ids (B, N) → `LanguageModelOutput`；给了 cache（`new_cache()` 给的一列），ids 就接在它记得的位置后面。

        attention_mask (B, M)，1 = 真实词元，0 = 填充，算上缓存里已有的；填充在左在右都可以，位置只数真实词元。
        last_only=True 时 logits 只有最后一个位置，(B, 1, V)：生成时用不着前面的，V 又很大。
        错误：形状不对、编号不在词表里、连同缓存里的超过 max_len 时抛出 `ValueError`；编号不是整数时抛出 `TypeError`。
        """
        check_caches(cache, len(self.layers), Cache)
        x, turns, mask = self._embed(ids, attention_mask, len(cache[0]) if cache else 0)
        hidden_states, attentions = [x], []
        for layer, layer_cache in zip(self.layers, cache or [None] * len(self.layers), strict=True):
            x, weights = layer(x, turns, mask, need_weights, layer_cache)
            if output_hidden_states:
                hidden_states.append(x)
            attentions.append(weights)
        return LanguageModelOutput(
            self.head(self.norm(x[:, -1:] if last_only else x)),
            tuple(hidden_states) if output_hidden_states else None,
            tuple(attentions) if need_weights else None,
        )

    def _embed(
        self, ids: Tensor, attention_mask: Tensor | None, past: int
    ) -> tuple[Tensor, Tensor | None, Tensor | None]:
        """新位置的向量 (B, N, D)，它们要转的角度（学来的位置已经加进向量，就没有），填充掩码（没有填充就没有）。"""
        total = past + ids.size(-1)
        check_ids(ids, self.tokens)
        check_length(total, self.config.max_len)
        mask = needed_padding_mask(attention_mask, (len(ids), total), "cache + ids" if past else "ids")
        positions = torch.arange(past, total, device=ids.device)
        if mask is not None:  # 填充不算位置
            positions = (attention_mask.long().cumsum(dim=-1) - 1).clamp(min=0)[:, past:]
        x = self.tokens(ids)
        if self.positions is not None:
            return x + self.positions(positions), None, mask
        turns = rotations(positions.unsqueeze(-2), self.config.d_head, self.config.rope_theta)
        return x, turns, mask  # turns 给各个头广播
