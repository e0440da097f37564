"""网页里的 Python：Brython、它的标准库里用得着的几个模块，与 live/python/ 里的 Python 文件，压缩成两个数据文件。

Brython 两本书共用一份；我们自己的文件里有字，两本书各有一份。
"""

import gzip
import json
from functools import cache
from importlib.resources import files

from course_book import ROOT
from course_book.doctree.traditional_chinese import in_book_language

# 整个标准库有 5 MB，一页一页的练习只用得着这几个
STDLIB = ("_json", "math")
COURSE, PAGE = ROOT / "course_lib/exercises", ROOT / "live/python"
PACKAGES = ("course_lib", "course_lib.exercises", "course_lib.exercises.topics", "course_lib.tasks")
# 模块的名字 → 文件；judging 等几个就是课程自己的，照原样；各章的表在各章的数据里
MODULES = {
    "sys": PAGE / "system.py",
    "functools": PAGE / "functools.py",
    "mended": PAGE / "mended.py",
    "torch": PAGE / "tensor.py",
    "course_lib.exercises.raised": COURSE / "raised.py",
    "course_lib.exercises.running": PAGE / "running.py",
    "course_lib.exercises.comparing": COURSE / "comparing.py",
    "course_lib.exercises.judging": COURSE / "judging.py",
    "course_lib.exercises.exercise": PAGE / "exercise.py",
    "course_lib.exercises.facts": PAGE / "facts.py",
    "page": PAGE / "page.py",
}


def packed(content: object) -> bytes:
    return gzip.compress(json.dumps(content, ensure_ascii=False).encode(), mtime=0)


@cache
def brython() -> bytes:
    data = files("brython") / "data"
    stdlib = (data / "brython_stdlib.js").read_text(encoding="utf-8")
    every, _ = json.JSONDecoder().raw_decode(stdlib[stdlib.index('{"$timestamp"') :])
    library = (data / "brython.js").read_text(encoding="utf-8")
    return packed({"library": library, "scripts": {name: every[name] for name in STDLIB}})


def modules() -> bytes:
    texts = {name: in_book_language(path.read_text(encoding="utf-8")) for name, path in MODULES.items()}
    packages = {name: [".py", "", [], True] for name in PACKAGES}
    return packed(packages | {name: [".py", text, []] for name, text in texts.items()})
