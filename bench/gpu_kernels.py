"""显卡上的算子，与 CPU 上的哪里不同：整行被挡住时给什么；同一句话单独算与同别人一起算，差不差。写进 kernels.md。"""

import argparse
from collections.abc import Callable
from pathlib import Path

import torch
import torch.nn.functional as F
import transformers
from measure import DEVICE, DTYPES, machine
from torch import Tensor

from course_lib.attention import scaled_dot_product_attention
from course_lib.language_model import LanguageModel
from course_lib.weights import llm_source

PRECISIONS = {**DTYPES, "fp16": torch.float16}
LENGTHS = (16, 32, 64, 128, 192, 256)
WIDTHS = (576, 1536, 4096, 8192)
COMPANY = (2, 8, 16, 32, 256, 4096)
SENTENCES = (2, 8, 64)


def random(*shape: int, dtype: torch.dtype, seed: int = 0) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed)).to(DEVICE, dtype)


def blocked_row(attend: Callable, dtype: torch.dtype, n: int) -> str:
    """一个查询什么也不许看：它的输出是不是零，查询的梯度是不是有限的。"""
    query, key, value = (random(2, 3, n, 64, dtype=dtype, seed=i).requires_grad_() for i in range(3))
    mask = torch.ones(2, 1, n, n, dtype=torch.bool, device=DEVICE)
    mask[0, :, n // 2] = False
    output = attend(query, key, value, mask)
    (grad,) = torch.autograd.grad(output.float().square().sum(), query)
    row = output[0, :, n // 2].abs().max().item()
    return f"{row:.2g}" + ("" if grad.isfinite().all() else "，梯度有 NaN")


def blocked_rows() -> list[list[str]]:
    sides = {
        "torch": F.scaled_dot_product_attention,
        "我们": lambda *inputs: scaled_dot_product_attention(*inputs, need_weights=False)[0],
    }
    return [
        [f"{side}，{name}", *(blocked_row(attend, dtype, n) for n in LENGTHS)]
        for name, dtype in PRECISIONS.items()
        for side, attend in sides.items()
    ]


def changed_products() -> list[list[str]]:
    """一个向量乘一个矩阵，同乘的向量多了，得数里有几成变了。"""
    rows = []
    for name, dtype in PRECISIONS.items():
        for width in WIDTHS:
            vectors = random(COMPANY[-1], width, dtype=dtype)
            matrix = random(width, width, dtype=dtype, seed=1) / width**0.5
            alone = vectors[:1] @ matrix
            changed = [((vectors[:m] @ matrix)[:1] != alone).float().mean() for m in COMPANY]
            rows.append([f"{name}，{width}", *(f"{share:.1%}" for share in changed)])
    return rows


def changed_words() -> list[list[str]]:
    """SmolLM2 读 100 个词元，同批的句子多了：logits 最大的差，第一名换了几处。"""
    rows = []
    for name, dtype in PRECISIONS.items():
        model = LanguageModel.from_pretrained(llm_source()).to(DEVICE, dtype)
        g = torch.Generator().manual_seed(0)
        ids = torch.randint(3, model.config.vocab_size, (SENTENCES[-1], 100), generator=g).to(DEVICE)
        with torch.inference_mode():
            alone = model(ids[:1]).logits[0]
            batches = [model(ids[:m]).logits[0] for m in SENTENCES]
        said = [
            f"{(batch - alone).abs().max():.2g}，{(batch.argmax(-1) != alone.argmax(-1)).sum()} 处"
            for batch in batches
        ]
        rows.append([name, *said])
    return rows


def table(titles: tuple, rows: list[list[str]]) -> str:
    lines = [["", *map(str, titles)], ["---"] * (len(titles) + 1), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent, help="结果写到哪个文件夹")
    out = parser.parse_args().out
    host = machine()
    versions = "，".join(f"{name} {version}" for name, version in host["versions"].items())
    text = f"""# 显卡上的算子

由 `python bench/gpu_kernels.py` 写成：{host["gpu"] or host["cpu"]}；{versions}，cuDNN {torch.backends.cudnn.version()}。

## 整行被挡住

一个查询什么也不许看，融合算子给它的输出里绝对值最大的；应当是 0。
各列是键的个数，每个头 64 宽。

{table(LENGTHS, blocked_rows())}

## 同乘的多了

一个向量乘一个矩阵，单独算，与同别的向量一起算，得数有几成不同。
各行是精度与宽度，各列是一共几个向量。

{table(COMPANY, changed_products())}

## 同批的多了

SmolLM2 读 100 个词元，单独算，与同别的句子一批算：logits 最大的差，第一名换了几处。
各列是一共几句。

{table(SENTENCES, changed_words())}
"""
    (out / "kernels.md").write_text(text, encoding="utf8")
    print(text)


if __name__ == "__main__":
    transformers.logging.set_verbosity_error()
    main()
