"""网页里的 BERT（live/ 的脚本与 _ext/live_data.py 的数据）：在真的 Chromium 里，与 course_lib 和参考实现逐一相比。"""

import json
import os
import random
import shutil
import unicodedata
from base64 import b64decode, b64encode
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from statistics import median

import live_data
import pytest
import torch
from built_book import serve
from test_tokenization import (
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
from torch.nn.functional import cosine_similarity, linear

from course_lib.bert import Bert
from course_lib.tokenization import normalize_words
from course_lib.weights import builtin_path

PAGE = "chapters/page.html"
NAMES = ["tokenizer.js", "bert.js", "simd.js", "engine.js"]
SCRIPTS = "".join(f'<script src="../live/{name}"></script>' for name in NAMES)
FIRST = "Time flies like an arrow; fruit flies like a banana."

SENTENCES = [
    (FIRST, None),
    ("Yes.", None),
    ("Hi", None),
    ("He sat on the bank of the river and watched the boats go by.", None),
    ("She deposited the money at the bank before noon.", None),
    ("The pilot had to bank the plane sharply to the left.", None),
    ("After stealing money from the bank vault, the bank robber was seen fishing on the river bank.", None),
    ("John and Paul wrote several songs when they were inspired.", None),
    ("The animal didn't cross the street because it was too tired.", None),
    ("The animal didn't cross the street because it was too wide.", None),
    ("The trophy doesn't fit in the suitcase because it is too big.", None),
    ("The trophy doesn't fit in the suitcase because it is too small.", None),
    ("I saw the man with the telescope on the hill.", None),
    ("Buffalo buffalo Buffalo buffalo buffalo buffalo Buffalo buffalo.", None),
    ("The quick brown fox jumps over the lazy dog.", None),
    ("Attention is all you need, said the paper.", None),
    ("What is the capital of France?", "The capital of France is Paris."),
    ("Is it raining?", "No, but the streets are still wet from this morning."),
    ("A man is playing a guitar.", "Someone makes music."),
    ("The keys to the old cabinet on the second floor are missing.", None),
    ("Colorless green ideas sleep furiously.", None),
    ("Unbelievably, tokenization splits rare words such as hyperparameterization.", None),
    ("Water boils at 100 degrees Celsius, or 212 degrees Fahrenheit.", None),
    ("In 1969, two astronauts walked on the moon for the first time.", None),
    ("The price rose by $3.50 (about 7%) in a single day!", None),
    ("E = mc^2 is the most famous equation in physics.", None),
    ("She said: “I don't know; ask him.”", None),
    ("Café owners in São Paulo love naïve résumés.", None),
    ("to be or not to be that is the question", None),
    ("WHY ARE YOU SHOUTING AT ME?", None),
    ("The doctor asked the nurse to help her with the patient.", None),
    ("My mother's cooking is better than any restaurant in town.", None),
    ("If it rains tomorrow, we will stay at home and play chess.", None),
    ("The horse raced past the barn fell.", None),
    ("Nobody knew whether the old bridge would hold.", None),
    ("The movie was not bad, but the book was far better.", None),
    ("I have never seen such a boring film in my whole life.", None),
    ("Bats are the only mammals that can truly fly.", None),
    ("He swung the bat and missed the ball.", None),
    ("Apple announced a new phone while I was eating an apple.", None),
    ("The spring in the old mattress broke last spring.", None),
    ("Please turn left at the light, then right at the church.", None),
    ("Light travels faster than sound through air.", None),
    ("The committee has decided to postpone its decision until next week.", None),
    ("Only three of the twelve students had read the whole novel.", None),
    ("Machine translation used recurrent networks before transformers appeared.", None),
    ("The cat that the dog that the boy owned chased ran away.", None),
    ("我爱 natural language processing，你呢？", None),
    ("The [MASK] sat on the mat.", None),
    ("supercalifragilisticexpialidocious antidisestablishmentarianism", None),
    ("a b c d e f g h i j k l m n o p q r s t u v w x y z", None),
    ("It was a long letter, four pages, and she read it twice before she understood what he wanted.", "Why?"),
    ("so it goes on " * 15 + "and on", None),
    (
        "The old man who lived alone at the end of the road had once been a sailor, and on quiet evenings "
        "he told the children of the village about storms, islands, whales, and the friends he had lost at sea, "
        "until their mothers called them home to bed.",
        None,
    ),
]


def make_site(root: Path) -> Path:
    live_data.write_scripts(root / "live")
    live_data.write_data(root / "live/data")
    (root / "chapters").mkdir()
    (root / PAGE).write_text(
        f"<!doctype html><meta charset=utf-8><title>页</title>{SCRIPTS}", encoding="utf-8"
    )
    return root


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """只有一页的小网站，数据是真的。"""
    return make_site(tmp_path_factory.mktemp("live"))


@pytest.fixture(scope="module")
def sites(site):
    with serve(site) as url:
        yield {"http": url, "file": f"{site.as_uri()}/"}


OPEN = "LiveBert.open({ root: '../live/' })"
# 大数组一个数一个数地送出来太慢，写成 base64
RUN = f"""async ([text, pair]) => {{
  const result = await (await {OPEN}).run(text, pair);
  const base64 = ({{ buffer }}) => new Uint8Array(buffer).toBase64();
  return {{ ...result, hidden: result.hidden.map(base64), attention: result.attention.map(base64) }};
}}"""


def floats(base64):
    return torch.frombuffer(bytearray(b64decode(base64)), dtype=torch.float32)


def run(page, text, pair=None):
    """在网页里算一句；hidden (层, N, D) 与 attention (层, h, N, N) 换成张量。"""
    result = page.evaluate(RUN, [text, pair])
    n, d, h = len(result["ids"]), result["dModel"], result["numHeads"]
    for name, shape in (("hidden", (n, d)), ("attention", (h, n, n))):
        arrays = torch.stack([floats(array) for array in result[name]])
        result[name] = arrays.view(-1, *shape)
    return result


def visit(browser, root):
    """打开那一页；`page.asked` 是它要到的每一个文件。"""
    page = browser.new_context().new_page()
    page.asked = []
    page.on("requestfinished", lambda request: page.asked.append(request))
    page.goto(root + PAGE)
    return page


def change_worker(page, change):
    """后台线程开头先运行 change：那里最先调用的是 liveTokenizer。"""
    page.evaluate(
        """(change) => {
          const source = liveTokenizer.toString();
          globalThis.liveTokenizer = Function(`${change}; return (${source})();`);
        }""",
        change,
    )


WITHOUT_WASM = "delete globalThis.WebAssembly"


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


def test_ten_thousand_random_strings(tokenizer, differing_in_page):
    """与 Python 的分词器用同样的一万个随机字符串，三边都相同；再把前一千个两两配成句对。"""
    rng = random.Random(SEED)
    texts = ["".join(c for c in random_text(rng) if c not in differing_in_page) for _ in range(COUNT)]
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


CASES = (
    *(
        "a[SEP]b",
        "[sep]",
        "[[MASK]]",
        "[SE\u200bP]",
        "e[SEP]\u0301e",
        "a\0b\ufffd\u200bc\ue000",
        "\t \n\u3000",
        "ΑΣ",
    ),
    *(
        "a\U0002b91fb",
        "a\U0002b920b",
        "我爱NLP",
        "a" * 100,
        "é" * 101,
        "İ ẞ ǅ ﬁ",
        "it's $5.00!",
        "\u2028a\x85b",
    ),
)


@pytest.mark.parametrize("text", CASES, ids=ascii)
def test_tokenizer_special_cases(tokenizer, text):
    assert tokenizer.evaluate("(text) => wordPiece.encode(text).tokens", text)[1:-1] == ours().tokenize(text)


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


@torch.no_grad()
def run_in_torch(model, result):
    ids, segments = torch.tensor([result["ids"]]), torch.tensor([result["segments"]])
    output = model(ids, token_type_ids=segments, output_hidden_states=True, need_weights=True)
    return torch.cat(output.hidden_states), torch.cat(output.attentions)


def test_sentences_are_many_and_varied(results):
    lengths = sorted(len(result["ids"]) for result in results)
    assert len(set(SENTENCES)) == len(results) >= 50
    assert lengths[0] == 3 and lengths[-1] == live_data.MAX_TOKENS
    assert sum(1 in result["segments"] for result in results) >= 4
    for (text, pair), result in zip(SENTENCES, results, strict=True):
        assert result["ids"] == ours().encode(text, pair)


def quantized_bert():
    """权重量化过又换回浮点数的 `Bert`，即网页里的那一个。"""
    model = Bert.from_pretrained(builtin_path())
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if weight.dim() == 2 and not name.startswith(("embeddings.positions", "embeddings.segments")):
                weight.copy_(live_data.dequantize(*live_data.quantize(weight)))
    return model


def test_matches_torch_on_the_same_weights(results, plain_results):
    """同样的、量化过又换回浮点数的权重装进 course_lib：只差舍入，所以余下的误差全来自量化。

    线性映射的两种循环都是这样，彼此也只差舍入。
    """
    model = quantized_bert()
    expected = [run_in_torch(model, result) for result in results]
    simd, plain = ([(r["hidden"], r["attention"]) for r in each] for each in (results, plain_results))
    assert {len(hidden[0]) % 2 for hidden, _ in plain} == {0, 1}
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


# 两种循环各算前 n 个词元；WebAssembly 的那一种要先把权重放进它的内存
BOTH_LINEARS = """async ([counts, ...arrays]) => {
  const [x, weight, bias] = arrays.map((base64) => new Float32Array(Uint8Array.fromBase64(base64).buffer));
  const outputs = bias.length, inputs = weight.length / outputs;
  const wasm = await (await fetch("../live/data/linear.wasm")).arrayBuffer();
  const config = { dModel: inputs, dFf: Math.max(inputs, outputs), numLayers: 1, maxTokens: Math.max(...counts) };
  const simd = liveSimd(wasm, config), placed = { weight: simd.allocate(weight.length), bias: simd.allocate(outputs) };
  placed.weight.set(weight);
  placed.bias.set(bias);
  return counts.map((n) => x.subarray(0, n * inputs)).map((x) => [
    liveBert(simd).linear(x, placed),
    liveBert(null).linear(x, { weight, bias }),
  ].map(({ buffer }) => new Uint8Array(buffer).toBase64()));
}"""


@pytest.mark.parametrize(("inputs", "outputs"), [(4, 4), (8, 12), (384, 64), (64, 384)])
def test_both_linears(page, inputs, outputs):
    """词元有奇数个、偶数个，少到两个、多到上限，两种循环都与 PyTorch 的相同。"""
    counts = [2, 3, 4, 5, 16, 41, live_data.MAX_TOKENS]
    generator = torch.Generator().manual_seed(inputs)
    x, weight, bias = (
        torch.randn(shape, generator=generator)
        for shape in ((counts[-1], inputs), (outputs, inputs), (outputs,))
    )
    given = [b64encode(live_data.to_bytes(tensor)).decode() for tensor in (x, weight, bias)]
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


def test_quantization_error_is_small(results):
    """与没有量化的模型相比：注意力最多差 0.05，每个查询最看重的词元 99% 以上不变，隐藏状态的方向几乎不变。"""
    model = Bert.from_pretrained(builtin_path())
    attention, kept, cosine, distance = [], [], [], []
    for result in results:
        hidden, weights = result["hidden"], result["attention"]
        true_hidden, true_weights = run_in_torch(model, result)
        attention.append((weights - true_weights).abs().flatten())
        kept.append((weights.argmax(-1) == true_weights.argmax(-1)).flatten())
        cosine.append(cosine_similarity(hidden, true_hidden, dim=-1).flatten())
        distance.append((hidden - true_hidden).abs().flatten())
        torch.testing.assert_close(weights.sum(-1), torch.ones(weights.shape[:-1]), atol=1e-5, rtol=0)
    attention, kept, cosine, distance = map(torch.cat, (attention, kept, cosine, distance))
    print(
        f"\n{len(results)} 句：注意力最多差 {attention.max():.4f}，平均差 {attention.mean():.1e}，最看重的词元不变的有 "
        f"{kept.float().mean():.2%}；隐藏状态的余弦最小 {cosine.min():.5f}，平均 {cosine.mean():.5f}，最多差 {distance.max():.3f}"
    )
    assert attention.max() <= 0.05
    assert kept.float().mean() >= 0.99
    assert cosine.min() > 0.999 and distance.max() < 0.15
    # 真的量化过：与没有量化的不会一模一样
    assert attention.max() > 1e-4


def test_sizes_as_promised(results):
    config = Bert.from_pretrained(builtin_path()).config
    for result in results:
        sizes = [result[name] for name in ("numLayers", "numHeads", "dModel")]
        assert sizes == [config.num_layers, config.num_heads, config.d_model]
        assert (
            len(result["hidden"]) == config.num_layers + 1 and len(result["attention"]) == config.num_layers
        )
        assert len(result["tokens"]) == len(result["ids"]) == len(result["words"])


# ---- 取数据、快慢与内存 ----


@pytest.mark.parametrize(("scheme", "limit"), [("http", 13e6), ("file", 17e6)])
def test_nothing_is_fetched_before_it_is_asked_for(browser, sites, results, scheme, limit):
    """打开之前只有几个小脚本；到第一个结果为止不超过 limit 字节；两种来路的结果一模一样。"""
    page = visit(browser, sites[scheme])

    def asked():
        page.wait_for_timeout(300)  # 等浏览器报完
        return {request.url.rpartition("/")[2]: request.sizes()["responseBodySize"] for request in page.asked}

    scripts = asked()
    assert scripts.keys() == {"page.html", *NAMES}
    assert sum(scripts.values()) < 40_000
    progress = page.evaluate(
        "async () => { const seen = []; await LiveBert.open({ root: '../live/', "
        "onProgress: (loaded, total) => seen.push([loaded, total]) }); return seen; }"
    )
    result = run(page, FIRST)
    total = sum(asked().values())
    print(f"\n{scheme}：到第一个结果共 {total / 1e6:.2f} MB，{len(page.asked)} 个文件")
    assert 11e6 < total <= limit
    assert all(a <= b for (a, _), (b, _) in pairwise(progress))
    assert progress[-1][0] == progress[-1][1] and len({total for _, total in progress}) == 1
    assert torch.equal(result["hidden"], results[0]["hidden"])
    assert torch.equal(result["attention"], results[0]["attention"])
    before = len(asked())
    run(page, FIRST)
    assert len(asked()) == before
    page.context.close()


def test_open_twice_is_one_engine(page):
    assert page.evaluate(f"async () => (await {OPEN}) === (await {OPEN})")
    assert page.evaluate("LiveBert.maxTokens") == live_data.MAX_TOKENS


def processes(browser):
    return browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")["processInfo"]


def worker_threads(browser) -> list[Path]:
    """各个后台线程在 /proc 里的文件夹。"""
    found = []
    for process in processes(browser):
        for task in Path(f"/proc/{process['id']}/task").iterdir():
            with suppress(FileNotFoundError):  # 别的线程可能刚好结束
                if (task / "comm").read_text().startswith("DedicatedWorker"):
                    found.append(task)
    assert found
    return found


def busy_milliseconds(threads) -> float:
    """占用处理器的时间：别的进程抢核时，钟走得快，它不变。"""
    return sum(int((thread / "schedstat").read_text().split()[0]) for thread in threads) / 1e6


@pytest.mark.parametrize(("n", "limit"), [(16, 100), (40, 250)])
def test_speed(browser, page, plain_page, n, limit):
    """十六个词元，一次的中位数不超过 0.1 秒，不到普通循环的一半；以后台线程占用处理器的时间计。"""
    text = " ".join((["time", "flies", "like", "an", "arrow"] * 8)[: n - 2])
    once = f"async (text) => (await (await {OPEN}).run(text)).milliseconds"

    def measure(page):
        before = busy_milliseconds(threads)
        milliseconds = page.evaluate(once, text)
        return busy_milliseconds(threads) - before, milliseconds

    for each in (page, plain_page) * 3:  # 先让浏览器把代码编译好
        each.evaluate(once, text)
    threads = worker_threads(browser)
    fast, slow = zip(*[(measure(page), measure(plain_page)) for _ in range(9)], strict=True)
    (busy, clock), (plain_busy, plain_clock) = (
        [median(times) for times in zip(*kind, strict=True)] for kind in (fast, slow)
    )
    print(
        f"\n{n} 个词元：占用处理器的中位数 {busy:.0f} 毫秒，普通的循环 {plain_busy:.0f} 毫秒；"
        f"钟面上 {clock:.0f} 与 {plain_clock:.0f} 毫秒"
    )
    assert busy <= limit
    assert busy < plain_busy / 2


def test_typing_is_not_blocked(plain_page):
    """后台在算的时候，没有 SIMD、算得久也一样，页面照样每隔几毫秒就轮到一次。"""
    gap, took = plain_page.evaluate(
        f"""async () => {{
          const engine = await {OPEN};
          let last = performance.now(), gap = 0, took = 0;
          const timer = setInterval(() => {{
            gap = Math.max(gap, performance.now() - last);
            last = performance.now();
          }});
          for (let i = 0; i < 3; i++) took = Math.max(took, (await engine.run("so ".repeat(62))).milliseconds);
          clearInterval(timer);
          return [gap, took];
        }}"""
    )
    print(f"\n64 个词元算了 {took:.0f} 毫秒，页面最久等了 {gap:.0f} 毫秒")
    assert gap < took / 2


def resident(browser) -> float:
    """浏览器全部进程的匿名内存（RssAnon），兆字节：垃圾还没有回收的也算。"""
    statuses = [Path(f"/proc/{process['id']}/status").read_text() for process in processes(browser)]
    lines = [line for status in statuses for line in status.splitlines() if line.startswith("RssAnon")]
    return sum(int(line.split()[1]) for line in lines) / 1e3


@pytest.mark.parametrize("scheme", ["http", "file"])
def test_memory(browser, sites, scheme):
    """从空页面到算出第一句，多用不到 150 MB。"""
    page = visit(browser, sites[scheme])
    page.wait_for_timeout(500)
    before = resident(browser)
    page.evaluate(f"async () => {{ await (await {OPEN}).run('time flies like an arrow'); }}")
    more = resident(browser) - before
    print(f"\n{scheme}：多用 {more:.0f} MB")
    assert more < 150
    page.context.close()


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
@pytest.mark.parametrize("call", ["encode", "run"])
def test_bad_text_is_refused_in_one_sentence(page, call, text, message):
    codes = [ord(char) for char in text]
    said = page.evaluate(
        f"async (codes) => (await {OPEN}).{call}(String.fromCharCode(...codes)).catch((error) => error.message)",
        codes,
    )
    assert said == message


def link_or_copy(source, target):
    try:
        os.link(source, target)
    except OSError:
        shutil.copy(source, target)


@pytest.fixture
def broken_site(site, tmp_path):
    """可以弄坏的一份：弄坏的文件另写一个，不动原来的。"""
    shutil.copytree(site, tmp_path / "site", copy_function=link_or_copy)
    with serve(tmp_path / "site") as url:
        yield tmp_path / "site", {"http": url, "file": f"{(tmp_path / 'site').as_uri()}/"}


SAID = f"""async (text) => {{
  try {{
    await (await {OPEN}).run(text);
    return "算出来了";
  }} catch (error) {{
    return error.message;
  }}
}}"""
# time 在第 16 片里：2051 // 128
FILES = ["config.json", "linear.wasm", "vocab.txt", "embeddings.bin", "layer3.bin", "tokens16.bin"]


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("scheme", ["http", "file"])
def test_missing_or_truncated_file(browser, broken_site, scheme, name):
    """一个文件不见了、断了，说得出是哪一个；补上之后再试就成，不必刷新。"""
    folder, urls = broken_site
    file = name if scheme == "http" else f"{name}.js"
    path = folder / "live/data" / file
    whole = path.read_bytes()
    page = visit(browser, urls[scheme])

    path.unlink()
    missing = page.evaluate(SAID, "time")
    assert missing.startswith(("网站上没有数据文件", "找不到数据文件")) and f" {file}" in missing
    for part in (whole[: len(whole) // 2], b""):
        path.write_bytes(part)
        truncated = page.evaluate(SAID, "time")
        assert truncated == f"数据文件 {file} 不完整，请再试一次。"
    path.write_bytes(whole)
    assert page.evaluate(SAID, "time") == "算出来了"
    page.context.close()


def test_network_lost_and_found(browser, sites):
    page = visit(browser, sites["http"])
    page.context.set_offline(True)
    assert page.evaluate(SAID, "time") == "取不到数据文件 config.json，请看看网络是否连着，再试一次。"
    page.context.set_offline(False)
    assert page.evaluate(SAID, "time") == "算出来了"
    page.context.set_offline(True)
    said = page.evaluate(SAID, "zebra quarks")
    assert said.startswith("取不到数据文件 tokens") and said.endswith("请看看网络是否连着，再试一次。")
    assert page.evaluate(SAID, "time") == "算出来了"
    page.context.close()


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


def test_quantization_is_symmetric_in_groups():
    weight = torch.zeros(2, 128)
    weight[0, :64] = torch.linspace(-1, 0.5, 64)
    weight[1, 64:] = 3.0
    integers, scales = live_data.quantize(weight)
    assert integers.dtype == torch.int8 and integers.shape == weight.shape and scales.shape == (2, 2)
    assert integers[0, 0] == -127 and (integers[1, 64:] == 127).all() and (integers[1, :64] == 0).all()
    torch.testing.assert_close(live_data.dequantize(integers, scales), weight, atol=0.5 / 127, rtol=0)


def test_unchanged_files_are_not_rewritten(tmp_path):
    """没有变的不写，断了的重写，多出来的删去。"""
    files = {"a.bin": b"one", "b.bin": b"two"}
    live_data.fill_folder(tmp_path / "data", files)
    (tmp_path / "data/b.bin").write_bytes(b"t")
    (tmp_path / "data/old.bin").write_bytes(b"three")
    os.utime(tmp_path / "data/a.bin", (1, 1))
    live_data.fill_folder(tmp_path / "data", files)
    assert {path.name: path.read_bytes() for path in (tmp_path / "data").iterdir()} == files
    assert (tmp_path / "data/a.bin").stat().st_mtime == 1


def test_data_is_the_same_every_time():
    assert live_data.data_files.__wrapped__() == live_data.data_files()


def test_book_holds_the_data_once(book):
    """成书里的数据就是现在的；繁体的书只有自己的脚本，没有第二份数据；_static 里没有。"""
    files = live_data.data_files()
    data = book / "live/data"
    assert {path.name for path in data.iterdir()} == {name + end for name in files for end in ("", ".js")}
    for name, content in files.items():
        assert (data / name).read_bytes() == content
        assert (data / f"{name}.js").read_bytes() == live_data.as_script(name, content)
    names = {path.name for path in live_data.SCRIPTS.iterdir()} - {"linear.wat"}
    assert {path.name for path in (book / "live").iterdir()} == names | {"data"}
    assert {path.name for path in (book / "zh-TW/live").iterdir()} == names
    assert not list(book.glob("**/_static/**/tokens0.bin*"))
