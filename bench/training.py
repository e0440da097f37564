"""网页里训练一步要多久，与 PyTorch 的一个线程比：同样的层数、宽度、头数，32 句、每句 16 个词元；写进 bench/training.md。

两边轮流跑，各取最快的一轮：机器忙的时候，慢的几轮说的是别人。
"""

import platform
import time
from pathlib import Path

import torch
from torch import nn
from wasmtime import wat2wasm

from course_book.after_writing.live_train import KERNEL, PARTS
from tools.chromium import open_browser

LIVE = KERNEL.parent
CASES = ((16, 1, 2), (32, 2, 4), (64, 4, 4))
BATCH, LENGTH, WORDS, ROUNDS, STEPS = 32, 16, 12, 7, 40
PREPARE = """([width, layers, heads, batch, length, words, simd]) => {
  const tools = { trainProducts, trainParts, trainRandom }, { clip, step } = trainOptimiser();
  const given = { layers, heads, width, ffn: 1, plusAttention: 1, plusFfn: 1, norm: "pre", positions: "learned", mask: "none", seed: 1, vocabSize: words, batch, maxLength: length };
  const model = trainModel(tools)(given, simd ? wasm : undefined);
  const ids = Int32Array.from({ length: batch * length }, (_, i) => (7 * i) % words), targets = ids.map((id) => (id + 3) % words);
  let t = 0;
  globalThis.run = (steps) => {
    const began = performance.now();
    for (let i = 0; i < steps; i++) {
      const { counted } = model.lossOf(model.forward(ids, batch, length), targets);
      model.backward(targets, counted);
      clip(model.gradients, 1);
      step(model, 1e-3, ++t);
    }
    return (performance.now() - began) / steps;
  };
  run(20);
}"""


def in_torch(width: int, layers: int, heads: int):
    """同样大小的模型走一步。"""
    layer = nn.TransformerEncoderLayer(width, heads, 4 * width, dropout=0, batch_first=True, norm_first=True)
    encoder = nn.TransformerEncoder(layer, layers, norm=nn.LayerNorm(width), enable_nested_tensor=False)
    tokens, head = nn.Embedding(WORDS, width), nn.Linear(width, WORDS)
    positions = nn.Parameter(torch.randn(LENGTH, width))
    parameters = [*encoder.parameters(), *tokens.parameters(), *head.parameters(), positions]
    optimiser = torch.optim.AdamW(parameters, lr=1e-3)
    ids = (7 * torch.arange(BATCH * LENGTH) % WORDS).view(BATCH, LENGTH)

    def step():
        scores = head(encoder(tokens(ids) + positions))
        optimiser.zero_grad()
        nn.functional.cross_entropy(scores.flatten(0, 1), ((ids + 3) % WORDS).flatten()).backward()
        nn.utils.clip_grad_norm_(parameters, 1)
        optimiser.step()

    for _ in range(20):
        step()
    return step


def milliseconds(step) -> float:
    start = time.perf_counter()
    for _ in range(STEPS):
        step()
    return 1000 * (time.perf_counter() - start) / STEPS


def main() -> None:
    torch.set_num_threads(1)
    rows = []
    with open_browser() as browser:
        page = browser.new_page()
        page.set_content("<!doctype html><title>页</title>")
        for name in PARTS:
            page.add_script_tag(path=LIVE / f"{name}.js")
        wasm = list(wat2wasm(KERNEL.read_text(encoding="utf-8")))
        page.evaluate("(bytes) => { globalThis.wasm = new Uint8Array(bytes); }", wasm)
        for case in CASES:
            given = [*case, BATCH, LENGTH, WORDS]
            page.evaluate(PREPARE, [*given, False])
            plain = min(page.evaluate("() => run(5)") for _ in range(3))
            page.evaluate(PREPARE, [*given, True])
            step, ours, theirs = in_torch(*case), [], []
            for _ in range(ROUNDS):
                ours.append(page.evaluate("(steps) => run(steps)", STEPS))
                theirs.append(milliseconds(step))
            rows.append((*case, min(ours), plain, min(theirs), min(ours) / min(theirs)))
        version = browser.version
    lines = [
        "# 网页里训练一步要多久",
        "",
        f"由 `make bench-training` 写成：Chromium {version}，PyTorch {torch.__version__} 一个线程，{platform.machine()}；一批 {BATCH} 句，每句 {LENGTH} 个词元，单位毫秒，取最快的一轮。",
        "",
        "| 宽度 | 层数 | 头数 | 网页，WebAssembly | 网页，只用 JavaScript | PyTorch | 网页 / PyTorch |",
        "|---:|---:|---:|---:|---:|---:|---:|",
        *(f"| {w} | {n} | {h} | {a:.1f} | {b:.1f} | {c:.1f} | {r:.2f} |" for w, n, h, a, b, c, r in rows),
    ]
    Path(__file__).with_suffix(".md").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
