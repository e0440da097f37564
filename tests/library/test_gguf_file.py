"""同一个 GGUF 文件只解析一次；换了内容就重新解析，打不开的不记下来。"""

import os

import pytest
from gguf import GGUFWriter

from course_lib.weights.gguf_file import open_gguf

pytestmark = pytest.mark.guards("course_lib/weights")


def write(path, name, moment):
    """只有一个名字的文件，改动的时刻由我们定。"""
    writer = GGUFWriter(path, "llama")
    writer.add_name(name)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()
    os.utime(path, ns=(moment, moment))
    return path


def name(path):
    return open_gguf(path).fields["general.name"]


def test_parsed_once_until_it_changes(tmp_path):
    path = write(tmp_path / "model.gguf", "a", 1)
    first = open_gguf(path)
    assert open_gguf(str(path)) is first and name(path) == "a"
    write(path, "b", 2)
    assert name(path) == "b"
    write(path, "bb", 2)  # 连时刻一起拷来的，时刻可以相同
    assert name(path) == "bb"
    os.replace(write(tmp_path / "other.gguf", "cc", 2), path)  # 大小也可以
    assert name(path) == "cc"


def test_what_could_not_be_opened_is_tried_again(tmp_path):
    path = write(tmp_path / "model.gguf", "a", 1)
    whole = path.read_bytes()
    path.write_bytes(whole[:40])
    with pytest.raises(Exception):  # noqa: B017  在哪里断，就抛出哪里的异常
        open_gguf(path)
    path.write_bytes(whole)
    assert name(path) == "a"


def test_the_working_folder_may_change(tmp_path, monkeypatch):
    """同一个相对的路径，换了文件夹就是另一个文件。"""
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        write(tmp_path / folder / "model.gguf", folder, 1)
    for folder in ("a", "b", "a"):
        monkeypatch.chdir(tmp_path / folder)
        assert name("model.gguf") == folder
