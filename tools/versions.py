"""每个笔记本独自一个文件，`course_lib` 只从 wheel 装来，在几套版本上从头跑到尾；成绩记进 bench/versions.csv。

先装 torch，再装 wheel：装课程不许换掉已经在的 torch，Colab 就是这样的情形。
"""

import argparse
import csv
import datetime
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
import xml.etree.ElementTree as ET
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
WORK = ROOT / "_build" / "versions"
TABLE = ROOT / "bench" / "versions.csv"
SHOWN = ["torch", "transformers", "huggingface-hub", "tokenizers", "numpy", "matplotlib", "scikit-learn"]
ITEMS = ["版本", "日期", "笔记本", "Python", *SHOWN]
RUNNER = ["nbmake", "pytest-xdist[psutil]", "ipykernel"]


def lower_bounds() -> list[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [dependency.replace(">=", "==") for dependency in project["dependencies"]]


def locked() -> list[str]:
    return (ROOT / "requirements.txt").read_text(encoding="utf-8").split()


def torch_of(pins: list[str]) -> str:
    return next(pin for pin in pins if pin.startswith("torch=="))


# 名字 → 说明、先装的 torch、其余各包的限制
SETS = {
    "oldest": ("下限", lambda: torch_of(lower_bounds()), lower_bounds),
    "locked": ("锁定", lambda: torch_of(locked()), locked),
    "colab": ("已有 torch，其余最新", lambda: torch_of(locked()), list),
    "newest": ("最新", lambda: "torch", list),
    "present": ("这台机器上已有的", None, list),
}


def make_environment(name: str) -> Path:
    """建一个新的环境，装好 torch，再装课程的 wheel；返回它的 python。"""
    _, torch, constraints = SETS[name]
    folder = WORK / name
    shutil.rmtree(folder, ignore_errors=True)
    own = ["--system-site-packages"] if torch is None else []
    run(sys.executable, "-m", "venv", *own, folder / "venv")
    python = folder / "venv/bin/python"
    if torch:
        index = os.environ.get("TORCH_INDEX")
        source = ["--no-deps", "--index-url", index] if index else []
        run(python, "-m", "pip", "install", "-q", *source, torch())
    before = torch_files(python)
    wheels = folder / "wheel"
    run(python, "-m", "pip", "wheel", "-q", "--no-deps", "-w", wheels, ROOT)
    (folder / "constraints.txt").write_text("\n".join(constraints()), encoding="utf-8")
    run(
        python, "-m", "pip", "install", "-q", "-c", folder / "constraints.txt", *wheels.glob("*.whl"), *RUNNER
    )
    if torch_files(python) != before:
        sys.exit("装课程的时候换掉了已有的 torch：请放宽 pyproject.toml 里的依赖。")
    return python


def torch_files(python: Path) -> str:
    """已装的 torch：版本、位置与文件清单的散列。"""
    code = (
        "import hashlib, importlib.metadata as m; d = m.distribution('torch');"
        "print(d.version, d.locate_file(''), hashlib.sha256(d.read_text('RECORD').encode()).hexdigest())"
    )
    return run(python, "-c", code, stdout=subprocess.PIPE).stdout


def run_notebooks(python: Path, chapters: list[Path]) -> tuple[int, float]:
    """每个笔记本各在一个空文件夹里运行；返回通过了几个、花了几分钟。"""
    # nbmake 不看 _build 里的笔记本，所以放到别处
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for path in chapters:
            (folder / path.stem).mkdir()
            shutil.copy(path, folder / path.stem)
        (folder / "pytest.ini").write_text("[pytest]\naddopts = --nbmake --nbmake-timeout=600\n")
        code = "import course_lib; print(course_lib.__file__)"
        imported = run(python, "-c", code, cwd=folder, stdout=subprocess.PIPE).stdout.strip()
        if not Path(imported).is_relative_to(python.parents[1]):
            sys.exit(f"运行的不是 wheel 里的 course_lib，而是 {imported}。")
        start = time.monotonic()
        workers = os.environ.get("BOOK_WORKERS", "logical")
        command = [python, "-m", "pytest", "-q", "-n", workers, "--junitxml=report.xml", "--durations=3"]
        subprocess.run(command, cwd=folder, env=clean_environment())
        cases = ET.parse(folder / "report.xml").findall(".//testcase")
    if len(cases) != len(chapters):
        sys.exit(f"应当运行 {len(chapters)} 个笔记本，只运行了 {len(cases)} 个。")
    return sum(not len(case) for case in cases), (time.monotonic() - start) / 60


def clean_environment() -> dict[str, str]:
    """不让仓库里的 course_lib、别的模型混进来。"""
    return {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "COURSE_BERT", "COURSE_LLM")}


def versions(python: Path) -> list[str]:
    found = run(python, "-m", "pip", "list", "--format=json", stdout=subprocess.PIPE).stdout
    by_name = {re.sub("[_.]", "-", p["name"].lower()): p["version"] for p in json.loads(found)}
    return [by_name[name].partition("+")[0] for name in SHOWN]


def record(column: list[str]) -> None:
    """换掉表里同名的一列，次序与 SETS 相同；第一列是各项的名字。"""
    columns = {}
    if TABLE.is_file():
        with TABLE.open(encoding="utf-8", newline="") as file:
            columns = {old[0]: old for old in zip(*csv.reader(file), strict=True)}
    columns[column[0]] = column
    titles = [title for title, *_ in SETS.values() if title in columns]
    with TABLE.open("w", encoding="utf-8", newline="") as file:
        table = zip(ITEMS, *(columns[title] for title in titles), strict=True)
        csv.writer(file, lineterminator="\n").writerows(table)


def run(*command, **options) -> subprocess.CompletedProcess:
    result = subprocess.run(command, text=True, env=clean_environment(), **options)
    if result.returncode:
        sys.exit(f"{' '.join(map(str, command))} 没有成功。")
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("sets", nargs="+", choices=SETS, help="哪几套版本")
    failed = []
    for name in parser.parse_args().sets:
        chapters = sorted((ROOT / "chapters").glob("*.ipynb"))
        python = make_environment(name)
        good, minutes = run_notebooks(python, chapters)
        passed, today = f"{good}/{len(chapters)}", datetime.date.today().isoformat()
        print(f"{SETS[name][0]}：{passed} 个笔记本通过，{minutes:.1f} 分钟。")
        record([SETS[name][0], today, passed, platform.python_version(), *versions(python)])
        failed += [] if good == len(chapters) else [name]
    if failed:
        sys.exit(f"没有全部通过：{'、'.join(failed)}。")


if __name__ == "__main__":
    main()
