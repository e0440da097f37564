import dataclasses

import pytest

from course_lib.config import BertConfig


def test_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        BertConfig().d_model = 1


@pytest.mark.parametrize("field", ["vocab_size", "d_model", "num_heads", "num_layers", "max_len"])
def test_sizes_must_be_positive(field):
    with pytest.raises(ValueError, match=f"{field}=0"):
        BertConfig(**{field: 0})


def test_heads_must_divide():
    with pytest.raises(ValueError, match="d_model=100 不能被 num_heads=12 整除"):
        BertConfig(d_model=100)


def test_from_hf_says_what_is_missing():
    with pytest.raises(ValueError, match="hidden_size"):
        BertConfig.from_hf({"vocab_size": 10})
