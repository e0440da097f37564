"""训练用的数据：按一套小语法当场造出的影评，以及 hub 连得上时的真实影评 IMDB。

造出来的数据由种子决定，在任何机器、任何进程里都相同，不下载任何东西。
"""

import random
from typing import NamedTuple

import torch
from torch import Tensor

from ..weights.hub import fetch_dataset_file

ASPECTS = (
    "acting", "story", "music", "script", "plot", "cast",
    "ending", "direction", "dialogue", "pace", "humor", "photography",
)  # fmt: skip
GOOD = (
    "brilliant", "wonderful", "excellent", "great", "beautiful", "clever",
    "charming", "fresh", "moving", "strong", "perfect", "superb",
)  # fmt: skip
BAD = (
    "dull", "boring", "awful", "terrible", "poor", "weak",
    "flat", "stupid", "ugly", "slow", "silly", "empty",
)  # fmt: skip
ADVERBS = ("", "really ", "very ", "so ")
TAILS = ("", "", " at times", " in the end", " to me")
# 与好坏无关的话，其中也有 not，所以单凭“出现过 not”什么也猜不到。
REMARKS = ("", "", "i saw it last night. ", "it is not a long film. ")
# {win} 是作数的评价，{lose} 是不作数的；转折词在前在后都有，所以“后一个评价作数”也不对。
CONTRASTS = (
    "{lose}, but {win}. ",
    "{lose}, but {win}. ",
    "although {lose}, {win}. ",
    "{win}, although {lose}. ",
)
CORRECTIONS = (
    "the {aspect} was not {lose}, it was {win}. ",
    "the {aspect} was {win}, it was not {lose}. ",
    "critics called the {aspect} {lose}, i found it {win}. ",
    "i found the {aspect} {win}, critics called it {lose}. ",
)
AGREEMENTS = ("{}, and {}. ", "{}. {}. ")
SPLITS = ("train", "test")

IMDB = "stanfordnlp/imdb"


class Reviews(NamedTuple):
    """一批影评，三项一一对应。

    texts：B 个字符串；labels：(B,)，1 = 正面，0 = 负面；
    depends_on_order：(B,)，True = 同一袋词换个次序就换了标签；真实的影评不知道是哪些，这一项是 None。
    """

    texts: list[str]
    labels: Tensor
    depends_on_order: Tensor | None


def reviews(count: int, seed: int = 0, split: str = "train") -> Reviews:
    """造 count 条英文影评，正负各半，都是小写。

    一半直说好坏（“the acting was dull, and the plot was slow.”）；另一半有转折或否定，标签取决于次序，
    成对出现：两条的词与标点完全相同，只是两个评价互换位置，标签恰好相反。
    所以任何只看词袋的分类器，在后一半上的准确率都是 50%，分毫不差。
    “test” 里的每一种（方面，评价词）搭配都不会出现在 “train” 里，反过来也是，所以两边没有相同的影评。

    参数：count，条数，4 的倍数；seed，种子；split，"train" 或 "test"。
    返回：`Reviews`，次序已打乱，没有重复的影评。
    错误：count 不是正的 4 的倍数，或没有这个 split 时，抛出 `ValueError`。
    """
    _check_request(count, 4, split)
    rng = random.Random(f"{split} {seed}")
    kept = {}
    while len(kept) < count // 2:
        kept |= dict(_twins(rng, split))
    while len(kept) < count:
        label = len(kept) % 2
        kept[_agreement(rng, split, label)] = (label, False)
    rows = [(text, *facts) for text, facts in kept.items()]
    rng.shuffle(rows)
    texts, labels, depends_on_order = zip(*rows, strict=True)
    return Reviews(list(texts), torch.tensor(labels), torch.tensor(depends_on_order))


def imdb(count: int, seed: int = 0, split: str = "train") -> Reviews:
    """从真实的 IMDB 影评里随机抽 count 条，正负各半；第一次用要从 hub 下载 20 MB 左右，还要装有 pyarrow。

    参数：count，条数，2 的倍数；seed，抽样的种子；split，"train" 或 "test"，各有 25000 条。
    返回：`Reviews`，depends_on_order 是 None。
    环境变量：HF_ENDPOINT 等，与 `hub.fetch` 相同。
    错误：参数不对时抛出 `ValueError`；没有 pyarrow 时抛出 `ModuleNotFoundError`；取不到时抛出 `HubError`，
    都是一句话。从不悄悄换成造出来的影评。
    出处：Maas et al., 2011。
    """
    _check_request(count, 2, split)
    try:
        from pyarrow import parquet
    except ModuleNotFoundError:
        raise ModuleNotFoundError(
            "读 IMDB 的 parquet 文件要用 pyarrow，请先运行 pip install pyarrow。"
        ) from None
    file = fetch_dataset_file(IMDB, f"plain_text/{split}-00000-of-00001.parquet")
    table = parquet.read_table(file).to_pydict()
    rng = random.Random(seed)
    chosen = []
    for label in (0, 1):  # 文件里先是全部负面、后是全部正面，只取开头几条就不是随机样本
        of_label = [i for i, other in enumerate(table["label"]) if other == label]
        chosen += rng.sample(of_label, count // 2)
    rng.shuffle(chosen)
    return Reviews(
        [table["text"][i] for i in chosen], torch.tensor([table["label"][i] for i in chosen]), None
    )


def allowed_words(aspect: str, words: tuple[str, ...], split: str | None) -> list[str]:
    """words（GOOD 或 BAD）里，哪些在这个 split 里与 aspect 搭配；split 是 None 时全部。

    每四种搭配里有一种只归 test；每个方面、每个评价词在两边都出现。
    """
    row = ASPECTS.index(aspect)
    return [w for i, w in enumerate(words) if split is None or ((row + i) % 4 == 0) == (split == "test")]


def _check_request(count: int, multiple: int, split: str) -> None:
    if count < 1 or count % multiple:
        raise ValueError(f"count={count}：条数应当是正的 {multiple} 的倍数，正负才能各半。")
    if split not in SPLITS:
        raise ValueError(f'split={split!r}：只有 "train" 与 "test"。')


def _twins(rng: random.Random, split: str) -> list[tuple[str, tuple[int, bool]]]:
    aspect, other = rng.sample(ASPECTS, 2)
    template = rng.choice(CONTRASTS + CORRECTIONS)
    good, bad = _opinion(rng, aspect, GOOD, split), _opinion(rng, other, BAD, split)
    if template in CORRECTIONS:
        bad = _opinion(rng, aspect, BAD, split)
    else:
        good, bad = f"the {aspect} was {good}", f"the {other} was {bad}"
    template = _with_remark(rng, template)
    return [
        (template.format(aspect=aspect, win=good, lose=bad), (1, True)),
        (template.format(aspect=aspect, win=bad, lose=good), (0, True)),
    ]


def _agreement(rng: random.Random, split: str, label: int) -> str:
    words = GOOD if label else BAD
    clauses = [f"the {aspect} was {_opinion(rng, aspect, words, split)}" for aspect in rng.sample(ASPECTS, 2)]
    return _with_remark(rng, rng.choice(AGREEMENTS)).format(*clauses)


def _opinion(rng: random.Random, aspect: str, words: tuple[str, ...], split: str) -> str:
    return rng.choice(ADVERBS) + rng.choice(allowed_words(aspect, words, split)) + rng.choice(TAILS)


def _with_remark(rng: random.Random, template: str) -> str:
    parts = [template, rng.choice(REMARKS)]
    rng.shuffle(parts)
    return "".join(parts).strip()
