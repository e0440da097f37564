"""成好的书：它在哪里，有哪些页，怎样在本机提供它。"""

import functools
import html
import os
import re
import sys
import threading
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from bs4 import BeautifulSoup

BOOK = Path(os.environ.get("BOOK_HTML") or Path(__file__).parents[1] / "_build" / "html").resolve()
ALL_PAGES = sorted(
    page.relative_to(BOOK).as_posix() for page in BOOK.rglob("*.html") if "_static" not in page.parts
)
# 书还没有成时也留一页，好让测试失败而不是消失
ALL_PAGES = ALL_PAGES or ["index.html"]
# make check-changed 只逐页看改过的
ONLY = os.environ.get("BOOK_PAGES", "").split()
PAGES = [page for page in ALL_PAGES if page.removeprefix("zh-TW/") in ONLY] if ONLY else ALL_PAGES


# 里面的不是标记
SILENT = re.compile(r"<!--.*?-->|(<(script|style)\b[^>]*>).*?(?=</\2>)", re.S)
TAG = re.compile(r'<(\w[\w-]*)((?:\s+[^\s=>"/]+(?:=(?:"[^"]*"|[^\s">]+))?)*)\s*/?>')
ATTRIBUTE = re.compile(r'([^\s=>"/]+)(?:=(?:"([^"]*)"|([^\s">]+)))?')


@functools.cache
def read(path):
    if not path.is_file():
        raise AssertionError(f"没有 {path.relative_to(BOOK)}：请先运行 make book。")
    return path.read_text(encoding="utf-8")


@functools.cache
def parsed(path):
    """一页的文档树，一个进程里只读一遍：要改它的测试改副本。"""
    return BeautifulSoup(read(path), "html.parser")


@functools.cache
def tags(path):
    """一页里的各个标记，依次：（名字，属性）。只问锚与链接的用它，比读成文档树快十倍。"""
    return [
        (name, {key: html.unescape(quoted or bare) for key, quoted, bare in ATTRIBUTE.findall(attributes)})
        for name, attributes in TAG.findall(SILENT.sub(r"\1", read(path)))
    ]


def part(path, tag, name):
    """一页里 class 写着 name 的第一个 tag，读成文档树；没有就是 None。它里面不能再有 tag。"""
    opening = rf'<{tag}\b[^>]*\bclass="(?:[^"]* )?{name}[ "]'
    found = re.search(rf"{opening}.*?</{tag}>", read(path), re.S)
    return BeautifulSoup(found[0], "html.parser").find() if found else None


class LocalServer(ThreadingHTTPServer):
    """浏览器半路挂断是常事，不必说；别的错照样打印。"""

    def handle_error(self, request, client_address):
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *args):
        pass


@contextmanager
def serve(folder, handler=Quiet):
    """在本机的一个空闲端口上提供 folder，给出网址。"""
    with LocalServer(("127.0.0.1", 0), functools.partial(handler, directory=folder)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
