"""打开网页的几个测试文件共用一个服务器、一个 Chromium。"""

import pytest
from built_book import BOOK, open_browser, serve


@pytest.fixture(scope="session")
def book():
    if not (BOOK / "index.html").is_file():
        pytest.fail(f"{BOOK} 里没有成书：请先运行 make book。")
    return BOOK


@pytest.fixture(scope="session")
def browser():
    with open_browser() as browser:
        yield browser


@pytest.fixture(scope="session")
def roots(book):
    with serve(book) as url:
        yield {"http": url, "file": f"{book.as_uri()}/"}


@pytest.fixture
def blank(browser):
    page = browser.new_page()
    yield page
    page.close()
