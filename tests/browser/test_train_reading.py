"""“训练一个 Transformer”里的读这本书：选了才取文字，曲线往下走，写的一段标明是模型写的，网址里都记着。"""

import base64
import gzip
import html
import json
import re

import pytest
from built_book import BOOK
from live_pages import axe_faults, prepare_axe
from test_train_model import LIVE, load

from course_book.after_writing import live_train

PAGE = "chapters/train.html"
READY = ".live-train[data-ready]"
SMALL = "#task=read&width=16&layers=1&heads=2&batch=8&steps=200&other=&lr=0.01"


@pytest.fixture
def panel(open_tab):
    def open_it(fragment=SMALL, scheme="file", page=PAGE, **settings):
        tab = open_tab(page + fragment, scheme, **settings)
        tab.wait_for_selector(READY, timeout=60_000)
        return tab

    return open_it


def book_of(folder):
    text = (folder / "live/data/book/text.js").read_text(encoding="utf-8")
    packed = base64.b64decode(text[text.index("/*") + 2 : text.rindex("*/")])
    return json.loads(gzip.decompress(packed))


def bits(page):
    return float(re.search(r"([\d.]+) 比特", page.inner_text(".train-A .train-score"))[1])


@pytest.mark.parametrize("scheme", ["http", "file"])
def test_it_is_fetched_when_asked_for_and_learns(panel, scheme):
    page = panel("#task=reverse&mask=none&other=&steps=200", scheme)
    assert not [url for url in page.asked if "data/book/" in url]
    page.locator(".train-task input[value=read]").check(force=True)
    page.wait_for_function("() => document.querySelector('.train-paper')", timeout=60_000)
    assert len([url for url in page.asked if "data/book/text" in url]) == 1
    assert "task=read" in page.evaluate("location.hash") and "width=64" in page.evaluate("location.hash")
    assert page.errors == []


def test_the_curve_falls_and_what_it_writes_is_labelled(panel):
    page = panel()
    before = bits(page)
    page.click(".train-play")
    page.wait_for_selector(".live-train[data-done]", timeout=250_000)
    assert before > 9 and bits(page) < 8.2 < before
    lines = page.locator(".train-plots svg").first.locator(".train-guide.train-end").all_text_contents()
    numbers = [float(line.split()[-1]) for line in lines]
    assert len(lines) == 3 and numbers == sorted(numbers, reverse=True)
    assert "抽签抽出来的，不是书里的话" in page.inner_text(".train-paper figcaption")
    page.locator(".train-own input").fill("注意力")
    page.wait_for_function("() => document.querySelector('.train-begun').textContent === '注意力'")
    page.wait_for_function("() => [...document.querySelector('.train-written').textContent].length === 60")
    written = page.inner_text(".train-written")
    page.click(".train-paper button")
    page.wait_for_function("(old) => document.querySelector('.train-written').innerText !== old", arg=written)
    # 回到开头：那时写的是乱的
    page.locator(".train-time input").fill("0")
    page.wait_for_function("() => document.querySelector('.train-paper').dataset.at === '0'")
    assert bits(page) > 9
    assert page.errors == []


def test_its_address_brings_it_back(panel):
    page = panel(SMALL + "&text=词元")
    page.click("text=走一步")
    page.wait_for_function("() => document.querySelector('.train-time output').textContent === '第 1 步'")
    told = page.inner_text(".train-A .train-loss")
    again = panel("#" + page.evaluate("location.hash").lstrip("#"))
    assert again.locator(".train-task input:checked").get_attribute("value") == "read"
    assert again.input_value(".train-own input") == "词元"
    again.click("text=走一步")
    again.wait_for_function("() => document.querySelector('.train-time output').textContent === '第 1 步'")
    assert again.inner_text(".train-A .train-loss") == told


def test_what_is_missing_is_said(open_tab):
    page = open_tab(PAGE, "http")
    page.wait_for_selector(READY, timeout=60_000)
    page.route("**/book/text.js*", lambda route: route.abort())
    page.locator(".train-task input[value=read]").check(force=True)
    page.wait_for_function("() => document.querySelector('.train-told').textContent.includes('取不到')")
    page.unroute("**/book/text.js*")
    page.get_by_role("button", name="从头来").click()
    page.wait_for_selector(".train-paper", timeout=60_000)


def test_it_fits_and_is_accessible(panel):
    page = panel()
    prepare_axe(page)
    for width in (1280, 360):
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_timeout(500)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert axe_faults(page, ".live-train", narrow=width == 360) == [], width


def test_the_traditional_book_reads_itself(panel):
    page = panel(page="zh-TW/chapters/train.html")
    assert page.locator(".train-guide.train-end").first.text_content().startswith("只數單字")
    ours, theirs = book_of(BOOK), book_of(BOOK / "zh-TW")
    assert "詞元" in theirs["training"] and "词元" in ours["training"] and "词" not in theirs["training"]
    assert abs(len(ours["held"]) - len(theirs["held"])) < 200


def test_the_text_is_light():
    for folder in (BOOK, BOOK / "zh-TW"):
        assert len(gzip.compress((folder / "live/data/book/text.js").read_bytes())) < 200_000


TASK = """([book, calls]) => {
  const { TASKS, batch } = trainTasks({ trainRandom, trainReading, book }), { words } = TASKS.read;
  return calls.map(([key, count, testing]) => {
    const { ids, targets, length } = batch("read", key, count, { testing });
    return [length, ids, targets].map((each) => (each.length ? [...each].map((id) => words[id] ?? "·").join("") : each));
  });
}"""
# 每一步、每段：向前算，抽签
WRITE = """(chances) => trainWriting({ trainRandom })({ ids: [1, 2], count: 30, seed: 1, most: 2, look: (ids) => Float32Array.from(chances[ids.at(-1)]) })"""


@pytest.fixture(scope="module")
def tab(browser):
    page = browser.new_page()
    page.set_content("<!doctype html><title>页</title>")
    load(page, "reading")
    yield page
    page.close()


def test_each_place_is_asked_for_the_next_character(tab):
    book = {"words": [*"〓abcdefgh"], "training": "abcdefgh" * 30, "held": "hgfedcba" * 30}
    told = tab.evaluate(TASK, [book, [[[3, 0], 4, False], [[0, 0], 4, True], [[0, 31], 4, True]]])
    for (length, ids, targets), text in zip(told, ("training", "held", "held"), strict=True):
        assert length == 64 and len(ids) == 4 * 64
        for at in range(0, len(ids), length):
            one, answers = ids[at : at + length], targets[at : at + length]
            assert one in book[text] and answers == one[1:] + "·"
    assert told[1][1] == book["held"][:64] + told[1][1][64:]  # 卷子从留下的两章的开头
    assert told[2][1].endswith(book["held"][-64:])  # 到它们的末尾


def test_it_draws_by_the_chances_and_never_the_rest(tab):
    """第 0 个是“别的字”，不抽；概率只有一个的，抽的总是它。"""
    written = tab.evaluate(WRITE, [[1, 0, 0], [0.9, 0, 0.1], [0.5, 0.5, 0]])
    assert len(written) == 30 and 0 not in written
    assert written[:4] == [1, 2, 1, 2]


# 六百步之后，每个字多少比特
READ = """([fragment, book]) => {
  const tools = {trainRandom, trainProducts, trainParts, trainModel, trainOptimiser, trainTasks, trainReading, book};
  const state = TrainChoices.toState(Object.fromEntries(new URLSearchParams(fragment)));
  const run = trainRun(tools)(TrainChoices.sides(state)[0], wasm);
  while (run.done < state.steps) run.advance();
  return run.grade().test.loss / Math.LN2;
}"""


@pytest.mark.thorough
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_two_layers_reach_one_character_and_not_four(tab, seed):
    """页上说的：与“看前一个字”差不多，够不着“看前四个字”。"""
    page = (LIVE.parents[1] / "chapters/train.md").read_text(encoding="utf-8")
    link = html.unescape(re.search(r'<a class="reading" href="#([^"]+)"', page)[1])
    book = json.loads(gzip.decompress(live_train.book_text()))
    tab.set_default_timeout(1_500_000)
    tab.add_script_tag(path=LIVE / "choices.js")
    found = tab.evaluate(READ, [f"{link}&seed={seed}", book])
    print(f"种子 {seed}：{found:.2f}，{book['lines']}")
    one, four = book["lines"]["看前一个字"], book["lines"]["看前四个字"]
    assert four + 0.05 < found and abs(found - one) < 0.15
