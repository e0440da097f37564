"""“打开一个大语言模型”一页：正文说的，与 course_lib 算的一致（要打开网页才知道的在 test_live_llm_page.py）。"""

import inspect
import re
from pathlib import Path
from urllib.parse import parse_qsl

import torch
from llm_page_helpers import language_model, reference, tokenizer

import course_lib.language_model
from course_lib.generation import generate, narrow

ROOT = Path(__file__).parents[2]
PROSE = (ROOT / "chapters/llm.md").read_text(encoding="utf-8")
BENCH = (ROOT / "bench/pages.md").read_text(encoding="utf-8")
SCRIPT = (ROOT / "live/llm/language_model.js").read_text(encoding="utf-8")
# 做什么、course_lib 的名字、live/llm/language_model.js 的名字
NAMES = re.findall(r"(?m)^\| [^|]+ \| `([\w.]+)` \| `(\w+)` \|$", PROSE)
LINKS = {
    text: dict(parse_qsl(href.replace("&amp;", "&")))
    for href, text in re.findall(r'<a href="#([^"]+)">([^<]+)<', PROSE)
}
PARIS = "The capital of France is"


def encode(text, chat=False):
    return tokenizer().encode(tokenizer().chat([{"role": "user", "content": text}]) if chat else text)


@torch.no_grad()
def shares(ids):
    return language_model()(torch.tensor([ids]), last_only=True).logits[0, -1].softmax(-1)


@torch.no_grad()
def write(ids, count, **options):
    row = generate(language_model(), torch.tensor([ids]), count, stop_ids=[tokenizer().eos_id], **options)[0]
    return tokenizer().decode(row[len(ids) :], skip_special_tokens=True)


def one(word):
    (index,) = tokenizer().encode(word)
    return index


def weights(link):
    """链接里选中的词元，在选中的头里给各个词元的权重。"""
    state = LINKS[link]
    maps = reference(state["text"]).attentions
    return maps[int(state["layer"]) - 1, int(state["head"]) - 1, int(state.get("token", -1))]


def test_claims_about_the_wrong_step():
    state = LINKS["走错一步"]
    assert state["written"] == str(one(" London"))
    assert f"{100 * shares(encode(PARIS))[one(' London')]:.1f} %" in PROSE and "只有 1.2 %" in PROSE
    said = write([*encode(PARIS), one(" London")], 16)
    assert said.startswith(".") and "Paris" not in said


def test_claims_about_the_head_that_fetches_the_country():
    given = weights("谁把 France 告诉了 is")
    assert given[3].round(decimals=2) == torch.tensor(0.90)
    for country in ("France", "Italy", "Japan", "Cuba"):
        maps = reference(f"The capital of {country} is").attentions[:, :, -1, -2].flatten()
        assert len(maps) == 270 and maps.argmax() == 23 * 9 + 4 and maps.max() > 0.89


@torch.no_grad()
def test_claims_about_when_paris_appears():
    model = language_model()
    logits = model.head(model.norm(reference(PARIS).hidden_states[:, -1]))
    place = [(row > row[one(" Paris")]).sum().item() for row in logits]
    assert min(place[:28]) >= 3 and place[29] < 3 and place[29] > 0 and place[30] == 0


def test_claims_about_copying():
    text = LINKS["照着抄"]["text"]
    first, ids = shares(encode(text)), encode(text)
    assert first.argmax() == one(" t") and first.max() > 0.8
    given = weights("照着抄")
    there = int(given.argmax())
    assert ids[there] == one(" t") and ids[there - 1] == ids[-1]  # 上一遍跟在同一个逗号后面的
    assert given[there].round(decimals=2) == torch.tensor(0.98)
    other = reference("Mondo, grix, plume, tarn. Mondo, grix, plume,").attentions[18, 6, -1]
    assert encode("Mondo, grix, plume, tarn. Mondo, grix, plume,")[int(other.argmax())] == one(" t")


def test_claims_about_they():
    given = weights("they 在看 John 吗")
    assert given[0] > 0.995
    text = f"Then {LINKS['they 在看 John 吗']['text']}"
    words = [tokenizer().decode([index]).strip() for index in encode(text)]
    after = reference(text).attentions[18, 8, words.index("they")]
    assert after[words.index("John")] < 0.01 < 0.9 < after[0]


def test_claims_about_the_country_that_is_not():
    state = LINKS["没有的国家"]
    said = [int(index) for index in state["written"].split(".")]
    assert tokenizer().decode(said) == "The capital of Marovia is"
    assert 0.1 < shares([*encode(state["text"], chat=True), *said]).max() < 0.15
    said = encode("The capital of Japan is")
    assert LINKS["Japan"] == {
        **state,
        "text": "What is the capital of Japan?",
        "written": ".".join(map(str, said)),
    }
    known = shares([*encode("What is the capital of Japan?", chat=True), *said])
    assert known.argmax() == one(" Tokyo") and known.max().round(decimals=2) == torch.tensor(0.94)


def test_claims_about_the_story():
    state = LINKS["从前"]
    first = shares(encode(state["text"]))
    assert first.max() < 0.1
    hot = narrow(first.log(), temperature=2.0).softmax(-1)
    kept = narrow(first.log(), temperature=2.0, min_p=0.1).softmax(-1)
    assert hot.topk(100).values.sum() < 0.2
    assert "只留下 185 个" in PROSE and (kept > 0).sum() == 185


def test_claims_about_chinese():
    ids = encode(LINKS["中文"]["text"])
    assert len(LINKS["中文"]["text"]) == 6 and len(ids) == 10 and shares(ids).max() < 0.1
    cut = [char for char in LINKS["中文"]["text"] if len(encode(char)) > 1]
    assert "".join(cut) == "日首都"


def test_claims_about_what_it_cannot_do():
    assert write(encode("What is 17 + 25?", chat=True), 12) == "17 + 25 = 32."
    config = language_model().config
    assert round(sum(p.numel() for p in language_model().parameters()) / 1e6) == 135
    assert (config.num_layers, config.num_heads) == (30, 9)
    assert "从 1 数到 30，头从 1 数到 9" in PROSE


def test_claims_about_speed():
    """与 make bench-pages 记下的一致。"""
    row = re.search(r"每秒写几个词元 \| ([\d.]+)（[^|]*\| ([\d.]+)（", BENCH)
    ours, theirs = (round(float(number)) for number in row.groups())
    assert (
        f"一个线程每秒写 {ours} 个词元" in PROSE
        and f"wllama（llama.cpp 编译成的 WebAssembly），每秒 {theirs} 个" in PROSE
    )
    ours, theirs = re.search(r"内存（MB） \| (\d+) \| (\d+) ", BENCH).groups()
    assert f"多占 {ours} MB 内存，用 wllama 是 {theirs} MB" in PROSE


def test_the_names_exist():
    assert len(NAMES) == 10
    for python, script in NAMES:
        holder = course_lib.language_model
        for name in python.split("."):
            holder = getattr(holder, name)
        assert inspect.isfunction(holder)
        assert re.search(rf"function {script}\(|const {script} = \(", SCRIPT)
