"""课程装得下的几种模型：各是哪几个文件、用哪个环境变量换，一个文件夹里的能不能用。"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from safetensors import safe_open

from .declared import DECLARING
from .errors import SourceError
from .reading import odd_setting, read_json, shown
from .vocabularies import unigram_fault, vocabulary_fault
from .word_piece import VOCABULARIES

WEIGHTS = "model.safetensors"
SHARDS = f"{WEIGHTS}.index.json"
PICKLED_WEIGHTS = "pytorch_model.bin"
GENERATION = "generation_config.json"  # 怎样写：有的模型，另外几个结尾只写在这里
TEMPLATE = "chat_template.jinja"  # 对话模板；压过 tokenizer_config.json 里的


@dataclass(frozen=True)
class Kind:
    """一种模型。

    settings，config.json 里的 model_type 可以是哪几个，各有哪些写法：可以没有、有就只能是这几个值的，别的值我们的代码没有写；vocabularies，词表可以是哪几个文件，有一个就行；variable，换一个模型用的环境变量；
    wanted，给错了时说可以给什么；vocabulary_fault，由文件夹与 vocab_size 看词表配不配套，不配套就是一句说明；beside，还要读、也可以没有的文件。
    """

    settings: Mapping[str, Mapping[str, tuple]]
    vocabularies: tuple[str, ...]
    variable: str
    wanted: str
    vocabulary_fault: Callable[[Path, Any], str | None] = lambda folder, vocab_size: None
    beside: tuple[str, ...] = ()

    @property
    def otherwise(self) -> str:
        """换来的模型不能用时的另一条路。"""
        return f"去掉 {self.variable} 改用内置模型"

    @property
    def model_types(self) -> str:
        """错误里怎样说课程装得下哪几种。"""
        return "、".join(map(repr, self.settings))

    @property
    def optional_files(self) -> tuple[str, ...]:
        """hub 上可以没有的文件。"""
        return (*self.vocabularies, *DECLARING, *self.beside)

    def config_fault(self, config: Path) -> str | None:
        """config.json 不是这种模型的配置时，返回一句说明；没有问题就返回 None。"""
        try:
            values = read_json(config)
        except SourceError as error:
            return str(error)
        model_type = values.get("model_type")
        if not isinstance(model_type, str) or model_type not in self.settings:
            return f"config.json 里的 model_type 是 {shown(model_type)}，课程只装 {self.model_types}"
        return odd_architecture(values.get("architectures"), model_type) or odd_setting(
            values, self.settings[model_type], "config.json"
        )

    def folder_fault(self, folder: Path) -> str | None:
        """文件夹里的模型不能用时，返回一句说明；没有问题就返回 None。"""
        if fault := self.config_fault(folder / "config.json"):
            return fault
        if not (folder / WEIGHTS).exists():
            if (folder / SHARDS).exists():
                return SHARDED
            if (folder / PICKLED_WEIGHTS).exists():
                return f"只有 {PICKLED_WEIGHTS} 而没有 {WEIGHTS}，前者是 pickle，能夹带代码，课程只装 safetensors"
            return f"没有权重文件 {WEIGHTS}"
        try:
            with safe_open(folder / WEIGHTS, framework="pt"):
                pass
        except Exception as error:
            return f"{WEIGHTS} 打不开，文件可能没有下载完整（{type(error).__name__}）"
        if not any((folder / file).exists() for file in self.vocabularies):
            return f"没有词表（{' 或 '.join(self.vocabularies)}）"
        return self.vocabulary_fault(folder, read_json(folder / "config.json").get("vocab_size"))


def odd_architecture(names: Any, model_type: str) -> str | None:
    """config.json 里的 architectures 没有一个是这一种模型时，返回一句说明；没有写就是没有问题。"""
    if names is None:
        return None
    listed = names if isinstance(names, list) else []
    if any(isinstance(name, str) and name.lower().startswith(model_type) for name in listed):
        return None
    return f"config.json 里的 architectures 是 {shown(names)}，课程只装 {model_type!r}"


SHARDED = f"它的权重分成了几个文件（{SHARDS}），课程只装放在一个 {WEIGHTS} 里的"
OFF, ABSENT, ONCE = (None, False), (None,), (None, 1)
BERT = Kind(
    settings={
        "bert": {
            "hidden_act": ("gelu", "relu"),
            "position_embedding_type": ("absolute", None),
            **dict.fromkeys(("is_decoder", "add_cross_attention"), OFF),
            **dict.fromkeys(("embedding_size", "head_dim", "quantization_config"), ABSENT),
            "pruned_heads": (None, {}),
        }
    },
    vocabularies=VOCABULARIES,
    variable="COURSE_BERT",
    wanted="请给装着模型的文件夹，或 hub 上的名字，如 bert-base-chinese",
    vocabulary_fault=vocabulary_fault,
)
MULTILINGUAL = replace(
    BERT,
    vocabularies=("tokenizer.json",),
    variable="COURSE_MULTILINGUAL_BERT",
    wanted="请给 multilingual-e5-small 的文件、装着模型的文件夹，或 hub 上的名字，如 intfloat/multilingual-e5-small",
    vocabulary_fault=unigram_fault,
)
# 前两行之外，多半是从别的模型改名来的：transformers 的 Llama 与 Qwen 不看它们，照算的数就与原来的模型不同
LLAMA = {
    "hidden_act": ("silu", "swish"),
    "quantization_config": ABSENT,
    "hidden_activation": (None, "silu", "swish"),
    "num_experts": (None, 0),
    "num_local_experts": (None, 0),
    "n_routed_experts": (None, 0),
    **dict.fromkeys(("use_sliding_window", "rope_interleaved", "use_qk_norm", "qk_layernorm"), OFF),
    **dict.fromkeys(("partial_rotary_factor", "rotary_pct", "embedding_multiplier"), ONCE),
    **dict.fromkeys(("residual_multiplier", "logits_scaling", "logit_scale"), ONCE),
    **dict.fromkeys(("attn_logit_softcapping", "final_logit_softcapping", "sliding_window"), ABSENT),
    **dict.fromkeys(("query_pre_attn_scalar", "attention_multiplier", "no_rope_layers", "clip_qkv"), ABSENT),
}
# 没有打开 use_sliding_window 时，窗口写多宽都没有用；偏置该有的总是有，不该有的总是没有
QWEN = {name: known for name, known in LLAMA.items() if name != "sliding_window"} | dict.fromkeys(
    ("attention_bias", "mlp_bias"), OFF
)
LLM = Kind(
    settings={"llama": LLAMA, "qwen2": QWEN, "qwen3": QWEN},
    vocabularies=("tokenizer.json",),
    beside=(GENERATION, TEMPLATE),
    variable="COURSE_LLM",
    wanted="请给 GGUF 文件、装着模型的文件夹，或 hub 上的名字，如 Qwen/Qwen2.5-0.5B-Instruct",
)
