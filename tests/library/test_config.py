"""三种尺寸：默认值出自各自的论文，冻结，坏的尺寸得到一句话。"""

import dataclasses

import pytest
import transformers

from course_lib.config import (
    BertConfig,
    LanguageModelConfig,
    TransformerConfig,
    ViTConfig,
)

SIZES = ["d_model", "num_heads", "d_ff", "num_layers"]
# 每一种：没有默认值的字段，与应当是正整数的字段
CONFIGS = {
    BertConfig: ({}, [*SIZES, "vocab_size", "max_len", "num_segments"]),
    TransformerConfig: (
        {"source_vocab": 13, "target_vocab": 11},
        [*SIZES, "source_vocab", "target_vocab", "max_len"],
    ),
    LanguageModelConfig: (
        {"num_kv_heads": 1, "positions": "learned"},
        [*SIZES, "num_kv_heads", "vocab_size", "max_len"],
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


@pytest.mark.parametrize("size", [None, "12", 12.0])
@each_config
def test_sizes_are_whole_numbers(config, size):
    for field in CONFIGS[config][1]:
        with pytest.raises(TypeError, match=f"^{field}={size!r}：应当是正整数。$"):
            config(**CONFIGS[config][0] | {field: size})


@pytest.mark.parametrize("config", [BertConfig, TransformerConfig, ViTConfig])
def test_dropout_is_a_probability(config):
    for wrong in (-0.1, 2.0, float("nan")):
        with pytest.raises(ValueError, match=f"^dropout={wrong}：丢弃的概率应当在 0 到 1 之间。$"):
            config(**CONFIGS[config][0], dropout=wrong)
    assert [config(**CONFIGS[config][0], dropout=edge).dropout for edge in (0, 1)] == [0, 1]


@each_config
def test_smallest_sizes(config):
    assert config(**CONFIGS[config][0] | dict.fromkeys(CONFIGS[config][1], 1)).d_model == 1


@each_config
def test_heads_must_divide(config):
    with pytest.raises(ValueError, match="d_model=100 不能被 num_heads=12 整除"):
        config(**CONFIGS[config][0] | {"d_model": 100, "num_heads": 12})


@pytest.mark.parametrize("wrong", [-1, 20])
def test_padding_is_in_the_vocabulary(wrong):
    with pytest.raises(ValueError, match=rf"^pad_token_id={wrong}：应当是词表里的编号，在 0 到 19 之间。$"):
        BertConfig(20, pad_token_id=wrong)
    for vocabularies in ((20, 30), (30, 20)):
        with pytest.raises(ValueError, match=rf"^pad_id={wrong}：应当是词表里的编号"):
            TransformerConfig(*vocabularies, pad_id=wrong)


@pytest.mark.parametrize("wrong", [None, 1.5, "0"])
def test_padding_is_a_whole_number(wrong):
    said = rf"={wrong!r}：应当是词表里的编号，在 0 到 19 之间。$"
    with pytest.raises(TypeError, match=f"^pad_token_id{said}"):
        BertConfig(20, pad_token_id=wrong)
    with pytest.raises(TypeError, match=f"^pad_id{said}"):
        TransformerConfig(20, 20, pad_id=wrong)


def test_vit_sizes():
    for options, words in (
        ({"patch_size": 5}, "边长 224 不能被 patch_size=5 整除"),
        ({"num_classes": -1}, "num_classes=-1：应当是类别数，或者 0（不要分类头）。"),
    ):
        with pytest.raises(ValueError, match=words):
            ViTConfig(**options)
    assert ViTConfig().num_patches == 196 and ViTConfig(image_size=12, patch_size=1).num_patches == 144


def test_defaults_are_the_paper():
    config = TransformerConfig(37000, 37000)
    assert (config.d_model, config.num_heads, config.d_ff, config.num_layers) == (512, 8, 2048, 6)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"num_kv_heads": 2}, "num_heads=9 不能被 num_kv_heads=2 整除，各组分不到相同的头数。"),
        ({"num_kv_heads": 18}, "num_heads=9 不能被 num_kv_heads=18 整除"),
        ({"d_model": 27}, "每个头的宽度 3 是奇数，旋转位置编码要两个一对地转。"),
        ({"norm": "batch"}, "norm='batch'：可用的有 rms、layer。"),
        ({"positions": "sinusoidal"}, "positions='sinusoidal'：可用的有 rotary、learned。"),
        ({"ffn": "relu"}, "ffn='relu'：可用的有 swiglu、gelu。"),
    ],
)
def test_language_model_parts(options, words):
    with pytest.raises(ValueError, match=f"^{words}"):
        LanguageModelConfig(**options)
    assert LanguageModelConfig(d_model=27, positions="learned").d_model == 27  # 学来的位置不必成对


def test_gpt_is_gpt2():
    ours, theirs = LanguageModelConfig.gpt(), transformers.GPT2Config()
    assert (ours.vocab_size, ours.d_model, ours.num_heads) == (
        theirs.vocab_size,
        theirs.n_embd,
        theirs.n_head,
    )
    assert (ours.num_layers, ours.max_len) == (theirs.n_layer, theirs.n_positions)
    assert (ours.num_kv_heads, ours.d_ff, ours.norm_eps) == (12, 4 * 768, theirs.layer_norm_epsilon)
    assert (ours.norm, ours.positions, ours.ffn) == ("layer", "learned", "gelu")
    assert ours.bias and ours.tied == theirs.tie_word_embeddings
    assert ours.eos_id == theirs.eos_token_id and ours.bos_id == ours.pad_id == theirs.bos_token_id
    small = LanguageModelConfig.gpt(66, 96, 4, num_layers=2, d_ff=100, eos_id=3, norm="rms")
    assert (small.vocab_size, small.d_model, small.num_heads, small.num_kv_heads) == (66, 96, 4, 4)
    assert (small.num_layers, small.d_ff, small.eos_id, small.pad_id, small.norm) == (2, 100, 3, 65, "rms")
    with pytest.raises(ValueError, match="d_model=10 不能被 num_heads=4 整除"):
        LanguageModelConfig.gpt(66, 10, 4)
