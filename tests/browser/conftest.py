"""打开网页的几个测试文件共用一个服务器。"""

import pytest
from built_book import BOOK, serve
from live_pages import new_page

from course_lib.show.explore import page as figure


@pytest.fixture(scope="session")
def book():
    if not (BOOK / "index.html").is_file():
        pytest.fail(f"{BOOK} 里没有成书：请先运行 make book。")
    return BOOK


@pytest.fixture(scope="session")
def roots(book):
    with serve(book) as url:
        yield {"http": url, "file": f"{book.as_uri()}/"}


@pytest.fixture
def open_tab(browser, roots):
    """打开书里的一页（`new_page`），测试完了就关上。"""
    pages = []

    def open_it(name, scheme="http", **settings):
        pages.append(new_page(browser, roots[scheme] + name, **settings))
        return pages[-1]

    yield open_it
    for page in pages:
        page.context.close()


@pytest.fixture
def blank(browser):
    page = browser.new_page()
    yield page
    page.close()


@pytest.fixture
def open_figure(blank):
    """把一幅可以动手的图单独放在一页里打开，像在笔记本里那样。"""

    def open_it(name, data, width=760):
        errors = []
        blank.on("pageerror", lambda error: errors.append(error))
        blank.set_viewport_size({"width": width, "height": 900})
        blank.set_content(
            f'<!doctype html><html lang="zh-CN"><body>{figure(name, "说明", data)}</body></html>'
        )
        blank.wait_for_selector("figure.explore[data-ready]", state="attached")  # 快看到时才画
        assert not errors
        return blank

    return open_it


@pytest.fixture
def page(open_figure, request):
    """test_explore_X.py 里的图 X，摆着那里的 DATA。"""
    return open_figure(request.path.stem.removeprefix("test_explore_"), request.module.DATA)
