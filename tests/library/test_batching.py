"""按长度分组送进编码器：真实词元上与整批补齐的相同，只是算得少些。"""

import pytest
import torch
from samples import bert_pair
from torch.testing import assert_close

from course_lib.batching import encode_by_length
from course_lib.bert import Bert
from course_lib.config import BertConfig

TEXTS = ("time flies like an arrow", "hi", "the bank robber sat on the river bank", "no", "yes yes")


@pytest.mark.parametrize("rows", [1, 2, 4, 9])
@pytest.mark.parametrize("which", ["ours", "theirs"])
@torch.no_grad()
def test_matches_one_padded_batch(rows, which):
    tokenizer, reference, ours = bert_pair()
    model = ours if which == "ours" else reference
    for batch in (
        tokenizer(list(TEXTS), padding=True, return_tensors="pt"),
        tokenizer(["yes", "time flies"], ["no", "like an arrow"], padding=True, return_tensors="pt"),  # 句对
    ):
        real, grouped = batch.attention_mask.bool(), encode_by_length(model, batch, rows)
        expected = model(**batch).last_hidden_state
        assert grouped.shape == expected.shape
        assert_close(grouped[real], expected[real], atol=1e-5, rtol=0)


@torch.no_grad()
def test_computes_less():
    tokenizer, _, ours = bert_pair()
    batch, seen = tokenizer(list(TEXTS), padding=True, return_tensors="pt"), []
    hook = ours.encoder.register_forward_hook(lambda module, x, output: seen.append(x[0].shape[:2]))
    encode_by_length(ours, batch, rows=2)
    hook.remove()
    lengths = sorted(batch.attention_mask.sum(dim=1).tolist())
    assert seen == [(2, lengths[1]), (2, lengths[3]), (1, lengths[4])]


def test_gradients_are_the_same():
    bert = Bert(BertConfig(20, d_model=8, num_heads=2, d_ff=16, num_layers=2, max_len=6, dropout=0.0))
    ids, mask = torch.tensor([[1, 2, 3, 4], [5, 6, 0, 0]]), torch.tensor([[1, 1, 1, 1], [1, 1, 0, 0]])
    inputs, grads = {"input_ids": ids, "attention_mask": mask}, []
    for output in (encode_by_length(bert, inputs, 1), bert(**inputs).last_hidden_state):
        bert.zero_grad()
        output[mask.bool()].square().mean().backward()
        grads.append([p.grad.clone() for p in bert.parameters()])
    assert_close(*grads, atol=1e-6, rtol=1e-5)
    assert any(grad.any() for grad in grads[0])


def test_wrong_input():
    ids, bert = torch.ones(1, 3, dtype=torch.long), torch.nn.Identity()
    with pytest.raises(
        ValueError, match=r"^按长度分组要求填充都在右边，请让分词器用 padding_side='right'。$"
    ):
        encode_by_length(bert, {"input_ids": ids, "attention_mask": torch.tensor([[0, 1, 1]])})
    with pytest.raises(ValueError, match="rows=0"):
        encode_by_length(bert, {"input_ids": ids, "attention_mask": ids}, rows=0)
