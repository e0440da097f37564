"""`make test` 最先做的事：找浏览器与中文字体，没有就装，装不上就只说一句话。用假的程序来演练。"""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tools import chromium

SCRIPT = Path(__file__).parents[2] / "tools/chromium.py"
WORKS, BROKEN = "exit 0", "exit 1"
pytestmark = [pytest.mark.subprocess, pytest.mark.guards("tools/chromium.py")]


@pytest.fixture
def machine(tmp_path):
    """一台机器：`bin` 是它的全部程序，课程在 `course` 里，.venv 已有，playwright 什么也下载不到。"""
    (tmp_path / "course/tools").mkdir(parents=True)
    shutil.copy(SCRIPT, tmp_path / "course/tools")
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
        [sys.executable, machine / "course/tools/chromium.py"],
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


# 问它汉字画成什么样：有了 fonts 这个文件才不是空框
WITHOUT_FONT = '[ -e {machine}/fonts ] && kinds=4 || kinds=1; echo "<title>$kinds</title>"'


@pytest.mark.parametrize(("apt", "installed"), [(": > {machine}/fonts", True), ("exit 1", False)])
def test_a_chinese_font_is_looked_for_too(machine, apt, installed):
    add(machine, "bin/chromium", WITHOUT_FONT.format(machine=machine))
    add(machine, "bin/sudo", '[ "$1" = -n ] && shift; exec "$@"')
    apt = f'case "$*" in *"install fonts-noto-cjk") {apt.format(machine=machine)};; esac'
    add(machine, "bin/apt-get", apt)
    if installed:
        assert chosen(machine) == "bin/chromium" and (machine / "fonts").exists()
    else:
        assert_one_sentence(look(machine), "apt-get install fonts-noto-cjk")


def test_the_real_browser_tells_boxes_from_characters(tmp_path, monkeypatch):
    path = chromium.find() or pytest.skip("这台机器上没有 Chromium")
    assert not chromium.draws_boxes(path)
    nothing = '<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd"><fontconfig></fontconfig>'
    (tmp_path / "fonts.conf").write_text(nothing)
    monkeypatch.setenv("FONTCONFIG_FILE", str(tmp_path / "fonts.conf"))
    assert chromium.draws_boxes(path)


def assert_one_sentence(done, *said):
    assert done.returncode == 1 and done.stderr.count("\n") == 1
    assert all(words in done.stderr for words in ("make check", *said))


def test_otherwise_one_sentence(machine):
    done = look(machine)
    assert_one_sentence(done, "apt-get install chromium")
    assert "一大串" not in done.stdout + done.stderr
    assert "一大串" in (machine / "course/_build/chromium.log").read_text(encoding="utf-8")
