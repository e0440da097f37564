"""中文日期：另写一个读者去核对，训练与测试不重叠，编号来回不走样。"""

import datetime
import os
import re
import subprocess
import sys
import unicodedata

import pytest
import torch

from course_lib.tasks.dates import BOS, EOS, FORMS, PAD, SOURCE, TARGET, chinese_number, dates


def number(text):
    """不照搬生成的代码，另读一遍：逐位的数字，或带十、廿的数。"""
    digits = {c: i for i, c in enumerate("〇一二三四五六七八九")} | {"零": 0}
    text = "".join(str(digits[c]) if c in digits else c for c in unicodedata.normalize("NFKC", text))
    if text.isdigit():
        return int(text)
    tens, ones = re.fullmatch(r"(\d?十|廿)(\d?)", text).groups()
    return 10 * (2 if tens == "廿" else int(tens.rstrip("十") or 1)) + int(ones or 0)


def read(text):
    year = re.search(r"(.{4})年", text)[1]
    month, day = re.search(r"(?:年|^)([^年（]{1,3})月(.{1,3})[日号]", text).groups()
    return datetime.date(number(year), number(month), number(day))


def pair(text):
    """一个 ISO 日期的（年份末两位，(月, 日)）。"""
    year, month, day = map(int, text.split("-"))
    return year % 100, (month, day)


@pytest.mark.parametrize("split", ["train", "test"])
def test_every_pair_is_the_same_day(split):
    made = dates(3000, split=split)
    assert len(made.sources) == len(made.targets) == len(set(made.sources)) == 3000
    assert [read(text).isoformat() for text in made.sources] == made.targets
    assert {text[:2] for text in made.targets} == {"19", "20"}


def test_the_reader_above_reads_every_form():
    written = [form(2028, 12, 25) for form in FORMS]
    assert written == [
        "二〇二八年十二月二十五日",
        "二零二八年十二月二十五号",
        "公元二〇二八年十二月廿五日",
        "十二月二十五日（二〇二八年）",
        "2028年12月25日",
        "２０２８年１２月２５日",
    ]
    assert {read(text) for text in written} == {datetime.date(2028, 12, 25)}
    assert FORMS[5](1905, 3, 7) == "１９０５年０３月０７日" and FORMS[4](1905, 3, 7) == "1905年3月7日"


def test_every_form_and_every_character_is_used():
    used = "".join(dates(3000).sources)
    assert set(used) == set(SOURCE.characters)
    # 训练里没有出现过的字符，测试里也不许有
    assert set("".join(dates(3000, split="test").sources)) <= set(used)
    heads = [sum(text.startswith(first) for text in dates(3000).sources) for first in ("公元", "2", "２")]
    assert min(heads) > 150


def test_nothing_held_out_is_seen_in_training():
    """测试里的年份末两位、月与日的搭配，训练里一个也没有；可是每个数字在每个位置上都见过。"""
    seen, asked = (dates(3000, split=split).targets for split in ("train", "test"))
    for part in (0, 1):
        assert not {pair(text)[part] for text in seen} & {pair(text)[part] for text in asked}
    for column in range(10):
        assert {text[column] for text in asked} <= {text[column] for text in seen}


def test_leap_days_exist_only_in_leap_years():
    possible = 46920 * len(FORMS)  # “train” 里所有的写法
    everything = dates(possible)
    assert len(set(everything.sources)) == possible and len(set(everything.targets)) == 46920
    leap = {text[:4] for text in everything.targets if text.endswith("02-29")}
    assert {"1904", "2088"} <= leap and "1900" not in leap and all(int(year) % 4 == 0 for year in leap)


@pytest.mark.subprocess
def test_same_seed_same_dates_even_in_another_process():
    program = "from course_lib.tasks.dates import dates; print(dates(5, 3, 'test'))"
    # 这个进程的散列种子是随机的，与 1 不同
    elsewhere = subprocess.run(
        [sys.executable, "-c", program], env=os.environ | {"PYTHONHASHSEED": "1"},
        capture_output=True, text=True, encoding="utf-8", check=True,
    )  # fmt: skip
    assert elsewhere.stdout.strip() == str(dates(5, 3, "test"))
    assert dates(5, 3) != dates(5, 4) and dates(2).targets == ["2016-12-31", "2047-10-14"]


def test_numbers_in_chinese():
    assert [chinese_number(n) for n in (1, 10, 11, 20, 25, 30, 31)] == [
        "一", "十", "十一", "二十", "二十五", "三十", "三十一",
    ]  # fmt: skip
    assert [chinese_number(n, "廿") for n in (9, 20, 29, 30)] == ["九", "廿", "廿九", "三十"]


class TestCharacters:
    def test_ids_are_dense_and_leave_room_for_the_specials(self):
        assert (PAD, BOS, EOS) == (0, 1, 2)
        for table in (SOURCE, TARGET):
            assert sorted(table.encode(table.characters)) == list(range(3, len(table)))

    def test_batch(self):
        batch = TARGET.encode_batch(["2-1", "7"], ends=True)
        assert batch.tolist() == [[1, 5, 13, 4, 2], [1, 10, 2, 0, 0]] and batch.dtype == torch.int64
        assert SOURCE.encode_batch(["年月", "日"]).tolist() == [[3, 4], [5, 0]]

    def test_decode_stops_at_the_end(self):
        assert TARGET.decode([1, 5, 2, 5, 5]) == "2" and TARGET.decode([0, 1, 0]) == ""


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: dates(0), "count=0"),
        (lambda: dates(10**6), "至多取 281520 个"),
        (lambda: dates(17281, split="test"), "至多取 17280 个"),
        (lambda: dates(4, split="dev"), "split='dev'"),
        (lambda: SOURCE.encode("二〇二四年三月初五"), "'初' 不在词表里"),
        (lambda: TARGET.encode_batch(["2024/03/05"]), "'/' 不在词表里"),
        (lambda: SOURCE.encode(""), "字符串是空的"),
        (lambda: SOURCE.encode_batch([]), "一个字符串也没有"),
        (lambda: TARGET.decode([14]), "编号 14 不在 0 到 13 之间"),
        (lambda: TARGET.decode([-1]), "编号 -1 不在"),
        (lambda: chinese_number(0), "0 不在 1 到 39 之间"),
        (lambda: chinese_number(40), "40 不在 1 到 39 之间"),
    ],
)
def test_wrong_requests(wrong, message):
    with pytest.raises(ValueError, match=message):
        wrong()
