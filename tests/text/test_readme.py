"""README 与 CONTRIBUTING 说的，仓库里都有：链接、文件夹、make 的目标。"""

import re

import pytest

from chapters import ROOT

PAGES = ["README.md", "CONTRIBUTING.md", "bench/README.md", "chapters/running.md"]


@pytest.mark.parametrize("name", PAGES)
def test_what_it_names_is_there(name):
    path = ROOT / name
    text = path.read_text(encoding="utf8")
    targets = [link.partition("#")[0] for link in re.findall(r"\]\(([^)]+)\)", text) if "://" not in link]
    assert targets or name != "README.md"
    lost = [target for target in targets if target and not (path.parent / target).exists()]
    folders = re.findall(
        r"`((?:_ext|chapters|course_lib|tests|tools|teach|live|bench|figures)/[\w./]*)`", text
    )
    lost += [
        folder
        for folder in folders
        if not (ROOT / folder).exists() and not re.search("名字|主题|NN_", folder)
    ]
    made = set(re.findall(r"(?m)^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf8")))
    lost += [f"make {target}" for target in re.findall(r"\bmake ([a-z][a-z-]*)", text) if target not in made]
    assert not lost, f"{name} 里说到、仓库里却没有的：{'、'.join(lost)}"
