"""网页里大语言模型的分词（live/llm/byte_pair.js）与抽样（live/llm/sampling.js）：在真的 Chromium 里，与 course_lib 逐一相比。"""

import json
import random
from base64 import b64decode, b64encode
from functools import cache
from pathlib import Path

import pytest
import regex
import torch
from byte_pair_texts import LETTERS, LOST, MESSAGES, RULES, SOME, known, ours, smollm
from hypothesis import given, settings
from hypothesis import strategies as st
from two_tokenizers import COUNT, INGREDIENTS, SCALARS, SEED, ranges

from course_book.after_writing import live_llm
from course_lib.byte_pair import BYTE_TO_CHAR, merge
from course_lib.language_model import LanguageModel
from course_lib.pretokenization import pretokenize
from course_lib.sampling import narrow

pytestmark = pytest.mark.guards("live", "_ext", "chapters/llm.md")

LIVE = Path(__file__).parents[2] / "live/llm"


@cache
def data_files() -> dict[str, bytes]:
    return {name: content for name, content in live_llm.data_files() if name.endswith(".json")}


@pytest.fixture(scope="module")
def page(browser):
    page = browser.new_page()
    for name in ("byte_pair.js", "sampling.js"):
        page.add_script_tag(path=LIVE / name)
    page.evaluate(
        """([{ tokens, types, merges, chatTemplate }, { bosId, eosId, padId }]) => {
          globalThis.B = liveBytePair();
          globalThis.bytePair = new B.BytePairTokenizer({ tokens, types, merges, template: chatTemplate, bosId, eosId, padId });
          globalThis.said = (run) => { try { return run(); } catch (error) { return error.message; } };
        }""",
        [json.loads(data_files()[name]) for name in ("vocab.json", "config.json")],
    )
    yield page
    page.close()


def in_page(page, function, items):
    """对 items 逐个运行 function；结果有几百万个字，写成一个 JSON 字符串送出来快得多。"""
    return json.loads(page.evaluate(f"(items) => JSON.stringify(items.map({function}))", items))


def encode(page, items):
    return in_page(page, "(text) => bytePair.encode(text)", items)


# ---- 分词：编号


def test_the_same_tokenizer(page):
    facts = page.evaluate(
        "() => [bytePair.vocab.size, bytePair.ranks.size, Object.fromEntries(bytePair.special),"
        " bytePair.bosId, bytePair.eosId, bytePair.padId, B.byteCharacters()]"
    )
    assert facts == [len(ours().vocab), len(ours().ranks), ours().special, 1, 2, 2, BYTE_TO_CHAR]


def random_text(rng) -> str:
    """two_tokenizers 的各种文字与麻烦，加上这个模型自己的词元与特殊词元。"""
    own = [
        lambda rng: rng.choice(list(ours().special)),
        lambda rng: ours().decode([rng.randrange(len(ours().vocab)) for _ in range(rng.randint(1, 5))]),
        lambda rng: rng.choice(
            ["<|im_start", "|im_end|>", "<|<|im_end|>|>", "'ve", "'LL", "\r\n\r\n", "\t\tx"]
        ),
    ]
    parts = [ingredient(rng) for ingredient in rng.choices(INGREDIENTS + 3 * own, k=rng.randint(1, 8))]
    return known("".join(part + rng.choice(["", "", " ", "  ", "\n", "\u3000", "7"]) for part in parts))


@pytest.mark.parametrize("count", [1000, pytest.param(COUNT, marks=pytest.mark.thorough)])
def test_random_strings(page, count):
    """编号都相同；前一千个，切成的片段、词元、每个词元的字节、两种解码也都相同。"""
    rng = random.Random(SEED)
    strings = [random_text(rng) for _ in range(count)]
    for text, ids in zip(strings, encode(page, strings), strict=True):
        assert ids == ours().encode(text), repr(text)
    js = """(text) => {
      const ids = bytePair.encode(text);
      return [bytePair.pretokenize(text), bytePair.tokenize(text), ids.map((id) => [...bytePair.tokenBytes(id)]),
        bytePair.decode(ids), bytePair.decode(ids, true)];
    }"""
    for text, (pieces, tokens, token_bytes, decoded, shorter) in zip(
        strings, in_page(page, js, strings[:1000]), strict=False
    ):
        ids = ours().encode(text)
        assert pieces == ours().pretokenize(text) and tokens == ours().tokenize(text)
        assert [bytes(row) for row in token_bytes] == [ours().token_bytes(id) for id in ids]
        assert decoded == ours().decode(ids) == text.translate(str.maketrans("", "", LOST))
        assert shorter == ours().decode(ids, skip_special_tokens=True)


def probe(char):
    """预切分在乎的只是一个字符是字母、数字、空白还是别的：放在各种邻居之间，是哪一样就看得出来。"""
    return f"  {char}{char}a {char}1!{char} {char}"


@pytest.mark.thorough
def test_every_unicode_scalar_value(page):
    """逐个比较全部 Unicode 字符：两边的 Unicode 版本分类相同的，预切分都相同。"""
    assert len(SCALARS) == 1_112_064
    classes = [r"\p{L}", r"\p{N}", r"\p{White_Space}"]
    js = "(chars) => [%s].map((one) => [...chars].filter((char) => one.test(char)).join(''))"
    in_browser = page.evaluate(js % ",".join(f"/{one}/u" for one in classes), "".join(SCALARS))
    otherwise = set()
    for one, chars in zip(classes, in_browser, strict=True):
        otherwise |= set(chars) ^ set(regex.findall(one, "".join(SCALARS)))
    rest = [char for char in SCALARS if char not in otherwise]
    for start in range(0, len(rest), 4096):
        text = "\n".join(map(probe, rest[start : start + 4096]))
        assert in_page(page, "(text) => B.pretokenize(text)", [text]) == [pretokenize(text)], start
    print(f"\n两边分类不同的有 {len(otherwise)} 个：{ranges(otherwise)}")
    assert not known("".join(otherwise))  # 都是 Python 的 Unicode 版本里还没有的


def test_every_byte_of_every_character(page):
    """每 97 个字符取一个，连同开头的全部两字节字符：编号相同，解码相同。"""
    chars = known("".join(SCALARS[:0x800] + SCALARS[0x800::97]))
    strings = [chars[i : i + 256] for i in range(0, len(chars), 256)]
    ids = encode(page, strings)
    assert ids == [ours().encode(text) for text in strings]
    assert in_page(page, "(ids) => bytePair.decode(ids)", ids) == [ours().decode(row) for row in ids]


@settings(max_examples=400, deadline=None, derandomize=True)
@given(
    LETTERS,
    RULES,
    SOME,
)
def the_same_merges(page, parts, pairs, some):
    """随便什么次序的规则：后来的次序也可能在前面，不只是学得出来的那种。"""
    ranks = {pair: rank for rank, pair in enumerate(pairs[:some])}
    js = "([parts, pairs]) => B.merge(parts, new Map(pairs.map((pair, rank) => [pair.join(' '), rank])))"
    assert page.evaluate(js, [parts, pairs[:some]]) == merge(parts, ranks)


def test_merges_in_any_order(page):
    the_same_merges(page)


# ---- 刁难的文本

HOSTILE = {
    "一个长词": "a" * 10_000,
    "不重复的长词": "".join(random.Random(0).choices("abcdefghijklmnopqrstuvwxyz", k=10_000)),
    "长的汉字": "人工智能" * 2500,
    "表情": "👩‍👩‍👧‍👦" * 1000,
    "空白": " " * 10_000 + "x" + "\n\t" * 5000,
    "等号": "=" * 10_000,
    "数字": "1234567890" * 1000,
    "控制字符": "".join(map(chr, range(32))) * 300,
    "撇号": "'" * 10_000 + "'s" * 1000,
    "半截的特殊词元": "<|im_start" * 1000,
    "特殊词元": "<|im_start|>" * 1000,
    "一百万个字": "a" * 1_000_000,
    "二十万个汉字": "字" * 200_000,
    "散文": "The quick brown fox jumps over the lazy dog. " * 220,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_is_cut_as_by_tokenizers(page, name):
    """时间随长度增长，不随它的平方：course_lib 的写法随平方增长，百万个字等不到头，所以与 tokenizers 相比。"""
    assert encode(page, [HOSTILE[name]]) == [smollm().encode(HOSTILE[name]).ids]


@pytest.mark.parametrize("half", ["a\\ud800", "\\udc00", "\\udc00\\ud800"])
def test_lone_surrogate(page, half):
    message = "文字里有半个字符（落单的代理码位），请删去它再试。"
    assert page.evaluate(f'() => said(() => bytePair.encode("{half}"))') == message


# ---- 解码


def test_every_token_and_every_half_character(page):
    """每个词元单独解码；再把拼不成字符的字节两个三个地连起来：替换字符的个数也要一样。"""
    rng = random.Random(SEED)
    single = [
        id for id, token in enumerate(json.loads(data_files()["vocab.json"])["tokens"]) if len(token) <= 2
    ]
    rows = [[id] for id in range(len(ours().vocab))]
    rows += [rng.choices(single, k=rng.randint(2, 6)) for _ in range(COUNT)]
    decoded = in_page(page, "(ids) => bytePair.decode(ids)", rows)
    assert decoded == [ours().decode(row) for row in rows]
    assert sum("\ufffd" in text for text in decoded) > 1000
    assert page.evaluate("(ids) => bytePair.decode(ids)", ours().encode("\ufeffa")) == "\ufeffa"


@pytest.mark.parametrize("id", [49152, -1, 1.5])
def test_id_beyond_vocabulary(page, id):
    for call in ("tokenBytes(id)", "decode([5, id])"):
        said = page.evaluate(f"(id) => said(() => bytePair.{call})", id)
        assert said == f"编号 {id} 不在词表里：词表有 49152 个词元，编号从 0 到 49151。"


# ---- 对话模板


@settings(max_examples=200, deadline=None, derandomize=True)
@given(MESSAGES, st.booleans())
def the_same_chat(page, messages, prompt):
    text, kept = page.evaluate(
        "([messages, prompt]) => [bytePair.chat(messages, prompt), messages]", [messages, prompt]
    )
    assert text == ours().chat(messages, add_generation_prompt=prompt)
    assert kept == messages


def test_chat(page):
    the_same_chat(page)
    assert page.evaluate("() => bytePair.chat([{ role: 'user', content: 'hi' }])") == ours().chat(
        [{"role": "user", "content": "hi"}]
    )


def test_chat_needs_a_template(page):
    js = """(template) => said(() => {
      const plain = new B.BytePairTokenizer({ tokens: [], types: "", merges: [], template });
      return plain.chat([{ role: "user", content: "hi" }]);
    })"""
    assert "没有带 <|im_start|> 的对话模板" in page.evaluate(js, "{{ '[INST]' }}")
    written_by_the_reader = "{{ '<|im_start|>system\n' + messages[0]['content'] + '<|im_end|>' }}"
    assert (
        page.evaluate(js, written_by_the_reader) == "<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n"
    )


@pytest.mark.parametrize(
    "messages",
    [[], [{"role": "user"}], [{"content": "hi"}], [{"role": "user", "content": None}], ["hi"], [None]],
)
def test_chat_wants_messages(page, messages):
    said = page.evaluate("(messages) => said(() => bytePair.chat(messages))", messages)
    assert said == "messages 应当是带 role 与 content 的一列消息。"


# ---- 抽样


@cache
def real_logits() -> torch.Tensor:
    """真实的分数 (4, V)：有把握的、没有把握的、乱的、中文的。"""
    model = LanguageModel.from_pretrained()
    prompts = ["The capital of France is", "Once upon a time", "xq zw 7", "你好，"]
    with torch.no_grad():
        rows = [model(torch.tensor([ours().encode(text)])).logits[0, -1] for text in prompts]
    return torch.stack(rows)


def probabilities(page, logits, options):
    """网页里整理之后的概率；几万个数写成 base64 来去。"""
    js = """([base64, options]) => {
      const logits = new Float32Array(Uint8Array.fromBase64(base64).buffer), before = logits.slice();
      const kept = LiveSampling.narrow(logits, options);
      if (before.some((value, i) => value !== logits[i])) throw Error("分数变了");
      return new Uint8Array(kept.buffer).toBase64();
    }"""
    base64 = b64encode(logits.numpy().tobytes()).decode()
    return torch.frombuffer(bytearray(b64decode(page.evaluate(js, [base64, options]))), dtype=torch.float32)


def agree(page, logits, temperature=1.0, top_k=None, top_p=None, min_p=None):
    """留下的相同，概率相同；恰好在 top-p 或 min-p 的界上的，随舍入，至多差一个。"""
    options = {"temperature": temperature, "topK": top_k, "topP": top_p, "minP": min_p}
    got = probabilities(page, logits, {name: x for name, x in options.items() if x is not None})
    expected = narrow(logits, temperature, top_k, top_p, min_p).softmax(dim=-1)
    different = ((got > 0) != (expected > 0)).nonzero()[:, 0]
    if len(different) == 0:
        torch.testing.assert_close(got, expected, atol=1e-6, rtol=1e-4)
        return
    # 只许差在舍入上：把 top-p 或 min-p 挪动百万分之一，就与网页的一样
    moved = [
        narrow(logits, temperature, top_k, top_p and min(top_p + shift, 1), min_p and min(min_p + shift, 1))
        for shift in (1e-6, -1e-6)
    ]
    low, high = sorted(int(row.isfinite().sum()) for row in moved)
    assert low <= int((got > 0).sum()) <= high, (options, low, high)


GRID = [
    (temperature, top_k, top_p, min_p)
    for temperature in (0.2, 0.7, 1.0, 2.0)
    for top_k in (None, 1, 40)
    for top_p in (None, 0.1, 0.9, 0.999)
    for min_p in (None, 0.05, 1.0)
]


@pytest.mark.parametrize("which", range(4))
def test_narrow_real_logits(page, which):
    logits = real_logits()[which]
    for options in random.Random(which).sample(GRID, 36):
        agree(page, logits, *options)
    agree(page, logits)


SOME = st.one_of(
    st.lists(st.floats(-8, 8, width=32), min_size=1, max_size=12),
    st.lists(st.sampled_from([-2.0, -0.0, 0.0, 1.0, 1.0, 2.0]), min_size=1, max_size=30),
)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(
    SOME,
    st.tuples(
        st.floats(0.1, 3),
        st.none() | st.integers(1, 40),
        st.none() | st.floats(0.01, 1),
        st.none() | st.floats(0.01, 1),
    ),
)
def the_same_narrowing(page, values, options):
    agree(page, torch.tensor(values), *options)


def test_narrow_small_logits_and_ties(page):
    the_same_narrowing(page)
    for options in ({"top_k": 2}, {"top_p": 0.5}, {"top_p": 0.51}, {"top_k": 3, "min_p": 0.5}, {}):
        agree(page, torch.zeros(49152), **options)
        agree(page, torch.tensor([0.0, 1.0, -torch.inf, 1.0, -0.0]), **options)


def test_temperature_zero_is_greedy(page):
    """与 most_likely 相同：分数相同时取编号小的；别的旋钮不起作用。"""
    for logits in (*real_logits(), torch.tensor([1.0, 3.0, -5.0, 3.0])):
        for others in ({}, {"topK": 40, "topP": 0.9, "minP": 0.1}):
            got = probabilities(page, logits, {"temperature": 0, **others})
            assert got.argmax() == logits.argmax() and got.max() == 1 == got.sum()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"temperature": -1}, "温度是 -1，应当不小于 0；0 就是贪心。"),
        ({"topK": 0}, "top-k 是 0，应当至少是 1。"),
        ({"topP": 0}, "top-p 是 0，应当大于 0，不超过 1。"),
        ({"topP": 1.5}, "top-p 是 1.5，应当大于 0，不超过 1。"),
        ({"minP": 2}, "min-p 是 2，应当在 0 与 1 之间；0 就是不限。"),
    ],
)
def test_wrong_settings(page, options, message):
    js = "(options) => said(() => LiveSampling.narrow(new Float32Array(4), options))"
    assert page.evaluate(js, options) == message


def test_softmax_and_top(page):
    for logits in real_logits():
        got, top = page.evaluate(
            """(values) => {
              const p = LiveSampling.softmax(Float32Array.from(values));
              return [JSON.stringify([...p]), LiveSampling.top(p, 10)];
            }""",
            logits.tolist(),
        )
        expected = logits.softmax(dim=-1)
        torch.testing.assert_close(torch.tensor(json.loads(got)), expected, atol=1e-6, rtol=1e-4)
        values, ids = expected.sort(descending=True, stable=True)
        assert [entry["id"] for entry in top] == ids[:10].tolist()
        assert [entry["probability"] for entry in top] == pytest.approx(values[:10].tolist(), rel=1e-4)
    few = page.evaluate("() => LiveSampling.top(Float32Array.of(0, 0.25, 0.5, 0.25, 0), 4)")
    assert few == [{"id": id, "probability": p} for id, p in ((2, 0.5), (1, 0.25), (3, 0.25))]


def test_draw(page):
    """抽出的恰好是累加之后第一个超过签的；十万次的频率就是概率；概率是 0 的抽不到。"""
    js = "(signs) => signs.map((sign) => LiveSampling.draw(Float32Array.of(0, 0.25, 0, 0.5, 0.25, 0), () => sign))"
    assert page.evaluate(js, [0, 0.24, 0.25, 0.74, 0.75, 1 - 2**-53]) == [1, 1, 3, 3, 4, 4]
    counts = page.evaluate(
        """() => {
          const counts = [0, 0, 0, 0];
          for (let i = 0; i < 100000; i++) counts[LiveSampling.draw(Float32Array.of(0.1, 0.2, 0, 0.7))]++;
          return counts;
        }"""
    )
    assert [count / 100_000 for count in counts] == pytest.approx([0.1, 0.2, 0, 0.7], abs=0.01)
    assert counts[2] == 0
    for sign in (0, 0.5, 1 - 2**-53):  # 几万个很小的概率，舍入之后合计不是 1
        js = "(sign) => LiveSampling.draw(new Float32Array(49152).fill(1 / 49152), () => sign)"
        assert page.evaluate(js, sign) == pytest.approx(sign * 49151, abs=3)
