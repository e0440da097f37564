"""带得走的书：解开在别处，断着网从硬盘打开，从最外面的一页走到章、检索、可以动手的图与打开 BERT。"""

import hashlib
import html
import re
import zipfile
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

import pytest
from bert_panel import press_open, shown
from bs4 import BeautifulSoup
from built_book import BOOK

from chapters import NOTEBOOKS, file_of
from tools import archive

pytestmark = pytest.mark.guards("tools", "_ext", "LICENSE")

archive.BOOK = BOOK
# 压得轻一些，快几倍
FAST = 1


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return archive.wheel(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module", params=archive.LANGUAGES)
def language(request, book):
    if not (book / archive.root_of(request.param) / "chapters/index.html").is_file():
        pytest.fail("少了一种文字的书：请先运行 make book。")
    return request.param


@pytest.fixture(scope="module")
def zipped(language, library, tmp_path_factory):
    return archive.build(language, library, tmp_path_factory.mktemp("带得走"), FAST)


@pytest.fixture(scope="module")
def folder(zipped, tmp_path_factory):
    """解开在一个名字里有汉字与空格的文件夹里。"""
    where = tmp_path_factory.mktemp("我的 书")
    with zipfile.ZipFile(zipped) as file:
        file.extractall(where)
    return where


def test_names_are_marked_as_utf8_and_times_are_fixed(zipped, language):
    with zipfile.ZipFile(zipped) as file:
        entries = file.infolist()
    assert [entry.filename for entry in entries] == sorted(entry.filename for entry in entries)
    start = next(entry for entry in entries if entry.filename == archive.START[language])
    assert start.flag_bits & 0x800
    assert {entry.date_time for entry in entries} == {archive.LONG_AGO}
    assert not [
        entry.filename for entry in entries if entry.filename.startswith("/") or ".." in entry.filename
    ]


@pytest.mark.thorough
def test_the_same_book_gives_the_same_bytes(language, library, tmp_path):
    """除去几百兆的数据，装两次，wheel 也另造一次。"""
    digests = []
    for name in "ab":
        (tmp_path / name).mkdir()
        again = library if name == "a" else archive.wheel(tmp_path / name)
        files = {
            file: content
            for part in archive.contents(language, again)
            for file, content in part.files.items()
            if "/live/data/" not in file
        }
        archive.write_zip(tmp_path / name / "book.zip", files, FAST)
        digests.append(hashlib.sha256((tmp_path / name / "book.zip").read_bytes()).hexdigest())
    assert digests[0] == digests[1]


def test_what_nobody_reads_is_left_out(folder):
    names = [path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()]
    assert not [
        name for name in names if archive.UNREAD.search(name) or name.endswith(("_sources", ".ipynb.html"))
    ]
    assert sorted(path.name for path in folder.glob("notebooks/*")) == [path.name for path in NOTEBOOKS]
    assert not list(folder.glob("book/**/*.ipynb"))
    assert len(list(folder.glob("course_lib-*.whl"))) == 1 and (folder / "LICENSE").is_file()
    data = [path for path in names if "/live/data/" in path]
    assert len({Path(path).name for path in data if "/bert/" in path}) == len(
        [p for p in data if "/bert/" in p]
    )


def test_the_sizes_on_the_front_are_true(folder, language):
    page = BeautifulSoup((folder / archive.START[language]).read_text(encoding="utf-8"), "html.parser")
    stated = [float(row.find_all("td")[1].text.split()[0]) for row in page.select("tr")]
    real = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6
    assert stated[-1] == pytest.approx(real, abs=0.1) and sum(stated[:-1]) == pytest.approx(real, abs=0.5)


def test_no_relative_link_is_broken(folder):
    """网页里的每个相对的地址，连同锚，都在包里；笔记本里的也是。"""
    pages = {path.resolve(): path.read_text(encoding="utf-8") for path in folder.rglob("*.html")}
    ids = {path: set(re.findall(r'\bid="([^"]+)"', text)) for path, text in pages.items()}
    broken = []
    for path, text in pages.items():
        for address in map(html.unescape, re.findall(r'\s(?:href|src)="([^"#][^"]*)"', text)):
            if urlsplit(address).scheme or address.startswith("//"):
                continue
            target, anchor = urldefrag(address)
            file = (path.parent / unquote(target.partition("?")[0])).resolve()
            # “打开 BERT”的地址里写着整个状态，如 #text=…&layer=0
            known = (
                "=" in anchor or file.suffix != ".html" or not anchor or unquote(anchor) in ids.get(file, ())
            )
            if not file.exists() or not known:
                broken.append((path.name, address))
    for path in folder.glob("notebooks/*.ipynb"):
        links = re.findall(r"\]\(([\w./]+\.(?:ipynb|html|md))(?:#[^)]*)?\)", path.read_text(encoding="utf-8"))
        broken += [(path.name, link) for link in links if not (path.parent / link).exists()]
    assert broken == []


def test_it_reads_without_a_network(folder, language, browser):
    context = browser.new_context(locale="zh-CN", viewport={"width": 1200, "height": 900})
    context.set_offline(True)
    page, outside, errors = context.new_page(), [], []
    inside = (folder.as_uri(), "data:", "blob:", "about:")
    page.on(
        "request", lambda request: None if request.url.startswith(inside) else outside.append(request.url)
    )
    page.on("requestfailed", lambda r: None if r.failure == "net::ERR_ABORTED" else errors.append(r.url))
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda text: errors.append(text.text) if text.type == "error" else None)

    page.goto((folder / archive.START[language]).as_uri())
    assert page.locator("html").get_attribute("lang") == language
    page.click("nav a")
    page.wait_for_url("**/chapters/index.html")
    assert page.locator("a.language-switch, link[hreflang]").count() == 0

    # 首页的卡片 → 章，里面有一幅可以动手的图
    chapter = file_of("scaled_dot_product_attention")
    page.click(f'article a[href*="{chapter}.html"] >> nth=0')
    page.wait_for_url(f"**/{chapter}.html")
    figure = page.locator("figure.explore >> nth=1")
    figure.scroll_into_view_if_needed()
    before = figure.inner_text()
    figure.get_by_text("下一步").click()
    page.wait_for_timeout(300)
    assert figure.inner_text() != before
    notebook = page.locator(f'a[href$="notebooks/{chapter}.ipynb"]').get_attribute("href")
    assert urljoin(page.url, notebook) == (folder / f"notebooks/{chapter}.ipynb").as_uri()

    # 检索
    page.goto(urljoin(page.url, "../search.html?q=BERT"))
    page.wait_for_selector("#search-results li a")
    page.click("#search-results li a >> nth=0")
    page.wait_for_url("**/chapters/*.html*")

    # 打开 BERT：在网页里真的算一次
    page.goto(urljoin(page.url, "live.html"))
    press_open(page)
    assert shown(page)["weights"]
    assert (outside, errors) == ([], [])
    context.close()


def test_the_language_models_data_is_whole(folder):
    """打开大语言模型的那一页取的文件，与成书里的一样多、一样大。"""

    def sizes(root):
        return {path.name: path.stat().st_size for path in root.glob("live/data/*/*")}

    assert sizes(folder / "book") == sizes(BOOK) != {}
