"""这本书自己的行文：里面只有话，考的两章真的没有读；数次数的模型的概率加起来是 1；书里说的，多训练几次也成立。"""

import re
import tomllib
from itertools import pairwise
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F

from course_book.doctree import taiwan_chinese
from course_lib.config import LanguageModelConfig
from course_lib.language_model import LanguageModel
from course_lib.tasks import this_book as source
from course_lib.tasks.counting import Counting
from course_lib.tasks.this_book import HELD, REST, TUNING, chapters, sentences, this_book

ROOT = Path(__file__).parents[2]
BOOK = this_book()
HAN = re.compile("[\u4e00-\u9fff]")


def test_only_prose_is_left():
    for text in chapters().values():
        for line in text.splitlines():
            assert len(HAN.findall(line)) > 0.4 * len(line), line
            assert not re.search(r"[`$|<>\\{}*#]|\]\(|https?:|\.(ipynb|md|html|py)\b", line), line


@pytest.mark.parametrize(
    "markdown, expected",
    [
        ("# 标题\n\n一句**重**话。", ["标题", "一句重话。"]),
        ("见[掩码](masks.ipynb#x)。", ["见掩码。"]),
        ("- 一条。[→ 去处](#去处)", ["一条。"]),
        ("```python\n# 注释是汉字\n```\n后面。", ["后面。"]),
        ("$$\n\\text{汉字}\n$$\n:::{note}\n提示里的话\n:::\n完。", ["完。"]),
        ("有 `代码` 的一句。\n有 $x$ 的一句。\n| 表 | 格 |\n<summary>提示</summary>", []),
        ("- Vaswani et al., *Attention Is All You Need*, 2017。\n网址 https://example.com 。", []),
    ],
)
def test_what_is_taken_out(markdown, expected):
    assert sentences(markdown) == expected


def test_the_three_parts_are_apart():
    texts = chapters()
    assert {*HELD, *TUNING} < texts.keys() and all(texts.values())
    lines = [line for text in texts.values() for line in text.splitlines()]
    assert len(lines) == len({*lines})  # 套话只有一回，所以三份里没有相同的句子
    held = {line for name in HELD for line in texts[name].splitlines()}
    assert not held & {*BOOK.training.splitlines()}
    assert len(BOOK.training) > 80_000 and len(BOOK.held) > 6_000 and len(BOOK.tuning) > 3_000


def test_an_installed_library_brings_the_chapters():
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]
    included = {path.relative_to(ROOT) for path in ROOT.glob(wheel["targets"]["wheel"]["include"][-1])}
    assert {path.stem.partition("_")[2] for path in included} == chapters().keys()
    assert wheel["targets"]["wheel"]["sources"]["chapters"] == "course_lib/chapters"


def test_the_vocabulary_is_what_is_frequent():
    assert BOOK.words[0] == REST and len(BOOK.words) == len({*BOOK.words}) > 700
    assert {*BOOK.training} == {*BOOK.words} and {*BOOK.held} <= {*BOOK.words}
    assert BOOK.training.count(REST) < 0.01 * len(BOOK.training)
    counts = [BOOK.training.count(word) for word in BOOK.words[1:]]
    assert min(counts) >= 3 and all(a >= b for a, b in pairwise(counts))


def test_the_traditional_book_has_its_own():
    ours = this_book(taiwan_chinese.convert)
    text = "".join(ours[1:])
    assert "詞元" in text and not re.search("[词数们这为么]", text)
    assert abs(len(ours.words) - len(BOOK.words)) < 60


def test_a_kind_word_when_the_chapters_are_not_there(monkeypatch, tmp_path):
    monkeypatch.setattr(source, "FOLDERS", [tmp_path])
    with pytest.raises(FileNotFoundError, match="重新装一次 course_lib"):
        chapters.__wrapped__()


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
def test_a_thousand_steps_draw_level(seed):
    """一千步，两层的网络与数次数的打平；读过的却好得多。"""
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
    assert abs(net_bits - counted) < 0.2
    assert trained < net_bits - 0.6
