"""繁体的笔记本：代码与简体的是同一棵语法树，行文与网页换得一样，链接指得到，从头运行得到尾。"""

import ast
import itertools
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from built_book import BOOK
from IPython.core.inputtransformer2 import TransformerManager

from chapters import NOTEBOOKS, ROOT, cells, source
from course_book.after_writing.traditional_notebooks import (
    convert_comments,
    convert_markdown,
    parser,
    to_traditional,
)
from course_book.doctree.addresses import slug
from course_book.doctree.taiwan_chinese import AS_IS
from course_book.doctree.traditional_chinese import HAN

CHINESE = re.compile(f"{HAN.pattern}+")
MARKDOWN = parser()


@pytest.fixture(scope="module")
def converted():
    """文件名 → 换成繁体的各格。"""
    return {
        path.name: to_traditional(json.loads(path.read_text(encoding="utf-8")))["cells"] for path in NOTEBOOKS
    }


def tree(code):
    return ast.dump(ast.parse(TransformerManager().transform_cell(code)))


def code_without_comments(code):
    return re.sub(r"#.*", "", code)


def headings(notebook):
    for cell in notebook:
        if cell["cell_type"] == "markdown":
            tokens = MARKDOWN.parse(source(cell))
            for opening, inline in itertools.pairwise(tokens):
                if opening.type == "heading_open":
                    yield slug("".join(child.content for child in inline.children))


@pytest.mark.parametrize(
    ("simplified", "traditional"),
    [
        ("取第 `i` 行，每**列**之和；运行", "取第 `i` 列，每**行**之和；執行"),
        ("[\\[CLS\\] 与分类](11_cls.ipynb#分类与-cls)", "[\\[CLS\\] 與分類](11_cls.ipynb#分類與-cls)"),
        ("![分数的图](图.png)里 $a\\text{ 行}$", "![分數的圖](圖.png)裡 $a\\text{ 列}$"),
        ("<details><summary>参考解答</summary>\n\n每行之和\n\n</details>", None),
        ("| 形状 | 意思 |\n|---|---|\n| $N\\times d$ | 每行一个 |", "| 形狀 | 意思 |\n|---|---|\n| $N\\times d$ | 每列一個 |"),
    ],
)  # fmt: skip
def test_markdown_keeps_its_marks(simplified, traditional):
    traditional = traditional or "<details><summary>參考解答</summary>\n\n每列之和\n\n</details>"
    assert convert_markdown(simplified, MARKDOWN) == traditional


def test_only_comments_of_code_are_converted():
    code = 'x = "每行之和"  # 每行之和\nprint(f"共 {x} 行")\n# 运行这一行代码\n%pip install -q torch  # 装上'
    assert convert_comments(code) == (
        'x = "每行之和"  # 每列之和\nprint(f"共 {x} 行")\n# 執行這一行程式碼\n%pip install -q torch  # 裝上'
    )


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_code_is_the_same_program(converted, path):
    """格的名字、种类、标签、没有输出，都不变；去掉注释，代码一个字也不差。"""
    before, after = cells(path), converted[path.name]
    assert [{**cell, "source": ""} for cell in before] == [{**cell, "source": ""} for cell in after]
    for old, new in zip(before, after, strict=True):
        if old["cell_type"] == "code":
            assert tree(source(old)) == tree(source(new)), old["id"]
            assert code_without_comments(source(old)) == code_without_comments(source(new)), old["id"]
        assert source(old).count("\n") == source(new).count("\n")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_markup_is_the_same(converted, path):
    """强调、链接、公式、表与列表一样多，次序也一样。"""

    def shape(cell):
        tokens = MARKDOWN.parse(source(cell))
        return [(token.type, [child.type for child in token.children or ()]) for token in tokens]

    for old, new in zip(cells(path), converted[path.name], strict=True):
        if old["cell_type"] == "markdown":
            assert shape(old) == shape(new), old["id"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_no_simplified_character_is_left(converted, path):
    for cell in converted[path.name]:
        text = source(cell)
        if cell["cell_type"] == "code":
            text = "\n".join(re.findall(r"(?m)(?:^|  )#.*", text))
        for kept in AS_IS:
            text = text.replace(kept, "")
        left = [run for run in CHINESE.findall(text) if run != run.encode("big5", "ignore").decode("big5")]
        assert left == [], cell["id"]


def test_links_lead_to_headings(converted):
    """指着一幅图的链接，锚是那一格的编号：成书时换成图号。"""
    anchors = {name: {*headings(cells), *(cell["id"] for cell in cells)} for name, cells in converted.items()}
    found = 0
    for name, notebook in converted.items():
        for cell in notebook:
            if cell["cell_type"] == "markdown":
                for page, anchor in re.findall(r"\]\((\w+\.ipynb)?#([^)]+)\)", source(cell)):
                    found += 1
                    assert anchor in anchors[page or name], (name, cell["id"], anchor)
    assert found > 20


def test_downloads_of_the_traditional_book_are_these():
    """网页上的下载链接就指着它们；Colab 打开的仍是仓库里的那一份。"""
    pages = [path for path in (BOOK / "zh-TW/_sources/chapters").glob("*.ipynb")]
    assert {path.name for path in pages} == {path.name for path in NOTEBOOKS}, "请先运行 make book。"
    for path in NOTEBOOKS:
        page = (BOOK / f"zh-TW/chapters/{path.stem}.html").read_text(encoding="utf-8")
        assert f'href="../_sources/chapters/{path.name}"' in page
        taken = json.loads((BOOK / f"zh-TW/_sources/chapters/{path.name}").read_text(encoding="utf-8"))
        ours = to_traditional(
            json.loads((BOOK / f"_sources/chapters/{path.name}").read_text(encoding="utf-8"))
        )
        assert taken == ours


@pytest.mark.thorough
@pytest.mark.timeout(3600)
def test_they_run(converted, tmp_path):
    """每个从头运行到尾；代码虽然相同，也真的跑一遍。"""
    for path in NOTEBOOKS:
        notebook = json.loads(path.read_text(encoding="utf-8")) | {"cells": converted[path.name]}
        (tmp_path / path.name).write_text(json.dumps(notebook, ensure_ascii=False), encoding="utf-8")
    own = {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    command = [Path(sys.executable).with_name("pytest"), "-q", "-p", "no:cacheprovider", "-n", "logical"]
    done = subprocess.run(
        [*command, "--nbmake", "--nbmake-timeout=400", "."],
        cwd=tmp_path, env=os.environ | own | {"PYTEST_ADDOPTS": ""}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0 and f"{len(NOTEBOOKS)} passed" in done.stdout, done.stdout[-3000:]
