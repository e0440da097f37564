"""注意力：掩码、缩放点积注意力与多头注意力。

形状字母：B 批大小，N 查询的位置数，M 键的位置数，D 模型宽度 d_model，h 头数，d = D/h 每个头的宽度。
本课的掩码一律是布尔张量，True = 可以注意，与 `F.scaled_dot_product_attention` 相同。
`nn.MultiheadAttention` 的布尔掩码恰好相反（True = 挡住），
Hugging Face 分词器给的 `attention_mask` 则是整数（1 = 真实词元，0 = 填充），要先经过 `padding_mask`。
"""

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .checks import (
    check_attention,
    check_head_size,
    check_padding,
    check_remembered,
    check_sequences,
    check_shape,
    known_true,
)
from .precision import widen


def padding_mask(attention_mask: Tensor) -> Tensor:
    """把分词器的 `attention_mask` 变成只挡住填充键的掩码。

    参数：attention_mask，形状 (B, N)，1 或 True = 真实词元，0 或 False = 填充。
    返回：布尔张量，形状 (B, 1, 1, N)，True = 可以注意；中间两维广播到每个头、每个查询。
    错误：形状不是 (B, N)，或含有 0、1 以外的值时，抛出 `ValueError`。

    只挡键、不挡查询：若连填充位置的查询也挡住，那一整行就没有可看的位置，
    天真的 softmax 会给出 NaN，下一层再传给所有词元。
    约定：True = 可以注意，与 `nn.MultiheadAttention` 的 `key_padding_mask` 恰好相反。
    """
    check_padding(attention_mask)
    return attention_mask.bool()[:, None, None, :]


def needed_padding_mask(attention_mask: Tensor | None, shape: tuple, whose: str) -> Tensor | None:
    """同 `padding_mask`，只是没有填充就不要掩码：带着它，融合算子每一层都要先把它换成浮点数。

    参数：attention_mask，没有就是没有填充；shape，它应有的形状 (B, N)；whose，报错时说这是谁的形状。
    返回：(B, 1, 1, N) 或 None；编译时看不到有没有填充，总是带着。
    错误：形状不对时抛出 `ValueError`；其余见 `padding_mask`。
    """
    if attention_mask is None:
        return None
    check_shape(attention_mask, "attention_mask", shape, whose)
    mask = padding_mask(attention_mask)
    return None if known_true(mask.all()) else mask


def causal_mask(n: int, device: torch.device | str | None = None, past: int = 0) -> Tensor:
    """只许看自己和之前位置的因果掩码。

    参数：n，位置数；past，它们之前已有的位置数，逐个生成词元时要用。
    返回：布尔张量，形状 (n, past + n)，第 i 行的前 past + i + 1 列为 True。
    错误：n < 1 时抛出 `ValueError`。
    约定：True = 可以注意，与 `nn.Transformer.generate_square_subsequent_mask` 的 -inf 恰好相反。
    出处：Vaswani et al., 2017, §3.2.3。
    """
    if n < 1:
        raise ValueError(f"因果掩码的位置数应当至少是 1，这里是 {n}。")
    return torch.ones(n, past + n, dtype=torch.bool, device=device).tril(past)


def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor | None = None,
    need_weights: bool = True,
    dropout_p: float = 0.0,
) -> tuple[Tensor, Tensor | None]:
    """缩放点积注意力：softmax(Q Kᵀ / √d) V。

    参数：query (..., N, d)，key (..., M, d)，value (..., M, d_v)；
    mask 是可广播到 (..., N, M) 的布尔张量，True = 可以注意；dropout_p 是丢弃注意力权重的概率，只在训练时给。
    返回：output (..., N, d_v)；weights (..., N, M)，每行之和为 1，整行都被挡住的是 0。
    need_weights=False 时改走融合算子，不产生 N × M 的权重，第二项为 None，输出不变。
    整行都被挡住的查询，权重和输出全是零，而不是 NaN。
    错误：query 与 key 的宽度不同、key 与 value 的长度不同、前面的各维不能广播、掩码的形状不对时抛出 `ValueError`；
    掩码不是布尔型时抛出 `TypeError`。
    出处：Vaswani et al., 2017, §3.2.1。
    """
    check_attention(query, key, value, mask)
    if not need_weights:
        return fused_attention(query, key, value, mask, dropout_p=dropout_p), None
    dtype = query.dtype
    query, key, value = map(widen, (query, key, value))  # 半精度里点积会溢出
    scores = query / math.sqrt(query.size(-1)) @ key.transpose(-2, -1)  # (..., N, M)
    if mask is not None:
        # 用该精度能表示的最小数而不用 -inf：整行被挡住时 softmax 仍是有限的数，梯度里也就没有 NaN。
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = scores.softmax(dim=-1)
    if mask is not None:
        weights = weights.masked_fill(~mask, 0.0)
    return (F.dropout(weights, dropout_p) @ value).to(dtype), weights.to(dtype)


def fused_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, **options
) -> Tensor:
    """同 `scaled_dot_product_attention`，只要输出：交给 torch 的融合算子，不产生 N × M 的权重。

    参数：前四个见上；options，融合算子另外的参数。返回：(..., N, d_v)。
    整行都被挡住的查询，各家的算子给什么不一定：cuDNN 的不是零，有的长度梯度还是 NaN。
    所以让这样的查询看全部，算完再清零。
    """
    # CPU 上先问一句，没有这样的查询就不必抄一遍去清零；GPU 上问一句就要等它算完，所以不问
    if mask is None or (mask.is_cpu and known_true(mask.any(dim=-1).all())):
        return F.scaled_dot_product_attention(query, key, value, attn_mask=mask, **options)
    blocked = ~mask.any(dim=-1, keepdim=True)  # (..., N, 1)
    output = F.scaled_dot_product_attention(query, key, value, attn_mask=mask | blocked, **options)
    return output.masked_fill(blocked, 0.0)


class Cache:
    """一处注意力算过的键与值，逐个生成词元时留着，不必重算。

    keys、values：各 (B, 头数, 已有的位置数, d)；还没有就是 None。
    """

    def __init__(self):
        self.keys: Tensor | None = None
        self.values: Tensor | None = None

    def __len__(self) -> int:
        """已有几个位置。"""
        return 0 if self.keys is None else self.keys.size(2)

    def __deepcopy__(self, memo: dict) -> "Cache":
        """另抄一份，各自往后接；torch 不肯抄连着计算的张量，这里抄的仍连着，梯度传得回去。"""
        twin = type(self)()
        if self.keys is not None:
            twin.keys, twin.values = self.keys.clone(), self.values.clone()
        return twin

    def grow(self, keys: Tensor, values: Tensor) -> None:
        """接上新位置的键与值，各 (B, 头数, 新的位置数, d)。"""
        if self.keys is not None:
            check_remembered(self.keys, keys)
            keys, values = torch.cat([self.keys, keys], dim=2), torch.cat([self.values, values], dim=2)
        self.keys, self.values = keys, values

    def select(self, rows: Tensor) -> None:
        """按 rows（整数，一维）重排批里的各行：束搜索留下哪几条，缓存就跟着留下哪几条。"""
        if self.keys is not None:
            self.keys, self.values = self.keys[rows], self.values[rows]


class MultiHeadAttention(nn.Module):
    """多头注意力：h 个头各在自己的 d 维子空间里做一次注意力，拼接后再由 out_proj 混合。

    head_i = Attention(X W_i^Q, X W_i^K, X W_i^V)，output = Concat(head_1, …, head_h) W^O。
    h 个 D × d 的投影并排放，就是一个 D × D 的投影，所以只需改变形状，不必逐头循环。

    参数：d_model，模型宽度 D；num_heads，头数 h；dropout，丢弃注意力权重的概率；bias，投影有无偏置。
    错误：D 不能被 h 整除时抛出 `ValueError`。
    出处：Vaswani et al., 2017, §3.2.2。
    """

    def __init__(self, d_model: int, num_heads: int, dropout: float = 0.0, bias: bool = True):
        super().__init__()
        self.num_heads = num_heads
        self.d_head = check_head_size(d_model, num_heads)
        self.dropout = dropout
        self.q_proj = nn.Linear(d_model, d_model, bias=bias)
        self.k_proj = nn.Linear(d_model, d_model, bias=bias)
        self.v_proj = nn.Linear(d_model, d_model, bias=bias)
        self.out_proj = nn.Linear(d_model, d_model, bias=bias)

    def forward(
        self,
        query: Tensor,
        key: Tensor | None = None,
        value: Tensor | None = None,
        mask: Tensor | None = None,
        need_weights: bool = False,
        cache: Cache | None = None,
    ) -> tuple[Tensor, Tensor | None]:
        """query (B, N, D)；key、value (B, M, D)，不给就是自注意力；mask 可广播到 (B, h, N, M)，True = 可以注意。

        给了 cache：自注意力把这 N 个位置接在已有的后面，M 是接好之后的个数；
        交叉注意力的 key、value 不会再变，只在第一次投影。
        返回：output (B, N, D)；need_weights=True 时还有 weights (B, h, N, M)，否则为 None。
        错误：输入不是三维、宽度不是 D、批大小不同，或者掩码是三维时，抛出 `ValueError`；其余见 `scaled_dot_product_attention`。
        """
        reads_itself = key is None
        key = query if key is None else key
        value = key if value is None else value
        check_sequences(query, key, value, mask, self.q_proj.in_features)
        cache = Cache() if cache is None else cache
        if reads_itself or len(cache) == 0:
            cache.grow(self.split_heads(self.k_proj(key)), self.split_heads(self.v_proj(value)))
        queries, dropout_p = self.split_heads(self.q_proj(query)), self.dropout if self.training else 0.0
        check_remembered(cache.keys, queries)
        output, weights = scaled_dot_product_attention(
            queries, cache.keys, cache.values, mask, need_weights, dropout_p
        )
        return self.out_proj(self.merge_heads(output)), weights

    def split_heads(self, x: Tensor) -> Tensor:
        """(B, N, D) → (B, h, N, d)：先把 D 拆成 h × d，再把头移到位置之前。"""
        return x.unflatten(-1, (self.num_heads, self.d_head)).transpose(1, 2)

    def merge_heads(self, x: Tensor) -> Tensor:
        """(B, h, N, d) → (B, N, D)：`split_heads` 的逆，即把各头的输出首尾拼接。"""
        return x.transpose(1, 2).flatten(-2)
