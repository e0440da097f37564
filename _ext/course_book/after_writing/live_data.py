"""成书之后，把 live/ 里的脚本与两个模型的数据放进书里。

数据文件都写成脚本，内容是 base64：从 file:// 打开书时，浏览器只肯载入脚本；经 http 也用这一份，压缩之后不比原来大。
"""

import base64
import shutil
from collections.abc import Iterable
from pathlib import Path

from course_book import ROOT
from course_book.after_writing import live_bert, live_llm
from course_book.doctree.traditional_chinese import LANGUAGE, in_book_language

SCRIPTS = ROOT / "live"


def as_script(name: str, content: bytes) -> bytes:
    return b'LiveEngine.deliver("%s", "%s");\n' % (name.encode(), base64.b64encode(content))


def fill_folder(folder: Path, files: Iterable[tuple[str, bytes]]) -> None:
    """让 folder 里的文件恰好是 files；内容没有变的不写。"""
    folder.mkdir(parents=True, exist_ok=True)
    names = set()
    for name, content in files:
        names.add(name)
        path = folder / name
        if not path.is_file() or path.read_bytes() != content:
            path.write_bytes(content)
    for path in folder.iterdir():
        if path.is_file() and path.name not in names:
            path.unlink()


def write_scripts(folder: Path) -> None:
    """live/ 里的脚本与样式，换成这本书的语言。"""
    for place in (SCRIPTS, *filter(Path.is_dir, SCRIPTS.iterdir())):
        sources = place.glob("*.[cj]s*")
        texts = [(s.name, in_book_language(s.read_text(encoding="utf-8")).encode()) for s in sources]
        fill_folder(folder / place.relative_to(SCRIPTS), texts)


def write_data(folder: Path, files: Iterable[tuple[str, bytes]]) -> None:
    """folder 的名字就是模型的：bert 或 llm。"""
    scripts = ((f"{name}.js", as_script(f"{folder.name}/{name}", content)) for name, content in files)
    fill_folder(folder, scripts)


def write_live(app, exception):
    if exception is not None or app.builder.name != "html":
        return
    root = Path(app.outdir)
    write_scripts(root / "live")
    # 数据两本书共用一份，在简体的那本里；只成繁体的书时也要有
    data = (root.parent if LANGUAGE == "zh-TW" else root) / "live/data"
    write_data(data / "bert", live_bert.data_files().items())
    if live_llm.is_wanted():
        write_data(data / "llm", live_llm.data_files())
    else:
        shutil.rmtree(data / "llm", ignore_errors=True)


def setup(app):
    app.connect("build-finished", write_live)
