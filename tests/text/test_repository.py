"""公开地址从哪里来：`origin`，其次 `_config.yml`；占位的不算。"""

import shutil
import subprocess

import pytest

from tools import repository

pytestmark = pytest.mark.subprocess
CONFIG = "title: 书\nrepository:\n  url: {}\n  branch: main\n"


@pytest.fixture
def course(tmp_path, monkeypatch):
    """一门还没有公开地址的课。"""
    (tmp_path / "_config.yml").write_text(CONFIG.format(repository.PLACEHOLDER), encoding="utf-8")
    monkeypatch.setattr(repository, "ROOT", tmp_path)
    monkeypatch.setattr(repository, "CONFIG", tmp_path / "_config.yml")
    return tmp_path


def set_remote(folder, url):
    shutil.rmtree(folder / ".git", ignore_errors=True)
    subprocess.run(["git", "init", "-q", folder], check=True)
    subprocess.run(["git", "-C", folder, "remote", "add", "origin", url], check=True)


def test_placeholder_is_no_address(course):
    assert repository.public_url() is None
    repository.write_url("https://github.com/me/course")
    assert repository.public_url() == "https://github.com/me/course"
    assert (course / "_config.yml").read_text(encoding="utf-8") == CONFIG.format(
        "https://github.com/me/course"
    )


@pytest.mark.parametrize(
    "remote",
    [
        "https://github.com/me/my.course",
        "https://github.com/me/my.course.git",
        "https://token@github.com/me/my.course.git",
        "git@github.com:me/my.course.git",
        "ssh://git@github.com/me/my.course.git",
    ],
)
def test_public_remote_comes_first(course, remote):
    repository.write_url("https://github.com/them/course")
    set_remote(course, remote)
    assert repository.public_url() == "https://github.com/me/my.course"
    set_remote(course, remote.replace("github.com", "gitee.com"))
    assert repository.public_url() == "https://gitee.com/me/my.course"


@pytest.mark.parametrize(
    "remote", ["/srv/course.git", "https://git.example.org/me/course", "git@host:me/course"]
)
def test_private_remote_says_nothing(course, remote):
    set_remote(course, remote)
    assert repository.public_url() is None


def test_a_folder_inside_another_repository_is_not_that_repository(course, monkeypatch):
    set_remote(course, "https://github.com/me/everything")
    (course / "inner").mkdir()
    monkeypatch.setattr(repository, "ROOT", course / "inner")
    assert repository.public_url() is None


def test_workflow_runs_only_at_home(course):
    with pytest.raises(
        SystemExit, match=r"OWNER/REPO，而这里是 https://github.com/me/course：请运行 make repo URL="
    ):
        repository.check_home("me/course")
    repository.write_url("https://github.com/Me/course")
    repository.check_home("me/Course")  # GitHub 不分大小写
