"""算过的留着：由什么而来没有变，就不再算；改一句话，成书只花改过的那几页的工夫。"""

import hashlib
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

from course_book.before_reading.local_files import extension_digest

# 载入时就算：成书中途改了代码，这一次做的仍是旧代码做的
CODE = extension_digest()


def digest(*parts: str | bytes) -> str:
    """几段内容的摘要；从哪里分开也算。"""
    found = hashlib.sha256()
    for part in parts:
        content = part.encode() if isinstance(part, str) else part
        found.update(b"%d\0" % len(content) + content)
    return found.hexdigest()


def kept(folder: Path, name: str, made_of: str | bytes, make: Callable[[], Any]) -> Any:
    """`make()` 的结果，留在 folder 里叫 name 的文件里；`made_of` 说它由什么而来，它或成书的代码变了，才再做一遍。"""
    path, wanted = folder / f"{name}.pickle", digest(CODE, made_of)
    try:
        known, value = pickle.loads(path.read_bytes())
    except Exception:  # 还没有；或者写到一半断了，读出什么错都可能
        known = None
    if known != wanted:
        value = make()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(pickle.dumps((wanted, value)))
    return value


def kept_folder(app) -> Path:
    """在文档树旁边：两本书各有一份，一同删去。"""
    return Path(app.doctreedir, "kept")
