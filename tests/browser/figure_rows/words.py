"""词与句子：怎样切，在平面上站在哪里，谁离谁近。"""

from base64 import b64encode
from math import pi

import torch
import torch.nn.functional as F
from figure_walk import Draws, Row, tensor
from two_tokenizers import ours

from course_lib.layers import sinusoidal_encoding
from course_lib.tokenization import PREFIX, SPECIAL_TOKENS, longest_match, normalize_words
from course_lib.unigram import best_path
from course_lib.wordpiece_training import train_wordpiece

OLD = "the teacher teaches, the students listen; the listener asks and the asker listens again and again"
NEW = "the student teacher asks the listeners, Xu listens"
LEARNED = list(train_wordpiece([OLD], vocab_size=1000))
START = next(
    i for i, one in enumerate(LEARNED) if one not in SPECIAL_TOKENS and len(one.removeprefix(PREFIX)) > 1
)
MERGES = {"texts": {name: normalize_words(text) for name, text in (("旧", OLD), ("新", NEW))}}
MERGES |= {"special": len(SPECIAL_TOKENS), "shown": 1000}


def merges_shows(data, now):
    """一次合并至多添一个词元：同一段可以由两种拼法合成，那时词表不变。"""
    vocab = dict.fromkeys(LEARNED[: now["size"]])
    cuts = [[longest_match(word, vocab) for word in words] for words in data["texts"].values()]
    assert now["n"] == 0 or now["made"] in vocab
    assert now["size"] <= START + now["n"] and (now["n"] < 3 or now["size"] >= START + 3)
    return {"cuts": cuts, "means": [sum(map(len, cut)) / len(cut) for cut in cuts]}


TEXTS = [
    "unbelievably Schöner TOKENIZERS!",
    "How many r's are in strawberry?",
    "我讨厌 " + "x" * 101,
    "ok🙂 ok",
]


def samples():
    """与章里那一格相同：例句里的词的每一截，在词表里的都带上。"""
    split = {text: normalize_words(text) for text in TEXTS}
    words = {word for each in split.values() for word in each if len(word) < 50}
    spans = {
        p + w[i:j]
        for w in words
        for i in range(len(w))
        for j in range(i + 1, len(w) + 1)
        for p in ("", PREFIX)
    }
    vocab = ours().vocab
    return {"samples": split, "vocab": {s: vocab[s] for s in [*SPECIAL_TOKENS, *sorted(spans)] if s in vocab}}


def samples_shows(data, now):
    """编号是哪一句的；试过的由长到短，末一个在词表里，没有就是 None。"""
    assert now["ids"] in [ours().encode(text) for text in TEXTS]
    if not now["tries"]:
        return {"hit": None}
    prefix = PREFIX * now["tries"][0].startswith(PREFIX)
    whole = now["tries"][0].removeprefix(prefix)
    tries = [prefix + whole[:end] for end in range(len(whole), 0, -1)]
    hit = next((one for one in tries if one in ours().vocab), None)
    assert now["word"].endswith(whole)
    return {"hit": hit, "tries": tries[: tries.index(hit) + 1] if hit else tries}


NAMES = ["monday", "tuesday", "friday", "red", "blue", "green", "dog", "cat", "cow"]
GROUPS = {"星期": [0, 1, 2], "颜色": [3, 4, 5], "动物": [6, 7, 8]}
NOISE = Draws(2).randn(9, 16)
TABLES = {
    "训练过": NOISE + 3 * torch.eye(3, 16, dtype=torch.double).repeat_interleave(3, dim=0),
    "新建": NOISE,
}


def mapped(rows):
    unit = F.normalize(rows, dim=-1)
    close = unit @ unit.T
    best = close.clone().fill_diagonal_(-2).topk(4)
    near = [
        list(zip(*pair, strict=True))
        for pair in zip(best.indices.tolist(), best.values.tolist(), strict=True)
    ]
    means = {
        name: [close[group][:, group].sum() / 6 - 0.5, close[group].mean()] for name, group in GROUPS.items()
    }
    return {
        "points": rows[:, :2],
        "near": near,
        "everywhere": [[(f"{word}s", 0.75)] for word in NAMES],
        "groups": means,
    }


WORD_MAP = {"words": NAMES, "groups": GROUPS, "total": 30522, "chosen": 0}
WORD_MAP |= {"tables": {name: mapped(rows) for name, rows in TABLES.items()}}


def map_shows(data, now):
    table = data["tables"][now["table"]]
    return {"near": table["near"][now["chosen"]], "averages": now["kind"] and table["groups"][now["kind"]]}


def question(answer):
    a, b, c, d = TABLES["训练过"][:4, :2]
    near = [["tuesday", 0.71], ["red", 0.62], ["blue", 0.4], ["friday", 0.3], ["cow", 0.2], ["dog", 0.1]]
    return {
        "words": [*NAMES[:3], answer],
        "points": torch.stack([a, b, c, d]),
        "landing": c - a + b,
        "near": near,
    }


def step_shows(data, now):
    """末一步去掉题目里的三个词；走一步画一支箭头，第二支落在 ☆。"""
    near = data["questions"][0]["near"]
    left = [pair for pair in near if pair[0] not in now["words"][:3]]
    return {"shown": (left if now["step"] == 4 else near)[:5], "lines": [[0, 1], [2, 4]][: now["step"]]}


PLACES = [f"word{i}" for i in range(60)]
UNIT = F.normalize(Draws(4).randn(60, 8), dim=-1)
BEST = (UNIT[:50] @ UNIT.T).topk(6)
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
PAIRS = [
    [[place, round(100 * cosine)] for place, cosine in zip(places[1:], cosines[1:], strict=True)]
    for places, cosines in zip(BEST.indices.tolist(), BEST.values.tolist(), strict=True)
]
NEAR_TEXT = "".join(
    f"{DIGITS[i // 1296]}{DIGITS[i // 36 % 36]}{DIGITS[i % 36]}{c:02}" for pairs in PAIRS for i, c in pairs
)
# 打乱的一张：近邻照旧，名字往后推一个；好几种语言的，词以 base64 交来
TURNED = [*PLACES[1:], "세"]
NEAREST = {
    "tables": [
        {
            "name": "英文",
            "lang": "en",
            "words": " ".join(PLACES),
            "known": 50,
            "near": NEAR_TEXT,
            "asked": "最常见的 48 个英文词",
            "total": 30522,
            "chance": 0.21,
            "tries": ["word3", "word49"],
            "first": "word7",
        },
        {
            "name": "打乱的",
            "words": b64encode(" ".join(TURNED).encode()).decode(),
            "known": 20,
            "near": NEAR_TEXT,
            "asked": "头几个词",
            "total": 250002,
            "chance": 0.23,
            "tries": ["word3", "word19"],
            "first": "word4",
        },
    ]
}


def nearest_shows(data, now):
    words, known = (PLACES, 50) if now["table"] == "英文" else (TURNED, 20)
    at = words.index(now["mine"]) if now["mine"] in words[:known] else None
    return {"rows": at if at is None else [[words[i], c / 100] for i, c in PAIRS[at]]}


LISTS = {"甲": PLACES[20:26], "乙": PLACES[26:34]}
FOUND = {"甲": [[0, 5], [3, 7]], "乙": [[1, 2]], "随便取的": [[2, 9]]}
ANSWERS = {name: Draws(len(places)).whole(-16, 400, len(places), 40) for name, places in FOUND.items()}
NEURONS = {
    "words": PLACES[:40],
    "common": 30,
    "groups": LISTS,
    "found": FOUND,
    "full": {"甲": 2, "乙": 0},
    "answers": ANSWERS,
    "tries": ["word3", "word38"],
    "first": "乙",
}
SILENT = NEURONS | {"answers": {name: -values.abs() for name, values in ANSWERS.items()}}


def neurons_shows(data, now):
    values = data["answers"][now["name"]][now["turn"]]
    sheet = range(20, 34) if now["sheet"] == 0 else range(30)
    best = sorted(sheet, key=lambda i: (-values[i], i))[:12]
    at = PLACES.index(now["mine"]) if now["mine"] in PLACES[:40] else None
    own = {"value": None, "higher": None}
    if at is not None:
        own = {"value": values[at] / 100, "higher": sum(values[i] > values[at] for i in sheet)}
    group = data["groups"].get(now["name"], [])
    return own | {
        "best": [[PLACES[i], values[i] / 100] for i in best],
        "known": sum(PLACES[i] in group for i in best),
        "top": max(0.01, *(value / 100 for value in values)),
        "silent": values[best[0]] <= 0,
    }


TABLE = sinusoidal_encoding(101, 16).double()
SPEEDS = 10000 ** (-torch.arange(0, 16, 2, dtype=torch.double) / 16)


def clock_shows(data, now):
    """转过的角只看间隔，与从哪里出发无关；编码与课程库的相同，那里是单精度。"""
    turned = now["offset"] * SPEEDS
    rows = [TABLE[now["here"]], TABLE[now["here"] + now["offset"]]]
    for seen, row in zip((now["from"], now["to"]), rows, strict=True):
        torch.testing.assert_close(tensor(seen), row, atol=2e-5, rtol=0)
    return {
        "turns": torch.stack([turned // (2 * pi), turned % (2 * pi)], dim=1),
        "alike": tensor(now["from"]) @ tensor(now["to"]) / 8,
    }


GAPS = {"dog": [0, 0.01, 0.07], "book": [0, 0.02, 0.01], "firm": [0, 0.05, 0.09], "pond": [0, 0.01, 0.02]}
GAPS |= {"bank": [0, 0.04, 0.06], "field": [0, 0.05, 0.1]}
KINDS = {"寻常的名词": ["dog", "book"], "只沾一边": ["firm", "pond"], "两边都沾": ["bank", "field"]}
NOUNS = {
    "groups": [
        {"name": name, "nouns": [{"word": w, "gaps": GAPS[w], "hits": [0, 7, 5]} for w in words]}
        for name, words in KINDS.items()
    ],
    "mark": "bank",
    "count": 8,
    "chosen": "dog",
    "layers": [0, 1, 2],
}


def nouns_shows(data, now):
    layer = now["layer"]
    past = [word for word in GAPS if GAPS[word][layer] > GAPS["bank"][layer]]
    others = [[word for word in words if word != "bank"] for words in KINDS.values()]
    return {
        "gap": GAPS[now["chosen"]][layer],
        "hits": [0, 7, 5][layer],
        "mark": GAPS["bank"][layer],
        "counts": [[len({*past} & {*words}), len(words)] for words in others],
        "over": sorted(
            (word for word in past if word not in KINDS["两边都沾"]), key=lambda word: -GAPS[word][layer]
        ),
    }


SEATED = ["money", "bank", "fishing", "river", "bank", "."]
OCCLUSION = {
    "words": SEATED,
    "seat": 4,
    "ways": ["遮住", "删掉"],
    "rulers": ["第 3 层", "最后一层", "最后四层之和"],
    "falls": 0.01 * Draws(1).randn(2, 3, 6),
    "names": ["钱", "河"],
    "chosen": 3,
}


def occlusion_shows(data, now):
    """写出来是零的，不算退也不算进。"""
    falls, others = tensor(data["falls"]), torch.tensor([0, 1, 2, 3, 5])
    mine, best = falls[..., now["chosen"]].flatten(), others[falls[..., others].argmax(dim=-1)]
    shown = (1000 * mine).round()
    return {
        "now": falls[now["way"], now["ruler"], others],
        "best": best[now["way"], now["ruler"]],
        "table": mine,
        "less": (shown > 0).sum(),
        "more": (shown < 0).sum(),
        "first": (best == now["chosen"]).sum(),
    }


LEANS = {"bank": [[-0.0717, -0.0021], [0.0109, 0.09]], "[SEP]": [[-0.0612, -0.0341], [0.0624, 0.1089]]}
CROSS = {
    "words": [{"word": word, "inside": word == "bank", "lean": lean} for word, lean in LEANS.items()],
    "texts": [[f"{topic} {kind} {{}} today." for kind in ("saving", "muddy")] for topic in ("Pay", "Swim")],
    "seat": "bank",
    "marks": ["saving", "muddy"],
    "topics": ["说钱", "说水"],
    "kinds": ["savings 等", "muddy 等"],
    "names": ["钱", "河"],
    "chosen": "bank",
}


def cross_shows(data, now):
    def effects(lean):
        return torch.stack([(lean[1] - lean[0]).mean(), (lean[:, 1] - lean[:, 0]).mean()])

    ratios = [effects(tensor(lean)) for lean in LEANS.values()]
    return {
        "lean": LEANS[now["word"]],
        "effects": effects(tensor(LEANS[now["word"]])),
        "ratios": [float(b / a) for a, b in ratios],
    }


SENSES = torch.tensor([0, 0, 0, 1, 1, 1])


def spread(name, seed, first):
    """first 是 0，头一层六个向量相同；此后越走越按词义分开。"""
    noise, pull = Draws(seed).randn(6, 16), torch.zeros(6, 16, dtype=torch.double)
    pull[:3, 0], pull[3:, 1] = 3, 3
    unit = F.normalize(
        torch.stack([4 + layer * (0.4 * noise + pull) for layer in range(first, first + 4)]), dim=-1
    )
    return {
        "name": name,
        "points": (unit - unit.mean(dim=1, keepdim=True))[..., :2],
        "cosines": unit @ unit.mT,
    }


BANKS = {
    "sentences": [f"Sentence {i} by the bank of number {i}." for i in range(6)],
    "short": list("甲乙丙丁戊己"),
    "word": "bank",
    "senses": SENSES,
    "names": ["钱", "河"],
    "control": "[SEP]",
    "chosen": 4,
    "places": [spread("bank", 12, 0), spread("[SEP]", 15, 1)],
}


def banks_shows(data, now):
    def hits(cosines):
        """都一样，就谈不上谁最像谁。"""
        picked = (cosines - 2 * torch.eye(6)).argmax(dim=-1)
        return None if cosines.min() > 0.99999 else int((SENSES[picked] == SENSES).sum())

    each = {place["name"]: tensor(place["cosines"])[now["layer"]] for place in data["places"]}
    right, mine = [hits(cosines) for cosines in each.values()], each[now["name"]][now["chosen"]]
    if hits(each[now["name"]]) is None:
        return {"other": None, "cosine": None, "right": right}
    mine = mine.index_fill(0, torch.tensor(now["chosen"]), -2)
    return {"other": int(mine.argmax()), "cosine": mine.max(), "right": right}


UNIGRAM = {"▁": -393, "▁我": -1166, "我": -903, "不": -892, "知": -1090, "道": -1030, "的": -678, "。": -641}
UNIGRAM |= {"我不": -1286, "不知": -1262, "知道": -1132, "不知道": -1169, "我不知道": -1409, "▁不": -1285}
UNIGRAM |= {"的我": -1393, "ok": -1286, "▁知道": -1525, "知道的": -1525}
LOST = -3036


def packed(scores):
    """与章里那一格相同：一种长度一串，由高到低，一个字三位，低百分之一分添一个 /。"""
    pieces, highest = {}, {}
    for length in sorted({len(piece) for piece in scores}):
        group = sorted((p for p in scores if len(p) == length), key=lambda p: -scores[p])
        highest[length] = last = scores[group[0]]
        parts = []
        for piece in group:
            parts += ["/" * (last - scores[piece]), *map(three_digits, piece)]
            last = scores[piece]
        pieces[length] = "".join(parts)
    return {"pieces": pieces, "highest": highest}


def three_digits(char):
    code = ord(char)
    return f"{DIGITS[code // 1296]}{DIGITS[code // 36 % 36]}{DIGITS[code % 36]}"


LATTICE = packed(UNIGRAM) | {"samples": ["我不知道", "知道的。"], "unknown": LOST}


def routes(text):
    """一句话的每一条路：[(分数, 各段的起止)]。"""
    if not text:
        return [(0, [])]
    found = []
    for end in range(1, len(text) + 1):
        score = UNIGRAM.get(text[:end], LOST if end == 1 else None)
        if score is not None:
            found += [
                (score + rest, [(0, end), *((a + end, b + end) for a, b in path)])
                for rest, path in routes(text[end:])
            ]
    return found


def lattice_shows(data, now):
    """最好的一条与库里的一样；非走不可与不许走的，从全部的路里挑出来比。"""
    text = now["text"]
    every_route = routes(text)
    kept = [
        (score, path)
        for score, path in every_route
        if {*map(tuple, now["want"])} <= {*path} and not {*map(tuple, now["ban"])} & {*path}
    ]
    split = {" · ".join(text[a:b] for a, b in path): score / 100 for score, path in kept}
    assert [split[path] for _, path in now["ways"]] == [score for score, _ in now["ways"]]
    assert [score for score, _ in now["ways"]] == sorted(split.values(), reverse=True)[:5]
    assert now["at"] is None or now["at"] < len(now["ways"])
    return {
        "best": [text[a:b] for a, b in best_path(text, UNIGRAM, LOST)],
        "count": len(every_route) if text else 1,
        "missing": [char for char in text if char not in UNIGRAM],
    }


ROWS = [
    Row("merges", MERGES, merges_shows),
    Row("tokenize", samples(), samples_shows),
    Row("lattice", LATTICE, lattice_shows, typed=("我 知道ｏk", "𠮷我不", "他不知道。", "")),
    Row("word_map", WORD_MAP, map_shows),
    Row("word_map", {"questions": [question("red"), question("cow")], "total": 30522}, step_shows, "step"),
    Row("nearest", NEAREST, nearest_shows, typed=(" Word0 ", "word55", "word3", "")),
    Row("neurons", NEURONS, neurons_shows, typed=(" Word38 ", "nothing", "")),
    Row("neurons", SILENT, neurons_shows, "silent", typed=("word3",)),
    Row("clock", {"d_model": 16, "positions": 60, "offsets": 40}, clock_shows),
    Row("nouns", NOUNS, nouns_shows),
    Row("occlusion", OCCLUSION, occlusion_shows),
    Row("cross", CROSS, cross_shows),
    Row("banks", BANKS, banks_shows),
]
