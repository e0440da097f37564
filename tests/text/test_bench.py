"""`make bench` 跑得通，比值都在情理之中；快慢取决于机器，不在这里定输赢。"""

import json
import os
import subprocess
import sys

import pytest

from chapters import ROOT

pytestmark = pytest.mark.subprocess


@pytest.mark.thorough
def test_every_part_is_measured(tmp_path):
    command = [sys.executable, ROOT / "bench/encoder.py", "--quick", "--threads", "1", "--out", tmp_path]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads((tmp_path / "encoder.json").read_text("utf8"))
    assert found["machine"]["threads"] == 1
    parts = {(cell["part"], cell["side"]): cell for cell in found["cells"]}
    assert all(0 < cell["low"] <= cell["median"] <= cell["high"] for cell in parts.values())
    for part in ("forward", "ragged"):
        assert 0.05 < parts[part, "我们"]["median"] < 20
    assert 1 < parts["memory", "最后一次加倍的倍数"]["median"] < 8
    text = (tmp_path / "encoder.md").read_text("utf8")
    assert all(f"（{cell['low']:.3g}–" in text for cell in parts.values() if cell["low"] < cell["high"])
