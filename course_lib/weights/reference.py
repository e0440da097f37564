"""参考实现：Hugging Face 的分词器与模型，装进同一份权重，用来与我们写的逐层对照。"""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import torch
from torch.nn import Module

from .audit import Source, load_audited
from .bert import open_bert
from .builtin import MINILM, builtin_path
from .errors import HubError, PretrainedError, say
from .folders import llm_source, model_folder
from .llama import halves, open_llama, rearranged
from .names import BERT_NAMES, LLAMA_NAMES, translated
from .patience import seconds


def load_bert(name: str | os.PathLike | None = None, allow_builtin: bool = False):
    """装入 Hugging Face 的一对 (tokenizer, model)，处于 eval 状态，能给出注意力权重。

    参数：name，与 `model_folder` 相同；allow_builtin，hub 上取不到时改用内置模型，并打印一行说明。
    返回：(tokenizer, model)，`AutoTokenizer` 与 `AutoModel` 装出的对象，权重是 fp32。
    错误：取不到、装不上，或者分词器与模型的词表不配套时，抛出 `PretrainedError`。
    """
    seconds()  # 写错了的，导入 transformers 就会抛异常
    try:
        folder = model_folder(name)
    except HubError as error:
        if not allow_builtin:
            raise
        say(f"{error}这次先用内置的 {MINILM.name}。")
        folder = builtin_path()
    if folder.is_file():
        raise PretrainedError(
            f"{folder} 是一个文件，transformers 不会读；请改用 load_bert_reference 与 UnigramTokenizer.from_pretrained。"
        )
    with _quiet_transformers():
        return _load_pair(folder)


def load_bert_reference(name: str | os.PathLike | None = None):
    """Hugging Face 的 `BertModel`，装入同一份权重，fp32，处于 eval 状态，能给出注意力权重；不带池化层。

    多语 BERT 的文件它自己不会读，所以只请它造出模型，权重由我们按它起的名字放进去。
    参数与错误同 `Bert.from_pretrained`。
    """
    seconds()  # 写错了的，导入 transformers 就会抛异常
    from transformers import BertConfig, BertModel

    source = open_bert(model_folder(name))
    source.check_depth()
    c = source.config
    config = BertConfig(
        vocab_size=c.vocab_size, hidden_size=c.d_model, num_hidden_layers=c.num_layers, num_attention_heads=c.num_heads,
        intermediate_size=c.d_ff, max_position_embeddings=c.max_len, type_vocab_size=c.num_segments, hidden_act=c.activation,
        layer_norm_eps=c.layer_norm_eps, pad_token_id=c.pad_token_id, attn_implementation="eager",
    )  # fmt: skip
    model = _filled(lambda: BertModel(config, add_pooling_layer=False), source, BERT_NAMES)
    # 位置与段的编号是现数的，文件里没有
    positions = torch.arange(c.max_len)[None]
    model.embeddings.position_ids, model.embeddings.token_type_ids = positions, torch.zeros_like(positions)
    return model.eval()


def load_llm_reference(name: str | os.PathLike | None = None):
    """Hugging Face 的 `LlamaForCausalLM`（或 Qwen2、Qwen3 的），装入同一个文件的权重，fp32，处于 eval 状态。

    它自己的 GGUF 读法要另装 accelerate，所以这里只请它造出模型，权重由我们按它起的名字放进去；
    它把前半与后半配成一对来旋转，W^Q、W^K 的行因此要排回去。
    参数：name，与 `LanguageModel.from_pretrained` 相同。错误：文件取不到或残缺时抛出 `PretrainedError`。
    """
    seconds()  # 写错了的，导入 transformers 就会抛异常
    import transformers

    source = open_llama(llm_source(name))
    source.check_depth()
    c = source.config
    family = "Qwen3" if c.qk_norm else "Qwen2" if c.qkv_bias else "Llama"
    biases = {} if c.qkv_bias else {"attention_bias": c.bias, "mlp_bias": c.bias}
    config = getattr(transformers, f"{family}Config")(
        vocab_size=c.vocab_size, hidden_size=c.d_model, num_attention_heads=c.num_heads, num_key_value_heads=c.num_kv_heads,
        intermediate_size=c.d_ff, num_hidden_layers=c.num_layers, max_position_embeddings=c.max_len, rms_norm_eps=c.norm_eps,
        rope_parameters={"rope_type": "default", "rope_theta": c.rope_theta}, tie_word_embeddings=c.tied,
        head_dim=c.d_head, bos_token_id=c.bos_id, eos_token_id=c.eos_id, pad_token_id=c.pad_id, **biases,
    )  # fmt: skip
    make = getattr(transformers, f"{family}ForCausalLM")
    model = _filled(lambda: make(config), rearranged(source, halves), LLAMA_NAMES)
    model.tie_weights()
    # 旋转的频率是算出来的，文件里没有
    model.model.rotary_emb = type(model.model.rotary_emb)(config)
    return model.eval()


def _filled(make: Callable[[], Module], source: Source, names: Mapping[str, str]) -> Module:
    """造出 Hugging Face 的模型，把 source 里的权重按它起的名字放进去；names，它的名字 → 我们的。"""
    with torch.device("meta"):  # 先只有形状，不取随机的初值
        model = make()
    theirs = {ours: theirs for theirs, ours in names.items()}

    def rename(name: str) -> str | None:
        ours = source.rename(name)
        return ours and translated(theirs, ours)

    load_audited(model, source.shapes, source.read, rename, f"{source.path} 的")
    return model


def _load_pair(folder: Path):
    from transformers import AutoModel, AutoTokenizer

    local = {"local_files_only": True, "trust_remote_code": False}
    try:
        tokenizer = AutoTokenizer.from_pretrained(folder, **local)
        # 只有 eager 的实现会交出注意力权重；sdpa 给的是空元组，而且不报错。
        model, report = AutoModel.from_pretrained(
            folder, **local, use_safetensors=True, attn_implementation="eager", dtype=torch.float32,
            output_loading_info=True, ignore_mismatched_sizes=True,  # 由下面报错，说得出是哪个键
        )  # fmt: skip
    except Exception as error:  # transformers 会抛出许多种异常，读者要的是哪个文件夹不能用
        detail = str(error).strip().partition("\n")[0].rstrip("。.")
        raise PretrainedError(
            f"装不上文件夹 {folder} 里的模型（{type(error).__name__}：{detail}）。"
        ) from None
    # transformers 遇到缺失的权重只补上随机数；池化层课程不用，可以没有。
    missing = sorted(key for key in report["missing_keys"] if not key.startswith("pooler."))
    misshaped = sorted(key for key, *_ in report["mismatched_keys"])
    if missing or misshaped:
        listed = "、".join([*missing, *misshaped][:3])
        raise PretrainedError(f"文件夹 {folder} 里的权重不全或形状不对：{listed}。")
    # 另外声明的词元，模型里不一定有
    if (last := max(tokenizer.get_vocab().values())) >= model.config.vocab_size:
        raise PretrainedError(
            f"文件夹 {folder} 里的分词器编到 {last}，模型却只有 {model.config.vocab_size} 个词元，两者不配套。"
        )
    return tokenizer, model.eval()


@contextmanager
def _quiet_transformers() -> Iterator[None]:
    """装模型时不显示进度条和提示，离开时还原。"""
    from transformers.utils import logging

    verbosity, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(verbosity)
        if bars:
            logging.enable_progress_bar()
