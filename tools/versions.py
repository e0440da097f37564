"""每个笔记本独自一个文件，`course_lib` 只从 wheel 装来，在几套版本上从头跑到尾；成绩记进 bench/versions.csv。

先装已有的（torch，Colab 的一套还有别的），再装 wheel：装课程不许换掉其中点了名的任何一个，也不许印出红字。
各套用自己的 Python，从 PATH 上找。
"""

import argparse
import csv
import datetime
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
WORK = ROOT / "_build" / "versions"
TABLE = ROOT / "bench" / "versions.csv"
SHOWN = ["torch", "transformers", "huggingface-hub", "tokenizers", "numpy", "matplotlib", "scikit-learn"]
ITEMS = ["版本", "日期", "笔记本", "Python", *SHOWN]
RUNNER = ["nbmake", "pytest-xdist[psutil]", "ipykernel"]
# Colab 公开的清单（2026 年 8 月，Python 3.13）里，课程用到的各包
COLAB = [
    "ipykernel==6.17.1",
    "ipython==7.34.0",
    "torch==2.11.0",
    "transformers==5.15.0",
    "huggingface-hub==1.27.0",
    "tokenizers==0.22.2",
    "numpy==2.1.3",
    "matplotlib==3.10.0",
    "scikit-learn==1.6.1",
]


def lower_bounds() -> list[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [dependency.replace(">=", "==") for dependency in project["dependencies"]]


def locked() -> list[str]:
    return (ROOT / "requirements.txt").read_text(encoding="utf-8").split()


def torch_of(pins: list[str]) -> list[str]:
    return [pin for pin in pins if pin.startswith("torch==")]


class Versions(NamedTuple):
    """一套版本；`python` 是 None，就用正在运行的这一个；`first` 是 None，就用这台机器上已有的。"""

    title: str
    python: str | None
    first: Callable[[], list[str]] | None
    constraints: Callable[[], list[str]] = list


SETS = {
    "oldest": Versions("下限", "3.11", lambda: torch_of(lower_bounds()), lower_bounds),
    "locked": Versions("锁定", None, lambda: torch_of(locked()), locked),
    "colab": Versions("Colab 已有的，其余最新", "3.13", lambda: COLAB),
    "newest": Versions("最新", "3.13", lambda: ["torch"]),
    "present": Versions("这台机器上已有的", None, None),
}


def interpreter(version: str | None) -> str:
    """PATH 上的 `python3.x`，要真能运行：只有 pyenv 的垫片不算。"""
    name = f"python{version}" if version else sys.executable
    try:
        subprocess.run([name, "-c", ""], capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        sys.exit(f"这套版本要在 Python {version} 上跑：请装好它，让命令 {name} 能用。")
    return name


def make_environment(name: str) -> Path:
    """建一个新的环境，装好已有的，再装课程的 wheel；返回它的 python。"""
    chosen = SETS[name]
    folder = WORK / name
    shutil.rmtree(folder, ignore_errors=True)
    own = ["--system-site-packages"] if chosen.first is None else []
    run(interpreter(chosen.python), "-m", "venv", *own, folder / "venv")
    python = folder / "venv/bin/python"
    (folder / "constraints.txt").write_text("\n".join(chosen.constraints()), encoding="utf-8")
    install = [python, "-m", "pip", "install", "-q", "-c", folder / "constraints.txt"]
    first = chosen.first() if chosen.first else []
    if first and (index := os.environ.get("TORCH_INDEX")):
        torch = next(pin for pin in first if pin.startswith("torch"))
        run(*install, "--no-deps", "--index-url", index, torch)
    if first:
        run(*install, *first)
    there = [pin.partition("==")[0] for pin in first]
    before = {name: each for name, each in installed(python).items() if name in there or not first}
    wheels = folder / "wheel"
    run(python, "-m", "pip", "wheel", "-q", "--no-deps", "-w", wheels, ROOT)
    said = run(*install, *wheels.glob("*.whl"), *RUNNER, stderr=subprocess.PIPE).stderr
    print(said, end="", file=sys.stderr)
    if harm := damage(before, installed(python), said):
        sys.exit(f"装课程的时候{harm}：请放宽 pyproject.toml 里的依赖。")
    return python


def damage(before: dict[str, str], after: dict[str, str], said: str) -> str:
    """装课程换掉了什么，或者 pip 印出了什么红字；都没有就是空的。"""
    changed = [f"{name} {old} → {after.get(name)}" for name, old in before.items() if after.get(name) != old]
    errors = [line for line in said.splitlines() if "ERROR" in line]
    return "换掉了" + "、".join(changed) if changed else "".join(errors[:1])


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
    mixed = ("PYTHONPATH", "COURSE_BERT", "COURSE_MULTILINGUAL_BERT", "COURSE_LLM")
    return {k: v for k, v in os.environ.items() if k not in mixed}


def installed(python: Path) -> dict[str, str]:
    """已装的各包：名字 → 版本。"""
    found = run(python, "-m", "pip", "list", "--format=json", stdout=subprocess.PIPE).stdout
    return {re.sub("[_.]", "-", p["name"].lower()): p["version"] for p in json.loads(found)}


def record(column: list[str]) -> None:
    """换掉表里同名的一列，次序与 SETS 相同；第一列是各项的名字。"""
    columns = {}
    if TABLE.is_file():
        with TABLE.open(encoding="utf-8", newline="") as file:
            columns = {old[0]: old for old in zip(*csv.reader(file), strict=True)}
    columns[column[0]] = column
    titles = [each.title for each in SETS.values() if each.title in columns]
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
    names, failed = parser.parse_args().sets, []
    for name in names:  # 缺哪个 Python，一开始就说
        interpreter(SETS[name].python)
    for name in names:
        chapters = sorted((ROOT / "chapters").glob("*.ipynb"))
        python = make_environment(name)
        code = "import platform; print(platform.python_version())"
        version = run(python, "-c", code, stdout=subprocess.PIPE).stdout.strip()
        good, minutes = run_notebooks(python, chapters)
        passed, today = f"{good}/{len(chapters)}", datetime.date.today().isoformat()
        print(f"{SETS[name].title}：{passed} 个笔记本通过，{minutes:.1f} 分钟。")
        found = installed(python)
        shown = [found[package].partition("+")[0] for package in SHOWN]
        record([SETS[name].title, today, passed, version, *shown])
        failed += [] if good == len(chapters) else [name]
    if failed:
        sys.exit(f"没有全部通过：{'、'.join(failed)}。")


if __name__ == "__main__":
    main()
