"""量一量内置的大语言模型写得多快、占多少内存，与 transformers 的 generate 比，写进 language_model.md。

双方读同一个 GGUF 文件，fp32，贪心，写满为止；一轮里轮流写，比值在同一轮里算；写出的词元核对过是相同的。
CPU 上用一个线程，数处理器时间，机器忙着也量得准；有显卡时用显卡，看墙上的钟。
"""

import argparse
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import torch
import transformers
from measure import DEVICE, OURS, Cell, machine, ratios, spread, table
from torch import Tensor
from transformers import AutoModelForCausalLM, LlamaForCausalLM

from course_lib.generation import generate
from course_lib.language_model import LanguageModel
from course_lib.weights import llm_source

HF = "HF generate"
RATIO = "每秒词元，我们 ÷ HF"


def pair() -> tuple[LanguageModel, LlamaForCausalLM]:
    path = llm_source()
    theirs = AutoModelForCausalLM.from_pretrained(path.parent, gguf_file=path.name, dtype=torch.float32)
    return LanguageModel.from_pretrained(path).to(DEVICE), theirs.eval().to(DEVICE)


def writers(models: tuple, ids: Tensor, count: int, use_cache: bool) -> dict[str, Callable[[], Tensor]]:
    ours, theirs = models
    # eos_token_id 取词表里没有的编号，谁也写不完，于是每次都写满
    settings = {"max_new_tokens": count, "do_sample": False, "eos_token_id": -1, "pad_token_id": 2}
    mask = torch.ones_like(ids)
    return {
        HF: partial(theirs.generate, ids, attention_mask=mask, use_cache=use_cache, **settings),
        OURS: partial(generate, ours, ids, count, use_cache=use_cache),
    }


def timed(run: Callable[[], Tensor]) -> tuple[float, Tensor]:
    """几秒，与写出的编号。CPU 上数这个进程用掉的处理器时间：别的进程来抢，墙上的钟会慢，它不会。"""
    if DEVICE == "cuda":
        torch.cuda.synchronize()
    clock = time.perf_counter if DEVICE == "cuda" else time.process_time
    start, written = clock(), run()
    if DEVICE == "cuda":
        torch.cuda.synchronize()
    return clock() - start, written


def speed(models: tuple, prompts: list[int], batches: list[int], count: int, rounds: int):
    """开头 N 个词元、B 句，各写几个；不用缓存的只写很少几个，每一个都要把开头重算一遍。"""
    for use_cache in (True, False):
        for n in prompts:
            for batch in batches:
                new = count if use_cache else max(2, count // 8)
                g = torch.Generator().manual_seed(n)
                ids = torch.randint(3, models[0].config.vocab_size, (batch, n), generator=g).to(DEVICE)
                runs = writers(models, ids, new, use_cache)
                samples, order, written = {side: [] for side in runs}, list(runs), {}
                for _ in range(rounds if batch * n < 1000 else 2):  # 长的一遍就要几十秒
                    for side in order:
                        seconds, written[side] = timed(runs[side])
                        samples[side].append(seconds)
                    order.reverse()
                assert torch.equal(*written.values()), f"写出的不同：{n}，{batch}"
                kept = "缓存" if use_cache else "不用缓存"
                case = f"{kept}，开头 {n}，{batch} 句，写 {new} 个"
                for side, times in samples.items():
                    yield spread("speed", case, f"{side}，每秒词元", [batch * new / t for t in times])
                yield spread("speed", case, RATIO, ratios(samples[HF], samples[OURS]))


def resident() -> dict[str, float]:
    lines = Path("/proc/self/status").read_text().splitlines()
    return {line.split(":")[0]: int(line.split()[1]) / 1024 for line in lines if line.startswith("Vm")}


def peak_of(side: str) -> None:
    """在自己的进程里装一个、写八个，印出比装之前多占的最大值，MB。"""
    ids = torch.randint(3, 999, (1, 32), generator=torch.Generator().manual_seed(0))
    path, before = llm_source(), resident()["VmRSS"]
    if side == OURS:
        generate(LanguageModel.from_pretrained(path), ids, 8)
    else:
        model = AutoModelForCausalLM.from_pretrained(path.parent, gguf_file=path.name, dtype=torch.float32)
        model.generate(
            ids, max_new_tokens=8, do_sample=False, attention_mask=torch.ones_like(ids), pad_token_id=2
        )
    print(resident()["VmHWM"] - before)


def memory() -> list[Cell]:
    cells = []
    for side in (HF, OURS):
        run = subprocess.run(
            [sys.executable, __file__, "--peak", side], check=True, stdout=subprocess.PIPE, text=True
        )
        cells.append(
            spread("memory", "装一个、写八个", f"{side}，最多多占 MB", [float(run.stdout.split()[-1])])
        )
    return cells


def report(cells: list[Cell], host: dict) -> str:
    versions = "，".join(f"{name} {version}" for name, version in host["versions"].items())
    return f"""# 大语言模型写得多快

由 `python bench/language_model.py` 写成：{host["gpu"] or host["cpu"]}，{host["cores"]} 个核，{host["threads"]} 个线程；{versions}。
开始时机器的负载是 {host["load"]}；CPU 上每秒的词元数按这个进程用掉的处理器时间算，别的进程来抢也不大影响，要看的仍是比值：双方在同一轮里轮流写。
一格是“中位数（最小–最大）”；双方读同一个文件，fp32，贪心，核对过写出的词元相同。
比值大于 1 就是我们快；九成的时间是双方相同的矩阵乘法，能差的只有其余一成，1% 上下是各轮之间的起伏。

## 每秒词元

{table(cells, "speed")}

## 内存

各在自己的进程里，从装之前算起；映射进来的文件也算在内。

{table(cells, "memory")}
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tokens", type=int, default=32, help="用缓存时写几个词元")
    parser.add_argument("--rounds", type=int, default=5, help="几轮")
    parser.add_argument("--threads", type=int, default=1, help="线程数")
    parser.add_argument("--prompts", type=int, nargs="+", default=[32, 512])
    parser.add_argument("--batches", type=int, nargs="+", default=[1, 4])
    parser.add_argument("--out", type=Path, default=Path(__file__).parent, help="结果写到哪个文件夹")
    parser.add_argument("--peak", choices=(HF, OURS), help=argparse.SUPPRESS)
    args = parser.parse_args()
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    torch.set_num_threads(args.threads)
    if args.peak:
        return peak_of(args.peak)
    host, cells = machine(), memory()
    models = pair()
    for run in writers(models, torch.ones(1, 4, dtype=torch.long, device=DEVICE), 2, True).values():
        run()  # 第一次要建缓存，不算
    for cell in speed(models, args.prompts, args.batches, args.tokens, args.rounds):
        print(f"{cell.case} {cell.side}：{cell}", file=sys.stderr, flush=True)
        cells.append(cell)
    (args.out / "language_model.md").write_text(report(cells, host), encoding="utf8")


if __name__ == "__main__":
    main()
