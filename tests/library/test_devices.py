"""设备与精度：三种精度、任意的形状与掩码都算得对，交出的张量都在该在的设备上。

默认在 CPU 上；COURSE_DEVICE=cuda pytest tests/library/test_devices.py 把同样的测试搬到 GPU 上。
"""

import os
from copy import deepcopy

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import (
    SOURCE,
    TARGET,
    bert_pair,
    classifier,
    language_model,
    lively,
    pictures,
    ragged,
    sentences,
    shaken,
    transformer,
    vit,
)
from torch import nn
from torch.testing import assert_close
from twins import attention_twin

from course_lib.attention import MultiHeadAttention, causal_mask, padding_mask, scaled_dot_product_attention
from course_lib.decoder import Decoder, DecoderLayer
from course_lib.encoder import Encoder, EncoderLayer
from course_lib.generation import generate
from course_lib.sampling import sampler
from course_lib.show import best_device
from course_lib.tasks.jet_classifiers import JetClassifier
from course_lib.tasks.jets import jets
from course_lib.training import predict, train
from course_lib.translation import beam_search, log_probability, translate

DTYPES = [torch.float32, torch.float16, torch.bfloat16]
# 容差 ← CPU 上量到的最大误差。留的余地给 CUDA：那里求和的次序不同，半精度的乘加也在不同的地方舍入。
# 小模块：最大的绝对差；结果的绝对值大过 1 时，按最大的那个放宽。量的是两万多个随机的例子，不只是下面跑的几百个。
SMALL = {
    torch.float32: 2e-5,  # ← 7.3e-7
    torch.float16: 1e-2,  # ← 3.1e-3
    torch.bfloat16: 5e-2,  # ← 1.9e-2
}
# 真实的 BERT，六层：隐藏状态最大的差、平均的差，注意力权重最大的差。
# 隐藏状态大到 10.5，那里相邻的两个数，fp16 差 0.0078，bf16 差 0.0625，所以最大的差小不下去，要靠平均的差把关。
BERT = {
    torch.float32: (2e-5, 2e-6, 5e-6),  # ← 2.8e-6，2.6e-7，7.2e-7
    torch.float16: (3e-2, 2e-3, 1.5e-2),  # ← 7.9e-3，5.6e-4，4.0e-3
    torch.bfloat16: (3e-1, 1.5e-2, 1.5e-1),  # ← 9.2e-2，4.8e-3，5.2e-2
}
MASKS = ["无", "因果", "填充", "因果与填充", "有一行全被挡住"]


def chosen_device() -> torch.device:
    if not os.environ.get("COURSE_DEVICE"):
        return torch.device("cpu")
    try:
        return best_device()
    except RuntimeError as error:
        pytest.fail(str(error), pytrace=False)


@pytest.fixture(scope="module")
def device():
    return chosen_device()


@pytest.fixture(scope="module", autouse=True)
def full_precision():
    """CUDA 上的 fp32 乘法与卷积可以换成 TF32，它只有 10 位尾数，比较之前先关掉。"""
    matmul, convolution = torch.get_float32_matmul_precision(), torch.backends.cudnn.allow_tf32
    torch.set_float32_matmul_precision("highest")  # 默认就是它；卷积却默认用 TF32
    torch.backends.cudnn.allow_tf32 = False
    yield
    torch.set_float32_matmul_precision(matmul)
    torch.backends.cudnn.allow_tf32 = convolution


def tensors(result):
    """结果里的全部张量；元组一层层拆开，None 略过。"""
    if isinstance(result, torch.Tensor):
        yield result
    elif result is not None:
        for part in result:
            yield from tensors(part)


def check_close(got, expected, dtype):
    assert got.shape == expected.shape
    if not got.numel():
        return
    gap = (got.detach().cpu().double() - expected.detach().cpu().double()).abs().max()
    assert gap <= SMALL[dtype] * expected.abs().max().cpu().clamp(min=1), f"最大的差是 {gap:.2g}"


def make_mask(kind, batch, n, m=None):
    """(B, 1, N, M)，True = 可以注意；填充时第 b 句的末尾少 b % M 个键。"""
    m = n if m is None else m
    mask = torch.ones(batch, 1, n, m, dtype=torch.bool)
    if "因果" in kind:
        mask &= causal_mask(max(n, m))[:n, :m]
    if "填充" in kind:
        mask &= padding_mask(torch.arange(m) < m - torch.arange(batch)[:, None] % m)
    if "全被挡住" in kind:
        mask[0, :, n // 2] = False
    return mask


def test_a_device_that_is_not_there_fails_loudly(monkeypatch):
    """要的设备没有，测试就失败，不许跳过：跳过等于没有测，却看着像通过了。"""
    monkeypatch.setenv("COURSE_DEVICE", "cuda:97")
    with pytest.raises(pytest.fail.Exception, match="COURSE_DEVICE=cuda:97 指定的设备在这台机器上用不了"):
        chosen_device()


# ---- 真实的 BERT，三种精度


BATCHES = {
    "带填充的一批": [
        "time flies like an arrow",
        "hi",
        "the bank robber sat on the river bank, 分词 included",
    ],
    "句对": [("time flies like an arrow", "fruit flies like a banana"), ("yes", "no")],
}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("texts", BATCHES.values(), ids=BATCHES)
@torch.no_grad()
def test_bert_matches_the_reference(device, texts, dtype):
    """逐层比三次：同一精度、同一设备上两边互比；两边又各与 CPU 上 fp32 的参考结果比，免得错到一处去。"""
    tokenizer, reference, ours = bert_pair()
    inputs = dict(tokenizer(texts, padding=True, return_tensors="pt"))
    there = {name: ids.to(device) for name, ids in inputs.items()}
    options = {"output_hidden_states": True, "output_attentions": True}
    exact = reference(**inputs, **options)
    theirs = deepcopy(reference).to(device, dtype)(**there, **options)
    ours = deepcopy(ours).to(device, dtype)
    mine = ours(**there, output_hidden_states=True, need_weights=True)
    fused = ours(**there)
    for part in (*tensors(mine), *tensors(fused)):
        assert part.device.type == device.type and part.dtype == dtype
    real = inputs["attention_mask"].bool()
    worst, average, worst_weight = BERT[dtype]
    pairs = [(mine, theirs), (mine, exact), (theirs, exact)]
    for a, b in pairs:
        for x, y in zip(a.hidden_states, b.hidden_states, strict=True):
            gap = (x.cpu().float() - y.cpu().float())[real].abs()
            assert gap.max() <= worst and gap.mean() <= average
        for x, y in zip(a.attentions, b.attentions, strict=True):
            gap = (x.cpu().float() - y.cpu().float())[real[:, None, :, None].expand_as(x)].abs()
            assert gap.max() <= worst_weight
    for other in (theirs, exact):
        gap = (fused.last_hidden_state.cpu().float() - other.last_hidden_state.cpu().float())[real].abs()
        assert gap.max() <= worst and gap.mean() <= average


# ---- 每个模块：与 CPU 上 float64 的结果相同，交出的张量都在设备上


def stack(layer, *args, **options):
    torch.manual_seed(0)
    return shaken(layer(*args, **options))


def hidden(n, seed):
    return torch.randn(2, n, 12, generator=torch.Generator().manual_seed(seed))


KEEP = torch.tensor([[True] * 3 + [False] * 2, [True] * 5])  # 第一句末尾两个是填充
JETS = jets(6)


def layer_case(layer, *inputs):
    def run(module, *inputs):
        masks = [padding_mask(KEEP.to(inputs[0].device))]
        if len(inputs) == 2:  # 解码器：自己这边用因果掩码，来源那边用填充掩码
            masks.insert(0, causal_mask(inputs[0].size(1), inputs[0].device))
        return module(*inputs, *masks), module(*inputs, *masks, need_weights=True)

    return layer, run, inputs


def cases():
    for norm_first in (False, True):
        options = {"num_heads": 3, "d_ff": 20, "norm_first": norm_first}
        order = "pre" if norm_first else "post"
        yield f"EncoderLayer-{order}", layer_case(stack(EncoderLayer, 12, **options), hidden(5, 0))
        yield f"Encoder-{order}", layer_case(stack(Encoder, 2, 12, **options), hidden(5, 0))
        yield (
            f"DecoderLayer-{order}",
            layer_case(stack(DecoderLayer, 12, **options), hidden(4, 0), hidden(5, 1)),
        )
        yield f"Decoder-{order}", layer_case(stack(Decoder, 2, 12, **options), hidden(4, 0), hidden(5, 1))
        yield f"Transformer-{order}", (transformer(norm_first), nn.Module.__call__, (SOURCE, TARGET))
    ids, mask = sentences()
    for kind in ("llama", "gpt"):
        options = {"output_hidden_states": True, "need_weights": True}
        yield (
            f"LanguageModel-{kind}",
            (language_model(kind), lambda m, *x, o=options: (m(*x), m(*x, **o)), (ids, mask)),
        )
        choose = sampler(top_k=1, min_p=0.5, repetition_penalty=1.3, generator=torch.Generator())
        for use_cache in (True, False):
            more = {"choose": choose, "stop_ids": [3], "use_cache": use_cache}
            yield (
                f"generate-{kind}-{use_cache}",
                (
                    language_model(kind),
                    lambda m, i, k, o=more: generate(m, i, 6, attention_mask=k, **o),
                    (ids, mask.flip(1)),
                ),
            )
    yield "ViT", (vit(), lambda m, x: (m(x), m.encode(x, True, True)), (pictures(),))
    for pooling in ("cls", "mean", "max"):
        yield (
            f"TextClassifier-{pooling}",
            (classifier(pooling=pooling), nn.Module.__call__, sentences()),
        )
    yield "JetClassifier", (stack(JetClassifier), nn.Module.__call__, (JETS.features, JETS.mask))
    for decode in (translate, beam_search):
        yield decode.__name__, (lively(), lambda m, s, f=decode: f(m, s, 9), (ragged(),))
    one = sampler(top_k=1, generator=torch.Generator())  # 只有一个可抽，结果就是确定的
    yield "sample", (lively(), lambda m, s: translate(m, s, 9, one), (ragged(),))
    targets = translate(lively(), ragged(), 9)
    yield "log_probability", (lively(), log_probability, (ragged(), targets))


CASES = dict(cases())


@pytest.mark.parametrize("name", CASES)
@torch.no_grad()
def test_every_module_on_the_device(name, device):
    """与 float64 比，免得默认情形下自己和自己比；默认设备设成 meta，忘了写 device 的张量就会露馅。"""
    module, run, inputs = CASES[name]
    doubled = [x.double() if x.is_floating_point() else x for x in inputs]
    expected = list(tensors(run(deepcopy(module).double(), *doubled)))
    module, inputs = deepcopy(module).to(device), [x.to(device) for x in inputs]
    with torch.device("meta"):
        got = list(tensors(run(module, *inputs)))
    assert len(got) == len(expected) > 0
    for x, y in zip(got, expected, strict=True):
        assert x.device.type == device.type
        assert x.dtype == (torch.float32 if y.is_floating_point() else torch.long)
        assert_close(x.cpu(), y, atol=1e-4, rtol=1e-4, check_dtype=False)


# ---- 掩码


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", MASKS)
@pytest.mark.parametrize(("n", "d"), [(5, 7), (64, 64)])  # 小而不齐的，与 GPU 的融合算子喜欢的
def test_masks(device, kind, dtype, n, d):
    g = torch.Generator().manual_seed(0)
    exact = [torch.randn(2, 3, n, d, generator=g).to(dtype).double() for _ in range(3)]
    mask = make_mask(kind, 2, n)
    expected, expected_weights = scaled_dot_product_attention(*exact, mask)
    for need_weights in (True, False):
        inputs = [x.to(device, dtype).requires_grad_() for x in exact]
        output, weights = scaled_dot_product_attention(*inputs, mask.to(device), need_weights)
        check_close(output, expected, dtype)  # 有 NaN 时也不会小于容差
        if need_weights:
            check_close(weights, expected_weights, dtype)
            assert (weights[~mask.expand(2, 3, n, n).to(device)] == 0).all()
        output.float().square().sum().backward()
        for x in inputs:
            assert x.grad.device.type == device.type and x.grad.isfinite().all()
        if "全被挡住" in kind:
            assert (output[0, :, n // 2] == 0).all() and (output[1, :, n // 2] != 0).any()


# ---- 训练


def test_training_moves_the_data_and_lowers_the_loss(device):
    """数据在 CPU 上，循环把它送到模型那里；每一步的损失与 CPU 上 float64 的训练相同。"""
    data = (*sentences(), torch.tensor([0, 1, 1]))
    options = {"epochs": 15, "lr": 1e-2, "batch_size": 2}
    places = set()

    def loss_of(model, ids, mask, labels):
        places.update(x.device.type for x in (ids, mask, labels))
        return F.cross_entropy(model(ids, mask), labels)

    expected = train(classifier(dropout=0.0).double(), loss_of, data, **options)
    places.clear()
    model = classifier(dropout=0.0).to(device)
    losses = train(model, loss_of, data, **options)
    assert places == {device.type}
    assert losses == pytest.approx(expected, abs=1e-3)
    assert max(losses[-2:]) < 0.2 * min(losses[:2])
    for p in model.parameters():
        assert p.device.type == p.grad.device.type == device.type and p.grad.isfinite().all()
    logits = predict(model, data[:2])
    assert logits.device.type == "cpu" and torch.equal(logits.argmax(dim=-1), data[2])


# ---- 任意的形状、精度与掩码


SHAPES = {
    "batch": st.integers(1, 3),
    "n": st.integers(1, 6),
    "heads": st.sampled_from([1, 2, 4]),
    "d": st.integers(1, 6),
    "dtype": st.sampled_from(DTYPES),
    "seed": st.integers(0, 999),
}


@pytest.mark.parametrize("kind", MASKS)
@settings(max_examples=40, deadline=None, derandomize=True)
@given(**SHAPES, m=st.integers(1, 7))
def test_multi_head_attention_matches_torch(device, kind, batch, n, m, heads, d, dtype, seed):
    torch.manual_seed(seed)
    ours = shaken(MultiHeadAttention(heads * d, heads), seed)
    theirs = attention_twin(ours).to(device, dtype)
    ours.to(device, dtype)
    query = torch.randn(batch, n, heads * d).to(device, dtype)
    memory = torch.randn(batch, m, heads * d).to(device, dtype)
    mask = make_mask(kind, batch, n, m).to(device)
    output, weights = ours(query, memory, mask=mask, need_weights=True)
    check_close(ours(query, memory, mask=mask)[0], output, dtype)
    seen = mask.any(dim=-1).expand(batch, heads, n)  # 有得看的行，权重之和是 1，否则是 0
    check_close(weights.float().sum(dim=-1), seen.float(), dtype)
    # torch 的约定相反：True 是挡住；它在整行被挡住时给 NaN，那几行就不比
    blocked = ~mask.expand(batch, heads, n, m).flatten(0, 1)
    expected, expected_weights = theirs(query, memory, memory, attn_mask=blocked, average_attn_weights=False)
    assert expected_weights.isnan().any() == (not seen.all())
    check_close(weights[seen], expected_weights[seen], dtype)
    check_close(output[seen[:, 0]], expected[seen[:, 0]], dtype)
