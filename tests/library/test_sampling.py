"""挑词元：整理与惩罚同手算的、同 transformers 的相同，抽到的比例就是概率。"""

from itertools import product

import pytest
import torch
from torch.testing import assert_close
from transformers import (
    LogitsProcessorList,
    MinPLogitsWarper,
    RepetitionPenaltyLogitsProcessor,
    TemperatureLogitsWarper,
    TopKLogitsWarper,
    TopPLogitsWarper,
)

from course_lib.sampling import most_likely, narrow, penalize, sampler

P = torch.tensor([0.1, 0.5, 0.15, 0.25])
NAN = float("nan")


def dice(seed=0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


# ---- narrow


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, [0.1, 0.5, 0.15, 0.25]),
        ({"top_k": 9}, [0.1, 0.5, 0.15, 0.25]),
        ({"top_k": 2}, [0, 2 / 3, 0, 1 / 3]),
        ({"top_p": 0.4}, [0, 1, 0, 0]),
        ({"top_p": 0.6}, [0, 2 / 3, 0, 1 / 3]),  # 跨过 0.6 的那一个也留
        ({"top_p": 1e-9}, [0, 1, 0, 0]),
        ({"min_p": 0.4}, [0, 2 / 3, 0, 1 / 3]),
        ({"temperature": 0.5}, (P**2 / (P**2).sum()).tolist()),
        ({"top_k": 2, "top_p": 0.7}, [0, 2 / 3, 0, 1 / 3]),  # 先留两个，再在两个里重新算
        ({"top_k": 2, "top_p": 0.6}, [0, 1, 0, 0]),
        ({"temperature": 0.5, "top_p": 0.75}, [0, 0.8, 0, 0.2]),
    ],
)
def test_narrow_by_hand(options, expected):
    logits, expected = P.log() + 3, torch.tensor(expected, dtype=torch.float)  # 同加一个数，不应当有影响
    before = logits.clone()
    got = narrow(logits, **options)
    assert torch.equal(logits, before)
    assert_close(got.softmax(dim=-1), expected, atol=1e-6, rtol=1e-5)
    assert torch.equal(got.isfinite(), expected > 0)
    assert_close(got[expected > 0], logits[expected > 0] / options.get("temperature", 1.0))


def test_narrow_matches_transformers():
    logits = torch.randn(16, 50, generator=dice()) * 2
    for temperature, *limits in product(
        (0.3, 1.0, 2.5), (None, 1, 5, 60), (None, 0.05, 0.5, 0.93), (None, 1e-6, 0.05, 0.4, 1.0)
    ):
        warpers = (TopKLogitsWarper, TopPLogitsWarper, MinPLogitsWarper)
        given = [w(limit) for w, limit in zip(warpers, limits, strict=True) if limit is not None]
        # 参考实现的 min-p 看的是截过之后的概率，最大的一个总在，比的就是同一个数
        expected = LogitsProcessorList([TemperatureLogitsWarper(temperature), *given])(None, logits)
        assert_close(narrow(logits, temperature, *limits), expected)


def test_each_row_is_narrowed_by_itself():
    logits = torch.randn(2, 3, 6, generator=dice())
    logits[..., 0] = -torch.inf
    got = narrow(logits, 0.7, 4, 0.8, 0.1)
    for i, j in product(range(2), range(3)):
        assert torch.equal(got[i, j], narrow(logits[i, j], 0.7, 4, 0.8, 0.1))
    assert got[..., 0].isneginf().all() and got.isfinite().any(dim=-1).all()


def test_ties_keep_the_smaller_id():
    for options, kept in (({"top_k": 2}, 2), ({"top_p": 0.5}, 2), ({"top_p": 0.51}, 3), ({"top_k": 1}, 1)):
        assert narrow(torch.zeros(2, 4), **options).isfinite().tolist() == [[i < kept for i in range(4)]] * 2
    two_best = torch.tensor([0.0, 1.0, 0.0, 1.0, 0.0])
    assert narrow(two_best, top_k=3).isfinite().tolist() == [True, True, False, True, False]
    assert narrow(two_best, min_p=1.0).isfinite().tolist() == [False, True, False, True, False]
    assert most_likely(two_best[None], None).tolist() == [1]


def test_top_p_of_one_drops_nothing():
    """累加到后面，舍入之后早已是 1；不限就是不限，一个也不去掉。"""
    logits = torch.linspace(0, -40, 2000)
    assert narrow(logits, top_p=1.0).isfinite().all()
    assert not narrow(logits, top_p=1 - 1e-6).isfinite().all()


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_is_narrowed_in_full(dtype):
    """五千个一样的词元，半精度累加到中途就加不上去了；40 除以 1e-4 超出 float16，两个无穷大相减成了 NaN。"""
    kept = narrow(torch.zeros(5000, dtype=dtype), top_p=0.9).isfinite().sum()
    assert kept.item() == pytest.approx(4500, abs=2)
    logits = torch.tensor([[39.0, 40.0, -40.0, -torch.inf], [1.0, 2.0, 3.0, 4.0]], dtype=dtype)
    for options in ({}, {"top_k": 2}, {"top_p": 0.9}):
        assert narrow(logits, 1e-4, **options).softmax(dim=-1).tolist() == [[0, 1, 0, 0], [0, 0, 0, 1]]


# ---- 重复惩罚


def test_penalty_matches_transformers():
    """出现几次都只罚一次；负的编号是填充，罚不到谁。"""
    logits, ids = torch.randn(4, 30, generator=dice()), torch.randint(0, 30, (4, 7), generator=dice(1))
    ids[:, 3], before = ids[:, 0], logits.clone()
    padded = torch.cat([torch.full((4, 2), -1), ids, torch.full((4, 1), -5)], dim=1)
    for penalty in (1.0, 1.3, 0.7, 2.0):
        expected = RepetitionPenaltyLogitsProcessor(penalty)(ids, logits.clone())
        assert_close(penalize(logits, padded, penalty), expected)
    assert torch.equal(logits, before)
    assert penalize(logits.half(), ids, 1.3).dtype == torch.float16


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int16, torch.uint16, torch.bool, torch.float32])
def test_penalized_ids_are_whole_numbers(dtype):
    ids, said = torch.ones(2, 1), rf"^词元编号应当是整数（int64 或 int32），这里是 {dtype}；"
    for call in (lambda x, ids: penalize(x, ids, 2.0), sampler(repetition_penalty=2.0)):
        with pytest.raises(TypeError, match=said):
            call(torch.ones(2, 4), ids.to(dtype))
    assert_close(penalize(torch.ones(2, 4), ids.int(), 2.0), penalize(torch.ones(2, 4), ids.long(), 2.0))


# ---- 抽签


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"temperature": 0.5},
        {"top_k": 3},
        {"top_p": 0.5},
        {"min_p": 0.2},
        {"repetition_penalty": 3.0},
    ],
    ids=lambda options: "-".join(options),
)
def test_drawn_shares_are_the_probabilities(options):
    """每样设置都用得上：概率与不整理的不同，抽到的与整理过的相同。"""
    logits, ids, count = torch.randn(1, 12, generator=dice(1)) * 1.5, torch.tensor([[2, 5, 7]]), 4000
    limits = {key: value for key, value in options.items() if key != "repetition_penalty"}
    penalized = penalize(logits, ids, options.get("repetition_penalty", 1.0))
    expected = narrow(penalized, **limits).softmax(dim=-1)[0]
    choose = sampler(**options, generator=dice())
    found = choose(logits.expand(count, -1), ids.expand(count, -1)).bincount(minlength=12) / count
    assert (found[expected == 0] == 0).all()
    assert_close(found, expected, atol=0.035, rtol=0)
    assert not options or (expected - logits.softmax(dim=-1)[0]).abs().max() > 0.03


def test_the_generator_decides_the_draw():
    logits, ids = torch.randn(20, 50, generator=dice()), torch.zeros(20, 1, dtype=torch.long)
    torch.manual_seed(5)
    before = torch.get_rng_state()
    assert torch.equal(sampler(generator=dice(3))(logits, ids), sampler(generator=dice(3))(logits, ids))
    assert not torch.equal(sampler(generator=dice(3))(logits, ids), sampler(generator=dice(4))(logits, ids))
    assert torch.equal(torch.get_rng_state(), before)  # 给了发生器，就不动全局的随机数
    first = sampler()(logits, ids)
    torch.manual_seed(5)
    assert torch.equal(sampler()(logits, ids), first)


@pytest.mark.parametrize("bad", [[NAN, 0.0, 1.0], [0.0, 1.0, torch.inf], [-torch.inf] * 3])
def test_scores_to_choose_from(bad):
    """一批里有一排挑不出，就说出来；有的是 -∞ 则是常事。"""
    logits, ids = torch.tensor([[0.0, -torch.inf, 2.0], bad]), torch.zeros(2, 1, dtype=torch.long)
    for choose in (most_likely, sampler(), sampler(top_k=1, top_p=0.5), sampler(repetition_penalty=2.0)):
        with pytest.raises(ValueError, match=r"^分数里有 NaN、\+∞，或者整排都是 -∞，.*温度也不要太小。$"):
            choose(logits, ids)
        assert choose(logits[:1].expand(2, -1), ids).max() < 3
    with pytest.raises(ValueError, match="温度也不要太小"):
        sampler(1e-40)(logits[:1], ids[:1])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"temperature": 0}, "temperature=0：温度应当大于 0；想要贪心，请用 most_likely。"),
        ({"temperature": -1.5}, "temperature=-1.5：温度应当大于 0；"),
        ({"temperature": NAN}, "temperature=nan：温度应当大于 0；"),
        ({"top_k": 0}, "top_k=0：应当至少是 1。"),
        ({"top_p": 0.0}, "top_p=0.0：应当大于 0，不超过 1。"),
        ({"top_p": 1.2}, "top_p=1.2：应当大于 0"),
        ({"top_p": NAN}, "top_p=nan：应当大于 0"),
        ({"min_p": 0.0}, "min_p=0.0：应当大于 0，不超过 1。"),
        ({"min_p": 1.5}, "min_p=1.5：应当大于 0"),
        ({"min_p": NAN}, "min_p=nan：应当大于 0"),
        ({"repetition_penalty": 0}, "repetition_penalty=0：应当大于 0，1 就是不罚。"),
        ({"repetition_penalty": NAN}, "repetition_penalty=nan：应当大于 0"),
    ],
)
def test_wrong_options(options, message):
    """造的时候就说，不等到抽签。"""
    penalty = options.get("repetition_penalty")
    use = narrow if penalty is None else lambda logits, repetition_penalty: penalize(logits, P, penalty)
    for call in (lambda: sampler(**options), lambda: use(P[None], **options)):
        with pytest.raises(ValueError, match=f"^{message}"):
            call()
