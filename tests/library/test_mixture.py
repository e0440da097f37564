"""混合专家：与 transformers 的模块相等，路由的性质，均衡的两种办法。"""

from copy import deepcopy

import pytest
import torch
from torch import nn
from torch.testing import assert_close
from transformers import DeepseekV3Config, MixtralConfig
from transformers.models.deepseek_v3.modeling_deepseek_v3 import DeepseekV3MoE
from transformers.models.mixtral.modeling_mixtral import MixtralSparseMoeBlock

from course_lib.config import LanguageModelConfig
from course_lib.language_model import LanguageModel
from course_lib.mixture import Mixture, balance_loss, expert_load, nudge, route


def shuffled(module):
    torch.manual_seed(0)
    for tensor in (*module.parameters(), *module.buffers()):
        nn.init.normal_(tensor, std=0.3)
    return module.eval().requires_grad_(False)


def copied(theirs, ours):
    ours.requires_grad_(False).gate.weight.copy_(theirs.gate.weight)
    for i, expert in enumerate(ours.experts):
        gate, up = theirs.experts.gate_up_proj[i].chunk(2)
        expert.gate_proj.weight.copy_(gate)
        expert.up_proj.weight.copy_(up)
        expert.down_proj.weight.copy_(theirs.experts.down_proj[i])
    return ours


def deepseek(**changes):
    sizes = {"hidden_size": 32, "moe_intermediate_size": 24, "n_routed_experts": 16, "num_experts_per_tok": 5}
    config = DeepseekV3Config(n_group=4, topk_group=2, n_shared_experts=2, **sizes, **changes)
    config._experts_implementation = None
    theirs = shuffled(DeepseekV3MoE(config))
    routing = {"groups": 4, "top_groups": 2, "normalize": config.norm_topk_prob}
    ours = Mixture(32, 24, 16, 5, 2, sigmoid=True, scale=config.routed_scaling_factor, **routing)
    copied(theirs, ours).bias.copy_(theirs.gate.e_score_correction_bias)
    ours.shared.load_state_dict(theirs.shared_experts.state_dict())
    return theirs, ours


@pytest.mark.parametrize("normalize", [True, False])
def test_equals_deepseek(normalize):
    theirs, ours = deepseek(norm_topk_prob=normalize)
    x = torch.randn(3, 7, 32)
    assert_close(ours(x), theirs(x), rtol=1e-5, atol=1e-5)
    for name in ("groups", "top_groups"):  # 少了一样就不相等
        ours.routing[name] = 1 if name == "groups" else 3
        assert (ours(x) - theirs(x)).abs().max() > 1e-3
        ours.routing |= {"groups": 4, "top_groups": 2}
    ours.bias.zero_()
    assert (ours(x) - theirs(x)).abs().max() > 1e-3


def test_equals_mixtral():
    config = MixtralConfig(hidden_size=32, intermediate_size=24, num_local_experts=6, num_experts_per_tok=2)
    config._experts_implementation = None
    theirs = shuffled(MixtralSparseMoeBlock(config))
    ours = copied(theirs, Mixture(32, 24, 6, 2))
    x = torch.randn(2, 5, 32)
    assert_close(ours(x), theirs(x), rtol=1e-5, atol=1e-5)


def test_bias_moves_the_rank_and_not_the_weight():
    scores = torch.tensor([[0.9, 0.6, 0.3, 0.5]])
    weights, chosen = route(scores, 2, torch.tensor([0.0, -0.2, 0.0, 0.0]))
    assert chosen.tolist() == [[0, 3]]
    assert_close(weights, torch.tensor([[0.9, 0.5]]) / 1.4)
    assert_close(route(scores, 2, normalize=False)[0], torch.tensor([[0.9, 0.6]]))


@pytest.mark.parametrize("top_k", [1, 3, 8])
def test_choosing(top_k):
    scores = torch.rand(4, 5, 8)
    weights, chosen = route(scores, top_k)
    assert_close(weights.sum(dim=-1), torch.ones(4, 5))
    assert all(len(set(row)) == top_k for row in chosen.flatten(0, 1).tolist())
    unchosen = scores.scatter(-1, chosen, -1).max(dim=-1).values
    assert (scores.gather(-1, chosen).min(dim=-1).values >= unchosen).all()


def test_groups_are_chosen_first():
    scores = torch.tensor([[[0.9, 0.1, 0.6, 0.5]]])  # 第一组有最高的一个，第二组的两个之和更大
    assert route(scores, 2, groups=2, top_groups=1)[1].sort().values.tolist() == [[[2, 3]]]
    assert route(scores, 2)[1].sort().values.tolist() == [[[0, 2]]]


def test_only_the_chosen_are_computed():
    mixture = Mixture(8, 4, 5, 1).requires_grad_(False)
    assert mixture.shared is mixture.seen is None
    seen = []
    for i, expert in enumerate(mixture.experts):
        expert.register_forward_pre_hook(lambda m, args, i=i: seen.append((i, len(args[0]))))
    mixture(torch.randn(2, 9, 8))
    counts = torch.bincount(mixture.seen[1].flatten(), minlength=5)
    assert dict(seen) == dict(enumerate(counts.tolist())) and counts.sum() == 18


def test_nothing_to_share():
    """打分小到成了 0，权重就是 0，不是 NaN。"""
    weights, chosen = route(torch.zeros(1, 2, 4), 2)
    assert weights.tolist() == [[[0, 0]] * 2] and chosen.shape == (1, 2, 2)
    assert balance_loss(torch.zeros(2, 4), torch.zeros(2, 1, dtype=torch.long)) == 0
    assert expert_load(torch.zeros(0, 1, dtype=torch.long), 3).tolist() == [0] * 3
    assert_close(route(torch.tensor([1e-30, 3e-30]), 2)[0], torch.tensor([0.75, 0.25]))


def test_a_copy_forgets_what_was_seen():
    """seen 连着算出它的那张图，抄不了；均衡损失的梯度却要经过它。"""
    mixture = Mixture(8, 4, 5, 1)
    mixture(torch.randn(2, 9, 8)).sum().backward()
    twin = deepcopy(mixture)
    assert twin.seen is None and mixture.seen[0].requires_grad
    assert torch.equal(twin(torch.ones(1, 8)), mixture(torch.ones(1, 8)))


def test_load_and_loss():
    even, crowded = torch.arange(8)[:, None] % 4, torch.zeros(8, 1, dtype=torch.long)
    assert_close(expert_load(even, 4), torch.full((4,), 0.25))
    assert_close(balance_loss(torch.full((8, 4), 0.3), even), torch.tensor(1.0))
    one = torch.tensor([1.0, 0, 0, 0]).expand(8, 4)
    assert_close(balance_loss(one, crowded), torch.tensor(4.0))
    scores = torch.rand(4, 2, 4, requires_grad=True)
    balance_loss(scores, crowded.view(4, 2, 1)).backward()
    assert (scores.grad[..., 0] > 0).all()  # 下降就是少给忙的那个


def test_nudge():
    bias = nudge(torch.zeros(4), torch.tensor([[0], [0], [0], [1], [2], [2], [2], [3]]), 0.01)
    assert_close(bias, torch.tensor([-0.01, 0.01, -0.01, 0.01]))
    assert_close(nudge(bias, torch.arange(4)[:, None], 0.01), bias)


def test_in_a_language_model():
    config = LanguageModelConfig(vocab_size=30, d_model=16, num_heads=2, num_kv_heads=1, d_ff=8, num_layers=2)
    model = LanguageModel(config)
    for layer in model.layers:
        layer.ffn = Mixture(16, 8, 4, 2, 1)
    model.requires_grad_(False)
    ids = torch.randint(0, 30, (2, 7))
    other = ids.clone()
    other[:, 5:] = 0
    assert_close(model(ids).logits[:, :5], model(other).logits[:, :5], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((8, 4, 4, 5), "top_k=5"),
        ((8, 4, 4, 0), "top_k=0"),
    ],
)
def test_sizes_are_checked(arguments, message):
    with pytest.raises(ValueError, match=message):
        Mixture(*arguments)


@pytest.mark.parametrize(
    ("experts", "top_k", "groups", "message"),
    [(4, 2, (3, 1), "分不成"), (4, 2, (4, 2), "分不成"), (8, 3, (4, 1), "不够挑"), (4, 3, (2,), "不够挑")],
)
def test_groups_are_checked(experts, top_k, groups, message):
    routing = dict(zip(("groups", "top_groups"), groups, strict=False))
    with pytest.raises(ValueError, match=message):
        route(torch.rand(2, experts), top_k, **routing)
    with pytest.raises(ValueError, match=message):
        Mixture(8, 4, experts, top_k, **routing)
