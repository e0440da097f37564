"""别人给的字只是字：标签名、地址、清单里藏着的命令，make 不会去执行。"""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

MAKEFILE = Path(__file__).parents[2] / "Makefile"
# 引号里外各一处，再加 make 自己的写法；前两个在 git 里都是合法的标签名
HOSTILE = """v1";touch hacked;"'`touch hacked`'$(touch hacked)$(shell touch hacked);touch hacked"""
pytestmark = pytest.mark.subprocess


@pytest.fixture
def empty(tmp_path):
    """只有 Makefile 与几个什么也不做的程序，它们把听到的写下来。"""
    shutil.copy(MAKEFILE, tmp_path)
    (tmp_path / "requirements.txt").write_text("torch==1.0\n")
    for folder in (".venv/bin", "_build/mutate/bin", "_build/lock/bin"):
        (tmp_path / folder).mkdir(parents=True)
        for name in ("python", "pip", "jupyter-book", "mutmut", "uv"):
            program = tmp_path / folder / name
            program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" "$BOOK_LANG" >> {tmp_path}/heard\n')
            program.chmod(0o755)
    return tmp_path


def run(folder, target, *options, **variables):
    """运行一个目标；返回那几个程序听到的话。"""
    python = folder / ".venv/bin/python"
    command = [
        "make",
        "-C",
        folder,
        "-o",
        ".venv/ready",
        "-o",
        "browser",
        f"PYTHON={python}",
        target,
        *options,
    ]
    own = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", *variables)}
    subprocess.run(command, env=own | variables, capture_output=True, text=True)
    return (folder / "heard").read_text() if (folder / "heard").exists() else ""


@pytest.mark.parametrize(
    ("target", "variable"),
    [
        ("release", "TAG"),
        ("repo", "URL"),
        ("at-home", "GITHUB_REPOSITORY"),
        ("book", "BOOK_LANG"),
        ("archive", "BOOK_LANG"),
        ("test-versions", "SETS"),
        ("mutate", "MUTANTS"),
        ("wheelhouse", "TORCH_INDEX"),
        ("wheelhouse", "ALSO"),
        ("serve", "PORT"),
        ("lock", "PACKAGE"),
    ],
)
def test_given_words_are_not_executed(empty, target, variable):
    said = run(empty, target, **{variable: HOSTILE})
    assert not (empty / "hacked").exists()
    assert "shell" in said  # 命令运行了，而且一字不差地听到了它


def test_a_tag_arrives_whole(empty):
    assert f"{HOSTILE}\n" in run(empty, "release", TAG=HOSTILE)
    assert "v1.0\n" in run(empty, "release", "TAG=v1.0")
