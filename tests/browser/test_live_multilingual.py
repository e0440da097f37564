"""网页里的多语 BERT（live/bert/unigram.js、引擎与 live_multilingual.py 的数据）：在真的 Chromium 里，与 course_lib 逐一相比。"""

import json
import random
import re
from base64 import b64encode
from functools import cache

import pytest
import torch
from built_book import serve
from engine_site import BASE64, WITHOUT_WASM, change_worker, floats, make_site, tags, visit
from live_helpers import (
    forward,
    head_vectors,
    lengths,
    multilingual_bert,
)
from live_helpers import multilingual_tokenizer as python_tokenizer
from page_memory import weigh, write_page

from course_book import ROOT
from course_book.after_writing import live_multilingual
from course_book.doctree import taiwan_chinese
from course_lib.unigram import normalize

pytestmark = pytest.mark.guards("live", "_ext", "chapters/live.md")

SCRIPTS = [
    "engine.js",
    *(f"bert/{name}.js" for name in ("tokenizer", "unigram", "bert", "weights", "simd", "engine")),
]
CAT = "这只猫很小，它喜欢睡觉。"
SENTENCES = [
    (CAT, None),
    ("這隻貓很小，牠喜歡睡覺。", None),
    ("小红的妈妈很忙，她每天工作到很晚。", None),
    ("苹果很甜，我每天吃一个。", None),
    ("苹果发布了新手机，价格是 7,999 元（比去年贵 8%）。", None),
    ("因为他们打电话来，会议推迟到 2024年5月3日。", None),
    ("人咬了狗。", "狗咬了人。"),
    ("春", None),
    ("I like cats, 我也喜欢狗。", None),
    ("𠮷野家の看板", None),
    ("在𪚥𪚥𪚥之后，😀 笑了", None),
    ("<mask>是蓝色的。", None),
    ("台灣的首都在哪裡？", "臺北。"),
    ("很" * 40 + "好的朋友来了", None),
]
OPEN = "LiveBert.open({ root: '../live/', model: 'zh' })"
RUN = f"""async ([text, pair, options]) => {{
  {BASE64}
  const result = await (await {OPEN}).run(text, pair, options);
  return {{ ...result, hidden: result.hidden.map(base64), attention: result.attention.map(base64),
    lengths: result.lengths.map(base64) }};
}}"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    files = live_multilingual.data_files().items()
    return make_site(tmp_path_factory.mktemp("live"), "multilingual", files, SCRIPTS)


@pytest.fixture(scope="module")
def sites(site):
    with serve(site) as url:
        yield {"http": url, "file": f"{site.as_uri()}/"}


@pytest.fixture(scope="module")
def page(browser, sites):
    page = visit(browser, sites["http"])
    yield page
    page.context.close()


def run(page, text, pair=None, options=None):
    """在网页里算一句；hidden (层, N, D) 与 attention (层, h, N, N) 换成张量。"""
    result = page.evaluate(RUN, [text, pair, options or {}])
    n, d, h = len(result["ids"]), result["dModel"], result["numHeads"]
    for name, shape in (("hidden", (n, d)), ("attention", (h, n, n)), ("lengths", (n,))):
        arrays = torch.stack([floats(array) for array in result[name]])
        result[name] = arrays.view(-1, *shape)
    return result


# ---- 分词 ----


@cache
def travelling() -> frozenset[int]:
    return frozenset(live_multilingual.all_pieces()[1])


@cache
def written() -> list[str]:
    """这一页的正文、live/ 与 _ext/ 的源文件，一行一个文本，简体与繁体。"""
    sources = [*(ROOT / "live").rglob("*.js"), *(ROOT / "_ext").rglob("*.py"), ROOT / "chapters/live.md"]
    lines = {line.strip() for path in sources for line in path.read_text(encoding="utf-8").split("\n")}
    chinese = sorted(line for line in lines if re.search("[\u4e00-\u9fff]", line))
    return chinese + [taiwan_chinese.convert(line) for line in chinese]


ODD = [
    *[
        "１２３ＡＢＣ，。！",
        "a\tb\nc",
        "　全角 空格　",
        "½ ① ㈱ ㍿ ﬁ",
        "e\u0301 e\u0301\u0323 ñ",
        "👨‍👩‍👧 👍🏽",
        "  两个  空格 ",
        "▁",
        "ﾊﾝｶｸ",
    ],
    *[
        "<s>甲</s>乙<mask>",
        "한국어",
        "العربية",
        "𠮷",
        "\u200b看不见\u200d的",
        "…… —— ～",
        "İstanbul",
        "",
        " ",
        "100%",
        "Å",
        "\ufeff头",
    ],
]


@pytest.fixture(scope="module")
def in_page(page):
    """在网页里切一批文本，用带来的词表。"""
    files = live_multilingual.data_files()
    page.evaluate(
        """([vocabulary, scores, ids]) => {
          const bytes = (text) => LiveEngine.decode(text), vocab = JSON.parse(vocabulary);
          globalThis.unigram = new (liveUnigram().UnigramTokenizer)({ ...vocab,
            scores: new Float32Array(bytes(scores)), ids: new Uint32Array(bytes(ids)) });
        }""",
        [
            files["vocab.json"].decode(),
            *(b64encode(files[name]).decode() for name in ("scores.bin", "ids.bin")),
        ],
    )

    encode = "(each) => { const { ids, tokens } = unigram.encode(...[each].flat()); return [ids, tokens]; }"
    return lambda texts, each=encode: json.loads(
        page.evaluate(f"(texts) => JSON.stringify(texts.map({each}))", texts)
    )


def test_the_same_ids_wherever_the_pieces_travel(in_page):
    """书里的几千行，简体与繁体，再加怪的：用整份词表切出的都带着的，两边逐个编号相同。"""
    texts = [*written(), *ODD]
    expected = [python_tokenizer().encode(text) for text in texts]
    kept = [i for i, ids in enumerate(expected) if travelling().issuperset(ids)]
    print(f"\n{len(texts)} 个文本，{len(kept)} 个的词元全都带着")
    assert len(kept) > 1500
    for i, (ids, tokens) in zip(kept, in_page([texts[i] for i in kept]), strict=True):
        assert ids == expected[i], texts[i]
        assert tokens == python_tokenizer().convert_ids_to_tokens(ids)


def test_text_of_han_and_punctuation_is_cut_as_with_the_whole_vocabulary(in_page):
    """只写汉字、标点与数字的，一定都带着：随手拼的几千个，简体、繁体、生僻的都有。"""
    rng = random.Random(20)
    han = "".join(re.findall("[\u4e00-\u9fff]", "".join(written())))
    rare = [chr(code) for code in range(0x3400, 0x9FFF)]

    def made():
        some = [han[(at := rng.randrange(len(han) - 9)) : at + rng.randint(1, 8)] for _ in range(4)]
        some += rng.choices([*"，。！？、；：“”（）《》0123456789 %$+=-", *rng.sample(rare, 3)], k=4)
        rng.shuffle(some)
        return "".join(some)

    texts = [made() for _ in range(3000)]
    expected = [python_tokenizer().encode(text) for text in texts]
    assert all(travelling().issuperset(ids) for ids in expected)
    assert [ids for ids, _ in in_page(texts)] == expected
    pairs = list(zip(texts[:500], texts[500:1000], strict=True))
    assert [ids for ids, _ in in_page(pairs)] == [python_tokenizer().encode(*pair) for pair in pairs]


def test_normalization_of_every_entry(in_page):
    """表里的每一项，夹在两个汉字之间：网页与 Python 归一化出的一样。"""
    table = python_tokenizer().normalization
    texts = [f"天{char}地{char}{char}" for char in table]
    expected = ["".join(span.text for span in normalize(text, table)) for text in texts]
    assert len(texts) > 4000
    found = in_page(texts, "(text) => liveUnigram().normalize(text, unigram.normalization).join('')")
    assert [t for t, a, b in zip(texts, found, expected, strict=True) if a != b] == []


def test_words_and_unknown(page):
    got = page.evaluate(f"async (text) => (await {OPEN}).encode(text)", "我𪚥𠔻好 <unk>한국")
    assert got["tokens"][0] == "<s>" and got["tokens"][-1] == "</s>"
    assert [each["word"] for each in got["unknown"]] == ["𪚥𠔻", "한국"]
    assert all(got["tokens"][each["index"]] == "<unk>" for each in got["unknown"])
    assert got["tokens"].count("<unk>") == 3 and set(got["segments"]) == {0}


# ---- 计算 ----


def relative(ours, theirs):
    """每一层：相差的长度，以原来的长度为 1，取最大的一个词元。"""
    return ((ours - theirs).norm(dim=-1) / theirs.norm(dim=-1)).amax(-1)


def cut_alike(text, pair):
    return travelling().issuperset(python_tokenizer().encode(text, pair))


def test_matches_the_library_at_every_layer(page, browser, sites):
    """权重就是课程库的那一份，没有再量化：每一层的隐藏状态与权重都只差舍入，SIMD 与普通的循环都是。"""
    plain = visit(browser, sites["file"])
    change_worker(plain, WITHOUT_WASM)
    checked = [each for each in SENTENCES if cut_alike(*each)]
    assert len(checked) >= 11
    for which, sentences in ((page, checked), (plain, checked[::4])):
        worst = torch.zeros(13), 0.0
        for sentence in sentences:
            result, (hidden, attention) = run(which, *sentence), forward(multilingual_bert(), *sentence)
            assert result["ids"] == python_tokenizer().encode(*sentence)
            assert attention.shape[:2] == (12, 12)
            worst = (
                torch.maximum(worst[0], relative(result["hidden"], hidden)),
                max(worst[1], (result["attention"] - attention).abs().max().item()),
            )
        print(f"\n各层相对差最大：{worst[0].tolist()}；权重最多差 {worst[1]:.1e}")
        assert worst[0].max() < 1e-4 and 0 < worst[1] < 1e-4
    plain.context.close()


@pytest.mark.parametrize(
    "options",
    [
        {"off": [[8, 8]]},
        {"off": [[11, 0], [0, 2], [0, 3]]},
        {"masked": [3]},
        {"off": [[4, 0]], "masked": [0, 2]},
    ],
    ids=str,
)
def test_switched_off_heads_and_masked_tokens_match_the_library(page, options):
    before = run(page, CAT)
    result, (hidden, attention) = run(page, CAT, None, options), forward(multilingual_bert(), CAT, **options)
    assert relative(result["hidden"], hidden).max() < 1e-4
    assert (result["attention"] - attention).abs().max() < 1e-4
    assert not torch.equal(result["hidden"][-1], before["hidden"][-1])


def test_lengths_and_one_head(page):
    expected = lengths(multilingual_bert(), CAT)
    result = run(page, CAT)
    assert result["lengths"].shape == expected.shape == (49, len(result["ids"]))
    torch.testing.assert_close(result["lengths"], expected, rtol=1e-4, atol=1e-4)
    got = page.evaluate(
        f"""async (text) => {{
      {BASE64}
      const engine = await {OPEN}, result = await engine.run(text);
      const {{ query, key, value }} = await engine.head(result, 8, 8);
      return [query, key, value].map(base64);
    }}""",
        CAT,
    )
    for ours, theirs in zip(map(floats, got), head_vectors(multilingual_bert(), CAT, 8, 8), strict=True):
        torch.testing.assert_close(ours.view(theirs.shape), theirs, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    ("token", "word", "text"),
    [
        ("猫", "狗", "这只狗很小，它喜欢睡觉。"),
        ("▁这", "那", "那只猫很小，它喜欢睡觉。"),
        ("睡觉", "看电视", "这只猫很小，它喜欢看电视。"),
    ],
)
def test_a_swapped_word_is_the_new_sentence(page, token, word, text):
    """换上的词接着别的字写，前面就没有 ▁；编号与直接写那一句的相同。"""
    got = page.evaluate(
        f"""async ([text, token, word]) => {{
      const engine = await {OPEN}, result = await engine.run(text), at = result.tokens.indexOf(token);
      return (await engine.swap(result, at, at + 1, word)).ids;
    }}""",
        [CAT, token, word],
    )
    assert got == python_tokenizer().encode(text)


# ---- 取数据，内存，出了错 ----


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (" \u3000", "请先输入一句话。"),
        ("，很" * 40, "这里有 83 个词元，一次最多 64 个，请写短一些。"),
        ("a\ud800", "文字里有半个字符（落单的代理码位），请删去它再试。"),
    ],
)
def test_bad_text_is_refused_in_one_sentence(page, text, message):
    said = page.evaluate(
        f"async (codes) => (await {OPEN}).run(String.fromCharCode(...codes)).catch((error) => error.message)",
        [ord(char) for char in text],
    )
    assert said == message


@pytest.mark.thorough
@pytest.mark.parametrize("scheme", ["http", "file"])
def test_memory(site, sites, scheme):
    """从空页面到算出第一句、取完全部数据，多用不到 250 MB。"""
    work = f"const engine = await {OPEN}; await engine.run('{CAT}'); await engine.complete;"
    write_page(site / "chapters/memory.html", tags(SCRIPTS), work)
    most, held = weigh(f"{sites[scheme]}chapters/memory.html")
    print(f"\n{scheme}：途中最多多用 {most:.0f} MB，最后 {held:.0f} MB")
    assert most < 250 and held < 250
