"""注意力的权重：怎样算，怎样挡，谁看谁。"""

import torch
from figure_walk import Draws, Row, tensor

from chapters import ROOT, cells, file_of, source
from course_lib.attention import scaled_dot_product_attention

WORDS = ["the", "sky", "is", "blue"]


def attention():
    draws = Draws(3)
    wide = {d: draws.randn(2, 8) * d**0.5 for d in (4, 64, 1024)}
    means = {d: [0.9, 0.36, 0.13] for d in wide}
    w = dict(zip(("w_query", "w_key", "w_value"), draws.randn(3, 6, 3) / 6**0.5, strict=True))
    w |= {"tokens": WORDS, "x": draws.randn(4, 6), "chosen": 3}
    return w | {"wide": wide, "average": means, "real": [64]}


def attention_shows(data, now):
    query, key, value = (tensor(data["x"]) @ tensor(data[name]) for name in ("w_query", "w_key", "w_value"))
    output, weights = scaled_dot_product_attention(query, key, value)
    i, j, width, way = now["from"], now["to"], now["width"], now["way"]
    scaled = tensor(data["wide"][str(width)][now["asked"]]) / width ** (way / 2)
    return {
        "dot": query[i] @ key[j],
        "score": query[i] @ key[j] / 3**0.5,
        "weights": weights[i],
        "output": output[i],
        "scaled": scaled,
        "shares": scaled.softmax(dim=0),
        "mean": data["average"][str(width)][way],
    }


def masked_shows(data, now):
    keep = torch.tensor(now["keep"])
    shares = tensor(data["scores"]).masked_fill(~keep, -torch.inf).softmax(dim=-1)
    return {"shares": shares.nan_to_num(0) if now["zero"] else shares}


MASKED = {
    "tokens": ["time", "flies", "fast", "[PAD]"],
    "scores": Draws(4).randn(4, 4),
    "padding": [False] * 3 + [True],
}


def longer():
    draws = Draws(1)
    fillers = []
    for name, size in (("[PAD]", 0.4), ("句号", 0.2)):
        rows = torch.cat([draws.rand(3, 3, 3), tensor([0, 0.5, 3])[:, None, None].expand(3, 3, 1)], dim=-1)
        fillers.append(
            {"name": name, "rows": rows / rows.sum(dim=-1, keepdim=True), "moved": [0, size, 2 * size]}
        )
    return {"words": ["[CLS]", "time", "[SEP]"], "sizes": [3, 8, 64], "fillers": fillers}


def longer_shows(data, now):
    filler = data["fillers"][now["filler"]]
    rows = tensor(filler["rows"])[0 if now["hidden"] else now["at"]]
    return {
        "rows": rows,
        "share": rows[:, -1].mean(),
        "added": data["sizes"][now["at"]] - 3,
        "moved": float(filler["moved"][now["at"]]),
    }


SHAPES = {
    False: (lambda t: t.view(4, 2, 3).transpose(0, 1), lambda z: z.transpose(0, 1).reshape(4, 6)),
    True: (lambda t: t.view(2, 4, 3), lambda z: z.reshape(4, 6)),
}


def split():
    draws = Draws(6)
    names = ("w_query", "w_key", "w_value", "w_out")
    weights = dict(zip(names, draws.randn(4, 6, 6) / 6**0.5, strict=True))
    return {"tokens": WORDS, "x": draws.randn(4, 6), "heads": 2, "chosen": 3} | weights


def split_shows(data, now):
    """少一步 transpose，就是一步 view。"""
    cut, join = SHAPES[now["wrong"]]
    names = ("w_query", "w_key", "w_value")
    query, key, value = (cut(tensor(data["x"]) @ tensor(data[name])) for name in names)
    z, weights = scaled_dot_product_attention(query, key, value)
    joined = join(z)
    return {
        "query": query,
        "weights": weights,
        "z": z,
        "joined": joined,
        "output": joined @ tensor(data["w_out"]),
    }


def gallery():
    draws = Draws(6)
    maps = (2 * draws.randn(6, 4, 4)).softmax(dim=-1).flatten(1)
    names = ["前一个词元", "自己", "[CLS]", "分散"]
    return {
        "tokens": WORDS,
        "maps": (1000 * maps).round().int(),
        "heads": 3,
        "kinds": names,
        "badges": names,
        "kind": [3, 0, 2, 2, 3, 2],
        "measured": [*names[:3], "最大的一份"],
        "shares": draws.rand(4, 6),
        "chosen": 4,
        "word": 2,
    }


def gallery_shows(data, now):
    row = tensor(data["maps"]).view(6, 4, 4)[now["chosen"], now["word"]] / 1000
    return {"row": row, "measured": [shares[now["chosen"]] for shares in data["shares"]]}


# 第一章自己的两个函数
CHAPTER = {"torch": torch, "table": lambda *_, **__: None}
for cell in cells(ROOT / f"chapters/{file_of('why_transformer')}.ipynb", "code"):
    if cell["id"] in ("push-the-first", "prices"):
        exec(source(cell), CHAPTER)
SONG = "John and Paul wrote several songs on an old guitar in the small kitchen when"
RACE = {
    "sentences": [" ".join([*SONG.split()[: n - 1], "they"]) for n in (5, 10, 16)],
    "windows": [3, 5, 9, 17],
}
RACE |= {"keeps": [0.3, 0.5, 0.9, 1.0], "d": 64}


def race_shows(data, now):
    n, k = now["n"], now["k"]
    layers = -(-(n - 1) // (k // 2))
    lengths, serial = [n - 1, layers, 1], [n, layers, 1]
    kept = [float(x) for x in CHAPTER["remaining"](n, k, now["keep"])]
    reached = [min(now["now"], n - 1), min(n - 1, now["now"] * (k // 2)), (n - 1) * (now["now"] > 0)]
    return {"rows": [lengths, serial, list(CHAPTER["multiplications"](n, k)), kept], "reached": reached}


def heard_shows(data, now):
    return {"weights": data["weights"][now["chosen"]]}


BLANKS = {
    "nouns": ["sky", "sea", "gold"],
    "colors": ["blue", "red"],
    "frames": [["[CLS]", "the", 0, "is", 1, "[SEP]"], ["[CLS]", "that", 1, 0, "again", "[SEP]"]],
    "scores": 2 * Draws(2).randn(2, 3, 2, 6),
}


def blanks_shows(data, now):
    (i, j), frame = now["chosen"], data["frames"][now["frame"]]
    row = tensor(data["scores"][now["frame"]][i][j])
    words = [(data["nouns"][i], data["colors"][j])[word] if isinstance(word, int) else word for word in frame]
    assert now["seen"][i][j] and all(now["seen"][0]) and all(row[0] for row in now["seen"])
    return {
        "row": row,
        "powers": row.exp(),
        "shares": row.softmax(dim=0),
        "words": words,
        "at": frame.index(0),
    }


ROW = {
    "tokens": ["[CLS]", "the", "sky", "is", "blue", "[SEP]"],
    "scores": 2 * Draws(4).randn(6, 6),
    "d": 32,
    "alike": Draws(5).rand(6, 6),
    "chosen": 4,
}


def row_shows(data, now):
    scores, alike = (tensor(data[name][now["from"]]) for name in ("scores", "alike"))
    return {
        "scores": scores,
        "powers": scores.exp(),
        "weights": scores.softmax(dim=0),
        "sum": scores.exp().sum(),
        "near": int(alike.argmax()),
        "close": alike.max(),
        "read": int(scores.argmax()),
    }


def boxes():
    draws = Draws(6)
    return {
        "tokens": WORDS,
        "steps": draws.randn(10, 4, 8),
        "lengths": 10 ** (2 * draws.rand(10, 4)),
        "weights": draws.randn(2, 4, 4).softmax(dim=-1),
    }


def boxes_shows(data, now):
    """嵌入两步，此后每层四步，头一步听：画那一层的弧。"""
    layer, part = divmod(now["now"] - 2, 4)
    looks = data["weights"][layer][now["chosen"]] if layer >= 0 and part == 0 else None
    return {"lengths": data["lengths"][now["now"]], "looks": looks}


def pair(name, tokens, endings, word, draws):
    """两句，两层各三个头：后一层的距离大五倍。"""
    moved = draws.rand(2, 6, len(tokens)) * tensor([[[0.1]] * 3 + [[0.5]] * 3])
    rows = (2 * draws.randn(2, 6, len(tokens))).softmax(dim=-1)
    return {
        "name": name,
        "tokens": tokens,
        "endings": endings,
        "place": tokens.index(endings[0]),
        "word": word,
        "rows": (rows * 1000).round().int(),
        "moved": (moved * 1000).round().int(),
    }


def switches():
    draws = Draws(6)
    songs = pair("songs", ["[CLS]", "they", "were", "inspired", "[SEP]"], ["inspired", "beautiful"], 1, draws)
    apples = ["[CLS]", "because", "they", "were", "hungry", "[SEP]"]
    both = [songs, pair("apples", apples, ["hungry", "sweet"], 2, draws)]
    return {"sentences": both, "heads": 3, "chosen": 4}


def switches_shows(data, now):
    """平均与谁最远都只在同一层里算；末了三个数是对全部的句子数的。"""
    head, its = now["chosen"], data["sentences"][now["pair"]]
    layer = slice(head // 3 * 3, head // 3 * 3 + 3)
    table = tensor(its["moved"])[now["ending"], layer] / 1000
    mine = table[head % 3]
    most = best = 0
    for each in data["sentences"]:
        for moved in tensor(each["moved"]):
            most += int(moved[head, each["word"]] == moved[head].max())
            best += int(moved[head, each["word"]] == moved[layer, each["word"]].max())
    return {
        "moved": mine,
        "others": (table.sum(dim=0) - mine) / 2,
        "top": table.max(),
        "tally": [4, most, best],
        "tops": (mine == table.amax(dim=0)),
        "looks": [rows[head] for rows in its["rows"]],
    }


ROWS = [
    Row("attention", attention(), attention_shows),
    Row("mask", MASKED, masked_shows),
    Row("mask", longer(), longer_shows, "longer"),
    Row("heads_reshape", split(), split_shows),
    Row("head_gallery", gallery(), gallery_shows),
    Row("messages", RACE, race_shows),
    Row(
        "messages",
        {"tokens": WORDS, "weights": Draws(1).randn(4, 4).softmax(dim=-1), "chosen": 2},
        heard_shows,
        "one-head",
    ),
    Row("blanks", BLANKS, blanks_shows),
    Row("one_row", ROW, row_shows),
    Row("bert_boxes", boxes(), boxes_shows),
    Row("switch_off", switches(), switches_shows),
]
