"""三种尺寸：默认值出自各自的论文，冻结，坏的尺寸得到一句话。"""

import dataclasses

import pytest
import transformers

from course_lib.config import BertConfig, TransformerConfig, ViTConfig, check_head_size

SIZES = ["d_model", "num_heads", "d_ff", "num_layers"]
# 每一种：没有默认值的字段，与应当是正整数的字段
CONFIGS = {
    BertConfig: ({}, [*SIZES, "vocab_size", "max_len", "num_segments"]),
    TransformerConfig: (
        {"source_vocab": 13, "target_vocab": 11},
        [*SIZES, "source_vocab", "target_vocab", "max_len"],
    ),
    ViTConfig: ({}, [*SIZES, "image_size", "patch_size", "channels"]),
}
each_config = pytest.mark.parametrize("config", CONFIGS, ids=lambda config: config.__name__)


@each_config
def test_frozen(config):
    made = config(**CONFIGS[config][0])
    with pytest.raises(dataclasses.FrozenInstanceError):
        made.d_model = 1


@pytest.mark.parametrize("size", [0, -1])
@pytest.mark.parametrize(
    ("config", "field"), [(config, field) for config, (_, fields) in CONFIGS.items() for field in fields]
)
def test_sizes_must_be_positive(config, field, size):
    with pytest.raises(ValueError, match=f"^{field}={size}：应当是正整数。$"):
        config(**CONFIGS[config][0] | {field: size})


@each_config
def test_smallest_sizes(config):
    assert config(**dict.fromkeys(CONFIGS[config][1], 1)).d_model == 1
    assert check_head_size(8, 1) == 8 and isinstance(check_head_size(8, 1), int)


@each_config
def test_heads_must_divide(config):
    with pytest.raises(ValueError, match="d_model=100 不能被 num_heads=12 整除"):
        config(**CONFIGS[config][0] | {"d_model": 100, "num_heads": 12})


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"patch_size": 5}, "边长 224 不能被 patch_size=5 整除"),
        ({"num_classes": -1}, "num_classes=-1：应当是类别数，或者 0（不要分类头）。"),
    ],
)
def test_vit_sizes(options, words):
    with pytest.raises(ValueError, match=words):
        ViTConfig(**options)


def test_patches_are_counted():
    assert ViTConfig().num_patches == 196
    assert ViTConfig(image_size=12, patch_size=1).num_patches == 144


def test_from_hf_says_what_is_missing():
    with pytest.raises(
        ValueError, match=r"缺少 hidden_act、hidden_dropout_prob、hidden_size、.*，不像一个 BERT 的配置"
    ):
        BertConfig.from_hf({"vocab_size": 10})


def test_defaults_are_bert_base():
    assert BertConfig() == BertConfig.from_hf(transformers.BertConfig().to_dict())


def test_defaults_are_the_paper():
    config = TransformerConfig(37000, 37000)
    assert (config.d_model, config.num_heads, config.d_ff, config.num_layers) == (512, 8, 2048, 6)


def test_from_hf_translates_every_field():
    values = {
        "vocab_size": 11, "hidden_size": 12, "num_attention_heads": 3, "intermediate_size": 13,
        "num_hidden_layers": 4, "max_position_embeddings": 14, "type_vocab_size": 5, "hidden_dropout_prob": 0.6,
        "layer_norm_eps": 0.7, "hidden_act": "relu", "pad_token_id": 8,
    }  # fmt: skip
    assert BertConfig.from_hf(values | {"attention_probs_dropout_prob": 0.9}) == BertConfig(
        vocab_size=11, d_model=12, num_heads=3, d_ff=13, num_layers=4, max_len=14, num_segments=5, dropout=0.6,
        layer_norm_eps=0.7, activation="relu", pad_token_id=8,
    )  # fmt: skip
