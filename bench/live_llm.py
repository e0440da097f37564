"""网页里的大语言模型有多快：与 wllama（llama.cpp 编成的 WebAssembly）比，同一个 GGUF 文件，同一个浏览器，各用一个线程。

两边轮流写同样的开头，都是贪心；wllama 只在这里用到，由 npm 取到 _build 里，书里没有它。
结果是 bench/pages.md 的最后一节：`make bench-pages` 连同各页一起量，单量这一节用 `make bench-live`。机器要闲着。
"""

import gzip
import os
import subprocess
import tarfile
import time
from itertools import pairwise
from pathlib import Path
from statistics import median

from built_book import open_browser, serve
from page_memory import weigh, write_page
from playwright.sync_api import Page

from course_book.after_writing import live_data, live_llm
from course_lib.byte_pair import BytePairTokenizer
from course_lib.weights import builtin_llm_path

WLLAMA = "3.8.1"
SITE = Path(__file__).parents[1] / "_build" / "bench_live"
TABLE = Path(__file__).with_name("pages.md")
HEADING = "## 网页里的大语言模型"
PROMPT_TOKENS, NEW_TOKENS, ROUNDS = 20, 32, 4
REPEATS = 3  # 装几遍
REST = 10  # 看内存之前歇几秒，让浏览器收走用过的
PROMPTS = [
    "Once upon a time, in a small village by the sea, there lived an old fisherman who had",
    "The capital of France is Paris, the capital of Italy is Rome, and the capital of Spain is",
    "To make a good cup of tea, first boil some fresh water, then warm the pot and add",
]
LEAST_RATIO, LEAST_SPEED = 1.5, 10
GOALS = f"每秒至少 {LEAST_SPEED} 个词元，至少是 wllama 的 {LEAST_RATIO} 倍"

# 每一边：page.html 里载入哪些脚本；open() 从按下按钮到能写；write(开头, 几个) → 写出的字，每个词元到的时刻（毫秒）
OURS = """
  const engine = await LiveLlm.open({ root: "live/" });
  globalThis.write = async (prompt, count) => {
    const ids = engine.tokenizer.encode(prompt), length = ids.length, times = [], start = performance.now();
    while (times.length < count) {
      const { logits } = await engine.feed(ids, { cache: times.length > 0 });
      logits[engine.config.eosId] = -Infinity; // 不写结束的词元
      ids.push(LiveSampling.draw(LiveSampling.narrow(logits, { temperature: 0 })));
      times.push(performance.now() - start);
    }
    return { text: engine.tokenizer.decode(ids.slice(length)), times };
  };
"""
THEIRS = """
  const { Wllama, LoggerWithoutDebug } = await import("./wllama/index.min.js");
  const quiet = { logger: LoggerWithoutDebug, suppressNativeLog: true };
  const wllama = new Wllama({ default: "./wllama/wasm/wllama.wasm" }, quiet);
  const blob = await (await fetch("model.gguf")).blob();
  await wllama.loadModel([blob], { n_threads: 1, n_gpu_layers: 0, n_ctx: 256, n_parallel: 1 });
  globalThis.write = async (prompt, count) => {
    const times = [], start = performance.now();
    let text = "";
    // 开头每次都从头算，不写结束的词元，与我们的一边相同
    const same = { max_tokens: count, temperature: 0, cache_prompt: false, ignore_eos: true };
    const onData = ({ choices: [{ text: piece, finish_reason }] }) => {
      if (finish_reason) return;
      text += piece;
      times.push(performance.now() - start);
    };
    await wllama.createCompletion({ prompt, ...same, stream: true, onData });
    return { text, times };
  };
"""
SCRIPTS = (  # 面板以外的，照书里载入的次序
    *("engine.js", "llm/byte_pair.js", "llm/sampling.js", "llm/blocks.js"),
    *("llm/language_model.js", "llm/questions.js", "llm/engine.js"),
)
TAGS = "".join(f'<script src="live/{name}"></script>' for name in SCRIPTS)
SIDES = {"本课": OURS, f"wllama {WLLAMA}": THEIRS}


def make_site() -> None:
    """一个小网站：我们的脚本与数据，wllama 的包，两边共用的模型文件。"""
    live_data.write_scripts(SITE / "live")
    live_data.write_data(SITE / "live/data/llm", live_llm.data_files())
    archive = SITE / f"wllama-wllama-{WLLAMA}.tgz"
    if not archive.is_file():
        command = ["npm", "pack", "--silent", "--pack-destination", SITE, f"@wllama/wllama@{WLLAMA}"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    with tarfile.open(archive) as package:
        package.extractall(SITE / "package", filter="data")
    for name, target in (("wllama", SITE / "package/package/esm"), ("model.gguf", builtin_llm_path())):
        (SITE / name).unlink(missing_ok=True)
        (SITE / name).symlink_to(target)
    (SITE / "page.html").write_text(
        f"<!doctype html><meta charset=utf-8><title>页</title>{TAGS}", encoding="utf-8"
    )


def transferred(side: str) -> tuple[int, int]:
    """要取多少字节：照原样，经 gzip。"""
    if side == "本课":
        files = [*(SITE / "live/data/llm").iterdir(), *(SITE / "live" / name for name in SCRIPTS)]
    else:
        files = [SITE / name for name in ("model.gguf", "wllama/index.min.js", "wllama/wasm/wllama.wasm")]
    return sum(path.stat().st_size for path in files), sum(
        len(gzip.compress(path.read_bytes(), 6)) for path in files
    )


def open_side(page: Page, root: str, side: str) -> float:
    """装好一边，用了几秒。"""
    page.goto(root + "page.html")
    start = time.perf_counter()
    page.evaluate(f"async () => {{ {SIDES[side]} }}")
    return time.perf_counter() - start


def write(page: Page, prompt: str) -> dict:
    found = page.evaluate("([prompt, count]) => write(prompt, count)", [prompt, NEW_TOKENS])
    times = found["times"]
    assert len(times) == NEW_TOKENS, f"写了 {len(times)} 个词元，应当是 {NEW_TOKENS} 个"
    return {
        "text": found["text"],
        # wllama 有时把头两个或末两个一起送来，所以看相邻两个之间的中位数
        "speed": 1000 / median(later - sooner for sooner, later in pairwise(times)),
        "first": times[0] / 1000,
        "whole": 1000 * NEW_TOKENS / times[-1],
    }


def weigh_side(root: str, side: str) -> float:
    """装好并写过一遍之后，比空白的一页多占多少兆字节。"""
    work = f"{SIDES[side]}\nawait write({PROMPTS[0]!r}, {NEW_TOKENS}); await new Promise((ready) => setTimeout(ready, {1000 * REST}));"
    write_page(SITE / "memory.html", TAGS if side == "本课" else "", work)
    return weigh(f"{root}memory.html")[1]


def open_fresh(root: str, side: str) -> float:
    """新开一个浏览器，装好用了几秒。"""
    with open_browser() as browser:
        return open_side(browser.new_page(), root, side)


def race(root: str) -> dict[str, list[dict]]:
    """两边轮流写，先后也轮流；第一遍热身，不算。"""
    samples = {side: [] for side in SIDES}
    with open_browser() as browser:
        order = [(side, browser.new_page()) for side in SIDES]
        for side, page in order:
            open_side(page, root, side)
            write(page, PROMPTS[0])
        for _ in range(ROUNDS):
            for prompt in PROMPTS:
                for side, page in order:
                    samples[side].append(write(page, prompt))
                order.reverse()
    return samples


def middle(values: list[float], form: str) -> str:
    """中位数与范围。"""
    return f"{median(values):{form}}（{min(values):{form}}–{max(values):{form}}）"


def section() -> str:
    """量一遍，写成一节。"""
    tokenizer = BytePairTokenizer.from_pretrained()
    assert all(len(tokenizer.encode(prompt)) == PROMPT_TOKENS for prompt in PROMPTS)
    make_site()
    raw, zipped = zip(*(transferred(side) for side in SIDES), strict=True)
    before = os.getloadavg()[0]
    with serve(SITE) as root:
        seconds = [median(open_fresh(root, side) for _ in range(REPEATS)) for side in SIDES]
        held = [median(weigh_side(root, side) for _ in range(REPEATS)) for side in SIDES]
        samples = race(root)
    after = os.getloadavg()[0]

    def row(name, key, form):
        ours, theirs = ([sample[key] for sample in samples[side]] for side in SIDES)
        ratio = [a / b for a, b in zip(ours, theirs, strict=True)]
        return (
            f"| {name} | {middle(ours, form)} | {middle(theirs, form)} | {middle(ratio, '.2f')} |",
            ratio,
            ours,
        )

    def pair(name, values, form="{:.1f}"):
        ours, theirs = values
        return f"| {name} | {form.format(ours)} | {form.format(theirs)} | {ours / theirs:.2f} |"

    speed, ratio, ours = row("每秒写几个词元", "speed", ".1f")
    first, *_ = row("头一个词元要等几秒", "first", ".2f")
    whole, *_ = row("连开头算在内，每秒几个词元", "whole", ".1f")
    met = median(ours) >= LEAST_SPEED and median(ratio) >= LEAST_RATIO
    same = sum(a["text"] == b["text"] for a, b in zip(*samples.values(), strict=True)) // ROUNDS
    return "\n".join(
        [
            HEADING,
            "",
            f"与 wllama（llama.cpp 编成的 WebAssembly）比：同一个 GGUF 文件，同一个浏览器，各用一个线程，CPU 不放慢，{os.cpu_count()} 个核。",
            f"{len(PROMPTS)} 个开头，各 {PROMPT_TOKENS} 个词元，贪心地写 {NEW_TOKENS} 个；两边轮流，各 {len(ours)} 次，取中位数，括号里是范围，比值也是一对一对地算。",
            f"“装好”从按下按钮算起，经本机的 http；“内存”是装好并写过一遍、歇 {REST} 秒之后，浏览器各个进程比打开空白的一页多占的匿名内存（浏览器不接调试器）。量之前与量之后，机器的负载是 {before:.1f} 与 {after:.1f}。",
            f"目标是{GOALS}：{'达到' if met else '**未达到**'}。{len(PROMPTS)} 个开头里，两边写得一字不差的有 {same} 个（llama.cpp 把激活也量化成 8 位）。",
            "",
            f"| | {' | '.join(SIDES)} | 比值 |",
            "|---|---:|---:|---:|",
            speed,
            first,
            whole,
            pair("装好要几秒", seconds),
            pair("内存（MB）", held, "{:.0f}"),
            pair("传输，照原样（MB）", [value / 1e6 for value in raw]),
            pair("传输，经 gzip（MB）", [value / 1e6 for value in zipped]),
            "",
        ]
    )


def main() -> None:
    pages = TABLE.read_text(encoding="utf8").split(HEADING)[0].rstrip()
    TABLE.write_text(f"{pages}\n\n{section()}", encoding="utf8")
    print(TABLE.read_text(encoding="utf8").partition(HEADING)[2])


if __name__ == "__main__":
    main()
