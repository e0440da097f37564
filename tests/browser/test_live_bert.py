"""网页里的 BERT（live/ 的脚本与 _ext/course_book/after_writing/live_bert.py 的数据）：在真的 Chromium 里，与 course_lib 和参考实现逐一相比。"""

import json
import random
import unicodedata
from base64 import b64encode
from itertools import pairwise

import pytest
import torch
from built_book import serve
from engine_site import BASE64, WITHOUT_WASM, change_worker, floats, make_site, tags, visit
from live_helpers import (
    BANKS,
    FIRST,
    SENTENCES,
    THEY,
    forward,
    head_vectors,
    lengths,
    quantized_bert,
)
from live_helpers import tokenizer as python_tokenizer
from page_memory import weigh, write_page
from torch.nn.functional import linear
from two_tokenizers import (
    COUNT,
    SCALARS,
    SEED,
    differing,
    ours,
    probe,
    random_text,
    ranges,
    reference,
    reference_words,
)

from course_book.after_writing import live_bert, live_data
from course_lib.tokenization import normalize_words
from course_lib.weights import builtin_path

pytestmark = pytest.mark.guards("live", "_ext")

NAMES = ["tokenizer.js", "bert.js", "weights.js", "simd.js", "engine.js"]
SCRIPTS = ["engine.js", *(f"bert/{name}" for name in NAMES)]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    return make_site(tmp_path_factory.mktemp("live"), "bert", live_bert.data_files().items(), SCRIPTS)


@pytest.fixture(scope="module")
def sites(site):
    with serve(site) as url:
        yield {"http": url, "file": f"{site.as_uri()}/"}


OPEN = "LiveBert.open({ root: '../live/' })"
RUN = f"""async ([text, pair, options]) => {{
  {BASE64}
  const result = await (await {OPEN}).run(text, pair, options);
  return {{ ...result, hidden: result.hidden.map(base64), attention: result.attention.map(base64) }};
}}"""


def run(page, text, pair=None, options=None):
    """在网页里算一句；hidden (层, N, D) 与 attention (层, h, N, N) 换成张量。"""
    result = page.evaluate(RUN, [text, pair, options or {}])
    n, d, h = len(result["ids"]), result["dModel"], result["numHeads"]
    for name, shape in (("hidden", (n, d)), ("attention", (h, n, n))):
        arrays = torch.stack([floats(array) for array in result[name]])
        result[name] = arrays.view(-1, *shape)
    return result


@pytest.fixture(scope="module")
def page(browser, sites):
    page = visit(browser, sites["http"])
    yield page
    page.context.close()


@pytest.fixture(scope="module")
def plain_page(browser, sites):
    """浏览器没有 WebAssembly，线性映射用 bert.js 里的循环。"""
    page = visit(browser, sites["file"])
    change_worker(page, WITHOUT_WASM)
    yield page
    page.context.close()


# ---- 分词 ----


@pytest.fixture(scope="module")
def tokenizer(page):
    vocab = (builtin_path() / "vocab.txt").read_text(encoding="utf-8")
    page.evaluate(
        "(vocab) => { globalThis.T = liveTokenizer(); globalThis.wordPiece = new T.WordPieceTokenizer(vocab); }",
        vocab,
    )
    return page


def in_page(tokenizer, function, items):
    """对 items 逐个运行 function；结果有几百万个字，写成一个 JSON 字符串送出来快得多。"""
    return json.loads(tokenizer.evaluate(f"(items) => JSON.stringify(items.map({function}))", items))


def words_in_page(tokenizer, texts):
    return in_page(tokenizer, "(text) => T.normalizeWords(text)", texts)


@pytest.fixture(scope="module")
def differing_in_page(tokenizer):
    """网页与 Python 处理得不一样的全部字符：先成批比较，只在不同的批里逐个查。"""
    found = set()
    for start in range(0, len(SCALARS), 2048):
        chars = SCALARS[start : start + 2048]
        text = "\n".join(map(probe, chars))
        if words_in_page(tokenizer, [text]) != [normalize_words(text)]:
            words = words_in_page(tokenizer, list(map(probe, chars)))
            found |= {c for c, w in zip(chars, words, strict=True) if w != normalize_words(probe(c))}
    return found


@pytest.mark.thorough
def test_every_unicode_scalar_value(differing_in_page, tokenizer):
    """逐个比较全部 Unicode 字符：不同的只有两边的 Unicode 版本分类不同的，多半是一边还没有的。"""
    found = sorted(differing_in_page)
    categories = tokenizer.evaluate(CATEGORY, found)
    new = [c for c in found if unicodedata.category(c) == "Cn"]
    either = sorted(differing().union(found))
    words = words_in_page(tokenizer, list(map(probe, either)))
    with_reference = sum(w != reference_words(probe(c)) for c, w in zip(either, words, strict=True))
    print(
        f"\n{len(SCALARS)} 个字符中，网页与 Python（Unicode {unicodedata.unidata_version}）有 {len(found)} 个不同，"
    )
    print(f"其中 {len(new)} 个 Python 还没有：{ranges(found)}")
    print(f"网页与参考实现有 {with_reference} 个不同，Python 与参考实现有 {len(differing())} 个")
    assert len(SCALARS) == 1_112_064
    same = [c for c, category in zip(found, categories, strict=True) if category == unicodedata.category(c)]
    assert not same, ranges(same)
    assert len(found) < 1112


# 一个字符在浏览器的 Unicode 版本里属于哪一类
CATEGORY = r"""(chars) => {
  const names = `Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No Pc Pd Ps Pe Pi Pf Po Sm Sc Sk So Zs Zl Zp Cc Cf Cs Co Cn`.split(" ");
  return chars.map((char) => names.find((name) => RegExp(`\\p{${name}}`, "u").test(char)));
}"""


@pytest.mark.parametrize("count", [1001, pytest.param(COUNT, marks=pytest.mark.thorough)])
def test_random_strings(tokenizer, differing_in_page, count):
    """与 Python 的分词器用同样的随机字符串，三边都相同；再把前一千个两两配成句对。"""
    rng = random.Random(SEED)
    texts = ["".join(c for c in random_text(rng) if c not in differing_in_page) for _ in range(count)]
    pairs = list(pairwise(texts[:1001]))
    encode = "(pair) => { const { ids, segments } = wordPiece.encode(...pair); return { ids, segments }; }"
    alone = in_page(tokenizer, encode, [[text] for text in texts])
    paired = in_page(tokenizer, encode, pairs)
    expected = reference()(texts)
    for i, text in enumerate(texts):
        assert alone[i]["ids"] == ours().encode(text) == expected["input_ids"][i], f"第 {i} 个：{text!r}"
    expected = reference()(texts[:1000], texts[1:1001])
    for i, (text, pair) in enumerate(pairs):
        assert paired[i]["ids"] == ours().encode(text, pair), f"第 {i} 对：{text!r} {pair!r}"
        if pair:  # 空的第二句：批量编码算作一段，单独编码当作没有
            assert paired[i]["ids"] == expected["input_ids"][i]
            assert paired[i]["segments"] == expected["token_type_ids"][i]


def test_words_and_unknown(page):
    """每个词元说得出自己在哪个词里；成了 [UNK] 的词与它的位置也说得出，自己写出的 [UNK] 不算。"""
    text = "Unaffable 爱 [UNK]"
    got = page.evaluate(f"async (text) => (await {OPEN}).encode(text, 'Hi 爱')", text)
    tokens = ["[CLS]", "una", "##ffa", "##ble", "[UNK]", "[UNK]", "[SEP]", "hi", "[UNK]", "[SEP]"]
    assert got["tokens"] == tokens
    assert got["words"] == [None, *["unaffable"] * 3, "爱", None, None, "hi", "爱", None]
    assert got["unknown"] == [{"word": "爱", "index": 4}, {"word": "爱", "index": 8}]
    assert got["segments"] == [0] * 7 + [1] * 3


# ---- 计算 ----


@pytest.fixture(scope="module")
def results(page):
    """每一句在网页里算出的结果，线性映射用 SIMD。"""
    return [run(page, *sentence) for sentence in SENTENCES]


@pytest.fixture(scope="module")
def plain_results(plain_page):
    """同样的句子，用普通的循环；它慢，只取三分之一。"""
    return [run(plain_page, *sentence) for sentence in SENTENCES[::3]]


def test_matches_torch_on_the_same_weights(results, plain_results):
    """同样的、量化过又换回浮点数的权重装进 course_lib：只差舍入，所以余下的误差全来自量化。

    线性映射的两种循环都是这样，彼此也只差舍入。
    """
    lengths = [len(result["ids"]) for result in results]
    assert (min(lengths), max(lengths)) == (3, live_bert.MAX_TOKENS) and {n % 2 for n in lengths[::3]} == {
        0,
        1,
    }
    assert [result["ids"] for result in results] == [python_tokenizer().encode(*each) for each in SENTENCES]
    expected = [forward(quantized_bert(), *each) for each in SENTENCES]
    simd, plain = ([(r["hidden"], r["attention"]) for r in each] for each in (results, plain_results))
    for name, one, other in (
        ("SIMD 与 PyTorch", simd, expected),
        ("普通的循环与 PyTorch", plain, expected[::3]),
        ("两种循环", simd[::3], plain),
    ):
        worst = [
            max((a[i] - b[i]).abs().max().item() for a, b in zip(one, other, strict=True)) for i in range(2)
        ]
        print(f"\n{name}：隐藏状态最多差 {worst[0]:.1e}，注意力最多差 {worst[1]:.1e}")
        assert 0 < max(worst) < 1e-5, name


CHANGES = [
    {"off": [[5, 5]]},
    {"off": [[0, 2], [3, 1], [3, 4]]},
    {"off": [[2, head] for head in range(12)]},
    {"off": [[layer, head] for layer in range(6) for head in range(12)]},
    {"masked": [0]},
    {"masked": [1, 3]},
    {"off": [[4, 0]], "masked": [2]},
    {"masked": [0, 1, 2, 3, 4]},
]


@pytest.mark.parametrize("options", CHANGES, ids=str)
def test_switched_off_heads_and_masked_tokens_match_torch(page, options):
    """关掉头是清零 out_proj 的一块，遮住是掩码：同样的权重，与 course_lib 只差舍入；末一项在五个词元的句子里全都遮住。"""
    worst = [0, 0]
    for sentence in [(THEY, None), ("The sky is", None), ("What is it?", "A bank, on the left.")]:
        result = run(page, *sentence, options)
        expected = forward(quantized_bert(), *sentence, **options)
        assert not torch.equal(result["hidden"][-1], run(page, *sentence)["hidden"][-1])
        for i, name in enumerate(("hidden", "attention")):
            worst[i] = max(worst[i], (result[name] - expected[i]).abs().max().item())
        hidden = options.get("masked", [])
        assert (result["attention"][..., hidden] == 0).all()
    print(f"\n隐藏状态最多差 {worst[0]:.1e}，注意力最多差 {worst[1]:.1e}")
    assert 0 < max(worst) < 1e-5


HEAD = f"""async ([text, layer, head]) => {{
  const result = await (await {OPEN}).run(text), n = result.tokens.length;
  const {{ query, key, value }} = await (await {OPEN}).head(result, layer, head);
  const seen = Array.from({{ length: n }}, (_, i) => i);
  const {{ weights, output }} = liveBert(null).scaledDotProductAttention(query, key, value, 1, n, seen);
  const shown = result.attention[layer].slice(head * n * n, (head + 1) * n * n);
  return [query, key, value, weights, shown, output].map(({{ buffer }}) => new Uint8Array(buffer).toBase64());
}}"""


@pytest.mark.parametrize("text", [THEY, "Hi", BANKS])
@pytest.mark.parametrize(("layer", "head"), [(0, 0), (0, 4), (3, 11), (5, 5)])
def test_one_head_hands_back_what_the_model_used(page, text, layer, head):
    """q、k、v 与 course_lib 的只差舍入；由它们算出的权重，与那次前向交出的一个比特也不差。"""
    query, key, value, weights, shown, output = map(floats, page.evaluate(HEAD, [text, layer, head]))
    assert torch.equal(weights, shown)
    expected = head_vectors(quantized_bert(), text, layer, head)
    worst = max(
        (one - other.flatten()).abs().max().item()
        for one, other in zip((query, key, value), expected, strict=True)
    )
    print(f"\nq、k、v 最多差 {worst:.1e}")
    assert 0 < worst < 2e-5
    n = len(expected[0])
    torch.testing.assert_close(output.view(n, -1), shown.view(n, n) @ expected[2], atol=1e-5, rtol=1e-5)


LENGTHS = f"""async (text) => (await (await {OPEN}).run(text)).lengths.map((each) => [...each])"""


@pytest.mark.parametrize("text", [THEY, "Hi", BANKS])
def test_the_lengths_of_every_step_match_torch(page, text):
    """嵌入与每层四步之后，每个词元的向量有多长；[CLS] 的有近 200，所以比的是相对误差。"""
    found, expected = torch.tensor(page.evaluate(LENGTHS, text)), lengths(quantized_bert(), text)
    assert found.shape == expected.shape == (25, len(expected[0]))
    torch.testing.assert_close(found, expected, atol=1e-5, rtol=1e-5)


SWAP = f"""async ([text, start, end, word, other]) => {{
  const engine = await {OPEN}, before = await engine.run(text);
  const [after, typed] = [await engine.swap(before, start, end, word), await engine.run(other)];
  const same = (one, other) => one.every((value, i) => value === other[i]);
  const numbers = ["hidden", "attention"].every((name) => after[name].every((each, layer) => same(each, typed[name][layer])));
  return [after.tokens, after.words, numbers && same(after.ids, typed.ids) && same(after.words, typed.words)];
}}"""


@pytest.mark.parametrize(
    ("place", "word", "replaced"),
    [
        ((8, 9), "several", THEY.replace("they", "several")),
        ((8, 9), "Hyperparameters", THEY.replace("they", "hyperparameters")),
        ((1, 2), "A pair of 爱 [MASK]", THEY.replace("John", "A pair of 爱 [MASK]")),
        ((10, 12), "é", THEY.replace("inspired.", "é")),
    ],
    ids=str,
)
def test_swapping_a_word_is_typing_it(page, place, word, replaced):
    """换一个词，与把那句话重写一遍，一个比特也不差；词切成几截都一样。"""
    tokens, words, same = page.evaluate(SWAP, [THEY, *place, word, replaced])
    assert same and len(words) == len(tokens)
    assert tokens[1:-1] == ours().tokenize(replaced)


def test_a_swap_too_long_is_refused(page):
    swap = f"""async (word) => {{ const engine = await {OPEN}, result = await engine.run("a b c");
      return engine.swap(result, 1, 2, word).catch((error) => error.message); }}"""
    assert page.evaluate(swap, "so " * 61) == "换过之后有 65 个词元，一次最多 64 个，请换一个短一些的词。"
    assert page.evaluate(swap, " ") == "请先输入一句话。"


# 两种循环各算前 n 个词元；WebAssembly 的那一种要先把权重放进它的内存
BOTH_LINEARS = """async ([counts, ...arrays]) => {
  const [x, weight, bias] = arrays.map((base64) => new Float32Array(LiveEngine.decode(base64)));
  const outputs = bias.length, inputs = weight.length / outputs;
  const wasm = LiveEngine.decode(await LiveEngine.read("../live/", "bert/linear.wasm"));
  const config = { dModel: inputs, dFf: Math.max(inputs, outputs), numLayers: 1, maxTokens: Math.max(...counts) };
  const simd = liveSimd(wasm, config), placed = { weight: simd.allocate(weight.length), bias: simd.allocate(outputs) };
  placed.weight.set(weight);
  placed.bias.set(bias);
  const { linear } = liveBert(simd), { linear: plain } = liveBert(null);
  return counts.map((n) => x.subarray(0, n * inputs)).map((x) => [
    linear(x, placed),
    plain(x, { weight, bias }),
  ].map(({ buffer }) => new Uint8Array(buffer).toBase64()));
}"""


@pytest.mark.parametrize(("inputs", "outputs"), [(4, 4), (8, 12), (384, 64), (64, 384)])
def test_both_linears(page, inputs, outputs):
    """词元有奇数个、偶数个，少到两个、多到上限，两种循环都与 PyTorch 的相同。"""
    counts = [2, 3, 4, 5, 16, 41, live_bert.MAX_TOKENS]
    generator = torch.Generator().manual_seed(inputs)
    x, weight, bias = (
        torch.randn(shape, generator=generator)
        for shape in ((counts[-1], inputs), (outputs, inputs), (outputs,))
    )
    given = [b64encode(live_bert.to_bytes(tensor)).decode() for tensor in (x, weight, bias)]
    expected = linear(x.double(), weight.double(), bias.double()).float()
    for n, both in zip(counts, page.evaluate(BOTH_LINEARS, [counts, *given]), strict=True):
        for y in map(floats, both):
            torch.testing.assert_close(y.view(n, outputs), expected[:n], atol=2e-5, rtol=1e-5)


@pytest.mark.parametrize(
    "change",
    [
        WITHOUT_WASM,
        "WebAssembly.Module = function () { throw new WebAssembly.CompileError('SIMD unsupported'); }",
        "WebAssembly.Memory = function () { throw new RangeError('could not allocate memory'); }",
    ],
    ids=["no WebAssembly", "no SIMD", "no memory"],
)
def test_the_plain_loop_runs_where_the_fast_one_cannot(browser, sites, plain_results, change):
    page = visit(browser, sites["http"])
    change_worker(page, change)
    result = run(page, FIRST)
    assert torch.equal(result["hidden"], plain_results[0]["hidden"])
    assert torch.equal(result["attention"], plain_results[0]["attention"])
    page.context.close()


# ---- 取数据与内存 ----


def test_a_sentence_does_not_wait_for_words_it_does_not_use(browser, sites):
    """最末一片还没有到，用不着它的句子已经算得出；用得着的等它。"""
    page = visit(browser, sites["http"])
    held = []
    page.route("**/tokens7.bin.js", lambda route: held.append(route))
    page.evaluate(f"async () => {{ await (await {OPEN}).run('time flies'); }}")
    assert python_tokenizer().vocab["zenith"] >= live_bert.SHARD_ROWS * 7
    page.evaluate(
        f"async () => {{ globalThis.zenith = (await {OPEN}).run('zenith').then(() => globalThis.done = true); }}"
    )
    page.evaluate(f"async () => {{ await (await {OPEN}).run('time flies again'); }}")
    assert page.evaluate("globalThis.done") is None
    while not held:
        page.wait_for_timeout(20)
    held[0].continue_()
    assert page.evaluate("() => zenith")
    page.context.close()


@pytest.mark.thorough
@pytest.mark.parametrize("scheme", ["http", "file"])
def test_memory(site, sites, scheme):
    """从空页面到算出第一句、取完全部数据，多用不到 200 MB。"""
    work = (
        f"const engine = await {OPEN}; await engine.run('time flies like an arrow'); await engine.complete;"
    )
    write_page(site / "chapters/memory.html", tags(SCRIPTS), work)
    most, held = weigh(f"{sites[scheme]}chapters/memory.html")
    print(f"\n{scheme}：途中最多多用 {most:.0f} MB，最后 {held:.0f} MB")
    assert most < 200
    assert held < 200


# ---- 出了错 ----


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "请先输入一句话。"),
        (" \u200b\n", "请先输入一句话。"),
        ("so " * 63, "这里有 65 个词元，一次最多 64 个，请写短一些。"),
        ("a\ud800", "文字里有半个字符（落单的代理码位），请删去它再试。"),
    ],
)
def test_bad_text_is_refused_in_one_sentence(page, text, message):
    codes = [ord(char) for char in text]
    said = page.evaluate(
        f"async (codes) => (await {OPEN}).run(String.fromCharCode(...codes)).catch((error) => error.message)",
        codes,
    )
    assert said == message


SAID = f"""async (text) => {{
  try {{
    await (await {OPEN}).run(text);
    return "算出来了";
  }} catch (error) {{
    return error.message;
  }}
}}"""


def test_a_lost_worker_is_replaced(browser, sites):
    page = visit(browser, sites["http"])
    said = page.evaluate(
        f"""async () => {{
          const engine = await {OPEN}, running = engine.run("time").catch((error) => error.message);
          engine.worker.dispatchEvent(new ErrorEvent("error"));
          return [await running, engine === (await {OPEN})];
        }}"""
    )
    assert said == ["后台线程停了，可能是内存不够，请再试一次。", False]
    assert page.evaluate(SAID, "time") == "算出来了"
    page.context.close()


def test_browser_without_from_base64(browser, sites, results):
    """浏览器还没有 Uint8Array.fromBase64 时用 atob，结果一模一样。"""
    page = visit(browser, sites["file"])
    change_worker(page, "delete Uint8Array.fromBase64")
    assert torch.equal(run(page, FIRST)["hidden"], results[0]["hidden"])
    page.context.close()


def test_no_worker(browser, sites):
    page = visit(browser, sites["http"])
    said = page.evaluate(f"text => {{ globalThis.Worker = null; return ({SAID})(text); }}", "time")
    assert said == "这个浏览器开不了后台线程，请换一个新一些的浏览器。"
    page.context.close()


# ---- 成书时写下的数据 ----


def test_book_holds_the_data_once(book):
    """成书里的数据就是现在的；繁体的书没有第二份，除了要读的字；_static 里没有。"""
    files = live_bert.data_files()
    data = book / "live/data/bert"
    assert {path.name for path in data.iterdir()} == {f"{name}.js" for name in files}
    for name, content in files.items():
        assert (data / f"{name}.js").read_bytes() == live_data.as_script(f"bert/{name}", content)
    names = {path.relative_to(live_data.SCRIPTS) for path in live_data.SCRIPTS.rglob("*.[cj]s*")}
    in_book = {path.relative_to(book / "live") for path in (book / "live").rglob("*.[cj]s*")}
    assert {path for path in in_book if path.parts[0] != "data"} == names
    traditional = book / "zh-TW/live"
    in_traditional = {path.relative_to(traditional) for path in traditional.rglob("*") if path.is_file()}
    assert {path for path in in_traditional if path.parts[0] != "data"} == names
    # 练习的话、训练场里读的书，两本书各有一份
    assert {path.name for path in (traditional / "data").iterdir()} == {"book", "exercises"}
    assert not list(book.glob("**/_static/**/tokens0.bin*"))
