"""课程装得下的两种模型：各是哪几个文件、用哪个环境变量换，一个文件夹里的能不能用。"""

import json
from dataclasses import dataclass
from pathlib import Path

from safetensors import SafetensorError, safe_open

WEIGHTS = "model.safetensors"
SHARDS = f"{WEIGHTS}.index.json"
PICKLED_WEIGHTS = "pytorch_model.bin"


@dataclass(frozen=True)
class Kind:
    """一种模型。

    model_type，config.json 里它叫什么；vocabularies，词表可以是哪几个文件，有一个就行；variable，换一个模型用的环境变量；
    wanted，给错了时说可以给什么。
    """

    model_type: str
    vocabularies: tuple[str, ...]
    variable: str
    wanted: str

    @property
    def otherwise(self) -> str:
        """换来的模型不能用时的另一条路。"""
        return f"去掉 {self.variable} 改用内置模型"

    @property
    def optional_files(self) -> tuple[str, ...]:
        """hub 上可以没有的文件。"""
        return (*self.vocabularies, "tokenizer_config.json", "special_tokens_map.json")

    def config_fault(self, config: Path) -> str | None:
        """config.json 不是这种模型的配置时，返回一句说明；没有问题就返回 None。"""
        try:
            values = json.loads(config.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return "没有 config.json"
        except (ValueError, OSError) as error:
            return f"config.json 读不出来（{type(error).__name__}）"
        model_type = values.get("model_type") if isinstance(values, dict) else None
        if model_type != self.model_type:
            return f"config.json 里的 model_type 是 {model_type!r}，课程只装 {self.model_type!r}"
        return None

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
        except (SafetensorError, OSError) as error:
            return f"{WEIGHTS} 打不开，文件可能没有下载完整（{type(error).__name__}）"
        if not any((folder / file).exists() for file in self.vocabularies):
            return f"没有词表（{' 或 '.join(self.vocabularies)}）"
        return None


SHARDED = f"它的权重分成了几个文件（{SHARDS}），课程只装放在一个 {WEIGHTS} 里的"
BERT = Kind(
    model_type="bert",
    vocabularies=("vocab.txt", "tokenizer.json"),
    variable="COURSE_BERT",
    wanted="请给装着模型的文件夹，或 hub 上的名字，如 bert-base-chinese",
)
LLAMA = Kind(
    model_type="llama",
    vocabularies=("tokenizer.json",),
    variable="COURSE_LLM",
    wanted="请给 GGUF 文件、装着模型的文件夹，或 hub 上的名字，如 HuggingFaceTB/SmolLM2-360M-Instruct",
)
