"""只有解码器的语言模型：GPT 与 Llama 是同一个骨架，换的是归一化、位置、前馈网络与键值的头数。

先是四个函数，每个就是论文里的一个式子；后面的模块只是给它们装上参数。
形状字母：B 批大小，N 新位置数，M 已看到的位置数（缓存里的加上新的），D 模型宽度，h 查询头数，
g 几个查询头共用一个键值头，d = D/h 每个头的宽度，F 前馈网络的中间宽度，V 词表大小。
"""

import os
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .attention import causal_mask, padding_mask, scaled_dot_product_attention
from .config import LanguageModelConfig, check_groups, check_pairs
from .decoder import LayerCache
from .layers import FeedForward, check_ids
from .weights import llm_source, load_llama, open_llama


def rms_norm(x: Tensor, gamma: Tensor, eps: float = 1e-5) -> Tensor:
    """均方根归一化：x / √(mean(x²) + ε) · γ；与层归一化相比，不减均值，没有 β。

    参数：x (..., D)，gamma (D,)，eps 加在根号里面。返回：与 x 同形。
    模型里用的是 `nn.RMSNorm`，它把同一个式子合成一个算子，参数名为 weight。
    出处：Zhang & Sennrich, 2019, §3。
    """
    return x / torch.sqrt(x.square().mean(dim=-1, keepdim=True) + eps) * gamma


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
    wide = x.to(torch.promote_types(x.dtype, torch.float32))  # 复数没有半精度可用
    pairs = torch.view_as_complex(wide.unflatten(-1, (-1, 2)))
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

    共用的键不必抄 g 份：同一组的查询看的是同样的键，把 g 个头的查询首尾相接，就是一个头的 g·N 个查询。
    参数：query (..., h, N, d)，key、value (..., h/g, M, d)；mask 可广播到 (..., 1, N, M)，各头相同，True = 可以注意；
    is_causal=True 等于给 `causal_mask(N)`，融合算子却不必造出它来，后面的也不必算。
    返回：output (..., h, N, d)，weights (..., h, N, M)；need_weights=False 时改走融合算子，第二项为 None。
    错误：h 不能被键值的头数整除，掩码的形状不对，或 is_causal=True 时另给了 mask、N ≠ M，抛出 `ValueError`；其余见 `scaled_dot_product_attention`。
    出处：Ainslie et al., 2023, §2.2；一组就是全部时是 Shazeer, 2019 的 multi-query attention。
    """
    *batch, heads, n, _ = query.shape
    group = check_groups(heads, key.size(-3))
    if mask is not None:
        _check_mask(mask, (*batch, 1, n, key.size(-2)))
    if is_causal and (mask is not None or n != key.size(-2)):
        raise ValueError(
            f"is_causal=True 时不能另给 mask，查询与键要一样多，这里是 {n} 与 {key.size(-2)} 个。"
        )
    if not need_weights:  # 融合算子自己会让一组头共用键值，不必接
        output = F.scaled_dot_product_attention(query, key, value, mask, is_causal=is_causal, enable_gqa=True)
        return output, None
    if is_causal:
        mask = causal_mask(n, query.device)
    if mask is not None:  # 接在一起的 g 个头，各要一份掩码
        mask = mask[..., None, :, :].expand(*mask.shape[:-2], group, n, -1).flatten(-3, -2)
    folded = query.unflatten(-3, (-1, group)).flatten(-3, -2)  # (..., h/g, g·N, d)
    parts = scaled_dot_product_attention(folded, key, value, mask)
    output, weights = (part.unflatten(-2, (group, n)).flatten(-4, -3) for part in parts)
    return output, weights


def _check_mask(mask: Tensor, expected: tuple[int, ...]) -> None:
    if mask.dtype != torch.bool:
        raise TypeError(f"掩码应当是布尔张量（True = 可以注意），这里是 {mask.dtype}。")
    try:
        fits = torch.broadcast_shapes(mask.shape, expected) == expected
    except RuntimeError:
        fits = False
    if not fits:
        raise ValueError(f"掩码的形状 {tuple(mask.shape)} 不能广播到 {expected}，各个头用同一个掩码。")


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

    参数：config，`LanguageModelConfig`。出处：Ainslie et al., 2023。
    """

    def __init__(self, config: LanguageModelConfig):
        super().__init__()
        self.d_head = config.d_model // config.num_heads
        kv_width = config.num_kv_heads * self.d_head
        self.q_proj = nn.Linear(config.d_model, config.d_model, bias=config.bias)
        self.k_proj = nn.Linear(config.d_model, kv_width, bias=config.bias)
        self.v_proj = nn.Linear(config.d_model, kv_width, bias=config.bias)
        self.out_proj = nn.Linear(config.d_model, config.d_model, bias=config.bias)

    def forward(
        self,
        x: Tensor,
        turns: Tensor | None = None,
        mask: Tensor | None = None,
        need_weights: bool = False,
        cache: LayerCache | None = None,
    ) -> tuple[Tensor, Tensor | None]:
        """x (B, N, D)；turns，`rotations` 给的旋转，没有就不转；mask 可广播到 (B, 1, N, M)，没有就只挡后面的。

        返回：(B, N, D)；need_weights=True 时还有 (B, h, N, M) 的权重，否则为 None。
        """
        query, key, value = (
            proj(x).unflatten(-1, (-1, self.d_head)).transpose(1, 2)
            for proj in (self.q_proj, self.k_proj, self.v_proj)
        )
        if turns is not None:
            query, key = rotate(query, turns), rotate(key, turns)
        if cache is not None:
            key, value = cache.grow(key, value)  # 存的是转过的键，以后不必再转
        is_causal = mask is None and query.size(-2) > 1  # 只有最新的一个位置要算时，后面没有别的
        output, weights = grouped_query_attention(query, key, value, mask, need_weights, is_causal)
        return self.out_proj(output.transpose(1, 2).flatten(-2)), weights


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
        self.positions = (
            nn.Embedding(config.max_len, config.d_model) if config.positions == "learned" else None
        )
        self.layers = nn.ModuleList(LanguageModelLayer(config) for _ in range(config.num_layers))
        self.norm = _norm(config)
        self.output = None if config.tied else nn.Linear(config.d_model, config.vocab_size, bias=False)
        for name, p in self.named_parameters():
            if p.dim() == 2:
                nn.init.normal_(p, std=0.02)
            elif name.endswith("bias"):
                nn.init.zeros_(p)

    @classmethod
    def from_pretrained(cls, name: str | os.PathLike | None = None) -> "LanguageModel":
        """装入真实权重，fp32，并处于 eval 状态。

        参数：name，GGUF 文件、Llama 式模型的文件夹，或 hub 上的名字；不给就用环境变量 COURSE_LLM，再没有就用内置模型。
        错误：模型取不到、文件残缺或权重对不上时抛出 `PretrainedError`。
        """
        source = open_llama(llm_source(name))
        with torch.device("meta"):  # 先不占内存，也不取随机的初值：反正都要换成真的
            model = cls(source.config)
        model.to_empty(device="cpu")
        load_llama(model, source)
        return model.eval()

    def new_cache(self) -> list[LayerCache]:
        """每层一个空的缓存。"""
        return [LayerCache() for _ in self.layers]

    def head(self, hidden: Tensor) -> Tensor:
        """归一化之后的 (..., D) → 对词表的分数 (..., V)；tied 时矩阵就是词元的嵌入。"""
        return F.linear(hidden, (self.output or self.tokens).weight)

    def forward(
        self,
        ids: Tensor,
        attention_mask: Tensor | None = None,
        cache: list[LayerCache] | None = None,
        output_hidden_states: bool = False,
        need_weights: bool = False,
        last_only: bool = False,
    ) -> LanguageModelOutput:
        """ids、attention_mask (B, M)；attention_mask 中 1 = 真实词元，0 = 填充，填充在左在右都可以，位置只数真实词元。

        给了 cache（`new_cache()` 给的一列），ids 仍是从头到尾的全部，只算缓存里还没有的那 N 个位置，输出也只有它们。
        last_only=True 时 logits 只有最后一个位置，(B, 1, V)：生成时用不着前面的，V 又很大。
        错误：形状不对、编号不在词表里、序列超过 max_len、没有新的位置要算时抛出 `ValueError`；编号不是整数时抛出 `TypeError`。
        """
        past = len(cache[0]) if cache else 0
        self._check(ids, attention_mask, past)
        positions, mask = _places(ids, attention_mask, past)
        x, turns = self.tokens(ids[:, past:]), None
        if self.positions is not None:
            x = x + self.positions(positions)
        else:  # 给各个头广播
            turns = rotations(
                positions.unsqueeze(-2), self.layers[0].self_attn.d_head, self.config.rope_theta
            )
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

    def _check(self, ids: Tensor, attention_mask: Tensor | None, past: int) -> None:
        check_ids(ids, self.tokens)
        if ids.size(1) > self.config.max_len:
            raise ValueError(f"序列有 {ids.size(1)} 个词元，超过了 max_len={self.config.max_len}。")
        if past >= ids.size(1):
            raise ValueError(f"缓存里已有 {past} 个位置，ids 只有 {ids.size(1)} 个，没有新的位置要算。")
        if attention_mask is not None and attention_mask.shape != ids.shape:
            raise ValueError(
                f"attention_mask 的形状 {tuple(attention_mask.shape)} 应与 ids 的 {tuple(ids.shape)} 相同。"
            )


def _places(ids: Tensor, attention_mask: Tensor | None, past: int) -> tuple[Tensor, Tensor | None]:
    """新位置的编号，(N,) 或 (B, N)，与它们可以看哪里；只挡后面的就给 None。"""
    total = ids.size(1)
    # 只有最新的一个位置要算时，之前的它都可以看
    mask = causal_mask(total, ids.device)[past:] if total - past > 1 else None
    if attention_mask is not None:
        real = padding_mask(attention_mask)
        if torch.compiler.is_compiling() or not real.all():
            positions = (attention_mask.long().cumsum(dim=-1) - 1).clamp(min=0)  # 填充不算位置
            return positions[:, past:], real if mask is None else real & mask
    return torch.arange(past, total, device=ids.device), mask if past else None
