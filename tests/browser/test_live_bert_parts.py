"""“打开 BERT”的各个部分：注意力、一格怎样算出来、从词元到最后一层、动手改一处；显示的每个数都与 course_lib 的比。"""

# ruff: noqa: F811  下面的 visit、bert、bert_once 是 fixture
import re

import pytest
import torch
from bert_panel import (
    assert_shows_the_truth,
    bert,  # noqa: F401
    bert_once,  # noqa: F401
    changed,
    enter,
    kinds_shown,
    press_open,
    settle,
    shown,
    visit,  # noqa: F401
)
from live_helpers import (
    BANKS,
    PROSE,
    THEY,
    forward,
    head_vectors,
    lengths,
    moved,
    quantized_bert,
    run,
    tokenizer,
)

from course_lib.tokenization import CJK

pytestmark = pytest.mark.guards("live", "_ext", "chapters/live.md")

# ---- 词元与注意力 ----


def test_unknown_and_split_words_are_explained(bert):
    vocab = tokenizer().vocab
    han = sum(bool(CJK.fullmatch(token)) for token in vocab)
    enter(bert, "你好，unbelievably 山 😀 [UNK]")
    seen = shown(bert)
    assert_shows_the_truth(seen)
    assert seen["tokens"][0].count("[UNK]") == 4
    first, second, third = seen["notes"]
    assert first.startswith("“你”“好”成了 [UNK]：") and "“山”" not in first
    assert f"{len(vocab)} 个词元里只有 {han} 个汉字" in first
    assert f"编号都是 {vocab['[UNK]']}" in first
    assert second.startswith("“😀”里有一截")
    pieces = [token for token in seen["tokens"][0] if token in tokenizer().tokenize("unbelievably")]
    assert third.startswith("“unbelievably”不在词表里") and third.endswith(" ".join(pieces) + "。")


def test_repeated_words_are_told_apart(bert):
    """句子里不止一个的词元，读出来的话、横条、余弦的表里都说是第几个；两句相比，说是哪一句。"""
    enter(bert, BANKS)
    bert.locator(".live-chip input").nth(19).click()
    bert.locator(".live-ask select").select_option(index=6)
    tokens = run(BANKS)[0]
    several = [
        f"{token}（第 {i} 个）" if tokens.count(token) > 1 else token for i, token in enumerate(tokens)
    ]
    assert len(set(several)) == len(tokens) > len(set(tokens))
    names = bert.evaluate(
        "[...document.querySelectorAll('.live-keys li')].map((each) => each.firstChild.textContent)"
    )
    assert names == several
    assert f"{several[19]} 看得最多的是 " in bert.locator(".live-attention [aria-live]").first.text_content()
    assert bert.locator("th.live-pair").text_content() == f"{several[19]} 与 {several[6]}"
    bert.locator(".live-examples button").nth(1).click()
    settle(bert)
    assert bert.locator("th.live-pair").text_content() == "flies（第一句） 与 flies（第二句）"


def test_maps_are_as_dark_as_the_weights(bert):
    """小图的每一个像素的浓淡是权重的平方根。"""
    alphas = bert.evaluate("""() => [...document.querySelectorAll('.live-cell canvas')].map((canvas) => {
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      return [...data].filter((_, i) => i % 4 === 3);
    })""")
    _, _, attention = run(THEY)
    drawn = torch.tensor(alphas).view(attention.shape) / 255
    assert (drawn - attention.sqrt()).abs().max() < 0.1
    assert (drawn**2 - attention).abs().max() < 0.05


def test_the_maps_follow_the_theme(bert):
    ink = """(theme) => { document.documentElement.dataset.theme = theme;
      return new Promise((done) => setTimeout(() => {
        const canvas = document.querySelectorAll('.live-cell canvas')[2];
        done([...canvas.getContext('2d').getImageData(0, 1, 1, 1).data]); }, 100)); }"""
    dark, light = bert.evaluate(ink, "dark"), bert.evaluate(ink, "light")
    assert light[3] == dark[3] > 250 and sum(dark[:3]) > sum(light[:3]) + 100


def test_a_cell_of_the_large_map_chooses_both(bert):
    """指着一格，读出它的权重；点一下，查询与键都换；方向键也行；那一格描着框。"""
    bert.locator(".live-map").scroll_into_view_if_needed()
    frame = bert.locator(".live-map .live-frame").bounding_box()
    size = frame["width"] / 13
    bert.mouse.move(frame["x"] + 3.5 * size, frame["y"] + 8.5 * size)
    said = bert.inner_text(".live-pointed")
    assert said.startswith("they → paul：")
    assert abs(float(said.partition("：")[2]) - run(THEY)[2][5, 5, 8, 3]) < 0.05
    bert.mouse.click(frame["x"] + 6.5 * size, frame["y"] + 9.5 * size)
    assert (shown(bert)["token"], shown(bert)["partner"]) == (9, 6)
    assert_cell_is_true(cell(bert), THEY, 5, 5, 9, 6)
    bert.locator(".live-map").focus()
    for press, query, key in [
        ("ArrowUp", 8, 6),
        ("ArrowLeft", 8, 5),
        ("ArrowDown", 9, 5),
        ("ArrowRight", 9, 6),
    ]:
        bert.keyboard.press(press)
        assert (shown(bert)["token"], shown(bert)["partner"]) == (query, key)
    box = bert.locator(".live-map .live-picked").bounding_box()
    assert abs(box["x"] - frame["x"] - 6 * size) < 3 and abs(box["y"] - frame["y"] - 9 * size) < 3
    assert bert.inner_text(".live-pointed").startswith("were → songs：")
    for _ in range(20):  # 到了边上就停
        bert.keyboard.press("ArrowRight")
    assert shown(bert)["partner"] == 12


def test_two_heads_side_by_side(bert):
    bert.locator(".live-cell input").nth(2).click()
    bert.click("text=钉住这个头")
    bert.locator(".live-cell input").nth(65).click()
    bert.locator(".live-chip input").nth(4).click()
    _, _, attention = run(THEY)
    lists = bert.evaluate("""() => [...document.querySelectorAll('.live-weights')].map((list) =>
      [...list.querySelectorAll('.live-number')].map((each) => Number(each.textContent)))""")
    expected = attention.flatten(0, 1)[[65, 2], 4]
    assert (torch.tensor(lists) - expected).abs().max() < 0.05
    maps = [each.bounding_box() for each in bert.locator(".live-map").all()]
    assert abs(maps[0]["y"] - maps[1]["y"]) < 5 and maps[0]["x"] + maps[0]["width"] <= maps[1]["x"] + 1
    assert bert.locator(".live-head-of b").all_inner_texts() == ["第 5 层第 5 个头", "第 0 层第 2 个头"]
    assert bert.locator(".live-cell.live-pin input").get_attribute("aria-label").endswith("，钉住的")
    assert "pin=0-2" in bert.url
    drop = bert.get_by_role("button", name=re.compile("取下"))
    assert drop.count() == 1
    drop.click()
    assert bert.evaluate("document.activeElement.textContent").startswith("钉住")  # 焦点还在
    assert bert.locator(".live-two").count() == 0 and "pin" not in bert.url
    assert_shows_the_truth(shown(bert))


ARCS = """() => [...document.querySelectorAll('.live-picture .live-arc')].map((arc) =>
  [Number(arc.dataset.from), Number(arc.dataset.to), (Number(arc.getAttribute('stroke-width')) - 0.5) / 7])"""


def test_arcs_are_as_thick_as_the_weights(bert):
    weights = forward(quantized_bert(), THEY)[1][5, 5]
    bert.locator(".live-controls input[type=radio]").nth(1).click()
    arcs = bert.evaluate(ARCS)
    assert {(i, j) for i, j, _ in arcs} == {(8, j) for j in range(13) if weights[8, j] >= 0.01}
    assert all(abs(width - weights[i, j]) < 1e-4 for i, j, width in arcs)
    bert.locator(".live-least input").fill("0.3")
    arcs = {(i, j) for i, j, _ in bert.evaluate(ARCS) if i != 8}
    assert arcs == {(i, j) for i, j in (weights >= 0.3).nonzero().tolist() if i != 8} and arcs
    assert "view=arcs" in bert.url and "least=0.3" in bert.url
    bert.locator(".live-map").first.focus()
    bert.keyboard.press("ArrowRight")
    assert shown(bert)["token"] == 9
    box = bert.locator(".live-picture .live-map circle").nth(3).bounding_box()
    bert.mouse.click(box["x"] + box["width"] / 2, box["y"] + 20)
    assert shown(bert)["token"] == 3
    enter(bert, "so " * 62)
    drawn = bert.locator(".live-picture .live-map svg").bounding_box()
    assert drawn["width"] <= bert.locator(".live-detail").bounding_box()["width"] + 1


# ---- 各看什么 ----


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
def test_heads_are_badged_by_the_rule_on_the_page(bert, text):
    enter(bert, text)
    kinds = kinds_of(text)
    assert kinds_shown(bert) == [72, *torch.bincount(kinds, minlength=7).tolist()]
    badges = bert.evaluate("[...document.querySelectorAll('.live-cell')].map((cell) => cell.dataset.badge)")
    assert badges == [["前", "后", "己", "首", "点", "散", ""][kind] for kind in kinds]
    said = bert.locator(".live-cell input").nth(2).get_attribute("aria-label")
    labels = ["前一个词元", "后一个词元", "自己", "[CLS]", "[SEP] 与标点", "分散", "都不是"]
    assert said == f"第 0 层第 2 个头：{labels[kinds[2]]}"


def test_a_filter_dims_the_other_heads(bert):
    kinds = kinds_of(THEY)
    assert bert.locator(".live-rule").is_hidden()
    bert.locator(".live-kinds input").nth(0).focus()
    bert.keyboard.press("ArrowRight")
    assert bert.locator(".live-rule").is_visible() and "kind=previous" in bert.url
    clear = bert.evaluate(
        "[...document.querySelectorAll('.live-cell')].map((cell) => !cell.matches('.live-dim'))"
    )
    assert clear == (kinds == 0).tolist() and clear[2]
    bert.locator(".live-cell input").nth(20).click()  # 淡了的也选得到
    assert shown(bert)["head"] == 20
    bert.locator(".live-kinds input").nth(0).click()
    assert bert.locator(".live-dim").count() == 0


def test_heads_that_look_at_the_first_token(bert):
    """正文数的，是这一页自己的权重算出的。"""
    total, *kinds = kinds_shown(bert)
    more = kinds[3]
    assert f"面板开头的那句话，{total} 个头有 {more} 个把一半以上的注意力给了 `[CLS]`" in PROSE


def test_the_head_that_looks_back_in_every_example(bert):
    texts = bert.evaluate(
        "Object.values(LiveState.EXAMPLES).flatMap(({ text, other }) => [text, other ?? []]).flat()"
    )
    assert THEY in texts and len(texts) == 8
    for text in [*texts, "The sky is blue."]:
        assert run(text)[2][0, 2].diagonal(-1).min() > 0.99


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


def test_one_cell_step_by_step(bert):
    """打开时的 they → john；换头、换查询、换键，都从头算过。"""
    assert_cell_is_true(cell(bert), THEY, 5, 5, 8, 1)
    bert.locator(".live-cell input").nth(12 * 3 + 1).click()
    bert.locator(".live-chip input").nth(11).click()
    assert_cell_is_true(cell(bert), THEY, 3, 1, 11, 1)
    bert.locator(".live-row input").nth(6).click()
    assert_cell_is_true(cell(bert), THEY, 3, 1, 11, 6)
    assert shown(bert)["partner"] == 6
    bert.keyboard.press("ArrowDown")
    assert_cell_is_true(cell(bert), THEY, 3, 1, 11, 7)
    assert bert.evaluate("document.activeElement.checked")


def test_the_numbers_of_one_cell_can_be_walked_through(bert):
    """拖动或者用方向键，一个一个地看：两个数，它们的积。"""
    seen = cell(bert)
    slider = bert.locator(".live-oneCell input[type=range]")
    best = max(range(32), key=lambda c: abs(seen["numbers"][c][2]))
    assert slider.input_value() == str(best)
    slider.focus()
    bert.keyboard.press("Home")
    bert.keyboard.press("ArrowRight")
    said = bert.inner_text(".live-one")
    numbers = [float(each.replace("−", "-")) for each in re.findall(r"−?\d+\.\d\d", said)]
    assert said.startswith("第 1 个：") and numbers == seen["numbers"][1]
    assert slider.get_attribute("aria-valuetext") == said


def test_a_long_sentence_lists_the_heaviest_keys(bert):
    text = "The bank " + "so very " * 30
    enter(bert, text)
    bert.locator(".live-chip input").nth(40).click()
    bert.locator(".live-ask select").select_option(index=2)
    seen = cell(bert)
    assert_cell_is_true(seen, text, 5, 5, 40, 2)
    assert 15 <= len(seen["rows"]) <= 16 and seen["rest"].startswith(f"其余 {64 - len(seen['rows'])} 个词元")


def test_a_partner_in_the_other_sentence_is_not_a_key(bert):
    enter(bert, "time flies like an arrow")
    enter(bert, "fruit flies like a banana", field=1)
    bert.locator(".live-chip input").nth(2).click()
    bert.locator(".live-ask select").select_option(index=9)
    seen = cell(bert)
    heaviest = run("time flies like an arrow")[2][5, 5, 2].argmax().item()
    assert_cell_is_true(seen, "time flies like an arrow", 5, 5, 2, heaviest)
    assert "另一句里的词元，注意力看不到它" in seen["lead"]
    assert bert.locator(".live-picked").count() == 0


def test_the_square_root_is_drawn_as_one(bert):
    """根号的横线盖住里面的字，不是一个 √ 挨着一个 d。"""
    bert.wait_for_selector(".live-oneCell .live-strip")
    roots = bert.locator(".live-oneCell msqrt")
    assert roots.all_text_contents() == ["d", "d", "32"] and "√" not in bert.inner_text(".live-oneCell")
    for each in roots.all():
        assert each.bounding_box()["width"] > each.locator("> *").bounding_box()["width"] + 4


# ---- 动手改一处 ----


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


def test_switching_heads_off(bert):
    """关掉选中的一个头，与同层其余 11 个各关一次相比；再留着它，加关一个。"""
    seen = changed(bert)
    by_head = [distances(THEY, off=[[5, head]]) for head in range(12)]
    others = torch.stack([far[:, -1] for head, far in enumerate(by_head) if head != 5])
    assert_moved(seen, by_head[5], others)
    said = f"they 移动 {by_head[5][8, -1]:.2f}。"
    versus = (
        f"they 平均移动 {others[:, 8].mean():.2f}，从 {others[:, 8].min():.2f} 到 {others[:, 8].max():.2f}。"
    )
    assert said in seen["said"] and versus in seen["said"]
    for _ in range(2):  # 按两次也只留一个，焦点还在
        bert.click(".live-kept > button")
        assert bert.evaluate("document.activeElement.parentElement.className") == "live-kept"
    assert bert.locator(".live-kept button").count() == 2
    bert.locator(".live-cell input").nth(12 * 3 + 1).click()
    seen = changed(bert)
    assert seen["said"].startswith("关掉第 5 层第 5 个头、第 3 层第 1 个头，")
    shifted = [distances(THEY, off=[[5, (5 + k) % 12], [3, (1 + k) % 12]]) for k in range(12)]
    assert_moved(seen, shifted[0], torch.stack([far[:, -1] for far in shifted[1:]]))
    bert.click(".live-kept span button")  # 不关第 5 层第 5 个头了
    assert changed(bert)["said"].startswith("关掉第 3 层第 1 个头，")


def test_the_head_to_switch_off_is_picked_on_the_spot(bert):
    """就在这里挑一个头关掉；一遍也还没有算完，表的样子已经摆着，不是一片空白。"""
    bert.evaluate("""() => {
      const table = document.querySelector('.live-moved');
      globalThis.rows = [];
      new MutationObserver(() => rows.push(table.querySelectorAll('tbody th').length)).observe(table, { childList: true });
    }""")
    enter(bert, "The sky is blue.")
    assert bert.evaluate("rows[0]") == 7
    assert set(bert.locator(".live-moved td.live-heat").all_text_contents()) == {"·"}
    picker = bert.locator(".live-picker input")
    assert picker.count() == 72
    picker.nth(12 * 3 + 1).click()
    assert changed(bert)["said"].startswith("关掉第 3 层第 1 个头，")
    assert shown(bert)["head"] == 12 * 3 + 1
    bert.click(".live-kept > button")
    picker.nth(0).click()
    assert changed(bert)["said"].startswith("关掉第 3 层第 1 个头、第 0 层第 0 个头，")
    assert bert.locator(".live-picker .live-off").count() == 1
    bert.locator(".live-ways input").nth(1).click()
    assert bert.locator(".live-picker").is_hidden()


def test_masking_a_token(bert):
    bert.locator(".live-ways input").nth(1).click()
    bert.locator(".live-chip input").nth(1).click()
    seen = changed(bert)
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
def test_swapping_a_word(bert, word):
    """换一个词：别的词元一一对照，换掉的不比；对照是随手写下的 11 个词，各是一个词元。"""
    text = "She sat on the bank of the river."
    enter(bert, text)
    bert.locator(".live-chip input").nth(8).click()
    bert.locator(".live-ways input").nth(2).click()
    assert changed(bert)["said"] == "写一个词，换掉上面选中的 river。"
    bert.locator(".live-changed").evaluate(
        "(box) => box.previousElementSibling.querySelector('input').focus()"
    )
    bert.keyboard.insert_text(f" {word} ")
    seen = changed(bert)
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


def test_a_swap_that_changes_the_number_of_tokens(bert):
    enter(bert, "The sky is blue.")
    bert.locator(".live-chip input").nth(4).click()
    bert.locator(".live-ways input").nth(2).click()
    bert.locator(".live-ask input").fill("hyperparameter")
    seen = changed(bert)
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


def test_changes_that_cannot_be_made_say_so(bert):
    """特殊词元换不得；换成的词太长、是标记，都只是字；一层的头全关了，没有对照。"""
    assert len(changed(bert)["tokens"]) == 13
    bert.locator(".live-ways input").nth(2).click()
    bert.locator(".live-chip input").nth(0).click()
    assert changed(bert)["said"].startswith("[CLS] 是 BERT 自己加的记号，换不得")
    faded = bert.locator(".live-moved")  # 先前的表还在，只是淡了
    assert faded.evaluate("(table) => table.inert && getComputedStyle(table).opacity") == "0.45"
    assert faded.locator("tbody tr").count() == 13
    bert.locator(".live-chip input").nth(1).click()
    bert.locator(".live-ask input").fill("<img src=x onerror=alert(1)>")
    seen = changed(bert)
    assert not faded.evaluate("(table) => table.inert")
    assert seen["said"].startswith("把 john 换成 <img src=x onerror=alert(1)>，")
    assert bert.locator(".live-bert img").count() == 0
    bert.locator(".live-ask input").fill("x" * 4000)
    assert bert.locator(".live-ask input").evaluate("(input) => input.maxLength") == 40
    enter(bert, "so " * 62)
    bert.locator(".live-chip input").nth(1).click()
    bert.locator(".live-ask input").fill("hyperparameter")
    assert changed(bert)["said"] == "换过之后有 66 个词元，一次最多 64 个，请换一个短一些的词。"
    bert.locator(".live-examples button").first.click()
    every = "_".join(f"5-{head}" for head in range(12))
    bert.evaluate("(hash) => { location.hash = hash; }", f"text=Hi+there&layer=5&head=5&off={every}")
    assert "没有别的可以对照。" in changed(bert)["said"]
    assert bert.errors == []


def test_nothing_is_computed_out_of_sight(visit):
    """没有滚到“动手改一处”，就不多算；滚到了才算，换来换去之后也算。"""
    page = visit(viewport={"width": 1200, "height": 500})
    press_open(page)
    page.wait_for_timeout(1000)
    assert set(page.locator(".live-moved td.live-heat").all_text_contents()) == {"·"}
    assert len(changed(page)["tokens"]) == 13
    # 滚开了，换一个头又换回来：再滚到时照样算
    page.evaluate("scrollTo(0, 0)")
    page.wait_for_timeout(300)
    for layer in (4, 5):
        page.locator(".live-cell input").nth(12 * layer + 5).evaluate("(head) => head.click()")
    page.wait_for_timeout(1000)
    assert page.locator(".live-changed").get_attribute("aria-busy") == "true"
    assert len(changed(page)["tokens"]) == 13


# ---- 从词元到最后一层 ----


def lengths_in_page(page):
    """表里的整数，读出的一步；先打开表。"""
    return page.evaluate("""() => {
      document.querySelectorAll('.live-journey details').forEach((fold) => { fold.open = true; });
      return new Promise((resolve) => setTimeout(() => resolve(
        [...document.querySelectorAll('.live-lengths tbody tr')].map((row) =>
          [...row.querySelectorAll('td')].map((cell) => Number(cell.textContent)))), 100));
    }""")


def test_the_lengths_of_every_step(bert):
    """表、条、读出的一句，都是课程的代码在同样的（量化过的）权重上算出的。"""
    expected = lengths(quantized_bert(), THEY)
    table = torch.tensor(lengths_in_page(bert)).T
    assert table.shape == expected.shape and (table - expected).abs().max() < 0.51
    bert.locator(".live-chip input").nth(0).click()
    heights = bert.evaluate(
        "[...document.querySelectorAll('.live-step > span')].map((bar) => bar.getBoundingClientRect().height)"
    )
    drawn, mine = torch.tensor(heights), expected[:, 0]
    room = bert.locator(".live-step").first.bounding_box()["height"]
    assert (drawn / room - mine / max(20, mine.max())).abs().max() < 0.03
    slider = bert.locator(".live-journey input[type=range]")
    slider.focus()
    bert.keyboard.press("Home")
    said = bert.locator(".live-journey p[aria-live]")
    for step in range(25):
        numbers = re.findall(r"\d+\.\d\d", said.inner_text())
        assert abs(float(numbers[0]) - mine[step]) < 0.0051
        if step % 2:  # 取来的、给的旁边，是它自己这时的
            stream = mine[step - 1]
            assert abs(float(numbers[1]) - stream) < 0.0051
        assert slider.get_attribute("aria-valuetext") == said.text_content()
        bert.keyboard.press("ArrowRight")
    bert.locator(".live-step").nth(3).click()
    assert said.inner_text().startswith("第 0 层，前馈网络：")
