"""“打开一个大语言模型”的面板，几个测试文件共用：打开它，换状态，写，读出显示的每个数，与 course_lib 的比。"""

from urllib.parse import urlencode

import pytest
import torch
from live_pages import new_page
from llm_page_helpers import language_model, tokenizer

from course_lib.generation import generate
from course_lib.sampling import narrow

PAGE = "chapters/llm.html"
WINDOW = {"viewport": {"width": 1280, "height": 800}}
PARIS = "The capital of France is"
STORY = "Once upon a time, there was a"
STREAM = "一直写"


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
