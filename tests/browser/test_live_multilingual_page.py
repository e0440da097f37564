"""“打开 BERT”的网页里的多语 BERT：挑模型，打开，换来换去；样样都能做，显示的每个数都与 course_lib 的比。"""

# ruff: noqa: F811  下面的 visit、two_once 是 fixture
import re
from html import unescape
from urllib.parse import parse_qsl, urlencode

import pytest
import torch
from bert_panel import (
    PAGE,
    assert_shows_the_truth,
    changed,
    enter,
    kinds_shown,
    press_open,
    settle,
    shown,
    visit,  # noqa: F401
)
from live_helpers import (
    PROSE,
    THEY,
    forward,
    head_vectors,
    lengths,
    moved,
    multilingual_bert,
    random_pairs,
    run,
)
from live_helpers import multilingual_tokenizer as tokenizer
from live_pages import axe_faults, both_ways, mostly_http, new_page, prepare_axe
from torch.nn.functional import cosine_similarity

from course_book.doctree import taiwan_chinese

pytestmark = pytest.mark.guards("live", "_ext", "chapters/live.md")

CAT = "这只猫很小，它喜欢睡觉。"
ZH = {"model": "zh"}
ARRIVED = "document.querySelector('.live-arrived').textContent.startsWith('都装入了')"


def choose(page, model):
    page.locator(f'.live-models label:has([value="{model}"])').click()


@pytest.fixture(scope="module")
def two_once(browser, roots):
    """两个模型都打开了的一页。"""
    page = new_page(browser, roots["http"] + PAGE, viewport={"width": 1280, "height": 900})
    press_open(page)
    choose(page, "zh")
    page.wait_for_selector(".live-open:not([hidden])")
    page.click(".live-open")
    page.wait_for_function(ARRIVED, timeout=60_000)
    settle(page)
    yield page
    page.context.close()


@pytest.fixture
def chinese(two_once):
    """摆着多语 BERT 的头一个例句。"""
    two_once.set_viewport_size({"width": 1280, "height": 900})
    choose(two_once, "zh")
    two_once.locator(".live-examples button").first.click()
    settle(two_once)
    return two_once


# ---- 挑一个，打开 ----


@both_ways
def test_the_other_model_is_asked_for_and_only_then_fetched(visit, scheme):
    """摆着的是英文的；换成中文，摆着事先算好的，数是真的，什么也没有取；按了按钮，只取它的，断了网也能用。"""
    page = visit(PAGE, scheme)
    page.wait_for_load_state("networkidle")
    assert page.locator(".live-models :checked").get_attribute("value") == ""
    asked = len(page.asked)
    choose(page, "zh")
    assert page.locator(".live-cell").count() == 144
    seen = shown(page)
    assert_shows_the_truth(seen, "zh")
    assert seen["head"] == 8 * 12 + 8 and seen["tokens"][0][seen["token"]] == "它"
    assert "事先算好的" in seen["status"] and page.locator(".live-output").evaluate("(each) => each.inert")
    assert page.locator("textarea:visible").count() == 0 and "model=zh" in page.url
    assert [url for url in page.asked[asked:] if "/live/" in url] == []
    promised = int(re.search(r"多语 BERT（\w+约 (\d+) MB）", page.inner_text(".live-open"))[1])
    assert promised <= (20 if scheme == "http" else 27)
    press_open(page)
    fetched = {re.search(r"/live/data/(\w+)/", url)[1] for url in page.asked[asked:] if "/live/data/" in url}
    assert fetched == {"multilingual"}
    page.context.set_offline(True)
    examples = page.locator(".live-examples button").all()
    for button in examples[:-1]:
        button.click()
        settle(page)
        if "cats" not in shown(page)["texts"][0]:  # 英文的片段没有全带来，切得碎一些
            assert_shows_the_truth(shown(page), "zh")
    assert len(examples) >= 5
    assert [error for error in page.errors if "ERR_INTERNET_DISCONNECTED" not in error] == []


def test_both_stay_open_and_a_readers_own_sentence_goes_along(two_once):
    page = two_once
    choose(page, "")
    settle(page)
    page.locator(".live-examples button").first.click()
    settle(page)
    assert_shows_the_truth(shown(page))
    assert page.locator(".live-cell").count() == 72 and "model" not in page.url
    choose(page, "zh")  # 例句换成它的
    settle(page)
    assert shown(page)["texts"][0] == CAT
    assert_shows_the_truth(shown(page), "zh")
    enter(page, "天空是蓝色的，sky 也是。")
    choose(page, "")
    settle(page)
    seen = shown(page)
    assert seen["texts"][0] == "天空是蓝色的，sky 也是。" and "[UNK]" in seen["tokens"][0]
    assert_shows_the_truth(seen)
    assert seen["notes"][0].endswith("上面换成中文的，就多半认得。")
    choose(page, "zh")
    settle(page)
    assert_shows_the_truth(shown(page), "zh")
    assert page.inner_text("label[for$=-text]") == "写一句中文，繁体也行"
    page.go_back()
    page.wait_for_selector('.live-models [value=""]:checked')
    settle(page)
    assert_shows_the_truth(shown(page))
    assert page.errors == []


def test_changing_ones_mind_while_it_loads(visit):
    """多语的正在装，换回英文的：摆着英文的，按钮也是它的；再换回来，已经装好了。"""
    page = visit()
    choose(page, "zh")
    page.click(".live-open")
    choose(page, "")
    assert page.inner_text(".live-open").startswith("打开 BERT（") and page.locator(".live-open").is_enabled()
    assert_shows_the_truth(shown(page))
    page.click(".live-open")
    page.wait_for_function(ARRIVED, timeout=60_000)
    settle(page)
    enter(page, "He flies a kite.")
    assert_shows_the_truth(shown(page))
    choose(page, "zh")
    page.wait_for_function(ARRIVED, timeout=60_000)
    settle(page)
    assert shown(page)["texts"][0] == "He flies a kite." and page.locator(".live-cell").count() == 144
    page.locator(".live-examples button").first.click()
    settle(page)
    assert_shows_the_truth(shown(page), "zh")
    assert page.errors == []


def test_a_lost_connection_of_one_leaves_the_other(visit):
    page = visit()
    page.route("**/data/multilingual/layer5.bin.js*", lambda route: route.abort())
    choose(page, "zh")
    page.click(".live-open")
    page.wait_for_selector(".live-wrong")
    assert "layer5.bin.js" in page.inner_text(".live-status") and page.inner_text(".live-open") == "再试一次"
    choose(page, "")
    assert page.inner_text(".live-open").startswith("打开 BERT（")
    press_open(page)
    assert_shows_the_truth(shown(page))
    page.unroute("**/data/multilingual/layer5.bin.js*")
    choose(page, "zh")
    page.click(".live-open")
    page.wait_for_function(ARRIVED, timeout=60_000)
    settle(page)
    assert_shows_the_truth(shown(page), "zh")


def test_an_address_opens_the_model_it_names(visit):
    fields = {"text": "他们在打电话", **ZH, "layer": 3, "head": 7}
    page = visit(f"{PAGE}#{urlencode(fields)}")
    assert page.locator(".live-models :checked").get_attribute("value") == "zh"
    press_open(page)
    seen = shown(page)
    assert_shows_the_truth(seen, "zh")
    assert seen["head"] == 43 and dict(parse_qsl(page.url.partition("#")[2]))["model"] == "zh"
    page.evaluate("(hash) => { location.hash = hash; }", urlencode({"text": THEY, "model": "burn"}))
    page.wait_for_selector('.live-models [value=""]:checked')  # 写坏了的，与不写一样
    assert page.locator(".live-models :checked").get_attribute("value") == ""
    assert page.inner_text(".live-open").startswith("打开 BERT（")
    assert page.errors == []


# ---- 样样都能做 ----


def test_kinds_of_heads(chinese):
    total, *kinds = kinds_shown(chinese)
    assert total == 144 == sum(kinds)
    _, _, attention = run(CAT, "zh")
    first = (attention[:, :, 1:-1, 0].mean(-1) >= 0.5).sum()
    # 正文说的：最醒目的是左右两条
    assert sorted(attention.mean((0, 1, 2)).topk(2).indices.tolist()) == [0, attention.shape[-1] - 1]
    assert kinds[3] == first
    labels = chinese.locator(".live-kinds label").all_inner_texts()
    assert any(each.startswith("<s> ") for each in labels) and any("</s> 与标点" in each for each in labels)


def test_one_cell(chinese):
    chinese.wait_for_function("document.querySelector('.live-oneCell .live-strip')")
    chinese.wait_for_timeout(200)
    table = chinese.evaluate("""() => [...document.querySelectorAll('.live-oneCell tbody tr')].map((row) =>
      [...row.querySelectorAll('td')].map((cell) => Number(cell.textContent.replace('−', '-'))))""")
    query, key, _ = head_vectors(multilingual_bert(), CAT, 8, 8)
    expected = torch.stack([query[7], key[3], query[7] * key[3]], dim=1)
    assert (torch.tensor(table) - expected).abs().max() < 0.0051


def test_the_lengths_of_every_step(chinese):
    expected = lengths(multilingual_bert(), CAT)
    table = chinese.evaluate("""() => {
      document.querySelectorAll('.live-journey details').forEach((fold) => { fold.open = true; });
      return new Promise((resolve) => setTimeout(() => resolve(
        [...document.querySelectorAll('.live-lengths tbody tr')].map((row) =>
          [...row.querySelectorAll('td')].map((cell) => Number(cell.textContent)))), 100));
    }""")
    assert chinese.locator(".live-step").count() == 49
    table = torch.tensor(table).T
    assert table.shape == expected.shape and (table - expected).abs().max() < 0.51


def distances(before, after=None, **change):
    return moved(
        forward(multilingual_bert(), before)[0], forward(multilingual_bert(), after or before, **change)[0]
    ).T


def test_switching_off_and_masking(chinese):
    seen = changed(chinese)
    assert seen["said"].startswith("关掉第 8 层第 8 个头，到最后一层，它")
    assert (torch.tensor(seen["far"]) - distances(CAT, off=[[8, 8]])).abs().max() < 0.0051
    others = torch.stack([distances(CAT, off=[[8, head]])[:, -1] for head in range(12) if head != 8])
    assert (torch.tensor(seen["means"]) - others.mean(0)).abs().max() < 0.0051
    chinese.locator(".live-ways input").nth(1).click()
    seen = changed(chinese)
    assert (torch.tensor(seen["far"]) - distances(CAT, masked=[7])).abs().max() < 0.0051


WORDS = ["水", "绿色", "七", "音乐", "花园", "快速", "医生", "打开", "下面", "眼睛", "老师"]


@pytest.mark.parametrize("convert", [str, taiwan_chinese.convert], ids=["简", "繁"])
def test_the_words_of_the_control_are_one_token_each(convert):
    text = convert(CAT)
    for word in WORDS:
        assert (
            len(tokenizer().encode(text.replace("睡觉", convert(word)).replace("睡覺", convert(word)))) == 12
        )


def test_swapping_a_word(chinese):
    """换成的词接着别的字写，就没有 ▁；对照是随手写下的 11 个词，各是一个词元。"""
    chinese.locator(".live-chip input").nth(3).click()
    chinese.locator(".live-ways input").nth(2).click()
    chinese.locator(".live-ask input").fill("狗")
    seen = changed(chinese)
    assert seen["said"].startswith("把 猫 换成 狗，") and f"换成 {len(WORDS)} 个随手写下的词" in seen["said"]
    rest = [i for i in range(12) if i != 3]
    assert seen["far"].pop(3) == []
    far = distances(CAT, CAT.replace("猫", "狗"))[rest]
    assert (torch.tensor(seen["far"]) - far).abs().max() < 0.0051
    others = torch.stack([distances(CAT, CAT.replace("猫", word))[rest, -1] for word in WORDS])
    means = [each for i, each in enumerate(seen["means"]) if i != 3]
    assert (torch.tensor(means) - others.mean(0)).abs().max() < 0.0051
    chinese.locator(".live-ways input").nth(0).click()


def test_arcs_and_two_heads(chinese):
    chinese.locator(".live-controls input[type=radio]").nth(1).click()
    weights = run(CAT, "zh")[2][8, 8, 7]
    arcs = chinese.evaluate("""() => [...document.querySelectorAll('.live-picture .live-arc')].map((arc) =>
      [Number(arc.dataset.from), Number(arc.dataset.to), (Number(arc.getAttribute('stroke-width')) - 0.5) / 7])""")
    assert {(i, j) for i, j, _ in arcs} == {(7, j) for j in range(12) if weights[j] >= 0.01}
    assert all(abs(width - weights[j]) < 1e-4 for _, j, width in arcs)
    chinese.locator(".live-controls input[type=radio]").nth(0).click()
    chinese.click("text=钉住这个头")
    chinese.locator(".live-cell input").nth(11 * 12 + 11).click()
    assert chinese.locator(".live-head-of b").all_inner_texts() == ["第 11 层第 11 个头", "第 8 层第 8 个头"]
    assert shown(chinese)["head"] == 143


def test_what_did_not_travel_is_said(chinese):
    enter(chinese, "我𪚥了한국，antidisestablishmentarianism。")
    first, second = shown(chinese)["notes"]
    assert first.startswith("“𪚥”“한국”成了 <unk>：词表里的汉字、标点、数字全带来了，英文只带来一部分")
    assert second.startswith("“antidisestablishmentarianism”切成了几截")
    assert chinese.locator(".live-chip.live-unknown").count() == 2
    enter(chinese, CAT)
    assert shown(chinese)["notes"] == []


# ---- 正文里说的 ----


def links():
    """正文里多语 BERT 的各个链接的状态。"""
    found = [
        dict(parse_qsl(unescape(each))) for each in re.findall(r'href="#(text=[^"]*model=zh[^"]*)"', PROSE)
    ]
    assert len(found) == 7
    return found


@pytest.mark.parametrize("convert", [str, taiwan_chinese.convert], ids=["简", "繁"])
def test_the_prose_tells_the_truth(convert):
    """正文里关于多语 BERT 的几句，简体、繁体的句子都成立。"""

    def at_cat(text):
        tokens, _, attention = run(convert(text), "zh")
        row = attention[8, 8, tokens.index("它")]
        return convert(tokens[row.argmax()]), row.max()

    for text, animal in [
        (CAT, "猫"),
        (CAT.replace("猫", "狗"), "狗"),
        ("我在桌上看见一只猫，它在睡觉。", "猫"),
    ]:
        token, weight = at_cat(text)
        assert token == convert(animal) and weight > 0.5
    book = "桌上有一只猫，旁边有一本书，它很厚。"
    assert convert("本书") in run(convert(book), "zh")[0]
    for text, animal in [(book, "猫"), (book.replace("猫", "狗"), "狗")]:
        assert at_cat(text)[0] == convert(animal)

    text = convert(CAT)
    last = torch.stack([distances(text, off=[[8, head]])[:, -1] for head in range(12)])
    assert last[:, [1, 7]].argmax(0).tolist() == [8, 8] and last[8, 7] < 0.1
    assert run(text, "zh")[0][1] == convert("▁这")

    def cosines(a, b, word):
        a, b = (run(convert(each), "zh") for each in (a, b))
        return cosine_similarity(
            a[1][:, a[0].index(convert(word))], b[1][:, b[0].index(convert(word))], dim=-1
        )

    fruit, company, other = "苹果很甜，我每天吃一个。", "苹果发布了新手机。", "苹果熟了，我摘了一个。"
    apart = cosines(fruit, company, "苹果")
    assert abs(apart[0] - 1) < 1e-5 and apart[8] < 0.9 < apart[12] < 0.95
    assert random_pairs([convert(fruit), convert(company)], "zh")[12] > 0.85
    assert cosines(fruit, other, "苹果").min() > 0.95
    assert cosines("狗咬了人。", "人咬了狗。", "咬").min() > 0.98
    pairs = random_pairs([convert("狗咬了人。"), convert("人咬了狗。")], "zh")
    assert pairs[11] < 0.6 and pairs[:12].argmax() == 11 and pairs[12] > 0.85


@pytest.mark.parametrize("convert", [str, taiwan_chinese.convert], ids=["简", "繁"])
def test_links_choose_the_tokens_they_speak_of(convert):
    chosen = []
    for state in links():
        tokens = [
            t for name in ("text", "other") if name in state for t in run(convert(state[name]), "zh")[0]
        ]
        chosen.append([tokens[int(state["token"])], tokens[int(state["with"])]])
    words = [["它", animal] for animal in "猫狗猫猫猫"] + [["苹果", "苹果"], ["咬", "咬"]]
    assert chosen == [[convert(word) for word in pair] for pair in words]


def test_a_link_in_the_text_changes_the_model(chinese):
    choose(chinese, "")
    settle(chinese)
    for link in chinese.locator('article a[href*="model=zh"]').all():
        link.click()
        chinese.wait_for_timeout(100)
        settle(chinese)
        assert_shows_the_truth(shown(chinese), "zh")
    chinese.locator('article a[href^="#text=The+sky"]').first.click()
    chinese.wait_for_timeout(100)
    settle(chinese)
    assert_shows_the_truth(shown(chinese))
    assert chinese.errors == []


# ---- 宽处，窄处，繁体的书 ----


def test_wide_and_dark_and_axe_finds_nothing(chinese):
    for width in (1280, 1600):
        chinese.set_viewport_size({"width": width, "height": 900})
        chinese.wait_for_timeout(200)
        assert chinese.evaluate("document.documentElement.scrollWidth") <= width
        chinese.locator(".live-oneCell").evaluate("(each) => each.scrollIntoView()")
        box = chinese.locator(".live-cell >> nth=143").bounding_box()
        assert 0 < box["y"] < 900 - box["height"] and box["width"] >= 24
    changed(chinese)
    # 各层移动多远，一格里的数写在一行
    assert chinese.evaluate("""() => [...document.querySelectorAll('td.live-heat span')].every((each) =>
      each.getClientRects().length === 1)""")
    prepare_axe(chinese)
    assert axe_faults(chinese, ".live-bert") == []
    chinese.emulate_media(color_scheme="light")


def test_on_a_phone(visit):
    """一屏宽的手机：十二层十二个头放得进，每个页签都看得到自己的一份，没有哪里撑宽。"""
    page = visit(
        f"{PAGE}#{urlencode({'text': CAT, **ZH, 'token': 7, 'with': 3, 'layer': 8, 'head': 8})}",
        viewport={"width": 390, "height": 844},
        has_touch=True,
    )
    press_open(page)
    tabs = page.locator("[role=tab]")
    for i, name in enumerate(["tokens", "attention", "oneCell", "journey", "intervene", "cosine"]):
        tabs.nth(i).click()
        page.wait_for_timeout(300)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, name
        if name == "attention":
            boxes = [page.locator(".live-cell").nth(at).bounding_box() for at in (0, 143)]
            assert all(box["width"] >= 39 and box["height"] >= 39 for box in boxes)
            chosen = page.locator(".live-cell:has(:checked)").bounding_box()
            assert chosen["x"] >= 0 and chosen["x"] + chosen["width"] <= 390
    assert_shows_the_truth(shown(page) | {"table": []}, "zh")
    choices = [each.bounding_box() for each in page.locator(".live-models label").all()]
    assert all(box["height"] >= 39 for box in choices) and choices[0]["y"] == choices[1]["y"]
    prepare_axe(page)
    assert axe_faults(page, ".live-bert", narrow=True) == []
    assert page.errors == []


@mostly_http
def test_the_traditional_book_reads_traditional_sentences(visit, scheme):
    page = visit(f"zh-TW/{PAGE}", scheme)
    choose(page, "zh")
    text = taiwan_chinese.convert(CAT)
    assert "".join(shown(page)["tokens"][0][1:-1]).strip("▁") == text.replace("，", ",")
    assert page.inner_text(".live-open").startswith("開啟多語 BERT（")
    press_open(page)
    seen = shown(page)
    assert seen["texts"][0] == text
    assert_shows_the_truth(seen | {"keys": []}, "zh")
    page.locator(".live-examples button").nth(2).click()
    settle(page)
    assert shown(page)["texts"][0].startswith("蘋果")
    assert_shows_the_truth(shown(page) | {"keys": []}, "zh")
    assert page.errors == []
