"""“打开 BERT”的网页：在真的 Chromium 里打开成书里的面板，显示的每个数都与 course_lib 的比。"""

import inspect
import re
from functools import cache
from pathlib import Path
from urllib.parse import parse_qsl, urlencode

import live_data
import live_page
import pytest
import torch
from axe_playwright_python.base import AXE_SCRIPT
from page_scripts import WATCH_SHIFTS
from test_live_bert import SENTENCES, WITHOUT_WASM, change_worker, quantized_bert, run_in_torch
from torch.nn.functional import cosine_similarity

import course_lib
from course_lib.bert import Bert
from course_lib.tokenization import CJK, SPECIAL_TOKENS, WordPieceTokenizer
from course_lib.weights import builtin_path

ROOT = Path(__file__).parents[2]
PAGE = "chapters/live.html"
SMALL = {
    "chapters/04_scaled_dot_product_attention.html": ["tokens", "attention"],
    "chapters/12_contextual_bank.html": ["tokens", "cosine"],
    "chapters/13_bertviz.html": ["tokens", "attention"],
}
SCRIPTS = {"live.css", "tokenizer.js", "bert.js", "simd.js", "engine.js", "page.js"}
THEY = "John and Paul wrote several songs when they were inspired."
BANKS = "After stealing money from the bank vault, the bank robber was seen fishing on the Mississippi river bank."
both_ways = pytest.mark.parametrize("scheme", ["http", "file"])


def new_page(browser, address, **settings):
    """打开一页；`asked` 里是它要过的文件，`errors` 里是控制台的错误。"""
    context = browser.new_context(
        **{"locale": "zh-CN", "viewport": {"width": 1200, "height": 900}} | settings
    )
    page = context.new_page()
    page.asked, page.errors = {}, []
    page.on("requestfinished", lambda r: page.asked.__setitem__(r.url, r.sizes()["responseBodySize"]))
    page.on("console", lambda text: page.errors.append(text.text) if text.type == "error" else None)
    page.on("pageerror", lambda error: page.errors.append(str(error)))
    page.add_init_script(WATCH_SHIFTS)
    page.goto(address)
    return page


@pytest.fixture
def visit(browser, roots):
    pages = []

    def open_page(name, scheme="http", **settings):
        pages.append(new_page(browser, roots[scheme] + name, **settings))
        return pages[-1]

    yield open_page
    for page in pages:
        page.context.close()


@pytest.fixture(scope="module")
def opened_once(browser, roots):
    page = new_page(browser, roots["http"] + PAGE)
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
    return {url.partition("/live/")[2]: size for url, size in page.asked.items() if "/live/" in url}


def settle(page):
    page.wait_for_selector('.live-output[aria-busy="false"]', state="attached", timeout=60_000)


def press_open(page):
    page.click(".live-open")
    settle(page)


def enter(page, text, field=0):
    """打字，等到停笔之后算完。"""
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


@cache
def tokenizer():
    return WordPieceTokenizer.from_vocab(builtin_path())


@cache
def bert():
    return Bert.from_pretrained(builtin_path())


@cache
def run(text):
    """一句话 → 词元，隐藏状态 (层 + 1, N, D)，权重 (层, 头, N, N)。"""
    ids = tokenizer().encode(text)
    hidden, attention = run_in_torch(bert(), {"ids": ids, "segments": [0] * len(ids)})
    return [tokenizer().ids_to_tokens[index] for index in ids], hidden, attention


def random_pairs(texts):
    """每层：各句里所有不同的词元两两的余弦，取平均。"""
    cosines = []
    for text in texts:
        tokens, hidden, _ = run(text)
        words = torch.tensor([i for i, token in enumerate(tokens) if token not in SPECIAL_TOKENS])
        kinds = torch.tensor([tokenizer().vocab[token] for token in tokens])[words]
        i, j = torch.triu_indices(len(words), len(words), 1)
        i, j = i[kinds[i] != kinds[j]], j[kinds[i] != kinds[j]]
        cosines.append(cosine_similarity(hidden[:, words[i]], hidden[:, words[j]], dim=-1))
    return torch.cat(cosines, dim=1).mean(1)


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
        most = tokens[expected.argmax()]
        layer, head = divmod(seen["head"], attention.size(1))
        assert seen["reading"].startswith(
            f"第 {layer} 层第 {head} 个头里，{tokens[query]} 看得最多的是 {most} "
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
def test_nothing_but_small_scripts_before_the_button(visit, roots, scheme):
    """按按钮之前只有几个小文件，网址里带着句子也一样；按钮上写的大小是真的。"""
    page = visit(f"{PAGE}#{urlencode({'text': BANKS, 'token': 19})}", scheme)
    page.wait_for_load_state("networkidle")
    files = live_files(page)
    assert files.keys() == SCRIPTS and sum(files.values()) < 70_000
    assert page.locator("textarea").first.input_value() == BANKS
    assert page.inner_text(".live-status") == "还没有装入模型。"
    promised = int(re.search(r"约 (\d+) MB", page.inner_text(".live-open"))[1])
    press_open(page)
    taken = sum(live_files(page).values()) - sum(files.values())
    assert abs(taken / 1e6 - promised) < 1.5
    assert all(url.startswith((roots[scheme], "blob:", "data:")) for url in page.asked)
    assert page.errors == []


def test_only_pages_with_a_panel_load_the_scripts(book):
    having = {
        path.relative_to(book).as_posix()
        for path in book.rglob("*.html")
        if "live/page.js" in path.read_text(encoding="utf-8")
    }
    pages = {PAGE, *SMALL}
    assert having == pages | {f"zh-TW/{name}" for name in pages}


def test_a_lost_connection_is_told_and_can_be_tried_again(visit):
    page = visit(PAGE)
    page.context.set_offline(True)
    page.click(".live-open")
    page.wait_for_selector(".live-wrong")
    assert page.locator(".live-output").is_hidden()
    assert "请看看网络是否连着" in page.inner_text(".live-status")
    page.context.set_offline(False)
    assert page.inner_text(".live-open") == "再试一次"
    press_open(page)
    assert_shows_the_truth(shown(page))


# ---- 显示的是对的 ----


@both_ways
def test_every_example_agrees_with_course_lib(visit, scheme):
    page = visit(PAGE, scheme)
    press_open(page)
    seen = []
    for button in page.locator(".live-examples button").all():
        button.click()
        settle(page)
        seen.append(shown(page))
        assert_shows_the_truth(seen[-1])
    assert len(seen) >= 6 and len({str(each["texts"]) for each in seen}) == len(seen)
    assert sum(bool(each["texts"][1]) for each in seen) == 2
    assert page.errors == []


def test_every_head_and_token_can_be_chosen(opened):
    for head, token in [(0, 0), (37, 12), (71, 5)]:
        opened.locator(".live-cell input").nth(head).click()
        opened.locator(".live-chip input").nth(token).click()
        seen = shown(opened)
        assert (seen["head"], seen["token"]) == (head, token)
        assert_shows_the_truth(seen)
    opened.locator(".live-ask select").select_option(index=3)
    assert_shows_the_truth(shown(opened))


def test_pointing_at_the_large_map(opened):
    """指着一格，读出它的权重；点一下，那一条的查询就选中了。"""
    tokens, _, attention = run(THEY)
    opened.locator(".live-map").scroll_into_view_if_needed()
    frame = opened.locator(".live-map .live-frame").bounding_box()
    cell = frame["width"] / len(tokens)
    opened.mouse.move(frame["x"] + 3.5 * cell, frame["y"] + 8.5 * cell)
    said = opened.inner_text(".live-pointed")
    assert said.startswith("they → paul：")
    assert abs(float(said.partition("：")[2]) - attention[5, 5, 8, 3]) < 0.05
    opened.mouse.click(frame["x"] + 3.5 * cell, frame["y"] + 1.5 * cell)
    assert shown(opened)["token"] == 1


def test_maps_are_as_dark_as_the_weights(opened):
    """小图与大图的每一个像素的浓淡都是权重。"""
    alphas = opened.evaluate("""() => [...document.querySelectorAll('.live-cell canvas')].map((canvas) => {
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      return [...data].filter((_, i) => i % 4 === 3);
    })""")
    _, _, attention = run(THEY)
    drawn = torch.tensor(alphas).view(attention.shape) / 255
    assert (drawn - attention).abs().max() < 0.05


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


@both_ways
def test_the_address_remembers_everything(visit, scheme):
    page = visit(PAGE, scheme)
    press_open(page)
    enter(page, "Fish & chips + 50% = 你好?")
    enter(page, "No fish today.", field=1)
    page.locator(".live-chip input").nth(9).click()
    page.locator(".live-ask select").select_option(index=2)
    page.locator(".live-cell input").nth(30).click()
    before = shown(page)
    assert before["link"] == page.url
    other = visit(f"{PAGE}#{page.url.partition('#')[2]}", scheme)
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
        settle(opened)
        seen = shown(opened)
        assert_shows_the_truth(seen)
        assert seen["texts"] == [state["text"], state.get("other", "")]
        assert (seen["token"], seen["partner"]) == (int(state["token"]), int(state["with"]))
        assert seen["head"] == 12 * int(state["layer"]) + int(state["head"])
        assert opened.evaluate("document.querySelector('.live-bert').getBoundingClientRect().top") < 300


@pytest.mark.parametrize(
    "fragment",
    ["text=", "text=Hi&token=99&with=98&layer=77&head=1000", "text=Hi&token=-1&layer=x", "token=3"],
)
def test_a_strange_address_does_no_harm(visit, fragment):
    page = visit(f"{PAGE}#{fragment}")
    press_open(page)
    seen = shown(page)
    assert page.errors == []
    if fragment == "text=":
        assert seen["status"] == "请先输入一句话。"
    else:
        assert_shows_the_truth(seen)


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
    [
        ("", "请先输入一句话。"),
        ("  ", "请先输入一句话。"),
        ("so " * 63, "这里有 65 个词元，一次最多 64 个，请写短一些。"),
    ],
)
def test_empty_or_too_long_is_said_and_can_be_mended(opened, text, message):
    enter(opened, text)
    seen = shown(opened)
    assert seen["status"] == message and seen["stale"]
    assert opened.locator("textarea").first.get_attribute("aria-invalid") == "true"
    assert opened.locator(".live-keys").is_hidden()
    enter(opened, "so " * 62)
    seen = shown(opened)
    assert_shows_the_truth(seen)
    assert len(seen["tokens"][0]) == live_data.MAX_TOKENS and not seen["stale"]
    assert opened.locator("textarea").first.get_attribute("aria-invalid") == "false"


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
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    assert shown(page)["partner"] == 2
    assert_shows_the_truth(shown(page))
    # 回车就算，不换行
    page.locator("textarea").first.focus()
    page.keyboard.press("Enter")
    assert page.locator("textarea").first.input_value() == THEY


# ---- 各章里的小面板与繁体的书 ----


@both_ways
@pytest.mark.parametrize("name", SMALL)
def test_the_small_panels(visit, name, scheme):
    page = visit(name, scheme)
    page.locator(".live-bert").scroll_into_view_if_needed()
    assert live_files(page).keys() == SCRIPTS
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
    assert texts[-1] == "請先輸入一句話。"
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


@pytest.mark.parametrize("width", [390, 1200])
def test_axe_finds_nothing_to_mend_once_open(visit, width):
    page = visit(PAGE, viewport={"width": width, "height": 900})
    press_open(page)
    enter(page, "你好 😀 " + "unbelievably so " * 9)
    enter(page, "so " * 62, field=1)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.evaluate(AXE_SCRIPT)
    page.add_style_tag(content="* { transition: none !important }")  # 颜色一下子就换好
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.wait_for_function("(scheme) => document.documentElement.dataset.theme === scheme", arg=scheme)
        found = page.evaluate(
            "() => axe.run('.live-bert', {resultTypes: ['violations'], rules: {region: {enabled: false}}})"
        )
        assert [
            (scheme, fault["id"], node["target"], node["html"][:120])
            for fault in found["violations"]
            for node in fault["nodes"]
        ] == []


@pytest.mark.parametrize("width", [390, 1200])
@pytest.mark.parametrize("name", [PAGE, *SMALL])
def test_little_jumps_when_it_opens(visit, name, width):
    page = visit(name, viewport={"width": width, "height": 900})
    page.evaluate("window.MathJax?.startup?.promise?.then(() => true)")
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


# ---- 正文说的是真的 ----

PROSE = (ROOT / "chapters/live.md").read_text(encoding="utf-8")


def weight(text, layer, head, query, *keys):
    tokens, _, attention = run(text)
    return sum(attention[layer, head, tokens.index(query), tokens.index(key)] for key in keys).item()


def test_claims_about_they():
    assert abs(weight(THEY, 5, 5, "they", "john", "paul") - 2 / 3) < 0.02
    for word in ("when", "were", "several"):
        assert weight(THEY, 5, 5, word, "john", "paul") > 0.4
    changed = THEY.replace("when", "and").replace("inspired", "beautiful")
    assert weight(changed, 5, 5, "they", "john", "paul") > 0.5


def test_claims_about_flies_and_like():
    (_, time, _), (_, fruit, _) = run("time flies like an arrow"), run("fruit flies like a banana")
    flies, like = cosine_similarity(time[:, 2:4], fruit[:, 2:4], dim=-1).T
    assert abs(flies[0] - 1) < 1e-5 and abs(flies[-1] - 0.6) < 0.05
    assert like[:6].min() > 0.9 and like[6] < 0.7


def test_claims_about_bank():
    tokens, hidden, _ = run(BANKS)
    vault, _, shore = [i for i, token in enumerate(tokens) if token == "bank"]
    assert cosine_similarity(hidden[:, vault], hidden[:, shore], dim=-1).min() > 0.8
    assert random_pairs([BANKS]).max() < 0.4


def test_claims_about_the_head_that_looks_back_and_the_first_token():
    texts = re.findall(r'(?:text|other):\s*"([^"]+)"', (ROOT / "live/page.js").read_text(encoding="utf-8"))
    assert THEY in texts and len(texts) == 8
    for text in ["The sky is blue.", *texts]:
        _, _, attention = run(text)
        assert attention[0, 2].diagonal(-1).min() > 0.99
    to_first = run(THEY)[2][..., 0].mean(-1)
    assert (int((to_first > 0.5).sum()), to_first.numel()) == (40, 72)


def test_claims_about_chinese():
    text = "你好，BERT！我住在山上。"
    han = [token for char in text if CJK.fullmatch(char) for token in tokenizer().tokenize(char)]
    assert han == ["[UNK]", "[UNK]", "我", "[UNK]", "[UNK]", "山", "上"]


def test_claims_about_quantization():
    """表里的数就是现在的权重量化之后算出的。"""
    quantized = quantized_bert()
    off, kept, alike = [], [], []
    for text, pair in SENTENCES:
        ids = tokenizer().encode(text, pair)
        first = ids.index(tokenizer().vocab["[SEP]"]) + 1 if pair else len(ids)
        inputs = {"ids": ids, "segments": [int(i >= first) for i in range(len(ids))]}
        (hidden, weights), (true_hidden, true_weights) = (
            run_in_torch(quantized, inputs),
            run_in_torch(bert(), inputs),
        )
        off.append((weights - true_weights).abs().flatten())
        kept.append((weights.argmax(-1) == true_weights.argmax(-1)).flatten())
        alike.append(cosine_similarity(hidden, true_hidden, dim=-1).flatten())
    off, kept, alike = torch.cat(off), torch.cat(kept).float(), torch.cat(alike)
    numbers = re.findall(r"(?m)^\| [^|]*(?:差|换的|最小)[^|]* \| ([\d.]+)", PROSE)
    measured = [f"{off.max():.3f}", f"{off.mean():.4f}", f"{100 * kept.mean():.1f}", f"{alike.min():.4f}"]
    assert numbers == measured and f"{len(SENTENCES)} 个句子" in PROSE
    tokens, _, attention = run(THEY)
    inputs = {"ids": tokenizer().encode(THEY), "segments": [0] * len(tokens)}
    in_page = run_in_torch(quantized, inputs)[1][5, 5, 8, 3]
    assert (f"{in_page:.2f}", f"{attention[5, 5, 8, 3]:.2f}") == re.search(
        r"是 (0\.\d\d)，.*算是 (0\.\d\d)", PROSE
    ).groups()


def test_claims_about_size():
    assert round((builtin_path() / "model.safetensors").stat().st_size / 1e6) == 91
    assert "不到 1 kB 的 `linear.wasm`" in PROSE and len(live_data.data_files()["linear.wasm"]) < 1000
    assert f"{live_data.GROUP_SIZE} 个相邻的权重" in PROSE and f"{live_data.SHARD_ROWS} 个编号一片" in PROSE
    assert f"最多 {live_data.MAX_TOKENS} 个词元" in PROSE
    d, f, n = bert().config.d_model, bert().config.d_ff, live_data.MAX_TOKENS
    linear, attention = 4 * d * d + 2 * d * f, 2 * n * d  # 一层里每个词元的乘法
    assert round(100 * linear / (linear + attention)) == 97


def test_the_two_columns_of_names_exist():
    script = (ROOT / "live/bert.js").read_text(encoding="utf-8")
    rows = re.findall(r"(?m)^\| [^|]+ \| `([\w.]+)` \| `(\w+)` \|$", PROSE)
    assert len(rows) == 8
    modules = [course_lib.attention, course_lib.bert, course_lib.encoder, course_lib.layers, torch]
    for python, javascript in rows:
        holder = next(m for m in modules if hasattr(m, python.partition(".")[0]))
        for name in python.split("."):
            holder = getattr(holder, name)
        assert inspect.isfunction(holder) or inspect.isclass(holder)
        assert re.search(rf"\bfunction {javascript}\(|\bconst {javascript} =", script)
    forward = script[script.index("function plainLinear") : script.index("以下读数据")]
    lines = [line for line in forward.splitlines() if line.strip() and not line.strip().startswith("//")]
    assert 80 < len(lines) < 100


def test_the_button_knows_what_is_fetched():
    files = live_data.data_files()
    assert sum(map(len, files.values())) > live_page.bytes_at_open() > 11e6
