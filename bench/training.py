"""网页里训练一步要多久，与 PyTorch 的一个线程比：同样的层数、宽度、头数，32 句、每句 16 个词元；A 与 B 一起训练的一页，每秒走几步、按一下多久有反应、占多少内存。

写进 bench/training.md。两边轮流跑，数的是各自的 CPU 时间：机器上别人忙，也不算在里面。
"""

import tempfile
import time
from pathlib import Path

import torch
from built_book import BOOK, serve
from measure import machine, ratios, spread, table
from page_memory import weigh, write_page
from torch import nn
from wasmtime import wat2wasm

from course_book.after_writing.live_train import KERNEL, PARTS
from tools.chromium import open_browser

LIVE = KERNEL.parent
CASES = ((16, 1, 2), (32, 2, 4), (64, 4, 4))
BATCH, LENGTH, WORDS, ROUNDS, STEPS = 32, 16, 12, 9, 40
OURS, PLAIN, THEIRS = "网页，WebAssembly", "网页，只用 JavaScript", "PyTorch"
PREPARE = """([width, layers, heads, batch, length, words, simd]) => {
  const tools = { trainProducts, trainParts, trainRandom }, { clip, step } = trainOptimiser();
  const given = { layers, heads, width, ffn: 1, plusAttention: 1, plusFfn: 1, norm: "pre", positions: "learned", mask: "none", seed: 1, vocabSize: words, batch, maxLength: length };
  const model = trainModel(tools)(given, simd ? wasm : undefined);
  const ids = Int32Array.from({ length: batch * length }, (_, i) => (7 * i) % words), targets = ids.map((id) => (id + 3) % words);
  let t = 0;
  globalThis.run = (steps) => {
    for (let i = 0; i < steps; i++) {
      const { counted } = model.lossOf(model.forward(ids, batch, length), targets);
      model.backward(targets, counted);
      clip(model.gradients, 1);
      step(model, 1e-3, ++t);
    }
  };
  run(20);
}"""
# 开头的两次，与最大的两次：A 与 B 都是 4 层、宽 64
PAGES = {
    "开头的一对，2 层与 1 层，宽 32": "#task=copy",
    "最大的一对，各 4 层，宽 64": "#task=copy&layers=4&width=64&other=norm&value=post&steps=400",
}
# 一边训练，一边盖住一个字、揭开：浏览器画出下一帧之前多久（Event Timing），答案变了之前多久；都是毫秒
TOUCH = """async (touches) => {
  let waiting = 0;
  const painted = [], answered = [], one = (what) => document.querySelector(what);
  new PerformanceObserver((list) => list.getEntries().forEach(({ name, duration }) => name === "click" && painted.push(duration))).observe({ type: "event", durationThreshold: 16 });
  document.addEventListener("click", ({ timeStamp, target }) => {
    if (!target.matches(".train-word")) return;
    const covered = one(".train-loss").textContent.includes("盖住");
    waiting++;
    const watch = new MutationObserver(() => {
      if (one(".train-loss").textContent.includes("盖住") === covered) return;
      watch.disconnect();
      waiting--;
      answered.push(performance.now() - timeStamp);
    });
    watch.observe(one(".train-loss"), { childList: true, characterData: true, subtree: true });
  });
  globalThis.touched = () => ({ painted, answered, waiting, speed: one(".train-speed").textContent });
}"""
TRAIN = """
  const frame = document.createElement("iframe"), find = (what) => frame.contentDocument?.querySelector(what);
  const until = async (what) => { while (!find(what)) await new Promise((resolve) => setTimeout(resolve, 50)); };
  Object.assign(frame, { src: "book/chapters/train.html%s", width: 1200, height: 900 });
  document.body.append(frame);
  await until(".live-train[data-ready]");
  find(".train-play").click();
  await until(".live-train[data-done]");
"""


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

    return step


def milliseconds(clock, run, steps: int) -> float:
    """每步多少毫秒的 CPU；clock 给出此刻用了多少秒。"""
    start = clock()
    run(steps)
    return 1000 * (clock() - start) / steps


def speed(browser) -> list:
    """各种大小走一步要多久的 CPU，与网页比 PyTorch 的倍数。"""
    cells = []
    cdp = browser.new_browser_cdp_session()

    def spent() -> float:
        told = cdp.send("SystemInfo.getProcessInfo")["processInfo"]
        return sum(each["cpuTime"] for each in told if each["type"] == "renderer")

    for case in CASES:
        name = "宽 {}，{} 层，{} 个头".format(*case)
        page = browser.new_page()
        page.set_content("<!doctype html><title>页</title>")
        for part in PARTS:
            page.add_script_tag(path=LIVE / f"{part}.js")
        wasm = list(wat2wasm(KERNEL.read_text(encoding="utf-8")))
        page.evaluate("(bytes) => { globalThis.wasm = new Uint8Array(bytes); }", wasm)

        def ours(steps, page=page):
            page.evaluate("(steps) => run(steps)", steps)

        page.evaluate(PREPARE, [*case, BATCH, LENGTH, WORDS, False])
        plain = [milliseconds(spent, ours, 5) for _ in range(3)]
        page.evaluate(PREPARE, [*case, BATCH, LENGTH, WORDS, True])
        step = in_torch(*case)

        def theirs(steps, step=step):
            for _ in range(steps):
                step()

        theirs(20)
        pairs = [
            (milliseconds(spent, ours, STEPS), milliseconds(time.process_time, theirs, STEPS))
            for _ in range(ROUNDS)
        ]
        a, b = map(list, zip(*pairs, strict=True))
        cells += [
            spread("speed", name, side, each)
            for side, each in ((OURS, a), (PLAIN, plain), (THEIRS, b), ("网页 / PyTorch", ratios(a, b)))
        ]
        page.close()
    return cells


def touched(browser, address: str, touches: int = 12) -> str:
    """一边训练一边按：每秒几步，画出下一帧之前、答案变了之前各最多多久。"""
    page = browser.new_page(viewport={"width": 1200, "height": 900})
    page.goto(address)
    page.wait_for_selector(".live-train[data-ready]")
    page.evaluate(TOUCH)
    page.click(".train-play")
    page.wait_for_timeout(3000)
    for _ in range(touches):
        page.locator(".train-A .train-word").nth(2).click()
        page.wait_for_function("() => touched().waiting === 0")
        page.wait_for_timeout(200)
    told = page.evaluate("touched()")
    page.close()
    return (
        f"{told['speed'].split('，')[-1]} | {max([16, *told['painted']]):.0f} | {max(told['answered']):.0f}"
    )


def memory(fragment: str) -> float:
    """一页多占多少兆字节，途中最多的。"""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "book").symlink_to(BOOK)
        write_page(Path(folder, "page.html"), "", TRAIN.replace("%s", fragment))
        with serve(folder) as root:
            return weigh(root + "page.html", seconds=400)[0]


def main() -> None:
    torch.set_num_threads(1)
    info = machine()
    with open_browser() as browser, serve(BOOK) as root:
        cells = speed(browser)
        told = {name: touched(browser, f"{root}chapters/train.html{at}") for name, at in PAGES.items()}
        version = browser.version
    lines = [
        "# 网页里训练一步要多久",
        "",
        f"由 `make bench-training` 写成：Chromium {version}，PyTorch {torch.__version__} 一个线程，{info['cpu']}，{info['cores']} 个核，量的时候负载 {info['load']}。",
        f"一批 {BATCH} 句，每句 {LENGTH} 个词元；单位是毫秒的 CPU，中位数（最小–最大），两边轮流跑 {ROUNDS} 轮。",
        "",
        table(cells, "speed"),
        "",
        "那一页里 A 与 B 一起训练，一边训练一边盖住一个字、揭开，按十二次，取最慢的一次；内存是比空白的一页多占的，途中最多的。",
        "",
        "| | 速度 | 按下去到画出下一帧，毫秒 | 到答案变了，毫秒 | 内存，MB |",
        "|---|---|---:|---:|---:|",
        *(f"| {name} | {told[name]} | {memory(at):.0f} |" for name, at in PAGES.items()),
    ]
    Path(__file__).with_suffix(".md").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
