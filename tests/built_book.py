"""成好的书：它在哪里，有哪些页，怎样在本机提供它，用哪个浏览器打开它。"""

import functools
import os
import sys
import threading
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from tools import chromium

BOOK = Path(os.environ.get("BOOK_HTML") or Path(__file__).parents[1] / "_build" / "html").resolve()
ALL_PAGES = sorted(
    page.relative_to(BOOK).as_posix() for page in BOOK.rglob("*.html") if "_static" not in page.parts
)
# 书还没有成时也留一页，好让测试失败而不是消失
ALL_PAGES = ALL_PAGES or ["index.html"]
# make check-changed 只逐页看改过的
ONLY = os.environ.get("BOOK_PAGES", "").split()
PAGES = [page for page in ALL_PAGES if page.removeprefix("zh-TW/") in ONLY] if ONLY else ALL_PAGES
open_browser = chromium.open_browser


class LocalServer(ThreadingHTTPServer):
    """浏览器半路挂断是常事，不必说；别的错照样打印。"""

    def handle_error(self, request, client_address):
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


@contextmanager
def serve(folder):
    """在本机的一个空闲端口上提供 folder，给出网址。"""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *args):
            pass

    with LocalServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
