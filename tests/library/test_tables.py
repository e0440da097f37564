"""表：每栏一个写法，横条与绝对值成比例，负数的空心；写错了说得清。"""

import re

import pytest
import torch

from course_lib.show import table

ROWS = [("sky", torch.tensor(4.28), 3), ("<is>", -1.07, 1)]
COLUMNS = {"词": "", "分数": ".1f", "次数": "d"}


@pytest.fixture
def shown(monkeypatch):
    seen = []
    monkeypatch.setattr("course_lib.show.tables.display", lambda made: seen.append(made.data))

    def show(*args, **options):
        table(*args, **options)
        return seen[-1]

    return show


def test_each_column_has_its_own_form(shown):
    page = shown(ROWS, COLUMNS, caption="一句话")
    assert re.findall(r"<td[^>]*>(.*?)</td>", page) == ["sky", "4.3", "3", "&lt;is&gt;", "−1.1", "1"]
    assert page.count('class="number"') == 6 and "<caption>一句话</caption>" in page


def test_a_column_without_a_name_has_no_empty_header(shown):
    head = shown([("a", 1)], {"": "", "数": "d"}).partition("</thead>")[0]
    assert head.endswith('<tr><td></td><th scope="col" class="number">数</th></tr>')


def test_bars_are_in_proportion_and_hollow_below_zero(shown):
    page = shown(ROWS, COLUMNS, bars={"分数": "query"})
    bars = re.findall(r'<i( class="below")? style="--share:([\d.]+);--hue:var\(--query\)">', page)
    assert bars == [("", "1.000"), (' class="below"', "0.250")]


def test_nothing_and_zeros_are_drawn(shown):
    assert "<tbody></tbody>" in shown([], COLUMNS, bars={"分数": "ink"})
    assert "--share:0.000" in shown([("a", 0.0, 0)], COLUMNS, bars={"分数": "ink"})


@pytest.mark.parametrize(
    ("rows", "bars", "said"),
    [
        (ROWS, {"重量": "ink"}, "要画横条的 '重量' 不在各栏里：词、分数、次数。"),
        (ROWS, {"分数": "red"}, "没有名叫 'red' 的颜色"),
        ([("a", 1.0)], {}, "应当有 3 个值"),
    ],
)
def test_what_is_wrong_is_said(shown, rows, bars, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        shown(rows, COLUMNS, bars=bars)
