"""训练出来的数与记录比：在带子与放宽的一段里才算数，不在就说出是哪个数、怎么办。"""

import json

import numpy as np
import pytest
import torch

from course_lib import record
from tools.bands import written

RUNS = [{"asked": {"准": value, "两个": [value, 1.0]}, "unheld": []} for value in (0.9, 0.92, 0.94)]


@pytest.fixture
def kept(tmp_path, monkeypatch):
    monkeypatch.setattr(record, "FOLDER", tmp_path)
    (tmp_path / "one.json").write_text(written(RUNS), encoding="utf-8")
    return record.Record("one")


def test_what_was_recorded_holds(kept):
    for run in RUNS:
        for name, value in run["asked"].items():
            rows = kept.holds(name, value)
            assert np.array_equal(rows[0], value)
            assert np.array_equal(rows[1:], kept.read(name)[1:])


def test_the_margin_is_the_width_or_a_hundredth(kept):
    for value, fits in ((0.861, True), (0.859, False), (0.979, True), (0.981, False)):
        if fits:
            assert kept.holds("准", torch.tensor(value))[0] == pytest.approx(value)
        else:
            with pytest.raises(AssertionError, match=rf"“准”今天是 {value}，.* 0.9 与 0.94 .*make bands"):
                kept.holds("准", value)
    kept.holds("两个", [0.92, 0.991])
    with pytest.raises(AssertionError, match="两个"):
        kept.holds("两个", [0.92, 0.989])


@pytest.mark.parametrize(
    ("name", "value"), [("没有", 0.9), ("准", float("nan")), ("准", [0.9, 0.9]), ("两个", 0.9)]
)
def test_an_unknown_name_and_what_is_no_number(kept, name, value):
    with pytest.raises(ValueError, match=name):
        kept.holds(name, value)


def test_a_chapter_without_a_record(kept):
    with pytest.raises(ValueError, match="make bands"):
        record.Record("two").read("准")


def test_the_file_says_the_band(kept):
    band = json.loads((record.FOLDER / "one.json").read_text(encoding="utf-8"))["runs"]["准"]
    assert band == {"min": 0.9, "mean": 0.92, "max": 0.94, "seeds": [0.9, 0.92, 0.94]}
