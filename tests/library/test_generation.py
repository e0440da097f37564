"""语言模型接着写：带缓存的、成批的、补了填充的，都与逐个从头算的相同。"""

from copy import deepcopy
from dataclasses import replace
from unittest.mock import patch

import pytest
import torch
from samples import language_model

from course_lib.generation import generate
from course_lib.sampling import most_likely, sampler

PROMPTS = torch.randint(3, 40, (4, 5), generator=torch.Generator().manual_seed(2))
LEFT = torch.tensor([[0, 0, 0, 1, 1], [1] * 5, [0, 1, 1, 1, 1], [0, 0, 1, 1, 1]])
KINDS = pytest.mark.parametrize("kind", ["llama", "gpt"])


def unlike_the_last(logits, ids):
    """嵌入就是输出矩阵的小模型只会重复；刚写过的两个不许再写，才写得出花样。"""
    return logits.scatter(-1, ids[:, -2:], -torch.inf).argmax(dim=-1)


@torch.no_grad()
def slow_generate(model, ids, count, choose=most_likely, stop_ids=()):
    """不用缓存，不用批。"""
    for _ in range(count):
        chosen = choose(model(ids).logits[:, -1], ids)
        ids = torch.cat([ids, chosen[None]], dim=1)
        if int(chosen) in stop_ids:
            break
    return ids[0].tolist()


@pytest.mark.parametrize("use_cache", [True, False])
@KINDS
def test_matches_a_slow_loop(kind, use_cache):
    model = language_model(kind)
    for choose in (most_likely, unlike_the_last):
        got = generate(model, PROMPTS, 7, choose, use_cache=use_cache)
        assert got.tolist() == [slow_generate(model, row[None], 7, choose) for row in PROMPTS]
    assert len(set(got[:, 5:].flatten().tolist())) > 3
    assert torch.equal(generate(model, PROMPTS, 7), generate(model, PROMPTS, 7, most_likely))


@pytest.mark.parametrize("use_cache", [True, False])
@KINDS
def test_a_padded_batch_is_written_as_one_at_a_time(kind, use_cache):
    model = language_model(kind)
    for choose in (most_likely, sampler(top_k=1, repetition_penalty=1.5)):  # 填充是 -1，罚不到
        got = generate(model, PROMPTS, 7, choose, attention_mask=LEFT, use_cache=use_cache)
        for row, real, prompt in zip(got, LEFT.bool(), PROMPTS, strict=True):
            assert row[5:].tolist() == slow_generate(model, prompt[real][None], 7, choose)[-7:]


def test_choose_sees_the_scores_and_the_ids():
    calls = []

    def choose(logits, ids):
        calls.append((logits, ids))
        return most_likely(logits, ids)

    generate(language_model("llama"), PROMPTS, 3, choose, attention_mask=LEFT)
    assert [(logits.shape, ids.shape) for logits, ids in calls] == [((4, 40), (4, n)) for n in (5, 6, 7)]
    for _, ids in calls:
        assert torch.equal(ids[:, :5], PROMPTS.masked_fill(LEFT == 0, -1)) and (ids[:, 5:] >= 0).all()
    generate(language_model("llama"), PROMPTS, 1, choose)
    assert torch.equal(calls[3][1], PROMPTS) and not calls[3][0].requires_grad


@KINDS
def test_stops(kind):
    """写出 stop_ids 里的一个就补填充，别的行接着写；都写完就停。"""
    model = language_model(kind)
    free = generate(model, PROMPTS, 9, unlike_the_last)
    stops = [int(free[0, 6]), int(free[1, 8])]
    expected = [slow_generate(model, row[None], 9, unlike_the_last, stops) for row in PROMPTS]
    got = generate(model, PROMPTS, 9, unlike_the_last, stop_ids=iter(stops))
    assert got.size(1) == max(map(len, expected)) and len(set(map(len, expected))) > 1
    for row, ids in zip(got.tolist(), expected, strict=True):
        assert row == ids + [model.config.pad_id] * (got.size(1) - len(ids))
    one = generate(model, PROMPTS[:1], 9, unlike_the_last, stop_ids=[stops[0]])
    assert one[0].tolist() == expected[0]


@KINDS
def test_the_cache_saves_positions(kind):
    model, layer, head = language_model(kind), [], []
    hook = model.layers[0].register_forward_hook(lambda module, args, out: layer.append(args[0].shape[1]))
    forward = type(model).head
    with hook, patch.object(type(model), "head", lambda m, x: head.append(x.shape[1]) or forward(m, x)):
        for use_cache in (True, False):
            generate(model, PROMPTS, 4, use_cache=use_cache)
    assert layer == [5, 1, 1, 1, 5, 6, 7, 8]
    assert head == [1] * 8  # 词表很大，只算最后一个位置的分数


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision(dtype):
    model = deepcopy(language_model("llama")).to(dtype)
    cached, anew = (generate(model, PROMPTS, 6, attention_mask=LEFT, use_cache=use) for use in (True, False))
    assert torch.equal(cached, anew)
    assert generate(model, PROMPTS, 6, sampler(1e-4)).dtype == torch.long


# ---- 不合理的要求


@pytest.mark.parametrize("stops", [None, 2, [2.5], ["</s>"]])
def test_stops_are_a_list_of_ids(stops):
    with pytest.raises(TypeError, match=r"^stop_ids 应当是一列编号，没有就不写，收到的是 .*。$"):
        generate(language_model("gpt"), PROMPTS, 2, stop_ids=stops)


def test_padding_is_a_token_of_the_vocabulary():
    """写完的行后面要补它。"""
    model = deepcopy(language_model("gpt"))
    model.config = replace(model.config, pad_id=40)
    with pytest.raises(ValueError, match=r"^pad_id=40：应当是词表里的编号，在 0 到 39 之间。$"):
        generate(model, PROMPTS, 2)


@pytest.mark.parametrize("count", [0, -3, 12])
def test_wrong_number_of_new_tokens(count):
    message = f"^max_new_tokens={count}：应当至少是 1，加上已有的 5 个，不超过模型的上限 16。$"
    with pytest.raises(ValueError, match=message):
        generate(language_model("gpt"), PROMPTS, count)
    for most in (1, 11):
        assert generate(language_model("gpt"), PROMPTS, most).size(1) == 5 + most


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"attention_mask": LEFT.flip(1)}, "有的行末尾是填充，.*请让分词器用 padding_side='left'。"),
        ({"attention_mask": LEFT[:, 1:]}, r"attention_mask 的形状 \(4, 4\) 应与 ids 的 \(4, 5\) 相同"),
        ({"attention_mask": 2 - LEFT}, "只能含 0 和 1"),
        ({"choose": lambda logits, ids: logits.argmax()}, r"^choose 应当.*形状 \(4,\)，这里是 \(\)。$"),
        ({"choose": lambda logits, ids: ids[:, -1:]}, r"形状 \(4,\)，这里是 \(4, 1\)。"),
        ({"ids": torch.tensor([[40]])}, "词元编号 40 不在 0 到 39 之间"),
        ({"ids": torch.tensor([3, 4])}, r"形状应当是 \(B, N\)"),
        ({"model": deepcopy(language_model("llama")).train()}, r"^模型在训练模式，.*model\.eval\(\)。$"),
    ],
)
def test_wrong_requests(options, message):
    with pytest.raises(ValueError, match=message):
        generate(**{"model": language_model("llama"), "ids": PROMPTS, "max_new_tokens": 3} | options)
