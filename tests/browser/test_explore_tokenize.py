"""可以动手的图“分词”：切成的词元与课程库的逐个相同；笔记本里只有例句，成书里可以打字，词表点了框才去取。"""

import random
import re

import pytest
from live_helpers import SENTENCES
from two_tokenizers import SEED, ours, random_text

from course_lib.tokenization import SPECIAL_TOKENS, longest_match, normalize_words

PAGE = "chapters/02_tokenization.html"
TEXTS = [
    "How many r's are in strawberry?",
    "unbelievably Schöner TOKENIZERS!",
    "我讨厌 " + "x" * 101,
    "ok🙂 ok",
]
# 单行的输入框收不下换行，也收不下太长的
TYPED = [re.sub(r"[\r\n]", " ", text) for text, _ in SENTENCES]
TYPED += [re.sub(r"[\r\n]", " ", random_text(random.Random(SEED + i))) for i in range(300)]
READ = "() => document.querySelector('.explore-read code').textContent"
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


def data():
    """与章里那一格相同：例句里的词的每一截，在词表里的都带上。"""
    samples = {text: normalize_words(text) for text in TEXTS}
    words = {word for split in samples.values() for word in split if len(word) < 50}
    spans = {
        p + w[i:j] for w in words for i in range(len(w)) for j in range(i + 1, len(w) + 1) for p in ("", "##")
    }
    return {
        "samples": samples,
        "vocab": {s: ours().vocab[s] for s in [*SPECIAL_TOKENS, *spans] if s in ours().vocab},
    }


DATA = data()


def pieces(page):
    return page.locator(".explore-piece").evaluate_all("nodes => nodes.map((n) => n.firstChild.textContent)")


def ids(page):
    return [int(index) for index in page.evaluate(READ).split()]


def test_samples_are_cut_as_the_library_cuts(page):
    for text in TEXTS:
        page.get_by_role("button", name=text, exact=True).click()
        assert ids(page) == ours().encode(text)
        assert pieces(page) == ours().convert_ids_to_tokens(ours().encode(text))
    assert (
        page.get_by_role("textbox").count() == 0
        and "成书的网页" in page.locator(".explore-note").inner_text()
    )


def test_every_try_of_the_longest_match(page):
    page.get_by_role("button", name=TEXTS[1], exact=True).click()
    word, vocab = "unbelievably", ours().vocab
    page.locator("button.explore-word", has_text=word).click()
    rest = word
    for step, piece in enumerate(longest_match(word, vocab)):
        prefix = "##" if step else ""
        tries = [prefix + rest[:end] for end in range(len(rest), 0, -1)]
        tries = tries[: tries.index(piece) + 1]
        assert page.locator(".explore-ladder li").all_inner_texts() == tries
        assert page.locator(".explore-hit").inner_text() == piece
        said = page.locator(".explore-said").inner_text()
        assert f"试到第 {len(tries)} 个，{piece} 在词表里，编号 {vocab[piece]}" in said
        rest = rest[len(piece.removeprefix("##")) :]
        if rest:
            page.get_by_role("button", name="下一步", exact=True).click()
    assert not rest and "词切完了" in page.locator(".explore-said").inner_text()


def test_a_word_that_cannot_be_cut(page):
    page.get_by_role("button", name=TEXTS[3], exact=True).click()
    page.locator("button.explore-word", has_text="🙂").click()
    page.locator(".explore-dot").last.click()
    assert "整个词就作废" in page.locator(".explore-said").inner_text()
    assert page.locator(".explore-hit").count() == 0 and page.locator(".explore-piece.unknown").count() == 1
    page.get_by_role("button", name=TEXTS[2], exact=True).click()
    page.locator("button.explore-word", has_text="x" * 101).click()
    assert "超过 100 个字符" in page.locator(".explore-said").inner_text()


# ---- 成书里打字 ----


@pytest.mark.parametrize("scheme", ["http", "file"])
@pytest.mark.parametrize("language", ["", "zh-TW/"])
def test_typing_is_the_librarys_tokenizer(blank, roots, scheme, language):
    asked = []
    blank.on("request", lambda request: asked.append(request.url))
    blank.goto(f"{roots[scheme]}{language}{PAGE}")
    # 例句只用带来的那一部分词表，简体的书与繁体的书都切得对
    for button in (
        blank.locator("figure.explore").first.get_by_role("group", name="例句").get_by_role("button").all()
    ):
        button.click()
        assert ids(blank) == ours().encode(button.inner_text())
    assert not [url for url in asked if "vocab.txt" in url]
    blank.locator(".explore input[type=text]").focus()
    blank.wait_for_function("/30522/.test(document.querySelector('.explore-note').textContent)")
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
    blank.wait_for_function("/30522/.test(document.querySelector('.explore-note').textContent)")
    assert ids(blank) == ours().encode("penguins!")
