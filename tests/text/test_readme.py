"""README 说的，仓库里都有：链接、make 的目标、章的表，几章与约多少种可以动手的图。"""

import re

import yaml

from chapters import ROOT
from course_lib.show.explore import NAMES
from course_lib.weights.builtin import MINILM, SMOLLM2

README = (ROOT / "README.md").read_text(encoding="utf8")
BENCH = (ROOT / "bench" / "README.md").read_text(encoding="utf8")
PARTS = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf8"))["parts"]


def test_links_lead_somewhere():
    for folder, text in ((ROOT, README), (ROOT / "bench", BENCH)):
        targets = [link for link in re.findall(r"\]\(([^)]+)\)", text) if "://" not in link]
        assert targets and all((folder / target).exists() for target in targets)


def test_targets_are_in_the_makefile():
    made = set(re.findall(r"(?m)^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf8")))
    told = set(re.findall(r"\bmake ([a-z][a-z-]*)", README + BENCH))
    assert {"book", "test"} <= told <= made


def test_table_lists_the_chapters_in_order():
    rows = re.findall(r"(?m)^\|([^|]*)\| \[.*\]\(([\w/]+)\.(?:ipynb|md)\) \|", README)
    *parts, appendix = PARTS
    files = [(part["caption"], chapter["file"]) for part in parts for chapter in part["chapters"]]
    captions = [name.strip() for name, _ in rows]
    filled = [name or next(n for n in captions[i::-1] if n) for i, name in enumerate(captions)]
    listed = list(zip(filled, (file for _, file in rows), strict=True))
    assert listed == [*files, (appendix["caption"], "chapters/errata")]
    notebooks = [file for _, file in files if (ROOT / f"{file}.ipynb").exists()]
    assert f"{len(notebooks)} 章与一间勘误实验室" in README


def test_builtin_models_are_told_with_their_size():
    front = (ROOT / "chapters" / "index.md").read_text(encoding="utf8")
    for model in (MINILM, SMOLLM2):
        (row,) = [line for line in README.splitlines() if line.startswith(f"| {model.name} |")]
        assert f" {model.size / 1e6:.0f} MB " in row and f"`{model.kind.variable}`" in row
        assert model.name in front and model.kind.variable in front
    assert f" {SMOLLM2.size / 1e6:.0f} MB " in front


def test_about_as_many_explorables_as_promised():
    assert "约二十种可以动手的图" in README and 15 < len(set(NAMES)) < 26
