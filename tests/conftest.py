"""成书与浏览器：打开网页的几个测试文件共用一个服务器、一个 Chromium。"""

import functools
import os
import shutil
import threading
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright
from tiers import *  # noqa: F403 钩子与夹具都要在 conftest 里

BOOK = Path(os.environ.get("BOOK_HTML") or Path(__file__).parents[1] / "_build" / "html").resolve()
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def book():
    if not (BOOK / "index.html").is_file():
        pytest.fail(f"{BOOK} 里没有成书：请先运行 make book。")
    return BOOK


@pytest.fixture(scope="session")
def browser():
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        pytest.fail("找不到 Chromium：请先安装它，例如 apt install chromium。")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield chromium
        chromium.close()


@contextmanager
def serve(folder):
    """在本机的一个空闲端口上提供 folder，给出网址。"""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *args):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()


@pytest.fixture(scope="session")
def roots(book):
    with serve(book) as url:
        yield {"http": url, "file": f"{book.as_uri()}/"}


@pytest.fixture
def blank(browser):
    page = browser.new_page()
    yield page
    page.close()
