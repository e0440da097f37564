"""猜一猜：每个选项点开都有话说，对的只有一个；写错了题得到一句话。"""

import re

import pytest

from course_lib.show.guess import guess

OPTIONS = {"1 < 2": "是。", "1 > 2": "反了。"}


def test_every_option_answers(monkeypatch):
    shown = []
    monkeypatch.setattr("course_lib.show.guess.display", lambda output: shown.append(output.data))
    guess("哪个对？", OPTIONS, right="1 < 2")
    answers = re.findall(r"<summary>(.*?)</summary><p>(.*?)</p>", shown[0])
    assert answers == [("1 &lt; 2", "✓ 是。"), ("1 &gt; 2", "✗ 反了。")]
    assert shown[0].count("class=right") == 1 and "<script" not in shown[0]


def test_right_must_be_an_option():
    with pytest.raises(ValueError, match="对的选项 '3' 不在选项里"):
        guess("哪个对？", OPTIONS, right="3")


def test_no_option_is_silent():
    with pytest.raises(ValueError, match="选项 '1 > 2' 没有说明"):
        guess("哪个对？", OPTIONS | {"1 > 2": " "}, right="1 < 2")
