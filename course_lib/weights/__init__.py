"""真实的权重从哪里来、怎样装进来。"""

from .audit import only_shapes
from .bert import bert_config, load_weights, open_bert, read_config
from .builtin import builtin_llm_path, builtin_multilingual_path, builtin_path
from .errors import HubError, PretrainedError
from .folders import (
    llm_source,
    model_folder,
    multilingual_bert,
    uses_builtin,
    uses_builtin_llm,
    uses_builtin_multilingual,
)
from .llama import open_llama
from .names import EMBEDDING_NAMES, LAYER_NAMES, LEFT_OUT, our_name
from .reference import load_bert, load_bert_reference, load_llm_reference
from .vit import load_hf_vit

__all__ = [
    "EMBEDDING_NAMES",
    "LAYER_NAMES",
    "LEFT_OUT",
    "HubError",
    "PretrainedError",
    "bert_config",
    "builtin_llm_path",
    "builtin_multilingual_path",
    "builtin_path",
    "llm_source",
    "load_bert",
    "load_bert_reference",
    "load_hf_vit",
    "load_llm_reference",
    "load_weights",
    "model_folder",
    "multilingual_bert",
    "only_shapes",
    "open_bert",
    "open_llama",
    "our_name",
    "read_config",
    "uses_builtin",
    "uses_builtin_llm",
    "uses_builtin_multilingual",
]
