"""从各章取行文的办法：只取话；章里写的日期就是取来的那一天；今天的书离它多远。"""

import re
import warnings

import pytest

from chapters import CHAPTERS, cells, source
from course_lib.tasks import this_book
from tools import corpus

DATE, FROZEN = this_book.frozen()
TODAY = corpus.todays()
FAR = 0.3  # 连着的四个字，三成是新的：添了好几章才会；一百多次改动是百分之几


def test_only_prose_is_left():
    for line in "\n".join([*FROZEN.values(), *TODAY.values()]).splitlines():
        assert len(corpus.HAN.findall(line)) > 0.4 * len(line), line
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
    assert corpus.sentences(markdown) == expected


def test_what_is_written_is_read_again(monkeypatch, tmp_path):
    monkeypatch.setattr(this_book, "PATH", tmp_path / "this_book.txt")
    monkeypatch.setattr(corpus, "PATH", this_book.PATH)
    corpus.write(TODAY)
    date, texts = this_book.frozen()
    assert texts == TODAY and [*texts] == [*TODAY] and re.fullmatch(r"\d{4}-\d\d-\d\d", date)
    lines = [line for text in TODAY.values() for line in text.splitlines()]
    assert len(lines) == len({*lines})


def test_how_far_is_counted():
    old = {"甲": "这本书自己的行文"}
    assert corpus.moved(old, old)[0] == 0
    assert corpus.moved(old, {"甲": "这本书自己的行文", "乙": "ＡＢＣＤＥＦＧＨ"})[0] > 0.5


def test_the_chapter_says_the_date_of_what_it_reads():
    """行文里的日期是手写的：换了练习的材料，就要重新跑一遍，改过来。"""
    (chapter,) = (path for path in CHAPTERS if "this_book()" in path.read_text(encoding="utf-8"))
    prose = "\n".join(source(cell) for cell in cells(chapter) if cell["cell_type"] == "markdown")
    year, month, day = map(int, DATE.split("-"))
    said = {*re.findall(r"\d{4} 年 \d+ 月 \d+ 日", prose)}
    assert said == {f"{year} 年 {month} 月 {day} 日"}, (
        f"{chapter.name} 读的是 {DATE} 的行文，写的却是 {said}。"
    )


@pytest.mark.thorough
def test_the_book_has_not_moved_far():
    share, said = corpus.moved(FROZEN, TODAY)
    warnings.warn(f"练习的材料是 {DATE} 的：{said}。", stacklevel=1)  # 通过了也说
    assert share < FAR, (
        f"练习的材料旧了（{said}）：请运行 make corpus，把读它的那一章重新跑一遍，改好里面的数。"
    )
