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
# 模块的名字 → 文件；judging 与 comparing 就是课程自己的，照原样
MODULES = {
    "sys": PAGE / "system.py",
    "mended": PAGE / "mended.py",
    "torch": PAGE / "tensor.py",
    "exercises.raised": COURSE / "raised.py",
    "exercises.running": PAGE / "running.py",
    "exercises.comparing": COURSE / "comparing.py",
    "exercises.judging": COURSE / "judging.py",
    "exercises.facts": PAGE / "facts.py",
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
    package = {"exercises": [".py", "", [], True]}
    return packed(package | {name: [".py", text, []] for name, text in texts.items()})
