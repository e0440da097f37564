"""真实的权重从哪里来、怎样装进来。"""

from .hub import HubError, PretrainedError
from .pretrained import (
    EMBEDDING_NAMES,
    LAYER_NAMES,
    LEFT_OUT,
    builtin_path,
    load_bert,
    load_weights,
    model_folder,
    our_name,
    read_config,
    uses_builtin,
)

__all__ = [
    "EMBEDDING_NAMES",
    "LAYER_NAMES",
    "LEFT_OUT",
    "HubError",
    "PretrainedError",
    "builtin_path",
    "load_bert",
    "load_weights",
    "model_folder",
    "our_name",
    "read_config",
    "uses_builtin",
]
