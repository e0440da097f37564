"""造出来的影评：可复现、不泄漏、词袋必败；真实的 IMDB：只用假的 hub 与假的 parquet 读者。"""

import json
import os
import re
import subprocess
import sys
import types
from collections import Counter

import pytest
import torch
from hub_server import serving_alone
from local_server import closed_port

from course_lib.tasks import reviews as data
from course_lib.tasks.reviews import ASPECTS, BAD, GOOD, imdb, reviews
from course_lib.tokenization import WordPieceTokenizer
from course_lib.weights import HubError, builtin_path


def words(text):
    return re.findall(r"\w+|[.,]", text)


def pairs_in(texts):
    """影评里出现的（方面，评价词）搭配；一句里的评价归它前面最近的方面。"""
    found = set()
    for text in texts:
        aspect = None
        for word in words(text):
            aspect = word if word in ASPECTS else aspect
            if word in GOOD + BAD:
                found.add((aspect, word))
    return found


@pytest.mark.parametrize(("count", "split"), [(4, "train"), (200, "test"), (1200, "train"), (1200, "test")])
def test_balanced_and_distinct(count, split):
    made = reviews(count, split=split)
    assert len(made.texts) == len(set(made.texts)) == len(made.labels) == len(made.depends_on_order) == count
    for chosen in (made.depends_on_order, ~made.depends_on_order):
        assert chosen.sum() == count / 2
        assert made.labels[chosen].sum() == count / 4
    assert made.labels.dtype == torch.int64 and made.depends_on_order.dtype == torch.bool


def test_order_dependent_reviews_come_in_twins():
    """词与标点一个不差，标签相反：只看词袋的分类器在每一对上恰好对一个。"""
    made = reviews(1200)
    bags = {}
    for text, label, depends in zip(*made, strict=True):
        if depends:
            bags.setdefault(frozenset(Counter(words(text)).items()), []).append(int(label))
    assert all(sorted(labels) == [0, 1] * (len(labels) // 2) for labels in bags.values())


def test_easy_reviews_speak_plainly():
    made = reviews(1200)
    for text, label, depends in zip(*made, strict=True):
        good, bad = (sum(word in kind for word in words(text)) for kind in (GOOD, BAD))
        assert (good, bad) == ((1, 1) if depends else (2, 0) if label else (0, 2)), text


def test_label_follows_the_opinion_that_counts():
    """不照搬生成的代码，另写一个读者：哪一句作数由 but、although、not、critics 决定。"""

    def read(text):
        text = re.sub(r"i saw it last night\.|it is not a long film\.", "", text).strip().rstrip(".")
        first, second = re.split(r", but |, ", text, maxsplit=1)
        if ", but " in text or first.startswith("although "):
            counts = second
        elif second.startswith("although "):
            counts = first
        else:
            counts = second if re.search(r"\bnot\b|critics", first) else first
        return int(any(word in GOOD for word in words(counts)))

    made = reviews(1200)
    for text, label, depends in zip(*made, strict=True):
        if depends:
            assert read(text) == label, text


def test_neither_position_nor_a_single_connective_decides():
    """“后一个评价作数”只对一部分；出现 not 与否，正负一样多。"""
    made = reviews(1200)
    last = [next(w for w in reversed(words(t)) if w in GOOD + BAD) in GOOD for t in made.texts]
    order = made.depends_on_order
    assert 0.5 < (torch.tensor(last).long() == made.labels)[order].float().mean() < 0.75
    for connective in ("not", "although", "but", "critics"):
        has = torch.tensor([connective in words(t) for t in made.texts])
        assert has.any() and 0.4 < made.labels[has].float().mean() < 0.6, connective


def test_held_out_combinations():
    train, test = pairs_in(reviews(1200).texts), pairs_in(reviews(1200, split="test").texts)
    assert not train & test
    for part in (train, test):
        assert {aspect for aspect, _ in part} == set(ASPECTS)
        assert {word for _, word in part} == set(GOOD + BAD)


def test_no_review_is_in_both_splits():
    train = {text for seed in range(3) for text in reviews(1200, seed).texts}
    assert not train & {text for seed in range(3) for text in reviews(1200, seed, "test").texts}


def test_every_word_is_one_token_of_the_real_vocabulary():
    tokenizer = WordPieceTokenizer.from_vocab(builtin_path())
    texts = reviews(2000).texts + reviews(2000, split="test").texts
    for word in {word for text in texts for word in words(text)}:
        assert tokenizer.tokenize(word) == [word]
    assert max(len(tokenizer.encode(text)) for text in texts) <= 32


@pytest.mark.subprocess
def test_seed_decides_everything():
    assert reviews(40).texts == reviews(40).texts != reviews(40, seed=1).texts
    code = "from course_lib.tasks.reviews import reviews; r = reviews(40); print(r.texts, r.labels.tolist())"
    # 这个进程的散列种子是随机的，与 1 不同
    elsewhere = subprocess.run(
        [sys.executable, "-c", code], env=os.environ | {"PYTHONHASHSEED": "1"},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert elsewhere.stdout == f"{reviews(40).texts} {reviews(40).labels.tolist()}\n"


@pytest.mark.parametrize(
    ("request_for", "message"),
    [
        (lambda: reviews(0), "count=0"),
        (lambda: reviews(-4), "count=-4"),
        (lambda: reviews(10), "count=10：条数应当是正的 4 的倍数"),
        (lambda: reviews(4, split="dev"), "split='dev'"),
        (lambda: imdb(3), "count=3：条数应当是正的 2 的倍数"),
        (lambda: imdb(2, split="unsupervised"), "split='unsupervised'"),
    ],
)
def test_wrong_requests(request_for, message):
    with pytest.raises(ValueError, match=message):
        request_for()


# ---- 真实的 IMDB ----


@pytest.fixture
def hub(tmp_path, monkeypatch):
    table = {"text": [f"review {i}" for i in range(40)], "label": [0] * 20 + [1] * 20}
    files = {f"{split}-00000-of-00001.parquet": json.dumps(table).encode() for split in data.SPLITS}
    with serving_alone(f"datasets/{data.IMDB}", files, tmp_path, monkeypatch) as server:
        yield server


@pytest.fixture
def parquet(monkeypatch):
    """把 JSON 当 parquet 读的 pyarrow。"""

    class Table:
        def __init__(self, path):
            self.path = path

        def to_pydict(self):
            with open(self.path, encoding="utf-8") as file:
                return json.load(file)

    module = types.ModuleType("pyarrow")
    module.parquet = types.SimpleNamespace(read_table=Table)
    monkeypatch.setitem(sys.modules, "pyarrow", module)


@pytest.mark.subprocess
def test_imdb_is_a_balanced_random_sample(hub, parquet):
    real = imdb(20)
    assert len(set(real.texts)) == 20 and real.labels.sum() == 10 and real.depends_on_order is None
    numbers = [int(text.split()[1]) for text in real.texts]
    assert [n >= 20 for n in numbers] == real.labels.bool().tolist()  # 文本与标签没有错位
    assert sorted(n for n in numbers if n < 20) != list(range(10))  # 不是开头的十条
    assert real.labels.tolist() != sorted(real.labels.tolist())  # 正负混在一起
    assert imdb(20).texts == real.texts != imdb(20, seed=1).texts


@pytest.mark.subprocess
def test_imdb_comes_from_the_cache_when_the_hub_dies(hub, parquet, monkeypatch):
    before = imdb(4, split="test")
    monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{closed_port()}")
    assert imdb(4, split="test").texts == before.texts


@pytest.mark.subprocess
@pytest.mark.parametrize(("fault", "reason"), [("404", "404"), ("500", "500"), ("hang", "超时")])
def test_imdb_says_one_sentence_when_the_hub_fails(hub, parquet, fault, reason):
    hub.fault = fault
    with pytest.raises(HubError) as caught:
        imdb(4)
    message = str(caught.value)
    assert (
        reason in message and hub.endpoint in message and data.IMDB in message and "HF_ENDPOINT=" in message
    )
    assert message.count("。") == 1 and message.endswith("。") and "\n" not in message
    assert caught.value.__cause__ is None and caught.value.__context__ is None


@pytest.mark.subprocess
def test_imdb_says_one_sentence_when_the_hub_is_dead(hub, parquet, monkeypatch):
    monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{closed_port()}")
    with pytest.raises(HubError, match=r"取数据集 stanfordnlp/imdb 失败：连不上"):
        imdb(4)


@pytest.mark.subprocess
def test_imdb_without_pyarrow(hub, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ModuleNotFoundError, match="pip install pyarrow") as caught:
        imdb(4)
    assert caught.value.__suppress_context__ and not hub.requests  # 先说缺什么，再下载
