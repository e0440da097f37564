"""我们的编码器有多快、占多少内存：与 transformers、单单矩阵乘法轮流跑，取中位数。

每一轮里各边各跑一次，单数轮倒过来跑，比值在同一轮里算：机器忙闲的变化对各边相同，比值里就消去了。
同样的权重、同样的输入，量之前先断言结果相同；结果写进 encoder.json 与 encoder.md，数字随机器而变，表里写明了是什么机器。
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict
from functools import partial
from pathlib import Path

# 大张量是每次向系统要、用完就还，还是留在进程里下次再用，取决于进程先前要过什么，时间能差三成；
# glibc 启动时就读这两个变量，所以设好之后要把自己重新运行一遍。
HEAP = {"MALLOC_MMAP_THRESHOLD_": str(4 << 30), "MALLOC_TRIM_THRESHOLD_": str(4 << 30)}
if __name__ == "__main__" and not HEAP.keys() <= os.environ.keys():
    os.execve(sys.executable, [sys.executable, *sys.argv], os.environ | HEAP)

import torch
import torch.nn.functional as F
import transformers
from measure import DEVICE, FLOOR, HF, OURS, Cell, machine, race, ratios, spread, table
from torch import Tensor, nn
from transformers import BertModel

from course_lib.batching import encode_by_length
from course_lib.bert import Bert
from course_lib.weights import bert_config, builtin_path, our_name

SHAPES = [(1, 16), (8, 128), (32, 128), (8, 512), (1, 2048)]
COMPILED_SHAPES = [(1, 16), (32, 128)]  # CPU 上编译一次要半分钟
LENGTHS = (512, 1024, 2048)
TOLERANCE = 1e-4  # 最后一层的输出大约是 1
COMPILED, GROUPED, WEIGHTS = "我们，编译", "我们，按长度分组", "我们，要权重"


# ---- 各边的模型，权重相同 ----


def hf_bert(n: int) -> BertModel:
    """内置的 BERT，没有池化层与 dropout；n 超过它的 512 个位置时，尺寸不变、权重随机。"""
    options = {"attn_implementation": "sdpa", "add_pooling_layer": False}
    model = BertModel.from_pretrained(
        builtin_path(), hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, **options
    )
    if n > model.config.max_position_embeddings:
        torch.manual_seed(0)
        model.config.max_position_embeddings = n
        model = BertModel._from_config(model.config, **options)
    return model.eval()


def berts(n: int) -> dict[str, nn.Module]:
    """双方的模型；n，最长的一句有几个词元。"""
    theirs = hf_bert(n)
    ours = Bert(bert_config(theirs.config.to_dict())).eval()
    ours.load_state_dict({our_name(key): tensor for key, tensor in theirs.state_dict().items()})
    return {HF: theirs.to(DEVICE), OURS: ours.to(DEVICE)}


def encoding(model: nn.Module, **inputs: Tensor) -> Callable[[], Tensor]:
    return lambda: model(**inputs).last_hidden_state


def random_ids(batch: int, n: int) -> Tensor:
    return torch.randint(1000, 30000, (batch, n), generator=torch.Generator().manual_seed(0)).to(DEVICE)


def matrix_products(ours: Bert, batch: int, n: int) -> Callable:
    """编码器里的矩阵乘法，各层用各自的权重，一个不少，此外什么也不做：不可能更快的下限。"""
    c = ours.config
    draw = partial(torch.randn, device=DEVICE)
    x, wide = draw(batch * n, c.d_model), draw(batch * n, c.d_ff)
    heads, d = batch * c.num_heads, c.d_model // c.num_heads
    query, key, weights = draw(heads, n, d), draw(heads, d, n), draw(heads, n, n)
    linears = [m for m in ours.encoder.modules() if isinstance(m, nn.Linear)]

    def run():
        for linear in linears:
            F.linear(wide if linear.in_features == c.d_ff else x, linear.weight)
        for _ in ours.encoder.layers:
            torch.bmm(query, key)
            torch.bmm(weights, query)

    return run


def can_compile() -> bool:
    try:
        torch.compile(torch.sin)(torch.ones(8, device=DEVICE))
    except Exception:  # 缺编译器、缺头文件、系统不支持，异常各不相同，结论一样
        return False
    return True


# ---- 各部分 ----


def against_hf(part: str, case: str, samples: dict[str, list[float]]) -> Iterator[Cell]:
    """HF 给毫秒数，其余各边给同一轮里与它的比值。"""
    yield spread(part, case, f"{HF}（毫秒）", [1000 * s for s in samples[HF]])
    for side in [side for side in samples if side != HF]:
        yield spread(part, case, side, ratios(samples[side], samples[HF]))


def forward(quick: bool) -> Iterator[Cell]:
    """不记梯度，没有填充。各列是时间与 HF sdpa 的比值，越小越好；“矩阵乘法 ÷”是它在全部时间里占几成，越大越好。"""
    compiled = not quick and can_compile()
    for shape in SHAPES[:1] if quick else SHAPES:
        models, ids = berts(shape[1]), random_ids(*shape)
        if compiled and shape in COMPILED_SHAPES:
            torch.compiler.reset()
            models[COMPILED] = torch.compile(models[OURS])
        sides = {side: encoding(model, input_ids=ids) for side, model in models.items()}
        sides[FLOOR] = matrix_products(models[OURS], *shape)
        with torch.inference_mode():
            samples = race(sides, 0.0 if quick else 5.0, TOLERANCE)
        case = f"fp32 {shape}"
        yield from against_hf("forward", case, samples)
        yield spread("forward", case, f"矩阵乘法 ÷ {OURS}", ratios(samples[FLOOR], samples[OURS]))


def ragged(quick: bool) -> Iterator[Cell]:
    """32 句，长度从 8 到 128 均匀地抽，前向。HF 与“我们”把整批填充到最长，“按长度分组”用 `encode_by_length`；真实词元上的结果相同。"""
    batch, longest = (4, 16) if quick else (32, 128)
    lengths = torch.randint(8, longest + 1, (batch,), generator=torch.Generator().manual_seed(0))
    mask = (torch.arange(int(lengths.max())) < lengths[:, None]).long().to(DEVICE)
    inputs = {"input_ids": random_ids(*mask.shape) * mask, "attention_mask": mask}
    models = berts(longest)
    sides = {side: encoding(model, **inputs) for side, model in models.items()}
    sides[GROUPED] = partial(encode_by_length, models[OURS], inputs)
    with torch.inference_mode():
        samples = race(sides, 0.0 if quick else 5.0, TOLERANCE, keep=lambda x: x[mask.bool()])
    yield from against_hf("ragged", f"fp32，真实词元占 {mask.float().mean():.0%}", samples)


def memory(quick: bool) -> Iterator[Cell]:
    """一句，前向时比之前多占的最大值，单位 MB；长度加倍时，线性就是 2 倍，平方就是 4 倍。"""
    lengths = (128, 256) if quick else LENGTHS
    if DEVICE == "cuda":
        peaks = peaks_of(lengths)
    else:  # 换一个进程：稍大的张量都直接向系统要、用完就还，进程占的内存就是活着的张量
        env = os.environ | {"MALLOC_MMAP_THRESHOLD_": str(64 << 10)}
        command = [sys.executable, __file__, "--peaks", *map(str, lengths)]
        peaks = json.loads(subprocess.run(command, check=True, env=env, stdout=subprocess.PIPE).stdout)
    for side, sizes in peaks.items():
        for length, size in zip(lengths, sizes, strict=True):
            yield spread("memory", side, f"{length} 个词元", [size])
        yield spread("memory", side, "最后一次加倍的倍数", [sizes[-1] / sizes[-2]])


def peaks_of(lengths: list[int]) -> dict[str, list[float]]:
    models = berts(max(lengths))
    sides = {HF: models[HF], OURS: models[OURS], WEIGHTS: partial(models[OURS], need_weights=True)}
    with torch.inference_mode():
        return {
            side: [peak_of(partial(run, random_ids(1, n))) for n in lengths] for side, run in sides.items()
        }


def peak_of(run: Callable) -> float:
    """run 期间多占的内存的最大值，MB；头一遍要建缓存，不算。"""
    run()
    if DEVICE == "cuda":
        before = torch.cuda.memory_allocated()
        torch.cuda.reset_peak_memory_stats()
        run()
        return (torch.cuda.max_memory_allocated() - before) / 1e6
    Path("/proc/self/clear_refs").write_text("5")  # 让 Linux 从现在起重新记最大值
    before = resident("VmRSS")
    run()
    return (resident("VmHWM") - before) / 1e6


def resident(name: str) -> int:
    line = next(x for x in Path("/proc/self/status").read_text().splitlines() if x.startswith(name))
    return int(line.split()[1]) * 1024


PARTS = {"forward": ("前向", forward), "ragged": ("长短不一的一批", ragged), "memory": ("内存", memory)}


# ---- 报告 ----


def report(cells: list[Cell], host: dict) -> str:
    versions = "，".join(f"{name} {version}" for name, version in host["versions"].items())
    peak = "，".join(f"{name} {value}" for name, value in host["mm_gflops"].items())
    text = [
        "# 我们的编码器有多快\n",
        f"由 `make bench` 写成：{host['gpu'] or host['cpu']}，{host['cores']} 个核，{host['threads']} 个线程，"
        f"指令集 {'、'.join(host['flags']) or '—'}；{versions}。",
        f"2048 见方以内的矩阵相乘，最快每秒 {peak}（十亿次浮点运算）；开始时机器的负载是 {host['load']}。",
        "一格是“中位数（最小–最大）”，各边轮流跑，比值在同一轮里算；各边权重与输入相同，量之前断言过结果相同。",
        "glibc 的 `MALLOC_MMAP_THRESHOLD_` 与 `MALLOC_TRIM_THRESHOLD_` 对各边都固定为 4 GiB。",
    ]
    if not any(cell.side == COMPILED for cell in cells):
        text.append(
            "编译的一列没有量：用了 `--quick`，或者这台机器上没有 `torch.compile` 要用的 C++ 编译器。"
        )
    for part, (title, run) in PARTS.items():
        text.append(f"\n## {title}\n\n{run.__doc__}\n\n{table(cells, part)}")
    return "\n".join(text) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(
        description="量我们的编码器有多快，结果写进 encoder.md 与 encoder.json。"
    )
    parser.add_argument("--quick", action="store_true", help="最小的形状、不编译，只看能不能跑通")
    parser.add_argument("--threads", type=int, help="线程数，不给就由 torch 决定")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent, help="结果写到哪个文件夹")
    parser.add_argument("--peaks", type=int, nargs="+", help=argparse.SUPPRESS)
    args = parser.parse_args()
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    if args.threads:
        torch.set_num_threads(args.threads)
    if args.peaks:
        print(json.dumps(peaks_of(args.peaks)))
        return
    # 权重不再变，就可以预先排成矩阵乘法爱用的样子；只在不记梯度时起作用
    torch._inductor.config.freezing = DEVICE == "cpu"
    host, cells = machine(), []
    for _, run in PARTS.values():
        for cell in run(args.quick):
            print(f"{cell.part:10} {cell.case:16} {cell.side}：{cell}", file=sys.stderr)
            cells.append(cell)
    found = {"machine": host, "cells": [asdict(cell) for cell in cells]}
    (args.out / "encoder.json").write_text(
        json.dumps(found, ensure_ascii=False, indent=1) + "\n", encoding="utf8"
    )
    (args.out / "encoder.md").write_text(report(cells, host), encoding="utf8")


if __name__ == "__main__":
    main()
