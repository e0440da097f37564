"""各章的写法：笔记本文件的形状、章的骨架、行文的规矩。脚本能查的都在这里查。"""

import json
import os
import re
from collections import Counter

import pytest
import yaml

from chapters import CHAPTERS, NOTEBOOKS, PAGES, ROOT, cells, source
from course_book.before_reading.contents import SPENT, opening
from course_book.doctree.addresses import slug
from tools import colab_title, notebook_form, repository

# 每章都这样收尾；前面的各节由故事定
CLOSING = ["小结", "练习", "勘误", "延伸阅读"]
TAGS = {"claims", "hero", "hide-input", "hide-output", "remove-output", "raises-exception", "wide"}
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
# 编辑器起的名字，说不出这一格做什么
NO_NAME = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4,})*|cell-?\d+")
PRINTS = re.compile(r"\bprint\(|plt\.|\bdisplay\(|^\w+$", re.M)
HAN = r"[\u4e00-\u9fff]"
TITLED = re.compile(r"# @title (\S.*)")
# 一章里可以有好几格都叫这个
ANY_NUMBER = {"断言", "准备"}


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


def report(path, problems):
    if problems:
        pytest.fail(f"请改 {path.relative_to(ROOT)}：\n" + "\n".join(problems), pytrace=False)


def test_every_page_is_in_the_contents():
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf8"))
    listed = {toc["root"], *(c["file"] for part in toc["parts"] for c in part["chapters"])}
    wrong = sorted(listed ^ {f"chapters/{p.stem}" for p in NOTEBOOKS + PAGES})
    report(ROOT / "_toc.yml", [f"{name} 在目录里与在 chapters/ 里只有一处" for name in wrong])


@each_notebook
def test_file_is_canonical(path):
    text = path.read_text(encoding="utf8")
    if text != notebook_form.canonical(json.loads(text), path.name, repository.written_url()):
        pytest.fail(
            f"{path.name} 里有输出或多余的元数据，或者地址与 _config.yml 不同：请运行 make format。",
            pytrace=False,
        )


def test_only_untidy_notebooks_are_written(tmp_path):
    path, text = tmp_path / CHAPTERS[0].name, CHAPTERS[0].read_text(encoding="utf8")
    for content in (text, text.replace('"execution_count": null', '"execution_count": 1')):
        path.write_text(content, encoding="utf8")
        os.utime(path, (1, 1))
        notebook_form.tidy(path, repository.written_url())
        assert path.read_text(encoding="utf8") == text
        assert (path.stat().st_mtime == 1) == (content == text)


@each_notebook
def test_cells(path):
    """断言格收成一行，读者看不见：里面要有断言，不许画图，也不许印出什么；MyST 的角色和围栏在 Colab 里显示成原样的符号。"""
    problems, ids = [], [cell["id"] for cell in cells(path)]
    titles = [found[1] for cell in cells(path, "code") if (found := TITLED.match(source(cell)))]
    names = ids + [title for title in titles if title not in ANY_NUMBER]
    problems += [f"有两格都叫 {name}" for name, times in Counter(names).items() if times > 1]
    if cells(path, "code")[0]["id"] != "setup":
        problems.append("头一个代码格应当是 setup")
    for cell in cells(path):
        text, tags, say = source(cell), set(cell["metadata"].get("tags", [])), f"{cell['id']} 一格"
        if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", cell["id"]) or NO_NAME.fullmatch(cell["id"]):
            problems.append(f"{say}要起一个有意义的名字（cell id），小写字母与连字符")
        if not colab_title.removed(text).strip():
            problems.append(f"{say}是空的")
        if tags - TAGS:
            problems.append(f"{say}的标签不在 {'、'.join(sorted(TAGS))} 之内")
        if cell["cell_type"] == "markdown" and re.search(r"```\{|:::|\{\w+\}`", text):
            problems.append(f"{say}用了 MyST 的角色或围栏")
        if "claims" in tags and ("assert" not in text or PRINTS.search(text)):
            problems.append(f"{say}标了 claims，里面要有断言，不许画图、不许印出什么")
        if cell["cell_type"] == "code" and "claims" not in tags:
            wide = [line for line in text.splitlines() if colab_title.columns(line) > 84]
            problems += [f"{say}有一行太宽，书页上放不下：{line}" for line in wide]
        for name in re.findall(r'\bfigure\("(\w+)"\)', text):
            if not (ROOT / "figures" / f"{name}.svg").exists():
                problems.append(f"{say}要的插图 figures/{name}.svg 还没有画")
    report(path, problems)


@each_notebook
def test_colab_shows_no_more_code_than_the_book(path):
    """书收起的格，Colab 也收起：它不认标签，只认 cellView 与头一行的标题。"""

    def lines(hidden):
        return sum(len(cell["source"]) for cell in cells(path, "code") if not hidden(cell))

    book = lines(lambda cell: {"hide-input", "claims"} & {*cell["metadata"].get("tags", [])})
    colab = lines(lambda cell: cell["metadata"].get("cellView") == "form" and TITLED.match(source(cell)))
    assert 0 < colab <= book


CODE_TO_TITLE = {
    'fig.plot()\ncaption("线，越低越好：快。再说。")\ntable(rows, caption="一张表")': "图：线，越低越好：快",
    'table(rows, {"": ""}, caption=f"共 {n} 个，" + more)': "表：共 … 个，…",
    "table(rows, columns)": "表：手算",
    'import a\nfigure("cls_pooling")': "图：三种池化",
    f'guess("上：{"长" * 20}（一，二）；三，四？", {{}}, "")': f"猜一猜：上：{'长' * 20}（一，二）",
    "show_source(Mixture.forward)": "源码：Mixture.forward",
    "a, _ = b\na[0] = 1\ndef f(x):\n    y = x\nx.y = 1": "准备：a、f",
    "import a": "准备",
    "%pip install a": "准备",
}


@pytest.mark.parametrize(("code", "title"), CODE_TO_TITLE.items())
def test_folded_cells_say_what_they_are(code, title):
    """头一幅图、一张表或一问的头一句，不然就是备下的名字；整理两遍与一遍相同，不再收起的就没有标题。"""
    assert colab_title.title_of(code, "手算") == title
    assert colab_title.title_of(code, "深入：手算") == title
    cell = {"cell_type": "code", "id": "a", "metadata": {"tags": ["hide-input"]}, "source": code}
    notebook = {"cells": [cell]}
    once = notebook_form.canonical(notebook, "a.ipynb", None)
    assert notebook_form.canonical(json.loads(once), "a.ipynb", None) == once
    (made,) = json.loads(once)["cells"]
    assert made["metadata"]["cellView"] == "form" and TITLED.match(source(made))
    made["metadata"]["tags"] = []
    (shown,) = json.loads(notebook_form.canonical({"cells": [made]}, "a.ipynb", None))["cells"]
    assert source(shown) == code and shown["metadata"] == {}


@each_chapter
def test_conclusions_lead_to_the_section_that_shows_them(path):
    text = "\n\n".join(source(cell) for cell in cells(path, "markdown"))
    titles = {slug(title.replace("`", "")): title for title in re.findall(r"(?m)^##+ (.+)$", text)}
    lines = re.findall(r"(?m)^- .+$", text.partition("## 小结")[2].partition("\n## ")[0])
    links = [re.search(r"\[→ (.+)\]\(#(.+)\)$", line) for line in lines]
    lost = [
        line
        for line, link in zip(lines, links, strict=True)
        if not link or not titles.get(link[2], "").startswith(link[1])
    ]
    report(path, [f"应当以 [→ 节的标题](#节的标题) 收尾：{line}" for line in lost])
    assert lines


@each_chapter
def test_skeleton(path):
    first = opening(cells(path))
    text = without_code("\n\n".join(source(cell) for cell in cells(path, "markdown"))[len(first) :])
    headings = re.findall(r"(?m)^(#+) (.+)$", text)
    earlier = {other.stem for other in CHAPTERS if other < path}
    first_read = set(re.findall(r"\]\((\d\d_\w+)\.ipynb", first)) - {path.stem}
    wrong = {
        "开头的头一行是题目，写作 # 题目": not first.startswith("# "),
        "开头写明“正文大约几分钟，练习另计几分钟”": not SPENT.search(first),
        f"开头说先读的几章，应当都在它的前面：{first_read - earlier}": first_read - earlier,
        "一章只有一个一级标题": any(level == "#" for level, _ in headings),
        "标题不带编号": any(re.match(r"[\d一二三四五六七八九十]+[.、．\s]", words) for _, words in headings),
        f"收尾的四节与次序是{'、'.join(CLOSING)}": [
            words for level, words in headings if level == "##" and words in CLOSING
        ]
        != CLOSING,
        "练习里要有“**一道没有标准答案的题**”": "**一道没有标准答案的题**" not in text,
    }
    report(path, [problem for problem, found in wrong.items() if found])


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
    report(path, problems)


@pytest.mark.parametrize("path", [p for p in NOTEBOOKS + PAGES if p.stem != "glossary"], ids=lambda p: p.stem)
def test_one_term_per_concept(path):
    """术语表最后一栏里的写法不出现；引号里和勘误一节是在转述别处的说法，不算。"""
    prose = re.sub(r"“[^”]*”|\n## 勘误\n.*?(?=\n## )", "", prose_of(path), flags=re.S)
    wrong = [(row[0], variant) for row in glossary() for variant in filter(None, row[4].split("、"))]
    report(path, [f"“{variant}”应作“{name}”，见术语表" for name, variant in wrong if variant in prose])


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
    targets = [target for target in re.findall(r"\]\(([^)#\s]+)", text) if not target.startswith("http")]
    lost = [target for target in targets if not (path.parent / target).exists()]
    report(path, [f"链接指到的 {target} 不在那里" for target in lost])


def test_tests_say_lasting_names():
    """测试里写 file_of("不变的名字")：章换了次序，一个测试也不用改。"""
    numbered = re.compile("|".join(path.stem for path in CHAPTERS))
    said = {
        path.relative_to(ROOT).as_posix(): numbered.findall(path.read_text(encoding="utf8"))
        for path in sorted((ROOT / "tests").rglob("*"))
        if path.suffix in (".py", ".csv")
    }
    assert {name: found for name, found in said.items() if found} == {}


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


def test_notebooks_from_elsewhere():
    """Colab 把格的名字放在 metadata 里，Kaggle 不写；整理过就与原来的一样，没有名字的编一个。"""
    path, url = CHAPTERS[0], repository.written_url()
    text = path.read_text(encoding="utf8")
    colab, kaggle = json.loads(text), json.loads(text)
    for cell, other in zip(colab["cells"], kaggle["cells"], strict=True):
        cell["metadata"]["id"] = cell.pop("id")
        if other["id"] != "setup":
            del other["id"]
    assert notebook_form.canonical(colab, path.name, url) == text
    tidied = json.loads(notebook_form.canonical(kaggle, path.name, url))
    ids = [cell["id"] for cell in tidied["cells"]]
    assert len(set(ids)) == len(ids) and ids[0] == "cell-1"
    assert [cell["source"] for cell in tidied["cells"]] == [
        cell["source"] for cell in json.loads(text)["cells"]
    ]


def test_a_made_up_name_is_nobodys():
    def form(*ids):
        made = [{"cell_type": "raw", "metadata": {}, "source": ""} | ({"id": id} if id else {}) for id in ids]
        found = json.loads(notebook_form.canonical({"cells": made}, "a.ipynb", None))
        return [cell["id"] for cell in found["cells"]]

    assert form(None, "cell-1") == ["cell-2", "cell-1"]
    assert form("cell-2", None, None) == ["cell-2", "cell-1", "cell-3"]


@pytest.mark.parametrize(
    "old", [{"nbformat": 3, "worksheets": [{"cells": []}]}, {"nbformat": 3, "cells": []}, {}]
)
def test_an_older_notebook_is_named(old):
    with pytest.raises(ValueError, match=r"^不是第 4 版的笔记本（nbformat 4）：请先用 .* 转换。$"):
        notebook_form.canonical({"metadata": {}, **old}, "a.ipynb", None)


def test_notebooks_say_what_they_are_written_in():
    """nbconvert --to script 照它写成 .py，不然是 .txt。"""
    for path in NOTEBOOKS:
        spoken = json.loads(path.read_text(encoding="utf8"))["metadata"]["language_info"]
        assert (spoken["name"], spoken["file_extension"]) == ("python", ".py"), path
        assert spoken["nbconvert_exporter"] == "python"


def test_pasted_pictures_are_refused(monkeypatch, tmp_path):
    """粘进格里的图片不会不声不响地丢掉；整理只写变了的文件。"""
    path = tmp_path / CHAPTERS[0].name
    text = CHAPTERS[0].read_text(encoding="utf8")
    path.write_text(text, encoding="utf8")
    monkeypatch.setattr(notebook_form, "chapters", lambda: [path])
    monkeypatch.setattr("sys.argv", ["notebook_form"])
    stamp = path.stat().st_mtime_ns
    notebook_form.main()
    assert path.stat().st_mtime_ns == stamp
    notebook = json.loads(text)
    notebook["cells"][0]["attachments"] = {"a.png": {"image/png": "iVBO"}}
    path.write_text(json.dumps(notebook), encoding="utf8")
    with pytest.raises(SystemExit, match=f"{path.name}：{notebook['cells'][0]['id']} 格里贴着图片"):
        notebook_form.main()
    assert json.loads(path.read_text(encoding="utf8")) == notebook


@pytest.mark.parametrize("end", ["", ".git", "/", ".git/"])
def test_the_address_is_written_as_people_open_it(monkeypatch, end):
    """克隆用的地址带着 .git，拼成 Colab 的链接就打不开。"""
    written = []
    monkeypatch.setattr(notebook_form, "write_url", written.append)
    monkeypatch.setattr(notebook_form, "chapters", list)
    monkeypatch.setattr("sys.argv", ["notebook_form", "--repo", f"https://github.com/me/my.fork{end}"])
    notebook_form.main()
    assert written == ["https://github.com/me/my.fork"]
    for wrong in ("https://github.com/我/书", "https://example.com/me/fork", "https://github.com/me"):
        monkeypatch.setattr("sys.argv", ["notebook_form", "--repo", wrong])
        with pytest.raises(SystemExit, match="公开地址应当形如"):
            notebook_form.main()
