"""我们的编码器有多快：与 transformers、`nn.TransformerEncoder`、单单矩阵乘法轮流跑，取中位数。

每一轮里各边各跑一次，单数轮倒过来跑，比值在同一轮里算：机器忙闲的变化对各边相同，比值里就消去了。
同样的权重、同样的输入，量之前先断言结果相同；结果写进 encoder.md 与 encoder.json，数字随机器而变，表里写明了是什么机器。
"""

import argparse
import copy
import json
import math
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
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
from measure import DEVICE, DTYPES, FLOOR, HF, OURS, Cell, machine, race, ratios, spread, table
from torch import Tensor, nn
from transformers import BertModel, MarianConfig, MarianMTModel

from course_lib.bert import Bert, encode_by_length
from course_lib.config import BertConfig
from course_lib.generation import greedy
from course_lib.transformer import Transformer, TransformerConfig
from course_lib.weights import builtin_path, our_name

SHAPES = [(1, 16), (8, 128), (32, 128), (8, 512), (1, 2048)]
# 最后一层的输出大约是 1；bf16 的舍入是 2⁻⁸，六层累积下来的差
TOLERANCE = {"fp32": 1e-4, "bf16": 0.25}
EAGER, TORCH = "HF eager", "nn.TransformerEncoder"
COMPILED, HF_COMPILED = "我们，编译", "HF，编译"
BY_HAND, GROUPED, GENERATE = "我们，bmm + softmax", "我们，按长度分组", "HF generate"


@dataclass
class Options:
    """quick：只量最小的形状与 fp32，不编译；compiled：量不量编译的；has_bf16：没有 bf16 的指令要慢几十倍，就只量最小的形状。"""

    quick: bool
    compiled: bool
    has_bf16: bool

    @property
    def seconds(self) -> float:
        """每种情形量多久。"""
        return 0.0 if self.quick else 5.0

    def dtypes(self, smallest: bool = False) -> dict[str, torch.dtype]:
        names = ("fp32", "bf16") if not self.quick and (self.has_bf16 or smallest) else ("fp32",)
        return {name: DTYPES[name] for name in names}

    def cases(self) -> Iterator[tuple[tuple[int, int], str, torch.dtype]]:
        for shape in SHAPES[:1] if self.quick else SHAPES:
            for name, dtype in self.dtypes(smallest=shape == SHAPES[0]).items():
                yield shape, name, dtype


def against_first(part: str, case: str, samples: dict, goals: dict[str, float]) -> Iterator[Cell]:
    """第一边给毫秒数，其余各边给同一轮里与第一边的比值。"""
    first, *others = samples
    yield spread(part, case, f"{first}（毫秒）", [1000 * s for s in samples[first]])
    for side in others:
        yield spread(part, case, side, ratios(samples[side], samples[first]), goals.get(side))
    if COMPILED in samples:
        goal = 1.0 if DEVICE == "cuda" else None
        both = ratios(samples[COMPILED], samples[HF_COMPILED])
        yield spread(part, case, f"{COMPILED} ÷ {HF_COMPILED}", both, goal)


# ---- 各边的模型，权重相同 ----


def hf_bert(n: int, attention: str = "sdpa") -> BertModel:
    """内置的 BERT，没有池化层与 dropout；n 超过它的 512 个位置时，尺寸不变、权重随机。"""
    options = {"attn_implementation": attention, "add_pooling_layer": False}
    options |= {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
    model = BertModel.from_pretrained(builtin_path(), **options)
    if n > model.config.max_position_embeddings:
        torch.manual_seed(0)
        model.config.max_position_embeddings = n
        model = BertModel._from_config(model.config, attn_implementation=attention, add_pooling_layer=False)
    return model.eval()


def our_bert(theirs: BertModel) -> Bert:
    ours = Bert(BertConfig.from_hf(theirs.config.to_dict()))
    ours.load_state_dict({our_name(key): tensor for key, tensor in theirs.state_dict().items()})
    return ours.eval()


class TorchBert(nn.Module):
    """同一份嵌入，接上 `nn.TransformerEncoder`；不记梯度时它走自己的快捷路径，一层是一个算子。"""

    def __init__(self, ours: Bert):
        super().__init__()
        c = ours.config
        self.embeddings = copy.deepcopy(ours.embeddings)
        layer = nn.TransformerEncoderLayer(
            c.d_model, c.num_heads, c.d_ff, c.dropout, c.activation, c.layer_norm_eps, batch_first=True
        )
        self.encoder = nn.TransformerEncoder(layer, c.num_layers)
        for mine, layer in zip(ours.encoder.layers, self.encoder.layers, strict=True):
            own = mine.state_dict()
            for kind in ("weight", "bias"):
                own[f"self_attn.in_proj_{kind}"] = torch.cat(
                    [own.pop(f"self_attn.{x}_proj.{kind}") for x in "qkv"]
                )
            layer.load_state_dict({name.removeprefix("ffn."): tensor for name, tensor in own.items()})
        self.eval()

    def forward(self, input_ids: Tensor) -> Tensor:
        return self.encoder(self.embeddings(input_ids))


def berts(n: int, dtype: torch.dtype) -> dict[str, nn.Module]:
    """各边的模型，权重相同；n，最长的一句有几个词元。"""
    hf, eager = hf_bert(n), hf_bert(n, "eager")
    eager.load_state_dict(hf.state_dict())
    ours = our_bert(hf)
    models = {HF: hf, EAGER: eager, TORCH: TorchBert(ours), OURS: ours}
    return {side: model.to(DEVICE, dtype) for side, model in models.items()}


def last(output) -> Tensor:
    return output if isinstance(output, Tensor) else output.last_hidden_state


def encoding(model: nn.Module, **inputs: Tensor) -> Callable:
    return lambda: last(model(**inputs))


def random_ids(batch: int, n: int) -> Tensor:
    return torch.randint(1000, 30000, (batch, n), generator=torch.Generator().manual_seed(0)).to(DEVICE)


def matrix_products(ours: Bert, batch: int, n: int) -> Callable:
    """编码器里的矩阵乘法，各层用各自的权重，一个不少，此外什么也不做：不可能更快的下限。"""
    c, weight = ours.config, ours.encoder.layers[0].ffn.linear1.weight

    def draw(*shape):
        return torch.randn(*shape, device=weight.device, dtype=weight.dtype)

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


def forward(options: Options) -> Iterator[Cell]:
    """不记梯度，没有填充。各列是时间与 HF sdpa 的比值，越小越好；“矩阵乘法 ÷”是它在全部时间里占几成，越大越好。"""
    compiled_goals = {
        ("fp32", (1, 16)): 0.60, ("fp32", (32, 128)): 0.80, ("bf16", (1, 16)): 0.56, ("bf16", (32, 128)): 0.62,
    }  # fmt: skip
    for shape, name, dtype in options.cases():
        models, ids = berts(shape[1], dtype), random_ids(*shape)
        # CPU 上编译一次要半分钟，只编译定了目标的形状
        if options.compiled and (DEVICE == "cuda" or (name, shape) in compiled_goals):
            torch.compiler.reset()
            models |= {COMPILED: torch.compile(models[OURS]), HF_COMPILED: torch.compile(models[HF])}
        sides = {side: encoding(model, input_ids=ids) for side, model in models.items()}
        sides[FLOOR] = matrix_products(models[OURS], *shape)
        with torch.inference_mode():
            samples = race(sides, options.seconds, TOLERANCE[name])
        goals = {OURS: 0.77 if shape == (1, 16) else 0.97, COMPILED: compiled_goals.get((name, shape))}
        if DEVICE == "cuda":
            goals = {OURS: 1.0}
        case = f"{name} {shape}"
        yield from against_first("forward", case, samples, goals)
        for side in (OURS, COMPILED):
            if side in samples:
                goal = (0.75, True) if case == "fp32 (32, 128)" else ()
                share = ratios(samples[FLOOR], samples[side])
                yield spread("forward", case, f"矩阵乘法 ÷ {side}", share, *goal)
        rate = [math.prod(shape) / 1000 / s for s in samples[OURS]]
        yield spread("forward", case, "我们，每秒千词元", rate)


def training(options: Options) -> Iterator[Cell]:
    """前向、反向、融合的 AdamW，各边相同；dropout 为 0，bf16 用 autocast。各列是时间与 HF sdpa 的比值，越小越好。
    “bmm + softmax”是我们的模型带着 `need_weights=True`：不用融合算子，权重算出来留给反向。"""
    for shape, name, dtype in options.cases():
        # autocast：权重是 fp32，算的时候才换成 bf16
        models, ids = berts(shape[1], torch.float32), random_ids(*shape)
        models[BY_HAND] = copy.deepcopy(models[OURS])
        if options.compiled and DEVICE == "cuda":
            torch.compiler.reset()
            for side, plain in ((COMPILED, OURS), (HF_COMPILED, HF)):
                models[side] = torch.compile(copy.deepcopy(models[plain]))
        sides = {
            side: step_of(model, ids, dtype, {"need_weights": True} if side == BY_HAND else {})
            for side, model in models.items()
        }
        samples = race(sides, options.seconds, TOLERANCE[name])
        goals = {}
        if DEVICE == "cuda":
            goals = {OURS: 1.0}
        elif shape == (32, 128):
            goals = {"fp32": {OURS: 0.97}, "bf16": {OURS: 0.52, BY_HAND: 0.52}}[name]
        yield from against_first("training", f"{name} {shape}", samples, goals)


def step_of(model: nn.Module, ids: Tensor, dtype: torch.dtype, asked: dict) -> Callable:
    optimizer = torch.optim.AdamW(model.train().parameters(), lr=1e-5, fused=True)

    def step():
        with torch.autocast(DEVICE, torch.bfloat16, enabled=dtype == torch.bfloat16):
            loss = last(model(ids, **asked)).float().square().mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        return loss.detach()

    return step


def ragged(options: Options) -> Iterator[Cell]:
    """32 句，长度从 8 到 128 均匀地抽，前向。HF 与“我们”把整批填充到最长，“按长度分组”用 `encode_by_length`；真实词元上的结果相同。"""
    batch, longest = (4, 16) if options.quick else (32, 128)
    lengths = torch.randint(8, longest + 1, (batch,), generator=torch.Generator().manual_seed(0))
    mask = (torch.arange(int(lengths.max())) < lengths[:, None]).long().to(DEVICE)
    inputs = {"input_ids": random_ids(*mask.shape) * mask, "attention_mask": mask}
    for name, dtype in options.dtypes().items():
        models = berts(longest, dtype)
        sides = {side: encoding(models[side], **inputs) for side in (HF, EAGER, OURS)}
        sides[GROUPED] = partial(encode_by_length, models[OURS], inputs)
        with torch.inference_mode():
            samples = race(sides, options.seconds, TOLERANCE[name], keep=lambda x: x[mask.bool()])
        case = f"{name}，真实词元占 {mask.float().mean():.0%}"
        yield from against_first("ragged", case, samples, {GROUPED: 0.60})


def translators(vocab: int = 8000, max_len: int = 512) -> tuple[Transformer, MarianMTModel]:
    """一对尺寸相同、权重随机的编码器-解码器：Marian 也是 post-norm、ReLU、正弦位置编码，与论文相同。"""
    torch.manual_seed(0)
    # eos_id 取词表里没有的编号，谁也写不完，于是每次都写满
    ours = Transformer(TransformerConfig(vocab, vocab, max_len=max_len, eos_id=-1)).eval()
    c = ours.config
    sizes = {
        f"{part}_{name}": size
        for part in ("encoder", "decoder")
        for name, size in (("layers", c.num_layers), ("ffn_dim", c.d_ff), ("attention_heads", c.num_heads))
    }
    theirs = MarianMTModel(
        MarianConfig(
            vocab_size=vocab, d_model=c.d_model, max_position_embeddings=max_len, activation_function="relu",
            scale_embedding=True, share_encoder_decoder_embeddings=False, pad_token_id=c.pad_id,
            decoder_start_token_id=c.bos_id, eos_token_id=None, forced_eos_token_id=None, **sizes,
        )
    ).eval()  # fmt: skip
    return ours.to(DEVICE), theirs.to(DEVICE)


def generation(options: Options) -> Iterator[Cell]:
    """论文 base 尺寸的编码器-解码器，权重随机，来源 32 个词元，贪心，双方都用缓存，都写满；HF 是 `MarianMTModel.generate`。
    “我们 ÷ HF”比的是每秒词元，越大越好；“越写越慢”是后一半与开头每个词元时间之比，1 就是一样快。"""
    ours, theirs = translators()
    short, long = (8, 16) if options.quick else (64, 512)

    def side_runs(batch, length):
        source = random_ids(batch, 32) % 7990 + 3
        # 填充不许写出来，与我们相同
        settings = {"max_length": length, "do_sample": False, "suppress_tokens": [ours.config.pad_id]}
        return {
            GENERATE: lambda: theirs.generate(source, **settings),
            OURS: lambda: greedy(ours, source, length),
        }

    for batch in (1,) if options.quick else (1, 8, 32):
        runs = side_runs(batch, short)
        samples = race(runs, options.seconds)
        rate = [batch * (short - 1) / s for s in samples[GENERATE]]
        case = f"{batch} 句，写到 {short} 个"
        yield spread("generation", case, "HF 每秒词元", rate)
        speedup = ratios(samples[GENERATE], samples[OURS])
        yield spread("generation", case, "每秒词元，我们 ÷ HF", speedup, 1.0, True)
    # 后一半每个词元的时间 ÷ 开头每个词元的时间
    lengths = (short, long // 2, long)
    runs = {(side, length): run for length in lengths for side, run in side_runs(1, length).items()}
    samples = race(runs, options.seconds)
    for side in (GENERATE, OURS):
        first, half, full = (samples[side, length] for length in lengths)
        growth = [
            (c - b) / (long - long // 2) / (a / (short - 1))
            for a, b, c in zip(first, half, full, strict=True)
        ]
        goal = (1.25,) if side == OURS else ()
        yield spread("generation", f"1 句，写到 {long} 个", f"越写越慢，{side}", growth, *goal)


ROOMS = "attention bert classifier config data decoder encoder generation hub layers pretrained tokenization training transformer vit"


def startup(options: Options) -> Iterator[Cell]:
    """新的进程从头到尾的时间与 `import torch` 的比值，越小越好。“全部模型”是与画图、笔记本无关的各模块一起导入。"""
    code = {
        "import torch": "import torch",
        "import course_lib": "import course_lib",
        "全部模型": "".join(f"import course_lib.{room};" for room in ROOMS.split()),
        "setup()": "from course_lib.show import setup; setup()",
        "Bert.from_pretrained()": "from course_lib.bert import Bert; Bert.from_pretrained()",
        "load_bert()": "from course_lib.weights import load_bert; load_bert()",
    }

    def runner(text):
        return lambda: subprocess.run([sys.executable, "-c", text], check=True, stdout=subprocess.DEVNULL)

    if options.quick:
        code = {side: code[side] for side in ("import torch", "import course_lib")}
    samples = race({side: runner(text) for side, text in code.items()}, options.seconds)
    goals = {"import course_lib": 1.15, "全部模型": 1.15}
    yield from against_first("startup", "一个新进程", samples, goals)


def memory(options: Options) -> Iterator[Cell]:
    """一句，前向时比之前多占的最大值，单位 MB；长度加倍时，线性就是 2 倍，平方就是 4 倍。"""
    lengths = (128, 256) if options.quick else (512, 1024, 2048)
    if DEVICE == "cuda":
        peaks = peaks_of(lengths)
    else:  # 换一个进程：稍大的张量都直接向系统要、用完就还，进程占的内存就是活着的张量
        env = os.environ | {"MALLOC_MMAP_THRESHOLD_": str(64 << 10)}
        command = [sys.executable, __file__, "--peaks", *map(str, lengths)]
        peaks = json.loads(subprocess.run(command, check=True, env=env, stdout=subprocess.PIPE).stdout)
    for side, sizes in peaks.items():
        for length, size in zip(lengths, sizes, strict=True):
            yield spread("memory", side, f"{length} 个词元", [size])
        goal = (2.2,) if side == OURS else ()
        yield spread("memory", side, "最后一次加倍的倍数", [sizes[-1] / sizes[-2]], *goal)


def peaks_of(lengths: list[int]) -> dict[str, list[float]]:
    models = berts(max(lengths), torch.float32)
    sides = {side: [] for side in (HF, EAGER, OURS, "我们，要权重")}
    for side, sizes in sides.items():
        model = models[OURS if side.startswith(OURS) else side]
        options = {"need_weights": True} if side == "我们，要权重" else {}
        for length in lengths:
            ids = random_ids(1, length)
            with torch.inference_mode():
                model(ids, **options)
                sizes.append(peak_of(lambda model=model, ids=ids, options=options: model(ids, **options)))
    return sides


def peak_of(run: Callable) -> float:
    """run 期间多占的内存的最大值，MB。"""
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


PARTS = {
    "forward": ("前向", forward),
    "training": ("训练一步", training),
    "ragged": ("长短不一的一批", ragged),
    "generation": ("逐个生成", generation),
    "startup": ("启动", startup),
    "memory": ("内存", memory),
}


# ---- 报告 ----


def report(cells: list[Cell], host: dict, options: Options) -> str:
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
    if not options.has_bf16:
        text.append("这台机器没有 bf16 的指令，大的矩阵用 bf16 要慢几十倍以上，所以 bf16 只量最小的形状。")
    if not options.compiled:
        text.append(
            "编译的几列没有量：用了 `--quick`，或者这台机器上没有 `torch.compile` 要用的 C++ 编译器。"
        )
    goals = [c for c in cells if c.goal is not None]
    text.append(f"目标共 {len(goals)} 个，达到 {sum(c.met for c in goals)} 个。")
    for part in dict.fromkeys(c.part for c in cells):
        title, run = PARTS[part]
        text.append(f"\n## {title}\n\n" + "\n".join(x.strip() for x in run.__doc__.strip().splitlines()))
        text.append("\n" + table(cells, part))
    return "\n".join(text) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(
        description="量我们的编码器有多快，结果写进 encoder.md 与 encoder.json。"
    )
    parser.add_argument("--quick", action="store_true", help="最小的形状、fp32、不编译，只看能不能跑通")
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
    host = machine()
    rate = host["mm_gflops"]
    compiled = not args.quick and can_compile()
    options = Options(args.quick, compiled, has_bf16=rate["bf16"] > rate["fp32"] / 4)
    cells = []
    for part, (_, run) in PARTS.items():
        start = time.perf_counter()
        for cell in run(options):
            print(f"{part:10} {cell.case:16} {cell.side}：{cell}", file=sys.stderr)
            cells.append(cell)
        print(f"{part} 用了 {time.perf_counter() - start:.0f} 秒", file=sys.stderr)
    found = {"machine": host, "cells": [asdict(c) | {"met": c.met} for c in cells]}
    (args.out / "encoder.json").write_text(
        json.dumps(found, ensure_ascii=False, indent=1) + "\n", encoding="utf8"
    )
    (args.out / "encoder.md").write_text(report(cells, host, options), encoding="utf8")


if __name__ == "__main__":
    main()
