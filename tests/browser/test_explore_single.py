"""只有一种图才有的：真模型的链接、挪动的数、挡哪些格、图像上的点、放大了的页面、成书里打字。"""

import random
import re
from urllib.parse import parse_qsl

import figure_rows
import pytest
import torch
from explorable_helpers import numbers
from figure_rows.training import PIXELS
from live_helpers import SENTENCES
from two_tokenizers import SEED, ours, random_text

from chapters import page_of
from course_lib.attention import causal_mask, scaled_dot_product_attention

ROWS = {row.id: row for row in figure_rows.every()}


@pytest.fixture
def opened(open_figure):
    return lambda name, **settings: open_figure(name.partition("-")[0], ROWS[name].data, **settings)


def press(page, name):
    page.get_by_role("button", name=name, exact=True).click()


def settled(page):
    page.wait_for_function("document.getAnimations().every((one) => one.playState === 'finished')")


def test_masks_are_the_librarys(opened):
    page, open_row = opened("mask"), torch.tensor([True] * 3 + [False])
    everything = torch.ones(4, 4, dtype=torch.bool)
    rules = {
        "都可以看": everything,
        "填充": open_row.expand(4, 4),
        "因果": causal_mask(4),
        "填充与因果": causal_mask(4) & open_row,
    }
    for rule, keep in rules.items():
        press(page, rule)
        scores, eye = ROWS["mask"].data["scores"], torch.eye(4, dtype=torch.double)
        _, weights = scaled_dot_product_attention(scores * 2, eye, eye, keep)  # √4 = 2
        torch.testing.assert_close(numbers(page, "权重").double(), weights, atol=0.0051, rtol=0)


def test_numbers_move_to_their_new_place_or_stay_still(opened):
    """换步时数会挪过去；读者不要动画时不挪。"""
    page = opened("heads_reshape")
    running = "document.getAnimations().filter((one) => one.effect.getKeyframes().some((key) => key.transform)).length"
    for motion, count in (("no-preference", 24), ("reduce", 0)):
        page.emulate_media(reduced_motion=motion)
        for step in ("3", "4"):
            press(page, f"第 {step} 步，共 8 步")
        assert page.evaluate(running) == count


def test_no_name_stands_on_the_cells(opened):
    page = opened("head_gallery")
    names = "all => all.slice(0, 4).map((text) => text.getBoundingClientRect().right)"
    left = page.locator(".explore-rows rect").first.bounding_box()["x"]
    assert max(page.locator(".explore-rows text").evaluate_all(names)) <= left


def test_a_branch_keeps_the_focus_and_its_end_goes_on_in_the_real_model(opened):
    """走到书里算好的尽头，就有一个链接，带着走到这里的字；笔记本里没有那一页，就没有它。"""
    page = opened("branches")
    link = page.locator(".explore-said a")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement === document.querySelector('.explore-bars button')")
    page.keyboard.press("Enter")
    assert link.count() == 0
    nav = '<a href="https://book.test/chapters/llm.html">打开一个大语言模型</a>'
    page.evaluate(
        "(nav) => document.body.append(Object.assign(document.createElement('nav'), { innerHTML: nav }))", nav
    )
    words = page.locator(".explore-text b").all_inner_texts()
    press(page, "退一步")
    assert link.count() == 0
    page.locator(".explore-bars button").first.click()
    address, _, fields = link.get_attribute("href").partition("#")
    assert address == "https://book.test/chapters/llm.html"
    assert dict(parse_qsl(fields)) == {"text": "Once" + "".join(words)}


def place(page, i):
    box = page.locator("[role=option] circle").nth(i).bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def chosen(page):
    names = page.locator("[role=option]").evaluate_all(
        "all => all.map((one) => one.getAttribute('aria-selected'))"
    )
    return names.index("true")


@pytest.mark.parametrize("zoom", [1.5, 3])
def test_a_tap_lands_on_its_word_while_the_page_is_enlarged(opened, zoom):
    page = opened("word_map", width=1280)
    page.evaluate("(zoom) => (document.body.style.zoom = zoom)", zoom)
    page.wait_for_timeout(100)
    settled(page)
    for i in (4, 8, 1):
        page.locator("[role=option] circle").nth(i).scroll_into_view_if_needed()
        page.mouse.click(*place(page, i))
        assert chosen(page) == i


def test_arrows_walk_to_a_word_that_way(opened):
    page = opened("word_map")
    settled(page)
    page.get_by_role("listbox").focus()
    seen = set()
    for key, axis, sign in 9 * [
        ("ArrowRight", 0, 1),
        ("ArrowDown", 1, 1),
        ("ArrowLeft", 0, -1),
        ("ArrowUp", 1, -1),
    ]:
        before = place(page, chosen(page))
        page.keyboard.press(key)
        after = place(page, chosen(page))
        assert after == before or sign * (after[axis] - before[axis]) > 0
        seen.add(chosen(page))
    assert len(seen) > 2


def test_the_landing_completes_the_parallelogram(opened):
    page = opened("word_map-step")
    settled(page)
    a, b, c, _, landing = (
        torch.tensor(place_of)
        for place_of in page.locator(".explore-map circle").evaluate_all(
            "all => all.map((one) => one.getBoundingClientRect()).map(({ x, y }) => [x, y])"
        )
    )
    torch.testing.assert_close(landing, c - a + b, atol=0.5, rtol=0)


def test_pointing_reaches_a_patch_and_a_shuffle_moves_it(opened):
    """点第三列第四排；打乱之后，画出来的那一格真的是这一块：取格子正中的像素。"""
    page = opened("patches")
    surface, seat = page.locator(".explore-photo"), "document.querySelector('figure').state().seat"
    box = surface.bounding_box()
    surface.click(position={"x": box["width"] * 2.5 / 6, "y": box["height"] * 3.5 / 6})
    assert page.evaluate(seat) == 20
    for _ in range(9):  # 走到边上就停住
        page.keyboard.press("ArrowDown")
    assert page.evaluate(seat) == 32
    press(page, "打乱")
    at = page.evaluate(seat)
    pixel = "([x, y]) => [...document.querySelector('.explore-photo canvas').getContext('2d').getImageData(x, y, 1, 1).data]"
    shown = page.evaluate(pixel, [16 * (at % 6) + 7, 16 * (at // 6) + 7])[:3]
    assert at != 32 and shown in PIXELS[40:48, 16:24].reshape(-1, 3).tolist()


# ---- 成书里打字 ----

PAGE = page_of("tokenization")
# 单行的输入框收不下换行，也收不下太长的
TYPED = [re.sub(r"[\r\n]", " ", text) for text, _ in SENTENCES]
TYPED += [re.sub(r"[\r\n]", " ", random_text(random.Random(SEED + i))) for i in range(300)]
READ = "() => document.querySelector('.explore-read code').textContent.split(' ').map(Number)"
TYPE = """async (texts) => {
  const field = document.querySelector('.explore input[type=text]'), results = [];
  for (const text of texts) {
    field.value = text;
    field.dispatchEvent(new Event("input"));
    await new Promise((resolve) => setTimeout(resolve));
    const pieces = [...document.querySelectorAll('.explore-piece')].map((piece) => piece.firstChild.textContent);
    results.push([document.querySelector('.explore-read code').textContent, pieces]);
  }
  return results;
}"""
ARRIVED = "/30522/.test(document.querySelector('.explore-note').textContent)"


@pytest.mark.parametrize("scheme", ["http", "file"])
@pytest.mark.parametrize("language", ["", "zh-TW/"])
def test_typing_is_the_librarys_tokenizer(blank, roots, scheme, language):
    asked = []
    blank.on("request", lambda request: asked.append(request.url))
    blank.goto(f"{roots[scheme]}{language}{PAGE}")
    # 例句只用带来的那一部分词表，简体的书与繁体的书都切得对
    samples = blank.locator("figure.explore").first.get_by_role("group", name="例句").get_by_role("button")
    for button in samples.all():
        button.click()
        assert blank.evaluate(READ) == ours().encode(button.inner_text())
    assert not [url for url in asked if "vocab.txt" in url]
    blank.locator(".explore input[type=text]").focus()
    blank.wait_for_function(ARRIVED)
    assert len([url for url in asked if "/live/data/" in url]) == 1
    texts = TYPED if scheme + language == "http" else TYPED[::20]  # 四种打开的办法，脚本是同一份
    for text, (read, shown) in zip(texts, blank.evaluate(TYPE, texts), strict=True):
        assert [int(index) for index in read.split()] == ours().encode(text), text
        assert shown == ours().convert_ids_to_tokens(ours().encode(text)), text


def test_a_vocabulary_that_does_not_arrive(blank, roots):
    blank.route("**/vocab.txt.js*", lambda route: route.abort())
    blank.goto(f"{roots['http']}{PAGE}")
    field = blank.locator(".explore input[type=text]")
    field.fill("penguins")
    blank.wait_for_function("/取不到词表/.test(document.querySelector('.explore-note').textContent)")
    blank.unroute("**/vocab.txt.js*")
    field.fill("penguins!")
    blank.wait_for_function(ARRIVED)
    assert blank.evaluate(READ) == ours().encode("penguins!")
