"""成书只用本机的文件，不留过期的输出；这里不必成书就能查。"""

import pytest
from sphinx.errors import ConfigError

from course_book.before_reading import local_files

EXECUTION = "_ext/course_book/before_reading/execute_chapters.py"


@pytest.mark.parametrize(
    "name",
    [
        "course_lib/new.py",
        "course_lib/data/new.json",
        "course_lib/exercises/judging.py",
        "figures/new.svg",
        EXECUTION,
    ],
)
def test_library_digest_follows_every_file(tmp_path, monkeypatch, name):
    """库或插图里任何一个文件变了，缓存的文件夹就变；改回来又是原来那个。"""
    monkeypatch.setattr(local_files, "ROOT", tmp_path)
    path = tmp_path / name
    path.parent.mkdir(parents=True)
    digests = []
    for text in ["一", "二", "一"]:
        path.write_text(text, encoding="utf-8")
        digests.append(local_files.library_digest())
    assert digests[0] == digests[2] != digests[1]


@pytest.mark.parametrize("name", ["exercises/topics/feed_forward.py", "show/explorables/depth.js"])
def test_a_hint_or_a_script_executes_no_chapter(tmp_path, monkeypatch, name):
    """章里的练习都还没有写，图的脚本成书时换成共用的：改它们，各章的输出不变。"""
    monkeypatch.setattr(local_files, "ROOT", tmp_path)
    path = tmp_path / "course_lib" / name
    path.parent.mkdir(parents=True)
    before = local_files.library_digest()
    path.write_text("新的", encoding="utf-8")
    assert local_files.library_digest() == before


def test_library_digest_follows_versions(monkeypatch):
    before = local_files.library_digest()
    monkeypatch.setattr(local_files, "distributions", lambda: [])
    assert local_files.library_digest() != before


@pytest.mark.parametrize("variable", ["COURSE_BERT", "COURSE_LLM"])
def test_library_digest_follows_the_chosen_model(monkeypatch, variable):
    monkeypatch.delenv(variable, raising=False)
    before = local_files.library_digest()
    monkeypatch.setenv(variable, "someone/some-model")
    assert local_files.library_digest() != before


def test_missing_package_is_named():
    with pytest.raises(ConfigError, match=r"找不到 no_such_package 里的 a\.js"):
        local_files.package_file("no_such_package", "a.js")


@pytest.mark.parametrize(
    ("repository", "address"),
    [
        ("https://github.com/Someone/book", "https://someone.github.io/book/"),
        ("https://github.com/Someone/someone.github.io", "https://someone.github.io/"),
        ("https://git.example/someone/book", ""),
        ("", ""),
    ],
)
def test_github_gives_a_public_repository_an_address(repository, address):
    assert local_files.pages_address(repository) == address
