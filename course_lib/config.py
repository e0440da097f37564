"""模型的尺寸：只有数字，没有张量。"""

from dataclasses import dataclass

from .checks import (
    check_dropout,
    check_groups,
    check_head_size,
    check_pairs,
    check_parts,
    check_patch_size,
    check_positive,
    check_special_ids,
)

# 每一种都有的四个尺寸
SIZES = ("d_model", "num_heads", "d_ff", "num_layers")


@dataclass(frozen=True)
class BertConfig:
    """BERT 编码器的尺寸，默认值是 `bert-base-uncased` 的尺寸。

    长度以词元计，宽度以特征维数计，`dropout` 是概率。

    错误：尺寸不是正整数，`d_model` 不能被 `num_heads` 整除，填充的编号不在词表里，或 dropout 不是概率时，抛出 `ValueError`；不是整数时抛出 `TypeError`。
    出处：Devlin et al., 2019, §3；字段与 Hugging Face 的 `config.json` 的对应见 `weights.bert_config`。
    """

    vocab_size: int = 30522
    d_model: int = 768
    num_heads: int = 12
    d_ff: int = 3072
    num_layers: int = 12
    max_len: int = 512
    num_segments: int = 2
    dropout: float = 0.1
    layer_norm_eps: float = 1e-12
    activation: str = "gelu"
    pad_token_id: int = 0

    def __post_init__(self):
        check_positive(self, *SIZES, "vocab_size", "max_len", "num_segments")
        check_special_ids(self, self.vocab_size, "pad_token_id")
        check_dropout(self.dropout)
        check_head_size(self.d_model, self.num_heads)


@dataclass(frozen=True)
class TransformerConfig:
    """编码器-解码器的尺寸，默认值是论文里 base 模型的尺寸。

    source_vocab、target_vocab 是两边的词表大小；max_len 是两边位置数的上限；
    pad_id、bos_id、eos_id 是填充、开头与结尾的编号，两边相同。
    错误：尺寸不是正整数，d_model 不能被 num_heads 整除，填充的编号不在词表里，或 dropout 不是概率时，抛出 `ValueError`；不是整数时抛出 `TypeError`。
    出处：Vaswani et al., 2017, §3 与表 3。
    """

    source_vocab: int
    target_vocab: int
    d_model: int = 512
    num_heads: int = 8
    d_ff: int = 2048
    num_layers: int = 6
    max_len: int = 512
    dropout: float = 0.1
    norm_first: bool = False
    pad_id: int = 0
    bos_id: int = 1
    eos_id: int = 2

    def __post_init__(self):
        check_positive(self, *SIZES, "source_vocab", "target_vocab", "max_len")
        check_special_ids(self, min(self.source_vocab, self.target_vocab), "pad_id")
        check_dropout(self.dropout)
        check_head_size(self.d_model, self.num_heads)


@dataclass(frozen=True)
class LanguageModelConfig:
    """只有解码器的语言模型的尺寸与零件，默认值是 SmolLM2-135M 的，一个 Llama 式的模型；GPT 式的用 `gpt`。

    num_heads 是查询的头数，num_kv_heads 是键与值的头数，相邻的几个查询头共用一个；
    head_dim 是每个头的宽度，不给就是 d_model / num_heads；max_len 以词元计。
    norm："rms" 或 "layer"；positions："rotary" 或 "learned"；ffn："swiglu" 或 "gelu"；
    norm_eps，根号里的 ε；rope_theta，最慢的钟转一圈约要多少个位置除以 2π；
    tied，输出矩阵是否就是嵌入矩阵；bias，线性映射与层归一化有无偏置；qkv_bias，只给查询、键与值的映射加上偏置（Qwen2）；
    qk_norm，查询与键转之前先各自均方根归一化（Qwen3）；eos_id、bos_id、pad_id，结尾、开头与填充的编号；
    more_eos_ids，别的结尾，有的模型不止一个。
    错误：尺寸不是正整数，没有给 head_dim 而 d_model 不能被 num_heads 整除，num_heads 不能被 num_kv_heads 整除，不认识的零件，
    或 rotary 遇上奇数的头宽时，抛出 `ValueError`；尺寸不是整数时抛出 `TypeError`。
    出处：Touvron et al., 2023（Llama）；Allal et al., 2025（SmolLM2）；Yang et al., 2024 与 2025（Qwen2.5、Qwen3）；Radford et al., 2019（GPT-2）。
    """

    vocab_size: int = 49152
    d_model: int = 576
    num_heads: int = 9
    num_kv_heads: int = 3
    d_ff: int = 1536
    num_layers: int = 30
    max_len: int = 8192
    norm: str = "rms"
    positions: str = "rotary"
    ffn: str = "swiglu"
    norm_eps: float = 1e-5
    rope_theta: float = 100_000.0
    tied: bool = True
    bias: bool = False
    eos_id: int = 2
    bos_id: int = 1
    pad_id: int = 2
    more_eos_ids: tuple[int, ...] = ()
    head_dim: int | None = None
    qkv_bias: bool = False
    qk_norm: bool = False

    @property
    def d_head(self) -> int:
        """每个头的宽度 d。"""
        return self.head_dim or self.d_model // self.num_heads

    @property
    def stop_ids(self) -> tuple[int, ...]:
        """写出其中一个就是写完了：`generate(…, stop_ids=config.stop_ids)`。"""
        return self.eos_id, *self.more_eos_ids

    def __post_init__(self):
        check_positive(self, *SIZES, "vocab_size", "num_kv_heads", "max_len")
        if self.head_dim is None:
            check_head_size(self.d_model, self.num_heads)
        else:
            check_positive(self, "head_dim")
        check_groups(self.num_heads, self.num_kv_heads)
        check_parts(self, PARTS)
        if self.positions == "rotary":
            check_pairs(self.d_head)

    @classmethod
    def gpt(
        cls, vocab_size: int = 50257, d_model: int = 768, num_heads: int = 12, **options
    ) -> "LanguageModelConfig":
        """GPT-2 式的模型：层归一化、GELU、学来的位置、偏置，每个查询头有自己的键与值；默认值是 GPT-2 small 的。

        结尾、开头与填充都是词表里的最后一个，`<|endoftext|>`。
        options：其余的字段，按名字给；不给 d_ff，就是 4 d_model。错误与出处同本类。
        """
        gpt2 = {
            "num_kv_heads": num_heads, "d_ff": 4 * d_model, "num_layers": 12, "max_len": 1024, "norm": "layer",
            "positions": "learned", "ffn": "gelu", "bias": True, **dict.fromkeys(("eos_id", "bos_id", "pad_id"), vocab_size - 1),
        }  # fmt: skip
        return cls(vocab_size, d_model, num_heads, **gpt2 | options)


# LanguageModelConfig 的零件 → 可用的几种
PARTS = {"norm": ("rms", "layer"), "positions": ("rotary", "learned"), "ffn": ("swiglu", "gelu")}


@dataclass(frozen=True)
class ViTConfig:
    """ViT 的尺寸，默认值是 ViT-B/16 的尺寸。

    图像是正方形，image_size 与 patch_size 以像素计；num_classes=0 表示不要分类头。
    错误：尺寸不是正整数、图像的边长不能被块的边长整除，d_model 不能被 num_heads 整除，或 dropout 不是概率时，抛出 `ValueError`；不是整数时抛出 `TypeError`。
    出处：Dosovitskiy et al., 2021, §3.1 与表 1。
    """

    image_size: int = 224
    patch_size: int = 16
    channels: int = 3
    d_model: int = 768
    num_heads: int = 12
    d_ff: int = 3072
    num_layers: int = 12
    num_classes: int = 1000
    dropout: float = 0.0
    layer_norm_eps: float = 1e-12

    def __post_init__(self):
        check_positive(self, *SIZES, "image_size", "patch_size", "channels")
        if self.num_classes < 0:
            raise ValueError(f"num_classes={self.num_classes}：应当是类别数，或者 0（不要分类头）。")
        check_patch_size(self.image_size, self.patch_size)
        check_dropout(self.dropout)
        check_head_size(self.d_model, self.num_heads)

    @property
    def num_patches(self) -> int:
        """块数 N = (H / P)²；词元还要加上 `[CLS]`，共 N + 1 个。"""
        return (self.image_size // self.patch_size) ** 2
