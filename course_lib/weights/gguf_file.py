"""打开 GGUF 文件：分词器与权重在同一个文件里，光是解析就要两秒，同一个文件只解析一次。"""

import os
from functools import lru_cache
from typing import Any, NamedTuple


class GGUFFile(NamedTuple):
    """元数据，`{名字: 值}`；张量，各是 `gguf.ReaderTensor`。"""

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
    import numpy as np
    from gguf import GGUFReader

    class Reader(GGUFReader):
        """词表的每个字符串切一刀：切的若是 `np.memmap`，每一刀都要另记文件名，慢一倍；换成普通的数组，还是同一片内存。"""

        def _build_fields(self, *args):
            self.data = self.data.view(np.ndarray)
            return super()._build_fields(*args)

    reader = Reader(path)
    # 只留下值：reader 给词表的每个字符串都造了几个数组，一共近 200 MB
    return GGUFFile({name: field.contents() for name, field in reader.fields.items()}, reader.tensors)
