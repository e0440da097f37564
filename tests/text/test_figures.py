"""插图：由脚本画出，重画一遍应当逐字节相同；自带标题与替代文字，不大，不引用别处。"""

import runpy
import shutil
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

FIGURES = Path(__file__).parents[2] / "figures"
SCRIPTS = sorted(p for p in (FIGURES / "src").glob("*.py") if p.stem != "canvas")


def test_every_figure_has_its_script():
    assert {p.stem for p in FIGURES.glob("*.svg")} == {p.stem for p in SCRIPTS}


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda p: p.stem)
def test_rebuilds_identically(script, tmp_path, monkeypatch):
    src = tmp_path / "src"
    shutil.copytree(FIGURES / "src", src)
    monkeypatch.syspath_prepend(src)
    monkeypatch.delitem(__import__("sys").modules, "canvas", raising=False)
    runpy.run_path(str(src / script.name))
    assert (tmp_path / f"{script.stem}.svg").read_bytes() == (FIGURES / f"{script.stem}.svg").read_bytes()


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda p: p.stem)
def test_readable_by_everyone(script):
    path = FIGURES / f"{script.stem}.svg"
    assert path.stat().st_size <= 60_000
    root = ET.fromstring(path.read_text(encoding="utf8"))
    assert root.get("role") == "img" and len(root.get("aria-label")) > 20
    assert root.find("{http://www.w3.org/2000/svg}title").text
    text = path.read_text(encoding="utf8").replace("http://www.w3.org/", "")
    assert "http" not in text


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda p: p.stem)
def test_a_figure_that_fits_a_phone_is_legible_there(script):
    """360 像素宽的手机上，正文宽 328。"""
    text = (FIGURES / f"{script.stem}.svg").read_text(encoding="utf8")
    root = ET.fromstring(text)
    if "min-width:0" not in root.get("style"):
        assert "fits_phone" not in script.read_text(encoding="utf8")
        return
    sizes = [float(node.get("font-size")) for node in root.iter("{http://www.w3.org/2000/svg}text")]
    assert min(sizes) * 328 / float(root.get("width")) >= 11
