"""网页里懂中文的大语言模型的零件，不必有那个模型：几种块的乘法，Qwen 的分词，带哪些词元，行怎样重排。"""

import random
from base64 import b64encode
from pathlib import Path

import gguf
import numpy as np
import pytest
import torch
from byte_pair_texts import known, ours
from engine_site import floats
from gguf import GGMLQuantizationType
from two_tokenizers import INGREDIENTS, SEED
from wasmtime import wat2wasm

from course_book.after_writing import live_llm, live_qwen
from course_lib.byte_pair import BYTE_TO_CHAR, BytePairTokenizer, spell
from course_lib.pretokenization import QWEN2
from course_lib.weights.llama import interleaved

pytestmark = pytest.mark.guards("live", "_ext")

LIVE = Path(__file__).parents[2] / "live"


@pytest.fixture(scope="module")
def page(browser):
    page = browser.new_page()
    for name in ("engine.js", "llm/blocks.js", "llm/byte_pair.js"):
        page.add_script_tag(path=LIVE / name)
    yield page
    page.close()


def sent(content):
    return b64encode(content).decode()


# ---- 块

# 分两次抄，像词元的嵌入那样；一次算一个、三个、六个词元
LINEARS = """([wasm, kind, outputs, inputs, counts, blocks, x]) => {
  const config = { dModel: inputs, dFf: outputs, numLayers: 1, numHeads: 1, numKvHeads: 1, vocabSize: outputs,
    maxTokens: Math.max(...counts), kinds: { layers: [Array(7).fill(kind)], tokens: kind } };
  const values = new Float32Array(LiveEngine.decode(x)), file = new Uint16Array(LiveEngine.decode(blocks));
  const base64 = ({ buffer }) => new Uint8Array(buffer).toBase64();
  return [liveBlocks(LiveEngine.decode(wasm), config), liveBlocks(null, config)].map((parts) => {
    const weight = parts.matrix(parts[kind], outputs, inputs), half = parts.fileBytes(weight) / 4;
    parts.fill(weight, file.subarray(0, half));
    parts.fill(weight, file.subarray(half), outputs / 2);
    const rows = Array.from({ length: outputs }, (_, o) => base64(parts.row(weight, o)));
    return [rows, counts.map((n) => base64(parts.linear(values.slice(0, n * inputs), weight, new Float32Array(n * outputs))))];
  });
}"""
COUNTS = [1, 3, 6]


def random_blocks(kind, outputs, inputs):
    """随便什么整数与小块的比例；只有 fp16 的 d、m 取像样的数，一块取 0。"""
    rng = np.random.default_rng(inputs)
    per, size = gguf.GGML_QUANT_SIZES[kind]
    blocks = rng.integers(0, 256, (outputs * inputs // per, size), dtype=np.uint8)
    places = {"Q5_0": (0,), "Q4_K": (0, 2), "Q6_K": (208,)}[kind.name]
    for place in places:
        numbers = rng.normal(0, 0.01, len(blocks)).astype(np.float16)
        numbers[0] = 0
        blocks[:, place : place + 2] = numbers[:, None].view(np.uint8)
    return blocks.reshape(outputs, -1)


@pytest.mark.parametrize("kind", ["Q5_0", "Q4_K", "Q6_K"])
@pytest.mark.parametrize(("outputs", "inputs"), [(8, 256), (64, 768)])
def test_the_blocks_are_the_files(page, kind, outputs, inputs):
    """每一行换成浮点数，每一位都与 gguf 的相同；WebAssembly 与普通的循环都等于换成浮点数再乘，一次算几个，每一位也相同。"""
    which = GGMLQuantizationType[kind]
    blocks = random_blocks(which, outputs, inputs)
    exact = torch.from_numpy(gguf.dequantize(blocks, which))
    x = torch.randn(max(COUNTS), inputs, generator=torch.Generator().manual_seed(0))
    wasm = bytes(wat2wasm(live_llm.KERNEL.read_text(encoding="utf-8")))
    given = [sent(part) for part in (wasm, blocks.tobytes(), x.numpy().tobytes())]
    ways = page.evaluate(LINEARS, [given[0], kind, outputs, inputs, COUNTS, *given[1:]])
    expected = (x.double() @ exact.double().T).float()
    scale = expected.abs().max()
    for rows, products in ways:
        assert torch.equal(torch.stack(list(map(floats, rows))), exact)
        products = [floats(product).view(-1, outputs) for product in products]
        for n, y in zip(COUNTS, products, strict=True):
            assert (y - expected[:n]).abs().max() <= 3e-6 * scale
            assert torch.equal(y[0], products[0][0])


def test_rows_are_paired_like_the_library():
    """按块的字节重排，与按换成的浮点数重排，是同一件事；偏置也一样。"""
    rows = random_blocks(GGMLQuantizationType.Q5_0, 28, 64)
    ours_, theirs = live_qwen.paired(rows, 7), gguf.dequantize(rows, GGMLQuantizationType.Q5_0)
    again = gguf.dequantize(ours_, GGMLQuantizationType.Q5_0)
    assert torch.equal(torch.from_numpy(again), interleaved(torch.from_numpy(theirs), 7))
    bias = np.arange(28, dtype=np.float32)
    assert torch.equal(torch.from_numpy(live_qwen.paired(bias, 7)), interleaved(torch.from_numpy(bias), 7))


# ---- 分词

ODD = [
    "DON'T don't 'Sx 'ſ I'LL we'Ve",
    "（你好）\n\n世界\r\n\r\n  a \n b",
    "e\u0301 \u1112\u1161\u11ab Å\u212b<|im_end|>e\u0301",
    "x=3.14;  \ttab\u3000全角 １２３",
    "  if x:\r\n    y\n\n\n",
    "\x85\u2028a\u00a0b\ufeffc",
    "'",
    "",
]


def test_cut_like_the_library(page):
    """预切分与归一化：词表借用内置大语言模型的，编号逐个相同。"""
    vocab = dict(
        sorted(ours().vocab.items(), key=lambda item: item[1]),
    )
    library = BytePairTokenizer(vocab, ours().ranks, ours().special, patterns=(QWEN2,), normalization="NFC")
    page.evaluate(
        """([tokens, special, merges]) => {
          const types = tokens.map((token) => (special.includes(token) ? 3 : 1));
          globalThis.qwen = new (liveBytePair().BytePairTokenizer)({ tokens, types, merges, pre: "qwen2" });
        }""",
        [list(vocab), list(ours().special), [" ".join(pair) for pair in ours().ranks]],
    )
    rng = random.Random(SEED)
    texts = ODD + [
        known(
            "".join(
                make(rng) + rng.choice(["", " ", "\n", "\r\n", "'s", "7"])
                for make in rng.choices(INGREDIENTS, k=6)
            )
        )
        for _ in range(1000)
    ]
    cut = page.evaluate("(texts) => texts.map((text) => [qwen.pretokenize(text), qwen.encode(text)])", texts)
    for text, (pieces, ids) in zip(texts, cut, strict=True):
        assert pieces == library.pretokenize(text), repr(text)
        assert ids == library.encode(text), repr(text)


# ---- 带哪些词元


def fields_of(words, special=()):
    """一个小词表：256 个字节，再把各个词从左到右一个字节一个字节地并起来。"""
    tokens, merges = list(BYTE_TO_CHAR), []
    for word in words:
        whole = spell(word)
        for i in range(2, len(whole) + 1):
            if (token := "".join(whole[:i])) not in tokens:
                tokens.append(token)
                merges.append(f"{''.join(whole[: i - 1])} {whole[i - 1]}")
    types = [1] * len(tokens) + [3] * len(special)
    names = {"tokens": [*tokens, *special], "token_type": types, "merges": merges}
    return {f"tokenizer.ggml.{name}": values for name, values in names.items()}


def test_what_travels_follows_the_rule():
    words = ["我们", "，“", "。\n", "Ａ", "大きい", "привет", "cat", " dog", "zqx", "==", "日a"]
    fields = fields_of(words, ["<|im_end|>"])
    tokens = fields["tokenizer.ggml.tokens"]
    ids = live_qwen.travels(fields, {"cat", "dog", "ca", "do"}, [tokens.index("zq")])
    assert ids == sorted(set(ids)) and set(range(256)) <= set(ids)
    kept = {tokens[i] for i in ids[256:]}

    wanted = {
        "我们",
        "我",
        "，“",
        "，",
        "。\n",
        "。",
        "Ａ",
        "cat",
        "ca",
        " dog",
        " do",
        "==",
        "zq",
        "大",
        "日",
    }
    whole = {"".join(spell(text)) for text in wanted}
    assert whole | {"<|im_end|>"} <= kept
    # 其余的都是字切开的前几截：拼出带着的那些要用
    rest = kept - whole - {"<|im_end|>"}
    assert all(any(token.startswith(part) for token in whole) for part in rest)
    vocabulary = live_qwen.vocabulary(
        fields | {"tokenizer.ggml.pre": "qwen2", "tokenizer.chat_template": ""}, ids
    )
    made = {"".join(rule.split(" ")) for rule in vocabulary["merges"]}
    assert made <= set(vocabulary["tokens"]) and vocabulary["numbers"] == ids
    assert all(half in vocabulary["tokens"] for rule in vocabulary["merges"] for half in rule.split(" "))
