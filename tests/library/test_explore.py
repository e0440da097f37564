"""可以动手的图：写出的 HTML 自成一体，数不多不少；错的名字得到一句话。"""

import json
import re

import pytest
import torch

from course_lib.show.explore import NAMES, explore, page, plain

DATA = re.compile(r'<script type="application/json">(.*?)</script>', re.S)


def test_unknown_name():
    with pytest.raises(ValueError, match=f"没有名叫 'nothing' 的可以动手的图，现有：{'、'.join(NAMES)}"):
        explore("nothing", "说明")


@pytest.mark.parametrize("name", NAMES)
def test_page_carries_everything_and_asks_nobody(name):
    text = page(name, "说明", {"tokens": ["a"]})
    assert f'data-explore="{name}"' in text and "noscript" in text and f'Explore.define("{name}"' in text
    assert not re.search(r"\b(src|href)=|https?://(?!www\.w3\.org)|fetch\(|import\(", text)


def test_markup_in_data_stays_data():
    text = page("mask", "a < b & c", {"tokens": ["</script><img src=x>", "b"]})
    assert "<img" not in text and json.loads(DATA.search(text)[1])["tokens"][0] == "</script><img src=x>"
    assert "<figcaption>a &lt; b &amp; c</figcaption>" in text


def test_numbers_are_short_and_json_has_no_nan():
    data = {"w": torch.tensor([[1 / 3, -torch.inf]]), 4: [torch.nan, 2], "mask": torch.tensor([True])}
    assert plain(data) == {"w": [[0.33333, None]], "4": [None, 2], "mask": [True]}


def test_displays_html(monkeypatch):
    shown = []
    monkeypatch.setattr("course_lib.show.explore.display", lambda output: shown.append(output.data))
    explore("mask", "说明", tokens=["a"], scores=torch.zeros(1, 1), padding=[False])
    assert shown == [page("mask", "说明", {"tokens": ["a"], "scores": [[0.0]], "padding": [False]})]
