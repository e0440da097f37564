"""编码器-解码器写出目标：带缓存的与从头算的相同，束搜索与穷举相同，抽样的频率就是模型的概率。"""

from functools import partial
from itertools import product
from unittest.mock import patch

import pytest
import torch
from samples import PAD, lively, ragged, shaken, transformer
from torch.nn.functional import pad
from torch.testing import assert_close

from course_lib.config import TransformerConfig
from course_lib.sampling import sampler
from course_lib.transformer import Transformer
from course_lib.translation import beam_search, log_probability, translate

BOS, EOS = 1, 2
WAYS = {"greedy": translate, "sampled": partial(translate, choose=sampler()), "beam": beam_search}
EVERY_WAY = pytest.mark.parametrize("decode", WAYS.values(), ids=WAYS)
BOTH_NORMS = pytest.mark.parametrize("norm_first", [False, True])


@EVERY_WAY
def test_the_ends_are_tokens_of_the_vocabulary(decode):
    config = TransformerConfig(7, 5, d_model=8, num_heads=2, d_ff=8, num_layers=1, eos_id=5)
    with pytest.raises(ValueError, match=r"^eos_id=5：应当是词表里的编号，在 0 到 4 之间。$"):
        decode(Transformer(config).eval(), ragged(1, 7), 4)


@EVERY_WAY
def test_broken_scores_are_refused(decode):
    model = tiny_model(0)
    model.target_embedding.weight[3, 0] = torch.nan
    with pytest.raises(ValueError, match=r"^分数里有 NaN"):
        decode(model, ragged(1, 7), 4)


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


def padded(targets) -> torch.Tensor:
    longest = max(map(len, targets))
    return torch.tensor([[*ids, *[PAD] * (longest - len(ids))] for ids in targets])


def next_log_p(model, source, ids):
    """不用缓存，不用批：接在 ids 后面的各个词元的对数概率。"""
    logits = model(source[source != PAD][None], torch.tensor([ids]))[0, -1].clone()
    logits[PAD] = -torch.inf
    return logits.log_softmax(dim=-1)


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


def scores_of_all(model, row, targets):
    return log_probability(model, row.repeat(len(targets), 1), padded(targets))


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


def always(model, token, others=-torch.inf):
    """换掉 model 的分数：无论读写到哪里，token 都最高，其余的都是 others。"""

    def logits(hidden):
        return torch.full((*hidden.shape[:-1], 11), others).index_fill(-1, torch.tensor([token]), 100.0)

    return patch.object(model, "logits", logits)


# ---- 几种写法都一样的


@pytest.mark.parametrize(("dtype", "atol"), [(torch.float32, 1e-5), (torch.float64, 1e-12)])
@BOTH_NORMS
@pytest.mark.parametrize("decode", [WAYS["greedy"], WAYS["sampled"]], ids=["greedy", "sampled"])
def test_cached_logits_equal_full_recomputation(dtype, atol, norm_first, decode):
    model, source = lively(norm_first).to(dtype), ragged()
    torch.manual_seed(0)
    output, steps, positions = recorded(model, lambda: decode(model, source, 9))
    assert positions == [1] * (output.size(1) - 1)  # 每一步只算最新的一个位置
    assert_close(steps, model(source, output[:, :-1]), atol=atol, rtol=0)


@pytest.mark.parametrize("decode", [translate, beam_search])
def test_a_batch_equals_one_at_a_time(decode):
    model, source = lively(), ragged()
    together = decode(model, source, 9)
    assert torch.equal(decode(model, pad(source, (0, 3)), 9), together)
    for row, target in zip(source, together, strict=True):
        assert trim(decode(model, row[row != PAD][None], 9)[0]) == trim(target)


@EVERY_WAY
@pytest.mark.parametrize("seed", range(3))
def test_form_of_the_output(decode, seed):
    """以开头开始；写到结尾之后只有填充，之前没有；不比最长的一行长。"""
    output = decode(tiny_model(seed, 3.0), ragged(24, 7, 6), 6)
    assert output.dtype == torch.long and output.size(0) == 24 and 2 <= output.size(1) <= 6
    rows = [trim(row) for row in output]
    assert max(map(len, rows)) == output.size(1)
    for ids in rows:
        assert ids[0] == BOS and EOS not in ids[1:-1]
        assert ids[-1] == EOS or len(ids) == 6


@EVERY_WAY
def test_stops_when_every_row_is_finished(decode):
    """只有一种写法时，束里其余的几条分数是负无穷，也不必等它们写完。"""
    model = transformer()
    with always(model, EOS):
        output, _, positions = recorded(model, lambda: decode(model, ragged(4), 9))
    assert output.tolist() == [[BOS, EOS]] * 4 and positions == [1]


@EVERY_WAY
def test_padding_is_never_written(decode):
    model = transformer()
    with always(model, PAD, others=0.0):
        assert (decode(model, ragged(4), 5)[:, 1] != PAD).all()
        written = torch.tensor([[BOS, 3, EOS]])
        assert log_probability(model, ragged(1), written).item() == pytest.approx(2 * torch.tensor(0.1).log())


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision(dtype):
    model, source = transformer().to(dtype), ragged(3)
    for decode in WAYS.values():
        assert decode(model, source, 5).shape[0] == 3
    target = translate(model, source, 5)
    assert log_probability(model, source, target).dtype == torch.float32
    assert not log_probability(model, source, target).requires_grad  # 参数记梯度，结果不记


# ---- 一步挑一个


@BOTH_NORMS
def test_greedy_matches_a_slow_loop(norm_first):
    """束宽为 1 的慢办法就是贪心，与修正无关；束宽为 1 的束搜索也是。"""
    model, source = lively(norm_first), ragged()
    output = translate(model, source, 9)
    got = [trim(row) for row in output]
    assert got == [slow_beam(model, row, 9, 1, 0.0) for row in source]
    assert len(set(map(tuple, got))) > 2 and len(set(map(len, got))) > 1
    for length_penalty in (0.0, 0.6):
        assert torch.equal(beam_search(model, source, 9, 1, length_penalty), output)


def test_sampled_frequencies_are_the_probabilities():
    """整条目标的频率应当是它的概率，误差在四个标准误之内。"""
    model, source, count = tiny_model(1, 3.0), ragged(2, 7, 3), 4000
    targets = list(every_target(model, 4))
    for row in source:
        choose = sampler(generator=torch.Generator().manual_seed(0))
        written = [tuple(trim(ids)) for ids in translate(model, row.repeat(count, 1), 4, choose)]
        p = scores_of_all(model, row, targets).exp()
        for ids, expected in zip(targets, p.tolist(), strict=True):
            error = (expected * (1 - expected) / count) ** 0.5
            assert abs(written.count(tuple(ids)) / count - expected) < 4 * error + 1 / count
        assert p.max() < 0.9


def test_choose_sees_what_is_written():
    seen = []

    def choose(logits, ids):
        assert logits.shape == (2, 11) and logits[:, PAD].isneginf().all()
        seen.append(ids)
        return torch.full((2,), len(seen) + 2)

    assert translate(transformer(), ragged(2), 4, choose).tolist() == [[BOS, 3, 4, 5]] * 2
    assert [ids.tolist() for ids in seen] == [[[BOS, 3, 4][:n]] * 2 for n in (1, 2, 3)]


# ---- 束搜索


@pytest.mark.parametrize("alpha", [0.0, 0.6, 2.0, -1.0])
def test_a_beam_of_everything_finds_the_best(alpha):
    """束宽不小于写法的总数，就是穷举；有没有长度修正都一样。"""
    best_is_greedy, best_is_likeliest = [], []
    for seed in (2, 4, 6, 7):  # 贪心、概率最大与修正之后最好，三者常常不同的几个
        model, source = tiny_model(seed, 2.0), ragged(3, 7, 3)
        targets = list(every_target(model, 5))
        assert len(targets) == 1 + 3 + 9 + 27 + 81
        output = beam_search(model, source, 5, len(targets), alpha)
        for row, got, first in zip(source, output, translate(model, source, 5), strict=True):
            scored = list(zip(targets, scores_of_all(model, row, targets).tolist(), strict=True))
            best = max(scored, key=lambda beam: corrected(*beam, alpha))
            assert trim(got) == best[0]
            best_is_greedy.append(best[0] == trim(first))
            best_is_likeliest.append(best == max(scored, key=lambda beam: beam[1]))
    assert not all(best_is_greedy)
    assert alpha != 0 or all(best_is_likeliest)
    assert alpha != 2.0 or not all(best_is_likeliest)  # 修正得重，会改变选择


@pytest.mark.parametrize("width", [2, 3, 5])
def test_beam_matches_a_slow_loop(width):
    differs = 0
    for seed, alpha in product((2, 4, 6, 7), (0.0, 1.0)):
        model, source = tiny_model(seed, 2.0), ragged(5, 7, 4)
        got = [trim(row) for row in beam_search(model, source, 6, width, alpha)]
        assert got == [slow_beam(model, row, 6, width, alpha) for row in source]
        differs += got != [trim(row) for row in translate(model, source, 6)]
    assert differs > 0


def test_default_beam_matches_a_slow_loop():
    """两层、十一个词元的模型，默认的束宽与长度修正；每一步也只算一个位置。"""
    model, source = lively(), ragged(6)
    output, steps, positions = recorded(model, lambda: beam_search(model, source, 9))
    assert [trim(row) for row in output] == [slow_beam(model, row, 9, 4, 0.6) for row in source]
    assert set(positions) == {1} and steps.shape[0] == 24


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


# ---- 对数概率


@BOTH_NORMS
def test_log_probability_is_the_sum_of_the_steps(norm_first):
    model, source = lively(norm_first), ragged(4)
    targets = [[BOS, 5, 9, EOS], [BOS, EOS], [BOS, 7, 7, 10, 3], [BOS, 4, EOS]]
    together = log_probability(model, source, padded(targets))
    for row, ids, got in zip(source, targets, together, strict=True):
        steps = [next_log_p(model, row, ids[:n])[ids[n]] for n in range(1, len(ids))]
        assert_close(got, sum(steps), atol=1e-5, rtol=1e-5)
    shortest = log_probability(model, source[1:2], torch.tensor([[BOS, EOS]]))
    assert_close(shortest, together[1:2], atol=1e-5, rtol=1e-5)


def test_probabilities_of_all_targets_sum_to_one():
    model = tiny_model(0, 3.0)
    for row in ragged(2, 7, 3):
        total = scores_of_all(model, row, list(every_target(model, 5))).exp().sum()
        assert_close(total, torch.tensor(1.0), atol=1e-5, rtol=0)


# ---- 不合理的要求


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


@EVERY_WAY
@pytest.mark.parametrize("max_len", [1, 0, 10])
def test_wrong_max_len(decode, max_len):
    with pytest.raises(ValueError, match=f"^max_len={max_len}：应当在 2 与模型的上限 9 之间。$"):
        decode(transformer(), ragged(2), max_len)


@pytest.mark.parametrize("width", [0, -2])
def test_wrong_beam_width(width):
    with pytest.raises(ValueError, match=f"^beam_width={width}：束宽应当至少是 1。$"):
        beam_search(transformer(), ragged(2), 5, width)


@pytest.mark.parametrize("decode", [*WAYS.values(), log_probability])
def test_training_mode_is_refused(decode):
    last = torch.tensor([[BOS, EOS]]) if decode is log_probability else 5
    message = r"^模型在训练模式，dropout 会让每次的结果都不同：请先调用 model\.eval\(\)。$"
    with pytest.raises(ValueError, match=message):
        decode(transformer().train(), ragged(1), last)
