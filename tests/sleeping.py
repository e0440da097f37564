"""睡着的测试：一个文件守着几个房间，房间没有变，它就不跑；怎样算没有变，写在 asleep.json 里。

文件里写 `pytestmark = pytest.mark.guards("live/bert", …)`：它 import 的不必写，读的别的文件要写，漏了就会失败。
房间连同它 import 的一切与锁定的版本合成一个摘要；这些测试全都通过之后，`make rest` 把摘要记下。
记的与今天的一样才睡：忘了记，只会多跑一回。笔记本只算代码格，改一句行文叫不醒它们。每周一次，打了标签、要发布时，一个也不睡（AWAKE=1）。
"""

import hashlib
import json
from functools import cache
from pathlib import Path

import pytest

from tools import made_of

ROOT = Path(__file__).parents[1]
RECORD = ROOT / "tests/asleep.json"
LOCK = ROOT / ".ci/requirements-hashed.txt"
# 从这些地方 import，与 pyproject.toml 里的 pythonpath 相同
PLACES = tuple(ROOT / name for name in ("", "tests", "_ext", "bench", "figures/src"))
# 不是源文件：装的包、成的书、编译好的
NOT_SOURCES = {".venv", "_build", ".git", "__pycache__", ".hypothesis", ".pytest_cache", "asleep.json"}


@cache
def rooms(path: Path, names: tuple[str, ...]) -> set[Path]:
    """一个测试文件守着的全部文件：`names` 这些文件与文件夹里的，连同它们与它自己 import 的。"""
    named = {each for name in names for each in files_in(name)}
    places = (*PLACES, path.parent)
    found = {path, LOCK, ROOT / "tests/conftest.py", *path.parent.glob("conftest.py"), *named}
    imported = {name for each in found if each.suffix == ".py" for name in made_of.imports_of(each)}
    return found | made_of.library_files(imported, places)


def files_in(room: str) -> list[Path]:
    """一个文件，一个文件夹里的，或者合于 `course_lib/**/*.py` 这样写法的。"""
    files = [path for place in ROOT.glob(room) for path in (place, *place.rglob("*")) if path.is_file()]
    if not files:
        raise pytest.UsageError(f"没有 {room}：它写在 guards 里。")
    return [path for path in files if not NOT_SOURCES & set(path.relative_to(ROOT).parts)]


@cache
def digest(path: Path, names: tuple[str, ...]) -> str:
    found = hashlib.sha256()
    for each in sorted(rooms(path, names)):
        found.update(each.relative_to(ROOT).as_posix().encode() + b"\0" + content(each))
    return found.hexdigest()[:12]


def content(path: Path) -> bytes:
    """一个文件里算数的；笔记本只算代码格。"""
    if path.suffix != ".ipynb":
        return path.read_bytes()
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return json.dumps([[c["id"], c["source"]] for c in cells if c["cell_type"] == "code"]).encode()


def guarded(item) -> tuple[str, ...] | None:
    """它守着的房间；不是这一档的没有。"""
    mark = item.get_closest_marker("guards")
    return mark and mark.args


def is_asleep(item, named: set[Path]) -> bool:
    """点了名的文件不睡。"""
    names = guarded(item)
    kept = recorded().get(item.path.relative_to(ROOT).as_posix())
    return bool(names) and kept is not None and item.path not in named and kept == digest(item.path, names)


@cache
def recorded() -> dict[str, str]:
    return json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.exists() else {}


def put_to_sleep(passed: dict[Path, tuple[str, ...]], failed: set[Path]) -> None:
    """记下全都通过了的文件今天的摘要；失败了的、不在了的删去。"""
    kept = {name: each for name, each in recorded().items() if (ROOT / name).exists()}
    kept |= {path.relative_to(ROOT).as_posix(): digest(path, names) for path, names in passed.items()}
    for path in failed:
        kept.pop(path.relative_to(ROOT).as_posix(), None)
    RECORD.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def outside(opened: set[str], path: Path, names: tuple[str, ...]) -> set[str]:
    """读过的源文件里，不在它守着的房间里的。"""
    sources = set()
    for name in map(Path, opened):
        if name.is_relative_to(ROOT) and not NOT_SOURCES & set(name.relative_to(ROOT).parts):
            sources.add(name)
    return {each.relative_to(ROOT).as_posix() for each in sources - rooms(path, names) if each.is_file()}
