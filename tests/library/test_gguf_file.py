"""GGUF 文件里的值与张量，和 gguf 自己读的一样；同一个文件只解析一次，换了内容就重新解析，打不开的不记下来。"""

import os

import gguf
import numpy as np
import pytest
from gguf import GGUFReader, GGUFWriter

from course_lib.weights import builtin_llm_path
from course_lib.weights.gguf_file import ROWS, open_gguf, unpacked

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


LISTS = {
    "words": ["", "天空", "\u0120the", "a" * 300],
    "integers": [0, 1, -1, 2**31 - 1],
    "numbers": [0.5, -1.25],
    "switches": [True, False, True],
    "nested": [[1, 2], [3]],
    "one": [7],
}


def with_lists(path):
    writer = GGUFWriter(path, "llama")
    for key, values in LISTS.items():
        writer.add_array(f"list.{key}", values)
    writer.add_string("after", "完")
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()
    return path


def own(path):
    """gguf 自己读出的值。"""
    return {name: field.contents() for name, field in GGUFReader(path).fields.items()}


def test_lists_are_those_of_the_reference(tmp_path):
    path = with_lists(tmp_path / "lists.gguf")
    fields = open_gguf(path).fields
    assert fields == own(path)
    for key in LISTS.keys() - {"nested"}:  # 一列里又是列的，gguf 摊平
        assert fields[f"list.{key}"] == LISTS[key]
    assert fields["after"] == "完"


def test_the_builtin_file_is_that_of_the_reference():
    path = builtin_llm_path()
    assert open_gguf(path).fields == own(path)


def test_a_list_cut_anywhere_ends_at_once(tmp_path):
    path = with_lists(tmp_path / "lists.gguf")
    whole = path.read_bytes()
    for size in range(whole.index(b"after")):
        path.write_bytes(whole[:size])
        with pytest.raises(Exception):  # noqa: B017  在哪里断，就抛出哪里的异常
            open_gguf(path)


def test_a_list_that_says_too_many(tmp_path):
    """写着有 2⁶² 个，文件里却没有：马上停下，不去数。"""
    path = with_lists(tmp_path / "lists.gguf")
    whole = path.read_bytes()
    for key in ("words", "integers"):
        count = whole.index(f"list.{key}".encode()) + len(f"list.{key}") + 8
        assert int.from_bytes(whole[count : count + 8], "little") == len(LISTS[key])
        path.write_bytes(whole[:count] + (2**62).to_bytes(8, "little") + whole[count + 8 :])
        with pytest.raises(Exception):  # noqa: B017  同上
            open_gguf(path)


@pytest.mark.parametrize("rows", [1, ROWS - 1, ROWS, ROWS + 1, 3 * ROWS])
def test_unpacked_by_rows_is_unpacked_whole(rows, tmp_path):
    numbers = np.random.default_rng(rows).normal(size=(rows, 64)).astype(np.float32)
    writer = GGUFWriter(tmp_path / "rows.gguf", "llama")
    writer.add_tensor("plain", numbers)
    writer.add_tensor("row", numbers[:, 0])
    kind = gguf.GGMLQuantizationType.Q5_0
    writer.add_tensor("packed", gguf.quantize(numbers, kind), raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    tensors = {tensor.name: tensor for tensor in open_gguf(tmp_path / "rows.gguf").tensors}
    assert np.array_equal(unpacked(tensors["plain"], (rows, 64)), numbers)
    assert np.array_equal(unpacked(tensors["row"], (rows,)), numbers[:, 0])
    whole = gguf.dequantize(tensors["packed"].data, kind)
    assert np.array_equal(unpacked(tensors["packed"], (rows, 64)), whole)
