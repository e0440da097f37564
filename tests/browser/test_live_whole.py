"""“打开 BERT”的整页：从词元到最后一层、头的记号、钉住、弧线、窄处的页签；显示的每个数都与 course_lib 的比。"""

# ruff: noqa: F401, F811  下面几个是 fixture
import re
from urllib.parse import urlencode

import pytest
import torch
from live_helpers import BANKS, THEY, forward, lengths, quantized_bert, run
from live_pages import axe_faults, prepare_axe
from test_live_page import (
    PAGE,
    assert_shows_the_truth,
    enter,
    kinds_shown,
    opened,
    opened_once,
    press_open,
    settle,
    shown,
    visit,
)

# ---- 从词元到最后一层 ----


def lengths_in_page(page):
    """表里的整数，读出的一步；先打开表。"""
    return page.evaluate("""() => {
      document.querySelectorAll('.live-journey details').forEach((fold) => { fold.open = true; });
      return new Promise((resolve) => setTimeout(() => resolve(
        [...document.querySelectorAll('.live-lengths tbody tr')].map((row) =>
          [...row.querySelectorAll('td')].map((cell) => Number(cell.textContent)))), 100));
    }""")


@pytest.mark.parametrize("text", [THEY, "Hi", BANKS])
def test_the_lengths_of_every_step(opened, text):
    """表、条、读出的一句，都是课程的代码在同样的（量化过的）权重上算出的。"""
    enter(opened, text)
    expected = lengths(quantized_bert(), text)
    table = torch.tensor(lengths_in_page(opened)).T
    assert table.shape == expected.shape and (table - expected).abs().max() < 0.51
    opened.locator(".live-chip input").nth(0).click()
    heights = opened.evaluate(
        "[...document.querySelectorAll('.live-step > span')].map((bar) => bar.getBoundingClientRect().height)"
    )
    drawn, mine = torch.tensor(heights), expected[:, 0]
    room = opened.locator(".live-step").first.bounding_box()["height"]
    assert (drawn / room - mine / max(20, mine.max())).abs().max() < 0.03
    slider = opened.locator(".live-journey input[type=range]")
    slider.focus()
    opened.keyboard.press("Home")
    said = opened.locator(".live-journey p[aria-live]")
    for step in range(25):
        numbers = re.findall(r"\d+\.\d\d", said.inner_text())
        assert abs(float(numbers[0]) - mine[step]) < 0.0051
        if step % 2:  # 取来的、给的旁边，是它自己这时的
            stream = mine[step - 1]
            assert abs(float(numbers[1]) - stream) < 0.0051
        assert slider.get_attribute("aria-valuetext") == said.text_content()
        opened.keyboard.press("ArrowRight")
    opened.locator(".live-step").nth(3).click()
    assert said.inner_text().startswith("第 0 层，前馈网络：")


def test_the_strip_opens_by_itself_where_it_is_asked_for(visit):
    """宽处先收成一行，链接指着它才摊开；读者再收起来，也不又摊开。"""
    page = visit(f"{PAGE}#{urlencode({'text': THEY, 'token': 0})}")
    press_open(page)
    fold = page.locator(".live-fold")
    assert fold.get_attribute("open") is None and not page.locator(".live-step").first.is_visible()
    page.locator('article a[href*="tab=journey"]').click()
    page.wait_for_selector(".live-fold[open]")
    page.locator(".live-fold > summary").click()
    page.locator(".live-chip input").nth(3).click()
    assert fold.get_attribute("open") is None


# ---- 到链接指着的部分去，认得出是哪一个词 ----


@pytest.mark.parametrize("tab", ["cosine", "intervene", "oneCell", "journey"])
def test_a_link_goes_to_its_part(opened, tab):
    """宽处，链接指着哪一部分，就滚到那里。"""
    link = opened.locator(f'article a[href*="tab={tab}"]').first
    link.click()
    opened.wait_for_timeout(300)
    settle(opened)
    top = opened.locator(f"#live-bert-1-panel-{tab}").bounding_box()["y"]
    assert 0 <= top < 200, top


def test_a_shared_link_opens_at_its_part(visit):
    page = visit(f"{PAGE}#{urlencode({'text': THEY, 'tab': 'cosine'})}")
    press_open(page)
    assert 0 <= page.locator(".live-cosine").bounding_box()["y"] < 400


def test_the_first_result_comes_into_view_on_a_phone(visit):
    """按下按钮，结果在屏幕下面，就到那里去；读者已经走开，就不打扰。"""
    page = visit(PAGE, viewport={"width": 390, "height": 780}, has_touch=True)
    press_open(page)
    assert 0 <= page.locator(".live-output").bounding_box()["y"] < 200
    other = visit(PAGE, viewport={"width": 390, "height": 780}, has_touch=True)
    other.evaluate("""() => {
      document.querySelector('.live-open').click();
      scrollTo(0, document.body.scrollHeight / 2);
    }""")
    other.wait_for_function("document.querySelector('.live-arrived').textContent.startsWith('都装入了')")
    settle(other)
    assert other.locator(".live-output").bounding_box()["y"] < -200


def test_repeated_words_are_told_apart(opened):
    """句子里不止一个的词元，读出来的话、横条、余弦的表里都说是第几个；两句相比，说是哪一句。"""
    enter(opened, BANKS)
    opened.locator(".live-chip input").nth(19).click()
    opened.locator(".live-ask select").select_option(index=6)
    tokens = run(BANKS)[0]
    several = [
        f"{token}（第 {i} 个）" if tokens.count(token) > 1 else token for i, token in enumerate(tokens)
    ]
    assert len(set(several)) == len(tokens) > len(set(tokens))
    names = opened.evaluate(
        "[...document.querySelectorAll('.live-keys li')].map((each) => each.firstChild.textContent)"
    )
    assert names == several
    assert (
        f"{several[19]} 看得最多的是 " in opened.locator(".live-attention [aria-live]").first.text_content()
    )
    assert opened.locator("th.live-pair").text_content() == f"{several[19]} 与 {several[6]}"
    opened.locator(".live-examples button").nth(1).click()
    settle(opened)
    assert opened.locator("th.live-pair").text_content() == "flies（第一句） 与 flies（第二句）"


def test_the_square_root_is_drawn_as_one(opened):
    """根号的横线盖住里面的字，不是一个 √ 挨着一个 d。"""
    opened.wait_for_selector(".live-oneCell .live-strip")
    roots = opened.locator(".live-oneCell msqrt")
    assert roots.all_text_contents() == ["d", "d", "32"] and "√" not in opened.inner_text(".live-oneCell")
    for each in roots.all():
        assert each.bounding_box()["width"] > each.locator("> *").bounding_box()["width"] + 4


# ---- 各看什么，钉住，弧线 ----


def kinds_of(text):
    """规矩照正文重写一遍：每个头是第几种，5 是分散，6 是都不是。"""
    tokens, attention = run(text)[0], forward(quantized_bert(), text)[1]
    rows = attention[:, :, 1:-1]
    inner = rows[..., 1:-1]
    stops = [
        i for i, token in enumerate(tokens) if token == "[SEP]" or not any(char.isalnum() for char in token)
    ]
    shares = [inner.diagonal(k, 2, 3).mean(-1) for k in (-1, 1, 0)]
    shares = torch.stack([*shares, rows[..., 0].mean(-1), rows[..., stops].sum(-1).mean(-1)])
    most, kind = shares.nan_to_num().max(0)
    broad = rows.amax(-1).mean(-1) < 0.3
    return torch.where(most >= 0.5, kind, torch.where(broad, 5, 6)).flatten()


@pytest.mark.parametrize("text", [THEY, BANKS, "Hi", "The sky is blue.", "so it goes on " * 15 + "and on"])
def test_heads_are_badged_by_the_rule_on_the_page(opened, text):
    enter(opened, text)
    kinds = kinds_of(text)
    assert kinds_shown(opened) == [72, *torch.bincount(kinds, minlength=7).tolist()]
    badges = opened.evaluate("[...document.querySelectorAll('.live-cell')].map((cell) => cell.dataset.badge)")
    assert badges == [["前", "后", "己", "首", "点", "散", ""][kind] for kind in kinds]
    said = opened.locator(".live-cell input").nth(2).get_attribute("aria-label")
    labels = ["前一个词元", "后一个词元", "自己", "[CLS]", "[SEP] 与标点", "分散", "都不是"]
    assert said == f"第 0 层第 2 个头：{labels[kinds[2]]}"


def test_a_filter_dims_the_other_heads(opened):
    kinds = kinds_of(THEY)
    assert opened.locator(".live-rule").is_hidden()
    opened.locator(".live-kinds input").nth(0).focus()
    opened.keyboard.press("ArrowRight")
    assert opened.locator(".live-rule").is_visible() and "kind=previous" in opened.url
    clear = opened.evaluate(
        "[...document.querySelectorAll('.live-cell')].map((cell) => !cell.matches('.live-dim'))"
    )
    assert clear == (kinds == 0).tolist() and clear[2]
    opened.locator(".live-cell input").nth(20).click()  # 淡了的也选得到
    assert shown(opened)["head"] == 20
    opened.locator(".live-kinds input").nth(0).click()
    assert opened.locator(".live-dim").count() == 0


def test_two_heads_side_by_side(opened):
    opened.locator(".live-cell input").nth(2).click()
    opened.click("text=钉住这个头")
    opened.locator(".live-cell input").nth(65).click()
    opened.locator(".live-chip input").nth(4).click()
    _, _, attention = run(THEY)
    lists = opened.evaluate("""() => [...document.querySelectorAll('.live-weights')].map((list) =>
      [...list.querySelectorAll('.live-number')].map((each) => Number(each.textContent)))""")
    expected = attention.flatten(0, 1)[[65, 2], 4]
    assert (torch.tensor(lists) - expected).abs().max() < 0.05
    maps = [each.bounding_box() for each in opened.locator(".live-map").all()]
    assert abs(maps[0]["y"] - maps[1]["y"]) < 5 and maps[0]["x"] + maps[0]["width"] <= maps[1]["x"] + 1
    assert opened.locator(".live-head-of b").all_inner_texts() == ["第 5 层第 5 个头", "第 0 层第 2 个头"]
    assert opened.locator(".live-cell.live-pin input").get_attribute("aria-label").endswith("，钉住的")
    assert "pin=0-2" in opened.url
    drop = opened.get_by_role("button", name=re.compile("取下"))
    assert drop.count() == 1
    drop.click()
    assert opened.evaluate("document.activeElement.textContent").startswith("钉住")  # 焦点还在
    assert opened.locator(".live-two").count() == 0 and "pin" not in opened.url
    assert_shows_the_truth(shown(opened))


ARCS = """() => [...document.querySelectorAll('.live-picture .live-arc')].map((arc) =>
  [Number(arc.dataset.from), Number(arc.dataset.to), (Number(arc.getAttribute('stroke-width')) - 0.5) / 7])"""


def test_arcs_are_as_thick_as_the_weights(opened):
    weights = forward(quantized_bert(), THEY)[1][5, 5]
    opened.locator(".live-controls input[type=radio]").nth(1).click()
    arcs = opened.evaluate(ARCS)
    assert {(i, j) for i, j, _ in arcs} == {(8, j) for j in range(13) if weights[8, j] >= 0.01}
    assert all(abs(width - weights[i, j]) < 1e-4 for i, j, width in arcs)
    opened.locator(".live-least input").fill("0.3")
    arcs = {(i, j) for i, j, _ in opened.evaluate(ARCS) if i != 8}
    assert arcs == {(i, j) for i, j in (weights >= 0.3).nonzero().tolist() if i != 8} and arcs
    assert "view=arcs" in opened.url and "least=0.3" in opened.url
    opened.locator(".live-map").first.focus()
    opened.keyboard.press("ArrowRight")
    assert shown(opened)["token"] == 9
    box = opened.locator(".live-picture .live-map circle").nth(3).bounding_box()
    opened.mouse.click(box["x"] + box["width"] / 2, box["y"] + 20)
    assert shown(opened)["token"] == 3
    enter(opened, "so " * 62)
    drawn = opened.locator(".live-picture .live-map svg").bounding_box()
    assert drawn["width"] <= opened.locator(".live-detail").bounding_box()["width"] + 1


def test_the_ways_of_looking_are_in_the_address(visit):
    fields = {"text": THEY, "view": "arcs", "least": "0.25", "kind": "first", "pin": "3-1"}
    page = visit(f"{PAGE}#{urlencode(fields)}")
    press_open(page)
    assert page.locator(".live-two.live-curved").count() == 1 and page.locator(".live-dim").count() > 0
    page.click("a[hreflang=zh-TW]")
    page.wait_for_url("**/zh-TW/**")
    press_open(page)
    assert page.locator(".live-two.live-curved").count() == 1 and page.locator(".live-dim").count() > 0
    assert page.locator(".live-kinds :checked").get_attribute("value") == "first"
    assert page.errors == []


@pytest.mark.parametrize("bad", ["pin=99-99", "pin=x", "view=burn", "least=7", "kind=img", "tab=__proto__"])
def test_nonsense_in_the_address_is_ignored(opened, bad):
    opened.goto("about:blank")
    opened.goto(f"{opened.home}#{urlencode({'text': THEY})}&{bad}")
    press_open(opened)
    assert opened.locator(".live-two, .live-curved, .live-dim").count() == 0
    assert_shows_the_truth(shown(opened))
    assert opened.errors == []


# ---- 窄处的页签 ----

SEEN = """() => [...document.querySelectorAll('[role=tabpanel]')].filter((each) => !each.hidden).map((each) => each.id.split('-').at(-1))"""


@pytest.mark.parametrize("width", [360, 390])
def test_tabs_on_a_phone(visit, width):
    """一次看一个部分；选中的词元与页签总在眼前；都按得准；键盘也行。"""
    page = visit(PAGE, viewport={"width": width, "height": 780}, has_touch=True)
    press_open(page)
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


@pytest.mark.parametrize("tab", ["tokens", "journey", "attention", "oneCell", "intervene", "cosine"])
def test_axe_finds_nothing_in_any_tab(visit, tab):
    fields = {"text": "unbelievably so " * 9, "tab": tab, "pin": "0-2", "view": "arcs", "kind": "first"}
    page = visit(f"{PAGE}#{urlencode(fields)}", viewport={"width": 390, "height": 780})
    press_open(page)
    page.wait_for_timeout(300)
    if tab == "intervene":  # 算着的时候调淡
        page.locator(".live-ways:visible").first.scroll_into_view_if_needed()
        page.wait_for_timeout(300)
        page.wait_for_selector('.live-changed[aria-busy="false"]', timeout=30_000)
    if tab == "journey":
        page.click(".live-journey details details summary")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    prepare_axe(page)
    assert axe_faults(page, ".live-bert") == []
