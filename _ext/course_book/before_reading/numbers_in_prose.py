"""行文里的数：`.md` 里写作 `{{ 名字 }}`，成书时填进去；各从一处来，换了机器、换了权重，行文不必改。

- 模型算出的，记在 chapters/measured.yml，由 tests/book/test_measured.py 守着；
- 量出的快慢，来自 bench/encoder.json 与 bench/gpu/encoder.json，最近一次的记录；
- 代码里定下的，就从代码里取。
"""

import json
import re
from pathlib import Path

import yaml

from course_book import ROOT
from course_book.after_writing import live_bert, live_multilingual
from course_lib.tasks import this_book
from course_lib.weights.builtin import MINILM, QWEN, SMOLLM2
from teach.marking import Limits

MEASURED = ROOT / "chapters/measured.yml"
ENCODER = ROOT / "bench/encoder.json"
ON_GPU = ROOT / "bench/gpu/encoder.json"


def of_the_models() -> dict[str, object]:
    return yaml.safe_load(MEASURED.read_text(encoding="utf-8"))


def of_the_encoder() -> dict[str, str]:
    """《快慢与内存》：与 Hugging Face 的比值，矩阵乘法占几成，各种省法省下几成。"""
    found = medians(ENCODER)
    ours = {case: ratio for (part, case, side), ratio in found.items() if (part, side) == ("forward", "我们")}
    ours = {case: ratio for case, ratio in ours.items() if case.startswith("fp32")}
    short, *long = (found["forward", case, "矩阵乘法 ÷ 我们"] for case in ours)
    (ragged,) = {case for part, case, _ in found if part == "ragged"}
    grouped = found["ragged", ragged, "我们，按长度分组"] / found["ragged", ragged, "我们"]
    compiled = [
        found["forward", case, "我们，编译"] / ours[case] for case in ("fp32 (1, 16)", "fp32 (32, 128)")
    ]
    return {
        "forward_least": f"{min(ours.values()):.2f}",
        "forward_most": f"{max(ours.values()):.2f}",
        "matmul_long": percent(min(long)),
        "besides_matmul_short": percent(1 - short),
        "compiled_short_saves": percent(1 - compiled[0]),
        "compiled_batch_saves": percent(1 - compiled[1]),
        "ragged_real": re.search(r"\d+", ragged.partition("占")[2])[0] + " %",
        "grouped_saves": percent(1 - grouped),
    }


def on_a_gpu() -> dict[str, str]:
    """同一页：同样的量法，在显卡上。"""
    found = medians(ON_GPU)
    (ragged,) = {case for part, case, _ in found if part == "ragged"}
    grouped = found["ragged", ragged, "我们，按长度分组"] / found["ragged", ragged, "我们"]
    return {
        "gpu_short_ms": f"{found['forward', 'fp32 (1, 16)', 'HF sdpa（毫秒）']:.1f}",
        "gpu_batch_ms": f"{found['forward', 'fp32 (8, 128)', 'HF sdpa（毫秒）']:.1f}",
        "gpu_grouped_times": f"{grouped:.1f}",
    }


def medians(record: Path) -> dict[tuple[str, str, str], float]:
    cells = json.loads(record.read_text(encoding="utf-8"))["cells"]
    return {(cell["part"], cell["case"], cell["side"]): cell["median"] for cell in cells}


def of_the_code() -> dict[str, object]:
    limits = Limits()
    year, month, day = map(int, this_book.frozen()[0].split("-"))
    models = {"bert": MINILM, "llm": SMOLLM2}
    return {
        **{f"{name}_name": model.name for name, model in models.items()},
        **{f"{name}_size": f"{model.size / 1e6:.0f}" for name, model in (models | {"qwen": QWEN}).items()},
        "book_date": f"{year} 年 {month} 月 {day} 日",
        "live_group": live_bert.GROUP_SIZE,
        "live_shard": live_bert.SHARD_ROWS,
        "live_tokens": live_bert.MAX_TOKENS,
        "multilingual_capitals": live_multilingual.CAPITALS,
        "grader_seconds": limits.seconds,
        "grader_memory": limits.memory,
    }


def percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def every_number() -> dict[str, object]:
    return of_the_models() | of_the_encoder() | on_a_gpu() | of_the_code()


def setup(app):
    app.connect("config-inited", lambda app, config: setattr(config, "myst_substitutions", every_number()))
