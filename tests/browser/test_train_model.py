"""网页里训练的 Transformer（live/train/）：在真的 Chromium 里，向前算的、每个参数的梯度、五十步的损失都与 PyTorch 的相比。"""

import re
from itertools import combinations
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
from wasmtime import wat2wasm

pytestmark = pytest.mark.guards("live", "_ext")

LIVE = Path(__file__).parents[2] / "live/train"
SCRIPTS = ("random", "products", "parts", "model", "optimiser", "tasks", "trainer")
TOOLS = "const tools = {trainRandom, trainProducts, trainParts, trainModel, trainOptimiser, trainTasks}"
BASE = {
    "layers": 2, "heads": 4, "width": 16, "ffn": True, "plusAttention": True, "plusFfn": True,
    "norm": "pre", "positions": "learned", "mask": "none", "seed": 3, "vocabSize": 7, "batch": 4, "maxLength": 10,
}  # fmt: skip
# 各个开关两两都遇到过
SWITCHES = {
    "layers": [0, 1, 2, 4],
    "heads": [1, 2, 4, 8],
    "width": [16, 32, 64],
    "ffn": [True, False],
    "plusAttention": [True, False],
    "plusFfn": [True, False],
    "norm": ["pre", "post", "none"],
    "positions": ["learned", "none", "sinusoid", "rope"],
    "mask": ["none", "causal"],
}


def pairs(row):
    """一行里两两的搭配。"""
    return set(combinations([(name, row[name]) for name in SWITCHES if name in row], 2))


def pairwise():
    """一张表：任何两个开关的任何两个值，总有一行同时有它们。每个开关挑没有遇到过的搭配最多的值。"""
    left = {((a, x), (b, y)) for a, b in combinations(SWITCHES, 2) for x in SWITCHES[a] for y in SWITCHES[b]}
    rows = []
    while left:
        row = dict(min(left, key=repr))
        for name, values in SWITCHES.items():
            if name not in row:
                news = [len(pairs(row | {name: value}) & left) for value in values]
                row[name] = values[news.index(max(news))]
        left -= pairs(row)
        rows.append(row)
    return rows


ROWS = pairwise()


def load(page, *more):
    """空白的一页装上训练用的各个脚本、另要的几个，还有汇编好的 products.wat。"""
    for name in (*SCRIPTS, *more):
        page.add_script_tag(path=LIVE / f"{name}.js")
    page.evaluate("(bytes) => { globalThis.wasm = new Uint8Array(bytes); }", list(wasm()))


def wasm():
    return bytes(wat2wasm((LIVE / "products.wat").read_text(encoding="utf-8")))


@pytest.fixture(scope="module")
def tab(browser):
    page = browser.new_page()
    page.set_content("<!doctype html><title>页</title>")
    load(page)
    yield page
    page.close()


def sentences(length, batch, vocab_size, seed=0):
    random = torch.Generator().manual_seed(seed)
    ids = torch.randint(vocab_size, (batch, length), generator=random)
    targets = torch.randint(-1, vocab_size, (batch, length), generator=random)
    return ids, targets


def rotated(x):
    """(B, h, N, d)：相邻的两维是一对。"""
    angles = torch.arange(x.size(2)).double()[:, None] * 10000 ** -(
        torch.arange(0, x.size(3), 2).double() / x.size(3)
    )
    turned = torch.view_as_complex(x.double().unflatten(-1, (-1, 2))) * torch.polar(
        torch.ones_like(angles), angles
    )
    return torch.view_as_real(turned).flatten(-2).to(x.dtype)


def forward(weights, ids, given):
    """同一个模型，用 PyTorch 的函数另写一遍；W 是 (进, 出)。"""
    linear = lambda name, x: x @ weights[f"{name}.weight"] + weights[f"{name}.bias"]  # noqa: E731
    width, heads, n = given["width"], given["heads"], ids.size(1)
    x = weights["tokens.weight"][ids]
    if given["positions"] == "learned":
        x = x + weights["positions.weight"][:n]
    if given["positions"] == "sinusoid":
        angles = torch.arange(n).double()[:, None] * 10000 ** -(torch.arange(0, width, 2).double() / width)
        x = x + torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2).float()
    norm = lambda name, x: F.layer_norm(x, (width,), weights[f"{name}.weight"], weights[f"{name}.bias"])  # noqa: E731

    def attention(name, x):
        q, k, v = (
            linear(f"{name}.{each}_proj", x).unflatten(-1, (heads, -1)).transpose(1, 2) for each in ("q", "k", "v")
        )  # fmt: skip
        if given["positions"] == "rope":
            q, k = rotated(q), rotated(k)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=given["mask"] == "causal")
        return linear(f"{name}.out_proj", y.transpose(1, 2).flatten(-2))

    def sublayer(run, name, x, plus):
        y = run(norm(name, x) if given["norm"] == "pre" else x)
        y = x + y if plus else y
        return norm(name, y) if given["norm"] == "post" else y

    for i in range(given["layers"]):
        at = f"layers.{i}"
        x = sublayer(
            lambda x, at=at: attention(f"{at}.self_attn", x), f"{at}.norm1", x, given["plusAttention"]
        )
        if given["ffn"]:
            ffn = lambda x, at=at: linear(f"{at}.ffn.outer", linear(f"{at}.ffn.inner", x).relu())  # noqa: E731
            x = sublayer(ffn, f"{at}.norm2", x, given["plusFfn"])
    if given["norm"] == "pre":
        x = norm("norm", x)
    return linear("head", x)


def loss_of(scores, targets):
    return F.cross_entropy(scores.flatten(0, 1), targets.flatten(), ignore_index=-1)


ONCE = f"""([given, ids, targets, length, simd]) => {{
  {TOOLS};
  const model = trainModel(tools)(given, simd ? wasm : undefined);
  const read = (kind) => Object.fromEntries(Object.entries(model.parameters).map(([name, each]) => [name, [...each[kind]]]));
  const scores = model.forward(ids, given.batch, length).slice(0, ids.length * given.vocabSize);
  const {{ loss, counted }} = model.lossOf(scores, targets);
  model.backward(targets, counted);
  const shapes = Object.fromEntries(Object.entries(model.parameters).map(([name, {{ shape }}]) => [name, shape]));
  return {{ simd: model.simd, scores: [...scores], loss, shapes, weights: read("value"), gradients: read("gradient") }};
}}"""


def once(tab, given, length=10, simd=True):
    ids, targets = sentences(length, given["batch"], given["vocabSize"])
    told = tab.evaluate(ONCE, [given, ids.flatten().tolist(), targets.flatten().tolist(), length, simd])
    told["weights"] = {
        name: torch.tensor(values, dtype=torch.float32).view(told["shapes"][name]).requires_grad_()
        for name, values in told["weights"].items()
    }  # fmt: skip
    return told, ids, targets


def far_apart(ours, theirs, floor=1e-6):
    """差多少，以它们的长度为 1。"""
    return ((ours - theirs).norm() / theirs.norm().clamp(min=floor)).item()


def check(told, ids, targets, given):
    scores = forward(told["weights"], ids, given)
    loss = loss_of(scores, targets)
    loss.backward()
    assert far_apart(torch.tensor(told["scores"]), scores.flatten()) < 1e-5
    assert told["loss"] == pytest.approx(loss.item(), rel=1e-5)
    whole = torch.cat([w.grad.flatten() for w in told["weights"].values() if w.grad is not None]).norm()
    for name, weight in told["weights"].items():
        theirs = weight.grad.flatten() if weight.grad is not None else torch.zeros(weight.numel())
        # 键的偏置，梯度本来是 0：各个键一起变，softmax 不变；剩下的只是舍入
        assert far_apart(torch.tensor(told["gradients"][name]), theirs, floor=whole * 1e-2) < 1e-5, name


@pytest.mark.parametrize("row", ROWS, ids=range(len(ROWS)))
def test_forward_and_gradients_equal_torch(tab, row):
    given = BASE | row
    told, ids, targets = once(tab, given)
    assert told["simd"]
    check(told, ids, targets, given)


def test_every_pair_of_choices_is_there():
    for a in SWITCHES:
        for b in SWITCHES:
            if a < b:
                seen = {(row[a], row[b]) for row in ROWS}
                assert seen == {(x, y) for x in SWITCHES[a] for y in SWITCHES[b]}


@pytest.mark.parametrize("simd", [True, False])
@pytest.mark.parametrize("length", [1, 7, 10])
def test_any_length_and_without_simd(tab, simd, length):
    """行数、列数不是 4 与 8 的倍数的，一行一列地算；没有 WebAssembly，循环也算得出。"""
    given = BASE | {"batch": 3, "heads": 8, "positions": "rope", "mask": "causal"}
    told, ids, targets = once(tab, given, length, simd)
    assert told["simd"] == simd
    check(told, ids, targets, given)


def test_a_wrong_gradient_would_be_seen(tab):
    given = BASE | {"vocabSize": 7}
    told, ids, targets = once(tab, given)
    told["gradients"]["layers.1.ffn.inner.weight"][5] *= 1.01
    with pytest.raises(AssertionError, match=r"layers\.1\.ffn\.inner\.weight"):
        check(told, ids, targets, given)


TRAIN = f"""([given, steps, simd = true]) => {{
  {TOOLS};
  const run = trainRun(tools)(given, simd ? wasm : undefined), {{ model }} = run, losses = [];
  const read = () => Object.fromEntries(Object.entries(model.parameters).map(([name, each]) => [name, [...each.value]]));
  const shapes = Object.fromEntries(Object.entries(model.parameters).map(([name, {{ shape }}]) => [name, shape]));
  const weights = read(), {{ batch }} = trainTasks(tools);
  const data = Array.from({{ length: steps }}, (_, i) => batch(given.task, [given.seed, i], given.batch, {{ wrong: given.wrong }}));
  for (let i = 0; i < steps; i++) losses.push(run.advance().loss);
  return {{ weights, shapes, losses, data: data.map(({{ ids, targets, length }}) => ({{ ids: [...ids], targets: [...targets], length }})) }};
}}"""
TRAINING = {"task": "reverse", "lr": 3e-3, "warmUp": 20, "clip": 1, "wrong": 0, "batch": 16, "width": 32}
RUNS = [
    {},
    {"norm": "post", "positions": "rope", "task": "copy", "mask": "causal", "warmUp": 0},
    {"norm": "none", "positions": "sinusoid", "task": "add", "clip": 0},
    {"task": "bite", "ffn": False, "plusAttention": False, "wrong": 0.5, "lr": 1e-2},
]


@pytest.mark.parametrize("more, simd", [*((more, True) for more in RUNS), (RUNS[0], False)])
def test_fifty_steps_stay_with_torch(tab, more, simd):
    given = BASE | TRAINING | more
    told = tab.evaluate(TRAIN, [given, 50, simd])
    weights = {
        name: torch.tensor(w, dtype=torch.float32).view(told["shapes"][name]).requires_grad_()
        for name, w in told["weights"].items()
    }
    optimiser = torch.optim.AdamW(weights.values(), lr=given["lr"], weight_decay=0.01)
    for step, (ours, data) in enumerate(zip(told["losses"], told["data"], strict=True)):
        ids, targets = (torch.tensor(data[kind]).view(given["batch"], -1) for kind in ("ids", "targets"))
        loss = loss_of(forward(weights, ids, given), targets)
        assert abs(ours - loss.item()) < 1e-4 * max(1, loss.item()), step
        optimiser.zero_grad()
        loss.backward()
        if given["clip"]:
            torch.nn.utils.clip_grad_norm_(weights.values(), given["clip"])
        for group in optimiser.param_groups:
            group["lr"] = (
                given["lr"] * min(1, (step + 1) / given["warmUp"]) if given["warmUp"] else given["lr"]
            )
        optimiser.step()


def test_the_same_seed_is_the_same_run(tab):
    given = BASE | TRAINING
    first, again, other = (tab.evaluate(TRAIN, [given | {"seed": seed}, 20])["losses"] for seed in (1, 1, 2))
    assert first == again != other


def test_one_choice_apart_they_begin_alike(tab):
    """A 与 B 里同名同形的参数，开头的数一样；数据也一样。"""
    given = BASE | TRAINING
    a, b = (tab.evaluate(TRAIN, [given | {"layers": layers}, 1]) for layers in (1, 2))
    assert a["data"] == b["data"]
    assert all(b["weights"][name] == values for name, values in a["weights"].items())
    assert len(b["weights"]) > len(a["weights"])


@pytest.mark.parametrize("place", ["exp", "log", "sin", "cos", "pow", "random"])
def test_training_uses_no_function_that_browsers_round_differently(place):
    """Math.log 只用来报告损失，不参与训练；** 只用来算 2 的整数次方。"""
    code = "".join((LIVE / f"{name}.js").read_text(encoding="utf-8") for name in SCRIPTS)
    lines = [
        line.partition("//")[0] for line in code.splitlines() if f"Math.{place}(" in line.partition("//")[0]
    ]
    assert lines == ([] if place != "log" else [line for line in lines if line.strip().startswith("loss +=")])
    assert set(re.findall(r"\S+ \*\* -?\w+", re.sub(r"//.*", "", code))) <= {"2 ** -n", "2 ** 32"}
