"""睡着的测试：它守着几个房间，房间没有变，就不跑；怎样算没有变，写在 asleep.json 里。

文件里写 `pytestmark = pytest.mark.guards("live/bert", …)`：它 import 的不必写，读的别的文件要写，漏了就会失败。
逐页看成书的写 `@pytest.mark.guards(page=True)`，每一页各睡各的：一章守着它的源文件与它用到的，见 `of_a_page`；
别的页由许多章汇成，没有算出来的数，到哪里成书都一个样，守着的就是成好的网页。
房间连同它 import 的一切与锁定的版本合成一个摘要；这些测试全都通过之后，`make rest` 把摘要记下。
记的与今天的一样才睡：忘了记，只会多跑一回。不逐页看的，笔记本只算代码格。每周一次，打了标签、要发布时，一个也不睡（AWAKE=1）。
"""

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest
from built_book import ALL_PAGES, BOOK

from chapters import lasting
from tools import made_of
from tools.changed import WHOLE_BOOK

ROOT = Path(__file__).parents[1]
RECORD = ROOT / "tests/asleep.json"
LOCK = ROOT / ".ci/requirements-hashed.txt"
EXPLORABLES, TOPICS = "course_lib/show/explorables", "course_lib/exercises/topics"
# 从这些地方 import，与 pyproject.toml 里的 pythonpath 相同
PLACES = tuple(ROOT / name for name in ("", "tests", "_ext", "bench", "figures/src"))
# 不是源文件：装的包、成的书、编译好的
NOT_SOURCES = {".venv", "_build", ".git", "__pycache__", ".hypothesis", ".pytest_cache", "asleep.json"}
# 每一页都由它们而来；一章另有自己的练习、插图与可以动手的图，别的页不知道用了哪些，就是全部
OF_EVERY_PAGE = (*WHOLE_BOOK, "course_lib/show/*.py", f"{EXPLORABLES}/stage.*", "course_lib/exercises/*.py")
OF_OTHER_PAGES = ("figures", "course_lib/show", "course_lib/exercises")


class Guard(NamedTuple):
    """一个测试守着的：它在哪个文件里，守着哪些房间；逐页看的，是哪一页。"""

    path: Path
    names: tuple[str, ...]
    page: str | None

    @property
    def key(self) -> str:
        """记在 asleep.json 里的名字。"""
        file = self.path.relative_to(ROOT).as_posix()
        return f"{file} {lasting(Path(self.page))}" if self.page else file


def guard(item) -> Guard | None:
    """它守着的；不是这一档的没有。逐页看的，页名是参数里的 `page` 或 `name`。"""
    if not (mark := item.get_closest_marker("guards")):
        return None
    if not mark.kwargs.get("page"):
        return Guard(item.path, mark.args, None)
    asked = item.callspec.params
    page = asked.get("page") or asked["name"]
    return Guard(item.path, mark.args + OF_EVERY_PAGE, Path(page).stem)


@cache
def rooms(path: Path, names: tuple[str, ...]) -> set[Path]:
    """一个测试文件守着的全部文件：`names` 这些文件与文件夹里的，连同它们与它自己 import 的；笔记本的，连同它的输出用到的。"""
    named = {each for name in names for each in files_in(name)}
    places = (*PLACES, path.parent)
    found = {path, LOCK, ROOT / "tests/conftest.py", *path.parent.glob("conftest.py"), *named}
    imported = {name for each in found if each.suffix == ".py" for name in made_of.imports_of(each)}
    used = {each for path in named if path.suffix == ".ipynb" for each in made_of.chapter_files(path)}
    return found | used | made_of.library_files(imported, places)


def files_in(room: str) -> list[Path]:
    """一个文件，一个文件夹里的，或者合于 `course_lib/**/*.py` 这样写法的。"""
    files = [path for place in ROOT.glob(room) for path in (place, *place.rglob("*")) if path.is_file()]
    if not files:
        raise pytest.UsageError(f"没有 {room}：它写在 guards 里。")
    return [path for path in files if not NOT_SOURCES & set(path.relative_to(ROOT).parts)]


@cache
def of_a_page(page: str) -> set[Path]:
    """一页的源文件与只有它用到的：一章的是笔记本、它的输出用到的、它的练习与可以动手的图。"""
    chapter = ROOT / f"chapters/{page}.ipynb"
    if not chapter.exists():
        source = {path for path in [ROOT / f"chapters/{page}.md"] if path.exists()}
        return source.union(*map(files_in, OF_OTHER_PAGES))
    drawn = set().union(*(made_of.named(tree, "explore") for tree in made_of.cells(chapter)))
    own = [f"{TOPICS}/{lasting(chapter)}.py", *(f"{EXPLORABLES}/{name}.*" for name in drawn)]
    return {chapter, *made_of.chapter_files(chapter), *(path for name in own for path in ROOT.glob(name))}


def built(page: str) -> bytes:
    """成好的一页，两种文字的；一章的不算，它的输出到别的机器上末几位就不同。"""
    if (ROOT / f"chapters/{page}.ipynb").exists():
        return b""
    files = [BOOK / name for name in ALL_PAGES if Path(name).stem == page]
    return b"".join(file.read_bytes() for file in files if file.is_file())


@cache
def digest(it: Guard) -> str:
    """它守着的一切的摘要。"""
    parts = [shared(it.path, it.names)]
    if it.page:
        parts.append(digest_of(of_a_page(it.page), whole=True))
        parts.append(hashlib.sha256(built(it.page)).hexdigest())
    return hashlib.sha256("".join(parts).encode()).hexdigest()[:12]


@cache
def shared(path: Path, names: tuple[str, ...]) -> str:
    return digest_of(rooms(path, names))


def digest_of(files: set[Path], whole: bool = False) -> str:
    """一些文件的名字与内容；笔记本的行文只在 `whole` 时算。"""
    found = hashlib.sha256()
    for each in sorted(files):
        content = each.read_bytes() if whole or each.suffix != ".ipynb" else code_of(each)
        found.update(each.relative_to(ROOT).as_posix().encode() + b"\0" + content)
    return found.hexdigest()


def code_of(notebook: Path) -> bytes:
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return json.dumps([[c["id"], c["source"]] for c in cells if c["cell_type"] == "code"]).encode()


def is_asleep(item, named: set[Path]) -> bool:
    """点了名的文件不睡。"""
    it = guard(item)
    kept = recorded().get(it.key) if it else None
    return kept is not None and item.path not in named and kept == digest(it)


@cache
def recorded() -> dict[str, str]:
    return json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.exists() else {}


def put_to_sleep(passed: dict[str, str], failed: set[str]) -> None:
    """记下跑过、全都通过了的今天的摘要；失败了的、不在了的删去。"""
    kept = {key: each for key, each in (recorded() | passed).items() if key not in failed}
    there = {key: each for key, each in kept.items() if (ROOT / key.partition(" ")[0]).exists()}
    RECORD.write_text(json.dumps(there, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def outside(opened: set[str], it: Guard) -> set[str]:
    """读过的源文件里，不在它守着的房间里的。"""
    sources = set()
    for name in map(Path, opened):
        if name.is_relative_to(ROOT) and not NOT_SOURCES & set(name.relative_to(ROOT).parts):
            sources.add(name)
    known = rooms(it.path, it.names) | (of_a_page(it.page) if it.page else set())
    return {each.relative_to(ROOT).as_posix() for each in sources - known if each.is_file()}
