"""真实的权重从哪里来、怎样装进来。"""

from .bert import EMBEDDING_NAMES, LAYER_NAMES, LEFT_OUT, load_weights, our_name, read_config
from .builtin import builtin_llm_path, builtin_path
from .errors import HubError, PretrainedError
from .folders import llm_source, model_folder, uses_builtin, uses_builtin_llm
from .llama import load_llama, open_llama
from .reference import load_bert, load_llm_reference

__all__ = [
    "EMBEDDING_NAMES",
    "LAYER_NAMES",
    "LEFT_OUT",
    "HubError",
    "PretrainedError",
    "builtin_llm_path",
    "builtin_path",
    "llm_source",
    "load_bert",
    "load_llama",
    "load_llm_reference",
    "load_weights",
    "model_folder",
    "open_llama",
    "our_name",
    "read_config",
    "uses_builtin",
    "uses_builtin_llm",
]
