"""笔记本在仓库里的样子：没有输出，只有必要的元数据，公开地址处处一致，开头写着数出来的分钟。

直接运行就把 `chapters/` 里的笔记本都整理好；`--repo URL` 同时换掉 `_config.yml` 里的公开地址。
"""

import argparse
import json
import re
import sys
from itertools import count
from pathlib import Path

from . import colab_title, reading_time
from .repository import ADDRESS, GITHUB, write_url, written_url

ROOT = Path(__file__).parents[1]

BADGE = re.compile(r"^\[▶ 在 Colab 中打开本章\]\(.*\)\n+", re.M)
SETUP = """\
try:
    from course_lib.show import setup
except ModuleNotFoundError:  # 只带着这一个文件来的，比如在 Colab 里
    %pip install -q git+{url}
    from course_lib.show import setup

setup()"""
# 没有公开的仓库可装
SETUP_AT_HOME = """\
from course_lib.show import setup

setup()"""

# 折叠的参考解答；用笔做的没有代码
SOLUTION = re.compile(
    r"<details>\s*<summary>参考解答</summary>\s*(?:```python\n(?P<code>.*?)```)?.*?</details>\s*", re.S
)
# 只为展示一幅插图的格：代码不必看
FIGURE_ONLY = re.compile(r'(from course_lib\.show import figure\n+)?figure\("\w+"\)')
# 网页里收起的格，JupyterLab 与 VS Code 里也收起来，先看见的是图；Colab 认的是 cellView 与头一行的标题
FOLDED = {"cellView": "form", "jupyter": {"source_hidden": True}}

# language_info 里不写版本；没有它，nbconvert --to script 不知道是 Python，写成 .txt
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {
        "file_extension": ".py",
        "name": "python",
        "nbconvert_exporter": "python",
        "pygments_lexer": "ipython3",
    },
}


def chapters() -> list[Path]:
    return sorted((ROOT / "chapters").glob("*.ipynb"))


def solutions(path: Path) -> list[str]:
    """一章里折叠的参考解答，照先后次序。"""
    cells = json.loads(path.read_text(encoding="utf8"))["cells"]
    texts = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"]
    return [match["code"] for text in texts for match in SOLUTION.finditer(text) if match["code"]]


def colab_link(name: str, url: str | None) -> str | None:
    """Colab 只打得开 GitHub 上的笔记本；仓库在别处，就没有这个链接。"""
    if not url or not url.startswith(GITHUB):
        return None
    return f"{url.replace('github.com', 'colab.research.google.com/github')}/blob/main/chapters/{name}"


def setup_code(url: str | None) -> str:
    return SETUP.format(url=url) if url else SETUP_AT_HOME


def names(cells: list[dict]) -> list[str]:
    """各格的名字：Colab 记在 metadata 里；Kaggle 不记，就编一个谁也不叫的。"""
    given = [cell.get("id") or cell["metadata"].get("id") for cell in cells]
    spare = (name for number in count(1) if (name := f"cell-{number}") not in given)
    return [name or next(spare) for name in given]


def canonical(notebook: dict, name: str, url: str | None) -> str:
    """把笔记本（字典）写成规范的文本；`name` 是文件名，`url` 是仓库的公开地址，没有就不写徽章与安装命令。

    错误：不是第 4 版的，或者哪一格里贴着图片，就抛出 `ValueError`。
    """
    if notebook.get("nbformat", 4) != 4 or "cells" not in notebook:
        raise ValueError("不是第 4 版的笔记本（nbformat 4）：请先用 jupyter nbconvert --to notebook 转换。")
    link, cells, section = colab_link(name, url), [], ""
    spent = str(reading_time.minutes(notebook["cells"]))
    for cell, cell_id in zip(notebook["cells"], names(notebook["cells"]), strict=True):
        if cell.get("attachments"):
            raise ValueError(f"{cell_id} 格里贴着图片，整理时留不住：请存成 figures/ 里的文件，再引用它。")
        source = BADGE.sub("", "".join(cell["source"]).rstrip())
        if cell["cell_type"] == "code":
            source = colab_title.removed(source)
        elif headings := re.findall(r"(?m)^#+ (.+)$", re.sub("(?s)```.*?```", "", source)):
            section = headings[-1]
        if cell_id == "setup":
            source = setup_code(url)
        if link and not cells:  # 徽章在题目与正文之间
            title, _, text = source.partition("\n\n")
            source = f"{title}\n\n[▶ 在 Colab 中打开本章]({link})\n\n{text}"
        if cell["cell_type"] == "markdown":
            source = reading_time.STATED.sub(spent, source)
        tags = cell["metadata"].get("tags", [])
        if cell["cell_type"] == "code" and (cell_id == "setup" or FIGURE_ONLY.fullmatch(source)):
            tags = sorted({*tags, "hide-input"})
        if folded := cell["cell_type"] == "code" and reading_time.FOLDS & {*tags}:
            source = (
                f"# @title {'断言' if 'claims' in tags else colab_title.title_of(source, section)}\n{source}"
            )
        form = {
            "cell_type": cell["cell_type"],
            "id": cell_id,
            "metadata": {**(FOLDED if folded else {}), **({"tags": tags} if tags else {})},
            "source": source.splitlines(keepends=True),
        }
        if cell["cell_type"] == "code":
            form |= {"execution_count": None, "outputs": []}
        cells.append(dict(sorted(form.items())))
    form = {"cells": cells, "metadata": METADATA, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(form, ensure_ascii=False, indent=1) + "\n"


def tidy(path: Path, url: str | None) -> None:
    """整理好一个笔记本；本来就是那样的不去写，成书时才不会又读它一遍。"""
    text = path.read_text(encoding="utf8")
    tidied = canonical(json.loads(text), path.name, url)
    if tidied != text:
        path.write_text(tidied, encoding="utf8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--repo", metavar="URL", help="仓库的公开地址，形如 https://github.com/名字/仓库，或 Gitee 上的"
    )
    url = parser.parse_args().repo
    if url is not None:
        if not (found := ADDRESS.fullmatch(url)):
            sys.exit(f"公开地址应当形如 https://github.com/名字/仓库，或者在 gitee.com 上，这里是 {url!r}。")
        write_url(found[1])
    for path in chapters():
        try:
            tidy(path, written_url())
        except ValueError as error:
            sys.exit(f"{path.name}：{error}")


if __name__ == "__main__":
    main()
