"""这本书自己的行文：一个字节也没有变，考的两章真的没有读；数次数的模型的概率加起来是 1；书里说的，多训练几次也成立。"""

import re
from itertools import pairwise

import pytest
import torch
import torch.nn.functional as F

from course_book.doctree import taiwan_chinese
from course_lib.config import LanguageModelConfig
from course_lib.language_model import LanguageModel
from course_lib.tasks import this_book as source
from course_lib.tasks.counting import Counting
from course_lib.tasks.this_book import HELD, REST, TUNING, frozen, this_book

BOOK = this_book()
WRITTEN = source.PATH.read_bytes()


def test_the_three_parts_are_apart():
    _, texts = frozen()
    assert {*HELD, *TUNING} < texts.keys() and all(texts.values())
    lines = [line for text in texts.values() for line in text.splitlines()]
    assert len(lines) == len({*lines})  # 套话只有一回，所以三份里没有相同的句子
    held = {line for name in HELD for line in texts[name].splitlines()}
    assert not held & {*BOOK.training.splitlines()}
    assert len(BOOK.training) > 80_000 and len(BOOK.held) > 6_000 and len(BOOK.tuning) > 3_000


def test_the_vocabulary_is_what_is_frequent():
    assert BOOK.words[0] == REST and len(BOOK.words) == len({*BOOK.words}) > 700
    assert {*BOOK.training} == {*BOOK.words} and {*BOOK.held} <= {*BOOK.words}
    assert BOOK.training.count(REST) < 0.01 * len(BOOK.training)
    counts = [BOOK.training.count(word) for word in BOOK.words[1:]]
    assert min(counts) >= 3 and all(a >= b for a, b in pairwise(counts))


def test_the_traditional_book_has_its_own():
    ours = this_book(taiwan_chinese.convert)
    text = ours.training + ours.tuning + ours.held
    assert "詞元" in text and not re.search("[词数们这为么]", text)
    assert abs(len(ours.words) - len(BOOK.words)) < 60


@pytest.mark.parametrize(
    "spoil",
    [
        lambda old: b"",
        lambda old: old[: old.index(b"\n") // 2],
        lambda old: old[:-100],
        lambda old: old[:-2],  # 断在一个字的中间
        lambda old: old[:5000] + bytes([old[5000] ^ 1]) + old[5001:],
    ],
    ids=["空的", "头一行也不全", "截断", "断在字里", "改了一个字节"],
)
def test_a_kind_word_when_the_text_is_not_what_was_written(spoil, monkeypatch, tmp_path):
    monkeypatch.setattr(source, "PATH", tmp_path / "this_book.txt")
    for _ in range(2):  # 头一回连文件也没有
        with pytest.raises(ValueError, match=r"SHA-256 不符：请照.*重新装一次 course_lib.*git restore"):
            this_book()
        source.PATH.write_bytes(spoil(WRITTEN))
    source.PATH.write_bytes(WRITTEN.replace(b"\n", b"\r\n"))  # 在 Windows 上另存过的，字一个没有变
    assert this_book() == BOOK


@pytest.mark.parametrize("before", [0, 1, 2, 4])
def test_chances_sum_to_one(before):
    model = Counting(BOOK.training[:20_000], BOOK.words, before).tune(BOOK.tuning[:1000])
    for context in ("", "注意力", "没有见过〓〓〓", BOOK.held[50:54]):
        chances = [model.probability(context, word) for word in BOOK.words]
        assert sum(chances) == pytest.approx(1) and min(chances) > 0


def test_counts_by_hand():
    """abab：a 之后两次都是 b；b 之后一次 a。discount 是 0.5。"""
    model = Counting("abab", "abc", 1, 0.5)
    # 退到的一层数的是前面有几种字：a 前面有 b，b 前面有 a，各一种
    lower = {word: (0.5 + 0.5 * 2 / 3) / 2 if word != "c" else (0.5 * 2 / 3) / 2 for word in "abc"}
    assert model.probability("", "c") == pytest.approx(lower["c"])
    assert model.probability("a", "b") == pytest.approx((2 - 0.5 + 0.5 * lower["b"]) / 2)
    assert model.probability("b", "c") == pytest.approx(0.5 * lower["c"])
    assert model.probability("c", "a") == model.probability("", "a")


def test_longer_contexts_help_and_the_end_is_not_used():
    bits = [Counting(BOOK.training, BOOK.words, n).tune(BOOK.tuning).bits(BOOK.held) for n in (0, 1, 2, 4)]
    assert all(a > b for a, b in pairwise(bits))
    assert 7.5 < bits[0] < 8.7 and 5 < bits[3] < 5.7
    shuffled = [BOOK.training[int(i)] for i in torch.randperm(len(BOOK.training))]
    mixed = Counting("".join(shuffled), BOOK.words, 4).tune(BOOK.tuning).bits(BOOK.held)
    assert bits[0] - 0.05 < mixed < bits[0] + 0.4  # 字打乱了，看前面几个字就没有用


@pytest.mark.thorough
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_thousand_steps_come_near(seed):
    """一千步，两层的网络比数次数的还差 0.1 比特；读过的却好得多。"""
    letter = {char: i for i, char in enumerate(BOOK.words)}
    read, unread = (torch.tensor([letter[c] for c in text]) for text in (BOOK.training, BOOK.held))
    torch.manual_seed(seed)
    sizes = {"num_heads": 4, "num_kv_heads": 4, "num_layers": 2, "d_ff": 256, "max_len": 48}
    net = LanguageModel(LanguageModelConfig(len(BOOK.words), 64, **sizes))
    steps = 1000
    optimizer = torch.optim.AdamW(net.parameters(), lr=6e-3, weight_decay=0.0, fused=True)
    losses = []
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = 6e-3 * min(1, (step + 1) / 50) * (1 - step / steps)
        ids = read[torch.randint(len(read) - 48, (16,))[:, None] + torch.arange(49)]
        loss = F.cross_entropy(net(ids[:, :-1]).logits.flatten(0, 1), ids[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
    pages = (len(unread) - 1) // 48 * 48
    with torch.no_grad():
        logits = net(unread[:pages].view(-1, 48)).logits
        net_bits = F.cross_entropy(logits.flatten(0, 1), unread[1 : pages + 1]).item() / 0.6931
    counted = Counting(BOOK.training, BOOK.words, 4).tune(BOOK.tuning).bits(BOOK.held)
    trained = sum(losses[-50:]) / 50 / 0.6931
    print(f"种子 {seed}：网络 {net_bits:.2f}，数次数 {counted:.2f}，读过的 {trained:.2f}")
    assert 0.04 < net_bits - counted < 0.2
    assert trained < net_bits - 0.7
