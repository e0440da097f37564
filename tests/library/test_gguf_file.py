"""同一个 GGUF 文件只解析一次；换了内容就重新解析，打不开的不记下来。"""

import shutil

import pytest

from course_lib.weights import builtin_llm_path
from course_lib.weights.gguf_file import open_gguf


def test_parsed_once_until_it_changes(tmp_path):
    path = tmp_path / "model.gguf"
    shutil.copy(builtin_llm_path(), path)
    first = open_gguf(path)
    assert open_gguf(str(path)) is first
    path.write_bytes(path.read_bytes()[:1000])
    with pytest.raises(Exception):  # noqa: B017  在哪里断，就抛出哪里的异常
        open_gguf(path)
    shutil.copy(builtin_llm_path(), path)
    assert open_gguf(path) is not first
