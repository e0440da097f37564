"""“打开一个大语言模型”的网页：打开的时候，网址，坏的前文，键盘，窄处与宽处，繁体的书。"""

# ruff: noqa: F811  下面的 opened、opened_once、visit 是 fixture
import re
from urllib.parse import parse_qsl, urlencode

import pytest
from built_book import BOOK
from live_pages import COMPOSING_ENTER, axe_faults, both_ways, prepare_axe
from llm_panel import (
    PAGE,
    PARIS,
    STORY,
    assert_bars,
    encode,
    enter,
    logits_of,
    open_view,
    opened,  # noqa: F401
    opened_once,  # noqa: F401
    press_open,
    settle,
    shown,
    start,
    step,
    visit,  # noqa: F401
)

from course_book.after_writing.live_data import written
from course_book.templates import live_page

pytestmark = pytest.mark.guards("live", "_ext", "chapters/llm.md")

PANEL = live_page.PANELS["llm"]
DATA_BYTES = sum(written(BOOK / "live/data/llm")["files"].values())


@both_ways
def test_nothing_before_the_button_and_nothing_after(visit, roots, scheme):
    """按按钮之前只有几个小文件，按钮上写着大小；取齐之后写什么都没有请求，断了网也一样。

    按一下，此刻的网址就在剪贴板里；浏览器不让，就说到哪里去抄。
    """
    page = visit(scheme, f"#{urlencode({'text': STORY, 'seed': 7})}")
    page.wait_for_load_state("networkidle")
    live = {match[1] for url in page.asked if (match := re.search(r"/live/([^?]+)", url))}
    assert live == {*PANEL.scripts, *PANEL.styles}
    assert page.locator(".llm-ask textarea").input_value() == STORY
    promised = int(re.search(r"约 (\d+) MB", page.inner_text(".llm-opening .live-open"))[1])
    assert promised == round(DATA_BYTES * (4 / 3 if scheme == "file" else 1) / 1e6)
    press_open(page)
    assert all(url.startswith((roots[scheme], "blob:", "data:")) for url in page.asked)
    page.context.set_offline(True)
    page.asked.clear()
    enter(page, "Zenith gunners, 山 😀")
    assert_bars(page, encode("Zenith gunners, 山 😀"))
    step(page)
    page.evaluate("() => { navigator.clipboard.writeText = async (text) => { globalThis.copied = text; }; }")
    button = page.get_by_role("button", name="复制链接", exact=True)
    button.click()
    page.get_by_text("复制好了。").wait_for()
    assert page.evaluate("copied") == page.url and "&written=" in page.url
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(Error()); }")
    button.click()
    page.get_by_text("浏览器不让复制").wait_for()
    open_view(page, "lens")
    assert {url for url in page.asked if not url.startswith("data:")} <= {
        roots[scheme] + "_static/favicon.svg"
    }
    assert [error for error in page.errors if "ERR_INTERNET_DISCONNECTED" not in error] == []


def test_before_opening_the_first_example_is_there(visit):
    """还没有打开时摆着的编号与概率，也是真的。"""
    page = visit()
    seen = shown(page)
    assert seen["prompt"] == encode(PARIS) and seen["stale"]
    shares = logits_of(encode(PARIS)).softmax(-1)
    assert [token for token, _ in seen["bars"]] == shares.topk(10).indices.tolist()
    assert all(abs(p - shares[token]) < 5e-4 for token, p in seen["bars"])
    page.locator(".live-examples button").nth(1).click()
    assert (
        page.locator(".llm-bars li:not([hidden]) .llm-bar:enabled").count() == 0
    )  # 别的例句，没有算过的不写


def test_what_stops_the_loading_says_so_and_it_goes_on(visit):
    """少一个文件，自己叫停，后台线程停了：都说得出，都接着取，取到的都留着。"""
    page = visit()
    missing, slow = (f"**/live/data/llm/layer{i}.bin.js*" for i in (3, 9))
    page.route(missing, lambda route: route.abort())
    page.click(".llm-opening .live-open")
    page.wait_for_selector(".live-wrong", timeout=60_000)
    assert "layer3.bin" in page.inner_text(".live-status")
    assert page.inner_text(".llm-opening .live-open") == "再试一次"
    page.unroute(missing)
    page.route(slow, lambda route: (page.wait_for_timeout(300), route.continue_()))
    page.click(".llm-opening .live-open")
    page.get_by_role("button", name="停下", exact=True).click()
    page.get_by_role("button", name="接着取", exact=True).wait_for(timeout=60_000)
    assert "停下了" in page.inner_text(".live-status")
    first = set(page.asked) - {url for url in page.asked if "layer3.bin" in url}
    page.asked.clear()
    press_open(page)
    again = [url for url in page.asked if "/live/data/" in url]
    assert again and not first & set(again)
    assert_bars(page, encode(PARIS))
    page.errors.clear()  # 少的一个文件在控制台里留了话
    page.evaluate("LiveLlm.open({ root: '../live/' }).then((engine) => engine.worker.onerror())")
    page.click(".llm-controls .live-open")
    page.wait_for_selector(".live-wrong")
    assert page.inner_text(".live-status").startswith("后台线程停了")
    press_open(page)
    assert_bars(page, encode(PARIS))
    step(page)
    assert shown(page)["text"] == " Paris" and page.errors == []


def test_a_book_without_it_says_how_to_get_it(visit, roots, browser):
    context = browser.new_context()
    page = context.new_page()

    def without_data(route):
        body = (BOOK / PAGE).read_text(encoding="utf-8")
        route.fulfill(body=re.sub(r' data-bytes="\d+"', "", body), content_type="text/html; charset=utf-8")

    page.route(f"**/{PAGE}", without_data)
    page.goto(roots["http"] + PAGE)
    assert "make book" in page.inner_text(".live-status") and "LIVE_LLM=0" in page.inner_text(".live-status")
    assert page.locator(".llm-opening .live-open").is_disabled()
    context.close()


def test_the_address_remembers_everything(visit, opened):
    start(opened, text="Fish & chips + 50% = 你好?", chat=1, draw=1, T=0.7, k=20, p=0.9, m=0.05, seed=42)
    step(opened, 2)
    open_view(opened, "norms")
    before = shown(opened)
    other = visit(fragment=f"#{opened.url.partition('#')[2]}")
    assert not any("/live/data/" in url for url in other.asked)
    press_open(other)
    settle(other)
    after = shown(other)
    for seen in (before, after):
        del seen["status"], seen["speed"]
    assert after == before
    fields = dict(parse_qsl(other.url.partition("#")[2]))
    assert fields["view"] == "norms" and fields["seed"] == "42" and fields["k"] == "20"


def test_links_in_the_text_set_the_panel(opened):
    links = opened.locator('article a[href^="#text="]').all()
    assert len(links) >= 7
    for link in links:
        state = dict(parse_qsl(link.get_attribute("href")[1:]))
        link.click()
        opened.wait_for_function("(text) => document.querySelector('.llm-ask textarea').value === text",
                                 arg=state["text"])  # fmt: skip
        settle(opened)
        seen = shown(opened)
        chat = state.get("chat") == "1"
        ids = encode(state["text"], chat)
        assert seen["prompt"] == ids and ".".join(map(str, seen["written"])) == state.get("written", "")
        assert opened.evaluate("document.querySelector('.live-llm').getBoundingClientRect().top") < 300
        if "view" in state:
            assert opened.locator(f"[data-view={state['view']}]").get_attribute("open") is not None
    assert opened.errors == []


@pytest.mark.parametrize(
    "fragment",
    [
        "text=Hi&T=x&k=-3&p=9&seed=1e99&layer=99&head=-1&token=400&view=zzz",
        "text=Hi&written=999999.1.a&chat=2&draw=<b>",
    ],
)
def test_a_wrong_address_is_mended(opened, fragment):
    opened.evaluate("(hash) => { location.hash = hash; }", fragment)
    opened.wait_for_function("document.querySelector('.llm-ask textarea').value === 'Hi'")
    settle(opened)
    assert shown(opened)["bars"] and opened.errors == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("  \n", "请先写一点前文。"),
        ("so " * 260, "这里有 261 个词元，一次最多 256 个，请写短一些。"),
        ("<script>alert(1)</script>" * 400, "一次最多 256 个，请写短一些。"),
        ("x" * 50_000, "这里有 50000 个字符，太长了，请写短一些。"),
    ],
)
def test_what_cannot_be_read_is_said_and_dims(opened, text, message):
    start(opened)
    before = shown(opened)
    enter(opened, text)
    seen = shown(opened)
    assert message in seen["status"] and "下面还是先前的结果" in seen["status"] and seen["stale"]
    assert seen["bars"] == before["bars"] and opened.locator(".llm-next").evaluate("(each) => each.inert")
    enter(opened, PARIS)
    assert not shown(opened)["stale"]
    assert_bars(opened, encode(PARIS))


@pytest.mark.parametrize(
    "text",
    [
        "<img src=x onerror=alert(1)>",
        "</textarea><b>x</b>",
        "\u202eabc\u200b\x00\x1b[31m",
        "<|im_end|> 😀👩‍👩‍👧 \ufeff",
    ],
)
def test_hostile_text_is_inert(opened, text):
    start(opened)
    opened.on("dialog", lambda dialog: pytest.fail("弹出了对话框"))
    enter(opened, text)
    # 看不见的字符写成码位，右到左的标记不翻转别的字；标签只是字
    assert opened.locator(".live-llm :is(img, script)").count() == 0
    chips = "".join(opened.locator(".llm-chips > span.live-chip .live-token").all_inner_texts())
    assert not re.search("[\u202e\u200b\x00\x1b\ufeff]", chips)
    assert_bars(opened, encode(opened.locator(".llm-ask textarea").input_value()))
    step(opened)
    assert opened.errors == []


def test_keyboard_alone(visit):
    page = visit()
    page.locator(".llm-ask textarea").focus()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "live-open"
    page.keyboard.press("Enter")
    page.wait_for_selector(".llm-controls", timeout=120_000)
    settle(page)
    assert page.evaluate("document.activeElement.textContent") == "写一个词元"  # 焦点落在接着要按的那个上
    page.keyboard.press("Enter")
    settle(page)
    assert len(shown(page)["written"]) == 1
    page.locator(".llm-ask textarea").focus()
    page.keyboard.press("Enter")  # 输入框里回车也写一个，不换行
    settle(page)
    assert len(shown(page)["written"]) == 2 and page.locator(".llm-ask textarea").input_value() == PARIS
    page.locator(".llm-bar").nth(1).focus()
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
    page.keyboard.press("Space")
    settle(page)
    assert len(shown(page)["written"]) == 3
    page.locator("[data-view=attention] > summary").focus()
    page.keyboard.press("Enter")
    settle(page)
    page.get_by_label("层", exact=True).focus()
    page.keyboard.press("ArrowLeft")
    settle(page)
    assert "layer=23" in page.url


def test_enter_writes_from_the_words_just_typed(opened):
    """刚打完就按回车，接的是新的前文；一问一答时，回车一直写到说完；空的前文，回车什么也不写。"""
    start(opened)
    area = opened.locator(".llm-ask textarea")
    area.fill("The opposite of hot is")
    area.press("Enter")
    settle(opened)
    assert shown(opened)["prompt"] == encode("The opposite of hot is")
    assert shown(opened)["text"] == " cold"
    area.fill("")
    assert not area.evaluate(COMPOSING_ENTER)
    area.press("Enter")
    settle(opened)
    assert shown(opened)["stale"] and shown(opened)["text"] == " cold"
    start(opened, text="What is 17 + 25?", chat=1)
    area.press("Enter")
    opened.wait_for_selector(".llm-ended", timeout=60_000)
    settle(opened)
    assert shown(opened)["text"] == "17 + 25 = 32."


def test_axe_and_fingers(visit):
    """窄处与宽处，四样折着的都打开看；窄处按得准，三种注意力排成一行。"""
    page = visit(viewport={"width": 360, "height": 800})
    press_open(page)
    enter(page, "你好 😀 " + "unbelievably so " * 9)
    step(page, 2)
    page.locator(".llm-wrote").first.click()
    settle(page)
    prepare_axe(page)
    for width in (1280, 360):
        page.set_viewport_size({"width": width, "height": 800})
        for view in ("attention", "lens", "norms", "cache"):
            open_view(page, view)
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            assert [(view, *fault) for fault in axe_faults(page, ".live-llm", width == 360)] == []
            if width == 360:
                small = page.evaluate("""() => [...document.querySelectorAll(
                    '.live-llm :is(button, summary, .llm-choice, label.live-chip, .llm-slider, .llm-check, textarea)')]
                  .filter((each) => each.checkVisibility({visibilityProperty: true}) && each.getBoundingClientRect().width)
                  .map((each) => [each.className || each.textContent, each.getBoundingClientRect()])
                  .filter(([, { width, height }]) => Math.min(width, height) < 39)
                  .map(([name, { width, height }]) => [name, width, height])""")
                assert small == []
    open_view(page, "attention")
    for width in (375, 390):
        page.set_viewport_size({"width": width, "height": 800})
        kinds = [each.bounding_box() for each in page.locator("[data-view=attention] .llm-choice").all()]
        assert len(kinds) == 3 and len({(box["y"], box["height"]) for box in kinds}) == 1


def test_the_prompt_grows_and_the_sliders_are_wide(opened):
    area = opened.locator(".llm-ask textarea")
    rooms = []
    for lines in (2, 8, 30):
        enter(opened, "\n".join(["a b c"] * lines))
        rooms.append(area.evaluate("(area) => [area.clientHeight, area.scrollHeight]"))
    assert [shown >= all for shown, all in rooms] == [True, True, False]
    assert rooms[0][0] < rooms[1][0] < rooms[2][0] < 260
    for slider in opened.locator(".llm-next input[type=range]").all():
        assert slider.bounding_box()["width"] > 180


def on_the_first_screen(page, width, height):
    """写下的字紧跟着按钮，在同一屏里。"""
    button, paper, bars = (
        page.locator(name).bounding_box() for name in (".llm-controls .live-open", ".llm-paper", ".llm-bars")
    )
    assert page.locator(".llm-tokens .llm-chips").is_hidden()
    assert button["y"] < paper["y"] < button["y"] + 160 and paper["y"] + 60 < height
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    return paper, bars


def open_plainly(page):
    """打开，写一个；词元照旧折着。"""
    page.click(".llm-opening .live-open")
    page.wait_for_selector(".llm-controls", timeout=120_000)
    settle(page)
    step(page)


def test_on_a_phone_the_answer_is_above_the_bars(visit):
    page = visit(viewport={"width": 390, "height": 844})
    open_plainly(page)
    paper, bars = on_the_first_screen(page, 390, 844)
    assert bars["y"] > paper["y"] + paper["height"]


def test_on_a_wide_screen_the_answer_is_the_page(visit):
    """打开之后不必滚动，前文与十条都看得见，下面的字也不跳；写下的占得到四成高，右边没有空着的目录。"""
    page = visit()
    open_plainly(page)
    assert page.evaluate("scrollY") == 0 and page.evaluate("window.shift") <= 0.05
    for width, height in ((1280, 800), (1600, 900)):
        page.set_viewport_size({"width": width, "height": height})
        paper, bars = on_the_first_screen(page, width, height)
        for box in (
            page.locator(".llm-ask textarea").bounding_box(),
            page.locator(".llm-bar").nth(9).bounding_box(),
        ):
            assert box["y"] > 0 and box["y"] + box["height"] < height
        assert paper["height"] >= 0.4 * height and paper["y"] + 0.35 * height < height
        assert bars["x"] > paper["x"] + paper["width"]
        panel, main = (page.locator(name).bounding_box() for name in (".live-llm", ".bd-main"))
        assert panel["width"] > main["width"] - 80
        assert page.locator(".bd-sidebar-secondary").is_hidden()


def test_chinese_is_answered_where_it_is_typed(visit):
    """打了汉字，当场说它几乎只懂英文，读屏的也听得到；换成英文，这句话就不在了。"""
    page = visit()
    area, said = page.locator(".llm-ask textarea"), page.locator(".llm-prompt [role=status]")
    assert said.text_content() == ""
    area.fill("Hello 你好")
    assert "几乎只懂英文" in said.inner_text()
    near = said.bounding_box()["y"] - area.bounding_box()["y"] - area.bounding_box()["height"]
    assert 0 <= near < 40
    area.fill("Hello")
    assert said.text_content() == ""
    page.locator(".live-examples button", has_text="中文").click()
    assert "几乎只懂英文" in said.inner_text()


def test_marks_and_sliders_are_explained_where_they_stand(opened):
    start(opened)
    assert "␣ 是空格" in opened.inner_text(".llm-rest") and "↵" not in opened.inner_text(".llm-rest")
    start(opened, text="Hi!\n\n")
    shown_marks = "".join(opened.locator(".llm-bars li:not([hidden]) .llm-name").all_inner_texts())
    assert ("↵ 是换行" in opened.inner_text(".llm-rest")) == ("↵" in shown_marks)
    describe = "(each) => document.getElementById(each.getAttribute('aria-describedby')).innerText"
    for slider in opened.locator(".llm-next input[type=range]").all():
        assert "min-p 去掉不到第一名的 p 倍的" in slider.evaluate(describe)
    surprise = opened.get_by_role("button", name="有多意外", exact=True)
    assert "没有料到它" in surprise.evaluate(describe)


def test_the_traditional_book_speaks_traditional(visit):
    page = visit(book="zh-TW/")
    press_open(page)
    page.locator(".live-examples button").nth(2).click()
    settle(page)
    step(page, 2)
    texts = [page.inner_text(".live-llm")]
    for view in ("attention", "lens", "norms", "cache"):
        open_view(page, view)
        texts.append(page.inner_text(".live-llm"))
    enter(page, "")
    texts.append(page.inner_text(".live-status"))
    han = "".join(re.findall("[\u4e00-\u9fff]", "".join(texts)))
    assert "詞元" in "".join(texts)
    assert {char for char in han if not char.encode("big5", "ignore")} == set()
    assert page.errors == []
