"""插图：由脚本画出，重画一遍应当逐字节相同；自带标题与替代文字，不大，不引用别处。首页卡片上的小图也一样，只是读屏软件跳过它们。"""

import re
import runpy
import shutil
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from course_book.before_reading.contents import pages
from course_lib.show.palette import adapt

FIGURES = Path(__file__).parents[2] / "figures"
SHARED = {"canvas", "miniature"}
SCRIPTS = sorted(p for p in (FIGURES / "src").glob("*.py") if p.stem not in SHARED)
SMALL = sorted((FIGURES / "src/miniatures").glob("*.py"))
DRAWN = sorted(FIGURES.glob("*.svg"))
SVG = "{http://www.w3.org/2000/svg}"


def source(svg):
    """画它的脚本，从 figures/src/ 算起：手机上另有的窄图由同一个脚本画，名字后面加 _narrow。"""
    return svg.relative_to(FIGURES).with_name(svg.stem.removesuffix("_narrow") + ".py")


def relative(script):
    return script.relative_to(FIGURES / "src")


def test_every_figure_has_its_script():
    svgs = DRAWN + sorted((FIGURES / "miniatures").glob("*.svg"))
    assert {source(p) for p in svgs} == {relative(p) for p in SCRIPTS + SMALL}


@pytest.mark.parametrize("script", SCRIPTS + SMALL, ids=lambda p: str(relative(p)))
def test_rebuilds_identically(script, tmp_path, monkeypatch):
    src = tmp_path / "src"
    shutil.copytree(FIGURES / "src", src)
    monkeypatch.syspath_prepend(src)
    for name in SHARED:
        monkeypatch.delitem(sys.modules, name, raising=False)
    runpy.run_path(str(src / relative(script)))
    drawn = {p.relative_to(tmp_path): p.read_bytes() for p in tmp_path.rglob("*.svg")}
    mine = {p.relative_to(FIGURES): p for p in FIGURES.rglob("*.svg") if source(p) == relative(script)}
    assert drawn == {name: p.read_bytes() for name, p in mine.items()} != {}


def test_every_miniature_is_a_page_of_the_book():
    """名字是那一页不带编号的文件名；还没有画的，卡片上只有字。"""
    assert {p.stem for p in SMALL} <= {page.lasting_name for page in pages()}


@pytest.mark.parametrize("script", SMALL, ids=lambda p: p.stem)
def test_a_miniature_is_small_and_silent(script):
    """卡片上一张 120 × 72，几乎不缩：字不小于 11，一字也不出框；颜色都随页面的明暗。"""
    text = (FIGURES / relative(script).with_suffix(".svg")).read_text(encoding="utf8")
    root = ET.fromstring(text)
    assert (root.get("width"), root.get("height")) == ("120", "72") and root.get("aria-hidden") == "true"
    assert len(text) <= 16_000 and not root.findall(f".//{SVG}title")
    letters = [(float(node.get("font-size")), node) for node in root.iter(f"{SVG}text")]
    assert all(size >= 11 and 0 < float(node.get("y")) < 72 for size, node in letters)
    assert re.findall(r"(?<!var\()(?<!,)#[0-9a-f]{6}", adapt(text)) == []
    assert "http" not in text.replace("http://www.w3.org/", "")


@pytest.mark.parametrize("path", DRAWN, ids=lambda p: p.stem)
def test_readable_by_everyone(path):
    assert path.stat().st_size <= 60_000
    root = ET.fromstring(path.read_text(encoding="utf8"))
    role = "img" if root.find(f".//{SVG}a") is None else "group"  # 有链接的，链接也要读得到
    assert root.get("role") == role and len(root.get("aria-label")) > 20
    assert root.find(f"{SVG}title").text
    text = path.read_text(encoding="utf8").replace("http://www.w3.org/", "")
    assert "http" not in text


ON_PHONES = [path for path in DRAWN if not path.with_name(f"{path.stem}_narrow.svg").is_file()]


@pytest.mark.parametrize("path", ON_PHONES, ids=lambda p: p.stem)
def test_what_a_phone_shows_is_legible_there(path):
    """360 像素宽的手机上，正文宽 328。"""
    root = ET.fromstring(path.read_text(encoding="utf8"))
    sizes = [float(node.get("font-size")) for node in root.iter(f"{SVG}text")]
    assert min(sizes) * 328 / float(root.get("width")) >= 11
