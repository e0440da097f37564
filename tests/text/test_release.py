"""放到 GitHub 上的一次发布：文件、说明与 SHA-256 对得上；gh 是假的，记下别人要它做什么。"""

import hashlib
import json
import os
import sys

import pytest
import yaml

from course_lib import __version__
from tools import release

TAG = f"v{__version__}"
pytestmark = pytest.mark.subprocess


@pytest.fixture
def build(tmp_path, monkeypatch):
    """一个空的 _build，与一个只把参数写下来的 gh。"""
    gh = tmp_path / "bin/gh"
    gh.parent.mkdir()
    gh.write_text(
        f"#!{sys.executable}\nimport json, sys\njson.dump(sys.argv[1:], open({str(tmp_path / 'said')!r}, 'w'))\n"
    )
    gh.chmod(0o755)
    monkeypatch.setenv("PATH", f"{gh.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(release, "BUILD", tmp_path / "_build")
    for name in ("archive", "pdf"):
        (tmp_path / "_build" / name).mkdir(parents=True)
    return tmp_path / "_build"


def run(tag=TAG):
    with pytest.raises(SystemExit) as end:
        release.main(tag)
    return end.value.code


def test_each_file_has_a_digest(build):
    (build / "archive/transformer-zh-CN.zip").write_bytes(b"one")
    (build / "archive/transformer-zh-TW.zip").write_bytes(b"two")
    (build / "pdf/解析Transformer-繁體.pdf").write_bytes(b"three")
    assert run() == 0
    *options, first, second, third, sums = json.loads((build.parent / "said").read_text(encoding="utf-8"))
    assert options[:4] == ["release", "create", TAG, "--verify-tag"]
    named = dict(line.split("  ")[::-1] for line in (build / "release/SHA256SUMS").read_text().splitlines())
    for asset, content in ((first, b"one"), (second, b"two"), (third, b"three")):
        path, _, label = asset.partition("#")
        name = path.rpartition("/")[2]
        assert name.isascii() and named.pop(name) == hashlib.sha256(content).hexdigest()
        assert ("简体" in label) == ("zh-CN" in name)
    assert named == {} and sums.endswith("/SHA256SUMS")


def test_what_is_missing_is_said(build):
    assert "make archive" in run() and "TAG=" in run("")
    assert "一样" in run("v9.9")
    (build / "archive/book.zip").write_bytes(b"")
    assert "book.zip" in run()


def test_the_version_is_the_same_everywhere():
    root = release.ROOT
    assert yaml.safe_load((root / "CITATION.cff").read_text(encoding="utf-8"))["version"] == __version__
    changes = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    assert changes.partition("\n## ")[2].startswith(__version__)
