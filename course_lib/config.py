"""模型的尺寸：只有数字，没有张量。"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class BertConfig:
    """BERT 编码器的尺寸，默认值是 `bert-base-uncased` 的尺寸。

    长度以词元计，宽度以特征维数计，`dropout` 是概率。

    错误：尺寸不是正整数，或 `d_model` 不能被 `num_heads` 整除时，抛出 `ValueError`。
    出处：Devlin et al., 2019, §3；字段与 Hugging Face 的 `config.json` 的对应见 `from_hf`。
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
        check_positive(
            self, "vocab_size", "d_model", "num_heads", "d_ff", "num_layers", "max_len", "num_segments"
        )
        check_head_size(self.d_model, self.num_heads)

    @classmethod
    def from_hf(cls, values: Mapping) -> "BertConfig":
        """把 Hugging Face 的 `config.json`（已读成字典）译成这里的字段名。

        错误：缺了必需的字段时，抛出 `ValueError` 并指出是哪一个。
        """
        missing = sorted(set(HF_NAMES.values()) - values.keys())
        if missing:
            raise ValueError(f"config.json 里缺少 {'、'.join(missing)}，不像一个 BERT 的配置。")
        return cls(**{ours: values[theirs] for ours, theirs in HF_NAMES.items()})


HF_NAMES = {
    "vocab_size": "vocab_size",
    "d_model": "hidden_size",
    "num_heads": "num_attention_heads",
    "d_ff": "intermediate_size",
    "num_layers": "num_hidden_layers",
    "max_len": "max_position_embeddings",
    "num_segments": "type_vocab_size",
    "dropout": "hidden_dropout_prob",
    "layer_norm_eps": "layer_norm_eps",
    "activation": "hidden_act",
    "pad_token_id": "pad_token_id",
}


def check_positive(config: object, *names: str) -> None:
    """config 的这几个字段都应当是正整数，否则抛出 `ValueError`。"""
    for name in names:
        if getattr(config, name) < 1:
            raise ValueError(f"{name}={getattr(config, name)}：应当是正整数。")


def check_head_size(d_model: int, num_heads: int) -> int:
    """返回每个头的宽度 d = D / h；除不尽就抛出 `ValueError`。"""
    if num_heads < 1 or d_model % num_heads:
        raise ValueError(f"d_model={d_model} 不能被 num_heads={num_heads} 整除，每个头分不到相同的宽度。")
    return d_model // num_heads
