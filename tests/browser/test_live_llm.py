"""网页里的大语言模型（live/llm/ 的脚本与 _ext/course_book/after_writing/live_llm.py 的数据）：在真的 Chromium 里，与 course_lib 逐一相比。"""

import json
from base64 import b64encode

import gguf
import numpy as np
import pytest
import torch
from built_book import serve
from engine_site import BASE64, change_worker, floats, make_site, tags, visit
from gguf import GGMLQuantizationType
from llm_page_helpers import PROMPTS, WRITTEN, continuation, language_model, reference, relative, tokenizer
from page_memory import weigh, write_page

from course_book.after_writing import live_llm

pytestmark = pytest.mark.guards("live", "_ext")

NAMES = ["byte_pair", "blocks", "language_model", "sampling", "questions", "engine"]
SCRIPTS = ["engine.js", *(f"llm/{name}.js" for name in NAMES)]
OPEN = "LiveLlm.open({ root: '../live/' })"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    return make_site(tmp_path_factory.mktemp("llm"), "llm", live_llm.data_files(), SCRIPTS)


@pytest.fixture(scope="module")
def sites(site):
    with serve(site) as url:
        yield {"http": url, "file": f"{site.as_uri()}/"}


@pytest.fixture(scope="module")
def page(browser, sites):
    """模型装好了的一页，整个文件共用；还没有算过一段文字，什么都问不到，再打开还是同一个引擎。"""
    page = visit(browser, sites["http"])
    page.evaluate(f"async () => {{ globalThis.engine = await {OPEN}; }}")
    for question in ("attention(0, 0)", "patterns()", "lens(0)", "norms()"):
        said = page.evaluate(f"engine.{question}.catch((error) => error.message)")
        assert said == "还没有算过一段文字。"
    assert page.evaluate(f"async () => engine === (await {OPEN})")
    yield page
    page.context.close()


def feed(page, ids, **options):
    """算一串编号；logits 换成张量。"""
    result = page.evaluate(
        f"""async ([ids, options]) => {{
          {BASE64}
          const result = await engine.feed(ids, options);
          return {{ ...result, logits: base64(result.logits) }};
        }}""",
        [ids, options],
    )
    return result | {"logits": floats(result["logits"])}


def ask(page, question, *shape):
    """问一个数组，换成张量。"""
    return floats(page.evaluate(f"async () => {{ {BASE64} return base64(await engine.{question}); }}")).view(
        shape
    )


def encode(text):
    return tokenizer().encode(text)


# ---- 与 course_lib 相同


@pytest.mark.parametrize("texts", [PROMPTS[::3], pytest.param(PROMPTS, marks=pytest.mark.thorough)], ids=len)
def test_same_tokens_and_the_same_logits(page, texts):
    """英文、中文与代码：编号相同，最后一个位置的分数只差舍入。"""
    worst = 0
    for text in texts:
        ids = page.evaluate("(text) => engine.tokenizer.encode(text)", text)
        assert ids == encode(text)
        result = feed(page, ids, cache=False)
        assert (result["kept"], result["computed"]) == (0, len(ids))
        error = relative(result["logits"], reference(text).logits)
        assert error <= 1e-4, text
        worst = max(worst, error)
    print(f"\n分数最多差 {worst:.1e}，以最大的一个为 1")
    assert worst > 0


def write_on(page, text):
    """在网页里贪心地写：编号与每个词元的毫秒数。"""
    return page.evaluate(
        """async ([ids, count]) => {
          const milliseconds = [], start = ids.length;
          while (ids.length < start + count) {
            const { logits, milliseconds: each } = await engine.feed(ids);
            ids.push(logits.indexOf(logits.reduce((a, b) => Math.max(a, b))));
            milliseconds.push(each);
          }
          return [ids.slice(start), milliseconds];
        }""",
        [encode(text), WRITTEN],
    )


def same_continuations(page, texts):
    same = [write_on(page, text)[0] == continuation(text) for text in texts]
    different = [text for text, equal in zip(texts, same, strict=True) if not equal]
    print(f"\n{len(texts)} 段里 {sum(same)} 段写下的 {WRITTEN} 个词元完全相同；不同的：{different}")
    return sum(same)


def test_writes_on_like_the_library(page):
    assert same_continuations(page, PROMPTS[::5]) >= 5


@pytest.mark.thorough
@pytest.mark.timeout(1200)
def test_writes_on_like_the_library_everywhere(page):
    assert same_continuations(page, PROMPTS) >= 28


ASKED = [PROMPTS[3], PROMPTS[17], PROMPTS[18]]


@pytest.mark.parametrize("text", ASKED)
def test_every_head_layer_and_norm(page, text):
    """每层每头的权重、三种平均、每层的长度，都与库里的相同。"""
    _, hidden, attentions = reference(text)
    n = len(encode(text))
    feed(page, encode(text))
    everything = page.evaluate(
        f"""async () => {{
          {BASE64}
          const {{ numLayers, numHeads }} = engine.config, weights = [];
          for (let layer = 0; layer < numLayers; layer++)
            for (let head = 0; head < numHeads; head++) weights.push(base64(await engine.attention(layer, head)));
          return weights;
        }}"""
    )
    weights = torch.stack(list(map(floats, everything))).view(attentions.shape)
    assert (weights - attentions).abs().max() < 1e-4
    torch.testing.assert_close(weights.sum(-1), torch.ones(weights.shape[:-1]), atol=1e-5, rtol=0)
    assert not weights.triu(1).any()

    patterns = page.evaluate(
        f"""async () => {{
          {BASE64}
          return Object.entries(await engine.patterns()).map(([kind, means]) => [kind, base64(means)]);
        }}"""
    )
    later = attentions[:, :, 1:]
    expected = {
        "first": later[..., 0].mean(-1),
        "previous": later.diagonal(dim1=-2, dim2=-1).mean(-1),
        "self": later[..., 1:].diagonal(dim1=-2, dim2=-1).mean(-1),
    }
    assert [kind for kind, _ in patterns] == list(expected)
    for kind, means in patterns:
        assert (floats(means).view(expected[kind].shape) - expected[kind]).abs().max() < 1e-4, kind

    lengths = ask(page, "norms()", 31, n)
    torch.testing.assert_close(lengths, hidden.norm(dim=-1), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("text", ASKED)
@torch.no_grad()
def test_lens(page, text):
    """每层读出来的前五名与概率，最后一层的第一名在每层的名次与概率。"""
    model, (logits, hidden, _) = language_model(), reference(text)
    feed(page, encode(text))
    for position in (0, len(hidden[0]) // 2, len(hidden[0]) - 1):
        layers = page.evaluate("(position) => engine.lens(position)", position)
        probabilities = model.head(model.norm(hidden[:, position])).softmax(-1)
        assert len(layers) == len(probabilities) == 31
        chosen = probabilities[-1].argmax().item()
        assert layers[-1]["top"][0]["id"] == chosen and layers[-1]["chosen"]["rank"] == 1
        for layer, expected in zip(layers, probabilities, strict=True):
            assert len(layer["top"]) == 5
            found = torch.tensor([each["probability"] for each in layer["top"]])
            assert (found - expected.topk(5).values).abs().max() < 1e-4
            own = expected[[each["id"] for each in layer["top"]]]  # 并列的前后可以不同，概率要相同
            assert (found - own).abs().max() < 1e-4
            assert abs(layer["chosen"]["probability"] - expected[chosen].item()) < 1e-4
            # 分数几乎相同的几个，名次可以差几位
            near = expected[chosen] * torch.tensor([1 + 1e-3, 1 - 1e-3])
            low, high = [(expected > bound).sum().item() + 1 for bound in near]
            assert low <= layer["chosen"]["rank"] <= high
    assert chosen == logits.argmax()  # 最后一个位置最后一层的第一名，就是接着写的


@torch.no_grad()
def test_as_many_tokens_as_there_may_be(page):
    """写满上限：一次算完，最后一个位置的分数与库里的相同。"""
    ids = [index % 997 + 20 for index in range(live_llm.MAX_TOKENS)]
    expected = language_model()(torch.tensor([ids]), last_only=True).logits[0, -1]
    assert relative(feed(page, ids, cache=False)["logits"], expected) <= 1e-4


# ---- 缓存


def test_the_cache_changes_nothing(page):
    """一次算完，与一个词元一个词元地算，每一位都相同；留着几个位置说得出。"""
    ids = encode(PROMPTS[2])
    whole = feed(page, ids, cache=False)
    feed(page, ids[:1], cache=False)
    for n in range(2, len(ids) + 1):
        step = feed(page, ids[:n])
        assert (step["kept"], step["computed"]) == (n - 1, 1)
    assert torch.equal(step["logits"], whole["logits"])
    again = feed(page, ids)
    assert (again["kept"], again["computed"]) == (len(ids), 0)
    assert torch.equal(again["logits"], whole["logits"])


def test_any_position_is_read_again(page):
    """留着的隐藏状态读出的分数，与当初的每一位都相同；前文的每个词元有多意外，与库里的相同。"""
    ids = encode(PROMPTS[2])
    feed(page, ids, cache=False)
    logits = [ask(page, f"logits({position})", 49152) for position in range(len(ids))]
    bits = page.evaluate("(n) => engine.surprises(1, n)", len(ids))
    for n in (1, len(ids) // 2, len(ids)):
        assert torch.equal(feed(page, ids[:n], cache=False)["logits"], logits[n - 1])
    with torch.no_grad():
        expected = language_model()(torch.tensor([ids])).logits[0, :-1].log_softmax(-1)
    expected = -expected[range(len(ids) - 1), ids[1:]] / np.log(2)
    torch.testing.assert_close(torch.tensor(bits), expected.float(), atol=1e-3, rtol=1e-3)


def test_a_long_sequence_is_read_in_pieces_and_can_be_stopped(page):
    """一截十六个位置；叫停了，算过的留着，再算就从那里接着，答案每一位都与没有停过的相同。"""
    ids = [index % 997 + 20 for index in range(100)]
    whole = feed(page, ids, cache=False)["logits"]
    name, pieces = page.evaluate(
        """async (ids) => {
          const pieces = [], stopper = new AbortController();
          const onPiece = (read, all) => {
            pieces.push([read, all]);
            if (read === 48) stopper.abort();
          };
          const stopped = engine.feed(ids, { cache: false, onPiece, signal: stopper.signal });
          return [await stopped.catch((error) => error.name), pieces];
        }""",
        ids,
    )
    assert name == "AbortError" and pieces == [[16, 100], [32, 100], [48, 100]]
    # 两次一起问的，排着做
    rest, other = page.evaluate(
        "(ids) => Promise.all([engine.feed(ids), engine.feed([5, ...ids])]).then((both) => both.map(({ kept, computed }) => [kept, computed]))",
        ids,
    )
    assert rest == [48, 52] and other == [0, 101]
    assert torch.equal(feed(page, ids)["logits"], whole)


def test_an_edited_prompt_keeps_what_comes_before(page):
    """改中间一个词元：前面的留着，后面的重算，答案与从头算的相同，问到的也是。"""
    before = encode(PROMPTS[3])
    after = [*before[:5], *encode(" and Mary"), *before[6:]]
    fresh = feed(page, after, cache=False)["logits"]
    questions = [("attention(18, 7)", (len(after),) * 2), ("norms()", (31, len(after)))]
    questions += [(f"patterns().then((kinds) => kinds.{kind})", (30, 9)) for kind in ("first", "previous")]
    expected = [ask(page, question, *shape) for question, shape in questions]
    feed(page, before, cache=False)
    ask(page, "patterns().then((kinds) => kinds.self)", 30, 9)  # 改动之前也问过
    edited = feed(page, after)
    assert (edited["kept"], edited["computed"]) == (5, len(after) - 5)
    assert torch.equal(edited["logits"], fresh)
    for (question, shape), answer in zip(questions, expected, strict=True):
        assert torch.equal(ask(page, question, *shape), answer), question
    shorter = feed(page, after[:4])
    assert (shorter["kept"], shorter["computed"]) == (4, 0)
    assert torch.equal(shorter["logits"], feed(page, after[:4], cache=False)["logits"])


# ---- 量化块

BOTH_LINEARS = """async ([kind, outputs, inputs, counts, blocks, x]) => {
  const wasm = LiveEngine.decode(await LiveEngine.read("../live/", "llm/blocks.wasm"));
  const config = { dModel: inputs, dFf: outputs, numLayers: 1, numHeads: 1, numKvHeads: 1,
    vocabSize: Math.max(outputs, 4), maxTokens: Math.max(...counts) };
  const values = new Float32Array(LiveEngine.decode(x)), file = new Uint16Array(LiveEngine.decode(blocks));
  const base64 = ({ buffer }) => new Uint8Array(buffer).toBase64();
  const answers = [liveBlocks(wasm, config), liveBlocks(null, config)].map((parts) => {
    const weight = parts.matrix(parts[kind], outputs, inputs);
    // 分两次抄，像词元的嵌入那样
    const half = parts.fileBytes(weight) / 4;
    parts.fill(weight, file.subarray(0, half));
    parts.fill(weight, file.subarray(half), outputs / 2);
    const rows = Array.from({ length: outputs }, (_, o) => base64(parts.row(weight, o)));
    return [counts.map((n) => base64(parts.linear(values.slice(0, n * inputs), weight, new Float32Array(n * outputs)))), rows];
  });
  const [simd, plain] = answers.map(([products]) => products);
  return [simd, plain, answers[0][1], answers[1][1]];
}"""


@pytest.mark.parametrize("kind", ["Q4_1", "Q8_0"])
@pytest.mark.parametrize(("outputs", "inputs"), [(8, 32), (12, 96), (64, 576), (576, 64)])
def test_both_linears(page, kind, outputs, inputs):
    """一个、两个、三个到十个词元，窄的与宽的矩阵：WebAssembly 与普通的循环都等于把块换成浮点数再乘。"""
    counts = [1, 2, 3, 4, 5, 6, 7, 10]
    if kind == "Q8_0":  # 嵌入矩阵只乘一个位置
        counts = [1]
    generator = torch.Generator().manual_seed(inputs)
    weight, x = (
        torch.randn(shape, generator=generator) for shape in ((outputs, inputs), (max(counts), inputs))
    )
    weight[0] = 0  # 全是零的块，比例也是零
    weight[1, :32] *= 1e-4  # 小得只有次正规的 fp16 写得下的比例
    which = GGMLQuantizationType[kind]
    blocks = gguf.quantize(weight.numpy(), which)
    exact = torch.from_numpy(gguf.dequantize(blocks, which))
    given = [b64encode(part.tobytes()).decode() for part in (blocks, x.numpy())]
    simd, plain, *rows = page.evaluate(BOTH_LINEARS, [kind, outputs, inputs, counts, *given])
    for each in rows:
        torch.testing.assert_close(torch.stack(list(map(floats, each))), exact, rtol=1e-6, atol=1e-7)
    expected = (x.double() @ exact.double().T).float()
    for n, *both in zip(counts, simd, plain, strict=True):
        for y in map(floats, both):
            torch.testing.assert_close(y.view(n, outputs), expected[:n], atol=1e-4, rtol=1e-5)


def test_every_half_precision_number(page):
    """fp16 一共 65536 个，逐个与 numpy 换得的相同；做成 d，乘 1 就读出它自己。"""
    codes = np.arange(65536, dtype=np.uint16)
    ones = np.zeros((65536, 34), dtype=np.uint8)
    ones[:, :2] = codes.view(np.uint8).reshape(-1, 2)
    ones[:, 2] = 1
    got = page.evaluate(
        """(file) => {
          const config = { dModel: 32, dFf: 32, numLayers: 0, numHeads: 1, numKvHeads: 1, vocabSize: 65536, maxTokens: 1 };
          const blocks = liveBlocks(null, config), weight = blocks.matrix(blocks.Q8_0, 65536, 32);
          blocks.fill(weight, new Uint16Array(LiveEngine.decode(file)));
          const values = Float32Array.from({ length: 65536 }, (_, o) => blocks.row(weight, o)[0]);
          return new Uint8Array(values.buffer).toBase64();
        }""",
        b64encode(ones.tobytes()).decode(),
    )
    expected = torch.from_numpy(codes.view(np.float16).astype(np.float32))
    torch.testing.assert_close(floats(got), expected, rtol=0, atol=0, equal_nan=True)


def test_the_plain_loop_runs_where_the_fast_one_cannot(browser, sites):
    """从 file:// 打开，又没有 SIMD：答案仍与库里的相同。"""
    page = visit(browser, sites["file"])
    refuse = "WebAssembly.Module = function () { throw new WebAssembly.CompileError('SIMD unsupported'); }"
    change_worker(page, refuse, "liveBlocks")
    page.evaluate(f"async () => {{ globalThis.engine = await {OPEN}; }}")
    text = PROMPTS[0]
    result = feed(page, encode(text))
    print(f"\n普通的循环：{len(encode(text))} 个词元 {result['milliseconds']:.0f} 毫秒")
    assert relative(result["logits"], reference(text).logits) <= 1e-4
    page.context.close()


# ---- 打开与内存


@pytest.mark.thorough
@pytest.mark.parametrize("scheme", ["http", "file"])
def test_memory(site, sites, scheme):
    """从空页面到装好模型、写满上限，途中与最后都多用不到 350 MB。"""
    write_page(
        site / "chapters/memory.html",
        tags(SCRIPTS),
        f"""
        const engine = await {OPEN};
        await engine.feed(Array.from({{ length: {live_llm.MAX_TOKENS} }}, (_, i) => (i % 997) + 20));
        await engine.patterns();
        """,
    )
    most, held = weigh(f"{sites[scheme]}chapters/memory.html")
    print(f"\n{scheme}：写满 {live_llm.MAX_TOKENS} 个词元，途中最多多用 {most:.0f} MB，最后 {held:.0f} MB")
    assert most < 350
    assert held < 350


# ---- 出了错


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        ([], "还没有词元：请先写几个字。"),
        ([5] * 257, "这里有 257 个词元，一次最多 256 个，请写短一些。"),
        ([5, 49152], "编号 49152 不在词表里。"),
        ([5, -1], "编号 -1 不在词表里。"),
        ([0.5], "编号 0.5 不在词表里。"),
    ],
)
def test_bad_ids_are_refused_in_one_sentence(page, ids, message):
    kept = feed(page, encode(PROMPTS[0]))["logits"]
    said = page.evaluate("(ids) => engine.feed(ids).catch((error) => error.message)", ids)
    assert said == message
    assert torch.equal(feed(page, encode(PROMPTS[0]))["logits"], kept)


@pytest.mark.parametrize(
    ("question", "message"),
    [
        ("attention(30, 0)", "没有第 30 层，编号从 0 到 29。"),
        ("attention(0, 9)", "没有第 9 个头，编号从 0 到 8。"),
        ("lens(5)", "没有第 5 个位置，编号从 0 到 4。"),
    ],
)
def test_what_is_not_there_cannot_be_asked(page, question, message):
    feed(page, encode(PROMPTS[0]))
    assert page.evaluate(f"() => engine.{question}.catch((error) => error.message)") == message


def test_one_token(page):
    """只有一个词元时，样样都问得到。"""
    feed(page, encode("Hi"), cache=False)
    assert ask(page, "attention(0, 0)", 1, 1).item() == 1
    kinds = json.loads(page.evaluate("async () => JSON.stringify(await engine.patterns())"))
    assert all(set(means.values()) == {0} for means in kinds.values())
    assert len(page.evaluate("() => engine.lens(0)")) == 31
