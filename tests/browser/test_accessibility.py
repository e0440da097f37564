"""人人读得到：axe-core 查每一页的明暗两色与手机宽度，另查标题、编号与键盘。"""

import re
from collections import Counter

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from built_book import ALL_PAGES, PAGES

FRONT_DOORS = {"index.html", "zh-TW/index.html"}  # 只是转去首页
# 繁体的页面只差文字
SIMPLIFIED = [name for name in PAGES if "zh-TW/" not in name and name not in FRONT_DOORS]
# 视图里是成千上万条线：只查它的外框与周围的文字
EXCLUDE = [["iframe", "svg"]]
# 代码里同一类的词样子都一样，一页里每类留一个就够；看不见的、只有一个字的，axe 不下结论
THIN = """() => {
  const seen = new Set();
  for (const token of document.querySelectorAll('.highlight span[class], .sig span, code span')) {
    const block = token.closest('.highlight, .sig, code');
    const kind = [block, token.parentElement, token].map((node) => node.className).join();
    if (!token.checkVisibility() || token.textContent.length < 2) continue;
    if (seen.has(kind)) token.replaceWith(...token.childNodes);
    seen.add(kind);
  }
}"""
# 查颜色的规则最慢：记下每处文字在这一种主题里的样子，两种主题里都相同的只留一处
COLORS = ["color-contrast", "link-in-text-block"]
NOTE_COLORS = """() => {
  const ground = (node) => {
    const { backgroundColor, backgroundImage } = getComputedStyle(node);
    const clear = backgroundColor === 'rgba(0, 0, 0, 0)' && backgroundImage === 'none';
    return clear && node.parentElement ? ground(node.parentElement) : backgroundColor + backgroundImage;
  };
  for (const node of document.querySelectorAll('body *')) {
    const { color, opacity, fontSize, fontWeight } = getComputedStyle(node);
    const around = getComputedStyle(node.parentElement).color;
    node.looks = [node.looks, node.tagName, color, opacity, fontSize, fontWeight, around, ground(node)].join();
  }
}"""
KEEP_ONE_OF_EACH = """() => {
  const seen = new Set();
  for (const node of [...document.querySelectorAll('body *')].reverse()) {
    if (node.children.length) continue;
    const judged = node.textContent.trim().length > 1 && node.checkVisibility();
    if (seen.has(node.looks) || !judged) node.remove();
    else seen.add(node.looks);
  }
  return seen.size;
}"""
# 过两帧，随大小而变的就都变过了
TWO_FRAMES = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
# 换一个宽度，结论会变的只有这些规则
NARROW = ["scrollable-region-focusable", "target-size"]


@pytest.fixture(scope="module")
def page(browser):
    """一个标签页，axe 随每一页（也随每个视图）载入。"""
    tab = browser.new_page(locale="zh-CN")
    tab.add_init_script(AXE_SCRIPT)
    yield tab
    tab.close()


def faults(page, rules):
    """axe 按这些规则（None 是颜色以外的全部）查出的毛病。"""
    # axe 读不出公式里的 MathML，会把只有公式的表头当成空的；空表头由下一个测试来查
    off = ["empty-table-header", *COLORS]
    options = {"resultTypes": ["violations"]} | (
        {"runOnly": rules} if rules else {"rules": {rule: {"enabled": False} for rule in off}}
    )
    found = page.evaluate("([exclude, options]) => axe.run({exclude}, options)", [EXCLUDE, options])
    return [
        (fault["impact"], fault["id"], node["target"], node["html"][:160])
        for fault in found["violations"]
        for node in fault["nodes"]
    ]


def look(page, scheme, width):
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme)
    # 脚本随着换主题；没有脚本的页面只靠样式
    page.wait_for_function(
        "(scheme) => (document.documentElement.dataset.theme ?? scheme) === scheme", arg=scheme
    )
    page.evaluate(TWO_FRAMES)


@pytest.mark.parametrize("name", SIMPLIFIED)
def test_axe_finds_nothing_to_mend(page, roots, name):
    """一页载入一次：先在手机的宽度上查大小，再在宽屏上查其余的，最后换明暗两色查颜色。"""
    look(page, "light", 390)
    page.goto(roots["http"] + name)
    for frame in page.query_selector_all("iframe"):
        frame.scroll_into_view_if_needed()
        frame.content_frame().wait_for_selector("svg line", state="attached")
    page.add_style_tag(content="* { transition: none !important }")  # 不等侧栏慢慢滑动
    page.evaluate(THIN)
    assert faults(page, NARROW) == []
    look(page, "light", 1200)
    assert faults(page, None) == []
    for scheme in ("light", "dark"):
        look(page, scheme, 1200)
        page.evaluate(NOTE_COLORS)
    assert page.evaluate(KEEP_ONE_OF_EACH) > 1
    for scheme in ("dark", "light"):
        look(page, scheme, 1200)
        assert (scheme, faults(page, COLORS)) == (scheme, [])


def test_one_title_no_id_twice_no_empty_header(book):
    wrong = {}
    for name in PAGES:
        text = re.sub(r'srcdoc="[^"]*"', "", (book / name).read_text(encoding="utf-8"))
        twice = [id for id, times in Counter(re.findall(r'<[^>]*\sid="([^"]+)"', text)).items() if times > 1]
        empty = re.findall(r"<th[^>]*>(?:<p></p>)?</th>", text)
        if text.count("<h1") != (name not in FRONT_DOORS) or twice or empty:
            wrong[name] = text.count("<h1"), twice, empty
    assert wrong == {}


def test_first_tab_skips_to_the_text(blank, roots):
    blank.goto(roots["http"] + next(name for name in ALL_PAGES if name.startswith("chapters/")))
    blank.keyboard.press("Tab")
    assert blank.evaluate("document.activeElement.getAttribute('href')") == "#main-content"
    blank.keyboard.press("Enter")
    blank.keyboard.press("Tab")
    assert blank.evaluate("document.activeElement.closest('main') !== null")
