"""打开 GGUF 文件：分词器与权重在同一个文件里，同一个文件只解析一次；权重用到时才解开。"""

import os
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

ROWS = 512


class GGUFFile(NamedTuple):
    """元数据，`{名字: 值}`；张量，各是 `gguf.ReaderTensor`，用 `unpacked` 解开。"""

    fields: dict[str, Any]
    tensors: list


def open_gguf(path: str | os.PathLike) -> GGUFFile:
    """打开一个文件；它换了内容就重新解析。

    错误：文件不存在、残缺或者不是 GGUF 时，在哪里断就抛出哪里的异常，由调用者说成一句话。
    """
    file = os.stat(path)
    return _parsed(os.path.abspath(path), file.st_mtime_ns, file.st_size, file.st_ino)


@lru_cache(maxsize=1)
def _parsed(path: str, *stamp: int) -> GGUFFile:
    from gguf import GGUFReader, GGUFValueType

    class Reader(GGUFReader):
        """一列值一次切完：原来给十几万个词元各造几个数组，要好几秒；切的是普通的数组，`np.memmap` 每一刀都要另记文件名。"""

        def _build_fields(self, *args):
            self.data = self.data.view(np.ndarray)
            return super()._build_fields(*args)

        def _get_field_parts(self, orig_offs, raw_type):
            if raw_type != GGUFValueType.ARRAY or self.byte_order != "I":
                return super()._get_field_parts(orig_offs, raw_type)
            head = [self._get(orig_offs, np.uint32), self._get(orig_offs + 4, np.uint64)]
            kind, count, start = GGUFValueType(head[0][0]), int(head[1][0]), orig_offs + 12
            if kind == GGUFValueType.STRING:
                values, end = _strings(self.data, start, count)
            elif kind in self.gguf_scalar_to_np:
                values = [self._get(start, self.gguf_scalar_to_np[kind], count)]
                end = start + count * values[0].itemsize
            else:  # 一列里又是列
                return super()._get_field_parts(orig_offs, raw_type)
            if end > len(self.data):
                raise EOFError
            parts = [*head, *values]
            return end - orig_offs, parts, [*range(2, len(parts))], [GGUFValueType.ARRAY, kind]

    reader = Reader(path)
    return GGUFFile({name: field.contents() for name, field in reader.fields.items()}, reader.tensors)


def _strings(data: np.ndarray, start: int, count: int) -> tuple[list[memoryview], int]:
    """从 start 起的 count 个字符串，各是 8 个字节的长度与内容；返回各个的内容，与到哪里为止。"""
    data, values = memoryview(data), []
    for _ in range(count):
        end = start + 8 + int.from_bytes(data[start : start + 8], "little")
        if end > len(data):
            raise EOFError
        values.append(data[start + 8 : end])
        start = end
    return values, start


def unpacked(tensor, shape: tuple[int, ...]) -> np.ndarray:
    """解开一个张量，float32，形状是 shape；一次几百行，中间结果留在缓存里，比整个一次解快两三倍，也不另占一份内存。"""
    import gguf

    numbers = np.empty(shape, np.float32)
    for start in range(0, len(numbers), ROWS):
        rows = slice(start, start + ROWS)
        numbers[rows] = gguf.dequantize(tensor.data[rows], tensor.tensor_type)
    return numbers
