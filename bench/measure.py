"""量快慢的尺子：各边轮流跑，记下中位数与范围；是什么机器；写成表。"""

import math
import os
import platform
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import torch
import transformers

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16}
DASH = "—"
# 记录里各边的名字，画图时也要认得
HF, OURS, FLOOR = "HF sdpa", "我们", "只做矩阵乘法"


@dataclass
class Cell:
    """表里的一格：中位数与最小、最大。"""

    part: str
    case: str
    side: str
    median: float
    low: float
    high: float

    def __str__(self) -> str:
        if self.low < self.high:
            return f"{self.median:.3g}（{self.low:.3g}–{self.high:.3g}）"
        return f"{self.median:.3g}"


def seconds_of(run: Callable, repeats: int = 1) -> float:
    """连跑 repeats 次，每次平均几秒；GPU 上要等它真的算完。"""
    if DEVICE == "cuda":
        torch.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(repeats):
        run()
    if DEVICE == "cuda":
        torch.cuda.synchronize()
    return (time.perf_counter() - start) / repeats


def race(
    sides: dict[str, Callable],
    seconds: float,
    tolerance: float | None = None,
    keep: Callable = lambda result: result,
) -> dict[str, list[float]]:
    """各边轮流跑，直到用完 seconds，至少五轮；seconds 为 0 就只跑两轮。返回每边每轮的秒数。

    给了 tolerance，就先断言各边的 keep(结果) 与第一边的相差不超过它；没有结果的一边不比。
    """
    first = next(iter(sides))
    expected, repeats = None, {}
    for side, run in sides.items():
        got = run()  # 第一次要建缓存、要编译，不算
        if tolerance is not None and got is not None:
            expected = keep(got) if expected is None else expected
            difference = (keep(got) - expected).abs().max().item()
            assert difference <= tolerance, f"{side} 与 {first} 的结果相差 {difference:.2g}"
        repeats[side] = math.ceil(0.02 / seconds_of(run))  # 短的连跑几次，一个样本至少 20 毫秒
    samples, order = {side: [] for side in sides}, list(sides)
    end = time.perf_counter() + seconds
    least = 5 if seconds else 2
    while len(samples[first]) < least or time.perf_counter() < end:
        for side in order:
            samples[side].append(seconds_of(sides[side], repeats[side]))
        order.reverse()
    return samples


def spread(part: str, case: str, side: str, values: list[float]) -> Cell:
    return Cell(part, case, side, statistics.median(values), min(values), max(values))


def ratios(over: list[float], under: list[float]) -> list[float]:
    return [a / b for a, b in zip(over, under, strict=True)]


def machine() -> dict:
    cpu, flags = platform.processor() or platform.machine(), []
    if Path("/proc/cpuinfo").is_file():
        info = dict(
            (part.strip() for part in line.split(":", 1))
            for line in Path("/proc/cpuinfo").read_text().splitlines()
            if ":" in line
        )
        cpu = f"{info.get('model name', cpu)}（{info.get('vendor_id', '')} family {info.get('cpu family', '')} model {info.get('model', '')}）"
        have = info.get("flags", "").split()
        flags = [x for x in ("avx2", "avx512f", "avx512_bf16", "amx_bf16") if x in have]
    return {
        "cpu": cpu,
        "cores": os.cpu_count(),
        "flags": flags,
        "threads": torch.get_num_threads(),
        "load": round(os.getloadavg()[0], 1),
        "gpu": torch.cuda.get_device_name() if DEVICE == "cuda" else None,
        "mm_gflops": {name: round(peak_rate(dtype)) for name, dtype in DTYPES.items()},
        "versions": {
            "python": platform.python_version(),
            "torch": torch.__version__,
            "transformers": transformers.__version__,
        },
    }


def peak_rate(dtype: torch.dtype) -> float:
    """方阵相乘最快每秒做多少次浮点运算，单位十亿；从小的量起，慢了就停。"""
    best = 0.0
    for size in (256, 512, 1024, 2048):
        square = torch.ones(size, size, device=DEVICE, dtype=dtype)
        times = [seconds_of(lambda square=square: square @ square) for _ in range(4)]
        best = max(best, 2 * size**3 / min(times) / 1e9)
        if max(times) > 0.3:
            break
    return best


def table(cells: list[Cell], part: str) -> str:
    """行是情形，列是各边；没有量的是“—”。"""
    found = {(c.case, c.side): str(c) for c in cells if c.part == part}
    cases, sides = (list(dict.fromkeys(key[i] for key in found)) for i in (0, 1))
    lines = ["| | " + " | ".join(sides) + " |", "|---" * (len(sides) + 1) + "|"]
    for case in cases:
        lines.append(f"| {case} | " + " | ".join(found.get((case, side), DASH) for side in sides) + " |")
    return "\n".join(lines)
