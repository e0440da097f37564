"""别人给权重起的名字 → 我们的：一种写法一张表，各种模型的都在这里。

表里不写末尾的 .weight 或 .bias，照抄就是；`{}` 是层号。
"""

import re
from collections.abc import Mapping

LAYER = re.compile(r"(?<=\.)[0-9]+(?=\.)")


def translated(names: Mapping[str, str], name: str) -> str | None:
    """照表 names 译一个权重名；表里没有就返回 None。"""
    number = LAYER.search(name)
    plain = LAYER.sub("{}", name)
    stem, _, kind = plain.rpartition(".")
    ours = names.get(plain) or (stem in names and f"{names[stem]}.{kind}")
    return ours.replace("{}", number[0] if number else "") if ours else None


def in_layers(theirs: str, ours: str, inside: Mapping[str, str]) -> dict[str, str]:
    """层内的一张表 → 带着层号的一张：theirs 与 ours 是两边怎样称呼一层。"""
    return {f"{theirs}.{{}}.{name}": f"{ours}.{{}}.{part}" for name, part in inside.items()}


# ---- BERT

EMBEDDING_NAMES = {
    "embeddings.word_embeddings": "embeddings.tokens",
    "embeddings.position_embeddings": "embeddings.positions",
    "embeddings.token_type_embeddings": "embeddings.segments",
    "embeddings.LayerNorm": "embeddings.norm",
}
LAYER_NAMES = {
    "attention.self.query": "self_attn.q_proj",
    "attention.self.key": "self_attn.k_proj",
    "attention.self.value": "self_attn.v_proj",
    "attention.output.dense": "self_attn.out_proj",
    "attention.output.LayerNorm": "norm1",
    "intermediate.dense": "ffn.linear1",
    "output.dense": "ffn.linear2",
    "output.LayerNorm": "norm2",
}
BERT_NAMES = EMBEDDING_NAMES | in_layers("encoder.layer", "encoder.layers", LAYER_NAMES)
# 有意不装的键：预训练的输出头和池化层不属于编码器，position_ids 只是 0, 1, 2, …，不是学出来的。
LEFT_OUT = ("cls.", "pooler.", "embeddings.position_ids")


def our_name(key: str) -> str | None:
    """把 Hugging Face 的 BERT 的一个权重名译成我们的；译不出来就返回 None。"""
    key = key.removeprefix("bert.").replace("LayerNorm.gamma", "LayerNorm.weight")
    return translated(BERT_NAMES, key.replace("LayerNorm.beta", "LayerNorm.bias"))


# 内置的多语 BERT 的文件里的写法：层写作 l0、l1，末尾是 .w 或 .b，嵌入的三张表没有末尾
E5_EMBEDDINGS = {"emb.word": "tokens", "emb.pos": "positions", "emb.type": "segments", "emb.ln": "norm"}
E5_LAYER = {
    "q": "self_attn.q_proj", "k": "self_attn.k_proj", "v": "self_attn.v_proj", "ao": "self_attn.out_proj",
    "aln": "norm1", "fi": "ffn.linear1", "fo": "ffn.linear2", "oln": "norm2",
}  # fmt: skip


def e5_name(key: str) -> str | None:
    """把内置的多语 BERT 的文件里的一个权重名译成我们的；译不出来就返回 None。"""
    stem, _, end = key.rpartition(".")
    if key in E5_EMBEDDINGS:
        return f"embeddings.{E5_EMBEDDINGS[key]}.weight"
    kind = {"w": "weight", "b": "bias"}.get(end)
    if stem in E5_EMBEDDINGS:
        return kind and f"embeddings.{E5_EMBEDDINGS[stem]}.{kind}"
    layer = re.fullmatch(r"l([0-9]+)\.(\w+)", stem)
    if not kind or not layer or layer[2] not in E5_LAYER:
        return None
    return f"encoder.layers.{layer[1]}.{E5_LAYER[layer[2]]}.{kind}"


# ---- ViT

VIT_NAMES = {
    "embeddings.cls_token": "cls_token",
    "embeddings.position_embeddings": "positions",
    "embeddings.patch_embeddings.projection": "patch_embedding",
    "layernorm": "encoder.norm",
    "classifier": "head",
}
VIT_NAMES |= in_layers(  # 文件里的写法
    "encoder.layer", "encoder.layers",
    {
        "layernorm_before": "norm1", "attention.attention.query": "self_attn.q_proj", "attention.attention.key": "self_attn.k_proj",
        "attention.attention.value": "self_attn.v_proj", "attention.output.dense": "self_attn.out_proj",
        "layernorm_after": "norm2", "intermediate.dense": "ffn.linear1", "output.dense": "ffn.linear2",
    },
)  # fmt: skip
VIT_NAMES |= in_layers(  # 新版 transformers 在内存里的写法
    "layers", "encoder.layers",
    {
        "layernorm_before": "norm1", "attention.q_proj": "self_attn.q_proj", "attention.k_proj": "self_attn.k_proj",
        "attention.v_proj": "self_attn.v_proj", "attention.o_proj": "self_attn.out_proj",
        "layernorm_after": "norm2", "mlp.fc1": "ffn.linear1", "mlp.fc2": "ffn.linear2",
    },
)  # fmt: skip
VIT_LEFT_OUT = ("pooler.",)  # 有意不装：分类头直接读 [CLS]，不经过池化层


# ---- Llama 与 Qwen

GGUF_NAMES = {"token_embd": "tokens", "output_norm": "norm", "output": "output"} | in_layers(
    "blk", "layers",
    {
        "attn_norm": "norm1", "attn_q_norm": "self_attn.q_norm", "attn_k_norm": "self_attn.k_norm", "attn_q": "self_attn.q_proj", "attn_k": "self_attn.k_proj", "attn_v": "self_attn.v_proj",
        "attn_output": "self_attn.out_proj", "ffn_norm": "norm2", "ffn_gate": "ffn.gate_proj", "ffn_up": "ffn.up_proj",
        "ffn_down": "ffn.down_proj",
    },
)  # fmt: skip
LLAMA_LEFT_OUT = "rotary_emb.inv_freq"  # 有意不装：旧的文件还存着旋转的频率，它是算出来的
LLAMA_NAMES = {"model.embed_tokens": "tokens", "model.norm": "norm", "lm_head": "output"} | in_layers(
    "model.layers", "layers",
    {
        "input_layernorm": "norm1", "self_attn.q_proj": "self_attn.q_proj", "self_attn.k_proj": "self_attn.k_proj",
        "self_attn.q_norm": "self_attn.q_norm", "self_attn.k_norm": "self_attn.k_norm",
        "self_attn.v_proj": "self_attn.v_proj", "self_attn.o_proj": "self_attn.out_proj",
        "post_attention_layernorm": "norm2", "mlp.gate_proj": "ffn.gate_proj", "mlp.up_proj": "ffn.up_proj",
        "mlp.down_proj": "ffn.down_proj",
    },
)  # fmt: skip
