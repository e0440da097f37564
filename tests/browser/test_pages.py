"""成书的每一页，在真的 Chromium 里：visitor.py 打开它，看到的毛病一样也没有；另有只看文件的几条。"""

import html
import random
import re
from collections import Counter

import bertviz
import pytest
import torch
import visitor
from built_book import ALL_PAGES, ONLY, PAGES, serve
from visitor import DESK, FRONT_DOORS, PHONE

from chapters import file_of, page_of
from course_lib.show.frames import offline_frame

# 繁体的书只差文字，平常看几页就够
TRADITIONAL = (
    "index",
    "chapters/index",
    file_of("scaled_dot_product_attention"),
    file_of("bertviz"),
    "live",
    "train",
    "llm",
    "glossary",
)
VISITS = [
    pytest.param(page, width, marks=[] if often or ONLY else pytest.mark.thorough)
    for page in PAGES
    for often in ["zh-TW/" not in page or page.endswith(tuple(f"{name}.html" for name in TRADITIONAL))]
    for width in (DESK, PHONE)
    if width == DESK or "zh-TW/" not in page
]


@pytest.mark.guards(page=True)
@pytest.mark.parametrize(("name", "width"), VISITS)
def test_nothing_is_wrong(browser, book, roots, name, width):
    assert visitor.look(browser, book, roots["file" if width == PHONE else "http"], name, width) == {}


# 看得见的每一样毛病 → 种在一页里的一处
DOT = "data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAAC"
SIZED = 'width="9" height="9"'
PLOT = '<div class="plot" role="img" aria-label="图"><div style="display: flex">{}</div></div>'
EVERYWHERE = {
    "没有画成的公式": '<span class="math">x</span>',
    "没有载入的字体": """<style>@font-face { font-family: "STIX x"; src: url(nowhere.woff2) }</style>
      <p style="font-family: 'STIX x'">x</p>""",
    "读不出的图": f'<img src="nowhere.png" alt="图" {SIZED}>',
    "没有留位置的图": f'<img src="{DOT}" alt="图">',
    "看不见的图": '<div class="drawing"><svg style="display: none"></svg></div>',
    "没有名字的": f'<img src="{DOT}" alt="" {SIZED}>',
    "题目或语言": "<script>document.title = '别的'</script>",
    "没有画出的视图": '<iframe title="视图" srcdoc="空的"></iframe>',
    "滚动时的移动": """<script>addEventListener("scroll", () => setTimeout(() => {
      document.elementFromPoint(innerWidth / 2, 450).closest("article *").style.marginTop = "400px"; }))</script>""",
    "书外的请求": f'<img src="http://127.0.0.1:9/x.png" alt="图" {SIZED}>',
    "报的错": "<script>console.error('错')</script>",
    "不易读的": """<p style="color: #ddd; background: #fff">看不清</p>
      <button style="padding: 0; width: 9px; height: 9px"></button>
      <button style="padding: 0; width: 9px; height: 9px"></button>
      <div style="height: 20px; overflow: auto"><p style="height: 99px">走不到</p></div>""",
}
AT_A_DESK = {
    "重量": "<script>fetch('heavy.bin')</script>",
    "放不下的公式与代码": '<div class="cell_input"><pre style="width: 9px">print</pre></div>',
    "斜的汉字，不粗的术语": '<em style="font-style: italic !important">字</em>',
    "放不下的输出与解答": """<div class="cell_output"><div class="output stream"><pre
      style="width: 9px; white-space: pre">print</pre></div></div>""",
}
ON_A_PHONE = {
    "横着跑": '<div style="width: 400px">宽</div>',
    "展开以后横着跑": '<details><summary>一</summary><div style="width: 500px">宽</div></details>',
    "被切掉的公式": '<div class="math" style="background: none"><math><mi>x</mi></math></div>',
    "图里最小的字": PLOT.format('<svg viewBox="0 0 900 9" width="90"><text>字</text></svg>'),
    "伸出版心的": '<style>@media print { .too-wide { width: 700px } }</style><p class="too-wide">宽</p>',
    "出了屏幕的图": PLOT.format('<svg viewBox="0 0 9 9" style="flex: none; width: 300px"></svg>' * 2),
}
RULES = {
    DESK: {"button-name", "color-contrast"},
    PHONE: {"target-size", "scrollable-region-focusable"},
}


@pytest.mark.parametrize(("width", "only"), [(DESK, AT_A_DESK), (PHONE, ON_A_PHONE)])
def test_every_kind_of_fault_is_seen(browser, book, tmp_path, monkeypatch, width, only):
    """一章的副本，每样毛病种一处：一样不少地看得见，也没有别的。"""
    monkeypatch.setattr(visitor, "PATIENCE", 500)
    for name in ("_static", "live"):
        (tmp_path / name).symlink_to(book / name)
    page = page_of("scaled_dot_product_attention")
    text, faults = (book / page).read_text(encoding="utf-8"), EVERYWHERE | only
    (tmp_path / "chapters").mkdir()
    (tmp_path / page).write_text(text.replace("</article>", "".join(faults.values()) + "</article>"))
    (tmp_path / "chapters/heavy.bin").write_bytes(random.Random(0).randbytes(600_000))
    with serve(tmp_path) as url:
        root = url if width == DESK else f"{tmp_path.as_uri()}/"
        seen = visitor.look(browser, tmp_path, root, page, width)
    assert seen.keys() == faults.keys()
    assert {rule for each in seen["不易读的"] for rule in each if isinstance(rule, str)} >= RULES[width]


def test_one_title_no_id_twice_no_empty_header(book):
    wrong = {}
    for name in PAGES:
        text = re.sub(r'srcdoc="[^"]*"', "", (book / name).read_text(encoding="utf-8"))
        twice = [id for id, times in Counter(re.findall(r'<[^>]*\sid="([^"]+)"', text)).items() if times > 1]
        empty = re.findall(r"<th[^>]*>(?:<p></p>)?</th>", text)
        if text.count("<h1") != (name not in FRONT_DOORS) or twice or empty:
            wrong[name] = text.count("<h1"), twice, empty
    assert wrong == {}


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


@pytest.mark.parametrize("scheme", ["http", "file"])
def test_views_wait_until_they_are_near(book, open_tab, scheme):
    """刚打开时，离得远的视图一个也没有取，框里写着它是什么；走近了才取来，画得出，框高跟着内容走。"""
    name = next(page for page in ALL_PAGES if "<iframe" in (book / page).read_text(encoding="utf-8"))
    page = open_tab(name, scheme)
    far = [f for f in page.query_selector_all("iframe[data-view]") if f.bounding_box()["y"] > 2000]
    assert far
    for frame in far:
        address = frame.get_attribute("data-view").removeprefix("../")
        assert not [url for url in page.asked if url.endswith(address)]
        assert frame.get_attribute("title") in frame.content_frame().inner_text("body")
    far[-1].scroll_into_view_if_needed()
    far[-1].content_frame().wait_for_selector("svg line", state="attached")
    page.wait_for_function("(frame) => frame.clientHeight !== 420", arg=far[-1])


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
