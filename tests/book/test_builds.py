"""成书的几种情形：从头、改了一章、改了库、什么都没变、有一格出错；以及从头再成一次得到同样的文件。"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
import yaml
from bs4 import BeautifulSoup
from built_book import BOOK

from chapters import file_of, lasting
from tools import repository

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent
# 每次成书都会不同的输出：页、格与理由；除此之外一个字节也不许不同
VARIES = {
    ("why_transformer", "timing"): "量的是时间",
    ("multi_head_attention", "race"): "画的是时间",
    ("errata", "run-s3-9"): "要说明的正是快速分词器的词表每次列出的次序都不同",
}


# MyST-NB 写完网页才写出样式表，所以第二次成书时 Sphinx 才给它添上校验值
MYST_NB_STYLE = re.compile(rb"(?<=/mystnb\.)(\w+\.css)\?v=\w+")


class Book:
    """只有两章的小书，库里只有一个数；两章都把自己的名字记进 `executed`。"""

    def __init__(self, root: Path):
        self.root = root
        for folder in ("_ext", "tools"):
            shutil.copytree(ROOT / folder, root / folder)
        for folder in ("chapters", "course_lib"):
            (root / folder).mkdir()
        execute = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))["execute"]
        ours = {f"course_book.before_reading.{name}": "_ext" for name in ("local_files", "execute_chapters")}
        config = {"title": "小书", "execute": execute, "sphinx": {"local_extensions": ours}}
        toc = {"format": "jb-book", "root": "chapters/one", "chapters": [{"file": "chapters/two"}]}
        (root / "_config.yml").write_text(yaml.safe_dump(config), encoding="utf-8")
        (root / "_toc.yml").write_text(yaml.safe_dump(toc), encoding="utf-8")
        self.library(1)
        self.chapter("one")
        self.chapter("two")

    def library(self, number):
        (self.root / "course_lib/__init__.py").write_text(f"number = {number}\n", encoding="utf-8")

    def chapter(
        self, name, code="print('库里的数是', course_lib.number)", cell="show-number", before="", title="准备"
    ):
        notebook = nbformat.v4.new_notebook()
        notebook.metadata.kernelspec = {"display_name": "Python 3", "language": "python", "name": "python3"}
        note = f"# @title {title}\nimport course_lib\nwith open('executed', 'a') as file:\n    print('{name}', file=file)"
        notebook.cells = [
            nbformat.v4.new_markdown_cell(f"# {name}", id="title"),
            nbformat.v4.new_code_cell(note, id="note"),
            nbformat.v4.new_code_cell(before, id="before"),
            nbformat.v4.new_code_cell(code, id=cell),
        ]
        nbformat.write(notebook, self.root / f"chapters/{name}.ipynb")

    def build(self, **variables):
        """成一次书；返回进程的结果与执行了哪几章。"""
        log = self.root / "chapters/executed"
        log.unlink(missing_ok=True)
        command = [BIN / "jupyter-book", "build", self.root, "--warningiserror", "--keep-going"]
        own = {
            name: value
            for name, value in os.environ.items()
            if name not in ("OMP_NUM_THREADS", "BOOK_WORKERS")
        }
        variables = own | {"PYTHONPATH": str(self.root)} | variables
        result = subprocess.run(command, env=variables, capture_output=True, text=True)
        return result, sorted(log.read_text().split()) if log.exists() else []

    def page(self, name):
        text = (self.root / f"_build/html/chapters/{name}.html").read_text(encoding="utf-8")
        return BeautifulSoup(text, "html.parser").get_text()


@pytest.fixture
def book(tmp_path):
    return Book(tmp_path)


def test_only_what_changed_is_executed(book):
    assert book.build()[1] == ["one", "two"]

    book.chapter("one", title="给 Colab 看的标题换了")
    assert book.build()[1] == []
    assert "import course_lib" in book.page("one") and "@title" not in book.page("one")

    book.chapter("two", "print('改过的一章')")
    assert book.build()[1] == ["two"]
    assert "改过的一章" in book.page("two")

    book.library(2)
    assert book.build()[1] == ["one", "two"]
    assert "库里的数是 2" in book.page("one")

    for number in (3, 4):  # 只有第二章用它
        (book.root / "course_lib/extra.py").write_text(f"number = {number}\n", encoding="utf-8")
        book.chapter("two", "from course_lib.extra import number\nprint('另一个数是', number)")
        assert book.build()[1] == ["two"]
        assert f"另一个数是 {number}" in book.page("two")


def test_chapters_run_by_nbmake_are_not_executed_again(book):
    """`make test` 里各章由 nbmake 运行，成书用的就是那一次的输出；没有通过的章不留下。"""
    book.chapter("one", "print('分两次', end='', flush=True); print('送来')")
    book.chapter("two", "import os\nassert 'BUILDING' in os.environ, '成书时才通过'")
    result = nbmake(book)
    assert result.returncode == 1 and "1 failed, 1 passed" in result.stdout
    assert "成书时才通过" in result.stdout
    result, executed = book.build(BUILDING="1")
    assert result.returncode == 0 and executed == ["two"]
    assert "分两次送来" in book.page("one")


def test_failing_cell_is_named(book):
    book.chapter("two", "1 / 0", cell="divide")
    result, executed = book.build()
    assert result.returncode != 0 and executed == ["one", "two"]
    last = result.stderr[result.stderr.index("two.ipynb 的 divide 格没有执行完") :]
    assert "ZeroDivisionError: division by zero" in last and "书没有写出" in last
    assert last.count("\n") < 15 and "\x1b" not in last
    assert not list(book.root.glob("_build/html/**/*.html"))

    book.chapter("two")
    result, executed = book.build()
    assert result.returncode == 0 and executed == ["two"]


def test_what_a_chapter_uses_is_not_about_to_go(book):
    """一章自己的代码、course_lib 里将要去掉的写法是错；别的库里的不是。"""
    warn = "import warnings\ndef old():\n    warnings.warn('要去掉了', FutureWarning, stacklevel={})\n"
    (book.root / "elsewhere.py").write_text(warn.format(1), encoding="utf-8")
    (book.root / "course_lib/own.py").write_text(warn.format(1), encoding="utf-8")
    book.chapter("one", "import elsewhere\nelsewhere.old()")
    book.chapter("two", "from course_lib.own import old\nold()")
    told = nbmake(book).stdout
    assert "1 failed, 1 passed" in told and "要去掉了" in told.partition("two.ipynb")[2]
    (book.root / "elsewhere.py").write_text(warn.format(2), encoding="utf-8")
    result, _ = book.build()
    assert "one.ipynb 的 show-number 格没有执行完" in result.stderr, result.stderr[-2000:]


def nbmake(book):
    """像 `make test` 那样运行两章；返回进程的结果。"""
    shutil.copy(ROOT / "chapters/conftest.py", book.root / "chapters")
    command = [BIN / "pytest", "-p", "no:cacheprovider", "-o", "pythonpath=_ext", "-o", "timeout=1"]
    variables = os.environ | {"PYTHONPATH": str(book.root), "PYTEST_ADDOPTS": ""}
    return subprocess.run(
        [*command, "-n", "2", "--nbmake", "--for-book", "chapters"],
        cwd=book.root, env=variables, capture_output=True, text=True,
    )  # fmt: skip


def test_chapter_that_takes_too_long_or_dies_is_named(book):
    """时限是一整章的：前面的格用去的也算；成书与 nbmake 说的是同一句话。"""
    config = book.root / "_config.yml"
    config.write_text(re.sub("timeout: .*", "timeout: 8", config.read_text(encoding="utf-8")))
    book.chapter("one", "import time\ntime.sleep(7)", cell="sleep", before="import time\ntime.sleep(3)")
    book.chapter("two", "import os\nos._exit(1)", cell="leave")
    said = "one.ipynb 的 sleep 格没有执行完：整章用了 8 秒还没有完"
    result, _ = book.build()
    assert result.returncode != 0 and said in result.stderr
    assert "two.ipynb 的 leave 格没有执行完：" in result.stderr and "died" in result.stderr
    assert said in (told := nbmake(book).stdout) and "Traceback" not in told.partition("two.ipynb")[0]


def test_chapters_run_side_by_side(book):
    """两章互相等待，只有同时执行才走得完。"""
    wait = (
        "from pathlib import Path\nfrom time import sleep\nPath('{0}-started').touch()\n"
        "for _ in range(600):\n    if Path('{1}-started').exists():\n        break\n    sleep(0.1)\n"
        "else:\n    raise TimeoutError"
    )
    book.chapter("one", wait.format("one", "two"))
    book.chapter("two", wait.format("two", "one"))
    assert book.build(BOOK_WORKERS="2")[0].returncode == 0


def test_workers_do_not_change_the_pages(book):
    """同时执行几章，输出都相同：一章用一个线程，分几段送来的一行字仍是一行。"""
    code = (
        "import os, sys, time\n"
        "for word in ['线程', os.environ['OMP_NUM_THREADS'], '\\n', '末行', '\\n']:\n"
        "    print(word, end='')\n    sys.stdout.flush()\n    time.sleep(0.3)"
    )
    book.chapter("one", code)
    book.chapter("two", code)
    built = []
    for workers in "12":
        shutil.rmtree(book.root / "_build", ignore_errors=True)
        assert book.build(BOOK_WORKERS=workers)[1] == ["one", "two"]
        built.append(files(book.root / "_build/html"))
    assert built[0] == built[1]
    assert "线程1\n末行\n" in book.page("one")


def files(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def without_varying(built):
    """去掉每次都不同的输出，连同它们的图：图的文件名就是内容的摘要。"""
    kept = dict(built)
    for path in [path for path in built if path.suffix == ".html"]:
        cells = [cell for name, cell in VARIES if name == lasting(path)]
        soup = BeautifulSoup(built[path], "html.parser") if cells else None
        for cell in cells:
            output = soup.find(id=cell).select_one(".cell_output")
            for image in output.find_all("img"):
                kept.pop(Path(os.path.normpath(path.parent / image["src"])), None)
            output.decompose()
            kept[path] = soup.encode()
    return kept


@pytest.mark.parametrize(("name", "cell"), VARIES)
def test_cells_that_vary_are_there(name, cell):
    """几小时的那一遍才用到它们，改名却要当天知道。"""
    assert cell in [each["id"] for each in nbformat.read(ROOT / f"chapters/{file_of(name)}.ipynb", 4).cells]


@pytest.fixture
def build_elsewhere(tmp_path, monkeypatch):
    """在另一个文件夹里从头成两种文字的书，返回全部文件。"""
    public_url = repository.public_url()

    def build():
        variables = {name: value for name, value in os.environ.items() if name != "MAKEFLAGS"}
        variables["PYTHONPATH"] = str(tmp_path)
        command = ["make", "-C", tmp_path, "-o", ".venv/ready", "book"]
        result = subprocess.run(command, env=variables, capture_output=True, text=True)
        assert result.returncode == 0, result.stderr[-3000:]
        return files(tmp_path / "_build/html")

    ignored = shutil.ignore_patterns("_build", ".*", "__pycache__")
    shutil.copytree(ROOT, tmp_path, ignore=ignored, dirs_exist_ok=True)
    (tmp_path / ".venv").symlink_to(sys.prefix)
    # 那里没有 .git，地址写进文件里，两本书才指向同一个仓库
    monkeypatch.setattr(repository, "CONFIG", tmp_path / "_config.yml")
    repository.write_url(public_url or repository.PLACEHOLDER)
    return build


def check_equal(before, clean):
    """从头成的一次里的每个文件，之前成的书里都有，而且相同；之前的书可以留着不再用到的图，不许留着多余的网页。"""
    differ = [
        path
        for path in clean.keys() | {path for path in before if path.suffix == ".html"}
        if path.name != ".buildinfo"  # 里面是文件夹的名字
        and MYST_NB_STYLE.sub(rb"\1", before.get(path, b""))
        != MYST_NB_STYLE.sub(rb"\1", clean.get(path, b""))
    ]
    assert not differ, f"两次成书不同：{'、'.join(map(str, differ))}"


@pytest.mark.thorough
@pytest.mark.timeout(1800)
def test_clean_build_elsewhere_is_equal(build_elsewhere, tmp_path):
    """各章的输出取自 `make book`，在另一个文件夹里从头成书，每个文件一个字节也不差。"""
    shutil.copytree(ROOT / "_build/.jupyter_cache", tmp_path / "_build/.jupyter_cache")
    check_equal(files(BOOK), build_elsewhere())


@pytest.mark.thorough
@pytest.mark.timeout(3600)
def test_executing_again_changes_nothing(build_elsewhere):
    """各章都重新执行，除了 VARIES 里的几格，输出相同。"""
    check_equal(without_varying(files(BOOK)), without_varying(build_elsewhere()))
