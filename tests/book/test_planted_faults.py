"""在库的副本里种下一处错，至少有一章要发现它，而且是因为断言，不是因为报错；别处的错由单元测试来发现，发现多少见 make mutate。

每一处错只运行一章的开头，到点名的那一格为止：之前的格都要通过，那一格的断言要失败。
没有改动的库只对照一章；其余各章由 nbmake 从头到尾运行，本来就要通过。
"""

import os
import shutil

import nbformat
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from planted_faults import FAULTS

from chapters import ROOT, file_of


def copy_library(folder, fault=None):
    """把库抄进 folder，种下 fault；返回让子进程与内核用这份副本的环境变量。"""
    for name in ("course_lib", "figures"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    if fault:
        path = folder / "course_lib" / fault.file
        text = path.read_text(encoding="utf8")
        path.write_text(text.replace(fault.old, fault.new), encoding="utf8")
    return os.environ | {"PYTHONPATH": str(folder), "COURSE_BERT": "", "COURSE_LLM": ""}


def run_cells(env, cells):
    """在一个新内核里依次执行，返回在哪一格、因什么失败；都通过就是 (None, None)。"""
    current = None

    def started(cell, cell_index):
        nonlocal current
        current = cell.id

    notebook = nbformat.v4.new_notebook(cells=cells)
    place = {"metadata": {"path": str(ROOT / "chapters")}}
    quiet = ["--log-level=ERROR"]
    client = NotebookClient(
        notebook, timeout=180, resources=place, on_cell_start=started, extra_arguments=quiet
    )
    try:
        client.execute(env=env)
    except CellExecutionError as error:
        return current, error.ename
    return None, None


def opening(cell):
    """一章从头到点名的那一格。"""
    chapter, _, name = cell.partition("#")
    cells = nbformat.read(ROOT / f"chapters/{file_of(chapter)}.ipynb", as_version=4).cells
    ids = [c.id for c in cells]
    return cells[: ids.index(name) + 1]


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_fault_is_noticed(fault, tmp_path):
    env = copy_library(tmp_path, fault)
    assert run_cells(env, opening(fault.cell)) == (fault.cell.partition("#")[2], "AssertionError")


def test_healthy_copy_passes(tmp_path):
    """没有改动的副本，一章的开头通过；用的确实是副本。"""
    env = copy_library(tmp_path)
    where = nbformat.v4.new_code_cell(
        f"import course_lib, pathlib\nassert pathlib.Path(course_lib.__file__).is_relative_to({str(tmp_path)!r})"
    )
    cells = opening(next(iter(FAULTS.values())).cell)
    assert run_cells(env, [*cells, where]) == (None, None)
