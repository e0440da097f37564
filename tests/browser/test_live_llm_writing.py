"""“打开一个大语言模型”怎样写、里面怎样看：下一个词元、写下的、读前文，注意力、透镜、长度、缓存、意外；显示的每个数都与 course_lib 的比。"""

# ruff: noqa: F811  下面的 opened、opened_once、visit 是 fixture
import re
from urllib.parse import parse_qsl

import pytest
import torch
from llm_page_helpers import language_model, reference, tokenizer
from llm_panel import (
    PARIS,
    STORY,
    STREAM,
    assert_bars,
    encode,
    enter,
    greedy,
    logits_of,
    opened,  # noqa: F401
    opened_once,  # noqa: F401
    press,
    settle,
    shown,
    start,
    step,
    stream,
    visit,  # noqa: F401
)

pytestmark = pytest.mark.guards("live", "_ext", "chapters/llm.md")

CHINESE = "日本的首都是"


def turn(page, label, at):
    """把名为 label 的滑杆转到第 at 档。"""
    page.locator(".llm-next .llm-slider", has_text=label).locator("input").evaluate(
        "(input, at) => { input.value = at; input.dispatchEvent(new Event('input')); }", at
    )


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


def test_streaming_writes_what_the_library_writes(opened):
    start(opened, text=STORY)
    stream(opened, 24)
    seen = shown(opened)
    expected = greedy(encode(STORY), len(seen["written"]))
    assert len(seen["written"]) >= 24 and seen["written"] == expected
    assert seen["text"] == tokenizer().decode(expected)
    assert float(seen["speed"]) > 0.5
    assert dict(parse_qsl(opened.url.partition("#")[2]))["written"] == ".".join(map(str, expected))
    press(opened, "清掉写下的")
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
def test_a_prompt_edited_by_hand_starts_anew(opened, writing):
    """前文一改，先前写下的不再接在后面，正写着也一样；后退找得回来。"""
    enter(opened, STORY)
    if writing:
        press(opened, STREAM)
        opened.wait_for_function("document.querySelectorAll('.llm-wrote').length >= 4")
    else:
        step(opened, 4)
    area = opened.locator(".llm-ask textarea")
    area.fill("The opposite of hot is")
    area.press_sequentially(" not")
    settle(opened)
    seen = shown(opened)
    assert (seen["written"], seen["text"]) == ([], "")
    assert seen["prompt"] == encode("The opposite of hot is not")
    assert re.search(
        r"The opposite of hot is not\s*前文改了，先前写下的 \d+ 个词元不再接在后面",
        opened.inner_text(".llm-paper"),
    )
    assert dict(parse_qsl(opened.url.partition("#")[2])) == {"text": "The opposite of hot is not"}
    step(opened)
    assert "前文改了" not in opened.inner_text(".llm-paper") and len(shown(opened)["written"]) == 1
    back(opened, STORY)
    wrote = shown(opened)["written"]
    assert len(wrote) >= 4 and wrote == greedy(encode(STORY), len(wrote))
    assert opened.errors == []


def test_back_returns_from_an_example(opened):
    enter(opened, "My own words are")
    step(opened, 2)
    wrote = shown(opened)["written"]
    for _ in range(2):  # 按两次，也只是一条历史
        opened.locator(".live-examples button").nth(5).click()
        settle(opened)
    assert shown(opened)["written"] == []
    back(opened, "My own words are")
    assert shown(opened)["written"] == wrote


@pytest.mark.parametrize("edits", [["The opposite of hot is"], ["The sky", "The opposite of hot is"]])
def test_writing_on_waits_for_the_reading(opened, edits):
    """前文还在读，或者先前的一段刚刚叫停，就按“一直写”：读完了再写。"""
    opened.evaluate("""async () => {
      const engine = await LiveLlm.open({ root: '../live/' }), feed = engine.feed;
      engine.feed = async (ids, options) => {
        if (options.onPiece) await new Promise((resolve) => setTimeout(resolve, 1000));
        return feed.call(engine, ids, options);
      };
    }""")
    for text in edits:
        opened.locator(".llm-ask textarea").fill(text)
        opened.wait_for_timeout(400)  # 停笔了，开始读
    press(opened, STREAM)
    opened.wait_for_function("document.querySelectorAll('.llm-wrote').length >= 3", timeout=30_000)
    assert opened.inner_text(".llm-paper").startswith("The opposite of hot is cold")
    press(opened, "停")
    settle(opened)
    opened.evaluate("LiveLlm.open({ root: '../live/' }).then((engine) => delete engine.feed)")
    assert opened.errors == []


def test_nothing_computed_takes_no_time(opened):
    start(opened)
    start(opened)
    assert shown(opened)["status"] == "5 个词元。"


LONG = "one two three four five six seven eight nine ten " * 20


def test_a_long_prompt_is_read_in_pieces_and_can_be_stopped(opened):
    """两百个词元：看得见读到了哪里，打字不卡，停得下来，再按就从停的地方接着读；答案与一口气读的相同。"""
    ids = encode(LONG)
    opened.evaluate("""() => {
      const status = document.querySelector('.live-status');
      globalThis.seen = [];
      new MutationObserver(() => seen.push(status.textContent)).observe(status, {subtree: true, childList: true, characterData: true});
    }""")
    opened.locator(".llm-ask textarea").fill(LONG)
    stop = opened.locator(".llm-controls").get_by_role("button", name="停", exact=True)
    stop.click()
    settle(opened)
    said = opened.inner_text(".live-status")
    total, read = map(int, re.search(r"停下了：(\d+) 个词元，读了 (\d+) 个", said).groups())
    assert total == len(ids) and 0 < read < total and read % 16 == 0
    assert shown(opened)["stale"] and opened.locator("progress:visible").count() == 0
    opened.wait_for_timeout(300)
    assert opened.inner_text(".live-status") == said  # 真的停了
    opened.get_by_role("button", name="接着读", exact=True).click()
    settle(opened)
    computed = int(re.search(r"算 (\d+) 个", shown(opened)["status"])[1])
    assert total - read - 16 <= computed <= total - read
    assert not shown(opened)["stale"]
    assert_bars(opened, ids)
    counts = [
        int(match[1]) for text in opened.evaluate("seen") if (match := re.search(rf"(\d+) / {total}", text))
    ]
    assert len(set(counts)) >= 5 and counts == sorted(counts)
    assert opened.errors == []


def test_typing_while_it_reads_drops_the_reading(opened):
    opened.locator(".llm-ask textarea").fill(LONG)
    opened.locator(".llm-controls").get_by_role("button", name="停", exact=True).wait_for()
    opened.locator(".llm-ask textarea").press_sequentially(" and then")
    enter(opened, PARIS)
    assert "停下了" not in shown(opened)["status"]
    assert_bars(opened, encode(PARIS))
    assert opened.errors == []


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
def test_how_surprising_each_token_is(opened):
    """每个词元的意外都是库里的 −log₂ p，指着它、按方向键都读得到；不看就不算，改了末尾只补末尾。"""
    opened.evaluate("""async () => {
      const engine = await LiveLlm.open({ root: '../live/' }), ask = engine.surprises;
      globalThis.asked = [];
      engine.surprises = (...span) => (asked.push(span), ask.apply(engine, span));
    }""")
    enter(opened, STORY)
    assert opened.evaluate("asked") == [] and opened.locator("[data-bits]").count() == 0
    button = opened.get_by_role("button", name="有多意外", exact=True)
    button.click()
    settle(opened)

    def check(text):
        ids = encode(text)
        logits = language_model()(torch.tensor([ids])).logits[0]
        expected = -logits[:-1].log_softmax(-1)[range(len(ids) - 1), ids[1:]] / torch.tensor(2.0).log()
        bits = opened.locator(".llm-chips > [data-bits]").evaluate_all(
            "(chips) => chips.map(({ dataset }) => Number(dataset.bits))"
        )
        assert (torch.tensor(bits) - expected).abs().max() < 1e-3
        return expected

    expected = check(STORY)
    reading = opened.locator(".llm-surprise")
    assert f"共 {expected.sum():.1f} 位，平均 {expected.mean():.1f} 位" in reading.inner_text()
    opened.locator(".llm-chips").first.focus()
    for _ in range(3):
        opened.keyboard.press("ArrowRight")
    assert f"␣a：{expected[1]:.1f} 位" in reading.inner_text()
    opened.locator(".llm-chips > .live-chip").nth(3).hover()
    assert f"␣time：{expected[2]:.1f} 位" in reading.inner_text()
    step(opened)  # 写下的不算在前文里
    check(STORY)
    assert opened.evaluate("asked") == [[1, len(encode(STORY))]]
    enter(opened, f"{STORY} king")
    check(f"{STORY} king")
    assert opened.evaluate("asked.at(-1)") == [len(encode(STORY)), len(encode(STORY)) + 1]
    enter(opened, LONG)
    check(LONG)
    fields = opened.url.partition("#")[2]
    assert dict(parse_qsl(fields))["bits"] == "1"
    button.click()
    settle(opened)
    assert reading.is_hidden() and opened.locator(".llm-with-bits").count() == 0
    opened.evaluate("LiveLlm.open({ root: '../live/' }).then((engine) => delete engine.surprises)")
    assert opened.errors == []


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
