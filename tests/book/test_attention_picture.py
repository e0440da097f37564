"""首页的注意力图：弧、深浅与数都是真实的权重，由 Hugging Face 的实现另算一遍来比；头是搜出来的，不是随手写下的。"""

import csv
import re
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest
import torch
from bs4 import BeautifulSoup

from course_book.doctree import attention_picture as room
from course_book.doctree.taiwan_chinese import OPENCC
from course_book.doctree.traditional_chinese import convert_html
from course_lib.bert import Bert
from course_lib.unigram import UnigramTokenizer
from course_lib.weights import builtin_multilingual_path, builtin_path, load_bert, load_bert_reference

# 中文的三个头：每种看法十二句用来搜，十二句用来试，词也不同；谁与看谁之间隔着别的词元，词后的数说是第几处
HABITS = Path(__file__).with_name("front_habits.csv")
LEAST = {"代词看名词": 0.25, "动词看宾语": 0.33, "同一个词": 0.5}  # 没有搜过的十二句，平均至少多少
# 同样的前半句，后半句的意思定下它指哪一个：前一种指前一个，后一种指后一个
MEANINGS = [
    ("杯子放不进箱子，", "它太大了。", "它太小了。", "杯子", "箱子"),
    ("猫抓住了老鼠，", "它很高兴。", "它死了。", "猫", "老鼠"),
    ("狗咬了猫，", "它很凶。", "它流血了。", "狗", "猫"),
    ("老师批评了学生，", "他很生气。", "他哭了。", "老师", "学生"),
    ("医生看望病人，", "他很热心。", "他病得很重。", "医生", "病人"),
    ("妈妈抱着女儿，", "她很累。", "她才三岁。", "妈妈", "女儿"),
    ("石头砸坏了窗户，", "它很重。", "它碎了。", "石头", "窗户"),
    ("汽车撞上了大树，", "它开得太快。", "它倒了。", "汽车", "树"),
    ("鸟吃了虫子，", "它飞走了。", "它很好吃。", "鸟", "虫子"),
    ("火车撞了马，", "它停下来。", "它死了。", "火车", "马"),
    ("桌子上放着电视，", "它有四条腿。", "它正在放电影。", "桌子", "电视"),
    ("警察抓住了小偷，", "他穿着制服。", "他偷了钱包。", "警察", "小偷"),
]
# 只差一个代词：前一种指人，后一种指物
PRONOUNS = [
    ("妹妹买了一条裙子，", "她很漂亮。", "它很漂亮。", "妹妹", "裙子"),
    ("爷爷养了一匹马，", "他老了。", "它老了。", "爷爷", "马"),
    ("老师看着大树，", "他很高。", "它很高。", "老师", "树"),
    ("司机开着汽车，", "他走得很慢。", "它走得很慢。", "司机", "汽车"),
    ("女孩抱着猫，", "她睡着了。", "它睡着了。", "女孩", "猫"),
    ("医生放下电话，", "他很安静。", "它很安静。", "医生", "电话"),
    ("工人推着机器，", "他停下来了。", "它停下来了。", "工人", "机器"),
    ("妈妈拿着花，", "她很美。", "它很美。", "妈妈", "花"),
    ("男孩带着狗，", "他饿了。", "它饿了。", "男孩", "狗"),
    ("姐姐画了一只鸟，", "她在唱歌。", "它在唱歌。", "姐姐", "鸟"),
    ("国王坐船，", "他来自北方。", "它来自北方。", "国王", "船"),
    ("学生捡到一只兔子，", "他受伤了。", "它受伤了。", "学生", "兔子"),
]
LANGUAGES = pytest.mark.parametrize("language", room.CHINESE)


@cache
def reference():
    """Hugging Face 的 BERT 读英文的一句：(层, 头, N, N)。"""
    tokenizer, model = load_bert(builtin_path())
    inputs = tokenizer(room.ENGLISH, return_tensors="pt")
    tokens = tokenizer.convert_ids_to_tokens(inputs.input_ids[0])
    with torch.no_grad():
        attentions = model(**inputs, output_attentions=True).attentions
    return tokens, torch.stack(attentions)[:, 0]


@cache
def multilingual():
    path = builtin_multilingual_path()
    return UnigramTokenizer.from_pretrained(path), Bert.from_pretrained(path)


@cache
def reference_in_chinese(language):
    """Hugging Face 的 BertModel 读中文的一句。"""
    inputs = multilingual()[0].batch([room.CHINESE[language]])
    with torch.no_grad():
        output = load_bert_reference(builtin_multilingual_path())(**inputs, output_attentions=True)
    return torch.stack(output.attentions)[:, 0]


@cache
def read(text):
    """一句中文：各个词元在原文里的起止（从编号 1 的词元起），与各层各头的权重。"""
    tokenizer, bert = multilingual()
    with torch.no_grad():
        weights = bert(**tokenizer.batch([text]), need_weights=True).attentions
    return tokenizer.offsets(text), torch.stack(list(weights))[:, 0]


def shown_in(language, text):
    if language == "zh-CN":
        return text
    converted = OPENCC.convert(text)
    assert len(converted) == len(text)
    return converted


def tokens_of(text, simplified, word):
    """`word` 在简体的句子里的第几处，换到 `text` 里是哪几个词元。"""
    name, nth = re.fullmatch(r"(\D+)(\d?)", word).groups()
    start = [match.start() for match in re.finditer(name, simplified)][int(nth or 1) - 1]
    spans, end = read(text)[0], start + len(name)
    return [i for i, (left, right) in enumerate(spans, 1) if left < end and right > start]


def seen(language, sentence, query, key):
    """(层, 头)：`query` 给 `key` 多少。"""
    text = shown_in(language, sentence)
    weights = read(text)[1]
    where, target = (tokens_of(text, sentence, word) for word in (query, key))
    assert min(abs(i - j) for i in where for j in target) > 1  # 隔着别的词元：不是看前一个、后一个
    return weights[:, :, where].mean(2)[..., target].sum(-1)


@cache
def habits(language):
    """看法 → 用来搜的与用来试的，各 (12, 层, 头)。"""
    found = {}
    with HABITS.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            part = found.setdefault(row["习惯"], {"搜": [], "试": []})[row["哪一批"]]
            part.append(seen(language, row["句子"], row["谁"], row["看谁"]))
    return {name: {part: torch.stack(rows) for part, rows in parts.items()} for name, parts in found.items()}


def moves_to_the_second(language, pairs):
    """后半句换了，代词（在逗号后面）在第 8 层第 8 个头里从前一个名词往后一个挪：多少对是这样。"""
    moved = 0
    for opening, first, second, one, other in pairs:
        gaps = []
        for said in (first, second):
            weights = [seen(language, opening + said, said[0], noun)[8, 8] for noun in (one, other)]
            gaps.append(weights[0] - weights[1])
        moved += int(gaps[0] > gaps[1])
    return moved


@cache
def picture():
    return BeautifulSoup(room.picture(), "html.parser")


def test_one_word_one_token():
    tokens, _ = reference()
    assert [word if word.startswith("[") else word.lower() for word in room.english().words] == tokens


def test_the_english_heads_are_found_by_search():
    tokens, weights = reference()
    at = tokens.index
    scores = [
        weights[:, :, at("they"), at("john")] + weights[:, :, at("they"), at("paul")],
        weights[:, :, at("wrote"), at("songs")],
        torch.stack([weights[:, :, i, i - 1] for i in range(1, len(tokens))]).mean(0),
    ]
    found = room.english().heads
    for head, score in zip(found, scores, strict=True):
        assert score[head.layer, head.head] == score.max() and score.max() > 0.6
    assert [tokens[head.word] for head in found] == ["they", "wrote", "songs"]


@LANGUAGES
def test_the_chinese_heads_are_found_on_some_sentences_and_tried_on_others(language):
    """十二句里平均最多的就是它；没有搜过的十二句里，也还有那么多。"""
    for head, (name, parts) in zip(room.chinese(language).heads, habits(language).items(), strict=True):
        searched, fresh = parts["搜"], parts["试"]
        assert len(searched) == len(fresh) == 12
        mean = searched.mean(0)
        assert divmod(int(mean.argmax()), mean.size(1)) == (head.layer, head.head)
        assert fresh.mean(0)[head.layer, head.head] > LEAST[name], name


def test_no_word_of_the_picture_was_tried_before():
    """图上的句子不在搜与试的里面。"""
    assert not set(room.CHINESE.values()) & set(HABITS.read_text(encoding="utf-8").replace(",", "\n").split())


@LANGUAGES
def test_the_habit_is_not_understanding(language):
    """只换代词，十二对都跟着挪；代词不换，只换后半句的意思，就与碰运气差不多。"""
    assert moves_to_the_second(language, PRONOUNS) == 12
    assert moves_to_the_second(language, MEANINGS) <= 7
    # 首页说的一句
    bird, worm = (seen(language, "鸟吃了虫子，它很好吃。", "它", word)[8, 8] for word in ("鸟", "虫子"))
    assert bird > 0.5 > 0.1 > worm


@LANGUAGES
def test_the_chinese_tokens_are_the_pieces_as_written(language):
    reading, tokenizer = room.chinese(language), multilingual()[0]
    sentence = room.CHINESE[language]
    assert "".join(reading.words[2:-1]) == sentence and reading.words[:2] == ("<s>", "▁")
    assert len(reading.words) == len(tokenizer.encode(sentence))
    assert [reading.words[head.word] for head in reading.heads] == ["她", "吃", sentence[-2]]
    # 繁体的书把整幅图再过一遍：各个词元一个字也不变
    if language == "zh-TW":
        drawing = BeautifulSoup(convert_html(room.one_sentence(reading), None), "html.parser")
        labels = [label.get_text() for label in drawing.select(".attention-words label")]
        assert labels == 3 * list(reading.words)


@LANGUAGES
def test_the_chosen_word_looks_most_where_the_label_says(language):
    reading = room.chinese(language)
    she, eat, fish = (head.word for head in reading.heads)
    other = reading.words.index(reading.words[fish])
    for head, key in zip(reading.heads, (reading.words.index("奶奶"), fish, other), strict=True):
        row = reading.weights[head.layer, head.head, head.word]
        assert row.argmax() == key and row[key] > 0.45
    assert eat > she and other < she < fish
    # 隔着别的词元：不是看前一个、后一个
    for head, key in zip(reading.heads, (reading.words.index("奶奶"), fish, other), strict=True):
        assert abs(head.word - key) > 1
        row = reading.weights[head.layer, head.head, head.word]
        assert row[head.word + 1] < row[key] / 2 and row[head.word - 1] < row[key] / 2


@pytest.mark.parametrize("number", range(3))
@pytest.mark.parametrize("name", ["zh-CN", "zh-TW", "en"])
def test_every_arc_and_number_is_a_weight(name, number):
    """看得见的权重一个不少，一个不错；看不见的都小。"""
    weights = reference()[1] if name == "en" else reference_in_chinese(name)
    reading = room.english() if name == "en" else room.chinese(name)
    head = reading.heads[number]
    drawing = BeautifulSoup(room.one_sentence(reading), "html.parser")
    stage = drawing.select(".attention-head")[number]
    inputs = stage.select("input")
    assert [i for i, radio in enumerate(inputs) if radio.has_attr("checked")] == [head.word]
    for query, drawn in enumerate(stage.select(".attention-arcs")):
        row = weights[head.layer, head.head, query].tolist()
        kept = [(key, weight) for key, weight in enumerate(row) if weight >= room.SHOWN]
        assert sum(row) - sum(weight for _, weight in kept) < 0.15 and kept
        for layout in room.LAYOUTS:
            canvas = drawn.select_one(f"svg.attention-{layout.name}")
            tints = canvas.select(".attention-tints use")
            assert [each["href"] for each in tints] == [
                f"#attention-{reading.name}-{layout.name}-{key}" for key, _ in kept
            ]
            for marks in (canvas.select("path"), tints):
                widths = [float(mark["style"].removeprefix("--w:")) for mark in marks]
                assert widths == pytest.approx([weight for _, weight in kept], abs=1e-3)
            written = [float(text.get_text()) for text in canvas.select("text")]
            assert written == pytest.approx([w for w in row if w >= room.NUMBERED], abs=6e-3)
        said = drawn.p.get_text()
        assert said.startswith(reading.words[query]) and " 看 " in said
        top = [float(number) for number in re.findall(r"\d\.\d\d", said)]
        assert top == pytest.approx([w for w in sorted(row)[:-4:-1] if w >= room.NUMBERED], abs=6e-3)
        assert inputs[query]["aria-describedby"] == drawn.p["id"]


def test_the_chinese_sentence_comes_first():
    radios = picture().select("input[name=attention-language]")
    assert [radio["id"] for radio in radios] == ["attention-zh", "attention-en"]
    assert [radio.has_attr("checked") for radio in radios] == [True, False]
    names = [each["id"] for each in picture().select("[id]")]
    assert len(names) == len(set(names))
    assert {each["href"][1:] for each in picture().select("use")} <= set(names)


@pytest.mark.parametrize("layout", room.LAYOUTS, ids=lambda layout: layout.name)
@pytest.mark.parametrize("name", ["zh-CN", "zh-TW", "en"])
def test_the_boxes_stand_in_order_and_apart(layout, name):
    reading = room.english() if name == "en" else room.chinese(name)
    boxes = room.boxes(layout, reading.words)
    assert all(x >= 0 and x + w <= layout.width for x, _, w in boxes)
    assert all(w >= room.CHIP for _, _, w in boxes)  # 手指点得中
    for (x1, y1, w1), (x2, y2, _) in pairwise(boxes):
        assert (y2 == y1 and x2 >= x1 + w1 + layout.gap - 1e-9) or y2 >= y1 + room.CHIP + 40
    assert len({y for _, y, _ in boxes}) == (1 if layout.name == "wide" else 3)


def test_a_split_word_is_refused(monkeypatch):
    monkeypatch.setattr(room, "ENGLISH", "Transformersy wrote John Paul songs they.")
    room.english.cache_clear()
    with pytest.raises(ValueError, match="切成了几截"):
        room.english()
