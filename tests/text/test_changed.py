"""make check-changed 挑得对：改了什么，就跑直接用到它的。"""

import subprocess

import pytest

from chapters import file_of, page_of
from tools import changed

FFN = f"chapters/{file_of('feed_forward')}.ipynb"


@pytest.mark.parametrize(
    "file",
    [FFN, "course_lib/exercises/topics/feed_forward.py", "figures/feed_forward.svg"],
)
def test_chapters_that_use_a_file_are_chosen(file):
    chapters, _, _ = changed.choose([file])
    assert FFN in chapters and f"chapters/{file_of('jet_tagging')}.ipynb" not in chapters


def test_what_every_chapter_uses_chooses_every_chapter():
    everyone = [f"chapters/{path.name}" for path in changed.CHAPTERS]
    for file in ("course_lib/show/plots.py", "course_lib/__init__.py"):
        assert changed.choose([file])[0] == everyone
    assert (
        len(changed.choose(["course_lib/exercises/__init__.py"])[0]) == len(everyone) - 1
    )  # 勘误实验室没有练习


def test_pages_are_looked_at_in_the_browser():
    chapters, pages, tests = changed.choose(["chapters/glossary.md"])
    assert (chapters, pages) == ([], ["chapters/glossary.html"]) and "tests/browser/test_pages.py" in tests
    assert page_of("feed_forward") in changed.choose([FFN])[1]
    _, pages, tests = changed.choose(["_ext/anything.py"])
    assert len(pages) == len(changed.SAMPLE) and "tests/book" in tests


def test_other_files_choose_nothing():
    assert changed.choose(["README.md", "SECURITY.md", "tests/library/gone.csv"]) == ([], [], [])


def test_every_name_in_the_rules_exists():
    named = [
        *changed.WHOLE_BOOK,
        *changed.ON_EVERY_PAGE,
        *changed.SLOW,
        *changed.ALSO,
        *(test for also in changed.ALSO.values() for test in also),
    ]
    assert [name for name in named if not (changed.ROOT / name).exists()] == []
    for name in changed.SAMPLE:
        assert list((changed.ROOT / "chapters").glob(f"{name}.*")), name


@pytest.mark.subprocess
def test_changes_are_counted_from_where_the_branch_began(tmp_path, monkeypatch):
    monkeypatch.setattr(changed, "ROOT", tmp_path)

    def git(*command):
        who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        subprocess.run(["git", "-C", tmp_path, *who, *command], check=True, capture_output=True)

    def write(name, text):
        (tmp_path / name).write_text(text, encoding="utf-8")

    git("init", "-b", "main")
    for name in ("one", "two", "three"):
        write(name, "")
    git("add", ".")
    git("commit", "-m", "begin")
    git("checkout", "-b", "work")
    write("one", "committed")
    git("commit", "-am", "work")
    write("two", "edited")
    write("四", "new")
    assert changed.changed_files() == ["one", "two", "四"]
    git("checkout", "--force", "main")
    write("three", "main moves on")
    git("commit", "-am", "main")
    git("checkout", "work")
    assert changed.changed_files() == ["one", "四"]
