import dataclasses

import pytest
import transformers

from course_lib.config import BertConfig, check_head_size


def test_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        BertConfig().d_model = 1


@pytest.mark.parametrize(
    "field", ["vocab_size", "d_model", "num_heads", "d_ff", "num_layers", "max_len", "num_segments"]
)
def test_sizes_must_be_positive(field):
    with pytest.raises(ValueError, match=f"{field}=0：应当是正整数"):
        BertConfig(**{field: 0})


def test_smallest_sizes():
    sizes = ["vocab_size", "d_model", "num_heads", "d_ff", "num_layers", "max_len", "num_segments"]
    BertConfig(**dict.fromkeys(sizes, 1))
    assert check_head_size(8, 1) == 8 and isinstance(check_head_size(8, 1), int)


def test_heads_must_divide():
    with pytest.raises(ValueError, match="d_model=100 不能被 num_heads=12 整除"):
        BertConfig(d_model=100)


def test_from_hf_says_what_is_missing():
    with pytest.raises(
        ValueError, match=r"缺少 hidden_act、hidden_dropout_prob、hidden_size、.*，不像一个 BERT 的配置"
    ):
        BertConfig.from_hf({"vocab_size": 10})


def test_defaults_are_bert_base():
    assert BertConfig() == BertConfig.from_hf(transformers.BertConfig().to_dict())


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
