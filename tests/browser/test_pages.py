"""成书的每一页，在真的 Chromium 里打开：经 http 与从 file:// 各一遍。"""

import functools
import html
import re

import bertviz
import pytest
import torch
from built_book import ALL_PAGES, MOVED, PAGES

from course_lib.show.frames import offline_frame

# 繁体的页面与简体的只差文字：经 http 看一遍就够，两本书的对照在 test_traditional.py
VISITS = [
    (page, scheme)
    for page in PAGES
    for scheme in ("http", "file")
    if scheme == "http" or "zh-TW/" not in page
]
FACTS = """() => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  return {
    lang: document.documentElement.lang,
    title: document.title,
    badFormulas: [
      ...all('.math:not(:has(> math)), merror'),
      ...all('math').filter((node) => node.checkVisibility() && node.getBoundingClientRect().height < 5),
    ].map((node) => node.textContent),
    formulaFonts: [...new Set([...document.fonts].filter(({ family }) => family.includes('STIX')).map(({ status }) => status))],
    formulas: all('math').length,
    brokenImages: all('img').filter((img) => img.complete && !img.naturalWidth).map((img) => img.src),
    unsized: all('.bd-article img').filter(
      ({ style, attributes }) => !(attributes.width || style.width) || !(attributes.height || style.height)
    ).map((img) => img.src),
    unnamed: [
      ...all('img').filter((img) => !img.alt.trim() || img.alt.includes('_images/')),
      ...all('iframe').filter((frame) => !frame.title.trim()),
      ...all('.plot').filter((plot) => !plot.closest('[role=img][aria-label]')),
    ].map((node) => node.outerHTML.slice(0, 120)),
  };
}"""


@pytest.fixture(scope="session")
def visit(browser, roots):
    """打开一页，把看到的一切记成字典；同一页只打开一次，共用的脚本与样式浏览器也只取一次。"""
    context = browser.new_context(viewport={"width": 1200, "height": 900}, locale="zh-CN")

    @functools.cache
    def open_page(name, scheme):
        root = roots[scheme]
        page = context.new_page()
        seen = {"outside": [], "errors": []}

        def on_request(request):
            if not request.url.startswith((root, "data:", "about:", "blob:")):
                seen["outside"].append(request.url)

        def on_failure(request):
            if request.failure != "net::ERR_ABORTED":  # 转走时放弃的请求不算
                seen["errors"].append(f"读不到 {request.url}")

        page.on("request", on_request)
        page.on("requestfailed", on_failure)
        page.on("pageerror", lambda error: seen["errors"].append(str(error)))
        page.on("console", lambda text: seen["errors"].append(text.text) if text.type == "error" else None)
        page.goto(root + name)
        if name in ("index.html", "zh-TW/index.html"):  # 它只是转去首页
            page.wait_for_url(lambda url: url != root + name)
        page.evaluate("document.fonts.ready.then(() => true)")
        seen["views"] = [marks(frame) for frame in page.query_selector_all("iframe")]
        seen |= page.evaluate(FACTS)
        page.set_viewport_size({"width": 390, "height": 800})
        page.wait_for_timeout(100)
        seen["phone"] = page.evaluate("document.documentElement.scrollWidth")
        page.close()
        return seen

    yield open_page
    context.close()


def marks(frame):
    """滚到一个视图处（它们要用时才载入），数它画出的图形。"""
    frame.scroll_into_view_if_needed()
    inside = frame.content_frame()
    try:
        inside.wait_for_selector("svg line", state="attached", timeout=10_000)
    except Exception:  # 没有画出来：交给测试去说
        return 0
    return inside.evaluate("document.querySelectorAll('svg line, svg rect, svg path').length")


def on_every_page(test):
    return pytest.mark.parametrize(("name", "scheme"), VISITS)(test)


@on_every_page
def test_no_request_leaves_the_book(visit, name, scheme):
    assert visit(name, scheme)["outside"] == []


@on_every_page
def test_no_errors(visit, name, scheme):
    assert visit(name, scheme)["errors"] == []


@on_every_page
def test_every_formula_is_drawn(visit, name, scheme):
    seen = visit(name, scheme)
    assert seen["badFormulas"] == []
    assert seen["formulaFonts"] == ["loaded"] * bool(seen["formulas"])


@on_every_page
def test_every_view_is_drawn(visit, name, scheme):
    views = visit(name, scheme)["views"]
    assert all(views), f"各个视图的图形数：{views}"


@on_every_page
def test_page_is_chinese_and_named(visit, name, scheme):
    seen = visit(name, scheme)
    assert seen["lang"] == ("zh-TW" if name.startswith("zh-TW/") else "zh-CN")
    assert "解析 Transformer" in seen["title"]
    assert (seen["unnamed"], seen["brokenImages"]) == ([], [])


@on_every_page
def test_images_reserve_their_place(visit, name, scheme):
    assert visit(name, scheme)["unsized"] == []


@on_every_page
def test_phone_needs_no_sideways_scroll(visit, name, scheme):
    assert visit(name, scheme)["phone"] <= 390


LOADS = re.compile(
    r"""<(?:script|img|iframe|source|video|audio|embed|object)\b[^>]*\s(?:src|data|srcset)=["']?(?:https?:)?//[^>]*>"""
    r"""|<link\b(?=[^>]*\brel=["']?(?:stylesheet|icon|preload|prefetch|modulepreload|preconnect|dns-prefetch))"""
    r"""[^>]*\bhref=["']?(?:https?:)?//[^>]*>"""
    r"""|@import\s+["'(]?(?:url\()?["']?(?:https?:)?//\S*|url\(\s*["']?(?:https?:)?//\S*"""
    r"""|\.(?:src|href)\s*=\s*["'`](?:https?:)?//\S*|\bimport\(?\s*["'`](?:https?:)?//\S*"""
)


def test_no_file_names_something_to_load_elsewhere(book):
    """浏览器没走到的分支也不许从外站取脚本、样式、图片或字体。"""
    found = {}
    for path in [p for kind in ("html", "css", "js") for p in book.rglob(f"*.{kind}")]:
        text = path.read_text(encoding="utf-8", errors="replace")
        hits = LOADS.findall(text) + LOADS.findall(html.unescape(text) if path.suffix == ".html" else "")
        if hits:
            found[path.relative_to(book).as_posix()] = [hit[:120] for hit in hits]
    assert found == {}


@pytest.mark.parametrize(
    "text",
    [
        '<script src="https://x.org/a.js"></script>',
        "<img alt='' src=//x.org/a.png>",
        '<link href="https://x.org/a.css" rel="stylesheet">',
        "@import url(https://x.org/a.css)",
        "background: url('//x.org/a.woff')",
        'script.src = "https://x.org/a.js"',
    ],
)
def test_the_pattern_above_finds_loads(text):
    assert LOADS.search(text)


def test_changing_the_layer_redraws_a_head_view(book, blank, roots):
    name = next(
        (page for page in ALL_PAGES if 'title="头视图' in (book / page).read_text(encoding="utf-8")), None
    )
    assert name, "书里一个头视图也没有。"
    blank.goto(roots["file"] + name)
    frame = blank.query_selector('iframe[title^="头视图"]')
    frame.scroll_into_view_if_needed()
    inside = frame.content_frame()
    inside.wait_for_selector("svg line", state="attached")
    drawn = (
        "[...document.querySelectorAll('#attention line')].map((line) => line.getAttribute('stroke-opacity'))"
    )
    before = inside.evaluate(drawn)
    layers = inside.evaluate("[...document.querySelector('#layer').options].map((option) => option.value)")
    current = inside.input_value("#layer")
    inside.select_option("#layer", next(layer for layer in layers if layer != current))
    after = inside.evaluate(drawn)
    assert len(before) == len(after) > 0 and before != after


def test_blocks_of_a_pair_are_cut_right_in_the_page(blank):
    """页面里只存整张表，句 B → 句 A 的那一块由脚本切出来：画出的就是它。"""
    attention = torch.rand(1, 1, 5, 5).double()
    raw = bertviz.head_view([attention], list("abcde"), sentence_b_start=2, html_action="return").data
    blank.set_content(offline_frame(raw, 350, title="句对"))
    inside = blank.wait_for_selector("iframe").content_frame()
    inside.wait_for_selector("svg line", state="attached")
    inside.select_option("#filter", label="句 B → 句 A")
    drawn = inside.evaluate("d3.selectAll('#attention line').data()")
    torch.testing.assert_close(
        torch.tensor(drawn).view(3, 2), attention[0, 0, 2:, :2].float(), atol=1e-3, rtol=0
    )


@pytest.mark.parametrize("scheme", ["http", "file"])
def test_an_old_address_keeps_its_place_in_the_page(blank, roots, scheme):
    old, new = next(iter(MOVED.items()))
    blank.goto(f"{roots[scheme]}{old}#小结")
    blank.wait_for_url(f"**/{new}#*")
    assert blank.locator("section:target h2").inner_text().startswith("小结")
