"""半精度：库里收张量的每一个部件，换成 bfloat16 与 float16，与同样的数在 float32 里算的一样，类型也不变；
平常的数、全是 0、平方就装不下的 300、关死的门都试。新添的部件不写进表里，就通不过。
"""

from collections.abc import Callable
from importlib import import_module
from inspect import Parameter, isclass, isfunction, signature
from pkgutil import walk_packages
from types import ModuleType

import pytest
import torch
from samples import shaken
from torch import Tensor, nn

import course_lib
from course_lib.adjusted_attention import AdjustedAttention, attention_with_sink
from course_lib.attention import (
    Cache,
    MultiHeadAttention,
    causal_mask,
    fused_attention,
    scaled_dot_product_attention,
)
from course_lib.batching import encode_by_length
from course_lib.bert import Bert, BertEmbeddings
from course_lib.config import BertConfig, LanguageModelConfig, TransformerConfig, ViTConfig
from course_lib.decoder import Decoder, DecoderLayer
from course_lib.encoder import Encoder, EncoderLayer
from course_lib.generation import generate
from course_lib.language_model import (
    GroupedQueryAttention,
    LanguageModel,
    LanguageModelLayer,
    SwiGLU,
    grouped_query_attention,
    rms_norm,
    rotary,
    rotate,
    rotations,
    swiglu,
)
from course_lib.latent_attention import (
    LatentAttention,
    absorbed_latent_attention,
    expanded_latent_attention,
)
from course_lib.layers import FeedForward, SinusoidalPositionalEncoding, layer_norm, sinusoidal_encoding
from course_lib.linear_attention import (
    LinearAttention,
    gated_delta_rule,
    gated_delta_rule_in_chunks,
    linear_attention,
)
from course_lib.mixture import Mixture, balance_loss, nudge, route, shares
from course_lib.post_training import (
    dpo_loss,
    group_advantages,
    grpo_loss,
    preference_loss,
    sft_loss,
    token_log_probs,
)
from course_lib.precision import widen
from course_lib.sampling import most_likely, narrow, penalize, sampler
from course_lib.tasks.jet_classifiers import DeepSets, FlatMLP, JetClassifier
from course_lib.tasks.jet_features import jet_mass, jet_variables, network_inputs, shuffle_particles
from course_lib.tasks.text_classifier import TextClassifier, pool
from course_lib.training import predict
from course_lib.transformer import Transformer
from course_lib.translation import beam_search, log_probability, translate
from course_lib.vit import VisionTransformer, patchify

HALVES = (torch.bfloat16, torch.float16)
KINDS = ("平常", "零", "很大", "关死的门")


class Draw:
    """给一个部件抽输入：同样的数，一遍是半精度，一遍是 float32。"""

    def __init__(self, kind: str, half: torch.dtype, working: torch.dtype):
        self.kind, self.half, self.working, self.inputs = kind, half, working, []
        self.generator = torch.Generator().manual_seed(0)

    def __call__(self, *shape: int) -> Tensor:
        """平常的数、0，或者 ±300。"""
        x = self._drawn(shape)
        return self._given({"零": 0 * x, "很大": 300 * x.sign()}.get(self.kind, x))

    def plain(self, *shape: int) -> Tensor:
        """总是平常的数：矩阵、汇。"""
        return self._given(self._drawn(shape))

    def key(self, *shape: int) -> Tensor:
        """长度是 1 的键。"""
        return self._given(nn.functional.normalize(self._drawn(shape), dim=-1))

    def gate(self, *shape: int) -> Tensor:
        """0 与 1 之间；关死的，一半是 0。"""
        x = self._drawn(shape).sigmoid()
        return self._given(x * (x > 0.5) if self.kind == "关死的门" else x)

    def particles(self, *shape: int) -> Tensor:
        x = self._drawn((*shape, 3)).sigmoid()
        return self._given(x * torch.tensor([40.0, 1.0, 1.0]) + torch.tensor([1.0, -0.5, -0.5]))

    def ids(self, *shape: int) -> Tensor:
        return torch.randint(3, 11, shape, generator=self.generator)

    def net(self, module: nn.Module) -> nn.Module:
        return shaken(module).to(self.half).to(self.working)

    def _drawn(self, shape):
        return torch.randn(shape, generator=self.generator)

    def _given(self, x):
        self.inputs.append(x.to(self.half).to(self.working).requires_grad_())
        return self.inputs[-1]


LLM = LanguageModelConfig(12, 12, 3, 3, 16, 2, 9)
GROUPED = LanguageModelConfig(12, 16, 4, 2, 16, 2, 9, qkv_bias=True, qk_norm=True)
PAIR = TransformerConfig(12, 12, 12, 3, 16, 2, 9, dropout=0.0)
SMALL = BertConfig(12, 12, 3, 16, 2, 9, dropout=0.0)
MASK = torch.tensor([[1, 1, 1, 1, 0], [1, 1, 1, 0, 0]])
ROWS, BLOCKED = MASK.bool(), causal_mask(5) & ~torch.eye(5, dtype=torch.bool)  # 头一个什么也看不到
ENCODER = {"num_heads": 3, "d_ff": 16, "dropout": 0.0}


def memory(d: Draw, rule: Callable, *gates: Tensor):
    return rule(d(2, 3, 9, 4), d.key(2, 3, 9, 4), d(2, 3, 9, 6), *gates, d(2, 3, 4, 6))


def gates(d: Draw):
    return d.gate(2, 3, 9), d.gate(2, 3, 9)


def latent(d: Draw, attend: Callable):
    return attend(d(2, 3, 5, 4), d(2, 3, 5, 2), d(2, 5, 6), d(2, 5, 2), d.plain(3, 4, 6), d.plain(3, 4, 6))


def shut(layer: LinearAttention, kind: str) -> LinearAttention:
    """忘得一点不留：遗忘门比 exp 能表示的还大。"""
    layer = shaken(layer)
    if kind == "关死的门":
        layer.gates.bias.data[:3] = 120.0
    return layer


def cached(d: Draw):
    cache = Cache()
    for _ in range(2):
        cache.grow(d(2, 3, 4, 5), d(2, 3, 4, 5))
    cache.select(torch.tensor([1, 0]))
    return cache.keys, cache.values


def jets(d: Draw):
    """每个粒子的 pT、Δη、Δφ。"""
    return d.particles(2, 5), ROWS


def pictures(d: Draw) -> Tensor:
    return d.net(VisionTransformer(ViTConfig(8, 4, 3, 12, 3, 16, 2, 5)))(d(2, 3, 8, 8))


def every(output) -> list[Tensor]:
    """输出里的每一个小数的张量。"""
    if isinstance(output, Tensor):
        return [output] if output.is_floating_point() else []
    return [x for part in output if part is not None for x in every(part)]


# 名字 → 由抽来的输入算出的输出
TABLE: dict[str, Callable[[Draw], object]] = {
    "precision.widen": lambda d: widen(d(2, 3)).to(d.working),
    "layers.layer_norm": lambda d: layer_norm(d(2, 5, 8), d.plain(8), d.plain(8)),
    "layers.FeedForward": lambda d: d.net(FeedForward(8, 16))(d(2, 5, 8)),
    "layers.SinusoidalPositionalEncoding": lambda d: d.net(SinusoidalPositionalEncoding(9, 8))(d(2, 5, 8), 3),
    "attention.scaled_dot_product_attention": lambda d: scaled_dot_product_attention(
        d(2, 3, 5, 64), d(2, 3, 5, 64), d(2, 3, 5, 4), BLOCKED
    ),
    "attention.fused_attention": lambda d: fused_attention(
        d(2, 3, 5, 64), d(2, 3, 5, 64), d(2, 3, 5, 64), BLOCKED
    ),
    "attention.Cache": cached,
    "attention.MultiHeadAttention": lambda d: [
        d.net(MultiHeadAttention(12, 3))(d(2, 5, 12), mask=BLOCKED, need_weights=need) for need in (True, False)
    ],
    "adjusted_attention.attention_with_sink": lambda d: attention_with_sink(
        d(2, 3, 5, 64), d(2, 3, 5, 64), d(2, 3, 5, 4), d.plain(3), BLOCKED
    ),
    "adjusted_attention.AdjustedAttention": lambda d: [
        d.net(AdjustedAttention(GROUPED, **changes))(d(2, 5, 16), need_weights=True)
        for changes in ({}, {"window": 2, "sink": True}, {"gate": True})
    ],
    "latent_attention.expanded_latent_attention": lambda d: latent(d, expanded_latent_attention),
    "latent_attention.absorbed_latent_attention": lambda d: latent(d, absorbed_latent_attention),
    "latent_attention.LatentAttention": lambda d: [
        d.net(LatentAttention(LLM, 6, absorbed))(d(2, 5, 12), need_weights=True) for absorbed in (True, False)
    ],
    "linear_attention.linear_attention": lambda d: memory(d, linear_attention),
    "linear_attention.gated_delta_rule": lambda d: memory(d, gated_delta_rule, *gates(d)),
    "linear_attention.gated_delta_rule_in_chunks": lambda d: memory(
        d, lambda *parts: gated_delta_rule_in_chunks(*parts, chunk=4), *gates(d)
    ),
    "linear_attention.LinearAttention": lambda d: d.net(shut(LinearAttention(LLM), d.kind))(d(2, 9, 12)),
    "encoder.EncoderLayer": lambda d: d.net(EncoderLayer(12, 3, 16, 0.0))(d(2, 5, 12), need_weights=True),
    "encoder.Encoder": lambda d: [
        d.net(Encoder(2, 12, norm_first=first, **ENCODER))(d(2, 5, 12)) for first in (True, False)
    ],
    "decoder.DecoderLayer": lambda d: d.net(DecoderLayer(12, 3, 16, 0.0))(
        d(2, 5, 12), d(2, 4, 12), causal_mask(5), need_weights=True
    ),
    "decoder.Decoder": lambda d: d.net(Decoder(2, 12, norm_first=True, **ENCODER))(
        d(2, 5, 12), d(2, 4, 12), causal_mask(5)
    ),
    "transformer.Transformer": lambda d: d.net(Transformer(PAIR))(d.ids(2, 5), d.ids(2, 4)),
    "bert.BertEmbeddings": lambda d: d.net(BertEmbeddings(SMALL))(d.ids(2, 5)),
    "bert.Bert": lambda d: d.net(Bert(SMALL))(d.ids(2, 5), MASK, need_weights=True),
    "batching.encode_by_length": lambda d: (
        encode_by_length(d.net(Bert(SMALL)), {"input_ids": d.ids(2, 5), "attention_mask": MASK}) * MASK[..., None]
    ),
    "vit.patchify": lambda d: patchify(d(2, 3, 8, 8), 4),
    "vit.VisionTransformer": pictures,
    "language_model.rms_norm": lambda d: rms_norm(d(2, 5, 8), d.plain(8)),
    "language_model.rotary": lambda d: rotary(d(2, 5, 8), torch.arange(5)),
    "language_model.rotate": lambda d: rotate(d(2, 5, 8), rotations(torch.arange(5), 8, 100.0)),
    "language_model.grouped_query_attention": lambda d: [
        grouped_query_attention(d(2, 4, 5, 8), d(2, 2, 5, 8), d(2, 2, 5, 8), None, need, True)
        for need in (True, False)
    ],
    "language_model.swiglu": lambda d: swiglu(d(2, 5, 8), d(2, 5, 8)),
    "language_model.SwiGLU": lambda d: d.net(SwiGLU(8, 16))(d(2, 5, 8)),
    "language_model.GroupedQueryAttention": lambda d: d.net(GroupedQueryAttention(GROUPED))(
        d(2, 5, 16), rotations(torch.arange(5), 4, 100.0), need_weights=True
    ),
    "language_model.LanguageModelLayer": lambda d: d.net(LanguageModelLayer(GROUPED))(d(2, 5, 16)),
    "language_model.LanguageModel": lambda d: [
        d.net(LanguageModel(config))(d.ids(2, 5), MASK).logits
        for config in (LLM, LanguageModelConfig.gpt(12, 12, 3, num_layers=2, max_len=9))
    ],
    "mixture.route": lambda d: route(d.gate(2, 5, 8), 2, d.plain(8), groups=2)[0],
    "mixture.shares": lambda d: shares(d.gate(2, 5, 8)),
    "mixture.balance_loss": lambda d: balance_loss(d.gate(2, 5, 8), torch.arange(10).view(2, 5, 1) % 8),
    "mixture.nudge": lambda d: nudge(d(8), torch.tensor([[0], [0], [3]]), 0.5),
    "mixture.Mixture": lambda d: [
        d.net(Mixture(8, 16, 4, 4, num_shared=1, sigmoid=sigmoid))(d(2, 5, 8)) for sigmoid in (True, False)
    ],
    "post_training.token_log_probs": lambda d: token_log_probs(d(2, 5, 12), d.ids(2, 5)),
    "post_training.sft_loss": lambda d: sft_loss(d(2, 5, 12), d.ids(2, 5), ROWS),
    "post_training.preference_loss": lambda d: preference_loss(d(6), d(6)),
    "post_training.dpo_loss": lambda d: dpo_loss(d(6), d(6), d(6), d(6)),
    "post_training.group_advantages": lambda d: [group_advantages(d(3, 6), scale) for scale in (True, False)],
    "post_training.grpo_loss": lambda d: grpo_loss(
        -d.gate(2, 5), -d.gate(2, 5), d(2), ROWS, reference=-d.gate(2, 5), beta=0.1
    ),
    "sampling.most_likely": lambda d: most_likely(d(2, 12), d.ids(2, 3)),
    "sampling.penalize": lambda d: penalize(d(2, 12), d.ids(2, 3), 1.5),
    "sampling.narrow": lambda d: narrow(d(2, 12), 0.5, top_p=0.9).softmax(dim=-1),
    "sampling.sampler": lambda d: sampler(1e-4, generator=torch.Generator())(d(2, 12), d.ids(2, 3)),
    "generation.generate": lambda d: generate(d.net(LanguageModel(LLM)), d.ids(2, 3), 4),
    "translation.translate": lambda d: translate(d.net(Transformer(PAIR)), d.ids(2, 5), 5),
    "translation.beam_search": lambda d: beam_search(d.net(Transformer(PAIR)), d.ids(2, 5), 5),
    "translation.log_probability": lambda d: log_probability(
        d.net(Transformer(PAIR)), d.ids(2, 5), torch.tensor([[1, 4, 2], [1, 5, 0]])
    ),
    "training.predict": lambda d: predict(d.net(FeedForward(8, 16)), (d(5, 8),)),
    "tasks.text_classifier.pool": lambda d: [
        pool(d(2, 5, 8) * 100 if d.kind == "很大" else d(2, 5, 8), MASK, kind) for kind in ("cls", "mean", "max")
    ],
    "tasks.text_classifier.TextClassifier": lambda d: d.net(
        TextClassifier(12, d_model=12, num_heads=3, d_ff=16, dropout=0.0)
    )(d.ids(2, 5), MASK),
    "tasks.jet_classifiers.JetClassifier": lambda d: d.net(JetClassifier(12, 3, 2, 16))(*jets(d)),
    "tasks.jet_classifiers.DeepSets": lambda d: d.net(DeepSets(12))(*jets(d)),
    "tasks.jet_classifiers.FlatMLP": lambda d: d.net(FlatMLP(5, 12))(*jets(d)),
    "tasks.jet_features.jet_mass": lambda d: jet_mass(*jets(d)),
    "tasks.jet_features.jet_variables": lambda d: jet_variables(*jets(d)),
    "tasks.jet_features.network_inputs": lambda d: network_inputs(*jets(d)),
    "tasks.jet_features.shuffle_particles": lambda d: [
        torch.manual_seed(0),
        shuffle_particles(*jets(d)),
    ][1],
}  # fmt: skip
# 不收小数的张量，或者只是转手，小数在别的部件里算
NO_FRACTIONS = {
    "attention.padding_mask", "attention.needed_padding_mask", "language_model.rotations", "layers.Residual",
    "mixture.expert_load", "post_training.pass_at_k", "post_training.reinforce", "generation.write",
    "training.train", "tasks.jet_classifiers.background_rejection",
    *(f"tasks.last_digit.{name}" for name in ("prompts", "direct", "steps", "papers", "written", "read", "answer", "text")),
}  # fmt: skip
# 照注释说的，给出的总不窄于 float32（线性注意力的记忆另说）
WIDE = {name for name in TABLE if name.startswith("post_training.")} | {
    "mixture.balance_loss", "mixture.shares", "sampling.narrow", "translation.log_probability",
}  # fmt: skip
RULES = ("linear_attention", "gated_delta_rule", "gated_delta_rule_in_chunks")
ROOMS = [
    import_module(room.name)
    for room in walk_packages(course_lib.__path__, "course_lib.")
    if not room.ispkg and room.name.split(".")[1] not in ("show", "exercises", "weights", "checks")
]


def takes_tensors(piece: Callable) -> bool:
    """有一个参数注明收张量或模型，或者什么也没有注明。"""
    if isclass(piece):
        return issubclass(piece, (nn.Module, Cache))
    notes = [str(p.annotation) for p in signature(piece).parameters.values()]
    return any("Tensor" in note or "Module" in note or note == str(Parameter.empty) for note in notes) or any(
        model in note for note in notes for model in ("Transformer", "LanguageModel'")
    )


def pieces(room: ModuleType) -> set[str]:
    """一个模块自己写的、公开的、收张量的函数与类。"""
    name = room.__name__.removeprefix("course_lib.")
    return {
        f"{name}.{key}"
        for key, piece in vars(room).items()
        if (isclass(piece) or isfunction(piece)) and piece.__module__ == room.__name__
        if not key.startswith("_") and takes_tensors(piece)
    }


def test_every_piece_is_in_the_table():
    found = set().union(*map(pieces, ROOMS))
    assert found >= {"layers.layer_norm", "language_model.LanguageModel", "translation.translate"}
    assert not NO_FRACTIONS & TABLE.keys()
    known = NO_FRACTIONS | TABLE.keys()
    assert known - found == {"sampling.sampler"}  # 表里有库里没有的
    assert found - known == set()  # 库里有表里没有的：写进 TABLE


def test_a_new_piece_would_be_missed():
    room = ModuleType("course_lib.new")
    exec("def f(x: 'Tensor'): ...\ndef g(n: int): ...\ndef _h(x: 'Tensor'): ...\ndef k(x): ...", vars(room))
    room.Layer = type("Layer", (nn.Module,), {"__module__": room.__name__})
    room.widen = widen  # 别处来的不算
    assert pieces(room) == {"new.f", "new.k", "new.Layer"}


def outputs(name: str, draw: Draw) -> list[Tensor]:
    torch.manual_seed(0)  # 造部件时的初值
    return every(TABLE[name](draw))


@pytest.mark.parametrize("half", HALVES, ids=str)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", TABLE)
def test_half_precision_is_like_float(name, kind, half):
    short, wide = Draw(kind, half, half), Draw(kind, half, torch.float32)
    with torch.set_grad_enabled(name != "translation.beam_search"):
        ours, theirs = (outputs(name, d) for d in (short, wide))
    eps = torch.finfo(half).eps
    assert len(ours) == len(theirs)
    for i, (x, y) in enumerate(zip(ours, theirs, strict=True)):
        widened = name in WIDE or (name.split(".")[-1] in RULES and i == 1)
        assert x.dtype == (torch.float32 if widened else half)
        fits = y.to(x.dtype).float()  # 本来就装不下的，是无穷大
        finite = fits.isfinite()
        assert torch.equal(x.float().isfinite(), finite) or not y.isfinite().all() or edge(y, half), name
        size = y[finite].abs().max().item() if finite.any() else 0.0
        error = (x.float() - y)[finite & x.isfinite()].abs()
        assert not error.numel() or error.max().item() <= 16 * eps * size + 1e-6, (
            error.max().item() / eps,
            size,
        )
    check_gradients(ours, theirs, short.inputs, wide.inputs)


def edge(y: Tensor, half: torch.dtype) -> bool:
    """恰好在装不装得下的边上。"""
    most = torch.finfo(half).max
    return bool(((y.abs() > 0.9 * most) & (y.abs() < 1.1 * most)).any())


def check_gradients(ours, theirs, short, wide):
    """float32 里有限、半精度也装得下的梯度，半精度里也有限。"""
    roots = [[x for x in outputs if x.requires_grad] for outputs in (ours, theirs)]
    if not short or not all(roots):
        return
    one, two = (
        torch.autograd.grad(sum(x.float().sum() for x in outputs), inputs, allow_unused=True)
        for outputs, inputs in zip(roots, (short, wide), strict=True)
    )
    for x, y, given in zip(one, two, short, strict=True):
        if y is not None and (y.abs() < 1e-2 * torch.finfo(given.dtype).max).all():
            assert x.isfinite().all()


def test_positions_in_half_by_default():
    """默认类型是半精度时，几百个位置也还分得开。"""
    expected = sinusoidal_encoding(600, 8)
    torch.set_default_dtype(torch.bfloat16)
    try:
        found = sinusoidal_encoding(600, 8)
    finally:
        torch.set_default_dtype(torch.float32)
    assert found.dtype == torch.bfloat16
    assert (found.float() - expected).abs().max() < 0.01


def test_widened():
    for dtype, wide in (
        (torch.bool, torch.float32), (torch.long, torch.float32), (torch.float16, torch.float32),
        (torch.bfloat16, torch.float32), (torch.float32, torch.float32), (torch.float64, torch.float64),
    ):  # fmt: skip
        x = torch.ones(3).to(dtype)
        assert widen(x).dtype == wide and (widen(x) is x) == (dtype == wide)
