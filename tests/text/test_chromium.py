"""`make test` 最先做的事：找浏览器，没有就装，装不上就只说一句话。用假的程序来演练。"""

import shutil
import subprocess
import sys
from pathlib import Path

import chromium
import pytest

SCRIPT = Path(__file__).parents[2] / ".ci/chromium.py"
WORKS, BROKEN = "exit 0", "exit 1"
pytestmark = pytest.mark.subprocess


@pytest.fixture
def machine(tmp_path):
    """一台机器：`bin` 是它的全部程序，课程在 `course` 里，.venv 已有，playwright 什么也下载不到。"""
    (tmp_path / "course/.ci").mkdir(parents=True)
    shutil.copy(SCRIPT, tmp_path / "course/.ci")
    add(tmp_path, "course/.venv/bin/python", f"echo {tmp_path}/own")
    add(tmp_path, "course/.venv/bin/playwright", "echo 一大串出错的经过 >&2; exit 1")
    for name in ("env", "cp"):
        (tmp_path / "bin").mkdir(exist_ok=True)
        (tmp_path / "bin" / name).symlink_to(shutil.which(name))
    return tmp_path


def add(machine, name, text):
    path = machine / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)


def look(machine):
    return subprocess.run(
        [sys.executable, machine / "course/.ci/chromium.py"],
        env={"PATH": str(machine / "bin")}, capture_output=True, text=True,
    )  # fmt: skip


def chosen(machine):
    done = look(machine)
    assert done.returncode == 0, done.stdout + done.stderr
    return Path(done.stdout.split()[-1]).relative_to(machine).as_posix()


def test_system_comes_first(machine):
    add(machine, "own", WORKS)
    assert chosen(machine) == "own"
    add(machine, "bin/google-chrome", WORKS)
    assert chosen(machine) == "bin/google-chrome"
    add(machine, "bin/chromium", WORKS)
    assert chosen(machine) == "bin/chromium"


@pytest.mark.parametrize("text", [BROKEN, 'exec /snap/bin/chromium "$@"'], ids=["坏的", "snap 的替身"])
def test_one_that_does_not_work_is_passed_over(machine, text):
    add(machine, "bin/chromium-browser", text)
    add(machine, "own", WORKS)
    assert chosen(machine) == "own"


def test_snap_is_passed_over(machine):
    add(machine, "snap/bin/chromium", WORKS)
    (machine / "bin/chromium").symlink_to(machine / "snap/bin/chromium")
    add(machine, "own", WORKS)
    assert chosen(machine) == "own"


def test_system_package_is_installed(machine):
    add(machine, "bin/sudo", '[ "$1" = -n ] && shift; exec "$@"')
    add(machine, "ready", WORKS)
    add(
        machine,
        "bin/apt-get",
        f'case "$*" in *"install chromium") cp {machine}/ready {machine}/bin/chromium;; esac',
    )
    assert chosen(machine) == "bin/chromium"


def test_playwright_downloads_where_the_package_does_not_help(machine):
    add(machine, "bin/sudo", '[ "$1" = -n ] && shift; exec "$@"')
    add(machine, "bin/apt-get", "exit 0")
    add(machine, "ready", WORKS)
    add(
        machine,
        "course/.venv/bin/playwright",
        f'[ "$*" = "install --with-deps chromium" ] && cp {machine}/ready {machine}/own',
    )
    assert chosen(machine) == "own"


def test_password_is_never_asked_for(machine, monkeypatch):
    monkeypatch.setenv("PATH", str(machine / "bin"))
    monkeypatch.setattr(chromium.os, "geteuid", lambda: 1000)
    assert chromium.become_root() is None
    add(machine, "bin/sudo", '[ "$1" = -n ] && exit 1; sleep 60')
    assert chromium.become_root() is None
    add(machine, "bin/sudo", "exit 0")
    assert chromium.become_root() == ["sudo", "-n"]


def test_otherwise_one_sentence(machine):
    done = look(machine)
    assert done.returncode == 1
    assert (
        done.stderr.count("\n") == 1
        and "make check" in done.stderr
        and "apt-get install chromium" in done.stderr
    )
    assert "一大串" not in done.stdout + done.stderr
    assert "一大串" in (machine / "course/_build/chromium.log").read_text(encoding="utf-8")
