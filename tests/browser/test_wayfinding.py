"""读者在哪里：读过的记号记得住、撤得掉，两本书共用；没有脚本时不露痕迹；页眉与搜索框里什么也不相叠。"""

import pytest

from chapters import file_of, page_of

PAGE = page_of("attention_masks")
OTHER = page_of("feed_forward")
MARK = ".bd-docs-nav a[data-chapter=attention_masks] .read-mark"
TOGGLE = ".read-state button"


@pytest.fixture
def tab(browser):
    context = browser.new_context(viewport={"width": 1600, "height": 900}, locale="zh-CN")
    yield context.new_page()
    context.close()


def pressed(tab):
    return tab.get_attribute(TOGGLE, "aria-pressed")


@pytest.mark.parametrize("scheme", ["http", "file"])
def test_a_chapter_read_to_its_end_is_marked_in_both_books(tab, roots, scheme):
    tab.goto(roots[scheme] + PAGE)
    assert not tab.query_selector(MARK) and pressed(tab) == "false" and not tab.is_visible(".read-count")
    tab.locator("[id='小结'] > h2").scroll_into_view_if_needed()
    tab.wait_for_selector(MARK)
    link = tab.locator(".bd-docs-nav a[data-chapter=attention_masks]")
    assert "已读" in link.inner_text()
    assert tab.locator(MARK).locator("[aria-hidden]").inner_text() == "✓"
    assert tab.inner_text(".read-count b") == "1" and pressed(tab) == "true"

    tab.goto(roots[scheme] + "zh-TW/" + OTHER)
    assert "已讀" in tab.inner_text(MARK) and pressed(tab) == "false"
    tab.click(".read-count button")
    assert not tab.query_selector(".read-mark:not(template *)") and not tab.is_visible(".read-count")
    tab.goto(roots[scheme] + PAGE)
    assert not tab.query_selector(MARK)


def test_a_mark_taken_back_stays_away(tab, roots):
    tab.goto(roots["http"] + PAGE)
    tab.locator(TOGGLE).scroll_into_view_if_needed()
    tab.wait_for_selector(MARK)
    tab.click(TOGGLE)
    assert pressed(tab) == "false" and not tab.query_selector(MARK)
    tab.evaluate("scrollTo(0, 0)")
    tab.wait_for_timeout(200)
    tab.locator(TOGGLE).scroll_into_view_if_needed()
    tab.wait_for_timeout(200)
    assert pressed(tab) == "false" and not tab.query_selector(MARK)
    tab.focus(TOGGLE)
    tab.keyboard.press("Space")
    assert pressed(tab) == "true" and tab.query_selector(MARK)


@pytest.mark.parametrize("kept", ["{", "null", '{"a": 1}'])
def test_a_store_that_is_spoilt_or_shut_breaks_nothing(tab, roots, kept):
    errors = []
    tab.on("pageerror", lambda error: errors.append(str(error)))
    tab.add_init_script(f"""
      const {{ getItem, setItem }} = Storage.prototype;
      const ours = (key) => key.endsWith("-read");
      Storage.prototype.getItem = function (key) {{ return ours(key) ? {kept!r} : getItem.call(this, key); }};
      Storage.prototype.setItem = function (key, value) {{
        if (ours(key)) throw new DOMException("满了", "QuotaExceededError");
        setItem.call(this, key, value);
      }};
    """)
    tab.goto(roots["http"] + PAGE)
    tab.locator(TOGGLE).scroll_into_view_if_needed()
    tab.wait_for_selector(MARK)
    tab.click(TOGGLE)
    assert not tab.query_selector(MARK)
    assert errors == []


# 沙盒里的 iframe 一碰 localStorage 就是错；没有打开存储的 WebView 里是 null；满了的写不进去
STORES = {
    "不许": ("", ""),
    "没有": (
        "allow-same-origin",
        """for (const name of ["localStorage", "sessionStorage"])
          Object.defineProperty(window, name, { get: () => null, configurable: true });""",
    ),
    "满了": (
        "allow-same-origin",
        "Storage.prototype.setItem = () => { throw new DOMException('满了', 'QuotaExceededError'); };",
    ),
}


@pytest.mark.parametrize(("sandbox", "before"), STORES.values(), ids=STORES)
def test_a_page_that_may_store_nothing_still_works(tab, roots, sandbox, before):
    """目录、明暗、检索照样用，只是不记。"""
    errors = []
    tab.on("pageerror", lambda error: errors.append(str(error)))
    tab.add_init_script(before)
    tab.set_viewport_size({"width": 500, "height": 900})
    tab.goto(roots["http"] + PAGE)
    tab.set_content(
        f'<iframe sandbox="allow-scripts allow-forms {sandbox}" src="{roots["http"] + PAGE}" '
        'width="390" height="800"></iframe>'
    )
    frame, inside = tab.frames[-1], tab.frame_locator("iframe")
    frame.wait_for_load_state()
    inside.locator(".primary-toggle").click()
    inside.locator(".bd-docs-nav a[data-chapter=feed_forward]").scroll_into_view_if_needed()
    tab.keyboard.press("Escape")
    shown = frame.evaluate("document.documentElement.dataset.theme")
    inside.locator(".theme-switch-button:visible").first.click()
    assert frame.evaluate("document.documentElement.dataset.theme") != shown
    inside.locator("body").press("Control+k")
    tab.keyboard.type("层归一化")
    tab.keyboard.press("Enter")
    inside.locator("#search-results li a").first.click()
    frame.wait_for_url(lambda url: "search.html" not in url)
    frame.wait_for_load_state()
    assert errors == []


def test_without_scripts_the_marks_leave_no_trace(browser, roots):
    context = browser.new_context(java_script_enabled=False)
    tab = context.new_page()
    tab.goto(roots["http"] + PAGE)
    assert tab.inner_text(".chapter-place").startswith(f"第 {int(file_of('attention_masks')[:2])} 章，共 ")
    assert not any(
        node.is_visible() for node in tab.query_selector_all(".read-state, .read-count, .read-mark")
    )
    assert tab.is_visible(".way-cards a[rel=next]")
    context.close()


def test_the_mark_moves_nothing(tab, roots):
    tab.goto(roots["http"] + PAGE)
    places = "() => [...document.querySelectorAll('.bd-docs-nav li')].map((node) => node.getBoundingClientRect().height)"
    before = tab.evaluate(places)
    tab.evaluate("localStorage.setItem('transformer-course-read', JSON.stringify([...document.querySelectorAll('[data-chapter]')].map(({ dataset }) => dataset.chapter)))")  # fmt: skip
    tab.reload()
    assert len(tab.query_selector_all(".bd-docs-nav .read-mark")) > 10
    assert tab.evaluate(places) == before


OVERLAPS = """(selector) => {
  const boxes = [...document.querySelectorAll(selector)].filter((node) => node.checkVisibility())
    .map((node) => node.getBoundingClientRect()).filter(({ width }) => width);
  const meet = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
  return {
    count: boxes.length,
    meeting: boxes.flatMap((a, i) => boxes.slice(i + 1).filter((b) => meet(a, b))).length,
    outside: boxes.filter(({ left, right }) => left < 0 || right > innerWidth).length,
  };
}"""


@pytest.mark.parametrize("width, font", [(360, 16), (1280, 16), (360, 24), (390, 32)])
def test_nothing_overlaps_in_the_header(tab, roots, width, font):
    tab.set_viewport_size({"width": width, "height": 740})
    tab.goto(roots["http"] + PAGE)
    tab.add_style_tag(content=f"html {{ font-size: {font}px !important }}")  # 读者在浏览器里设的
    assert tab.evaluate("document.documentElement.scrollWidth") == width
    seen = tab.evaluate(OVERLAPS, ".bd-header-article :is(button, a.btn)")
    assert seen["count"] >= 4 and seen["meeting"] == seen["outside"] == 0
    seen = tab.evaluate(OVERLAPS, ".way-cards a, .read-state > *")
    assert seen["count"] == 4 and seen["meeting"] == seen["outside"] == 0
    small = tab.evaluate("""() => [...document.querySelectorAll('.way-cards a, .read-state button')]
      .filter((node) => node.getBoundingClientRect().height < 40).length""")
    assert small == 0


@pytest.mark.parametrize("width", [360, 1280])
def test_the_magnifier_stands_beside_the_words(tab, roots, width):
    tab.set_viewport_size({"width": width, "height": 740})
    tab.goto(roots["http"] + "search.html")
    seen = tab.evaluate("""() => {
      const form = document.querySelector('.bd-search-container form.bd-search');
      const [icon, field] = ['i', 'input'].map((name) => form.querySelector(name));
      field.focus();
      return {
        gap: field.getBoundingClientRect().left + parseFloat(getComputedStyle(field).paddingLeft) - icon.getBoundingClientRect().right,
        ring: getComputedStyle(form).boxShadow,
        hint: field.placeholder,
      };
    }""")
    assert 2 < seen["gap"] < 30 and seen["ring"] != "none" and "搜索" in seen["hint"]
