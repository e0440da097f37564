"""行文里填进去的数：用到的都有，有的都用到；量出的来自最近一次的记录。"""

import json
import re

from chapters import ROOT
from course_book.before_reading import numbers_in_prose


def test_every_number_has_its_place():
    pages = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "chapters").glob("*.md"))
    used, known = set(re.findall(r"\{\{ *(\w+) *\}\}", pages)), set(numbers_in_prose.every_number())
    assert not used - known, f"行文里写着，却没有这个数：{used - known}"
    assert not known - used, f"没有哪一页用到，请删去：{known - used}"


def test_numbers_follow_the_record(tmp_path, monkeypatch):
    record = tmp_path / "encoder.json"
    rows = [
        *[("forward", "fp32 (1, 16)", side, share) for side, share in (("我们", 0.9), ("我们，编译", 0.72))],
        *[("forward", "fp32 (32, 128)", side, 1.1) for side in ("我们", "我们，编译")],
        ("forward", "fp32 (1, 16)", "矩阵乘法 ÷ 我们", 0.75),
        ("forward", "fp32 (32, 128)", "矩阵乘法 ÷ 我们", 0.9),
        ("ragged", "fp32，真实词元占 60%", "我们", 0.8),
        ("ragged", "fp32，真实词元占 60%", "我们，按长度分组", 0.4),
        ("forward", "bf16 (1, 16)", "我们", 9.0),
    ]
    cells = [dict(zip(("part", "case", "side", "median"), row, strict=True)) for row in rows]
    record.write_text(json.dumps({"cells": cells}), encoding="utf-8")
    monkeypatch.setattr(numbers_in_prose, "ENCODER", record)
    found = numbers_in_prose.of_the_encoder()
    assert (found["forward_least"], found["forward_most"]) == ("0.90", "1.10")
    assert (found["besides_matmul_short"], found["matmul_long"]) == ("25 %", "90 %")
    assert (found["compiled_short_saves"], found["compiled_batch_saves"]) == ("20 %", "0 %")
    assert (found["ragged_real"], found["grouped_saves"]) == ("60 %", "50 %")
