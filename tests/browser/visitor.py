"""打开书里的一页，从头看到尾，记下看到的毛病；test_pages.py 要它们一样也没有。

一页打开两次：在桌上经 http，在手机上从 file://；繁体的只差文字，只经 http，不查易读。末了换成印在纸上的样子。
"""

import gzip
import tomllib
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

from live_pages import COLORS, NARROW, new_page, prepare_axe

from course_book.printing.capture import OUTSIDE, WIDTH, onto_paper

DESK, PHONE, SMALL_PHONE = 1280, 390, 360
PATIENCE = 10_000  # 一个视图等多少毫秒
SMALLEST = 11  # 手机上图里的一个字最少多少像素高
LIMITS = {"chapters/index.html": 350_000}  # 别的页 500_000
VIEW = 160_000  # 一个视图，快看到时才取
COLUMNS = tomllib.loads((Path(__file__).parents[2] / "chapters/ruff.toml").read_text(encoding="utf-8"))[
    "line-length"
]
FRONT_DOORS = {"index.html", "zh-TW/index.html"}  # 只是转去首页

# 过两帧，随大小而变的就都变过了
TWO_FRAMES = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
SCROLL_THROUGH = """async () => {
  for (let y = 0; y < document.documentElement.scrollHeight; y += 850) {
    scrollTo({ top: y, behavior: 'instant' });
    await new Promise((done) => setTimeout(done, 30));
  }
}"""
UNFOLD = "() => { globalThis.folded = [...document.querySelectorAll('details:not([open])')]; for (const fold of folded) fold.open = true; }"
FOLD = "() => { for (const fold of folded) fold.open = false; }"
# 在哪里看都一样的
FACTS = """() => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const sources = (images) => images.map(({ src }) => src);
  const fonts = [...document.fonts].filter(({ family }) => family.includes('STIX'));
  return {
    '题目与语言': [document.title, document.documentElement.lang],
    '没有画成的公式': [
      ...all('.math:not(:has(> math)), merror'),
      ...all('math').filter((node) => node.checkVisibility() && node.getBoundingClientRect().height < 5),
    ].map((node) => node.textContent),
    '没有载入的字体': all('math').some((node) => node.checkVisibility()) ? [...new Set(fonts.map(({ status }) => status))].filter((status) => status !== 'loaded')
      .concat(fonts.length ? [] : '没有公式的字体') : [],
    '读不出的图': sources(all('img').filter((img) => img.complete && !img.naturalWidth)),
    '没有留位置的图': sources(all('.bd-article img').filter(
      ({ style, attributes }) => !(attributes.width || style.width) || !(attributes.height || style.height))),
    '看不见的图': all('.plot, .drawing').filter((node) => node.checkVisibility() && node.getBoundingClientRect().height < 20)
      .map((node) => node.outerHTML.slice(0, 120)),
    '没有名字的': [
      ...all('img').filter((img) => !img.alt.trim() || img.alt.includes('_images/')),
      ...all('iframe').filter((frame) => !frame.title.trim()),
      ...all('.plot').filter((plot) => !plot.closest('[role=img][aria-label]')),
    ].map((node) => node.outerHTML.slice(0, 120)),
  };
}"""
# 桌上，折叠的都展开：公式、不超过行宽的代码不用横着滚动
FITS = r"""(columns) => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const over = (node) => node.scrollWidth > node.clientWidth;
  const width = (line) => [...line].reduce((sum, letter) => sum + (letter > '\u2e80' ? 2 : 1), 0);
  return [
    ...all('div.cell_input pre').filter((pre) => over(pre) && pre.innerText.split('\n').every((line) => width(line) <= columns)),
    ...all('div.math').filter(over),
  ].map((node) => node.textContent.slice(0, 200));
}"""
# 桌上，折叠的都展开：输出折得下，解答不用横着滚动；汉字不斜，术语是粗的
UNFOLDED_FITS = r"""() => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const over = (node) => node.scrollWidth > node.clientWidth;
  const short = (node) => node.innerText.split('\n').every((line) => line.length <= 84);
  const text = (node) => node.textContent.slice(0, 120);
  return {
    '斜的汉字，不粗的术语': all('article em').filter((node) => /[\u4e00-\u9fff]/.test(node.textContent)).filter((node) => {
      const { fontStyle, fontWeight } = getComputedStyle(node);
      return fontStyle !== 'normal' || (node.matches('.term') && fontWeight < 600);
    }).map(text),
    '放不下的输出与解答': [
      ...all('.cell_output .output:is(.text_plain, .stream, .stderr) pre').filter(over),
      ...all('article details:not(.meta > *) pre').filter((node) => short(node) && over(node)),
    ].map(text),
  };
}"""
# 手机上，折叠的都展开：放不下的公式两头都滚得到，有影子，用键盘走得到
CUT_FORMULAS = """() => [...document.querySelectorAll('div.math')].filter((box) => {
  const frame = box.getBoundingClientRect();
  const places = () => [...box.querySelectorAll('math')].map((formula) => formula.getBoundingClientRect());
  const scrolls = box.scrollWidth > box.clientWidth;
  const start = places();
  box.scrollLeft = box.scrollWidth;
  const end = places();
  return start.some(({ left, top }) => left < frame.left - 1 || top < frame.top)
    || end.some(({ right, bottom }) => right > frame.right + 1 || bottom > frame.bottom)
    || scrolls !== (box.tabIndex === 0)
    || !getComputedStyle(box).backgroundImage.includes('gradient');
}).map((box) => box.textContent)"""
# 各幅的左右两边与字的大小
PLOTS = """() => {
  const scale = (svg) => svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
  return {
    rows: [...document.querySelectorAll('.plot div[style*=flex]')].filter((row) => row.checkVisibility()).map((row) =>
      [...row.children].map((svg) => svg.getBoundingClientRect()).map(({ left, right, top }) => [left, right, top])),
    // 有公式的一句，看它最大的字：指数总要小一些
    smallest: Math.min(99, ...[...document.querySelectorAll('.plot text')].filter((text) => text.checkVisibility()).map((text) =>
      Math.max(...[text, ...text.querySelectorAll('tspan')].filter((part) => part.firstChild?.nodeType === 3).map((part) =>
        parseFloat(getComputedStyle(part).fontSize))) * scale(text.closest('svg')))),
  };
}"""

# ---- axe
# 视图里是成千上万条线：只查它的外框与周围的文字
EXCLUDE = [["iframe", "svg"]]
# 代码里同一类的词样子都一样，一页里每类留一个就够；看不见的、只有一个字的，axe 不下结论
# 先问齐看不看得见，再改：改一处问一处，每次都要重排整页
THIN = """() => {
  const seen = new Set();
  const tokens = [...document.querySelectorAll('.highlight span[class], .sig span, code span')].filter((token) => token.checkVisibility());
  for (const token of tokens) {
    const block = token.closest('.highlight, .sig, code');
    const kind = [block, token.parentElement, token].map((node) => node.className).join();
    if (token.textContent.length < 2) continue;
    if (seen.has(kind)) token.replaceWith(...token.childNodes);
    seen.add(kind);
  }
}"""
# 查颜色的规则最慢：记下每处文字在这一种主题里的样子，两种主题里都相同的只留一处
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
  const seen = new Set(), nodes = [...document.querySelectorAll('body *')].reverse();
  const visible = new Set(nodes.filter((node) => node.checkVisibility()));
  for (const node of nodes) {
    if (node.children.length) continue;
    const judged = node.textContent.trim().length > 1 && visible.has(node);
    if (seen.has(node.looks) || !judged) node.remove();
    else seen.add(node.looks);
  }
  return seen.size;
}"""


def look(browser, folder, root, name, width):
    """打开 root（folder 的网址）里的一页，看到的毛病：哪一样 → 是哪些。"""
    page = new_page(browser, root + name, viewport={"width": width, "height": 900})
    try:
        if name in FRONT_DOORS:
            page.wait_for_url(lambda url: url != root + name)
        page.evaluate(SCROLL_THROUGH)
        shift = page.evaluate("window.shift")
        seen = common(page, name)
        if name not in FRONT_DOORS:
            seen["滚动时的移动"] = [shift] * (shift > 0.05)
            seen |= on_a_phone(page) if width == PHONE else at_a_desk(page, name, folder)
        # 在 axe 之前：它自己也要样式表，要得不对
        inside = (root, "data:", "about:", "blob:")
        seen["书外的请求"] = [url for url in page.asked if not url.startswith(inside)]
        seen["报的错"] = [*page.errors]
        traditional = name.startswith("zh-TW/")
        if not traditional and name not in FRONT_DOORS:
            seen["不易读的"] = unreadable(page, width)
        if (width == PHONE or traditional) and "chapters/" in name:
            onto_paper(page)  # 之后就不再是读者的那一页了
            seen["伸出版心的"] = page.evaluate(OUTSIDE, WIDTH)
    finally:
        page.context.close()
    return {what: found for what, found in seen.items() if found}


def common(page, name):
    page.evaluate("document.fonts.ready.then(() => true)")
    views = [marks(frame) for frame in page.query_selector_all("iframe")]
    seen = page.evaluate(FACTS)
    title, language = seen.pop("题目与语言")
    right = "解析 Transformer" in title and language == ("zh-TW" if name.startswith("zh-TW/") else "zh-CN")
    return seen | {
        "题目或语言": [] if right else [title, language],
        "没有画出的视图": [i for i, count in enumerate(views) if not count],
    }


def marks(frame):
    """滚到一个视图处（它们要用时才载入），数它画出的图形。"""
    frame.scroll_into_view_if_needed()
    inside = frame.content_frame()
    try:
        inside.wait_for_selector("svg line", state="attached", timeout=PATIENCE)
    except Exception:  # 没有画出来：交给测试去说
        return 0
    return inside.evaluate("document.querySelectorAll('svg line, svg rect, svg path').length")


def at_a_desk(page, name, folder):
    until_quiet(page)
    seen = {"重量": weight(page, folder, name) if "chapters/" in name else []}
    page.evaluate(UNFOLD)
    seen |= {"放不下的公式与代码": page.evaluate(FITS, COLUMNS)} | page.evaluate(UNFOLDED_FITS)
    page.evaluate(FOLD)
    if name.startswith("zh-TW/"):
        resize(page, PHONE)
        seen |= too_wide(page, PHONE)
    return seen


def until_quiet(page):
    """半秒里没有再要什么。框里的网页换过之后，playwright 的 networkidle 等不来。"""
    asked = None
    while asked != len(page.asked):
        asked = len(page.asked)
        page.wait_for_timeout(500)


def on_a_phone(page):
    seen = too_wide(page, PHONE)
    page.evaluate(UNFOLD)
    page.evaluate(TWO_FRAMES)
    seen["被切掉的公式"] = page.evaluate(CUT_FORMULAS)
    seen |= {f"展开以后{what}": found for what, found in too_wide(page, PHONE).items()}
    resize(page, SMALL_PHONE)
    plots = page.evaluate(PLOTS)
    seen["图里最小的字"] = [plots["smallest"]] * (plots["smallest"] < SMALLEST)
    beside = [panel for row in plots["rows"] if len(row) > 1 for panel in row]
    seen["出了屏幕的图"] = [
        [left, right] for left, right, _ in beside if not 0 <= left < right <= SMALL_PHONE
    ]
    resize(page, PHONE)
    page.evaluate(FOLD)
    return seen


def unreadable(page, width):
    """axe 查出的毛病：在手机上只查大小，在桌上查其余的，再换明暗两色查颜色。"""
    prepare_axe(page)
    page.evaluate(THIN)
    if width == PHONE:
        return axe(page, NARROW)
    found = axe(page)
    for scheme in ("light", "dark"):
        recolor(page, scheme)
        page.evaluate(NOTE_COLORS)
    assert page.evaluate(KEEP_ONE_OF_EACH) > 1
    for scheme in ("dark", "light"):
        recolor(page, scheme)
        found += [(scheme, *fault) for fault in axe(page, COLORS)]
    return found


def too_wide(page, width):
    found = page.evaluate("document.documentElement.scrollWidth")
    return {"横着跑": [found] * (found > width)}


def weight(page, folder, name):
    """连同各页共用的，经 gzip 有多少字节，快看到时才取的视图各算各的；不超过限度就不算毛病。"""
    names = {unquote(urlsplit(url).path).lstrip("/") for url in page.asked}
    files = {folder / each for each in names if (folder / each).is_file()}
    assert folder / name in files
    views = {each for each in files if each.parent.name == "views"}
    total = sum(map(gzipped, files - views))
    limit = LIMITS.get(name.removeprefix("zh-TW/"), 500_000)
    heavy = [size for size in map(gzipped, views) if size > VIEW]
    return heavy if 10_000 < total <= limit else [total, *heavy]


@cache
def gzipped(path):
    return len(gzip.compress(path.read_bytes(), 6))


def resize(page, width):
    page.set_viewport_size({"width": width, "height": 900})
    page.evaluate(TWO_FRAMES)


def recolor(page, scheme):
    page.emulate_media(color_scheme=scheme)
    # 脚本随着换主题；没有脚本的页面只靠样式
    page.wait_for_function(
        "(scheme) => (document.documentElement.dataset.theme ?? scheme) === scheme", arg=scheme
    )
    page.evaluate(TWO_FRAMES)


def axe(page, rules=None):
    """axe 按这些规则（None 是颜色以外的全部）查出的毛病。"""
    # axe 读不出公式里的 MathML，会把只有公式的表头当成空的；空表头另有一个测试来查
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
