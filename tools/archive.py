"""把成好的书装成带得走的包：`make archive`，每种文字一个 zip，在 _build/archive/ 里。

解开就能读，双击 从这里开始.html，不用服务器也不用网络；同样的书装两次，一个字节也不差。
只装一种文字，所以去掉去另一种文字的链接；笔记本挪到外面，好找；网页不读的不装。
"""

import argparse
import hashlib
import re
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

from jinja2 import Template
from markupsafe import Markup

from course_book.doctree.traditional_chinese import FOLDER, convert_html
from course_lib.show import palette

ROOT = Path(__file__).parents[1]
BOOK = ROOT / "_build/html"
PDFS = ROOT / "_build/pdf"
ARCHIVES = ROOT / "_build/archive"
PAGE_TEMPLATE = Path(__file__).with_name("archive.html")
LANGUAGES = {"zh-CN": "简体", "zh-TW": "繁體"}
START = {"zh-CN": "从这里开始.html", "zh-TW": "從這裡開始.html"}
# 给调试的人、给别的书、给站点用的
UNREAD = re.compile(r"\.map$|(^|/)(\.buildinfo|objects\.inv|404\.html)$")
# 书成过好几次，这两个文件夹里会有已经不用的
GROWING = re.compile(r"(^|/)(_images|_static)/")
TEXTS = {".html", ".css", ".js"}
# 一串字只从头试一次：嵌在里面的数据是几十万个字的一串，一处处地试要一分多钟
NAME = re.compile(r"(?<![\w.%-])[\w.%-]+\.\w+")
OTHER_BOOK = re.compile(
    r'<a class="btn btn-sm language-switch".*?</a>|<link rel="alternate" hreflang=[^>]*>', re.S
)
DOWNLOAD = re.compile(r'(?<=href=")((?:\.\./)+)_sources/chapters/(\w+\.ipynb)')
PAGE = re.compile(r"\]\((\w+)\.md(#[^)]*)?\)")
# ZIP 记得最早的时刻
LONG_AGO = (1980, 1, 1, 0, 0, 0)


@dataclass
class Part:
    """包里的一样东西：说法，与其中的文件，名字 → 内容或它在哪里。"""

    title: str
    files: dict[str, bytes | Path] = field(default_factory=dict)

    def size(self) -> int:
        return sum(
            len(content) if isinstance(content, bytes) else content.stat().st_size
            for content in self.files.values()
        )


def root_of(language: str) -> str:
    """这种文字的书在 book/ 里的哪个文件夹；繁体的照旧在里面一层，两本共用的数据才找得到。"""
    return f"{FOLDER}/" if language == FOLDER else ""


def book_files(language: str) -> dict[str, Path]:
    """网页要的文件：相对于成书的名字 → 它在哪里。"""
    root = root_of(language)
    files = {path.relative_to(BOOK).as_posix(): path for path in sorted(BOOK.rglob("*")) if path.is_file()}
    files = {
        name: path
        for name, path in files.items()
        if name.startswith("live/data/")
        or (name.startswith(root) and not (root == "" and name.startswith(FOLDER)))
    }
    files = {name: path for name, path in files.items() if not UNREAD.search(name)}
    texts = [
        path for name, path in files.items() if path.suffix in TEXTS and not name.startswith("live/data/")
    ]
    named = {
        word for path in texts for word in NAME.findall(path.read_text(encoding="utf-8", errors="ignore"))
    }
    return {name: path for name, path in files.items() if not GROWING.search(name) or path.name in named}


def pages_and_notebooks(language: str) -> tuple[dict[str, bytes | Path], dict[str, bytes]]:
    """书与笔记本：下载的链接指到外面的笔记本，笔记本里去别的页的链接指到书里。"""
    pages, notebooks = {}, {}
    root = root_of(language)
    up = "../" * (1 + root.count("/"))
    for name, path in book_files(language).items():
        if name.endswith(".ipynb"):
            text = PAGE.sub(rf"](../book/{root}chapters/\1.html\2)", path.read_text(encoding="utf-8"))
            notebooks[f"notebooks/{path.name}"] = text.encode()
        elif path.suffix == ".html":
            text = OTHER_BOOK.sub("", path.read_text(encoding="utf-8"))
            pages[f"book/{name}"] = DOWNLOAD.sub(rf"\1{up}notebooks/\2", text).encode()
        else:
            pages[f"book/{name}"] = path
    return pages, notebooks


def wheel(folder: Path) -> Path:
    pip = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", folder]
    subprocess.run([*pip, ROOT], check=True)
    return next(folder.glob("course_lib-*.whl"))


def find_pdf(language: str) -> Path | None:
    marks = (language, LANGUAGES[language])
    return next(
        (path for path in sorted(PDFS.glob("*.pdf")) if any(mark in path.name for mark in marks)), None
    )


def contents(language: str, library: Path) -> list[Part]:
    pages, notebooks = pages_and_notebooks(language)
    data = {"bert": "打开 BERT 要用的数据", "llm": "打开一个大语言模型要用的数据"}
    inside = {model: f"book/live/data/{model}/" for model in data}
    parts = [
        Part("网页：正文、公式、图与检索", {n: p for n, p in pages.items() if not n.startswith(tuple(inside.values()))}),
        *(Part(data[model], {n: p for n, p in pages.items() if n.startswith(inside[model])}) for model in data),
        Part("笔记本", notebooks),
        Part("course_lib 与许可", {library.name: library, "LICENSE": ROOT / "LICENSE"}),
    ]  # fmt: skip
    if pdf := find_pdf(language):
        parts.insert(3, Part("整本书的 PDF", {pdf.name: pdf}))
    return [part for part in parts if part.files]


def megabytes(size: int) -> str:
    return f"{size / 1e6:.1f} MB"


def start_page(language: str, parts: list[Part], library: str) -> bytes:
    names = {name for part in parts for name in part.files}
    sizes = [(part.title, megabytes(part.size())) for part in parts]
    page = Template(PAGE_TEMPLATE.read_text(encoding="utf-8"), autoescape=True).render(
        language=language,
        palette=Markup(palette.css()),
        book=f"book/{root_of(language)}chapters/index.html",
        pdf=next((name for name in names if name.endswith(".pdf")), None),
        has_llm=any(name.startswith("book/live/data/llm/") for name in names),
        library=library,
        sizes=[*sizes, ("合计", megabytes(sum(part.size() for part in parts)))],
    )
    return (convert_html(page, None) if language == FOLDER else page).encode()


def write_zip(path: Path, files: dict[str, bytes | Path], level: int) -> None:
    """同样的文件，写出同样的 zip：按名字排，时刻都一样；名字里的汉字写作 UTF-8，由 zipfile 标明。"""
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files):
            content = files[name] if isinstance(files[name], bytes) else files[name].read_bytes()
            entry = zipfile.ZipInfo(name, LONG_AGO)
            entry.compress_type, entry.create_system = zipfile.ZIP_DEFLATED, 3
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content, compresslevel=level)


def build(language: str, library: Path, folder: Path = ARCHIVES, level: int = 9) -> Path:
    parts = contents(language, library)
    files = {START[language]: start_page(language, parts, library.name)}
    for part in parts:
        files |= part.files
    path = folder / f"transformer-{language}.zip"
    write_zip(path, files, level)
    print(f"{path}：{megabytes(path.stat().st_size)}，解开 {megabytes(sum(part.size() for part in parts))}。")
    for part in parts:
        packed = compressed(path, part)
        print(
            f"  {part.title}：{len(part.files)} 个文件，{megabytes(part.size())}，压缩后 {megabytes(packed)}"
        )
    if not find_pdf(language):
        print("  没有 PDF：先运行 make pdf，再装一次。")
    print(f"  SHA-256 {hashlib.sha256(path.read_bytes()).hexdigest()}", flush=True)
    return path


def compressed(path: Path, part: Part) -> int:
    with zipfile.ZipFile(path) as archive:
        return sum(archive.getinfo(name).compress_size for name in part.files)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("languages", nargs="*", choices=LANGUAGES, help="哪几种文字，不写就是全部")
    languages = parser.parse_args().languages or LANGUAGES
    for language in languages:
        if not (BOOK / root_of(language) / "chapters/index.html").is_file():
            sys.exit(f"还没有{LANGUAGES[language]}的书：请先运行 make book。")
    with tempfile.TemporaryDirectory() as folder:
        library = wheel(Path(folder))
        for language in languages:
            build(language, library)


if __name__ == "__main__":
    main()
