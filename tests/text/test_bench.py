"""`make bench` 跑得通，比值都在情理之中；快慢取决于机器，不在这里定输赢。"""

import json
import math
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.subprocess
SCRIPT = Path(__file__).parents[2] / "bench" / "encoder.py"


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bench")
    command = [sys.executable, str(SCRIPT), "--quick", "--threads", "1", "--out", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads((folder / "encoder.json").read_text("utf8")), (folder / "encoder.md").read_text("utf8")


def test_every_part_is_measured(found):
    cells = found[0]["cells"]
    assert {cell["part"] for cell in cells} == {
        "forward", "training", "ragged", "generation", "startup", "memory",
    }  # fmt: skip
    assert all(math.isfinite(cell[key]) for cell in cells for key in ("median", "low", "high"))
    assert all(cell["low"] <= cell["median"] <= cell["high"] for cell in cells)


def test_ratios_are_sane(found):
    ratios = {
        (cell["part"], cell["side"]): cell["median"]
        for cell in found[0]["cells"]
        if cell["part"] in ("forward", "training", "ragged") and "毫秒" not in cell["side"]
    }
    ratios.pop(("forward", "我们，每秒千词元"))
    assert {part for part, side in ratios if side == "我们"} == {"forward", "training", "ragged"}
    assert all(0.05 < ratio < 20 for ratio in ratios.values()), ratios


def test_table_names_the_machine_and_the_goals(found):
    report, text = found
    assert report["machine"]["threads"] == 1
    assert report["machine"]["versions"]["torch"] in text
    goals = [cell for cell in report["cells"] if cell["goal"] is not None]
    assert text.count("，目标 ") == len(goals) > 5
    assert text.count("**未达到**") == sum(not cell["met"] for cell in goals)
