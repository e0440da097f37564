"""“打开 BERT”与“打开一个大语言模型”的对照表：两边的名字都真的有。"""

import inspect
import re

import pytest
import torch

from chapters import ROOT
from course_lib import attention, bert, encoder, language_model, layers

SCRIPTS = {"live": "live/bert/bert.js", "llm": "live/llm/language_model.js"}
MODULES = {
    "live": [attention, bert, encoder, layers, torch],
    "llm": [language_model],
}


@pytest.mark.parametrize("page", SCRIPTS)
def test_both_names_exist(page):
    script = (ROOT / SCRIPTS[page]).read_text(encoding="utf-8")
    text = (ROOT / f"chapters/{page}.md").read_text(encoding="utf-8")
    names = re.findall(r"(?m)^\| [^|]+ \| `([\w.]+)` \| `(\w+)` \|$", text)
    assert names
    for python, name in names:
        holder = next(m for m in MODULES[page] if hasattr(m, python.partition(".")[0]))
        for part in python.split("."):
            holder = getattr(holder, part)
        assert inspect.isfunction(holder) or inspect.isclass(holder)
        assert re.search(rf"function {name}\(|const {name} = ", script), name
