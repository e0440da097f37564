"""训练与试验：一步一步学会了什么，拿掉一样少了什么。"""

import base64
import io
from itertools import chain
from math import pi

import matplotlib.pyplot as plt
import torch
from figure_walk import Draws, Row, tensor

from course_lib.attention import causal_mask
from course_lib.vit import patchify

DIGITS, DEPTHS = [3, 1, 4, 1, 5], [1, 2, 4]
TOWERS = Draws(0)
DEPTH = {
    "digits": DIGITS,
    "depths": DEPTHS,
    "kinds": ["加号都在", "拿掉一个", "都拿掉"],
    "states": [[TOWERS.randn(2, depth + 1, 5, 9) for depth in DEPTHS] for _ in range(3)],
    "spreads": [[TOWERS.rand(2, depth + 1) for depth in DEPTHS] for _ in range(3)],
    "answers": TOWERS.whole(1, 6, 3, 3, 2, 5),
    "scores": TOWERS.rand(3, 3, 2),
}


def depth_shows(data, now):
    at, kinds = DEPTHS.index(now["layers"]), (0, now["kind"])
    sides = [{part: data[part][kind][at][now["seed"]] for part in ("spreads", "answers")} for kind in kinds]
    return {"sides": sides, "scores": [data["scores"][kind][at] for kind in kinds]}


REVIEWS = [
    ["[CLS]", "dull", ",", "but", "great", "[SEP]"],
    ["[CLS]", "great", "[SEP]"],
    ["[CLS]", "not", "great", ".", "[SEP]"],
]


def epochs():
    """十五条影评，四轮，两个头；两处选择拼成四条；最后一轮全对。"""
    draws, labels = Draws(4), torch.arange(15) % 2
    guesses = draws.whole(0, 2, 4, 15)
    guesses[-1] = labels
    reviews = [
        {
            "words": words,
            "label": i % 2,
            "chance": draws.rand(4, len(words) - 1),
            "looks": draws.rand(4, 2, len(words)).softmax(dim=-1),
        }
        for i, words in enumerate([*REVIEWS, REVIEWS[1]])
    ]
    return {
        "labels": labels,
        "order": (torch.arange(15) < 10).int(),
        "points": draws.whole(0, 1000, 4, 15, 2),
        "guesses": ["".join(map(str, row)) for row in guesses.tolist()],
        "reviews": reviews,
        "parts": [{"label": "先说", "options": ["dull", "not"]}, {"label": "接着", "options": ["but", "."]}],
    }


def epochs_shows(data, now):
    """答对的比例照判断数出；没有遮住词，概率就是原样的。"""
    first, second = now["chosen"]
    review, epoch = data["reviews"][2 * first + second], now["now"]
    hit = tensor([int(guess) for guess in data["guesses"][epoch]]) == tensor(data["labels"])
    order, chance = torch.tensor(data["order"]).bool(), review["chance"][epoch]
    return {
        "right": [hit[order].double().mean().item(), hit[~order].double().mean().item()],
        "words": review["words"],
        "looks": review["looks"][epoch],
        "intact": chance[0],
        "after": chance[max(0, now["hidden"])],
    }


TRUTH = ["2050-05-05", "1982-01-24"]
LEARNING = {
    "sources": ["2050年5月5日", "1982年1月24日"],
    "truth": TRUTH,
    "steps": [0, 10, 20, 30],
    "at": 2,
    "runs": [
        {
            "name": "种子 0",
            "written": [["", ""], ["20-", "20-"], ["2055-05-05", "1982-11-24"], TRUTH],
            "valid": [0, 0.25, 0.92, 1],
            "right": [0, 0, 0.006, 1],
        },
        {
            "name": "来源打乱",
            "written": [["", ""]] + 3 * [["1999-02-19"] * 2],
            "valid": [0, 1, 1, 1],
            "right": 4 * [0],
        },
    ],
}


def learning_shows(data, now):
    run, at = data["runs"][now["run"]], data["steps"].index(now["step"])
    wrong = [
        [n for n, one in enumerate(text) if one != truth[n : n + 1]]
        for text, truth in zip(run["written"][at], TRUTH, strict=True)
    ]
    return {"missed": wrong, "valid": run["valid"][at], "right": run["right"][at]}


REWARDS = {
    "problems": ["题 3 8 5 9", "题 1 2 3 4"],
    "answers": [5, 0],
    "steps": [0, 10, 80],
    "at": 2,
    "runs": [
        {
            "name": "答案对",
            "written": [["答 4 。", "答 0 。"], ["想 5", "5 0 。"], ["想 3 3 8 1 5 6 9 5 。", "0 。"]],
            "right": [0.3, 0.5, 0.97],
            "thinks": [0.25, 0.5, 1],
            "length": [4.62, 7.0, 10],
        },
        {
            "name": "写得短",
            "written": [["答 4 。", "答 0 。"], ["。", "答 3 。"], ["5 3", "0"]],
            "right": [0.3, 0.2, 0],
            "thinks": [0.25, 0.1, 0],
            "length": [4.62, 3.2, 1],
        },
    ],
}
RIGHT = [[[False, True], [False, True], [True, True]], [[False, True], [False, False], [False, False]]]


def rewards_shows(data, now):
    run, at = data["runs"][now["run"]], data["steps"].index(now["step"])
    return {"hits": RIGHT[now["run"]][at]} | {name: run[name][at] for name in ("right", "thinks", "length")}


SENTENCES = [["the", "plot", "was", "dull", "."], ["the", "acting"]]
WAYS = [
    {"name": "不管", "chosen": [[[0, 1, 2, 1, 0], [0, 2]], [[0, 1, 0, 1, 2], [0, 1]]]},
    {"name": "压低名次", "chosen": [[[2, 2, 2, 1, 0], [2, 2]], [[1, 0, 2, 1, 0], [1, 0]]]},
]
for way in WAYS:
    flat = [list(chain(*snapshot)) for snapshot in way["chosen"]]
    way["load"] = [[chosen.count(e) / len(chosen) for e in range(3)] for chosen in flat]


def routing_shows(data, now):
    way, at = data["ways"][now["way"]], data["steps"].index(now["step"])
    chosen, words = list(chain(*way["chosen"][at])), list(chain(*SENTENCES))
    picked = way["chosen"][at][now["at"][0]][now["at"][1]]
    mine = [word for word, expert in zip(words, chosen, strict=True) if expert == picked]
    same = [[word, mine.count(word)] for word in dict.fromkeys(mine)]
    return {"picked": picked, "load": way["load"][at][picked], "chosen": chosen, "same": same}


def stopped(trained):
    draws = Draws(trained)
    return {"trained": trained, "seeds": 3, "late": draws.randn(7, 2 * trained), "right": draws.rand(7)}


STOP = {
    "laps": [2 * pi * 10000 ** (2 * i / 32) for i in range(6)],
    "at": 1,
    "runs": [stopped(n) for n in (6, 10, 16)],
}


def stop_shows(data, now):
    run, at = data["runs"][now["run"]], 0 if now["halted"] is None else now["halted"] + 1
    return {"late": run["late"][at], "right": [run["right"][0], run["right"][at]]}


# 同一天的几份来源：没有改过的，改了一个字的，改了两个字的；头一天改了两个字才变
DAYS = [
    {
        "十二月八日（二〇六四年）": "2064-12-08",
        "十二月八日（一〇六四年）": "2064-12-08",
        "十二月八日（一九六四年）": "1964-12-08",
    },
    {"２０４６年０５月２０日": "2046-05-20", "２０５６年０５月２０日": "2056-05-20"},
]
STORIES = Draws(3)


def story(source, written):
    heads = (3 * STORIES.randn(4, 11, len(source))).softmax(dim=-1)
    return {
        "source": list(source),
        "target": [*written, "结尾"],
        "heads": (1000 * heads).round().int(),
        "logits": 3 * STORIES.randn(11, 14),
    }


DATES = {
    "letters": ["填充", "开头", "结尾", *"0123456789-"],
    "first": 2,
    "dates": [[story(*each) for each in day.items()] for day in DAYS],
}


def dates_shows(data, now):
    """各头平均，或者一个头；前五名是 softmax 的；改过的与跟着变的，都与没有改过的那一份比，没写到的不算。"""
    versions = next(day for day in data["dates"] if now["source"] in [each["source"] for each in day])
    date, first, step = (
        next(each for each in versions if each["source"] == now["source"]),
        versions[0],
        now["now"],
    )
    heads = tensor(date["heads"])[:, step] / 1000
    likely = tensor(date["logits"][step]).softmax(dim=-1)[2:].topk(5)
    away = {
        name: [i for i, pair in enumerate(zip(date[name], first[name], strict=True)) if len({*pair}) > 1]
        for name in ("source", "target")
    }
    return {
        "written": date["target"][: step + 1],
        "weights": heads.mean(dim=0) if now["head"] is None else heads[now["head"]],
        "likely": [
            [data["letters"][2 + i], share]
            for i, share in zip(likely.indices.tolist(), likely.values.tolist(), strict=True)
        ],
        "changed": away["source"],
        "moved": [i for i in away["target"] if i <= step],
    }


REVIEWED = [
    ["[CLS]", "the", "music", "was", "dull", ",", "but", "the", "story", "was", "charming", ".", "[SEP]"],
    ["[CLS]", "the", "plot", "was", "slow", ".", "[SEP]"],
]
CHANCES = Draws(5)


def chances(word):
    top = CHANCES.rand(4, 2)
    top = 0.9 * top / top.sum(dim=0)
    words = [word, "so", "photography", "very"]
    return {
        "options": [[name, *each] for name, each in zip(words, top, strict=True)],
        "hesitates": [7.25, 3.75],
    }


MASKS = {
    "place": 6,
    "sentences": [
        {"words": words} | {kind: [chances(word) for word in words[1:-1]] for kind in ("causal", "both")}
        for words in REVIEWED
    ],
}


def masks_shows(data, now):
    """因果时，猜第几个词用的是它前面那一行；看得见几个，照掩码数。"""
    sentence, place = data["sentences"][now["at"]], now["place"]
    n, causal = len(sentence["words"]), now["mask"] == "causal"
    allowed = causal_mask(n) if causal else torch.ones(n, n, dtype=torch.bool)
    given = sentence[now["mask"]][place - 1]
    rest = [max(0.0, 1 - sum(option[k] for option in given["options"])) for k in (1, 2)]
    return {
        "from": place - causal,
        "seen": allowed[place - causal].sum(),
        "hesitates": given["hesitates"],
        "shown": [*given["options"], ["别的", *rest]],
    }


THRESHOLDS = Draws(0)
METHODS = [
    {"name": name, **{kind: THRESHOLDS.whole(0, 90, 20) for kind in ("signal", "background")}}
    for name in ("学得的", "另一种")
]
METHODS[0]["background"][-2:] = 3  # 混进来的太少，就不算
RIVALS = [
    {"name": "只看质量", "cuts": [[0.1, 20.0], [0.5, 6.0], [1.0, 1.0]]},
    {"name": "五个变量", "cuts": [[0.1, 90.0], [0.4, 30.0], [1.0, 1.0]]},
]


def threshold_shows(data, now):
    signal, background = (tensor(data["methods"][now["method"]][kind]) for kind in ("signal", "background"))
    kept, passed = signal[now["at"] :].sum().item(), background[now["at"] :].sum().item()
    share, cuts = kept / signal.sum().item(), RIVALS[now["rival"]]["cuts"]
    (x0, y0), (x1, y1) = cuts[:2] if share <= cuts[1][0] else cuts[1:]
    other = None if passed < 20 or share < 0.1 else y0 + (y1 - y0) * (share - x0) / (x1 - x0)
    return {
        "kept": int(kept),
        "passed": int(passed),
        "e": share,
        "factor": background.sum().item() / passed,
        "other": other,
    }


HEADS = ["第 0 层头 0", "第 1 层头 0"]


def jet(seed, label):
    draws = Draws(seed)
    pt = (60 * draws.rand(9) + 1).sort(descending=True).values
    said = draws.rand(4, 2)
    said[:, 0] = said[0, 0]  # Transformer 不问次序
    return {
        "label": label,
        "particles": torch.cat([pt[:, None], draws.rand(9, 2) - 0.5], dim=1),
        "without": draws.rand(9),
        "said": said,
        "attention": draws.randn(2, 10).softmax(dim=-1),
        "orders": [torch.arange(9), *(draws.rand(9).argsort() for _ in range(3))],
    }


def jet_shows(data, now):
    """打乱只动表与概率：深浅不问次序。"""
    one = data["jets"][now["which"]]
    change = [one["said"][0][0] - without for without in one["without"]]
    return {
        "depth": change if now["head"] == 2 else one["attention"][now["head"]][1:],
        "said": one["said"][now["turn"]],
        "before": one["said"][0],
        "without": one["without"][now["chosen"]],
        "rows": [one["particles"][i] for i in one["orders"][now["turn"]][:5]],
    }


PIXELS = Draws(3).whole(0, 256, 48, 48, 3)


def address(pixels):
    """无损的 data 网址：读出来的像素一个不差。"""
    stored = io.BytesIO()
    plt.imsave(stored, pixels.byte().numpy(), format="png")
    return "data:image/png;base64," + base64.b64encode(stored.getvalue()).decode()


def patches_shows(data, now):
    rows = patchify(PIXELS.permute(2, 0, 1)[None].double() / 255, now["P"])[0]
    row = rows[now["chosen"]]
    near = (rows - row).square().sum(dim=1).argsort()[1:6]
    assert now["mixed"] or now["seat"] == now["chosen"]
    return {
        "near": near,
        "ends": torch.cat([row[:4], row[-2:]]),
        "count": len(rows),
        "scores": (len(rows) + 1) ** 2,
    }


ROWS = [
    Row("depth", DEPTH, depth_shows),
    Row("epochs", epochs(), epochs_shows),
    Row("learning", LEARNING, learning_shows),
    Row("rewards", REWARDS, rewards_shows),
    Row("routing", {"sentences": SENTENCES, "steps": [0, 40], "ways": WAYS}, routing_shows),
    Row("stop_clocks", STOP, stop_shows),
    Row("date_writer", DATES, dates_shows),
    Row("two_masks", MASKS, masks_shows),
    Row("threshold", {"methods": METHODS, "rivals": RIVALS, "at": 10, "least": 20}, threshold_shows),
    Row("jet", {"heads": HEADS, "jets": [jet(1, 0), jet(2, 1)], "chosen": 1}, jet_shows),
    Row(
        "patches",
        {"image": address(PIXELS), "size": 48, "widths": [16, 8, 4], "at": 1, "chosen": 7},
        patches_shows,
    ),
]
