"""打开 GGUF 文件：分词器与权重在同一个文件里，光是解析就要两秒，同一个文件只解析一次。"""

import os
from functools import lru_cache


def open_gguf(path: str | os.PathLike):
    """返回 `gguf.GGUFReader`；文件换了内容就重新解析。

    错误：文件不存在、残缺或者不是 GGUF 时，在哪里断就抛出哪里的异常，由调用者说成一句话。
    """
    file = os.stat(path)
    return _parsed(os.path.abspath(path), file.st_mtime_ns, file.st_size, file.st_ino)


@lru_cache(maxsize=1)
def _parsed(path: str, *stamp: int):
    from gguf import GGUFReader

    return GGUFReader(path)
