"""给老师的两套笔记本：学生的一份没有参考解答，答案的一份把解答填在练习格里；其余与各章相同，都能运行。

`make teach` 写到 `_build/teach/`。
"""

import argparse
import ast
import re
import sys
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from tools.notebook_form import ROOT, SOLUTION, chapters

TEACH = ROOT / "_build" / "teach"
ASKED = re.compile(r'\bcheck\("([^"]+)"')
# 学生的一份里没有折叠的解答了
FOLDED = "提示与参考解答都折叠着，先自己试一试。"
HINTS_FOLDED = "提示折叠着，先自己试一试。"


def without_solutions(notebook: NotebookNode) -> NotebookNode:
    """去掉参考解答，别的一字不改；只有解答的一格整个去掉。"""
    notebook = nbformat.from_dict(notebook)
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = SOLUTION.sub("", cell.source).replace(FOLDED, HINTS_FOLDED).strip()
    notebook.cells = [cell for cell in notebook.cells if cell.source]
    return notebook


def with_answers(notebook: NotebookNode) -> NotebookNode:
    """练习格填上解答：解答就在练习格的下一格里，检查的是同样的几道。"""
    solved = without_solutions(notebook)
    answers = {}
    for cell, following in zip(notebook.cells, notebook.cells[1:], strict=False):
        if cell.cell_type == "code" and ASKED.search(cell.source):
            solution = SOLUTION.search(following.source)
            if not solution or ASKED.findall(solution["code"] or "") != ASKED.findall(cell.source):
                raise SystemExit(f"{cell.id} 的下一格里没有它的参考解答。")
            answers[cell.id] = filled(cell.source, solution["code"])
    for cell in solved.cells:
        cell.source = answers.get(cell.id, cell.source)
    return solved


def filled(exercise: str, solution: str) -> str:
    """练习格开头的 import 留着，后面换成解答。"""
    imports = [
        ast.get_source_segment(exercise, node)
        for node in ast.parse(exercise).body
        if isinstance(node, ast.Import | ast.ImportFrom)
    ]
    return "\n".join([*imports, *["\n"] * bool(imports), solution.strip()])


def write(folder: Path = TEACH) -> None:
    for path in chapters():
        notebook = nbformat.read(path, as_version=4)
        if not any(ASKED.search(cell.source) for cell in notebook.cells):
            continue  # 勘误实验室没有练习
        for name, made in (("student", without_solutions(notebook)), ("key", with_answers(notebook))):
            nbformat.validate(made)
            target = folder / name / path.name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(nbformat.writes(made, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"学生的在 {folder / 'student'}，答案在 {folder / 'key'}")


if __name__ == "__main__":
    sys.stdout.reconfigure(errors="replace")  # 印不出汉字的终端
    parser = argparse.ArgumentParser(prog="python -m teach.notebooks", description=__doc__.partition("\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, default=TEACH, metavar="文件夹", help="写到哪里")
    write(parser.parse_args().folder)
