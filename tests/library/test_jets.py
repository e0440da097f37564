"""喷注：造出的数据守住说明里的话，质量与两两公式相同，分类器不看次序也不看填充，本底压低数得对。"""

import math

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from sklearn.metrics import roc_auc_score
from torch.testing import assert_close

from course_lib.tasks.jet_classifiers import DeepSets, FlatMLP, JetClassifier, background_rejection
from course_lib.tasks.jet_features import jet_mass, jet_variables, network_inputs, shuffle_particles
from course_lib.tasks.jets import jets

MODELS = [JetClassifier, DeepSets]
EVERY = [*MODELS, FlatMLP]


def build(kind, **options):
    torch.manual_seed(0)
    return kind(**options).double().eval()


def batch(count=6):
    features, mask, _ = jets(count, seed=3)
    return features.double(), mask


def test_the_seed_decides():
    first, again, other = jets(40, seed=5), jets(40, seed=5), jets(40, seed=6)
    assert all(torch.equal(a, b) for a, b in zip(first, again, strict=True))
    assert not torch.equal(first.features, other.features)
    assert first.features.dtype == torch.float32 and first.mask.dtype == torch.bool


@pytest.mark.parametrize(("count", "size"), [(2, 1), (50, 30), (50, 100)])
def test_shapes_order_and_padding(count, size):
    features, mask, labels = jets(count, seed=1, max_particles=size)
    assert features.shape == (count, size, 3) and mask.shape == (count, size)
    assert labels.sum() == count // 2
    pt = features[..., 0]
    assert (pt[:, 1:] <= pt[:, :-1]).all() and (pt[mask] > 0.5).all()
    assert (features[~mask] == 0).all() and mask[:, 0].all()
    assert (mask[:, 1:] <= mask[:, :-1]).all()


def test_the_hardest_come_first_whatever_the_size():
    assert_close(jets(20, seed=1, max_particles=5).features, jets(20, seed=1).features[:, :5])


def test_directions_are_relative_to_the_axis():
    features = jets(300, seed=2, max_particles=72).features
    pt, direction = features[..., :1], features[..., 1:]
    centre = (pt * direction).sum(dim=1) / pt.sum(dim=1)
    assert centre.abs().max() < 1e-5
    assert direction.norm(dim=-1).max() < 1.6  # 离开两根分叉的中心不到 R，中心再移也不到 R
    assert jets(300, seed=2, radius=0.4).features[..., 1:].norm(dim=-1).max() < 0.8


def test_soft_particles_fly_wider():
    features, mask, _ = jets(2000, seed=4)
    pt, distance = features[..., 0][mask], features[..., 1:].norm(dim=-1)[mask]
    assert distance[pt < 2].mean() > 1.5 * distance[pt > 20].mean()


def test_the_task_is_neither_trivial_nor_one_variable():
    features, mask, labels = jets(8000, seed=7)
    mass, count = jet_mass(features, mask), mask.sum(dim=1)
    heavy = mass[labels == 1]
    assert 88 < heavy.median() < 106 and heavy.quantile(0.9) - heavy.quantile(0.1) < 30
    light = mass[labels == 0]
    assert light.quantile(0.9) - light.quantile(0.1) > 50
    window = -(mass - heavy.median()).abs()
    assert 0.75 < roc_auc_score(labels, window) < 0.9
    assert 0.6 < roc_auc_score(labels, -count) < 0.75
    assert abs(roc_auc_score(labels, features[..., 0].sum(dim=1)) - 0.5) < 0.05


@pytest.mark.parametrize(
    "options", [{"count": 3}, {"count": 0}, {"max_particles": 0}, {"radius": 0.0}, {"radius": math.inf}]
)
def test_jets_refuses(options):
    ((name, value),) = options.items()
    with pytest.raises(ValueError, match=f"{name}={value}"):
        jets(**({"count": 4} | options))


def test_mass_is_the_pairwise_formula():
    features, mask = batch()
    pt, eta, phi = features.unbind(-1)
    pair = (eta[:, :, None] - eta[:, None]).cosh() - (phi[:, :, None] - phi[:, None]).cos()
    squared = (pt[:, :, None] * pt[:, None] * pair).sum(dim=(1, 2))  # 两种次序各一次，正好是 2 倍
    assert_close(jet_mass(features, mask), squared.sqrt(), atol=1e-6, rtol=0)
    moved = features + torch.tensor([0.0, 0.7, -1.2])  # 换一根轴；填充处的垃圾不作数
    assert_close(jet_mass(moved, mask), jet_mass(features, mask), atol=1e-6, rtol=0)


def test_mass_by_hand():
    two = torch.tensor([[[300.0, 0.1, 0.0], [200.0, -0.15, 0.0]]])
    by_hand = math.sqrt(2 * 300 * 200 * (math.cosh(0.25) - 1))
    assert jet_mass(two, torch.tensor([[True, True]])).item() == pytest.approx(by_hand, rel=1e-5)
    assert jet_mass(two, torch.tensor([[True, False]])).item() < 1e-3


def test_variables_by_hand():
    two = torch.tensor([[[300.0, 0.3, 0.4], [100.0, 0.0, -0.1], [0.0, 0.0, 0.0]]])
    mask = torch.tensor([[True, True, False]])
    mass, *others = jet_variables(two, mask)[0].tolist()
    assert mass == pytest.approx(jet_mass(two, mask).item())
    assert others == pytest.approx([2, 0.75, (300 * 0.5 + 100 * 0.1) / 400, 400])
    features, mask = batch()
    longer = F.pad(features, (0, 0, 0, 4)), F.pad(mask, (0, 4))
    assert_close(jet_variables(*longer), jet_variables(features, mask))


def test_inputs_are_the_formula_and_ignore_padding():
    features, mask = batch()
    got = network_inputs(features, mask)
    pt, direction = features[..., :1], features[..., 1:]
    assert_close(got[mask], torch.cat([(pt.log() - 2) / 1.5, 5 * direction], dim=-1)[mask])
    assert (got[~mask] == 0).all() and (~mask).any()
    for garbage in (math.nan, math.inf, -7.0):
        assert torch.equal(network_inputs(features.masked_fill(~mask[..., None], garbage), mask), got)
    assert abs(got[mask].mean()) < 0.5 and 0.5 < got[mask].std() < 2


def test_with_positions_the_order_matters():
    model, (features, mask) = build(JetClassifier, positions=True), batch()
    assert (model(*shuffle_particles(features, mask)) - model(features, mask)).abs().max() > 1e-3


@pytest.mark.parametrize("kind", [*MODELS, lambda: JetClassifier(positions=True)])
def test_padding_does_not_matter(kind):
    model, (features, mask) = build(kind), batch()
    longer = F.pad(features, (0, 0, 0, 9), value=math.nan), F.pad(mask, (0, 9))
    assert_close(model(*longer), model(features, mask), atol=1e-10, rtol=0)
    alone = torch.cat([model(x[None, m], m[None, m]) for x, m in zip(features, mask, strict=True)])
    assert_close(alone, model(features, mask), atol=1e-10, rtol=0)


def test_classifier_is_the_plain_computation():
    model, (features, mask) = build(JetClassifier), batch()
    for i in range(len(features)):
        x = model.embed(network_inputs(features[i : i + 1, mask[i]], mask[i : i + 1, mask[i]]))
        hidden = model.encoder(torch.cat([model.cls[None, None], x], dim=1)).last_hidden_state
        assert_close(model(features, mask)[i], model.head(hidden[0, 0]), atol=1e-10, rtol=0)
    assert model.tokens(features, mask).shape == (6, 31, 32)


def test_attention_of_cls_skips_the_padding():
    model, (features, mask) = build(JetClassifier), batch()
    layers = model.encode(features, mask, need_weights=True).attentions
    assert len(layers) == 2 and layers[0].shape == (6, 2, 31, 31)
    for weights in layers:
        seen = weights[:, :, 0]
        assert_close(seen.sum(dim=-1), torch.ones_like(seen[..., 0]))
        assert (seen[..., 1:].masked_select(~mask[:, None]) == 0).all()


def test_deep_sets_is_the_plain_computation():
    model, (features, mask) = build(DeepSets), batch()
    for i in range(len(features)):
        x = network_inputs(features[i : i + 1], mask[i : i + 1])[0, mask[i]]
        assert_close(model(features, mask)[i], model.rho(sum(map(model.phi, x)) / 10), atol=1e-10, rtol=0)


def test_shuffling_keeps_the_particles_and_the_padding():
    features, mask = batch()
    moved, same = shuffle_particles(features, mask)
    assert torch.equal(same, mask) and (moved[~mask] == 0).all() and not torch.equal(moved, features)
    for before, after in zip(features, moved, strict=True):
        assert sorted(before.tolist()) == sorted(after.tolist())


def test_the_flat_one_goes_by_seats():
    model, (features, mask) = build(FlatMLP), batch()
    x = network_inputs(features, mask).flatten(1)
    for layer in model.net[1:]:
        x = layer(x)
    assert_close(model(features, mask), x)
    assert (model(*shuffle_particles(features, mask)) - model(features, mask)).abs().max() > 1e-3


@pytest.mark.parametrize("kind", EVERY)
def test_every_parameter_learns(kind):
    features, mask, labels = jets(8, seed=3)
    model = kind()
    F.cross_entropy(model(features, mask), labels).backward()
    assert all(p.grad is not None and p.grad.isfinite().all() for p in model.parameters())
    assert kind is not JetClassifier or model.cls.grad.abs().max() > 0


def test_similar_sizes():
    ours, *others = (sum(p.numel() for p in kind().parameters()) for kind in EVERY)
    assert all(abs(ours - other) < 0.1 * ours for other in others)


def without_particles(features, mask):
    return features, mask & (torch.arange(6) != 4)[:, None]


def put(value, index):
    def spoil(features, mask):
        features[index] = value
        return features, mask

    return spoil


@pytest.mark.parametrize("kind", EVERY)
@pytest.mark.parametrize(
    ("spoil", "error", "message"),
    [
        (without_particles, ValueError, "第 4 个喷注一个粒子也没有"),
        (put(math.nan, (2, 1, 2)), ValueError, "第 2 个喷注的第 1 个粒子.*nan"),
        (put(math.inf, (5, 0, 0)), ValueError, "第 5 个喷注的第 0 个粒子.*inf"),
        (put(-1.0, (3, 2, 0)), ValueError, "第 3 个喷注的第 2 个粒子.*-1.0"),
        (lambda x, m: (x, torch.ones_like(m)), ValueError, "第 0 个喷注.*请在 mask 里标成 False"),
        (lambda x, m: (x[0], m[0]), ValueError, r"\(30, 3\) 与 \(30,\)"),
        (lambda x, m: (x[..., :2], m), ValueError, r"\(6, 30, 2\) 与 \(6, 30\)"),
        (lambda x, m: (x, m[:, :20]), ValueError, r"\(6, 30, 3\) 与 \(6, 20\)"),
        (lambda x, m: (x[:0], m[:0]), ValueError, r"\(0, 30, 3\)"),
        (lambda x, m: (x[:, :0], m[:, :0]), ValueError, r"\(6, 0, 3\)"),
        (lambda x, m: (x, m.long()), TypeError, "torch.int64"),
    ],
)
def test_wrong_inputs(kind, spoil, error, message):
    with pytest.raises(error, match=message):
        build(kind)(*spoil(*batch()))


def by_counting(labels, scores, efficiency):
    signal = np.sort(scores[labels == 1])[::-1]
    cut = signal[math.ceil(efficiency * len(signal) - 1e-9) - 1]
    passed = int((scores[labels == 0] >= cut).sum())
    return (labels == 0).sum() / passed if passed else math.inf, passed


@pytest.mark.parametrize("efficiency", [0.01, 0.3, 0.5, 0.7, 1.0])
@pytest.mark.parametrize("ties", [False, True])
def test_rejection_is_counting(efficiency, ties):
    rng = np.random.default_rng(0)
    labels = rng.permutation(700) % 2
    scores = rng.normal(labels * 1.0)
    scores = scores.round() if ties else scores
    got = background_rejection(torch.tensor(labels), torch.tensor(scores), efficiency)
    assert got == pytest.approx(by_counting(labels, scores, efficiency))


def test_rejection_by_hand_and_without_background():
    labels = [1, 0, 1, 0, 1, 0, 1, 0]
    scores = [8, 5, 7, 4, 3, 2, 1, 0]  # 效率 75% 的阈值是 3，混进两个
    assert background_rejection(labels, scores, 0.75) == (2.0, 2)
    assert background_rejection(labels, scores, 0.5) == (math.inf, 0)
    assert background_rejection(labels, np.zeros(8), 0.5) == (1.0, 4)


@pytest.mark.parametrize(
    ("labels", "efficiency", "message"),
    [
        ([0, 1], 0.0, "efficiency=0.0"),
        ([0, 1], 1.1, "efficiency=1.1"),
        ([1, 1], 0.5, "0 个"),
        ([0, 0], 0.5, "2 个"),
    ],
)
def test_rejection_refuses(labels, efficiency, message):
    with pytest.raises(ValueError, match=message):
        background_rejection(labels, [0.1, 0.2], efficiency)
