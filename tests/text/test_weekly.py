"""每周的那一遍：通过、没有通过、停了、没有跑过、问不到，各说各的；gh 是假的，说别人要它说的话。"""

import json
import sys
from datetime import date

import pytest

from tools import weekly

TODAY = date(2026, 3, 10)


@pytest.mark.parametrize(
    ("day", "conclusion", "kind", "words"),
    [
        ("2026-03-08", "success", "notice", "2026-03-08 全部通过，https"),
        ("2026-03-08", "failure", "warning", "2026-03-08 没有通过，https"),
        ("2026-03-08", "cancelled", "warning", "没有通过"),
        ("2026-02-28", "success", "warning", "全部通过，此后没有再跑"),
    ],
)
def test_the_last_run_is_told(day, conclusion, kind, words):
    run = {"startedAt": f"{day}T04:41:00Z", "conclusion": conclusion, "url": "https://example.org/1"}
    said = weekly.news([run], TODAY)
    assert said.startswith(f"::{kind}::") and words in said and "\n" not in said


@pytest.mark.subprocess
@pytest.mark.parametrize(
    ("answer", "code", "words"),
    [(json.dumps([]), 0, "还没有跑完过"), ("", 1, "问不到"), ("<html>", 0, "问不到"), (None, 0, "问不到")],
)
def test_what_is_not_known_is_only_a_warning(tmp_path, monkeypatch, answer, code, words):
    monkeypatch.setenv("PATH", str(tmp_path))
    if answer is not None:
        gh = tmp_path / "gh"
        gh.write_text(f"#!{sys.executable}\nprint({answer!r})\nraise SystemExit({code})\n")
        gh.chmod(0o755)
    said = weekly.news(weekly.told(), TODAY)
    assert said.startswith("::warning::") and words in said
