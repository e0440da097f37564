"""“打开一个大语言模型”的网页：在真的 Chromium 里打开成书里的面板，显示的每个数都与 course_lib 的比。"""

import re
from urllib.parse import parse_qsl, urlencode

import pytest
import torch
from built_book import BOOK
from live_pages import axe_faults, both_ways, new_page, prepare_axe
from llm_page_helpers import language_model, reference, tokenizer

from course_book.after_writing.live_data import written
from course_book.templates import live_page
from course_lib.generation import generate
from course_lib.sampling import narrow

PAGE = "chapters/llm.html"
WINDOW = {"viewport": {"width": 1280, "height": 800}}
PANEL = live_page.PANELS["llm"]
DATA_BYTES = sum(written(BOOK / "live/data/llm")["files"].values())
PARIS = "The capital of France is"
STORY = "Once upon a time, there was a"
CHINESE = "日本的首都是"
STEP, STREAM, CLEAR = "写一个词元", "一直写", "清掉写下的"


@pytest.fixture
def visit(open_tab):
    def open_page(scheme="http", fragment="", book="", **settings):
        return open_tab(f"{book}{PAGE}{fragment}", scheme, **WINDOW | settings)

    return open_page


@pytest.fixture(scope="module")
def opened_once(browser, roots):
    page = new_page(browser, roots["http"] + PAGE, **WINDOW)
    press_open(page)
    yield page
    page.context.close()


@pytest.fixture
def opened(opened_once):
    """打开了的面板，摆着头一个例句，各样设置都是原来的；几个测试共用一页。"""
    start(opened_once)
    return opened_once


def start(page, **state):
    """换上一个状态，像点了正文里的链接那样；等到算完。"""
    fields = urlencode({"text": PARIS} | state)
    page.evaluate("(hash) => { location.hash = hash; }", "text=")
    page.evaluate("(hash) => { location.hash = hash; }", fields)
    page.wait_for_function("(text) => document.querySelector('.llm-ask textarea').value === text",
                           arg=state.get("text", PARIS))  # fmt: skip
    settle(page)


def settle(page):
    page.wait_for_selector('.live-llm[aria-busy="false"]', timeout=120_000)


def press_open(page):
    """装入模型；折起来的词元也打开，好看每一个。"""
    page.click(".llm-opening .live-open")
    page.wait_for_selector(".llm-controls", timeout=120_000)
    settle(page)
    page.locator(".llm-tokens").evaluate("(fold) => { fold.open = true; }")


def press(page, name):
    page.locator(".llm-controls").get_by_role("button", name=name, exact=True).click()


def step(page, times=1):
    for _ in range(times):
        page.click(".llm-controls .live-open")
        settle(page)


def stream(page, until):
    """一直写，到 until 个词元就停。"""
    press(page, STREAM)
    page.wait_for_function(
        """(until) => document.querySelectorAll('.llm-wrote').length >= until
          || document.querySelector('.llm-ended')""",
        arg=until,
        timeout=120_000,
    )
    stop = page.locator(".llm-controls").get_by_role("button", name="停", exact=True)
    if stop.count():
        stop.click()
    settle(page)


def turn(page, label, at):
    """把名为 label 的滑杆转到第 at 档。"""
    page.locator(".llm-next .llm-slider", has_text=label).locator("input").evaluate(
        "(input, at) => { input.value = at; input.dispatchEvent(new Event('input')); }", at
    )


def enter(page, text):
    page.locator(".llm-ask textarea").fill(text)
    settle(page)


def open_view(page, name):
    page.locator(f"[data-view={name}] > summary").click()
    page.wait_for_function("(name) => location.hash.includes(`view=${name}`)", arg=name)
    settle(page)


SHOWN = """() => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const one = (selector) => document.querySelector(selector);
  return {
    bars: all('.llm-bars li:not([hidden]) .llm-bar').map(({ dataset }) => [Number(dataset.token), Number(dataset.probability)]),
    prompt: all('.llm-chips > span.live-chip .live-id').map((node) => Number(node.textContent)),
    written: all('.llm-wrote').map(({ dataset }) => Number(dataset.token)),
    text: one('.llm-paper b')?.textContent ?? '',
    chosen: all('.llm-chosen').map(({ dataset }) => Number(dataset.token)),
    status: one('.live-status').textContent,
    speed: one('[data-tokens-per-second]').dataset.tokensPerSecond,
    stale: one('.live-stale') !== null,
  };
}"""


def shown(page):
    return page.evaluate(SHOWN)


def encode(text, chat=False):
    if chat:
        text = tokenizer().chat([{"role": "user", "content": text}])
    return tokenizer().encode(text)


@torch.no_grad()
def logits_of(ids):
    return language_model()(torch.tensor([ids]), last_only=True).logits[0, -1]


def assert_bars(page, ids, temperature=1.0, **limits):
    """条上的十个，就是 course_lib 给这段前文的前十名；概率是整理之后的。"""
    logits = logits_of(ids)
    expected = narrow(logits, temperature, **limits).softmax(-1)
    bars = shown(page)["bars"][:10]
    assert [token for token, _ in bars] == logits.topk(10).indices.tolist()
    assert (torch.tensor([p for _, p in bars]) - expected[[token for token, _ in bars]]).abs().max() < 1e-4


@torch.no_grad()
def greedy(ids, count):
    model = language_model()
    row = generate(model, torch.tensor([ids]), count, stop_ids=[tokenizer().eos_id])[0]
    return row[len(ids) :].tolist()


# ---- 打开 ----


@both_ways
def test_nothing_before_the_button_and_nothing_after(visit, roots, scheme):
    """按按钮之前只有几个小文件，按钮上写着大小；取齐之后写什么都没有请求，断了网也一样。"""
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


def test_loading_can_be_stopped_and_goes_on(visit):
    page = visit()
    page.route(
        "**/live/data/llm/layer9.bin.js*", lambda route: (page.wait_for_timeout(300), route.continue_())
    )
    page.click(".llm-opening .live-open")
    page.wait_for_function("document.querySelector('progress').value > 0")
    page.get_by_role("button", name="停下", exact=True).click()
    page.get_by_role("button", name="接着取", exact=True).wait_for(timeout=60_000)
    assert "停下了" in page.inner_text(".live-status")
    first = set(page.asked)
    page.asked.clear()
    press_open(page)
    again = [url for url in page.asked if "/live/data/" in url]
    assert again and not first & set(again)  # 取到的都留着
    assert_bars(page, encode(PARIS))


def test_a_stopped_worker_says_so_and_is_opened_again(visit):
    page = visit()
    press_open(page)
    page.evaluate("LiveLlm.open({ root: '../live/' }).then((engine) => engine.worker.onerror())")
    page.click(".llm-controls .live-open")
    page.wait_for_selector(".live-wrong")
    assert page.inner_text(".live-status").startswith("后台线程停了")
    press_open(page)
    assert_bars(page, encode(PARIS))
    step(page)
    assert shown(page)["text"] == " Paris" and page.errors == []


def test_a_missing_shard_says_so_and_is_tried_again(visit):
    page = visit()
    name = "**/live/data/llm/layer3.bin.js*"
    page.route(name, lambda route: route.abort())
    page.click(".llm-opening .live-open")
    page.wait_for_selector(".live-wrong", timeout=60_000)
    assert "layer3.bin" in page.inner_text(".live-status")
    assert page.inner_text(".llm-opening .live-open") == "再试一次"
    page.unroute(name)
    press_open(page)
    assert_bars(page, encode(PARIS))


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


# ---- 下一个词元 ----


@pytest.mark.parametrize("text", [PARIS, STORY, CHINESE, "def fibonacci(n):\n    return", "Hi\x07 <b>&amp;"])
def test_bars_are_the_librarys(opened, text):
    start(opened, text=text)
    assert shown(opened)["prompt"] == encode(text)
    assert_bars(opened, encode(text))


@pytest.mark.parametrize(
    ("turns", "settings"),
    [
        ({"温度": 0}, {"temperature": 0.1}),
        ({"温度": 9}, {"temperature": 2.0}),
        ({"top-k": 2}, {"top_k": 3}),
        ({"top-p": 3}, {"top_p": 0.7}),
        ({"min-p": 4}, {"min_p": 0.1}),
        ({"温度": 8, "top-k": 5, "top-p": 5, "min-p": 2}, {"temperature": 1.5, "top_k": 20, "top_p": 0.9, "min_p": 0.02}),
    ],
)  # fmt: skip
def test_sliders_do_what_narrow_does(opened, turns, settings):
    start(opened, text=STORY)
    for label, at in turns.items():
        turn(opened, label, at)
    assert_bars(opened, encode(STORY), **settings)
    assert opened.locator(".llm-controls input[name=llm-draw]").nth(1).is_checked()  # 转了就是要抽签
    opened.get_by_role("button", name="滑杆还原", exact=True).click()
    assert_bars(opened, encode(STORY))


def test_chinese_is_shown_as_bytes(opened):
    start(opened, text=CHINESE)
    chips = opened.locator(".llm-chips > span.live-chip .live-token").all_inner_texts()
    words = [tokenizer().token_bytes(index) for index in encode(CHINESE)]
    for chip, word in zip(chips, words, strict=True):
        try:
            assert chip == word.decode()
        except UnicodeDecodeError:
            assert chip == word.hex(" ").upper()
    assert "“日”“首”“都”切成了几截" in opened.inner_text(".llm-count")


# ---- 写 ----


def test_streaming_writes_what_the_library_writes(opened):
    start(opened, text=STORY)
    stream(opened, 24)
    seen = shown(opened)
    expected = greedy(encode(STORY), len(seen["written"]))
    assert len(seen["written"]) >= 24 and seen["written"] == expected
    assert seen["text"] == tokenizer().decode(expected)
    assert float(seen["speed"]) > 0.5
    assert dict(parse_qsl(opened.url.partition("#")[2]))["written"] == ".".join(map(str, expected))
    press(opened, CLEAR)
    settle(opened)
    assert shown(opened)["written"] == [] and shown(opened)["text"] == ""


def test_a_chat_is_written_into_the_template(opened):
    question = "What is the capital of Japan?"
    start(opened, text=question, chat=1)
    whole = tokenizer().chat([{"role": "user", "content": question}])
    assert opened.locator(".llm-template").text_content() == whole
    assert opened.locator(".llm-template b").all_inner_texts() == re.findall(r"<\|\w+\|>", whole)
    assert_bars(opened, encode(question, chat=True))
    stream(opened, 100)
    seen = shown(opened)
    assert seen["text"] == "The capital of Japan is Tokyo." and seen["written"][-1] == tokenizer().eos_id
    assert "说完了" in opened.inner_text(".llm-paper")
    opened.locator(".llm-prompt label", has_text="接着写").click()
    settle(opened)
    assert opened.locator(".llm-template").is_hidden()
    assert_bars(opened, encode(question))


def test_the_rendered_template_can_be_edited(opened):
    """模板写成的原文连同回答，拿去当前文：编号不变，再添一问，接着答。"""
    start(opened, text="What is the capital of Japan?", chat=1)
    stream(opened, 100)
    before = shown(opened)
    opened.get_by_role("button", name="拿去改", exact=True).click()
    settle(opened)
    seen = shown(opened)
    assert seen["prompt"] == before["prompt"] + before["written"] and seen["written"] == []
    area = opened.locator(".llm-ask textarea")
    text = f"{area.input_value()}\n<|im_start|>user\nAnd of Italy?<|im_end|>\n<|im_start|>assistant\n"
    enter(opened, text)
    assert_bars(opened, encode(text))


def test_another_branch_and_back(opened):
    """点一条就走那条路；点写下的，看它当初的十条路，改走一条，或者退回到那里。"""
    start(opened)
    opened.locator(".llm-bar").nth(2).click()  # London
    settle(opened)
    london = tokenizer().encode(" London")
    assert shown(opened)["written"] == london
    assert_bars(opened, encode(PARIS) + london)
    step(opened, 2)
    before = shown(opened)
    assert before["written"] == london + greedy(encode(PARIS) + london, 2)
    opened.locator(".llm-wrote").first.click()
    settle(opened)
    assert_bars(opened, encode(PARIS))
    assert shown(opened)["chosen"] == london and shown(opened)["written"] == before["written"]
    opened.get_by_role("button", name="看末尾", exact=True).click()
    settle(opened)
    assert shown(opened)["bars"] == before["bars"]
    opened.locator(".llm-wrote").first.click()
    settle(opened)
    opened.locator(".llm-bar").first.click()  # 改成 Paris
    settle(opened)
    paris = tokenizer().encode(" Paris")
    assert shown(opened)["written"] == paris
    assert_bars(opened, encode(PARIS) + paris)
    step(opened, 2)
    opened.locator(".llm-wrote").nth(1).click()
    settle(opened)
    opened.get_by_role("button", name="退回到这里", exact=True).click()
    settle(opened)
    assert shown(opened)["written"] == paris
    assert_bars(opened, encode(PARIS) + paris)


def test_a_written_token_is_two_numbers(opened):
    """写下的只记编号与概率，不留近五万个分数；回头看时读出来的，每一位都与当初的相同。"""
    start(opened)
    steps, same = opened.evaluate("""async (ids) => {
      const writer = new LlmWriter(await LiveLlm.open({ root: '../live/' })), nexts = [];
      await writer.begin(ids);
      for (let i = 0; i < 3; i++) {
        nexts.push(writer.next);
        await writer.write(writer.choose({}));
      }
      const agains = [await writer.before(0), await writer.before(1), await writer.before(2)];
      return [writer.steps, agains.every((again, i) => again.every((z, id) => z === nexts[i][id]))];
    }""", encode(PARIS))  # fmt: skip
    assert same and [set(each) for each in steps] == [{"id", "share"}] * 3
    assert all(isinstance(value, int | float) for each in steps for value in each.values())
    shares = logits_of(encode(PARIS)).softmax(-1)
    assert abs(steps[0]["share"] - shares[steps[0]["id"]]) < 1e-4


def test_the_same_seed_writes_the_same(opened):
    wrote = []
    for seed in (3, 4, 3):
        start(opened, text=STORY, draw=1, T=0.8, seed=seed)
        stream(opened, 8)
        wrote.append(shown(opened)["written"][:8])
    assert wrote[0] == wrote[2] != wrote[1]
    # 退回去再写，还是它
    opened.locator(".llm-wrote").nth(3).click()
    settle(opened)
    opened.get_by_role("button", name="退回到这里", exact=True).click()
    settle(opened)
    step(opened, 3)
    assert shown(opened)["written"] == wrote[0][:6]


def test_it_stops_when_full(opened):
    text = "so " * 251
    start(opened, text=text)
    room = 256 - len(encode(text))
    stream(opened, room)
    assert len(shown(opened)["written"]) == room and "写满 256 个词元" in shown(opened)["status"]
    step(opened)
    assert len(shown(opened)["written"]) == room


def back(page, text):
    page.go_back()
    page.wait_for_function("(text) => document.querySelector('.llm-ask textarea').value === text", arg=text)
    settle(page)


@pytest.mark.parametrize("writing", [False, True])
def test_a_prompt_edited_by_hand_starts_anew(visit, writing):
    """前文一改，先前写下的不再接在后面，正写着也一样；后退找得回来。"""
    page = visit()
    press_open(page)
    enter(page, STORY)
    if writing:
        press(page, STREAM)
        page.wait_for_function("document.querySelectorAll('.llm-wrote').length >= 4")
    else:
        step(page, 4)
    area = page.locator(".llm-ask textarea")
    area.fill("The opposite of hot is")
    area.press_sequentially(" not")
    settle(page)
    seen = shown(page)
    assert (seen["written"], seen["text"]) == ([], "")
    assert seen["prompt"] == encode("The opposite of hot is not")
    assert re.search(
        r"The opposite of hot is not\s*前文改了，先前写下的 \d+ 个词元不再接在后面",
        page.inner_text(".llm-paper"),
    )
    assert dict(parse_qsl(page.url.partition("#")[2])) == {"text": "The opposite of hot is not"}
    step(page)
    assert "前文改了" not in page.inner_text(".llm-paper") and len(shown(page)["written"]) == 1
    back(page, STORY)
    wrote = shown(page)["written"]
    assert len(wrote) >= 4 and wrote == greedy(encode(STORY), len(wrote))
    assert page.errors == []


def test_back_returns_from_an_example(visit):
    page = visit()
    press_open(page)
    enter(page, "My own words are")
    step(page, 2)
    wrote = shown(page)["written"]
    for _ in range(2):  # 按两次，也只是一条历史
        page.locator(".live-examples button").nth(5).click()
        settle(page)
    assert shown(page)["written"] == []
    back(page, "My own words are")
    assert shown(page)["written"] == wrote


@pytest.mark.parametrize("edits", [["The opposite of hot is"], ["The sky", "The opposite of hot is"]])
def test_writing_on_waits_for_the_reading(visit, edits):
    """前文还在读，或者先前的一段刚刚叫停，就按“一直写”：读完了再写。"""
    page = visit()
    press_open(page)
    page.evaluate("""async () => {
      const engine = await LiveLlm.open({ root: '../live/' }), feed = engine.feed;
      engine.feed = async (ids, options) => {
        if (options.onPiece) await new Promise((resolve) => setTimeout(resolve, 1000));
        return feed.call(engine, ids, options);
      };
    }""")
    for text in edits:
        page.locator(".llm-ask textarea").fill(text)
        page.wait_for_timeout(400)  # 停笔了，开始读
    press(page, STREAM)
    page.wait_for_function("document.querySelectorAll('.llm-wrote').length >= 3", timeout=30_000)
    assert page.inner_text(".llm-paper").startswith("The opposite of hot is cold")
    press(page, "停")
    settle(page)
    assert page.errors == []


def test_nothing_computed_takes_no_time(opened):
    start(opened)
    start(opened)
    assert shown(opened)["status"] == "5 个词元。"


LONG = "one two three four five six seven eight nine ten " * 20


def test_a_long_prompt_is_read_in_pieces_and_can_be_stopped(visit):
    """两百个词元：看得见读到了哪里，打字不卡，停得下来，再按就从停的地方接着读；答案与一口气读的相同。"""
    page = visit()
    press_open(page)
    ids = encode(LONG)
    page.evaluate("""() => {
      const status = document.querySelector('.live-status');
      globalThis.seen = [];
      new MutationObserver(() => seen.push(status.textContent)).observe(status, {subtree: true, childList: true, characterData: true});
    }""")
    page.locator(".llm-ask textarea").fill(LONG)
    stop = page.locator(".llm-controls").get_by_role("button", name="停", exact=True)
    stop.click()
    settle(page)
    said = page.inner_text(".live-status")
    total, read = map(int, re.search(r"停下了：(\d+) 个词元，读了 (\d+) 个", said).groups())
    assert total == len(ids) and 0 < read < total and read % 16 == 0
    assert shown(page)["stale"] and page.locator("progress:visible").count() == 0
    page.wait_for_timeout(300)
    assert page.inner_text(".live-status") == said  # 真的停了
    page.get_by_role("button", name="接着读", exact=True).click()
    settle(page)
    computed = int(re.search(r"算 (\d+) 个", shown(page)["status"])[1])
    assert total - read - 16 <= computed <= total - read
    assert not shown(page)["stale"]
    assert_bars(page, ids)
    counts = [
        int(match[1]) for text in page.evaluate("seen") if (match := re.search(rf"(\d+) / {total}", text))
    ]
    assert len(set(counts)) >= 5 and counts == sorted(counts)
    assert page.errors == []


def test_typing_while_it_reads_drops_the_reading(visit):
    page = visit()
    press_open(page)
    page.locator(".llm-ask textarea").fill(LONG)
    page.locator(".llm-controls").get_by_role("button", name="停", exact=True).wait_for()
    page.locator(".llm-ask textarea").press_sequentially(" and then")
    enter(page, PARIS)
    assert "停下了" not in shown(page)["status"]
    assert_bars(page, encode(PARIS))
    assert page.errors == []


# ---- 里面 ----


@pytest.mark.parametrize(("layer", "head", "token"), [(24, 5, 4), (1, 1, 2), (30, 9, 0)])
def test_attention_is_the_librarys(opened, layer, head, token):
    start(opened, view="attention", layer=layer, head=head, token=token)
    weights = reference(PARIS).attentions[layer - 1, head - 1, token, : token + 1]
    listed = opened.evaluate("""() => [...document.querySelectorAll('.live-keys li')].map(
      ({ dataset }) => [Number(dataset.key), Number(dataset.weight)])""")
    assert len(listed) == min(8, token + 1)
    assert all(abs(weight - weights[key]) < 1e-3 for key, weight in listed)
    assert listed[0][0] == weights.argmax()
    assert opened.locator(".live-arc").count() == sum(w >= 0.01 for w in weights)
    cells = opened.evaluate(
        "() => [...document.querySelectorAll('.llm-cell')].map(({ dataset }) => Number(dataset.share))"
    )
    first = reference(PARIS).attentions[:, :, 1:, 0].mean(-1).flatten()
    assert (torch.tensor(cells) - first).abs().max() < 1e-3


def test_a_fold_opened_while_it_writes_says_so(opened):
    start(opened, text=STORY)
    press(opened, STREAM)
    opened.wait_for_selector(".llm-wrote")
    opened.locator("[data-view=norms] > summary").click()
    fold = opened.locator("[data-view=norms]")
    fold.get_by_text("正在写，停下来就算。").wait_for()
    press(opened, "停")
    settle(opened)
    assert "正在写" not in fold.inner_text() and "的向量在第" in fold.inner_text()
    start(opened)


def test_the_sink_can_be_left_out_of_the_picture(opened):
    start(opened, view="attention", layer=20, head=3)
    weights = reference(PARIS).attentions[19, 2, -1]
    box = opened.locator(".llm-check input").first
    box.check()
    listed = opened.evaluate("""() => [...document.querySelectorAll('.live-keys li')].map(
      ({ dataset }) => [Number(dataset.key), Number(dataset.weight)])""")
    assert all(abs(w - weights[key] / (1 - weights[0])) < 1e-3 for key, w in listed if key)
    assert dict(listed)[0] == 0
    assert f"第一个词元的 {weights[0]:.2f}" in opened.inner_text("[data-view=attention] .llm-reading")
    assert_bars(opened, encode(PARIS))  # 只改图，不改模型
    box.uncheck()


def test_lens_is_the_librarys(opened):
    start(opened, view="lens")
    with torch.no_grad():
        model = language_model()
        shares = model.head(model.norm(reference(PARIS).hidden_states[:, -1])).softmax(-1)
    rows = opened.locator(".llm-lens tbody tr")
    assert rows.count() == 31
    numbers = [float(each) for each in rows.locator("[data-probability]").evaluate_all(
        "(cells) => cells.map(({ dataset }) => dataset.probability)")]  # fmt: skip
    assert (torch.tensor(numbers) - shares.max(-1).values).abs().max() < 1e-3
    words = [tokenizer().decode([int(i)]) for i in shares.argmax(-1)]
    assert rows.locator(".live-token").all_inner_texts() == [word.replace(" ", "␣") for word in words]
    ranks = [int(row.replace(",", "")) for row in rows.locator("td:last-child").all_inner_texts()]
    paris = shares[-1].argmax()
    assert ranks[-3:] == [1 + int((row > row[paris]).sum()) for row in shares[-3:]]
    assert "到最后一层才排到第一" in opened.inner_text("[data-view=lens] .llm-reading")
    assert "\t0.0 %" not in opened.inner_text(".llm-lens") and "<0.1 %" in rows.first.inner_text()
    # 早就排到第一的，说从第几层起
    text = "Blork, zane, mivel, tupra. Blork, zane, mivel,"
    start(opened, text=text, view="lens")
    with torch.no_grad():
        chosen = model.head(model.norm(reference(text).hidden_states[:, -1])).argmax(-1)
    since = 1 + max(level for level in range(31) if chosen[level] != chosen[-1])
    assert since < 30 and f"从第 {since} 层起它一直排第一" in opened.inner_text(
        "[data-view=lens] .llm-reading"
    )


def test_norms_are_the_librarys(opened):
    start(opened, view="norms")
    opened.locator(".llm-numbers summary").click()
    table = opened.locator(".llm-numbers tbody tr").evaluate_all(
        "(rows) => rows.map((row) => [...row.querySelectorAll('td')].map(({ dataset }) => Number(dataset.length)))"
    )
    lengths = reference(PARIS).hidden_states.norm(dim=-1)
    expected = torch.stack([lengths[:, 0], lengths[:, -1], lengths[:, 1:].mean(-1)], 1)
    assert ((torch.tensor(table) - expected) / expected).abs().max() < 1e-3
    top = f"{lengths[:, 0].max().round().int():,}"
    assert top == "22,712" and top in opened.inner_text("[data-view=norms] .llm-reading")


def test_the_cache_grows_by_a_token_and_can_be_left_out(opened):
    start(opened, view="cache")
    byte_counts = (
        "() => [...document.querySelectorAll('.llm-memory li')].map(({ dataset }) => Number(dataset.bytes))"
    )
    assert opened.evaluate(byte_counts) == [5 * 46_080, 5 * 138_240]
    step(opened)
    assert opened.evaluate(byte_counts) == [6 * 46_080, 6 * 138_240]
    opened.get_by_role("button", name="同一步").click()
    settle(opened)
    opened.wait_for_function("document.querySelector('.llm-compared').textContent.includes('倍')")
    said = opened.inner_text(".llm-compared")
    assert "共 6 个词元：用缓存，只算最新的 1 个" in said and "从头算 6 个" in said
    step(opened)
    assert opened.inner_text(".llm-compared") == ""  # 比的是先前的，不留着
    box = opened.locator(".llm-use-cache")
    box.uncheck()
    step(opened)
    assert "算 8 个" in shown(opened)["status"] and "没有缓存" in shown(opened)["status"]
    assert_bars(opened, encode(PARIS) + shown(opened)["written"])
    box.check()


@torch.no_grad()
def test_how_surprising_each_token_is(visit):
    """每个词元的意外都是库里的 −log₂ p，指着它、按方向键都读得到；不看就不算，改了末尾只补末尾。"""
    page = visit()
    press_open(page)
    page.evaluate("""async () => {
      const engine = await LiveLlm.open({ root: '../live/' }), ask = engine.surprises;
      globalThis.asked = [];
      engine.surprises = (...span) => (asked.push(span), ask.apply(engine, span));
    }""")
    enter(page, STORY)
    assert page.evaluate("asked") == [] and page.locator("[data-bits]").count() == 0
    button = page.get_by_role("button", name="有多意外", exact=True)
    button.click()
    settle(page)

    def check(text):
        ids = encode(text)
        logits = language_model()(torch.tensor([ids])).logits[0]
        expected = -logits[:-1].log_softmax(-1)[range(len(ids) - 1), ids[1:]] / torch.tensor(2.0).log()
        bits = page.locator(".llm-chips > [data-bits]").evaluate_all(
            "(chips) => chips.map(({ dataset }) => Number(dataset.bits))"
        )
        assert (torch.tensor(bits) - expected).abs().max() < 1e-3
        return expected

    expected = check(STORY)
    reading = page.locator(".llm-surprise")
    assert f"共 {expected.sum():.1f} 位，平均 {expected.mean():.1f} 位" in reading.inner_text()
    page.locator(".llm-chips").first.focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    assert f"␣a：{expected[1]:.1f} 位" in reading.inner_text()
    page.locator(".llm-chips > .live-chip").nth(3).hover()
    assert f"␣time：{expected[2]:.1f} 位" in reading.inner_text()
    step(page)  # 写下的不算在前文里
    check(STORY)
    assert page.evaluate("asked") == [[1, len(encode(STORY))]]
    enter(page, f"{STORY} king")
    check(f"{STORY} king")
    assert page.evaluate("asked.at(-1)") == [len(encode(STORY)), len(encode(STORY)) + 1]
    enter(page, LONG)
    check(LONG)
    fields = page.url.partition("#")[2]
    assert dict(parse_qsl(fields))["bits"] == "1"
    button.click()
    settle(page)
    assert reading.is_hidden() and page.locator(".llm-with-bits").count() == 0
    assert page.errors == []


# ---- 网址、毛病、手与眼 ----


@both_ways
def test_the_link_can_be_copied(browser, roots, scheme):
    """按一下，此刻的网址就在剪贴板里；浏览器不让，就说到哪里去抄。"""
    page = new_page(browser, roots[scheme] + PAGE, **WINDOW)
    press_open(page)
    step(page)
    page.evaluate("() => { navigator.clipboard.writeText = async (text) => { globalThis.copied = text; }; }")
    button = page.get_by_role("button", name="复制链接", exact=True)
    button.click()
    page.get_by_text("复制好了。").wait_for()
    link = page.evaluate("copied")
    assert link == page.url and dict(parse_qsl(link.partition("#")[2]))["written"] == "7042"
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(Error()); }")
    button.click()
    page.get_by_text("浏览器不让复制").wait_for()
    page.context.close()


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


def test_keyboard_alone(visit):
    page = visit()
    page.locator(".llm-ask textarea").focus()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "live-open"
    page.keyboard.press("Enter")
    page.wait_for_selector(".llm-controls", timeout=120_000)
    settle(page)
    assert page.evaluate("document.activeElement.textContent") == STEP  # 焦点落在接着要按的那个上
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
    area.press("Enter")
    settle(opened)
    assert shown(opened)["stale"] and shown(opened)["text"] == " cold"
    start(opened, text="What is 17 + 25?", chat=1)
    area.press("Enter")
    opened.wait_for_selector(".llm-ended", timeout=60_000)
    settle(opened)
    assert shown(opened)["text"] == "17 + 25 = 32."


@pytest.mark.parametrize("width", [360, 1280])
def test_axe_and_fingers(visit, width):
    page = visit(viewport={"width": width, "height": 800})
    press_open(page)
    enter(page, "你好 😀 " + "unbelievably so " * 9)
    step(page, 2)
    page.locator(".llm-wrote").first.click()
    settle(page)
    prepare_axe(page)
    for view in ("attention", "lens", "norms", "cache"):
        open_view(page, view)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert [(view, *fault) for fault in axe_faults(page, ".live-llm")] == []
        if width == 360:
            small = page.evaluate("""() => [...document.querySelectorAll(
                '.live-llm :is(button, summary, .llm-choice, label.live-chip, .llm-slider, .llm-check, textarea)')]
              .filter((each) => each.checkVisibility({visibilityProperty: true}) && each.getBoundingClientRect().width)
              .map((each) => [each.className || each.textContent, each.getBoundingClientRect()])
              .filter(([, { width, height }]) => Math.min(width, height) < 39)
              .map(([name, { width, height }]) => [name, width, height])""")
            assert small == []


def test_the_prompt_grows_and_the_sliders_are_wide(visit):
    page = visit()
    press_open(page)
    area = page.locator(".llm-ask textarea")
    rooms = []
    for lines in (2, 8, 30):
        enter(page, "\n".join(["a b c"] * lines))
        rooms.append(area.evaluate("(area) => [area.clientHeight, area.scrollHeight]"))
    assert [shown >= all for shown, all in rooms] == [True, True, False]
    assert rooms[0][0] < rooms[1][0] < rooms[2][0] < 260
    for slider in page.locator(".llm-next input[type=range]").all():
        assert slider.bounding_box()["width"] > 180


@pytest.mark.parametrize("width", [375, 390])
def test_the_kinds_of_attention_stand_in_one_line(visit, width):
    page = visit(viewport={"width": width, "height": 800})
    press_open(page)
    open_view(page, "attention")
    kinds = [each.bounding_box() for each in page.locator("[data-view=attention] .llm-choice").all()]
    assert len(kinds) == 3 and len({(box["y"], box["height"]) for box in kinds}) == 1


def test_the_first_screen_shows_prompt_and_bars(visit):
    """1280×800 的窗口，打开之后不必滚动，前文与十条都看得见；打开时下面的字也不跳。"""
    page = visit()
    press_open(page)
    assert page.evaluate("scrollY") == 0
    boxes = [page.locator(".llm-ask textarea").bounding_box(), page.locator(".llm-bar").nth(9).bounding_box()]
    assert all(box["y"] > 0 and box["y"] + box["height"] < 800 for box in boxes)
    step(page, 3)
    assert page.evaluate("window.shift") <= 0.05


@pytest.mark.parametrize(("width", "height"), [(390, 844), (1280, 800), (1600, 900)])
def test_the_answer_is_the_page(visit, width, height):
    """手机上，写下的字紧跟着按钮，在同一屏里，概率排在它下面；宽屏上，写下的占得到四成高，词元折着，右边没有空着的目录。"""
    page = visit(viewport={"width": width, "height": height})
    page.click(".llm-opening .live-open")
    page.wait_for_selector(".llm-controls", timeout=120_000)
    settle(page)
    step(page)
    button, paper, bars = (
        page.locator(name).bounding_box() for name in (".llm-controls .live-open", ".llm-paper", ".llm-bars")
    )
    assert page.locator(".llm-tokens .llm-chips").is_hidden()
    assert button["y"] < paper["y"] < button["y"] + 160
    if width == 390:
        assert paper["y"] + 60 < height and bars["y"] > paper["y"] + paper["height"]
    else:
        assert paper["height"] >= 0.4 * height and paper["y"] + 0.35 * height < height
        assert bars["x"] > paper["x"] + paper["width"]
        panel, main = (page.locator(name).bounding_box() for name in (".live-llm", ".bd-main"))
        assert panel["width"] > main["width"] - 80
        assert page.locator(".bd-sidebar-secondary").is_hidden()
    assert page.evaluate("document.documentElement.scrollWidth") <= width


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


def test_a_second_question_is_asked_of_the_same_talk(opened):
    """再问一句：先前的一问一答留在前面，照模板接着写，与库里三句话的对话相同；都在网址里。"""
    question, more = "What is the capital of Japan?", "And of Italy?"
    start(opened, text=question, chat=1)
    again = opened.locator(".llm-controls").get_by_role("button", name="再问一句", exact=True)
    assert again.is_hidden()
    stream(opened, 100)
    again.click()
    settle(opened)
    assert "接着问一句" in opened.inner_text(".live-status") and opened.locator(".live-wrong").count() == 0
    enter(opened, more)
    talk = tokenizer().chat(
        [
            {"role": "user", "content": question},
            {"role": "assistant", "content": "The capital of Japan is Tokyo."},
            {"role": "user", "content": more},
        ]
    )
    assert opened.locator(".llm-template").text_content() == talk
    assert_bars(opened, tokenizer().encode(talk))
    said = "问：What is the capital of Japan?\n答：The capital of Japan is Tokyo.\n问：And of Italy?\n答："
    assert opened.locator(".llm-before").text_content() == said
    assert dict(parse_qsl(opened.url.partition("#")[2]))["past"] in talk
    opened.locator(".live-examples button").nth(2).click()
    settle(opened)
    assert "Tokyo" not in opened.inner_text(".llm-template")


def test_the_lens_is_one_click_from_a_written_token(opened):
    """看着写下的一个，按一下，透镜就开在它前面的那个词元上：它是从那里写出来的。"""
    start(opened)
    step(opened, 2)
    opened.locator(".llm-wrote").nth(1).click()
    settle(opened)
    opened.get_by_role("button", name="逐层看", exact=True).click()
    settle(opened)
    assert opened.locator("[data-view=lens]").evaluate("(fold) => fold.open")
    fields = dict(parse_qsl(opened.url.partition("#")[2]))
    assert (fields["view"], fields["token"]) == ("lens", str(len(encode(PARIS))))
    assert "读到 ␣Paris 为止" in opened.inner_text("[data-view=lens] .llm-reading")
    assert 0 <= opened.locator("[data-view=lens]").bounding_box()["y"] < 400


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
