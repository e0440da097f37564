"""成书只用本机的文件；这里不必成书就能查。"""

import pytest
from sphinx.errors import ConfigError

from course_book.before_reading import local_files


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
