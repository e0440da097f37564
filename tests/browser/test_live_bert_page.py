"""“打开 BERT”的网页：打开之前与打开的时候，网址，键盘，窄处与宽处，各章的小面板与繁体的书。"""

# ruff: noqa: F811  下面的 visit、bert、bert_once 是 fixture
import gzip
import re
from urllib.parse import parse_qsl, unquote, urlencode

import pytest
import torch
from bert_panel import (
    PAGE,
    assert_shows_the_truth,
    bert,  # noqa: F401
    bert_once,  # noqa: F401
    changed,
    enter,
    follow,
    press_open,
    settle,
    shown,
    visit,  # noqa: F401
)
from engine_site import WITHOUT_WASM, change_worker
from live_helpers import BANKS, NAMES, THEY, random_pairs, run
from live_pages import COMPOSING_ENTER, axe_faults, both_ways, mostly_http, prepare_axe
from torch.nn.functional import cosine_similarity

from chapters import page_of
from course_book.templates import live_page

pytestmark = pytest.mark.guards("live", "_ext", "chapters/live.md")

SMALL = {
    page_of("scaled_dot_product_attention"): ["tokens", "attention"],
    page_of("contextual_bank"): ["tokens", "cosine"],
    page_of("bertviz"): ["tokens", "attention"],
}
BERT = live_page.PANELS["bert"]
SCRIPTS = {*BERT.scripts, *BERT.styles}
EDITOR = {*live_page.EXERCISES, "python/exercises.css"}  # 各章练习的编辑框


def live_files(page):
    """要过的、live/ 里的文件名 → 字节数。"""
    found = {re.search(r"/live/([^?]+)", url): size for url, size in page.sizes.items()}
    return {match[1]: size for match, size in found.items() if match}


# ---- 打开 ----


@both_ways
def test_small_scripts_before_the_button_all_of_it_then_and_nothing_after(visit, book, roots, scheme):
    """按按钮之前只有几个小文件，网址里带着句子也一样；按钮上写的大小是真的，经 http 是网站压缩之后的。

    取齐之后断了网，例句与自己写的都照样算得对，没有一个请求。
    """
    page = visit(f"{PAGE}#{urlencode({'text': BANKS, 'token': 19})}", scheme)
    page.wait_for_load_state("networkidle")
    files = live_files(page)
    assert files.keys() == SCRIPTS and sum(files.values()) < 175_000
    assert page.locator("textarea").first.input_value() == BANKS
    assert page.inner_text(".live-status") == "还没有装入模型。"
    promised = int(re.search(r"约 (\d+) MB", page.inner_text(".live-open"))[1])
    press_open(page)
    taken = {name: size for name, size in live_files(page).items() if name not in files}
    if scheme == "http":
        taken = {name: len(gzip.compress((book / "live" / name).read_bytes(), 6)) for name in taken}
    assert abs(sum(taken.values()) / 1e6 - promised) < 0.6
    assert all(url.startswith((roots[scheme], "blob:", "data:")) for url in page.asked)
    page.asked.clear()
    page.context.set_offline(True)
    seen = []
    for button in page.locator(".live-examples button").all():
        button.click()
        settle(page)
        seen.append(shown(page))
        assert_shows_the_truth(seen[-1])
    assert len(seen) >= 6 and len({str(each["texts"]) for each in seen}) == len(seen)
    assert sum(bool(each["texts"][1]) for each in seen) == 2
    enter(page, "Zenith gunners confuse collarbone 189 ʌ 山 😀.")
    assert_shows_the_truth(shown(page))
    # 网址一变，浏览器就再看一眼标签上的图标，写什么都是它
    asked = {url for url in page.asked if not url.startswith("data:")}
    assert asked <= {roots[scheme] + "_static/favicon.svg"}
    assert [error for error in page.errors if "ERR_INTERNET_DISCONNECTED" not in error] == []


def test_only_pages_with_a_panel_load_the_scripts(book):
    having = {
        path.relative_to(book).as_posix()
        for path in book.rglob("*.html")
        if "live/bert/panel.js" in path.read_text(encoding="utf-8")
    }
    pages = {PAGE, *SMALL}
    assert having == pages | {f"zh-TW/{name}" for name in pages}


def test_a_lost_connection_is_told_and_can_be_tried_again(visit):
    page = visit()
    page.context.set_offline(True)
    page.click(".live-open")
    page.wait_for_selector(".live-wrong")
    assert page.locator(".live-map svg").is_visible()  # 事先算好的还摆着
    assert "请看看网络是否连着" in page.inner_text(".live-status")
    page.context.set_offline(False)
    assert page.inner_text(".live-open") == "再试一次"
    # 又断在半路：算得出的已经在那里，不调淡
    page.route("**/tokens6.bin.js*", lambda route: route.abort())
    page.click(".live-open")
    page.wait_for_selector(".live-wrong")
    assert page.inner_text(".live-status") == "取不到数据文件 tokens6.bin.js，请看看网络是否连着，再试一次。"
    assert_shows_the_truth(shown(page))
    assert not shown(page)["stale"]
    # 缺的词要等取齐
    enter(page, "zenith")
    assert shown(page)["stale"] and "tokens6.bin.js" in shown(page)["status"]
    page.unroute("**/tokens6.bin.js*")
    press_open(page)
    assert_shows_the_truth(shown(page))
    assert not shown(page)["stale"] and page.locator(".live-open").is_hidden()


def test_the_javascript_names_exist(bert):
    for _, name in NAMES:
        assert bert.evaluate("(name) => typeof liveBert(null)[name]", name) == "function"


# ---- 打开之前 ----


PREVIEW = """() => {
  const panel = document.querySelector('.live-bert');
  const texts = (selector) => [...panel.querySelectorAll(selector)].map((each) => each.textContent);
  return {
    tokens: [...panel.querySelectorAll('.live-sentence')].map((line) => [...line.querySelectorAll('.live-token')].map((each) => each.textContent)),
    weights: texts('.live-keys .live-number').map(Number),
    cosines: texts('.live-cosine tbody td').map((text) => Number(text.replace('−', '-'))),
    ink: [...panel.querySelectorAll('.live-cell canvas')].length,
    fields: [...panel.querySelectorAll('textarea')].filter((each) => each.checkVisibility()).length,
    stored: panel.dataset.preview.length,
    inert: panel.querySelector('.live-output').inert,
    data: { ...panel.dataset, preview: '' },
    status: panel.querySelector('.live-status').textContent,
  };
}"""


@mostly_http
@pytest.mark.parametrize("name", [PAGE, *SMALL])
def test_a_panel_before_and_after_opening(visit, name, scheme):
    """手机上，各章的小面板与整页：还没有打开，摆着的是面板自己的句子，数与 course_lib 的一样，没有空着的框，也没有取什么。

    打开时下面的字不跳；小面板只有写明的几部分，不写网址，带着句子到整页去。
    """
    page = visit(name, scheme, viewport={"width": 390, "height": 900})
    page.locator(".live-bert").scroll_into_view_if_needed()
    page.wait_for_selector(".live-open")  # 快看到时才画
    seen = page.evaluate(PREVIEW)
    fields, parts = seen["data"], SMALL.get(name, ["tokens", "attention"])
    sentences = [run(fields[each]) for each in ("text", "other") if each in fields]
    assert seen["tokens"] == [tokens for tokens, _, _ in sentences]
    token, partner = int(fields["token"]), int(fields["with"])
    if "attention" in parts:
        weights = sentences[0][2][int(fields["layer"]), int(fields["head"]), token]
        assert (torch.tensor(seen["weights"]) - weights).abs().max() < 0.0051 and seen["ink"] == 72
    if "cosine" in parts:
        hidden = torch.cat([hidden for _, hidden, _ in sentences], dim=1)
        pair = cosine_similarity(hidden[:, token], hidden[:, partner], dim=-1)
        drawn = torch.tensor(seen["cosines"]).view(7, 2)
        assert (drawn[:, 0] - pair).abs().max() < 0.0052
        assert (drawn[:, 1] - random_pairs([fields["text"], fields["other"]])).abs().max() < 0.0052
    assert seen["fields"] == 0 and seen["inert"] and "事先算好的" in seen["status"]
    assert seen["stored"] < 30_000
    assert live_files(page).keys() == (SCRIPTS - BERT.whole | EDITOR if name in SMALL else SCRIPTS)
    press_open(page)
    page.wait_for_timeout(300)
    assert page.evaluate("window.shift") <= 0.05
    if name in SMALL:
        seen = shown(page)
        assert_shows_the_truth(seen)
        assert (bool(seen["keys"]), bool(seen["table"])) == ("attention" in parts, "cosine" in parts)
        enter(page, "He flies a kite.")
        assert_shows_the_truth(shown(page))
        assert "#" not in page.url  # 一章的网址不归它管
        page.click(".live-link a")
        page.wait_for_url("**/live.html#*")
        assert page.locator("textarea").first.input_value() == "He flies a kite."
    assert page.errors == []


def test_the_first_view_shows_a_picture_and_another_sentence_waits_for_the_button(visit):
    """点了别的例句：没有事先算好的，只摆它的词，不留着先前的图；点回来，又是那幅图。"""
    page = visit()
    in_view = """([picture, height]) => {
      const box = document.querySelector(picture)?.getBoundingClientRect();
      return box && box.top + 25 < height && box.width > 20;
    }"""
    for width, height, picture in (
        (390, 844, ".live-cell"),
        (1600, 900, ".live-map svg"),
        (1280, 800, ".live-map svg"),
    ):
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_function(in_view, arg=[picture, height], timeout=10_000)  # 宽窄变了，要重画
    page.locator(".live-examples button").nth(2).click()
    assert page.locator(".live-draft").is_visible() and page.locator(".live-map svg").is_hidden()
    assert page.inner_text(".live-status") == "还没有装入模型。"
    page.locator(".live-examples button").first.click()
    assert page.locator(".live-draft").count() == 0 and page.locator(".live-map svg").is_visible()
    assert page.errors == []


# ---- 网址 ----


def test_the_address_remembers_everything(bert, visit):
    """句子、选中的词元与头、怎样看、怎样改，都在网址里：另一处打开，要按了按钮才取，看到的一样。"""
    enter(bert, "Fish & chips + 50% = 你好?")
    enter(bert, "No fish today.", field=1)
    bert.locator(".live-chip input").nth(9).click()
    bert.locator(".live-ask select").select_option(index=2)
    bert.locator(".live-cell input").nth(30).click()
    bert.click(".live-kept > button")
    bert.click("text=钉住这个头")
    bert.locator(".live-cell input").nth(31).click()
    bert.locator(".live-controls input[type=radio]").nth(1).click()
    bert.locator(".live-least input").fill("0.25")
    bert.locator(".live-kinds input[value=first]").click()
    off = changed(bert)["said"]
    assert off.startswith("关掉第 2 层第 6 个头、第 2 层第 7 个头，")
    bert.locator(".live-ways input").nth(2).click()
    bert.locator(".live-ask input").fill("we <b>")
    looks = "['.live-two.live-curved', '.live-dim', '.live-kinds [value=first]:checked'].map((each) => document.querySelectorAll(each).length)"
    before = shown(bert) | changed(bert) | {"looks": bert.evaluate(looks)}
    assert before["chosen"] == 2 and " 换成 we <b>，" in before["said"] and min(before["looks"]) > 0
    assert before["link"] == bert.url and bert.get_by_role("button", name="复制链接", exact=True).is_visible()
    other = visit(f"{PAGE}#{bert.url.partition('#')[2]}")
    assert live_files(other).keys() <= SCRIPTS
    press_open(other)
    after = shown(other) | changed(other) | {"looks": other.evaluate(looks)}
    for seen in (before, after):
        seen.pop("status")  # 用时每次不同
    assert after == before
    assert (after["token"], after["partner"], after["head"]) == (9, 2, 31)
    other.locator(".live-ways input").nth(0).click()
    assert changed(other)["said"] == off and other.errors == []


def test_nonsense_in_the_address_is_ignored(bert):
    for bad in ("pin=99-99", "pin=x", "view=burn", "least=7", "kind=img", "tab=__proto__"):
        follow(bert, text=THEY, **dict(parse_qsl(bad)))
        assert bert.locator(".live-two, .live-curved, .live-dim").count() == 0, bad
        assert_shows_the_truth(shown(bert))
    for head, bad in enumerate(("off=5-5_", "off=99-99", "way=burn")):
        follow(bert, text=THEY, layer=0, head=head, **dict(parse_qsl(bad)))
        assert changed(bert)["said"].startswith(f"关掉第 0 层第 {head} 个头，"), bad
    assert bert.errors == []


def test_a_link_in_the_text_changes_the_panel(bert):
    for link in bert.locator('article a[href^="#text="]:not([href*="model="])').all():
        state = dict(parse_qsl(link.get_attribute("href")[1:]))
        link.click()
        bert.wait_for_timeout(100)  # 网址变了，面板过一会儿才知道
        settle(bert)
        seen = shown(bert)
        assert_shows_the_truth(seen)
        assert seen["texts"] == [state["text"], state.get("other", "")]
        assert (seen["token"], seen["partner"]) == (int(state["token"]), int(state["with"]))
        assert seen["head"] == 12 * int(state["layer"]) + int(state["head"])
        assert bert.evaluate("document.querySelector('.live-bert').getBoundingClientRect().top") < 300


@pytest.mark.parametrize(
    ("fragment", "tokens", "head"),
    [
        ("text=The+fish+saw+a+fish", ["fish", "fish"], 65),  # 头是面板原来的那一个
        ("text=time+flies&other=fruit+flies", ["flies", "flies"], 65),
        ("text=Hi", ["hi", "[SEP]"], 65),
        ("text=The+fish+saw+a+fish&token=3", ["saw", "a"], 65),
        ("text=The+fish+saw+a+fish&token=3&with=0&layer=2&head=3", ["saw", "[CLS]"], 27),
        ("text=Hi&token=99&with=98&layer=77&head=1000", ["hi", "[SEP]"], 71),
        ("text=Hi&token=-1&layer=x", ["hi", "[SEP]"], 65),
    ],
)
def test_what_a_link_leaves_out_is_chosen_with_sense(bert, fragment, tokens, head):
    follow(bert, **dict(parse_qsl(fragment)))
    seen = shown(bert)
    assert_shows_the_truth(seen)
    line = [token for tokens in seen["tokens"] for token in tokens]
    assert [line[seen["token"]], line[seen["partner"]]] == tokens and seen["token"] != seen["partner"]
    assert seen["head"] == head
    assert bert.errors == []


def test_a_link_without_words_says_so(visit):
    page = visit(f"{PAGE}#text=")
    press_open(page)
    assert shown(page)["status"] == "请先输入一句话。" and page.locator(".live-output").is_hidden()
    enter(page, "Hi")
    assert_shows_the_truth(shown(page))


@both_ways
def test_the_state_stays_when_the_reader_moves_about(visit, scheme):
    """到本页的一节去、后退、前进、换一种语言、重新载入，句子与选中的一切都在。"""

    def state():
        fields = dict(parse_qsl(page.url.partition("#")[2]))
        return fields.get("text"), fields.get("token"), fields.get("head"), fields.get("at")

    def top(selector):
        return page.evaluate(
            "(selector) => document.querySelector(selector).getBoundingClientRect().top", selector
        )

    page = visit(PAGE, scheme)
    link = page.locator('.bd-sidebar-secondary a[href^="#"]').nth(1)
    section = link.get_attribute("href")
    go = "(link) => link.click()"  # 宽处收起了本页目录，窄处的抽屉里还有它
    link.evaluate(go)
    page.wait_for_timeout(200)
    assert unquote(page.url).endswith(section)  # 还没有动过面板，网址就是那一节的
    press_open(page)
    enter(page, "The fish saw a fish.")
    page.locator(".live-chip input").nth(5).click()
    page.locator(".live-cell input").nth(3).click()
    assert state() == ("The fish saw a fish.", "5", "3", None)
    link.evaluate(go)
    page.wait_for_function("location.hash.includes('at=')")
    assert state() == ("The fish saw a fish.", "5", "3", section[1:])
    assert 0 <= top(section) < 300
    page.locator(".live-chip input").nth(2).click()
    assert state() == ("The fish saw a fish.", "2", "3", None)
    page.go_back()
    page.wait_for_function("document.querySelectorAll('.live-chip input')[5].checked")
    assert state() == ("The fish saw a fish.", "5", "3", None)
    settle(page)
    page.go_forward()
    page.wait_for_function("document.querySelectorAll('.live-chip input')[2].checked")
    assert state() == ("The fish saw a fish.", "2", "3", None)
    link.evaluate(go)
    page.wait_for_function("location.hash.includes('at=')")
    page.reload()
    page.wait_for_load_state("load")
    assert page.locator("textarea").first.input_value() == "The fish saw a fish."
    assert 0 <= top(section) < 300
    page.click("a[hreflang=zh-TW]")
    page.wait_for_url("**/zh-TW/**")
    assert page.locator("textarea").first.input_value() == "The fish saw a fish."
    press_open(page)
    assert (shown(page)["token"], shown(page)["head"]) == (2, 3)
    page.go_back()
    page.wait_for_url(lambda url: "zh-TW" not in url)
    assert page.locator("textarea").first.input_value() == "The fish saw a fish."
    assert page.errors == []


def test_a_shared_link_opens_at_its_part_and_the_strip_where_it_is_asked_for(visit):
    """打开就到链接指着的部分；“从词元到最后一层”宽处先收成一行，链接指着它才摊开，读者再收起来，也不又摊开。"""
    page = visit(f"{PAGE}#{urlencode({'text': THEY, 'token': 0, 'tab': 'cosine'})}")
    press_open(page)
    assert 0 <= page.locator(".live-cosine").bounding_box()["y"] < 400
    fold = page.locator(".live-fold")
    assert fold.get_attribute("open") is None and not page.locator(".live-step").first.is_visible()
    page.locator('article a[href*="tab=journey"]').click()
    page.wait_for_selector(".live-fold[open]")
    page.locator(".live-fold > summary").click()
    page.locator(".live-chip input").nth(3).click()
    assert fold.get_attribute("open") is None


@pytest.mark.parametrize("tab", ["cosine", "intervene", "oneCell", "journey"])
def test_a_link_goes_to_its_part(bert, tab):
    """宽处，链接指着哪一部分，就滚到那里。"""
    link = bert.locator(f'article a[href*="tab={tab}"]:not([href*="model=zh"])').first
    link.click()
    bert.wait_for_timeout(300)
    settle(bert)
    top = bert.locator(f"#live-bert-1-panel-{tab}").bounding_box()["y"]
    assert 0 <= top < 200, top


# ---- 打字与键盘 ----


def test_the_same_sentence_twice(bert):
    """两句一模一样：各摆各的，同一个位置的余弦处处是 1。"""
    enter(bert, THEY, field=1)
    bert.locator(".live-ask select").select_option(index=13 + 8)
    seen = shown(bert)
    assert_shows_the_truth(seen)
    assert len(seen["tokens"][0]) == len(seen["tokens"][1]) == 13
    assert [row[0] for row in seen["table"]] == [1] * 7


def test_typing_recomputes_and_keeps_the_choice_while_it_still_fits(bert):
    enter(bert, THEY.replace("inspired", "tired"))
    seen = shown(bert)
    assert_shows_the_truth(seen)
    assert seen["tokens"][0][seen["token"]] == "they"
    enter(bert, "One fish swam past another fish.")
    seen = shown(bert)
    assert_shows_the_truth(seen)
    # 句子对不上了：挑同一个词的两次出现
    assert [seen["tokens"][0][i] for i in (seen["token"], seen["partner"])] == ["fish", "fish"]


def test_enter_that_chooses_a_word_submits_nothing(bert):
    area = bert.locator("textarea").first
    assert not area.evaluate(COMPOSING_ENTER)
    assert area.evaluate(COMPOSING_ENTER.replace("229", "13"))


def test_too_long_a_sentence_is_said_and_can_be_mended(bert):
    """说出毛病；先前的结果还看得见，一处也没有挪，只是淡了，也不能再选。"""
    boxes = """() => [...document.querySelectorAll('.live-chip, .live-cell, .live-map svg, .live-keys li, .live-link')]
      .map((each) => JSON.stringify(each.getBoundingClientRect()))"""
    before, places = shown(bert), bert.evaluate(boxes)
    enter(bert, "so " * 63)
    seen = shown(bert)
    said = "这里有 65 个词元，一次最多 64 个，请写短一些。下面还是先前的结果。"
    assert seen["status"] == said and seen["stale"]
    assert {**seen, **{name: before[name] for name in ("texts", "status", "stale")}} == before
    assert bert.evaluate(boxes) == places and bert.locator(".live-keys").is_visible()
    output = bert.locator(".live-output")
    assert 0.2 < float(output.evaluate("(each) => getComputedStyle(each).opacity")) < 0.6
    assert output.evaluate("(each) => each.inert")
    assert bert.locator("textarea").first.get_attribute("aria-invalid") == "true"
    enter(bert, "so " * 62)
    seen = shown(bert)
    assert_shows_the_truth(seen)
    assert len(seen["tokens"][0]) == 64 and not seen["stale"]
    assert bert.locator("textarea").first.get_attribute("aria-invalid") == "false"
    assert not output.evaluate("(each) => each.inert")


def test_typing_is_never_held_up(visit):
    """句子最长、没有 SIMD、正在算的时候，字照样打得进去：从按键到显示，比算一遍短得多。"""
    page = visit()
    change_worker(page, WITHOUT_WASM)
    press_open(page)
    enter(page, "so " * 61)
    waits = page.evaluate("""async () => {
      const waits = [];
      const output = document.querySelector('.live-output');
      const area = document.querySelector('textarea');
      area.value += 'so ';
      area.dispatchEvent(new InputEvent('input'));
      while (output.getAttribute('aria-busy') !== 'true') await new Promise((resolve) => setTimeout(resolve));
      while (output.getAttribute('aria-busy') === 'true') {
        const asked = performance.now();
        await new Promise((resolve) => setTimeout(resolve));
        waits.push(performance.now() - asked);
      }
      return waits.slice(0, -1);  // 最后一次是画图
    }""")
    took = int(re.search(r"(\d+) 毫秒", page.inner_text(".live-status"))[1])
    assert len(waits) > 10 and max(waits) < took / 2


def test_keyboard_alone(visit):
    page = visit()
    focused = "document.activeElement"
    page.locator(".live-examples button").first.focus()
    for _ in range(30):
        page.keyboard.press("Tab")
        if page.evaluate(f"{focused}.className") == "live-open":
            break
    assert page.locator("textarea:visible").count() == 0
    ring = page.evaluate(f"getComputedStyle({focused}).outlineStyle")
    assert ring != "none"
    page.keyboard.press("Enter")
    settle(page)
    assert page.evaluate(f"{focused}.className") == "live-output"  # 按钮没有了，焦点落在结果上
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    assert shown(page)["token"] == 9
    assert page.evaluate(f"getComputedStyle({focused}.parentElement).outlineWidth") == "3px"
    page.keyboard.press("Tab")
    for key, head in [
        ("ArrowLeft", 64),
        ("ArrowUp", 52),
        ("ArrowDown", 64),
        ("ArrowDown", 64),
        ("ArrowRight", 65),
    ]:
        page.keyboard.press(key)
        assert shown(page)["head"] == head
    page.keyboard.press("Tab")  # 挑一种头
    page.keyboard.press("ArrowRight")
    assert page.locator(".live-kinds :checked").get_attribute("value") == "previous"
    page.keyboard.press("ArrowLeft")
    for _ in range(3):  # 方格还是弧线，钉住，放大的图
        page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    assert (shown(page)["token"], shown(page)["partner"]) == (9, 2)
    page.keyboard.press("Tab")
    assert page.evaluate(f"{focused}.textContent") == "它怎样算出来？"
    page.keyboard.press("Enter")
    top = "document.querySelector('.live-oneCell').getBoundingClientRect().top"
    page.wait_for_function(f"Math.abs({top}) < 200")
    for _ in range(3):  # 拖动的，列出来的，一行一个的键
        page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    assert shown(page)["partner"] == 3
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")  # 摊开“从词元到最后一层”
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    assert page.inner_text(".live-journey p[aria-live]").startswith("第 0 层，注意力：")
    for _ in range(2):  # 每个词元都列出来，改哪里
        page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    assert page.evaluate(f"{focused}.parentElement.textContent") == "遮住一个词元"
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    assert shown(page)["partner"] == 4
    assert_shows_the_truth(shown(page))
    # 回车就算，不换行
    page.locator("textarea").first.focus()
    page.keyboard.press("Enter")
    assert page.locator("textarea").first.input_value() == THEY


# ---- 宽处，窄处的页签，繁体的书 ----


def test_words_and_heads_stay_beside_the_results(bert):
    """宽处用上整个宽度：读到哪一部分，词元与全部的头都还在左边，换一个头，旁边就变。"""
    for width in (1280, 1600):
        bert.set_viewport_size({"width": width, "height": 900})
        panel, main = (bert.locator(name).bounding_box() for name in (".live-bert", ".bd-main"))
        assert panel["width"] > main["width"] - 80 and bert.locator(".bd-sidebar-secondary").is_hidden()
        for part in ("oneCell", "intervene", "cosine"):
            block = "end" if part == "cosine" else "start"  # 末一部分短，左边的随它一起到了尽头
            bert.locator(f".live-{part}").evaluate("(each, block) => each.scrollIntoView({ block })", block)
            bert.wait_for_timeout(200)
            beside = bert.locator(f".live-{part}").bounding_box()
            for name in (".live-chip:has(:checked)", ".live-cell >> nth=71"):
                box = bert.locator(name).bounding_box()
                assert 0 < box["y"] < 900 - box["height"] and box["x"] + box["width"] < beside["x"]
    bert.locator(".live-cell input").nth(3).click()
    assert shown(bert)["head"] == 3


def test_little_jumps_when_it_opens_and_axe_finds_nothing(visit):
    """宽处的；窄处的，各个页签里另有一遍。"""
    page = visit()
    press_open(page)
    page.wait_for_timeout(300)
    assert page.evaluate("window.shift") <= 0.05
    enter(page, "你好 😀 " + "unbelievably so " * 9)
    enter(page, "so " * 62, field=1)
    assert page.evaluate("document.documentElement.scrollWidth") <= 1200
    prepare_axe(page)
    assert axe_faults(page, ".live-bert") == []


SEEN = """() => [...document.querySelectorAll('[role=tabpanel]')].filter((each) => !each.hidden).map((each) => each.id.split('-').at(-1))"""


def test_tabs_on_a_phone(visit):
    """按下按钮，结果在屏幕下面，就到那里去；一次看一个部分；选中的词元与页签总在眼前；都按得准；键盘也行。"""
    width = 360
    page = visit(viewport={"width": width, "height": 780}, has_touch=True)
    press_open(page)
    assert 0 <= page.locator(".live-output").bounding_box()["y"] < 200
    assert page.evaluate(SEEN) == ["attention"]
    tabs = page.locator("[role=tab]")
    assert tabs.all_inner_texts() == ["词元", "注意力", "一格", "全程", "动手", "余弦"]
    for i, name in enumerate(["tokens", "attention", "oneCell", "journey", "intervene", "cosine"]):
        tabs.nth(i).click()
        page.wait_for_timeout(250)
        if name == "oneCell":  # 要等后台线程交出 q、k、v
            page.wait_for_selector(".live-oneCell .live-strip")
        assert page.evaluate(SEEN) == [name] and f"tab={name}" in page.url
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        small = page.evaluate("""() => [...document.querySelectorAll(
            '.live-output :is(button, select, summary, input:not(.live-row-names *, .live-picker *))')]
          .map((each) => [each, (each.matches('[type=radio]') ? each.closest('label') : each).getBoundingClientRect()])
          .filter(([, box]) => box.width && (box.height < 39.5 || box.width < 39.5))
          .map(([each, box]) => [each.outerHTML.slice(0, 80), box.width, box.height])""")
        assert small == []
        if name == "intervene":  # 十二个头并排，一格窄一些，高还够手指
            box = page.locator(".live-picker label").first.bounding_box()
            assert box["width"] >= 22 and box["height"] >= 39.5
        if name == "tokens":
            continue
        # 滚下去，选中的词元还在眼前
        page.locator(".live-link").scroll_into_view_if_needed()
        page.evaluate("document.querySelector('.live-link').scrollIntoView({ block: 'end' })")
        page.wait_for_timeout(200)
        chosen = page.locator(".live-chip:has(:checked)").bounding_box()
        # 这两部分比屏幕长，词元就贴在顶栏下面；别的可以短到不必滚
        assert 0 <= chosen["y"] < (200 if name in ("attention", "oneCell") else 700), name
        assert chosen["x"] >= 0 and chosen["x"] + chosen["width"] <= width
    assert_shows_the_truth(shown(page) | {"table": []})
    tabs.nth(5).focus()
    for key, name in [
        ("ArrowRight", "tokens"),
        ("ArrowLeft", "cosine"),
        ("Home", "tokens"),
        ("End", "cosine"),
    ]:
        page.keyboard.press(key)
        assert page.evaluate(SEEN) == [name]
        assert page.evaluate("document.activeElement.getAttribute('aria-selected')") == "true"
    page.set_viewport_size({"width": 1000, "height": 780})
    page.wait_for_timeout(300)
    assert page.locator("[role=tablist]").is_hidden() and page.locator("[role=tabpanel]").count() == 0
    assert page.locator(".live-cosine").is_visible() and page.locator(".live-attention").is_visible()
    assert_shows_the_truth(shown(page))
    assert page.errors == []


def test_a_reader_who_has_walked_on_is_not_called_back(visit):
    page = visit(viewport={"width": 390, "height": 780}, has_touch=True)
    page.evaluate("""() => {
      document.querySelector('.live-open').click();
      scrollTo(0, document.body.scrollHeight / 2);
    }""")
    page.wait_for_function("document.querySelector('.live-arrived').textContent.startsWith('都装入了')")
    settle(page)
    assert page.locator(".live-output").bounding_box()["y"] < -200


def test_axe_finds_nothing_in_any_tab(visit):
    fields = {"text": "unbelievably so " * 9, "pin": "0-2", "view": "arcs", "kind": "first"}
    page = visit(f"{PAGE}#{urlencode(fields)}", viewport={"width": 390, "height": 780})
    press_open(page)
    prepare_axe(page)
    for tab in page.locator("[role=tab]").all():
        tab.click()
        page.wait_for_timeout(300)
        if page.evaluate(SEEN) == ["intervene"]:  # 算着的时候调淡
            page.locator(".live-ways:visible").first.scroll_into_view_if_needed()
            page.wait_for_timeout(300)
            page.wait_for_selector('.live-changed[aria-busy="false"]', timeout=30_000)
        if page.evaluate(SEEN) == ["journey"]:
            page.click(".live-journey details details summary")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert [(tab.inner_text(), *fault) for fault in axe_faults(page, ".live-bert")] == []


@mostly_http
def test_the_traditional_book_speaks_traditional(visit, scheme):
    page = visit(f"zh-TW/{PAGE}", scheme)
    assert page.inner_text(".live-open").startswith("開啟 BERT（")
    press_open(page)
    texts = [page.inner_text(".live-bert")]
    for button in page.locator(".live-examples button").all():
        button.click()
        settle(page)
        assert_shows_the_truth(shown(page) | {"reading": reading_in_simplified(page)})
        texts.append(page.inner_text(".live-bert"))
    enter(page, "")
    texts.append(page.inner_text(".live-status"))
    assert texts[-1] == "請先輸入一句話。下面還是先前的結果。"
    seen = "".join(texts)
    assert "詞元" in seen and "餘弦相似度" in seen
    assert left_in(seen) == []
    assert page.errors == []


def reading_in_simplified(page):
    said = page.inner_text(".live-attention [aria-live]")
    return said.replace("層", "层").replace("個頭裡", "个头里").replace("個", "个").replace("頭", "头")


def left_in(text):
    """Big5 里没有的汉字：简体字。"""
    return [
        run
        for run in re.findall("[\u4e00-\u9fff]+", text)
        if run != run.encode("big5", "ignore").decode("big5")
    ]
