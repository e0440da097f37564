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

from .config import check_head_size


def padding_mask(attention_mask: Tensor) -> Tensor:
    """把分词器的 `attention_mask` 变成只挡住填充键的掩码。

    参数：attention_mask，形状 (B, N)，1 或 True = 真实词元，0 或 False = 填充。
    返回：布尔张量，形状 (B, 1, 1, N)，True = 可以注意；中间两维广播到每个头、每个查询。
    错误：形状不是 (B, N)，或含有 0、1 以外的值时，抛出 `ValueError`。

    只挡键、不挡查询：若连填充位置的查询也挡住，那一整行就没有可看的位置，
    天真的 softmax 会给出 NaN，下一层再传给所有词元。
    约定：True = 可以注意，与 `nn.MultiheadAttention` 的 `key_padding_mask` 恰好相反。
    """
    if attention_mask.dim() != 2:
        raise ValueError(f"attention_mask 的形状应当是 (B, N)，这里是 {tuple(attention_mask.shape)}。")
    mask = attention_mask.bool()
    # 编译时不查：要把答案拿回 Python，会把编译的图切断
    if not torch.compiler.is_compiling() and not torch.equal(mask.to(attention_mask.dtype), attention_mask):
        raise ValueError("attention_mask 只能含 0 和 1：1 = 真实词元，0 = 填充。")
    return mask[:, None, None, :]


def causal_mask(n: int, device: torch.device | str | None = None) -> Tensor:
    """只许看自己和之前位置的因果掩码。

    参数：n，位置数。返回：布尔张量，形状 (n, n)，第 i 行的前 i + 1 列为 True。
    错误：n < 1 时抛出 `ValueError`。
    约定：True = 可以注意，与 `nn.Transformer.generate_square_subsequent_mask` 的 -inf 恰好相反。
    出处：Vaswani et al., 2017, §3.2.3。
    """
    if n < 1:
        raise ValueError(f"因果掩码的位置数应当至少是 1，这里是 {n}。")
    return torch.ones(n, n, dtype=torch.bool, device=device).tril()


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
    mask 是可广播到 (..., N, M) 的布尔张量，True = 可以注意
    （与 `F.scaled_dot_product_attention` 相同，与 `nn.MultiheadAttention` 相反）；
    dropout_p 是丢弃注意力权重的概率，只在训练时给。
    返回：output (..., N, d_v)；weights (..., N, M)，每行之和为 1。
    need_weights=False 时改走融合算子，不产生 N × M 的权重，第二项为 None，输出不变。
    整行都被挡住的查询得到全零的权重和输出，而不是 NaN。
    错误：query 与 key 的宽度不同、key 与 value 的长度不同、前面的各维不能广播、掩码的形状不对时抛出 `ValueError`；
    掩码不是布尔型时抛出 `TypeError`。
    出处：Vaswani et al., 2017, §3.2.1。
    """
    _check_inputs(query, key, value, mask)
    if not need_weights:
        return F.scaled_dot_product_attention(query, key, value, attn_mask=mask, dropout_p=dropout_p), None
    # 先缩放再相乘：半精度里点积可能已经溢出，溢出之后才除就晚了。
    scores = query / math.sqrt(query.size(-1)) @ key.transpose(-2, -1)  # (..., N, M)
    if mask is not None:
        # 用该精度能表示的最小数而不用 -inf：整行被挡住时 softmax 仍是有限的数，梯度里也就没有 NaN。
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = scores.softmax(dim=-1)
    if mask is not None:
        weights = weights.masked_fill(~mask, 0.0)
    return F.dropout(weights, dropout_p) @ value, weights


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
    ) -> tuple[Tensor, Tensor | None]:
        """query (B, N, D)；key、value (B, M, D)，不给就是自注意力；mask 可广播到 (B, h, N, M)，True = 可以注意。

        返回：output (B, N, D)；need_weights=True 时还有 weights (B, h, N, M)，否则为 None。
        错误：输入不是三维、宽度不是 D、批大小不同，或者掩码是三维时，抛出 `ValueError`；其余见 `scaled_dot_product_attention`。
        """
        key = query if key is None else key
        value = key if value is None else value
        _check_sequences(query, key, value, mask, self.q_proj.in_features)
        return self.attend(query, *self.keys_values(key, value), mask, need_weights)

    def keys_values(self, key: Tensor, value: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """key、value (B, M, D) → 键与值，各 (B, h, M, d)；逐个生成词元时可以留着，不必重算。"""
        value = key if value is None else value
        return self.split_heads(self.k_proj(key)), self.split_heads(self.v_proj(value))

    def attend(
        self,
        query: Tensor,
        keys: Tensor,
        values: Tensor,
        mask: Tensor | None = None,
        need_weights: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        """query (B, N, D) 去看已经投影好的 keys、values (B, h, M, d)；返回与 `forward` 相同。"""
        output, weights = scaled_dot_product_attention(
            self.split_heads(self.q_proj(query)),
            keys,
            values,
            mask,
            need_weights,
            self.dropout if self.training else 0.0,
        )
        return self.out_proj(self.merge_heads(output)), weights

    def split_heads(self, x: Tensor) -> Tensor:
        """(B, N, D) → (B, h, N, d)：先把 D 拆成 h × d，再把头移到位置之前。"""
        return x.unflatten(-1, (self.num_heads, self.d_head)).transpose(1, 2)

    def merge_heads(self, x: Tensor) -> Tensor:
        """(B, h, N, d) → (B, N, D)：`split_heads` 的逆，即把各头的输出首尾拼接。"""
        return x.transpose(1, 2).flatten(-2)


def _check_sequences(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, d_model: int) -> None:
    for name, x in (("query", query), ("key", key), ("value", value)):
        if x.dim() != 3 or x.size(-1) != d_model:
            raise ValueError(
                f"{name} 的形状应当是 (批, 位置数, {d_model})，这里是 {tuple(x.shape)}；只有一句时请写 {name}[None]。"
            )
    if not len(query) == len(key) == len(value):  # 只有一份的键能广播，各句就都去读同一份，不报错
        raise ValueError(
            f"query、key、value 的批大小是 {len(query)}、{len(key)}、{len(value)}，应当相同；"
            "都读同一份时请写 key.expand(len(query), -1, -1)。"
        )
    if mask is not None and mask.dim() == 3:
        raise ValueError(
            f"三维掩码 {tuple(mask.shape)} 的第一维会被当成头，而不是批；按批给的掩码请写 mask.unsqueeze(1)。"
        )


def _check_inputs(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None) -> None:
    if query.size(-1) != key.size(-1):
        raise ValueError(f"query 的宽度 {query.size(-1)} 与 key 的宽度 {key.size(-1)} 不同，没法做点积。")
    if key.size(-2) != value.size(-2):
        raise ValueError(f"key 有 {key.size(-2)} 个位置，value 有 {value.size(-2)} 个，应当一一对应。")
    try:
        torch.broadcast_shapes(query.shape[:-2], key.shape[:-2], value.shape[:-2])
    except RuntimeError:
        shapes = "、".join(f"{tuple(x.shape[:-2])}" for x in (query, key, value))
        raise ValueError(f"query、key、value 的批与头分别是 {shapes}，应当相同，或者能广播到一起。") from None
    if mask is None:
        return
    if mask.dtype != torch.bool:
        raise TypeError(
            f"掩码应当是布尔张量（True = 可以注意），这里是 {mask.dtype}；整数掩码请先用 .bool()。"
        )
    expected = (*torch.broadcast_shapes(query.shape[:-2], key.shape[:-2]), query.size(-2), key.size(-2))
    try:
        fits = torch.broadcast_shapes(mask.shape, expected) == expected
    except RuntimeError:
        fits = False
    if not fits:
        raise ValueError(
            f"掩码的形状 {tuple(mask.shape)} 不能广播到 {expected}；分词器的 attention_mask 请先经过 padding_mask。"
        )
