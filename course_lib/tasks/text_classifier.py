"""文本分类：从头训练的嵌入、编码器、池化、线性分类头。

形状字母：B 批大小，N 位置数，D 模型宽度 d_model，C 类别数 num_classes。
"""

import math

import torch
from torch import Tensor, nn

from ..attention import padding_mask
from ..checks import check_ids, check_shape, known_true
from ..encoder import Encoder
from ..layers import SinusoidalPositionalEncoding
from ..precision import widen

POOLINGS = ("cls", "mean", "max")


def pool(hidden: Tensor, attention_mask: Tensor, kind: str = "cls") -> Tensor:
    """把每个词元一个向量，合成整个序列一个向量。

    "cls" 取位置 0；"mean" 对真实词元取平均；"max" 对真实词元逐特征取最大；填充不算在内。
    "cls" 只管取位置 0，那里是不是 `[CLS]`，要看分词时加了没有。

    参数：hidden (B, N, D)；attention_mask (B, N)，1 = 真实词元，0 = 填充；kind，三者之一。
    返回：(B, D)。
    错误：没有这种池化、形状不对，或有一个序列全是填充时，抛出 `ValueError`。
    """
    if kind not in POOLINGS:
        raise ValueError(f"没有名叫 {kind!r} 的池化，可用的有 {'、'.join(POOLINGS)}。")
    if hidden.dim() != 3 or attention_mask.shape != hidden.shape[:2]:
        raise ValueError(
            f"hidden 的形状应当是 (B, N, D)，attention_mask 是 (B, N)，"
            f"这里是 {tuple(hidden.shape)} 与 {tuple(attention_mask.shape)}。"
        )
    real = attention_mask.bool()[..., None]  # (B, N, 1)
    empty = ~real.any(dim=1)
    if known_true(empty.any()):
        raise ValueError(f"第 {int(empty.int().argmax())} 个序列全是填充，没有可以池化的词元。")
    if kind == "cls":
        return hidden[:, 0]
    if kind == "mean":
        # 填充处可以是任何数，先换成 0 再相加；除以真实词元的个数，不是除以 N。
        return (widen(hidden).masked_fill(~real, 0.0).sum(dim=1) / real.sum(dim=1)).to(hidden.dtype)
    return hidden.masked_fill(~real, -torch.inf).amax(dim=1)


class TextClassifier(nn.Module):
    """文本分类器：词元嵌入 × √D + 正弦位置编码 → dropout → 编码器 → 池化 → dropout → 线性层。

    返回的是 logits，不过 softmax：`F.cross_entropy` 里面已经有一次。
    词元嵌入从头训练，初值的标准差 0.02 与 BERT 相同；`[CLS]` 就是其中的一行，与别的词元一起训练。

    参数：vocab_size，词表大小；num_classes，C；d_model，D；num_heads、num_layers、d_ff、norm_first，
    与 `Encoder` 相同；max_len，最多的位置数；dropout，丢弃概率；pooling，"cls"、"mean" 或 "max"；
    positions=False 时不加位置编码，留作对照；pad_token_id，填充的编号。
    错误：没有这种池化，或 D 不能被头数整除时，抛出 `ValueError`。
    出处：Vaswani et al., 2017, §3.4（嵌入乘 √D）、§5.4（dropout）；Devlin et al., 2019, §3（用 `[CLS]` 分类）。
    """

    def __init__(
        self,
        vocab_size: int,
        num_classes: int = 2,
        *,
        d_model: int = 64,
        num_heads: int = 4,
        num_layers: int = 2,
        d_ff: int = 128,
        max_len: int = 512,
        dropout: float = 0.1,
        pooling: str = "cls",
        positions: bool = True,
        norm_first: bool = False,
        pad_token_id: int = 0,
    ):
        super().__init__()
        if pooling not in POOLINGS:
            raise ValueError(f"没有名叫 {pooling!r} 的池化，可用的有 {'、'.join(POOLINGS)}。")
        self.pooling = pooling
        self.tokens = nn.Embedding(vocab_size, d_model, padding_idx=pad_token_id)
        self.tokens.weight.data.mul_(0.02)  # 原来的标准差是 1；填充那一行乘过仍是 0
        self.positions = SinusoidalPositionalEncoding(max_len, d_model) if positions else nn.Identity()
        self.dropout = nn.Dropout(dropout)
        self.encoder = Encoder(
            num_layers, d_model, num_heads=num_heads, d_ff=d_ff, dropout=dropout, norm_first=norm_first
        )
        self.head = nn.Linear(d_model, num_classes)

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """input_ids、attention_mask (B, N) → logits (B, C)。错误同 `pooled`。"""
        return self.head(self.dropout(self.pooled(input_ids, attention_mask)))

    def pooled(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """input_ids、attention_mask (B, N)，1 = 真实词元 → 池化后的向量 (B, D)，即分类头的输入。

        错误：两者形状不同、编号不在词表里、序列超过 max_len，或有一个序列全是填充时，抛出 `ValueError`；编号不是整数时抛出 `TypeError`。
        """
        check_ids(input_ids, self.tokens)
        check_shape(attention_mask, "attention_mask", input_ids.shape, "input_ids")
        x = self.tokens(input_ids) * math.sqrt(self.tokens.embedding_dim)  # (B, N, D)
        x = self.dropout(self.positions(x))
        hidden = self.encoder(x, padding_mask(attention_mask)).last_hidden_state
        return pool(hidden, attention_mask, self.pooling)
