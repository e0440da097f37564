"""“打开 BERT”的面板，几个测试文件共用：打开它，换句子，读出显示的每个数，与 course_lib 的比。"""

from urllib.parse import urlencode

import pytest
import torch
from live_helpers import of_model, random_pairs, run
from live_pages import new_page
from torch.nn.functional import cosine_similarity

PAGE = "chapters/live.html"
WINDOW = {"viewport": {"width": 1200, "height": 900}}


@pytest.fixture
def visit(open_tab):
    return lambda name=PAGE, scheme="http", **settings: open_tab(name, scheme, **WINDOW | settings)


@pytest.fixture(scope="module")
def bert_once(browser, roots):
    page = new_page(browser, roots["http"] + PAGE, **WINDOW)
    press_open(page)
    yield page
    page.context.close()


@pytest.fixture
def bert(bert_once):
    """打开了的“打开 BERT”，摆着头一个例句；打开要一两秒，几个测试共用一页。"""
    bert_once.set_viewport_size(WINDOW["viewport"])
    bert_once.locator(".live-examples button").first.click()
    settle(bert_once)
    return bert_once


def follow(page, **fields):
    """换上一个状态，像点了正文里的链接那样；等到算完。"""
    page.evaluate("(hash) => { location.hash = hash; }", "text=")
    page.wait_for_function("document.querySelector('textarea').value === ''")
    page.evaluate("(hash) => { location.hash = hash; }", urlencode(fields))
    page.wait_for_function("document.querySelector('textarea').value !== ''")
    settle(page)


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


def assert_shows_the_truth(seen, model="", rounding=0.05):
    """面板里的词元、编号、权重与余弦，与 course_lib 的相差不过量化与两位小数的舍入；多语的没有再量化，只差舍入。"""
    texts = [text for text in seen["texts"] if text.strip()]
    if model:
        rounding = 0.0051
    runs = [run(text, model) for text in texts]
    assert seen["tokens"] == [tokens for tokens, _, _ in runs]
    assert seen["ids"] == [of_model(model)[0].encode(text) for text in texts]
    places = [(which, i) for which, (tokens, _, _) in enumerate(runs) for i in range(len(tokens))]
    which, query = places[seen["token"]]
    tokens, hidden, attention = runs[which]
    if seen["keys"]:
        expected = attention.flatten(0, 1)[seen["head"], query]
        assert seen["keys"] == tokens
        assert (torch.tensor(seen["weights"]) - expected).abs().max() < rounding
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
            assert (table[:, 1] - random_pairs(used, model)).abs().max() < 0.02


def kinds_shown(page):
    return [int(each) for each in page.locator(".live-kinds b").all_inner_texts()]


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
