"""一个词元一个词元地写：下一个是什么，挑哪一个，模型里面哪一层才知道。"""

import itertools
import math
from functools import cache

import torch
from figure_walk import Draws, Row, tensor

from course_lib.sampling import narrow
from course_lib.tasks.dates import Characters
from course_lib.transformer import Transformer, TransformerConfig
from course_lib.translation import beam_search, log_probability

LETTERS, STEPS, SOURCE = Characters("甲乙丙"), 4, torch.tensor([[3, 4]])
torch.manual_seed(4)
SIZES = {"d_model": 16, "num_heads": 2, "d_ff": 32, "num_layers": 1, "max_len": 8, "dropout": 0.0}
MODEL = Transformer(TransformerConfig(6, len(LETTERS), **SIZES)).double().eval().requires_grad_(False)
PLAIN = MODEL.logits
# 开头不是字，图里写不出它，所以模型也从不写它
MODEL.logits = lambda hidden: PLAIN(hidden).index_fill(-1, torch.tensor([1]), -torch.inf)


def beams():
    memory, mask = MODEL.encode(SOURCE)
    scores = {}
    for n in range(STEPS):
        for text in map("".join, itertools.product(LETTERS.characters, repeat=n)):
            ids = torch.tensor([[1, *(LETTERS.encode(text) if text else [])]])
            row = MODEL.logits(MODEL.decode(ids, memory, mask).last_hidden_state[0, -1])
            scores[text] = row.index_fill(0, torch.tensor(0), -torch.inf)  # 填充不许写
    return {
        "words": ["填充", "开头", "结尾", *LETTERS.characters],
        "end": 2,
        "scores": scores,
        "steps": STEPS,
    }


@cache
def best(width, alpha):
    found = beam_search(MODEL, SOURCE, STEPS + 1, beam_width=width, length_penalty=alpha)
    return LETTERS.decode(found[0]), found.size(1) - 1, log_probability(MODEL, SOURCE, found).item()


def beams_shows(data, now):
    """交出的与课程库的束搜索相同；每一步留下的不多于束宽。"""
    text, length, total = best(now["width"], now["alpha"])
    assert all(len(level) <= now["width"] for level in now["kept"]) and len(now["kept"]) <= STEPS
    assert abs(now["score"] - total / ((5 + length) / 6) ** now["alpha"]) < 1e-3
    assert any(abs(chance - math.exp(total)) < 1e-4 for _, chance in now["kept"][-1])
    return {"best": text, "length": length}


TOKENS = ["填充", "开头", "结尾", *"三月公历34阳新西一二四"]
FORMS, FRESH, OTHERS = (
    ["3月", "公历三月", "公历3月", "阳历三月"],
    ["三月", "阳历3月"],
    ["4月", "公历二月", "一月"],
)


def samples():
    """每个前文后面，写法里有的字分数高，别的低。"""
    draws, scores = Draws(4), {}
    for text in sorted({form[:n] for form in FORMS + FRESH + OTHERS for n in range(len(form) + 1)}):
        row = draws.randn(len(TOKENS)) - 2
        for form in FORMS + FRESH + OTHERS:
            if form.startswith(text):
                row[TOKENS.index(form[len(text)]) if len(form) > len(text) else 2] += (
                    3 if form in FORMS else 0.3
                )
        scores[text] = row.index_fill(0, torch.tensor([0, 1]), -torch.inf)
    return {
        "words": TOKENS,
        "end": 2,
        "scores": scores,
        "starts": ["", "公历"],
        "forms": FORMS,
        "new": FRESH,
        "others": OTHERS,
        "shares": [0.4, 0.3, 0.2, 0.1],
    }


def samples_shows(data, now):
    """整理之后的概率与 narrow 的相同，整个写完的是一路上的乘积；写出的走不出概率不为零的路。"""

    def shares(text):
        scores = tensor([-math.inf if x is None else x for x in data["scores"][text]])
        top_k = now["k"] if now["k"] < len(TOKENS) else None
        return narrow(scores, temperature=now["T"], top_k=top_k, top_p=now["p"]).softmax(dim=-1)

    def chance(forms):
        return sum(
            math.prod(shares(form[:n])[TOKENS.index(word)].item() for n, word in enumerate(form))
            * shares(form)[2].item()
            for form in forms
        )

    mine, shown = shares(now["text"]), now["shown"]
    groups = [chance([form]) for form in FORMS] + [chance(FRESH), chance(OTHERS)]
    for text in now["written"]:
        assert all(
            shares(text[:n])[TOKENS.index(word)] > 0
            for n, word in enumerate(text)
            if text[:n] in data["scores"]
        )
    return {
        "next": torch.cat([mine[shown], 1 - mine[shown].sum(0, keepdim=True)]),
        "count": (mine > 0).sum(),
        "finished": [*groups, max(0.0, 1 - sum(groups))],
    }


TEMPERATURES = [0.25, 0.5, 0.75, 1, 1.25, 1.5, 2]
WORDS = [f" w{i}" for i in range(40)]


def logits(*path):
    return 3 * Draws(7 + sum((i + 1) * 31**n for n, i in enumerate(path))).randn(40)


def node(*path, widths=(2, 2)):
    scores, top = logits(*path), logits(*path).topk(12)
    others = scores.scatter(0, top.indices, -torch.inf)
    made = {"scores": [[WORDS[i], score] for i, score in zip(top.indices, top.values.tolist(), strict=True)]}
    made["tails"] = [(others / T).logsumexp(0).item() for T in TEMPERATURES]
    if widths:
        made["next"] = {
            WORDS[i]: node(*path, i, widths=widths[1:]) for i in top.indices[: widths[0]].tolist()
        }
    return made


BRANCHES = {
    "prompts": [{"name": "头一段", "text": "Once", **node()}, {"name": "第二段", "text": "Then", **node(5)}]
}
BRANCHES |= {"temperatures": TEMPERATURES, "rest": 28}


def branches_shows(data, now):
    """交来的只有五位有效数字，其余的又合成了一个数：与四十个分数直接算的差不到万分之一。"""
    start = [5] if now["prompt"] else []
    scores = logits(*start, *(WORDS.index(word) for word in now["path"]))
    first = scores.topk(8).indices
    top_k = None if now["k"] == math.inf else now["k"]
    for name, options in (("shares", {"temperature": now["T"], "top_k": top_k}), ("plain", {})):
        shares = narrow(scores, **options).softmax(-1)[first]
        wanted = torch.cat([shares, 1 - shares.sum(0, keepdim=True)])
        torch.testing.assert_close(tensor(now[name]), wanted.double(), atol=1e-4, rtol=0)
    return {"open": 2 if len(now["path"]) < 2 else 0}


SIZED = {"D": 64, "F": 256, "L": 2, "M": 2}
STALE = [[0.0], [0.4, 0.0], [0.5, 0.3, 0.0], [0.9, 0.2, 0.001, 0.0]]
CACHE = {"words": ["开头", "甲", "乙", "丙"], "writing": ["甲", "乙", "丙", "结尾"], "sizes": SIZED}
CACHE |= {"gaps": [[[0.0] * n for n in range(1, 5)], STALE]}


def cache_shows(data, now):
    (width, ff, layers, source), n = SIZED.values(), now["n"]
    one = 6 * width**2 + 2 * width * ff + 2 * n * width + 2 * source * width
    gaps = data["gaps"][now["unmasked"]][n - 1]
    return {
        "fast": layers * one,
        "slow": layers * (n * one + 2 * source * width**2),
        "sum": n * (n + 1) // 2,
        "gaps": gaps,
        "stale": sum(gap > 0.005 for gap in gaps),
    }


GROWING = [("甲", 500_000, 0), ("乙", 0, 80_000_000), ("丙", 25_000, 75_000_000)]
GROWTH = {"models": [{"name": name, "each": each, "start": start} for name, each, start in GROWING]}


def growth_shows(data, now):
    sizes = [each * now["n"] + start for _, each, start in GROWING]
    limit = now["memory"] * 10**9
    return {
        "sizes": sizes,
        "over": [one[0] for one, size in zip(GROWING, sizes, strict=True) if size > limit],
        "rooms": [int((limit - start) // each) if each else None for _, each, start in GROWING],
    }


def ranked(draws, *shape):
    return draws.rand(*shape).sort(descending=True).values.softmax(dim=-1)


def prompt(name, last, seed):
    draws = Draws(seed)
    words = draws.whole(2, 42, 5, 5)
    words[1, :2] = torch.tensor([0, 1])  # 空格与换行也看得见
    return {
        "name": name,
        "last": last,
        "words": words,
        "chances": ranked(draws, 5, 5),
        "answers": draws.rand(5),
    }


LENS = {
    "vocabulary": [" ", "\n", *WORDS],
    "prompts": [prompt("The capital is", "is", 0), prompt("换一句", "Tuesday", 1)],
}


def lens_shows(data, now):
    one = data["prompts"][now["prompt"]]
    return {
        key: one[name][now["layer"]]
        for key, name in (("words", "words"), ("chances", "chances"), ("answer", "answers"))
    }


TIMES = [0, 0.25, 0.5, 0.75, 1]
NUMBER = {
    "times": TIMES,
    "curves": [{"name": name, "losses": 12 * Draws(ord(name)).rand(5)} for name in "甲乙丙"],
    "blind": 10.8,
    "asked": "The capital is",
    "chances": ranked(Draws(12), 5, 5),
    "at": 1,
    "words": [
        ["oun", " ", "\n", ",", "Ant"],
        [" Paris", "x", "y", "z", "Paris"],
        *[[f" w{i}{j}" for j in range(5)] for i in range(3)],
    ],
}


def number_shows(data, now):
    at = TIMES.index(now["times"])
    return {
        "loss": data["curves"][now["chosen"]]["losses"][at],
        "words": data["words"][at],
        "chances": data["chances"][at],
    }


def asked(name, tokens, seed):
    chances = Draws(seed).rand(len(tokens), 6, 2) / 2
    return {
        "name": name,
        "tokens": tokens,
        "place": 3,
        "from": "Italy",
        "answers": ["Paris", "Rome"],
        "chances": chances,
    }


SWAP = {"layer": 4, "questions": [asked("五个词元", ["The", "capital", "of", "France", "is"], 0)]}
SWAP["questions"].append(
    asked("换一种问法", ["We", "went", "to", "France", "and", "visited", "its", "capital", ","], 1)
)


def swap_shows(data, now):
    return {"chances": data["questions"][now["question"]]["chances"][now["place"]][now["layer"] - 1]}


DRAWS = Draws(18)
BRICKS = {"tokens": ["The", "capital", "is"], "layer": 3}
LENGTHS = BRICKS | {
    "part": "lengths",
    "before": (10 ** (4 * DRAWS.rand(4, 3))).round().int(),
    "after": [[24] * 3] * 4,
}
GATE = BRICKS | {
    "part": "gate",
    "names": ["门最大", "门最近 0", "门最小"],
    "channels": DRAWS.whole(1, 1537, 4, 3, 3),
    "place": 2,
    "gates": DRAWS.randn(4, 3, 3),
    "ups": DRAWS.randn(4, 3, 3),
    "negative": DRAWS.whole(0, 1537, 4, 3),
    "width": 1536,
}
LOOKS = DRAWS.randn(4, 6, 3, 3).tril().softmax(dim=-1)
HEADS = BRICKS | {"part": "heads", "looks": LOOKS, "groups": 2, "place": 2}


TONGUE = {
    "questions": [
        {"name": "高的反义词", "zh": "低", "en": "low"},
        {"name": "法国的首都", "zh": "巴黎", "en": "Paris"},
    ],
    "ways": ["加上方向", "加上乱的"],
    "kinds": [[[0, 0, 1, 1], [0, 0, 0, 0]], [[0, 3, 1, 1], [3, 0, 2, 2]]],
    "words": DRAWS.whole(0, 5, 2, 2, 4, 3),
    "chances": DRAWS.rand(2, 2, 4, 3).sort(descending=True).values,
    "vocabulary": ["低", " low", "巴黎", " Paris", "\n"],
    "layer": 3,
}


def tongue_shows(data, now):
    kind, words, chances = (
        data[name][now["question"]][now["way"]][now["layer"] - 1] for name in ("kinds", "words", "chances")
    )
    return {"kind": kind, "words": words, "chances": chances}


def lengths_shows(data, now):
    return {name: data[name][now["layer"] - 1] for name in ("before", "after")}


def gate_shows(data, now):
    at = now["layer"] - 1, now["place"]
    gate, up = (tensor(data[name])[at] for name in ("gates", "ups"))
    return {"three": torch.stack([gate, up, gate * up], dim=1)} | {
        name: data[name][at[0]][at[1]] for name in ("channels", "negative")
    }


def heads_shows(data, now):
    """同一份键与值，看得不同：最大的一格有三成以上，同组别的头都不到它的一半。"""
    place, looks = now["place"], tensor(data["looks"])[now["layer"] - 1, :, now["place"]]
    given, apart = looks[:, 1 : place + 1], []
    for three in given.unflatten(0, (2, 3)):
        most = place > 0 and three.max() == given.max() > 0.3
        apart.append(bool(most and (three[:, three.amax(0).argmax()] > three.max() / 2).sum() == 1))
    return {"looks": looks, "apart": apart}


ROWS = [
    Row("beam", beams(), beams_shows),
    Row("sampling", samples(), samples_shows),
    Row("branches", BRANCHES, branches_shows),
    Row("cache", CACHE, cache_shows),
    Row("cache_growth", GROWTH, growth_shows),
    Row("lens", LENS, lens_shows),
    Row("one_number", NUMBER, number_shows),
    Row("swap", SWAP, swap_shows),
    Row("tongue", TONGUE, tongue_shows),
    Row("bricks", LENGTHS, lengths_shows),
    Row("bricks", GATE, gate_shows, "gate"),
    Row("bricks", HEADS, heads_shows, "heads"),
]
