"""把 live/ 里的脚本、几个模型与练习的数据放进书里：脚本在成书之后，数据在写到用它的一页时，至迟也在成书之后。

数据文件都写成脚本，内容是 base64：从 file:// 打开书时，浏览器只肯载入脚本；经 http 也用这一份，压缩之后不比原来大。
"""

import base64
import json
import shutil
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from course_book import ROOT
from course_book.after_writing import (
    live_bert,
    live_exercises,
    live_llm,
    live_multilingual,
    live_python,
    live_qwen,
    live_train,
)
from course_book.doctree.traditional_chinese import LANGUAGE, in_book_language
from course_book.kept import digest, kept, kept_folder

SCRIPTS = ROOT / "live"
MODELS = {"bert": live_bert, "multilingual": live_multilingual, "llm": live_llm, "qwen": live_qwen}
OPTIONAL = {"llm", "qwen"}  # 各由它的 is_wanted 说书里带不带


def as_script(name: str, content: bytes) -> bytes:
    return b'LiveEngine.deliver("%s", () => {/*%s*/});\n' % (name.encode(), base64.b64encode(content))


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
    """folder 的名字就是数据的：bert、multilingual、llm、qwen、train、python 或 exercises。"""
    scripts = ((f"{name}.js", as_script(f"{folder.name}/{name}", content)) for name, content in files)
    fill_folder(folder, scripts)


def written(folder: Path) -> dict:
    """folder 里写好的 config.json；缺了、断了哪个文件，就给空的。"""
    try:
        content = (folder / "config.json.js").read_bytes().partition(b"/*")[2].rpartition(b"*/")[0]
        config = json.loads(base64.b64decode(content))
        for name, size in config["files"].items():
            empty = len(as_script(f"{folder.name}/{name}", b""))
            if (folder / f"{name}.js").stat().st_size != empty + 4 * -(-size // 3):
                return {}
    except (OSError, ValueError, LookupError):
        return {}
    return config


def shared(outdir: str) -> Path:
    """两本书共用一份的，在简体的那本里；只成繁体的书时也要有。"""
    root = Path(outdir)
    return (root.parent if LANGUAGE == "zh-TW" else root) / "live/data"


@cache
def put_data(outdir: str, model: str) -> int:
    """一个模型的数据放进书里，成一次书只做一遍；返回网页要取的字节数，0 是书里不带它。"""
    folder = shared(outdir) / model
    if model == "train":
        write_data(folder, live_train.data_files().items())
    elif model in OPTIONAL and not MODELS[model].is_wanted():
        shutil.rmtree(folder, ignore_errors=True)
        return 0
    elif written(folder).get("origin") != MODELS[model].origin():
        files = MODELS[model].data_files()
        write_data(folder, files.items() if isinstance(files, dict) else files)
    return sum(written(folder)["files"].values())


def write_live(app, exception):
    if exception is not None or app.builder.name != "html":
        return
    write_scripts(Path(app.outdir) / "live")
    for model in (*MODELS, "train"):
        put_data(app.outdir, model)
    write_data(shared(app.outdir) / "python", [("brython", live_python.brython())])
    own, folder = Path(app.outdir) / "live/data/exercises", kept_folder(app)
    write_data(own, [*live_exercises.kept_data_files(folder), ("python", live_python.modules())])
    made_of = digest(live_exercises.library(), repr(live_train.texts()))
    write_data(own.with_name("book"), [("text", kept(folder, "book", made_of, live_train.book_text))])


def setup(app):
    app.connect("build-finished", write_live)
