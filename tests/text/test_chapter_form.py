"""各章的写法：笔记本文件的形状、章的骨架、行文的规矩。脚本能查的都在这里查。"""

import json
import re
from unicodedata import east_asian_width

import notebook_form
import pytest
import repository
import yaml

from chapters import CHAPTERS, NOTEBOOKS, PAGES, ROOT, cells, source

# 每章都这样收尾；前面的各节由故事定
CLOSING = ["小结", "练习", "勘误", "延伸阅读"]
TAGS = {"claims", "hide-input", "hide-output", "remove-output", "raises-exception"}
FORBIDDEN = {
    "您": "你",
    "变压器": "Transformer",
    "自注意力机制机制": "自注意力机制",
    "最佳的": "（删去夸张）",
    "无可替代": "（删去夸张）",
    "完美地": "（删去夸张）",
    "众所周知": "（删去）",
    "显而易见": "（删去）",
}
HAN = r"[\u4e00-\u9fff]"


def columns(line):
    """一行占几列；汉字占两列。"""
    return sum(2 if east_asian_width(ch) in "WF" else 1 for ch in line)


def without_code(text):
    """去掉代码块、行内代码、公式、链接地址与 HTML 标签，只留行文。"""
    text = re.sub(r"```.*?```|\$\$.*?\$\$", "", text, flags=re.S)
    text = re.sub(r"`[^`\n]*`|\$[^$\n]*\$", "码", text)
    return re.sub(r"\]\([^)]*\)|<[^>]+>", "", text)


def prose_of(path):
    if path.suffix == ".md":
        return without_code(path.read_text(encoding="utf8"))
    return without_code("\n\n".join(source(c) for c in cells(path, "markdown")))


def glossary():
    """术语表的各行：简体、繁体、英文、一句话、不写作。"""
    text = (ROOT / "chapters" / "glossary.md").read_text(encoding="utf8")
    rows = [
        [cell.strip() for cell in row.strip("| ").split("|")] for row in re.findall(r"(?m)^\|.*\|$", text)
    ]
    return [row + [""] * (5 - len(row)) for row in rows[2:]]


each_chapter = pytest.mark.parametrize("path", CHAPTERS, ids=lambda p: p.stem)
each_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
each_page = pytest.mark.parametrize("path", NOTEBOOKS + PAGES, ids=lambda p: p.stem)


def test_there_are_chapters():
    assert CHAPTERS and PAGES


@each_notebook
def test_file_is_canonical(path):
    """`make format` 之后文件不应再变：没有输出，地址与 _config.yml 一致。"""
    text = path.read_text(encoding="utf8")
    assert text == notebook_form.canonical(json.loads(text), path.name, repository.written_url())


@each_notebook
def test_cells(path):
    all_cells = cells(path)
    ids = [c["id"] for c in all_cells]
    assert len(set(ids)) == len(ids)
    for c in all_cells:
        assert re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", c["id"]), c["id"]
        assert not re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4,})*|cell-?\d+", c["id"]), c["id"]
        assert set(c["metadata"].get("tags", [])) <= TAGS, c["id"]
        assert source(c).strip(), c["id"]
    code = [c for c in all_cells if c["cell_type"] == "code"]
    assert code[0]["id"] == "setup"
    shown = [c for c in code if "claims" not in c["metadata"].get("tags", [])]
    too_wide = [line for c in shown for line in source(c).splitlines() if columns(line) > 84]
    assert not too_wide, "代码行太宽，书页上放不下：\n" + "\n".join(too_wide)


@each_chapter
def test_skeleton(path):
    first, *rest = cells(path, "markdown")
    assert source(first).startswith("# ")
    link = notebook_form.colab_link(path.name, repository.written_url())
    assert bool(notebook_form.BADGE.search(source(first))) == (link is not None)
    assert re.search(r"\d+ 分钟", source(first)), "开头要写大约几分钟"
    headings = re.findall(r"(?m)^(#+) (.+)$", without_code("\n\n".join(source(c) for c in rest)))
    assert not [h for level, h in headings if level == "#"], "一章只有一个一级标题"
    assert not [h for _, h in headings if re.match(r"[\d一二三四五六七八九十]+[.、．\s]", h)], "标题不带编号"
    closing = [h for level, h in headings if level == "##" and h in CLOSING]
    assert closing == CLOSING, "收尾的四节与次序"


@each_notebook
def test_claims_only_claim(path):
    """断言格收成一行，读者看不见：里面要有断言，不许画图，也不许印出什么。"""
    for c in cells(path, "code"):
        if "claims" in c["metadata"].get("tags", []):
            assert "assert" in source(c), c["id"]
            assert not re.search(r"\bprint\(|plt\.|\bdisplay\(|^\w+$", source(c), re.M), c["id"]


@each_notebook
def test_only_common_markdown(path):
    """MyST 的角色和围栏在 Colab 里显示成原样的符号。"""
    for c in cells(path, "markdown"):
        assert not re.search(r"```\{|:::|\{\w+\}`", source(c)), c["id"]


@each_page
def test_prose(path):
    prose = prose_of(path)
    problems = [f"“{bad}”应作“{good}”" for bad, good in FORBIDDEN.items() if bad in prose]
    for line in prose.splitlines():
        text = line.strip().strip("|").strip()
        if re.search(rf"{HAN}[A-Za-z0-9]|[A-Za-z0-9]{HAN}", text):
            problems.append(f"中西文之间缺空格：{text}")
        if re.search(rf"[。！？]\*\*|[，；：]\*\*(?={HAN})", text):
            problems.append(f"标点在粗体之内：{text}")
        if not line.startswith("|") and re.search(rf"[。！？](?={HAN})", text):
            problems.append(f"一行不止一句：{text}")
        if re.search(rf"{HAN}[,;:!?]", text):
            problems.append(f"汉字后面用了半角标点：{text}")
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize("path", [p for p in NOTEBOOKS + PAGES if p.stem != "glossary"], ids=lambda p: p.stem)
def test_one_term_per_concept(path):
    """术语表最后一栏里的写法不出现；引号里和勘误一节是在转述别处的说法，不算。"""
    prose = re.sub(r"“[^”]*”|\n## 勘误\n.*?(?=\n## )", "", prose_of(path), flags=re.S)
    assert not [
        f"“{variant}”应作“{row[0]}”"
        for row in glossary()
        for variant in filter(None, row[4].split("、"))
        if variant in prose
    ]


def test_glossary_names_each_concept_once():
    names = [name for row in glossary() for name in row[0].split("、")]
    variants = [variant for row in glossary() for variant in filter(None, row[4].split("、"))]
    assert len(set(names)) == len(names) and len(set(variants)) == len(variants) > 20
    assert not set(names) & set(variants)
    assert all(len(row) == 5 and all(row[:4]) for row in glossary())


@each_page
def test_local_links(path):
    text = (
        path.read_text(encoding="utf8")
        if path.suffix == ".md"
        else "\n".join(map(source, cells(path, "markdown")))
    )
    text = re.sub(r"```.*?```", "", text, flags=re.DOTALL)  # 代码里的 a[0](x) 不是链接
    for target in re.findall(r"\]\(([^)#\s]+)", text):
        if not target.startswith("http"):
            assert (path.parent / target).exists(), target


def test_every_chapter_is_in_the_contents():
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf8"))
    listed = {toc["root"], *(c["file"] for part in toc["parts"] for c in part["chapters"])}
    assert listed == {f"chapters/{p.stem}" for p in NOTEBOOKS + PAGES}


@each_notebook
def test_figures_exist(path):
    for c in cells(path, "code"):
        for name in re.findall(r'\bfigure\("(\w+)"\)', source(c)):
            assert (ROOT / "figures" / f"{name}.svg").exists(), name


def test_repository_url_stands_in_one_place():
    """公开地址只在 _config.yml 里写一次，其余由 `make repo` 派生。"""
    url = repository.written_url()
    for name in ("README.md", "pyproject.toml", "Makefile", "_toc.yml"):
        assert url not in (ROOT / name).read_text(encoding="utf8")


def test_moving_the_repository(tmp_path):
    """换地址之后，徽章与设置格都指向新地址。"""
    path = CHAPTERS[0]
    text = notebook_form.canonical(
        json.loads(path.read_text(encoding="utf8")), path.name, "https://github.com/someone/fork"
    )
    assert f"colab.research.google.com/github/someone/fork/blob/main/chapters/{path.name}" in text
    assert "git+https://github.com/someone/fork" in text
    assert repository.written_url() not in text
