"""生成：带缓存的与从头算的相同，束搜索与穷举相同，抽样的频率就是模型的概率。"""

from copy import deepcopy
from itertools import product
from unittest.mock import patch

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import PAD, language_model, lively, ragged, shaken, transformer
from torch.nn.functional import pad
from torch.testing import assert_close
from transformers import (
    MinPLogitsWarper,
    RepetitionPenaltyLogitsProcessor,
    TemperatureLogitsWarper,
    TopKLogitsWarper,
    TopPLogitsWarper,
)

from course_lib.config import TransformerConfig
from course_lib.generation import (
    beam_search,
    generate,
    greedy,
    log_probability,
    most_likely,
    narrow,
    penalize,
    sample,
    sampler,
)
from course_lib.transformer import Transformer

BOS, EOS = 1, 2


def tiny_model(seed: int, scale: float = 1.0) -> Transformer:
    """目标的词表只有 5 个，所有的写法都数得过来；scale 越大，模型越有把握。"""
    torch.manual_seed(seed)
    config = TransformerConfig(7, 5, d_model=8, num_heads=2, d_ff=8, num_layers=1, max_len=6)
    model = shaken(Transformer(config), seed).requires_grad_(False)
    model.target_embedding.weight *= scale
    return model


def trim(row: torch.Tensor) -> list[int]:
    """去掉末尾的填充；中间不应当有。"""
    ids = row.tolist()
    kept = [i for i in ids if i != PAD]
    assert ids == kept + [PAD] * (len(ids) - len(kept))
    return kept


def next_log_p(model, source, ids):
    """不用缓存，不用批：接在 ids 后面的各个词元的对数概率。"""
    alone = source[source != PAD][None]
    logits = model(alone, torch.tensor([ids]))[0, -1].clone()
    logits[PAD] = -torch.inf
    return logits.log_softmax(dim=-1)


def slow_greedy(model, source, max_len):
    ids = [BOS]
    while len(ids) < max_len and ids[-1] != EOS:
        ids.append(int(next_log_p(model, source, ids).argmax()))
    return ids


def slow_beam(model, source, max_len, width, alpha):
    beams = [([BOS], 0.0)]
    for _ in range(max_len - 1):
        candidates = []
        for ids, score in beams:
            if ids[-1] == EOS:
                candidates.append((ids, score))
                continue
            log_p = next_log_p(model, source, ids).tolist()
            candidates += [([*ids, v], score + log_p[v]) for v in range(1, len(log_p))]
        beams = sorted(candidates, key=lambda beam: -beam[1])[:width]
    return max(beams, key=lambda beam: corrected(*beam, alpha))[0]


def corrected(ids, score, alpha):
    return score / ((5 + len(ids) - 1) / 6) ** alpha


def every_target(model, max_len):
    """所有写得出的目标：写到结尾的，和到了 max_len 还没有写完的。"""
    vocab, steps = model.config.target_vocab, max_len - 1
    for length in range(1, steps + 1):
        for ids in product(range(1, vocab), repeat=length):
            if EOS not in ids[:-1] and (ids[-1] == EOS or length == steps):
                yield [BOS, *ids]


def recorded(model, run):
    """运行 run()，返回结果、每一步的 logits（B, 步, V），以及每一步算了几个位置。"""
    seen, positions = [], []
    logits, decode = model.logits, model.decode

    def see_logits(hidden):
        seen.append(logits(hidden).clone())
        return logits(hidden)

    def see_decode(*args, **options):
        output = decode(*args, **options)
        positions.append(output.last_hidden_state.size(1))
        return output

    with patch.object(model, "logits", see_logits), patch.object(model, "decode", see_decode):
        output = run()
    return output, torch.stack(seen, dim=1), positions


# ---- 贪心与缓存


@pytest.mark.parametrize("norm_first", [False, True])
def test_greedy_matches_a_slow_loop(norm_first):
    model, source = lively(norm_first), ragged()
    got = [trim(row) for row in greedy(model, source, 9)]
    assert got == [slow_greedy(model, row, 9) for row in source]
    assert len(set(map(tuple, got))) > 2 and len(set(map(len, got))) > 1


@pytest.mark.parametrize(("dtype", "atol"), [(torch.float32, 1e-5), (torch.float64, 1e-12)])
@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize("decode", [greedy, sample])
def test_cached_logits_equal_full_recomputation(dtype, atol, norm_first, decode):
    model, source = lively(norm_first).to(dtype), ragged()
    torch.manual_seed(0)
    output, steps, positions = recorded(model, lambda: decode(model, source, 9))
    assert positions == [1] * (output.size(1) - 1)  # 每一步只算最新的一个位置
    full = model(source, output[:, :-1])
    assert steps.dtype == dtype
    assert_close(steps, full, atol=atol, rtol=0)


@pytest.mark.parametrize("decode", [greedy, beam_search])
def test_a_batch_equals_one_at_a_time(decode):
    model, source = lively(), ragged()
    together = decode(model, source, 9)
    assert torch.equal(decode(model, pad(source, (0, 3)), 9), together)
    for row, target in zip(source, together, strict=True):
        assert trim(decode(model, row[row != PAD][None], 9)[0]) == trim(target)


@pytest.mark.parametrize("decode", [greedy, sample, beam_search])
@pytest.mark.parametrize("seed", range(3))
def test_form_of_the_output(decode, seed):
    """以开头开始；写到结尾之后只有填充，之前没有；不比最长的一行长。"""
    model, source = tiny_model(seed, 3.0), ragged(24, 7, 6)
    output = decode(model, source, 6)
    assert output.dtype == torch.long and output.size(0) == 24 and 2 <= output.size(1) <= 6
    rows = [trim(row) for row in output]
    assert max(map(len, rows)) == output.size(1)
    for ids in rows:
        assert ids[0] == BOS and EOS not in ids[1:-1]
        assert ids[-1] == EOS or len(ids) == 6


@pytest.mark.parametrize("decode", [greedy, sample, beam_search])
def test_stops_when_every_row_is_finished(decode):
    model = transformer()

    def only_end(hidden):
        return torch.zeros(*hidden.shape[:-1], 11).index_fill(-1, torch.tensor([EOS]), 100.0)

    with patch.object(model, "logits", only_end):
        assert decode(model, ragged(4), 9).tolist() == [[BOS, EOS]] * 4


def test_a_beam_wider_than_the_possibilities_stops():
    """只有一种写法时，束里其余的几条分数是负无穷，不必等它们写完。"""
    model = transformer()

    def nothing_but_end(hidden):
        return torch.full((*hidden.shape[:-1], 11), -torch.inf).index_fill(-1, torch.tensor([EOS]), 0.0)

    with patch.object(model, "logits", nothing_but_end):
        output, _, positions = recorded(model, lambda: beam_search(model, ragged(2), 9))
    assert output.tolist() == [[BOS, EOS]] * 2 and len(positions) == 1


@pytest.mark.parametrize("decode", [greedy, sample, beam_search])
def test_padding_is_never_written(decode):
    model = transformer()

    def padding_first(hidden):
        return torch.zeros(*hidden.shape[:-1], 11).index_fill(-1, torch.tensor([PAD]), 100.0)

    with patch.object(model, "logits", padding_first):
        output = decode(model, ragged(4), 5)
        assert (output[:, 1] != PAD).all()
        written = torch.tensor([[BOS, 3, EOS]])
        assert log_probability(model, ragged(1), written).item() == pytest.approx(2 * torch.tensor(0.1).log())


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_runs_in_half_precision(dtype):
    model, source = transformer().to(dtype), ragged(3)
    for decode in (greedy, sample, beam_search):
        assert decode(model, source, 5).shape[0] == 3
    assert log_probability(model, source, greedy(model, source, 5)).dtype == torch.float32


def test_no_gradients_are_kept():
    model, source = transformer(), ragged(2)
    target = greedy(model, source, 4)
    assert all(p.requires_grad for p in model.parameters())
    assert not log_probability(model, source, target).requires_grad


# ---- 束搜索


@pytest.mark.parametrize("norm_first", [False, True])
def test_a_beam_of_one_is_greedy(norm_first):
    model, source = lively(norm_first), ragged()
    for length_penalty in (0.0, 0.6):
        output = beam_search(model, source, 9, 1, length_penalty)
        assert torch.equal(output, greedy(model, source, 9))


@pytest.mark.parametrize("alpha", [0.0, 0.6, 2.0, -1.0])
def test_a_beam_of_everything_finds_the_best(alpha):
    """束宽不小于写法的总数，就是穷举；有没有长度修正都一样。"""
    best_is_greedy, best_is_likeliest = [], []
    for seed in (2, 4, 6, 7):  # 贪心、概率最大与修正之后最好，三者常常不同的几个
        model, source = tiny_model(seed, 2.0), ragged(3, 7, 3)
        targets = list(every_target(model, 5))
        assert len(targets) == 1 + 3 + 9 + 27 + 81
        output = beam_search(model, source, 5, len(targets), alpha)
        padded = torch.tensor([ids + [PAD] * (5 - len(ids)) for ids in targets])
        for row, got, first in zip(source, output, greedy(model, source, 5), strict=True):
            log_p = log_probability(model, row.repeat(len(targets), 1), padded).tolist()
            best = max(zip(targets, log_p, strict=True), key=lambda beam: corrected(*beam, alpha))
            likeliest = max(zip(targets, log_p, strict=True), key=lambda beam: beam[1])
            assert trim(got) == best[0]
            best_is_greedy.append(best[0] == trim(first))
            best_is_likeliest.append(best[0] == likeliest[0])
    assert not all(best_is_greedy)
    assert alpha != 0 or all(best_is_likeliest)
    assert alpha != 2.0 or not all(best_is_likeliest)  # 修正得重，会改变选择


@pytest.mark.parametrize("width", [2, 3, 5])
def test_beam_matches_a_slow_loop(width):
    differs = 0
    for seed in (2, 4, 6, 7):
        model, source = tiny_model(seed, 2.0), ragged(5, 7, 4)
        for alpha in (0.0, 1.0):
            got = [trim(row) for row in beam_search(model, source, 6, width, alpha)]
            assert got == [slow_beam(model, row, 6, width, alpha) for row in source]
            differs += got != [trim(row) for row in greedy(model, source, 6)]
    assert differs > 0


def test_default_beam_matches_a_slow_loop():
    """两层、十一个词元的模型，默认的束宽与长度修正。"""
    model, source = lively(), ragged(6)
    got = [trim(row) for row in beam_search(model, source, 9)]
    assert got == [slow_beam(model, row, 9, 4, 0.6) for row in source]


def test_the_length_counts_the_end_but_not_the_start():
    """两种写法：只有结尾，或者多写一个 3；长度多算一个，选的就不同。"""
    model, p = transformer(), torch.tensor([0.62, 0.38])
    best = {}
    for length_penalty in (4.0, 5.0):
        first = torch.full((1, 11), -torch.inf)
        first[0, [EOS, 3]] = p.log()
        end = torch.full((1, 11), -torch.inf).index_fill(-1, torch.tensor([EOS]), 0.0)
        steps = iter([first, end, end])
        with patch.object(model, "logits", lambda hidden, steps=steps: next(steps).repeat(len(hidden), 1)):
            best[length_penalty] = beam_search(model, ragged(1), 9, 4, length_penalty)[0].tolist()
    # log 0.38 / log 0.62 ≈ 2.02，在 (7/6)^4 ≈ 1.85 与 (7/6)^5 ≈ 2.16 之间；(8/7)^5 ≈ 1.95
    assert best == {4.0: [BOS, EOS], 5.0: [BOS, 3, EOS]}


def test_every_step_of_the_beam_is_cached():
    model, source = lively(), ragged(3)
    output, steps, positions = recorded(model, lambda: beam_search(model, source, 6, 3))
    assert set(positions) == {1} and steps.shape[0] == 9
    assert len(positions) >= output.size(1) - 1


# ---- 对数概率


@pytest.mark.parametrize("norm_first", [False, True])
def test_log_probability_is_the_sum_of_the_steps(norm_first):
    model, source = lively(norm_first), ragged(4)
    targets = [[BOS, 5, 9, EOS], [BOS, EOS], [BOS, 7, 7, 10, 3], [BOS, 4, EOS]]
    padded = torch.tensor([ids + [PAD] * (6 - len(ids)) for ids in targets])
    together = log_probability(model, source, padded)
    assert together.shape == (4,)
    for row, ids, got in zip(source, targets, together, strict=True):
        steps = [next_log_p(model, row, ids[:n])[ids[n]] for n in range(1, len(ids))]
        assert_close(got, sum(steps), atol=1e-5, rtol=1e-5)


def test_probabilities_of_all_targets_sum_to_one():
    model, source = tiny_model(0, 3.0), ragged(2, 7, 3)
    targets = list(every_target(model, 5))
    padded = torch.tensor([ids + [PAD] * (5 - len(ids)) for ids in targets])
    for row in source:
        total = log_probability(model, row.repeat(len(targets), 1), padded).exp().sum()
        assert_close(total, torch.tensor(1.0), atol=1e-5, rtol=0)


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ([[1]], r"N 至少是 2，这里是 \(1, 1\)"),
        ([1, 3, 2], r"这里是 \(3,\)"),
        ([[3, 4, 2]], r"bos_id=1 开头，这里的开头有 \[3\]"),
        ([[1, 4, 2], [4, 4, 2]], r"这里的开头有 \[1, 4\]"),
    ],
)
def test_log_probability_of_a_wrong_target(target, message):
    target = torch.tensor(target)
    with pytest.raises(ValueError, match=message):
        log_probability(transformer(), ragged(len(target)), target)


# ---- 抽样


def test_the_generator_decides_the_sample():
    model, source = lively(), ragged(20)

    def draw(seed):
        return sample(model, source, 9, generator=torch.Generator().manual_seed(seed))

    assert torch.equal(draw(3), draw(3))
    assert draw(3).shape != draw(4).shape or not torch.equal(draw(3), draw(4))
    torch.manual_seed(5)
    first = sample(model, source, 9)
    torch.manual_seed(5)
    assert torch.equal(sample(model, source, 9), first)
    torch.manual_seed(5)
    before = torch.get_rng_state()
    draw(3)  # 给了发生器，就不动全局的随机数
    assert torch.equal(torch.get_rng_state(), before)


def test_sampled_frequencies_are_the_probabilities():
    """整条目标的频率应当是它的概率，误差在四个标准误之内。"""
    model, source, count = tiny_model(1, 3.0), ragged(2, 7, 3), 4000
    for row in source:
        draws = sample(model, row.repeat(count, 1), 4, generator=torch.Generator().manual_seed(0))
        written = [tuple(trim(ids)) for ids in draws]
        targets = list(every_target(model, 4))
        padded = torch.tensor([ids + [PAD] * (4 - len(ids)) for ids in targets])
        p = log_probability(model, row.repeat(len(targets), 1), padded).exp()
        for ids, expected in zip(targets, p.tolist(), strict=True):
            error = (expected * (1 - expected) / count) ** 0.5
            assert abs(written.count(tuple(ids)) / count - expected) < 4 * error + 1 / count
        assert p.max() < 0.9


@pytest.mark.parametrize("options", [{"top_k": 1}, {"top_p": 1e-6}, {"temperature": 1e-4}])
def test_sampling_from_one_token_is_greedy(options):
    model, source = lively(), ragged()
    assert torch.equal(sample(model, source, 9, **options), greedy(model, source, 9))


def test_temperature_and_top_k_reach_the_sample():
    model, count = tiny_model(1, 3.0), 3000
    row = ragged(1, 7, 3).repeat(count, 1)
    for options in ({"temperature": 0.5}, {"top_k": 2}, {"top_p": 0.6}):
        expected = narrow(next_log_p(model, row[0], [BOS])[None], **options).softmax(dim=-1)[0]
        draws = sample(model, row, 2, generator=torch.Generator().manual_seed(0), **options)[:, 1]
        found = draws.bincount(minlength=5) / count
        assert (found[expected == 0] == 0).all()
        assert_close(found, expected, atol=0.04, rtol=0)


# ---- narrow


P = torch.tensor([0.1, 0.5, 0.15, 0.25])


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, [0.1, 0.5, 0.15, 0.25]),
        ({"top_p": 1.0}, [0.1, 0.5, 0.15, 0.25]),
        ({"top_k": 9}, [0.1, 0.5, 0.15, 0.25]),
        ({"top_k": 2}, [0, 2 / 3, 0, 1 / 3]),
        ({"top_k": 1}, [0, 1, 0, 0]),
        ({"top_p": 0.4}, [0, 1, 0, 0]),
        ({"top_p": 0.6}, [0, 2 / 3, 0, 1 / 3]),  # 跨过 0.6 的那一个也留
        ({"top_p": 0.8}, [0, 5 / 9, 1.5 / 9, 2.5 / 9]),
        ({"top_p": 1e-9}, [0, 1, 0, 0]),
        ({"temperature": 0.5}, (P**2 / (P**2).sum()).tolist()),
        ({"temperature": 2.0}, (P**0.5 / (P**0.5).sum()).tolist()),
        ({"top_k": 2, "top_p": 0.7}, [0, 2 / 3, 0, 1 / 3]),  # 先留两个，再在两个里重新算
        ({"top_k": 2, "top_p": 0.6}, [0, 1, 0, 0]),
        ({"temperature": 0.5, "top_p": 0.75}, [0, 0.8, 0, 0.2]),
    ],
)
def test_narrow(options, expected):
    logits = P.log() + 3  # 同加一个数，不应当有影响
    before = logits.clone()
    got = narrow(logits, **options)
    assert got.shape == (4,) and torch.equal(logits, before)
    assert_close(got.softmax(dim=-1), torch.tensor(expected, dtype=torch.float), atol=1e-6, rtol=1e-5)
    kept = torch.tensor(expected) > 0
    assert torch.equal(got.isfinite(), kept)
    assert_close(got[kept], logits[kept] / options.get("temperature", 1.0))


def test_ties_keep_the_smaller_id():
    same = torch.zeros(2, 4)
    for options, kept in (({"top_k": 2}, 2), ({"top_p": 0.5}, 2), ({"top_p": 0.51}, 3), ({"top_k": 1}, 1)):
        expected = torch.arange(4) < kept
        assert torch.equal(narrow(same, **options).isfinite(), expected.expand(2, 4)), options
    two_best = torch.tensor([0.0, 1.0, 0.0, 1.0, 0.0])
    assert narrow(two_best, top_k=3).isfinite().tolist() == [True, True, False, True, False]


def test_top_p_of_one_drops_nothing():
    """累加到后面，舍入之后早已是 1；不限就是不限，一个也不去掉。"""
    logits = torch.linspace(0, -40, 2000)
    assert narrow(logits, top_p=1.0).isfinite().all()
    assert not narrow(logits, top_p=1 - 1e-6).isfinite().all()


def test_top_p_is_summed_in_full_precision():
    """五千个一样的词元，半精度累加到中途就再也加不上去了。"""
    for dtype in (torch.float16, torch.bfloat16):
        kept = narrow(torch.zeros(5000, dtype=dtype), top_p=0.9).isfinite().sum()
        assert kept.item() == pytest.approx(4500, abs=2)


def test_each_row_is_narrowed_by_itself():
    logits = torch.randn(2, 3, 6, generator=torch.Generator().manual_seed(0))
    logits[..., PAD] = -torch.inf
    got = narrow(logits, 0.7, 4, 0.8)
    for i in range(2):
        for j in range(3):
            assert torch.equal(got[i, j], narrow(logits[i, j], 0.7, 4, 0.8))
    assert got[..., PAD].isneginf().all() and got.isfinite().any(dim=-1).all()


@pytest.mark.parametrize("temperature", [0.3, 1.0, 2.5])
@pytest.mark.parametrize("top_k", [None, 1, 5, 60])
@pytest.mark.parametrize("top_p", [None, 0.05, 0.5, 0.93])
def test_narrow_matches_transformers(temperature, top_k, top_p):
    logits = torch.randn(16, 50, generator=torch.Generator().manual_seed(0)) * 2
    expected = TemperatureLogitsWarper(temperature)(None, logits)
    if top_k is not None:
        expected = TopKLogitsWarper(top_k)(None, expected)
    if top_p is not None:
        expected = TopPLogitsWarper(top_p)(None, expected)
    assert_close(narrow(logits, temperature, top_k, top_p), expected)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
@pytest.mark.parametrize("options", [{}, {"top_k": 2}, {"top_p": 0.9}])
def test_a_tiny_temperature_does_not_overflow(dtype, options):
    """40 除以 1e-4 已经超出 float16 的范围；两个无穷大相减，softmax 就成了 NaN。"""
    logits = torch.tensor([[39.0, 40.0, -40.0, -torch.inf], [1.0, 2.0, 3.0, 4.0]], dtype=dtype)
    got = narrow(logits, 1e-4, **options)
    assert got.dtype == torch.float32 and not got.isnan().any() and not got.isposinf().any()
    assert_close(got.softmax(dim=-1), torch.tensor([[0.0, 1, 0, 0], [0, 0, 0, 1]]))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_a_tiny_temperature_is_greedy_in_half_precision(dtype):
    model, source = lively().to(dtype), ragged()
    model.target_embedding.weight *= 30  # 分数大了才会上溢
    assert torch.equal(sample(model, source, 9, temperature=1e-4), greedy(model, source, 9))


@settings(max_examples=50, deadline=None, derandomize=True)
@given(st.lists(st.floats(-8, 8, width=32), min_size=1, max_size=12), st.floats(0.01, 1.0))
def test_top_p_keeps_just_enough(values, top_p):
    """留下的合计够 top_p，少一个就不够，而且留下的都不比去掉的小。"""
    logits = torch.tensor(values)
    p, kept = logits.softmax(dim=-1).double(), narrow(logits, top_p=top_p).isfinite()
    assert kept.any() and p[kept].sum() > top_p - 1e-6
    assert p[kept].sum() - p[kept].min() < top_p + 1e-6 or top_p == 1
    assert kept.all() or p[kept].min() >= p[~kept].max()


@pytest.mark.parametrize("temperature", [0.3, 1.0, 2.5])
@pytest.mark.parametrize(("top_k", "top_p"), [(None, None), (9, None), (None, 0.8), (20, 0.8)])
@pytest.mark.parametrize("min_p", [1e-6, 0.05, 0.4, 1.0])
def test_min_p_matches_transformers(temperature, top_k, top_p, min_p):
    logits = torch.randn(16, 50, generator=torch.Generator().manual_seed(0)) * 2
    expected = narrow(logits, temperature, top_k, top_p)
    got = narrow(logits, temperature, top_k, top_p, min_p)
    assert_close(got, MinPLogitsWarper(min_p)(None, expected))


@settings(max_examples=50, deadline=None, derandomize=True)
@given(st.lists(st.floats(-8, 8, width=32), min_size=1, max_size=12), st.floats(0.01, 1.0))
def test_min_p_keeps_what_is_likely_enough(values, min_p):
    """一个一个比：概率不到最大的 min_p 倍就去掉；正好在界上的，随舍入。"""
    logits = torch.tensor(values)
    p, kept = logits.double().softmax(dim=-1).tolist(), narrow(logits, min_p=min_p).isfinite().tolist()
    for probability, is_kept in zip(p, kept, strict=True):
        ratio = probability / max(p)
        assert is_kept == (ratio >= min_p) or ratio == pytest.approx(min_p, rel=1e-5)
    assert kept[p.index(max(p))]


def test_min_p_of_one_keeps_only_the_best():
    assert narrow(torch.tensor([1.0, 3.0, 2.0, 3.0]), min_p=1.0).isfinite().tolist() == [
        False,
        True,
        False,
        True,
    ]


# ---- 重复惩罚


@settings(max_examples=50, deadline=None, derandomize=True)
@given(
    st.lists(st.floats(-8, 8, width=32), min_size=6, max_size=6),
    st.lists(st.integers(-1, 5), min_size=1, max_size=8),
    st.floats(0.25, 4.0),
)
def test_penalty_matches_a_plain_loop(values, ids, penalty):
    expected = list(values)
    for i in set(ids) - {-1}:  # 出现几次都只罚一次；-1 是填充
        expected[i] = values[i] / penalty if values[i] > 0 else values[i] * penalty
    logits = torch.tensor([values])
    before = logits.clone()
    assert_close(penalize(logits, torch.tensor([ids]), penalty), torch.tensor([expected]))
    assert torch.equal(logits, before)


def test_penalty_matches_transformers():
    g = torch.Generator().manual_seed(0)
    logits, ids = torch.randn(4, 30, generator=g), torch.randint(0, 30, (4, 7), generator=g)
    for penalty in (1.0, 1.3, 0.7):
        expected = RepetitionPenaltyLogitsProcessor(penalty)(ids, logits.clone())
        assert_close(penalize(logits, ids, penalty), expected)
    assert penalize(logits.half(), ids, 1.3).dtype == torch.float16


# ---- 语言模型接着写


PROMPTS = torch.randint(3, 40, (4, 5), generator=torch.Generator().manual_seed(2))
LEFT = torch.tensor([[0, 0, 0, 1, 1], [1] * 5, [0, 1, 1, 1, 1], [0, 0, 1, 1, 1]])
KINDS = ["llama", "gpt"]


def unlike_the_last(logits, ids):
    """嵌入就是输出矩阵的小模型只会重复；刚写过的两个不许再写，才写得出花样。"""
    return logits.scatter(-1, ids[:, -2:], -torch.inf).argmax(dim=-1)


def slow_generate(model, ids, count, choose=most_likely, stop_ids=()):
    """不用缓存，不用批。"""
    for _ in range(count):
        chosen = choose(model(ids).logits[:, -1], ids)
        ids = torch.cat([ids, chosen[None]], dim=1)
        if int(chosen) in stop_ids:
            break
    return ids[0].tolist()


@pytest.mark.parametrize("use_cache", [True, False])
@pytest.mark.parametrize("kind", KINDS)
@torch.no_grad()
def test_generate_matches_a_slow_loop(kind, use_cache):
    model = language_model(kind)
    for choose in (most_likely, unlike_the_last):
        got = generate(model, PROMPTS, 7, choose, use_cache=use_cache)
        assert got.shape == (4, 12) and torch.equal(got[:, :5], PROMPTS)
        assert got.tolist() == [slow_generate(model, row[None], 7, choose) for row in PROMPTS]
    assert len(set(got[:, 5:].flatten().tolist())) > 3
    assert torch.equal(generate(model, PROMPTS, 7), generate(model, PROMPTS, 7, most_likely, (), None, True))


@pytest.mark.parametrize("use_cache", [True, False])
@pytest.mark.parametrize("kind", KINDS)
@torch.no_grad()
def test_a_padded_batch_is_written_as_one_at_a_time(kind, use_cache):
    model = language_model(kind)
    choose = sampler(top_k=1, repetition_penalty=1.5)  # 填充是 -1，罚不到
    for pick in (most_likely, choose):
        got = generate(model, PROMPTS, 7, pick, attention_mask=LEFT, use_cache=use_cache)
        for row, real, prompt in zip(got, LEFT.bool(), PROMPTS, strict=True):
            assert row[5:].tolist() == slow_generate(model, prompt[real][None], 7, pick)[-7:]


def test_choose_sees_the_scores_and_the_ids():
    model, calls = language_model("llama"), []

    def choose(logits, ids):
        calls.append((logits, ids))
        return most_likely(logits, ids)

    generate(model, PROMPTS, 3, choose, attention_mask=LEFT)
    assert [logits.shape for logits, _ in calls] == [(4, 40)] * 3
    assert [ids.shape for _, ids in calls] == [(4, 5), (4, 6), (4, 7)]
    for _, ids in calls:
        assert torch.equal(ids[:, :5], PROMPTS.masked_fill(LEFT == 0, -1)) and (ids[:, 5:] >= 0).all()
    calls.clear()
    generate(model, PROMPTS, 3, choose)
    assert torch.equal(calls[0][1], PROMPTS) and not calls[0][0].requires_grad


@pytest.mark.parametrize("kind", KINDS)
@torch.no_grad()
def test_generate_stops(kind):
    """写出 stop_ids 里的一个就补填充，别的行接着写；都写完就停。"""
    model = language_model(kind)
    free = generate(model, PROMPTS, 9, unlike_the_last)
    stops = [int(free[0, 6]), int(free[1, 8])]
    expected = [slow_generate(model, row[None], 9, unlike_the_last, stops) for row in PROMPTS]
    got = generate(model, PROMPTS, 9, unlike_the_last, stop_ids=iter(stops))
    assert got.size(1) == max(map(len, expected))
    for row, ids in zip(got.tolist(), expected, strict=True):
        assert row == ids + [model.config.pad_id] * (got.size(1) - len(ids))
    assert len(set(map(len, expected))) > 1
    one = generate(model, PROMPTS[:1], 9, unlike_the_last, stop_ids=[stops[0]])
    assert one[0].tolist() == expected[0]


@pytest.mark.parametrize("kind", KINDS)
@torch.no_grad()
def test_the_cache_saves_positions(kind):
    model, seen = language_model(kind), []
    hook = model.layers[0].register_forward_hook(lambda module, args, out: seen.append(args[0].shape[1]))
    head = []
    forward = type(model).head
    with patch.object(type(model), "head", lambda m, x: head.append(x.shape[1]) or forward(m, x)):
        generate(model, PROMPTS, 4)
        generate(model, PROMPTS, 4, use_cache=False)
    hook.remove()
    assert seen == [5, 1, 1, 1, 5, 6, 7, 8]
    assert head == [1] * 8  # 词表很大，只算最后一个位置的分数


def test_sampled_tokens_follow_the_probabilities():
    model, count = language_model("gpt"), 4000
    row = PROMPTS[:1]
    logits = model(row).logits[0, -1].detach()
    for options in (
        {},
        {"temperature": 0.5},
        {"top_k": 3},
        {"top_p": 0.5},
        {"min_p": 0.2},
        {"repetition_penalty": 3.0},
    ):
        penalized = penalize(logits[None], row, options.get("repetition_penalty", 1.0))[0]
        settings = {key: value for key, value in options.items() if key != "repetition_penalty"}
        expected = narrow(penalized, **settings).softmax(dim=-1)
        choose = sampler(**options, generator=torch.Generator().manual_seed(0))
        found = generate(model, row.expand(count, -1), 1, choose)[:, 5].bincount(minlength=40) / count
        assert (found[expected == 0] == 0).all()
        assert_close(found, expected, atol=0.035, rtol=0)
        if options:
            assert (expected - logits.softmax(dim=-1)).abs().max() > 0.03, options


def test_the_generator_decides_what_is_written():
    model = language_model("gpt")

    def draw(seed):
        return generate(model, PROMPTS, 8, sampler(generator=torch.Generator().manual_seed(seed)))

    assert torch.equal(draw(3), draw(3)) and not torch.equal(draw(3), draw(4))
    torch.manual_seed(5)
    first = generate(model, PROMPTS, 8, sampler())
    torch.manual_seed(5)
    assert torch.equal(generate(model, PROMPTS, 8, sampler()), first)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_generate_in_half_precision(dtype):
    model = deepcopy(language_model("llama")).to(dtype)
    steps = generate(model, PROMPTS, 6, attention_mask=LEFT)
    assert torch.equal(steps, generate(model, PROMPTS, 6, attention_mask=LEFT, use_cache=False))
    assert (
        generate(model, PROMPTS, 6, sampler(1e-4, generator=torch.Generator().manual_seed(0))).dtype
        == torch.long
    )


# ---- 不合理的要求


@pytest.mark.parametrize("count", [0, -3, 12])
def test_wrong_number_of_new_tokens(count):
    with pytest.raises(
        ValueError, match=f"^max_new_tokens={count}：应当至少是 1，加上已有的 5 个，不超过模型的上限 16。$"
    ):
        generate(language_model("gpt"), PROMPTS, count)
    assert generate(language_model("gpt"), PROMPTS, 11).size(1) == 16
    assert generate(language_model("gpt"), PROMPTS, 1).size(1) == 6


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"attention_mask": LEFT.flip(1)}, "有的行末尾是填充，.*请让分词器用 padding_side='left'。"),
        ({"attention_mask": LEFT[:, 1:]}, r"attention_mask 的形状 \(4, 4\) 应与 ids 的 \(4, 5\) 相同"),
        ({"attention_mask": 2 - LEFT}, "只能含 0 和 1"),
        (
            {"choose": lambda logits, ids: logits.argmax()},
            r"choose 应当给每行一个编号，形状 \(4,\)，这里是 \(\)。",
        ),
        ({"choose": lambda logits, ids: ids[:, -1:]}, r"形状 \(4,\)，这里是 \(4, 1\)。"),
    ],
)
def test_wrong_requests(options, message):
    with pytest.raises(ValueError, match=message):
        generate(language_model("llama"), PROMPTS, 3, **options)


def test_wrong_prompts():
    with pytest.raises(ValueError, match="词元编号 40 不在 0 到 39 之间"):
        generate(language_model("llama"), torch.tensor([[40]]), 3)
    with pytest.raises(ValueError, match=r"形状应当是 \(B, N\)"):
        generate(language_model("llama"), torch.tensor([3, 4]), 3)
    with pytest.raises(ValueError, match=r"^模型在训练模式，.*model\.eval\(\)。$"):
        generate(deepcopy(language_model("llama")).train(), PROMPTS, 3)


@pytest.mark.parametrize("penalty", [0, -1.5, float("nan")])
def test_wrong_penalty(penalty):
    message = f"^repetition_penalty={penalty}：应当大于 0，1 就是不罚。$"
    with pytest.raises(ValueError, match=message):
        sampler(repetition_penalty=penalty)
    with pytest.raises(ValueError, match=message):
        penalize(torch.randn(1, 5), torch.tensor([[1]]), penalty)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"temperature": 0}, "temperature=0：温度应当大于 0；想要贪心，请用 greedy。"),
        ({"temperature": -1.5}, "temperature=-1.5：温度应当大于 0"),
        ({"temperature": float("nan")}, "temperature=nan"),
        ({"top_k": 0}, "top_k=0：应当至少是 1。"),
        ({"top_p": 0.0}, "top_p=0.0：应当大于 0，不超过 1。"),
        ({"top_p": 1.2}, "top_p=1.2：应当大于 0"),
        ({"top_p": float("nan")}, "top_p=nan"),
        ({"min_p": 0.0}, "min_p=0.0：应当大于 0，不超过 1。"),
        ({"min_p": 1.5}, "min_p=1.5：应当大于 0"),
        ({"min_p": float("nan")}, "min_p=nan"),
    ],
)
def test_wrong_sampling_options(options, message):
    with pytest.raises(ValueError, match=message):
        sampler(**options)  # 造的时候就说，不等到抽签
    with pytest.raises(ValueError, match=message):
        narrow(torch.randn(5), **options)
    if "min_p" not in options:
        with pytest.raises(ValueError, match=message):
            sample(transformer(), ragged(2), 5, **options)


@pytest.mark.parametrize("width", [0, -2])
def test_wrong_beam_width(width):
    with pytest.raises(ValueError, match=f"beam_width={width}：束宽应当至少是 1。"):
        beam_search(transformer(), ragged(2), 5, width)


@pytest.mark.parametrize("decode", [greedy, sample, beam_search])
@pytest.mark.parametrize("max_len", [1, 0, 10])
def test_wrong_max_len(decode, max_len):
    with pytest.raises(ValueError, match=f"max_len={max_len}：应当在 2 与模型的上限 9 之间。"):
        decode(transformer(), ragged(2), max_len)


@pytest.mark.parametrize("decode", [greedy, sample, beam_search, log_probability])
def test_training_mode_is_refused(decode):
    last = torch.tensor([[BOS, EOS]]) if decode is log_probability else 5
    with pytest.raises(
        ValueError, match=r"^模型在训练模式，dropout 会让每次的结果都不同：请先调用 model\.eval\(\)。$"
    ):
        decode(transformer().train(), ragged(1), last)
