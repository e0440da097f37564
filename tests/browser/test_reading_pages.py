"""读一页：第一眼不闪，跳得过目录，印得出来，拿得走，走错了有路回来。"""

import json
import re
import time
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urlsplit

import pytest
from built_book import ALL_PAGES, PAGES, Quiet, serve
from docutils import nodes
from live_pages import new_page

from chapters import page_of
from course_book.doctree.formulas import to_mathml
from course_book.templates.context import add_head_tags, settle_address, summary
from tools.notebook_form import canonical
from tools.repository import public_url

ROOT = Path(__file__).parents[2]
CHAPTERS = [name for name in PAGES if (ROOT / name).with_suffix(".ipynb").is_file()]
FIRST = next((name for name in ALL_PAGES if name.startswith("chapters/")), "index.html")
VIEWS = page_of("bertviz")


@pytest.fixture
def tab(browser):
    pages = []

    def open_tab(**settings):
        pages.append(browser.new_page(**{"locale": "zh-CN"} | settings))
        return pages[-1]

    yield open_tab
    for page in pages:
        page.close()


@pytest.mark.parametrize("scheme, ground", [("light", (255, 255, 255)), ("dark", (18, 18, 18))])
def test_first_paint_has_the_right_theme(tab, roots, scheme, ground):
    """主题自己的脚本在页尾；它没到之前，颜色就应当是对的。"""
    page = tab(color_scheme=scheme)
    page.route(re.compile(r"/scripts/[\w-]*theme"), lambda route: route.abort())
    page.goto(roots["http"] + FIRST)
    assert page.evaluate("document.documentElement.dataset.theme") == scheme
    colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
    near = [abs(int(c) - g) for c, g in zip(re.findall(r"\d+", colour), ground, strict=False)]
    assert max(near) < 12, colour


@pytest.mark.parametrize("at", ["<article", "<h1>"])
def test_nothing_moves_while_a_page_arrives(browser, book, at):
    """网页分两截到：后一截来了，先画出来的不动。"""
    name = page_of("embedding")

    class Slowly(Quiet):
        def do_GET(self):  # noqa: N802
            if self.path != f"/{name}":
                return super().do_GET()
            early, mark, late = (book / name).read_bytes().partition(at.encode())
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(early + mark)
            time.sleep(0.5)
            self.wfile.write(late)

    with serve(book, Slowly) as url:
        page = new_page(browser, url + name, viewport={"width": 1280, "height": 900})
        assert page.evaluate("window.shift") < 0.02
        page.context.close()


def test_the_first_guess_stays_in_sight(tab, roots):
    page = tab()
    page.goto(f"{roots['http']}{page_of('scaled_dot_product_attention')}")
    options = page.locator(".guess").first.locator("details")
    for i in (1, 0, 2):
        options.nth(i).locator("summary").click()
    assert options.evaluate_all(
        "(all) => all.map(({ classList, open }) => [classList.contains('mine'), open])"
    )[:3] == [[False, False], [True, False], [False, True]]


def test_first_tab_skips_to_the_text(tab, roots):
    page = tab()
    page.goto(roots["http"] + FIRST)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.getAttribute('href')") == "#main-content"
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('main') !== null")


def test_a_chapter_prints_whole(tab, roots):
    page = tab(viewport={"width": 1200, "height": 900}, color_scheme="dark")
    page.goto(roots["http"] + VIEWS)
    for frame in page.query_selector_all("iframe"):
        frame.scroll_into_view_if_needed()
        frame.content_frame().wait_for_selector("svg line", state="attached")
    opened = page.evaluate("document.querySelectorAll('article details[open]').length")  # 头一道练习
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 680, "height": 900})  # A4 去掉页边
    seen = page.evaluate("""() => {
      const all = (selector) => [...document.querySelectorAll(selector)];
      const shown = (node) => node.checkVisibility();
      const inside = (frame) => frame.contentDocument.documentElement;
      return {
        width: document.documentElement.scrollWidth,
        theme: document.documentElement.dataset.theme,
        folded: all('details:not([open])').length,
        furniture: all('.bd-sidebar-primary, .bd-sidebar-secondary, .bd-header-article, .copybtn, .prev-next-footer')
          .filter(shown).map((node) => node.className),
        title: shown(document.querySelector('article h1')),
        cut: all('pre, .pst-scrollable-table-container').filter((node) => node.scrollWidth > node.clientWidth + 1).length
          + all('iframe').filter((frame) => inside(frame).scrollWidth > frame.clientWidth + 1
              || inside(frame).scrollHeight > frame.clientHeight + 1).length,
        wide: all('iframe, article img').filter((node) => node.getBoundingClientRect().right > 681).length,
      };
    }""")
    assert seen.pop("width") <= 680
    assert seen == {"theme": "light", "folded": 0, "furniture": [], "title": True, "cut": 0, "wide": 0}
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.evaluate("document.querySelectorAll('article details[open]').length") == opened
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"


def test_formulas_are_set_as_tex_sets_them(tab, roots):
    """并排的矩阵各行对齐，根号不因为里面的字矮就掉下去，斜体的 W 不碰后面的加号。"""
    page = tab()
    page.goto(f"{roots['http']}{page_of('scaled_dot_product_attention')}")
    matrices = r"\begin{pmatrix}a\\a\end{pmatrix}\begin{pmatrix}f((p))\\f((p))\end{pmatrix}"
    page.evaluate(
        "(formulas) => { document.querySelector('article').innerHTML = formulas; }",
        to_mathml(matrices, True) + to_mathml(r"\sqrt{n}\sqrt{d}W+W_1", False),
    )
    rows, radicals, letters = page.evaluate("""() => ['mtr', 'msqrt', 'mi.leaning'].map((name) =>
      [...document.querySelectorAll(`article ${name}`)].map((node) => node.getBoundingClientRect().toJSON()))""")
    assert rows[0]["y"] == rows[2]["y"] and rows[1]["y"] == rows[3]["y"]
    assert radicals[0]["bottom"] == radicals[1]["bottom"]
    assert letters[0]["width"] > letters[1]["width"] + 1


def test_a_copied_formula_is_tex(tab, roots):
    page = tab()
    page.goto(f"{roots['http']}{page_of('scaled_dot_product_attention')}")
    copied = page.evaluate("""() => {
      const clipboardData = new DataTransfer();
      const start = document.querySelector('div.math mi').firstChild;
      getSelection().setBaseAndExtent(start, 0, start, 1);
      dispatchEvent(new ClipboardEvent('copy', { clipboardData }));
      return clipboardData.getData('text/plain');
    }""")
    assert copied == r"$$\mathrm{Attention}(Q,K,V)=\mathrm{softmax}\left(\frac{QK^{\top}}{\sqrt{d}}\right)V$$"


@pytest.mark.parametrize("scheme", ["http", "file"])
def test_the_other_book_opens_at_the_same_section(tab, roots, scheme):
    page = tab(viewport={"width": 1280, "height": 900})
    page.goto(f"{roots[scheme]}{page_of('scaled_dot_product_attention')}")
    page.locator("#pst-page-toc-nav a:visible").nth(4).click()
    section = page.evaluate("decodeURI(location.hash)")
    page.click("a.language-switch, a.btn[hreflang]")
    page.wait_for_url("**/zh-TW/**")
    assert section and page.evaluate("decodeURI(location.hash)") == section
    heading = page.locator(f"[id='{section[1:]}'] > :is(h1, h2, h3)")
    assert heading.bounding_box()["y"] < 200


@pytest.mark.parametrize(
    "address",
    [
        "/REPO/no",
        "/REPO/chapters/no/such/page.html",
        "/no/such.html",
        "/REPO/zh-TW/chapters/no.html",
        "/zh-TW/no",
    ],
)
def test_a_wrong_address_leads_home(tab, book, address):
    """像 GitHub Pages 那样：书放在 /仓库名/ 或 / 下，找不到时不论多深都给出 404.html。"""
    name = (public_url() or "/book").rpartition("/")[2]
    address = address.replace("REPO", name)
    root = f"/{name}/" if address.startswith(f"/{name}/") else "/"

    def answer(route):
        file = book / urlsplit(route.request.url).path.removeprefix(root)
        found = file.is_file() and urlsplit(route.request.url).path.startswith(root)
        route.fulfill(status=200 if found else 404, path=file if found else book / "404.html")

    page = tab()
    page.route("http://book.test/**", answer)
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"http://book.test{address}")
    assert asked == [f"http://book.test{address}"]  # 自带一切：从这里取什么都取不到
    there = "zh-TW/" if "/zh-TW/" in address else ""  # 两种文字的书共用它
    assert page.inner_text("h1") == ("沒有這一頁" if there else "没有这一页")
    links = [urlsplit(link.evaluate("(a) => a.href")).path for link in page.query_selector_all("a")]
    assert [link.removeprefix(root + there) for link in links] == ["chapters/index.html", "search.html"]
    page.click("a")
    assert page.url == f"http://book.test{root}{there}chapters/index.html"
    assert page.title().endswith("解析 Transformer")


def test_the_lost_page_leads_home_from_the_disk(tab, roots):
    page = tab()
    page.goto(f"{roots['file']}404.html")
    page.click("a")
    assert page.url == f"{roots['file']}chapters/index.html"


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_chapter_can_be_taken_away_and_launched(book, name):
    """带得走；有公开的仓库就能在 Colab 里打开，没有就一个字也不提。"""
    text = (book / name).read_text(encoding="utf-8")
    source = (ROOT / name).with_suffix(".ipynb")
    link = re.search(r'href="\.\./(_sources/[^"]+\.ipynb)"', text)[1]
    taken = (book / link).read_text(encoding="utf-8")
    assert taken == canonical(json.loads(source.read_bytes()), source.name, public_url())
    address = str(public_url()).removeprefix("https://github.com/")
    colab = f"https://colab.research.google.com/github/{address}/blob/main/chapters/{source.name}"
    times = 2 if public_url() else 0  # 徽章与按钮
    assert text.count(colab) == text.count("//colab.") == times
    assert text.count("%pip") == times // 2 and "course_lib.show" in text


def test_placeholder_is_nowhere_in_the_book(book):
    for path in [path for kind in ("html", "ipynb", "js") for path in book.rglob(f"*.{kind}")]:
        assert "OWNER" not in path.read_text(encoding="utf-8"), path


def test_every_page_says_what_it_is_about(book):
    for name in PAGES:
        if name.startswith("chapters/"):
            text = (book / name).read_text(encoding="utf-8")
            tags = dict(re.findall(r'<meta (?:property|name)="([^"]+)" content="([^"]*)">', text))
            assert 15 <= len(tags["og:description"]) <= 150, name
            assert "▶" not in tags["og:description"] and tags["og:title"] in text
            # 没有公开的地址时不编造一个
            assert ("og:url" in tags) == ("og:image" in tags) == ('rel="canonical"' in text)


def head_tags(repository, baseurl=""):
    config = SimpleNamespace(html_title="书", language="zh_CN", html_baseurl=baseurl, html_static_path=[])
    config.html_theme_options = {"repository_url": repository}
    settle_address(None, config)
    context = {"title": "一"}
    add_head_tags(SimpleNamespace(config=config), "chapters/a", "page.html", context, None)
    return context["head_tags"]


def test_a_published_book_gives_full_addresses(monkeypatch):
    monkeypatch.delenv("BOOK_URL", raising=False)
    tags = head_tags("https://github.com/Someone/book")
    assert tags["og:url"] == "https://someone.github.io/book/chapters/a.html"
    assert tags["og:image"] == "https://someone.github.io/book/_static/page.png"
    # 没有公开的地址时不编造一个；写明的胜过推断的
    assert "og:url" not in head_tags("")
    monkeypatch.setenv("BOOK_URL", "https://x.org/b")
    assert head_tags("https://github.com/Someone/book")["og:url"] == "https://x.org/b/chapters/a.html"
    assert head_tags("", "https://y.org/")["og:url"] == "https://y.org/chapters/a.html"


def test_the_summary_passes_over_the_badge():
    badge = nodes.paragraph("", "", nodes.reference("", "▶ 打开"))
    section = nodes.section("", badge, nodes.paragraph("", "这一章\n讲 " + "长" * 200))
    text = summary(section)
    assert text.startswith("这一章 讲 长") and len(text) == 150 and text.endswith("…")
