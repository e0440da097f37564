"""《使用大语言模型》的练习。"""

import torch

from ..exercise import Exercise

WORDS = [list("banana"), list("aaaa"), list("aaab"), list("xyz"), list("ababa")]
PAIRS = [("a", "n"), ("a", "a"), ("a", "a"), ("a", "b"), ("a", "b")]


def merge(parts, pair, most=10**9):
    """从左往右合并，至多 most 次。"""
    done, i = [], 0
    while i < len(parts):
        if most and tuple(parts[i : i + 2]) == pair:
            done, i, most = [*done, "".join(pair)], i + 2, most - 1
        else:
            done, i = [*done, parts[i]], i + 1
    return done


def overlapping(parts, pair):
    found = [tuple(parts[i : i + 2]) == pair for i in range(len(parts))]
    return ["".join(pair) if hit else part for part, hit in zip(parts, found, strict=True)]


def again(parts, pair):
    """合并出来的也拿去同右边的再比，一路吞下去。"""
    done = []
    for part in parts:
        if done and done[-1][-1] == pair[0] and part == pair[1]:
            done[-1] += part
        else:
            done.append(part)
    return done


def from_right(parts, pair):
    return merge(parts[::-1], pair[::-1])[::-1] if pair[0] == pair[1] else merge(parts, pair)


def blocks(w, bits, levels=0, rounded=torch.round, start=True, even=False):
    low, high = w.aminmax(dim=-1, keepdim=True)
    if even:
        high = w.abs().amax(dim=-1, keepdim=True)
        low = -high
    low = low if start else torch.zeros_like(low)
    step = (high - low) / (2**bits - 1 + levels)
    return rounded((w - low) / step) * step + low


# 表格自己排版：提示在前，错答在后，写得下就在一行
# fmt: off
EXERCISES = [
    Exercise("using_a_language_model.merge-once",
        cases=lambda rng: list(zip(WORDS, PAIRS, strict=True)),
        right=lambda parts, pair: merge(parts, pair),
        wrong={
            "只合并了头一处：同一步里，从左到右每一处都要合并。": lambda parts, pair: merge(parts, pair, 1),
            "右边那一段合并之后还留着：一对换成一段，总数要少一个。": overlapping,
            "合并出来的又同右边的合并了：一步只认原来的一对，aaaa 合并 (a, a) 是 aa、aa。": again,
            "是从右往左合并的：aaab 合并 (a, a) 是 aa、a、b。": from_right,
            "合并成的一段应当是一个字符串，两半直接连起来，中间没有空格。":
                lambda parts, pair: [" ".join(pair) if part == "".join(pair) else part for part in merge(parts, pair)],
            "什么也没有合并：相邻的两段与 pair 相同，就换成连起来的一段。": lambda parts, pair: list(parts),
        },
        otherwise="从左到右看相邻的两段，与 pair 相同就换成连起来的一段，往后跳两段；不同就照抄，往后跳一段。",
        praise="训练与编码用的都是这一步：训练挑最多的一对，编码挑最早学到的一对。",
    ),
    Exercise("using_a_language_model.bits-per-byte",
        cases=lambda rng: [(-rng.rand(5) * 6, "今天天气"), (-rng.rand(9) * 4, "a cat sat"), (-rng.rand(3), "é")],
        right=lambda log_p, text: float(-log_p.sum() / torch.tensor(2.0).log() / len(text.encode())),
        wrong={
            "符号反了：对数概率是负的，意外的程度是它的相反数。": lambda log_p, text: float(log_p.sum() / torch.tensor(2.0).log() / len(text.encode())),
            "单位还是奈特：除以 ln 2 才是位。": lambda log_p, text: float(-log_p.sum() / len(text.encode())),
            "除以的是字符的个数：一个汉字是 3 个字节，要数 text.encode() 有多长。": lambda log_p, text: float(-log_p.sum() / torch.tensor(2.0).log() / len(text)),
            "除以的是词元的个数：那样就又受分词器的影响，要除以字节数。": [
                lambda log_p, text: float(-log_p.mean() / torch.tensor(2.0).log()),
                lambda log_p, text: float(-log_p.mean() / torch.tensor(2.0).log() / len(text.encode())),
            ],
            "乘了 ln 2：奈特换成位，数应当变大。": lambda log_p, text: float(-log_p.sum() * torch.tensor(2.0).log() / len(text.encode())),
            "这是困惑度，每个词元一个平均：这一题要的是每个字节几位，不取指数。": lambda log_p, text: float((-log_p.mean()).exp()),
        },
        otherwise="各词元的负对数概率加起来，除以 ln 2，再除以 UTF-8 的字节数。",
        praise="分母是字节，换了分词器、换了语言也能比。",
    ),
    Exercise("using_a_language_model.quantize",
        cases=lambda rng: [(rng.randn(3, 32), 4), (rng.randn(2, 32) + 2, 3), (rng.rand(4, 32), 2)],
        right=lambda w, bits: blocks(w, bits),
        wrong={
            "步子多了一个：b 位有 2 的 b 次方个数，从头到尾隔着 2 的 b 次方减一步。": lambda w, bits: blocks(w, bits, 1),
            "一步太大：从最小到最大，要分成 2 的 b 次方减一步。": lambda w, bits: blocks(w, bits, -1),
            "应当取最近的一步，不是一律往下取。": lambda w, bits: blocks(w, bits, rounded=torch.floor),
            "起点应当是这一组里最小的数，不是 0。": lambda w, bits: blocks(w, bits, start=False),
            "这是对称的量化，从 −最大 到 +最大；这一题从最小的数到最大的数。": lambda w, bits: blocks(w, bits, even=True),
            "整个矩阵共用了一个起点、一个步长：每一行（一组）要有自己的。": lambda w, bits: blocks(w.reshape(1, -1), bits).view_as(w),
            "忘了加回起点 m：还原是 d · q + m。": lambda w, bits: blocks(w, bits) - w.amin(dim=-1, keepdim=True),
            "给出的是第几步 q，还没有还原成数：再算 d · q + m。":
                lambda w, bits: ((w - w.amin(-1, keepdim=True)) / ((w.amax(-1, keepdim=True) - w.amin(-1, keepdim=True)) / (2**bits - 1))).round(),
        },
        otherwise="每行：m 是最小的数，d = (最大 − 最小) / (2 的 b 次方 − 1)，q = round((w − m) / d)，还原成 d · q + m。",
        praise="每个数离原来的至多半步，一组里的大数把步子撑大，小数就跟着遭殃。",
    ),
]
