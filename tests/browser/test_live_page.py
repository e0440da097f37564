"""“打开 BERT”的网页：在真的 Chromium 里打开成书里的面板，显示的每个数都与 course_lib 的比。"""

import gzip
import re
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlencode

import pytest
import torch
from engine_site import WITHOUT_WASM, change_worker
from live_helpers import (
    BANKS,
    NAMES,
    PROSE,
    THEY,
    forward,
    head_vectors,
    moved,
    quantized_bert,
    random_pairs,
    run,
    tokenizer,
)
from live_pages import axe_faults, both_ways, mostly_http, new_page, prepare_axe
from torch.nn.functional import cosine_similarity

from course_book.after_writing import live_bert
from course_book.templates import live_page
from course_lib.tokenization import CJK

ROOT = Path(__file__).parents[2]
PAGE = "chapters/live.html"
SMALL = {
    "chapters/04_scaled_dot_product_attention.html": ["tokens", "attention"],
    "chapters/12_contextual_bank.html": ["tokens", "cosine"],
    "chapters/13_bertviz.html": ["tokens", "attention"],
}
BERT = live_page.PANELS["bert"]
SCRIPTS = {*BERT.scripts, *BERT.styles}
EDITOR = {*live_page.EXERCISES, "python/exercises.css"}  # 各章练习的编辑框
WINDOW = {"viewport": {"width": 1200, "height": 900}}


@pytest.fixture
def visit(open_tab):
    return lambda name, scheme="http", **settings: open_tab(name, scheme, **WINDOW | settings)


@pytest.fixture(scope="module")
def opened_once(browser, roots):
    page = new_page(browser, roots["http"] + PAGE, **WINDOW)
    page.home = page.url
    press_open(page)
    yield page
    page.context.close()


@pytest.fixture
def opened(opened_once):
    """打开了的“打开 BERT”，摆着头一个例句；打开要一两秒，几个测试共用一页。"""
    opened_once.locator(".live-examples button").first.click()
    settle(opened_once)
    return opened_once


def live_files(page):
    """要过的、live/ 里的文件名 → 字节数。"""
    found = {re.search(r"/live/([^?]+)", url): size for url, size in page.sizes.items()}
    return {match[1]: size for match, size in found.items() if match}


def settle(page):
    page.wait_for_selector('.live-output[aria-busy="false"]', state="attached", timeout=60_000)


def press_open(page):
    """打开，等到全部取齐。"""
    page.click(".live-open")
    page.wait_for_function(
        "/^(都装入了|都裝入了)/.test(document.querySelector('.live-arrived').textContent)", timeout=60_000
    )
    settle(page)


def enter(page, text, field=0):
    """打字，等到停笔之后算完；第二句折着，先打开。"""
    if field:
        page.locator(".live-more").evaluate("(fold) => { fold.open = true; }")
    page.locator(".live-field textarea").nth(field).fill(text)
    settle(page)


SHOWN = """() => {
  const one = (selector) => document.querySelector(selector);
  const all = (selector) => [...document.querySelectorAll(selector)];
  const texts = (selector) => all(selector).map((node) => node.textContent);
  return {
    texts: all('.live-field textarea').map((area) => area.value),
    tokens: all('.live-sentence').map((line) => [...line.querySelectorAll('.live-token')].map((node) => node.textContent)),
    ids: all('.live-sentence').map((line) => [...line.querySelectorAll('.live-id')].map((node) => Number(node.textContent))),
    token: all('.live-chip input').findIndex((input) => input.checked),
    partner: one('.live-ask select')?.selectedIndex,
    head: all('.live-cell input').findIndex((input) => input.checked),
    keys: texts('.live-keys .live-token'),
    weights: texts('.live-keys .live-number').map(Number),
    reading: one('.live-attention [aria-live]')?.textContent,
    table: all('.live-cosine tbody tr').map((row) =>
      [...row.querySelectorAll('td')].map((cell) => Number(cell.textContent.replace('−', '-')))),
    notes: texts('.live-notes p'),
    status: one('.live-status').textContent,
    stale: one('.live-stale') !== null,
    link: one('.live-link a').href,
  };
}"""


def shown(page):
    return page.evaluate(SHOWN)


# ---- course_lib 的答案 ----


def assert_shows_the_truth(seen):
    """面板里的词元、编号、权重与余弦，与 course_lib 的相差不过量化与两位小数的舍入。"""
    texts = [text for text in seen["texts"] if text.strip()]
    runs = [run(text) for text in texts]
    assert seen["tokens"] == [tokens for tokens, _, _ in runs]
    assert seen["ids"] == [tokenizer().encode(text) for text in texts]
    places = [(which, i) for which, (tokens, _, _) in enumerate(runs) for i in range(len(tokens))]
    which, query = places[seen["token"]]
    tokens, hidden, attention = runs[which]
    if seen["keys"]:
        expected = attention.flatten(0, 1)[seen["head"], query]
        assert seen["keys"] == tokens
        assert (torch.tensor(seen["weights"]) - expected).abs().max() < 0.05
        told = [
            f"{token}（第 {i} 个）" if tokens.count(token) > 1 else token for i, token in enumerate(tokens)
        ]
        layer, head = divmod(seen["head"], attention.size(1))
        assert seen["reading"].startswith(
            f"第 {layer} 层第 {head} 个头里，{told[query]} 看得最多的是 {told[expected.argmax()]} "
        )
    if seen["table"]:
        other, partner = places[seen["partner"]]
        pair = cosine_similarity(hidden[:, query], runs[other][1][:, partner], dim=-1)
        table = torch.tensor(seen["table"])
        assert (table[:, 0] - pair).abs().max() < 0.02
        if table.size(1) > 1:
            used = texts if other != which else [texts[which]]
            assert (table[:, 1] - random_pairs(used)).abs().max() < 0.02


# ---- 打开 ----


@both_ways
def test_nothing_but_small_scripts_before_the_button(visit, book, roots, scheme):
    """按按钮之前只有几个小文件，网址里带着句子也一样；按钮上写的大小是真的，经 http 是网站压缩之后的。"""
    page = visit(f"{PAGE}#{urlencode({'text': BANKS, 'token': 19})}", scheme)
    page.wait_for_load_state("networkidle")
    files = live_files(page)
    assert files.keys() == SCRIPTS and sum(files.values()) < 155_000
    assert page.locator("textarea").first.input_value() == BANKS
    assert page.inner_text(".live-status") == "还没有装入模型。"
    promised = int(re.search(r"约 (\d+) MB", page.inner_text(".live-open"))[1])
    press_open(page)
    taken = {name: size for name, size in live_files(page).items() if name not in files}
    if scheme == "http":
        taken = {name: len(gzip.compress((book / "live" / name).read_bytes(), 6)) for name in taken}
    assert abs(sum(taken.values()) / 1e6 - promised) < 0.6
    assert all(url.startswith((roots[scheme], "blob:", "data:")) for url in page.asked)
    assert page.errors == []


def test_only_pages_with_a_panel_load_the_scripts(book):
    having = {
        path.relative_to(book).as_posix()
        for path in book.rglob("*.html")
        if "live/bert/panel.js" in path.read_text(encoding="utf-8")
    }
    pages = {PAGE, *SMALL}
    assert having == pages | {f"zh-TW/{name}" for name in pages}


def test_a_lost_connection_is_told_and_can_be_tried_again(visit):
    page = visit(PAGE)
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


# ---- 显示的是对的 ----


@both_ways
def test_every_example_agrees_with_course_lib_and_nothing_more_is_asked_for(visit, roots, scheme):
    """取齐之后断了网，例句与自己写的都照样算得对，没有一个请求。"""
    page = visit(PAGE, scheme)
    press_open(page)
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


def test_every_head_and_token_can_be_chosen(opened):
    for head, token in [(0, 0), (37, 12), (71, 5)]:
        opened.locator(".live-cell input").nth(head).click()
        opened.locator(".live-chip input").nth(token).click()
        seen = shown(opened)
        assert (seen["head"], seen["token"]) == (head, token)
        assert_shows_the_truth(seen)
    opened.locator(".live-ask select").select_option(index=3)
    assert_shows_the_truth(shown(opened))


def test_maps_are_as_dark_as_the_weights(opened):
    """小图的每一个像素的浓淡是权重的平方根。"""
    alphas = opened.evaluate("""() => [...document.querySelectorAll('.live-cell canvas')].map((canvas) => {
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      return [...data].filter((_, i) => i % 4 === 3);
    })""")
    _, _, attention = run(THEY)
    drawn = torch.tensor(alphas).view(attention.shape) / 255
    assert (drawn - attention.sqrt()).abs().max() < 0.1
    assert (drawn**2 - attention).abs().max() < 0.05


def test_unknown_and_split_words_are_explained(opened):
    vocab = tokenizer().vocab
    han = sum(bool(CJK.fullmatch(token)) for token in vocab)
    enter(opened, "你好，unbelievably 山 😀 [UNK]")
    seen = shown(opened)
    assert_shows_the_truth(seen)
    assert seen["tokens"][0].count("[UNK]") == 4
    first, second, third = seen["notes"]
    assert first.startswith("“你”“好”成了 [UNK]：") and "“山”" not in first
    assert f"{len(vocab)} 个词元里只有 {han} 个汉字" in first
    assert f"编号都是 {vocab['[UNK]']}" in first
    assert second.startswith("“😀”里有一截")
    pieces = [token for token in seen["tokens"][0] if token in tokenizer().tokenize("unbelievably")]
    assert third.startswith("“unbelievably”不在词表里") and third.endswith(" ".join(pieces) + "。")


# ---- 网址 ----


def test_the_address_remembers_everything(visit):
    page = visit(PAGE)
    press_open(page)
    enter(page, "Fish & chips + 50% = 你好?")
    enter(page, "No fish today.", field=1)
    page.locator(".live-chip input").nth(9).click()
    page.locator(".live-ask select").select_option(index=2)
    page.locator(".live-cell input").nth(30).click()
    before = shown(page)
    assert before["link"] == page.url and page.get_by_role("button", name="复制链接", exact=True).is_visible()
    other = visit(f"{PAGE}#{page.url.partition('#')[2]}")
    assert live_files(other).keys() <= SCRIPTS
    press_open(other)
    after = shown(other)
    for seen in (before, after):
        seen.pop("status")  # 用时每次不同
    assert after == before
    assert (after["token"], after["partner"], after["head"]) == (9, 2, 30)


def test_a_link_in_the_text_changes_the_panel(opened):
    for link in opened.locator('article a[href^="#text="]').all():
        state = dict(parse_qsl(link.get_attribute("href")[1:]))
        link.click()
        opened.wait_for_timeout(100)  # 网址变了，面板过一会儿才知道
        settle(opened)
        seen = shown(opened)
        assert_shows_the_truth(seen)
        assert seen["texts"] == [state["text"], state.get("other", "")]
        assert (seen["token"], seen["partner"]) == (int(state["token"]), int(state["with"]))
        assert seen["head"] == 12 * int(state["layer"]) + int(state["head"])
        assert opened.evaluate("document.querySelector('.live-bert').getBoundingClientRect().top") < 300


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
        ("token=3", ["they", "john"], 65),
    ],
)
def test_what_a_link_leaves_out_is_chosen_with_sense(opened, fragment, tokens, head):
    opened.goto("about:blank")
    opened.goto(opened.home + "#" + fragment)
    press_open(opened)
    seen = shown(opened)
    assert_shows_the_truth(seen)
    line = [token for tokens in seen["tokens"] for token in tokens]
    assert [line[seen["token"]], line[seen["partner"]]] == tokens and seen["token"] != seen["partner"]
    assert seen["head"] == head
    assert opened.errors == []


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


# ---- 打字与键盘 ----


def test_the_same_sentence_twice(opened):
    """两句一模一样：各摆各的，同一个位置的余弦处处是 1。"""
    enter(opened, THEY, field=1)
    opened.locator(".live-ask select").select_option(index=13 + 8)
    seen = shown(opened)
    assert_shows_the_truth(seen)
    assert len(seen["tokens"][0]) == len(seen["tokens"][1]) == 13
    assert [row[0] for row in seen["table"]] == [1] * 7


def test_typing_recomputes_and_keeps_the_choice_while_it_still_fits(opened):
    enter(opened, THEY.replace("inspired", "tired"))
    seen = shown(opened)
    assert_shows_the_truth(seen)
    assert seen["tokens"][0][seen["token"]] == "they"
    enter(opened, "One fish swam past another fish.")
    seen = shown(opened)
    assert_shows_the_truth(seen)
    # 句子对不上了：挑同一个词的两次出现
    assert [seen["tokens"][0][i] for i in (seen["token"], seen["partner"])] == ["fish", "fish"]


@pytest.mark.parametrize(
    ("text", "message"),
    [("  ", "请先输入一句话。"), ("so " * 63, "这里有 65 个词元，一次最多 64 个，请写短一些。")],
)
def test_empty_or_too_long_is_said_and_can_be_mended(opened, text, message):
    """说出毛病；先前的结果还看得见，一处也没有挪，只是淡了，也不能再选。"""
    boxes = """() => [...document.querySelectorAll('.live-chip, .live-cell, .live-map svg, .live-keys li, .live-link')]
      .map((each) => JSON.stringify(each.getBoundingClientRect()))"""
    before, places = shown(opened), opened.evaluate(boxes)
    enter(opened, text)
    seen = shown(opened)
    assert seen["status"] == f"{message}下面还是先前的结果。" and seen["stale"]
    assert {**seen, **{name: before[name] for name in ("texts", "status", "stale")}} == before
    assert opened.evaluate(boxes) == places and opened.locator(".live-keys").is_visible()
    output = opened.locator(".live-output")
    assert 0.2 < float(output.evaluate("(each) => getComputedStyle(each).opacity")) < 0.6
    assert output.evaluate("(each) => each.inert")
    assert opened.locator("textarea").first.get_attribute("aria-invalid") == "true"
    enter(opened, "so " * 62)
    seen = shown(opened)
    assert_shows_the_truth(seen)
    assert len(seen["tokens"][0]) == live_bert.MAX_TOKENS and not seen["stale"]
    assert opened.locator("textarea").first.get_attribute("aria-invalid") == "false"
    assert not output.evaluate("(each) => each.inert")


def test_typing_is_never_held_up(visit):
    """句子最长、没有 SIMD、正在算的时候，字照样打得进去：从按键到显示，比算一遍短得多。"""
    page = visit(PAGE)
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
    page = visit(PAGE)
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
def test_before_opening_its_own_sentence_is_shown(visit, name, scheme):
    """还没有打开：摆着的是面板自己的句子，数与 course_lib 的一样，没有空着的框，也没有取什么。"""
    page = visit(name, scheme)
    page.locator(".live-bert").scroll_into_view_if_needed()
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
    assert not any("/live/data/bert" in url for url in page.asked)
    assert page.errors == []


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (1600, 900), (390, 844)])
def test_the_first_view_shows_a_picture(visit, width, height):
    page = visit(PAGE, viewport={"width": width, "height": height})
    picture = page.locator(".live-map svg" if width > 600 else ".live-cell").first.bounding_box()
    assert picture["y"] + 25 < height and picture["width"] > 20


def test_another_sentence_waits_for_the_button(visit):
    """点了别的例句：没有事先算好的，只摆它的词，不留着先前的图；点回来，又是那幅图。"""
    page = visit(PAGE)
    page.locator(".live-examples button").nth(2).click()
    assert page.locator(".live-draft").is_visible() and page.locator(".live-map svg").is_hidden()
    assert page.inner_text(".live-status") == "还没有装入模型。"
    page.locator(".live-examples button").first.click()
    assert page.locator(".live-draft").count() == 0 and page.locator(".live-map svg").is_visible()
    assert page.errors == []


@pytest.mark.parametrize("width", [1280, 1600])
def test_words_and_heads_stay_beside_the_results(visit, width):
    """宽处用上整个宽度：读到哪一部分，词元与全部的头都还在左边，换一个头，旁边就变。"""
    page = visit(PAGE, viewport={"width": width, "height": 900})
    press_open(page)
    panel, main = (page.locator(name).bounding_box() for name in (".live-bert", ".bd-main"))
    assert panel["width"] > main["width"] - 80 and page.locator(".bd-sidebar-secondary").is_hidden()
    for part in ("oneCell", "intervene", "cosine"):
        block = "end" if part == "cosine" else "start"  # 末一部分短，左边的随它一起到了尽头
        page.locator(f".live-{part}").evaluate("(each, block) => each.scrollIntoView({ block })", block)
        page.wait_for_timeout(200)
        beside = page.locator(f".live-{part}").bounding_box()
        for name in (".live-chip:has(:checked)", ".live-cell >> nth=71"):
            box = page.locator(name).bounding_box()
            assert 0 < box["y"] < 900 - box["height"] and box["x"] + box["width"] < beside["x"]
    page.locator(".live-cell input").nth(3).click()
    assert shown(page)["head"] == 3


# ---- 各章里的小面板与繁体的书 ----


@mostly_http
@pytest.mark.parametrize("name", SMALL)
def test_the_small_panels(visit, name, scheme):
    page = visit(name, scheme)
    page.locator(".live-bert").scroll_into_view_if_needed()
    assert live_files(page).keys() == SCRIPTS - BERT.whole | EDITOR
    press_open(page)
    seen = shown(page)
    assert_shows_the_truth(seen)
    assert (bool(seen["keys"]), bool(seen["table"])) == ("attention" in SMALL[name], "cosine" in SMALL[name])
    enter(page, "He flies a kite.")
    assert_shows_the_truth(shown(page))
    assert "#" not in page.url  # 一章的网址不归它管
    page.click(".live-link a")
    page.wait_for_url("**/live.html#*")
    assert page.locator("textarea").first.input_value() == "He flies a kite."
    assert page.errors == []


@both_ways
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


# ---- 看着舒服 ----


def test_axe_finds_nothing_to_mend_once_open(visit):
    """窄处的，各个页签里另有一遍。"""
    page = visit(PAGE)
    press_open(page)
    enter(page, "你好 😀 " + "unbelievably so " * 9)
    enter(page, "so " * 62, field=1)
    assert page.evaluate("document.documentElement.scrollWidth") <= 1200
    prepare_axe(page)
    assert axe_faults(page, ".live-bert") == []


@pytest.mark.parametrize(("name", "width"), [(PAGE, 390), (PAGE, 1200), *((name, 390) for name in SMALL)])
def test_little_jumps_when_it_opens(visit, name, width):
    page = visit(name, viewport={"width": width, "height": 900})
    page.locator(".live-bert").scroll_into_view_if_needed()
    press_open(page)
    page.wait_for_timeout(300)
    assert page.evaluate("window.shift") <= 0.05


def test_the_maps_follow_the_theme(visit):
    page = visit(PAGE)
    press_open(page)
    ink = """() => { const canvas = document.querySelectorAll('.live-cell canvas')[2];
      return [...canvas.getContext('2d').getImageData(0, 1, 1, 1).data]; }"""
    before = page.evaluate(ink)
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    page.wait_for_timeout(100)
    after = page.evaluate(ink)
    assert before[3] == after[3] > 250 and sum(after[:3]) > sum(before[:3]) + 100


# ---- 正文里要打开网页才知道的 ----


def kinds_shown(page):
    return [int(each) for each in page.locator(".live-kinds b").all_inner_texts()]


def test_heads_that_look_at_the_first_token(opened):
    """正文数的，是这一页自己的权重算出的。"""
    total, *kinds = kinds_shown(opened)
    more = kinds[3]
    assert f"面板开头的那句话，{total} 个头有 {more} 个把一半以上的注意力给了 `[CLS]`" in PROSE


def test_the_head_that_looks_back_in_every_example(visit):
    page = visit(PAGE)
    texts = ["The sky is blue."]
    for button in page.locator(".live-examples button").all():
        button.click()
        texts += [area.input_value() for area in page.locator(".live-field textarea").all()]
    texts = [text for text in texts if text]
    assert THEY in texts and len(texts) == 9
    for text in texts:
        assert run(text)[2][0, 2].diagonal(-1).min() > 0.99


def test_the_javascript_names_exist(opened):
    for _, name in NAMES:
        assert opened.evaluate("(name) => typeof liveBert(null)[name]", name) == "function"


# ---- 一格怎样算出来 ----

CELL = """() => {
  const one = (selector) => document.querySelector(`.live-oneCell ${selector}`);
  const all = (selector) => [...document.querySelectorAll(`.live-oneCell ${selector}`)];
  const number = (text) => Number(text.replace('−', '-'));
  // 一根的高度，以顶到头的为 1：路径里每根是 M… 0h.76v高度h-.76z，向上是负
  const heights = (strip) => [...strip.querySelector('path').getAttribute('d').matchAll(/h\\.76v(-?[\\d.]+)h/g)].map(([, up]) => -up);
  const rows = all('.live-row:not(.live-row-names, [hidden])');
  return {
    lead: one('> p').textContent,
    equations: all('.live-equation').map((each) => each.textContent),
    numbers: all('tbody tr').map((row) => [...row.querySelectorAll('td')].map((cell) => number(cell.textContent))),
    rows: rows.map((row) => [row.querySelector('.live-token').textContent,
      ...[...row.querySelectorAll('.live-number')].map((each) => number(each.textContent))]),
    strips: all('.live-sides .live-strip').map(heights),
    carried: rows.map((row) => heights(row.querySelector('.live-strip'))),
    key: rows.findIndex((row) => row.control.checked),
    rest: one('.live-rows + p').textContent,
  };
}"""


def cell(page):
    settle(page)
    page.wait_for_function("document.querySelector('.live-oneCell .live-strip')")
    page.wait_for_timeout(150)  # 换了头，要等后台线程交出 q、k、v
    return page.evaluate(CELL)


def assert_cell_is_true(seen, text, layer, head, i, j):
    """每一步的数都是课程的代码在同样的（量化过的）权重上算出的。"""
    query, key, value = head_vectors(quantized_bert(), text, layer, head)
    scores = query[i] @ key.T / 32**0.5
    weights = scores.softmax(dim=0)
    products = query[i] * key[j]
    rounding = 0.0051
    expected = torch.stack([query[i], key[j], products], dim=1)
    assert (torch.tensor(seen["numbers"]) - expected).abs().max() < rounding
    score, share = (re.findall(r"[−\d.]+", each) for each in seen["equations"])
    assert abs(float(score[0].replace("−", "-")) - products.sum()) < rounding
    assert score[1] == "5.66" and abs(float(score[2].replace("−", "-")) - scores[j]) < rounding
    assert abs(float(share[-1]) - weights[j]) < rounding
    tokens, shown = [row[0] for row in seen["rows"]], torch.tensor([row[1:] for row in seen["rows"]])
    words = run(text)[0]
    kept = [
        k for k in range(len(words)) if len(tokens) == len(words) or k in weights.topk(15).indices or k == j
    ]
    assert tokens == [words[k] for k in kept] and kept[seen["key"]] == j
    assert (shown - torch.stack([scores, weights], dim=1)[kept]).abs().max() < rounding
    carried = weights[:, None] * value
    output = carried.sum(dim=0)
    tallest = max(output.abs().max(), carried.abs().max())
    assert (torch.tensor(seen["carried"]) * tallest - carried[kept]).abs().max() < 1e-3
    tops = [torch.cat([query[i], key[j]]).abs().max()] * 2 + [products.abs().max(), tallest]
    for strip, top, numbers in zip(seen["strips"], tops, [query[i], key[j], products, output], strict=True):
        assert (torch.tensor(strip) * top - numbers).abs().max() < 1e-3
    name = f"第 {layer} 层第 {head} 个头里，{words[i]}"
    assert seen["lead"].startswith(name) and f"的权重是 {weights[j]:.2f}。" in seen["lead"]


def test_one_cell_step_by_step(opened):
    """打开时的 they → john；换头、换查询、换键，都从头算过。"""
    assert_cell_is_true(cell(opened), THEY, 5, 5, 8, 1)
    opened.locator(".live-cell input").nth(12 * 3 + 1).click()
    opened.locator(".live-chip input").nth(11).click()
    assert_cell_is_true(cell(opened), THEY, 3, 1, 11, 1)
    opened.locator(".live-row input").nth(6).click()
    assert_cell_is_true(cell(opened), THEY, 3, 1, 11, 6)
    assert shown(opened)["partner"] == 6
    opened.keyboard.press("ArrowDown")
    assert_cell_is_true(cell(opened), THEY, 3, 1, 11, 7)
    assert opened.evaluate("document.activeElement.checked")


def test_a_cell_of_the_large_map_chooses_both(opened):
    """指着一格，读出它的权重；点一下，查询与键都换；方向键也行；那一格描着框。"""
    opened.locator(".live-map").scroll_into_view_if_needed()
    frame = opened.locator(".live-map .live-frame").bounding_box()
    size = frame["width"] / 13
    opened.mouse.move(frame["x"] + 3.5 * size, frame["y"] + 8.5 * size)
    said = opened.inner_text(".live-pointed")
    assert said.startswith("they → paul：")
    assert abs(float(said.partition("：")[2]) - run(THEY)[2][5, 5, 8, 3]) < 0.05
    opened.mouse.click(frame["x"] + 6.5 * size, frame["y"] + 9.5 * size)
    assert (shown(opened)["token"], shown(opened)["partner"]) == (9, 6)
    assert_cell_is_true(cell(opened), THEY, 5, 5, 9, 6)
    opened.locator(".live-map").focus()
    for press, query, key in [
        ("ArrowUp", 8, 6),
        ("ArrowLeft", 8, 5),
        ("ArrowDown", 9, 5),
        ("ArrowRight", 9, 6),
    ]:
        opened.keyboard.press(press)
        assert (shown(opened)["token"], shown(opened)["partner"]) == (query, key)
    box = opened.locator(".live-map .live-picked").bounding_box()
    assert abs(box["x"] - frame["x"] - 6 * size) < 3 and abs(box["y"] - frame["y"] - 9 * size) < 3
    assert opened.inner_text(".live-pointed").startswith("were → songs：")
    for _ in range(20):  # 到了边上就停
        opened.keyboard.press("ArrowRight")
    assert shown(opened)["partner"] == 12


def test_the_numbers_of_one_cell_can_be_walked_through(opened):
    """拖动或者用方向键，一个一个地看：两个数，它们的积。"""
    seen = cell(opened)
    slider = opened.locator(".live-oneCell input[type=range]")
    best = max(range(32), key=lambda c: abs(seen["numbers"][c][2]))
    assert slider.input_value() == str(best)
    slider.focus()
    opened.keyboard.press("Home")
    opened.keyboard.press("ArrowRight")
    said = opened.inner_text(".live-one")
    numbers = [float(each.replace("−", "-")) for each in re.findall(r"−?\d+\.\d\d", said)]
    assert said.startswith("第 1 个：") and numbers == seen["numbers"][1]
    assert slider.get_attribute("aria-valuetext") == said


def test_a_long_sentence_lists_the_heaviest_keys(opened):
    text = "The bank " + "so very " * 30
    enter(opened, text)
    opened.locator(".live-chip input").nth(40).click()
    opened.locator(".live-ask select").select_option(index=2)
    seen = cell(opened)
    assert_cell_is_true(seen, text, 5, 5, 40, 2)
    assert 15 <= len(seen["rows"]) <= 16 and seen["rest"].startswith(f"其余 {64 - len(seen['rows'])} 个词元")


def test_a_partner_in_the_other_sentence_is_not_a_key(opened):
    enter(opened, "time flies like an arrow")
    enter(opened, "fruit flies like a banana", field=1)
    opened.locator(".live-chip input").nth(2).click()
    opened.locator(".live-ask select").select_option(index=9)
    seen = cell(opened)
    heaviest = run("time flies like an arrow")[2][5, 5, 2].argmax().item()
    assert_cell_is_true(seen, "time flies like an arrow", 5, 5, 2, heaviest)
    assert "另一句里的词元，注意力看不到它" in seen["lead"]
    assert opened.locator(".live-picked").count() == 0


# ---- 动手改一处 ----

CHANGED = """() => {
  const rows = [...document.querySelectorAll('.live-moved tbody tr')];
  return {
    said: document.querySelector('.live-told').textContent,
    tokens: rows.map((row) => row.querySelector('.live-token').textContent),
    far: rows.map((row) => [...row.querySelectorAll('td.live-heat')].map((cell) => Number(cell.textContent))),
    means: rows.map((row) => row.querySelector('.live-against')?.textContent).map((text) => (text ? Number(text) : null)),
    notes: [...document.querySelectorAll('.live-changed .live-notes p')].map((p) => p.textContent),
    chosen: [...document.querySelectorAll('.live-ways input')].findIndex((input) => input.checked),
  };
}"""


def changed(page):
    settle(page)
    page.locator(".live-ways").scroll_into_view_if_needed()
    page.wait_for_timeout(300)
    page.wait_for_selector('.live-changed[aria-busy="false"]', timeout=30_000)
    return page.evaluate(CHANGED)


def distances(text, other=None, **options):
    before, after = forward(quantized_bert(), text)[0], forward(quantized_bert(), other or text, **options)[0]
    return moved(before, after).T  # (N, 层 + 1)


def assert_moved(seen, far, others):
    """表里的数与对照的平均都是课程的代码算出的；far (N, 层 + 1)，others (遍, N)。"""
    assert (torch.tensor(seen["far"]) - far).abs().max() < 0.0051
    assert (torch.tensor(seen["means"]) - others.mean(0)).abs().max() < 0.0051
    farther, nearer = (far[:, -1] > others.amax(0)).sum(), (far[:, -1] < others.amin(0)).sum()
    assert f"移动得比对照的每一遍都远的有 {farther} 个，都近的有 {nearer} 个" in seen["said"]
    highest = far[:, -1].argmax()
    token = re.escape(seen["tokens"][highest])  # 句子里不止一个的，还说明是第几个
    assert re.search(f"移动得最远的是 {token}(（第 \\d+ 个）)?：{far[highest, -1]:.2f}。", seen["said"])


def test_switching_heads_off(opened):
    """关掉选中的一个头，与同层其余 11 个各关一次相比；再留着它，加关一个。"""
    seen = changed(opened)
    by_head = [distances(THEY, off=[[5, head]]) for head in range(12)]
    others = torch.stack([far[:, -1] for head, far in enumerate(by_head) if head != 5])
    assert_moved(seen, by_head[5], others)
    said = f"they 移动 {by_head[5][8, -1]:.2f}。"
    versus = (
        f"they 平均移动 {others[:, 8].mean():.2f}，从 {others[:, 8].min():.2f} 到 {others[:, 8].max():.2f}。"
    )
    assert said in seen["said"] and versus in seen["said"]
    for _ in range(2):  # 按两次也只留一个，焦点还在
        opened.click(".live-kept > button")
        assert opened.evaluate("document.activeElement.parentElement.className") == "live-kept"
    assert opened.locator(".live-kept button").count() == 2
    opened.locator(".live-cell input").nth(12 * 3 + 1).click()
    seen = changed(opened)
    assert seen["said"].startswith("关掉第 5 层第 5 个头、第 3 层第 1 个头，")
    shifted = [distances(THEY, off=[[5, (5 + k) % 12], [3, (1 + k) % 12]]) for k in range(12)]
    assert_moved(seen, shifted[0], torch.stack([far[:, -1] for far in shifted[1:]]))
    opened.click(".live-kept span button")  # 不关第 5 层第 5 个头了
    assert changed(opened)["said"].startswith("关掉第 3 层第 1 个头，")


def test_the_head_to_switch_off_is_picked_on_the_spot(opened):
    """就在这里挑一个头关掉；一遍也还没有算完，表的样子已经摆着，不是一片空白。"""
    opened.evaluate("""() => {
      const table = document.querySelector('.live-moved');
      globalThis.rows = [];
      new MutationObserver(() => rows.push(table.querySelectorAll('tbody th').length)).observe(table, { childList: true });
    }""")
    enter(opened, "The sky is blue.")
    assert opened.evaluate("rows[0]") == 7
    assert set(opened.locator(".live-moved td.live-heat").all_text_contents()) == {"·"}
    picker = opened.locator(".live-picker input")
    assert picker.count() == 72
    picker.nth(12 * 3 + 1).click()
    assert changed(opened)["said"].startswith("关掉第 3 层第 1 个头，")
    assert shown(opened)["head"] == 12 * 3 + 1
    opened.click(".live-kept > button")
    picker.nth(0).click()
    assert changed(opened)["said"].startswith("关掉第 3 层第 1 个头、第 0 层第 0 个头，")
    assert opened.locator(".live-picker .live-off").count() == 1
    opened.locator(".live-ways input").nth(1).click()
    assert opened.locator(".live-picker").is_hidden()


def test_masking_a_token(opened):
    opened.locator(".live-ways input").nth(1).click()
    opened.locator(".live-chip input").nth(1).click()
    seen = changed(opened)
    assert seen["said"].startswith("遮住 john（谁也不许注意它）")
    others = [i for i in range(13) if i != 1][: 12 * 11 // 11]
    spread = [others[k * 12 // 11] for k in range(11)]
    runs = torch.stack([distances(THEY, masked=[i])[:, -1] for i in spread])
    far = distances(THEY, masked=[1])
    assert (torch.tensor(seen["far"]) - far).abs().max() < 0.0051
    for i in range(13):  # 遮的正是它自己的那一遍不算
        kept = [run for run, masked in zip(runs, spread, strict=True) if masked != i]
        assert abs(torch.stack(kept)[:, i].mean() - seen["means"][i]) < 0.0051


WORDS = ["water", "green", "seven", "music", "stone", "never", "garden", "quickly", "doctor", "open", "under"]


@pytest.mark.parametrize("word", ["water", "money"])
def test_swapping_a_word(opened, word):
    """换一个词：别的词元一一对照，换掉的不比；对照是随手写下的 11 个词，各是一个词元。"""
    text = "She sat on the bank of the river."
    enter(opened, text)
    opened.locator(".live-chip input").nth(8).click()
    opened.locator(".live-ways input").nth(2).click()
    assert changed(opened)["said"] == "写一个词，换掉上面选中的 river。"
    opened.locator(".live-changed").evaluate(
        "(box) => box.previousElementSibling.querySelector('input').focus()"
    )
    opened.keyboard.insert_text(f" {word} ")
    seen = changed(opened)
    assert seen["far"].pop(8) == [] and seen["means"].pop(8) is None and seen["tokens"].pop(8) == "river"
    rest = [i for i in range(11) if i != 8]
    assert all(len(tokenizer().tokenize(each)) == 1 for each in WORDS)
    others = [distances(text, text.replace("river", each))[rest, -1] for each in WORDS if each != word]
    assert f"换成 {len(others)} 个随手写下的词" in seen["said"]
    assert seen["notes"][0] == f"随手写下的词是 {'、'.join(each for each in WORDS if each != word)}。"
    assert_moved(seen, distances(text, text.replace("river", word))[rest], torch.stack(others))
    # 正文说的：water 近，money 混在那些词里
    counts = {"water": "都远的有 0 个，都近的有 10 个", "money": "都远的有 0 个，都近的有 0 个"}
    assert counts[word] in seen["said"]


def test_a_swap_that_changes_the_number_of_tokens(opened):
    enter(opened, "The sky is blue.")
    opened.locator(".live-chip input").nth(4).click()
    opened.locator(".live-ways input").nth(2).click()
    opened.locator(".live-ask input").fill("hyperparameter")
    seen = changed(opened)
    before, after = (
        forward(quantized_bert(), text)[0] for text in ("The sky is blue.", "The sky is hyperparameter.")
    )
    rest, moved_to = [0, 1, 2, 3, 5, 6], [0, 1, 2, 3, 7, 8]
    far = moved(before[:, rest], after[:, moved_to]).T
    seen["far"].pop(4)
    assert (torch.tensor(seen["far"]) - far).abs().max() < 0.0051
    assert seen["notes"][1] == "换过之后是：the sky is hyper ##para ##meter .。"
    assert "切成 3 截，后面的词元都后移 2 个位置" in seen["notes"][2]
    assert far[:4, 0].max() == 0 < far[4:, 0].min()


def test_changes_that_cannot_be_made_say_so(opened):
    """特殊词元换不得；换成的词太长、是标记，都只是字；一层的头全关了，没有对照。"""
    assert len(changed(opened)["tokens"]) == 13
    opened.locator(".live-ways input").nth(2).click()
    opened.locator(".live-chip input").nth(0).click()
    assert changed(opened)["said"].startswith("[CLS] 是 BERT 自己加的记号，换不得")
    faded = opened.locator(".live-moved")  # 先前的表还在，只是淡了
    assert faded.evaluate("(table) => table.inert && getComputedStyle(table).opacity") == "0.45"
    assert faded.locator("tbody tr").count() == 13
    opened.locator(".live-chip input").nth(1).click()
    opened.locator(".live-ask input").fill("<img src=x onerror=alert(1)>")
    seen = changed(opened)
    assert not faded.evaluate("(table) => table.inert")
    assert seen["said"].startswith("把 john 换成 <img src=x onerror=alert(1)>，")
    assert opened.locator(".live-bert img").count() == 0
    opened.locator(".live-ask input").fill("x" * 4000)
    assert opened.locator(".live-ask input").evaluate("(input) => input.maxLength") == 40
    enter(opened, "so " * 62)
    opened.locator(".live-chip input").nth(1).click()
    opened.locator(".live-ask input").fill("hyperparameter")
    assert changed(opened)["said"] == "换过之后有 66 个词元，一次最多 64 个，请换一个短一些的词。"
    opened.locator(".live-examples button").first.click()
    every = "_".join(f"5-{head}" for head in range(12))
    opened.evaluate("(hash) => { location.hash = hash; }", f"text=Hi+there&layer=5&head=5&off={every}")
    assert "没有别的可以对照。" in changed(opened)["said"]
    assert opened.errors == []


def test_a_change_is_in_the_address(visit):
    """改法、换成的词、还关着的头都在网址里，打开就是同样的。"""
    page = visit(
        f"{PAGE}#{urlencode({'text': THEY, 'token': 8, 'with': 1, 'way': 'swap', 'word': 'we <b>'})}"
    )
    press_open(page)
    first = changed(page)
    assert first["chosen"] == 2 and "把 they 换成 we <b>，" in first["said"]
    page.locator(".live-ways input").nth(0).click()
    page.click(".live-kept > button")
    page.locator(".live-cell input").nth(0).click()
    before = changed(page)
    other = visit(f"{PAGE}#{page.url.partition('#')[2]}")
    press_open(other)
    assert changed(other) == before and "第 5 层第 5 个头、第 0 层第 0 个头" in before["said"]
    for bad in ("off=5-5_", "off=99-99", "off=x", "way=burn"):
        third = visit(f"{PAGE}#{urlencode({'text': THEY})}&{bad}&layer=0&head=0")
        press_open(third)
        assert changed(third)["said"].startswith("关掉第 0 层第 0 个头，")
        assert third.errors == []


def test_nothing_is_computed_out_of_sight(visit):
    """没有滚到“动手改一处”，就不多算；滚到了才算。"""
    page = visit(PAGE, viewport={"width": 1200, "height": 500})
    press_open(page)
    page.wait_for_timeout(1000)
    assert set(page.locator(".live-moved td.live-heat").all_text_contents()) == {"·"}
    assert len(changed(page)["tokens"]) == 13
