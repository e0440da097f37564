"""网页里懂中文的大语言模型，用真的那个模型：在真的 Chromium 里与 course_lib 逐一相比，再在 LIVE_QWEN=1 成的一页书里用它。

那个文件有 491 MB，机器上没有就不做，不为测试去取。
"""

import json
import queue
import shutil
import subprocess
from base64 import b64decode
from functools import cache
from pathlib import Path

import gguf
import numpy as np
import pytest
import regex
import torch
from built_book import Quiet, serve
from engine_site import BASE64, floats, make_site, tags, visit
from live_pages import new_page
from llm_page_helpers import relative
from llm_panel import WINDOW, open_view, press_open, settle, shown, step, stream
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace

from course_book.after_writing import live_data, live_qwen
from course_lib.byte_pair import BytePairTokenizer
from course_lib.language_model import LanguageModel
from course_lib.weights.builtin import QWEN, QWEN_GGUF, local_folder
from course_lib.weights.gguf_file import open_gguf
from course_lib.weights.names import GGUF_NAMES, translated

ROOT = Path(__file__).parents[2]
FIREFOX = shutil.which("firefox") or shutil.which("firefox-esr")
GGUF = local_folder(QWEN) / QWEN_GGUF
pytestmark = [
    pytest.mark.guards("live", "_ext", "chapters"),
    pytest.mark.thorough,
    pytest.mark.timeout(900),
    pytest.mark.skipif(not GGUF.is_file(), reason="机器上没有 Qwen2.5-Coder：指名要了才取"),
]

SCRIPTS = [
    "engine.js",
    *(
        f"llm/{name}.js"
        for name in ("byte_pair", "blocks", "language_model", "sampling", "questions", "engine")
    ),
]
PARIS = "中国的首都是北京，法国的首都是"
PROMPTS = [
    PARIS,
    "今天天气很好，我们一起去公园里散步，",
    "从前有座山，山里有座庙，庙里有个老和尚在讲故事，讲的是",
    "老師說，明天要考試，",
    "水的化学式是",
    "狗咬了人。人咬了狗。\n\n“怎么会这样？”",
]
QUESTIONS = ["谁写了《红楼梦》？", "法国的首都是哪里？"]


@cache
def tokenizer() -> BytePairTokenizer:
    return BytePairTokenizer.from_gguf(GGUF)


@cache
def language_model() -> LanguageModel:
    return LanguageModel.from_pretrained(GGUF)


@cache
def numbers() -> torch.Tensor:
    """带着的词元在整份词表里的编号，依次。"""
    return torch.tensor(live_qwen.all_fields()[1])


def prompts() -> list[str]:
    return PROMPTS + [tokenizer().chat([{"role": "user", "content": text}]) for text in QUESTIONS]


@pytest.fixture(scope="module")
def files():
    """写下的数据，一共 299 MB。"""
    return dict(live_qwen.data_files())


@pytest.fixture(scope="module")
def site(tmp_path_factory, files):
    return make_site(tmp_path_factory.mktemp("qwen"), "qwen", files.items(), SCRIPTS)


# ---- 写下的数据


def test_the_pieces_are_the_files_own_blocks(files):
    """带着的各行与各层，换成浮点数，就是课程库装进模型的权重：每一位都相同；一共不到 300 MB，一片不到 4 MB。"""
    config = json.loads(files["config.json"])
    assert config["files"] == {name: len(content) for name, content in files.items() if name != "config.json"}
    assert sum(config["files"].values()) <= 300e6 and max(config["files"].values()) <= 4e6
    model, kinds = language_model().state_dict(), config["kinds"]

    def check(content, name, kind, rows=None):
        expected = model[translated(GGUF_NAMES, name)]
        expected = expected if rows is None else expected[rows]
        if kind is None:
            size = 4 * expected.numel()
            assert torch.equal(torch.frombuffer(bytearray(content[:size]), dtype=torch.float32), expected), (
                name
            )
        else:
            which = gguf.GGMLQuantizationType[kind]
            per, block = gguf.GGML_QUANT_SIZES[which]
            size = expected.numel() // per * block
            stored = np.frombuffer(content[:size], np.uint8).reshape(len(expected), -1)
            assert torch.equal(torch.from_numpy(gguf.dequantize(stored, which)), expected), name
        return content[size:]

    for file, name, kind in (
        ("tokens", "token_embd.weight", kinds["tokens"]),
        ("output", "output.weight", kinds["output"]),
    ):
        rest = b"".join(content for each, content in files.items() if each.startswith(file))
        assert check(rest, name, kind, numbers()) == b""
    assert check(files["norm.bin"], "output_norm.weight", None) == b""
    for number, layer in enumerate(kinds["layers"]):
        rest = files[f"layer{number}.bin"]
        for name in live_qwen.FIRST:
            rest = check(rest, f"blk.{number}.{name}", None)
        for name, kind in zip(live_qwen.MATRICES, layer, strict=True):
            if name.startswith("ffn"):
                rest += files[f"{name[4:]}{number}.bin"]
            rest = check(rest, f"blk.{number}.{name}.weight", kind)
        assert rest == b""


def test_the_vocabulary_is_closed(files):
    """每个词元的两段都带着；第 i 条合并得出第 NUM_BYTES + i 个词元；特殊词元、单个的字节与对话模板都在。"""
    fields = open_gguf(GGUF).fields
    tokens, _, merges = live_qwen.listed(fields)
    assert [rule.replace(" ", "") for rule in merges] == tokens[live_qwen.NUM_BYTES :][: len(merges)]
    # chapters/running.md 里写着的
    assert (len(tokens), len(numbers())) == (151_936, 32_526) and live_qwen.EARLY_MERGES == 8000
    vocabulary = json.loads(files["vocab.json"])
    kept = set(vocabulary["tokens"])
    assert vocabulary["tokens"] == [tokens[i] for i in vocabulary["numbers"]]
    assert all(half in kept for rule in vocabulary["merges"] for half in rule.split(" "))
    assert set(tokenizer().special) | set(tokens[: live_qwen.NUM_BYTES]) <= kept
    told = tokenizer().encode(tokenizer().chat([{"role": "user", "content": "你好"}]))
    assert set(told) <= set(vocabulary["numbers"])
    ids = [json.loads(files["config.json"])[name] for name in ("bosId", "eosId", "padId")]
    assert [vocabulary["numbers"][i] for i in ids] == [
        tokenizer().bos_id,
        tokenizer().eos_id,
        tokenizer().pad_id,
    ]


# ---- 与 course_lib 相同


def pruned() -> BytePairTokenizer:
    """只带着那些词元的分词器：词表外的文字由它来切。"""
    vocabulary = live_qwen.vocabulary(live_qwen.all_fields()[0], numbers().tolist())
    return BytePairTokenizer(
        {token: i for i, token in enumerate(vocabulary["tokens"])},
        [tuple(rule.split(" ")) for rule in vocabulary["merges"]],
        tokenizer().special,
        patterns=tokenizer().patterns,
        normalization=tokenizer().normalization,
        template=tokenizer().template,
    )


def chapter_lines() -> list[str]:
    """全书的每一行：正文、英文、公式、代码都有。"""
    lines = []
    for path in sorted((ROOT / "chapters").glob("*.ipynb")):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            lines += "".join(cell["source"]).split("\n")
    return list(dict.fromkeys(lines))


# 只有汉字、中文标点与数字的
CHINESE = regex.compile(rf"[{live_qwen.CHINESE}0-9]+")


def test_the_same_tokens_on_the_whole_book(browser, site):
    """全书每一行：与带着那些词元的 course_lib 逐个相同；整份词表切出来的都带着的，编号也就是它的，只写中文的行都是。"""
    texts, ours = chapter_lines() + prompts(), pruned()
    with serve(site) as url:
        page = visit(browser, url)
        cut = page.evaluate(
            """async ([texts, vocabulary]) => {
              const tokenizer = new (liveBytePair().BytePairTokenizer)({ ...vocabulary, template: vocabulary.chatTemplate });
              globalThis.qwen = tokenizer;
              return texts.map((text) => { const ids = tokenizer.encode(text); return [ids, ids.map(tokenizer.numberOf), tokenizer.decode(ids)]; });
            }""",
            [
                texts,
                json.loads(
                    b64decode(
                        (site / "live/data/qwen/vocab.json.js").read_bytes().split(b"/*")[1].split(b"*/")[0]
                    )
                ),
            ],
        )
        for question in QUESTIONS:
            messages = [{"role": "user", "content": question}]
            assert page.evaluate("(messages) => qwen.chat(messages)", messages) == tokenizer().chat(messages)
        page.context.close()
    known, same = set(numbers().tolist()), 0
    for text, (ids, told, decoded) in zip(texts, cut, strict=True):
        assert ids == ours.encode(text) and decoded == ours.decode(ids)
        full = tokenizer().encode(text)
        same += told == full
        assert (told == full) == known.issuperset(full)
        assert told == full or not CHINESE.fullmatch(text)
    print(f"\n全书 {len(texts)} 行，{same} 行与整份词表切得一样")
    assert same > 5000  # 代码、公式与英文的行多


@pytest.mark.parametrize("scheme", ["http", "file"])
@torch.no_grad()
def test_the_same_logits_weights_and_lengths(browser, site, scheme):
    """每个前文：带着的各行的分数、各层的长度、几个头的权重、逐层的透镜，都与库里的相同。"""
    with serve(site) as url:
        page = visit(browser, {"http": url, "file": f"{site.as_uri()}/"}[scheme])
        page.evaluate(
            "async () => { globalThis.engine = await LiveLlm.open({ root: '../live/', folder: 'qwen' }); }"
        )
        model, worst = language_model(), 0
        for text in prompts()[:: 1 if scheme == "http" else 3]:
            ids = page.evaluate("(text) => engine.tokenizer.encode(text)", text)
            assert numbers()[ids].tolist() == tokenizer().encode(text)
            expected = model(
                torch.tensor([numbers()[ids].tolist()]), output_hidden_states=True, need_weights=True
            )
            got = page.evaluate(
                f"""async (ids) => {{
                  {BASE64}
                  const {{ logits }} = await engine.feed(ids, {{ cache: false }});
                  const heads = await Promise.all([[0, 0], [11, 6], [23, 13]].map((each) => engine.attention(...each)));
                  return [base64(logits), base64(await engine.norms()), heads.map(base64), await engine.lens(ids.length - 1)];
                }}""",
                ids,
            )
            logits, norms, heads, lens = got
            error = relative(floats(logits), expected.logits[0, -1][numbers()])
            worst = max(worst, error)
            assert error <= 1e-4, text
            hidden = torch.cat(expected.hidden_states)
            torch.testing.assert_close(
                floats(norms).view(hidden.shape[:2]), hidden.norm(dim=-1), rtol=1e-4, atol=1e-4
            )
            for (layer, head), weights in zip([(0, 0), (11, 6), (23, 13)], heads, strict=True):
                assert (
                    floats(weights).view(len(ids), -1) - expected.attentions[layer][0, head]
                ).abs().max() < 1e-4
            shares = model.head(model.norm(hidden[:, -1]))[:, numbers()].softmax(-1)
            for level, share in zip(lens, shares, strict=True):
                found = torch.tensor([each["probability"] for each in level["top"]])
                assert (found - share.topk(5).values).abs().max() < 1e-4
        print(f"\n{scheme}：分数最多差 {worst:.1e}，以最大的一个为 1")
        # 贪心地写，与库里的相同；每秒几个
        ids = page.evaluate("(text) => engine.tokenizer.encode(text)", prompts()[-2])
        wrote, milliseconds = page.evaluate(
            """async (ids) => {
              const times = [], start = ids.length;
              while (ids.length < start + 16) {
                const { logits, milliseconds } = await engine.feed(ids);
                ids.push(logits.indexOf(logits.reduce((a, b) => Math.max(a, b))));
                times.push(milliseconds);
              }
              return [ids.slice(start), times.slice(1).sort((a, b) => a - b)];
            }""",
            ids,
        )
        sequence = numbers()[ids].tolist()
        for each in wrote:
            assert model(torch.tensor([sequence]), last_only=True).logits[0, -1][numbers()].argmax() == each
            sequence.append(numbers()[each].item())
        print(
            f"{tokenizer().decode(numbers()[wrote].tolist())}：每秒 {1000 / milliseconds[len(milliseconds) // 2]:.1f} 个"
        )
        page.context.close()


# 在 Firefox 里算一遍，把分数送回来
IN_FIREFOX = """
const send = (told) => fetch(%s, { method: "POST", mode: "no-cors", body: JSON.stringify(told) });
(async () => {
  const engine = await LiveLlm.open({ root: "../live/", folder: "qwen" }), told = [];
  for (const text of %s) {
    const ids = engine.tokenizer.encode(text), { logits } = await engine.feed(ids, { cache: false });
    told.push([ids, [...logits]]);
  }
  return told;
})().then(send, ({ message }) => send(message));
"""


@pytest.mark.skipif(not FIREFOX, reason="机器上没有 Firefox")
@pytest.mark.parametrize("scheme", ["http", "file"])
@torch.no_grad()
def test_firefox_says_the_same(site, tmp_path, scheme):
    told = queue.Queue()

    class Listener(Quiet):
        def do_POST(self):  # noqa: N802
            told.put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(204)
            self.end_headers()

    texts = prompts()[::3]
    with serve(site, Listener) as url:
        script = IN_FIREFOX % (json.dumps(url), json.dumps(texts))
        html = f"<!doctype html><meta charset=utf-8><title>页</title>{tags(SCRIPTS)}<script>{script}</script>"
        (site / "chapters/firefox.html").write_text(html, encoding="utf-8")
        address = {"http": url, "file": f"{site.as_uri()}/"}[scheme] + "chapters/firefox.html"
        command = [FIREFOX, "--headless", "--no-remote", "--profile", tmp_path, address]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as firefox:
            try:
                answers = told.get(timeout=300)
            finally:
                firefox.terminate()
    assert isinstance(answers, list), answers
    for text, (ids, logits) in zip(texts, answers, strict=True):
        assert numbers()[ids].tolist() == tokenizer().encode(text)
        expected = language_model()(torch.tensor([tokenizer().encode(text)]), last_only=True).logits[0, -1]
        assert relative(torch.tensor(logits), expected[numbers()]) <= 1e-4, text


# ---- 一页书


def choose(page, i):
    page.locator(".live-models label").nth(i).click()


@pytest.fixture(scope="module")
def book(tmp_path_factory, files):
    """LIVE_QWEN=1 成的一本只有一页的书，两个模型都在。"""
    root = tmp_path_factory.mktemp("book")
    (root / "chapters").mkdir()
    (root / "chapters/llm.rst").write_text(
        '页\n==\n\n.. raw:: html\n\n   <div class="live-llm" data-text="The capital of France is"></div>\n',
        encoding="utf-8",
    )
    rooms = ["course_book.templates.live_page", "course_book.after_writing.live_data"]
    settings = {"extensions": rooms, "root_doc": "chapters/llm", "project": "小书"}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LIVE_QWEN", "1")
        patch.setattr(live_qwen, "data_files", lambda: iter(files.items()))
        live_data.put_data.cache_clear()
        with docutils_namespace():
            Sphinx(root, None, root / "html", root / "trees", "html", settings, status=None).build()
        live_data.put_data.cache_clear()
    return root / "html"


@torch.no_grad()
def test_the_panel_turns_to_it_and_back(browser, book):
    """按钮上写着大小；打开它，写，看里面；换回英文的，再换回来，各是各的。"""
    files = live_data.written(book / "live/data/qwen")["files"]
    with serve(book) as url:
        page = new_page(browser, url + "chapters/llm.html", **WINDOW)
        choose(page, 1)
        assert f"约 {round(sum(files.values()) / 1e6)} MB" in page.inner_text(".llm-opening .live-open")
        assert page.locator(".llm-ask textarea").input_value() == PARIS and "model=zh" in page.url
        assert not any("/live/data/" in asked for asked in page.asked)
        press_open(page)
        expected = (
            language_model()(torch.tensor([tokenizer().encode(PARIS)])).logits[0, -1][numbers()].softmax(-1)
        )
        assert shown(page)["prompt"] == tokenizer().encode(PARIS)  # 写着的是整份词表里的编号
        assert [token for token, _ in shown(page)["bars"][:10]] == expected.topk(10).indices.tolist()
        step(page)
        assert shown(page)["text"] == "巴黎"
        open_view(page, "attention")
        assert "24 层 × 14 个头" in page.inner_text("[data-view=attention] > summary")
        assert page.locator(".llm-cell").count() == 24 * 14
        for view, there in (
            ("lens", "第 24 层就是它真正的预测"),
            ("norms", "的向量在第"),
            ("cache", "24 层的键与值"),
        ):
            open_view(page, view)
            page.locator(f"[data-view={view}]").get_by_text(there).wait_for()
        page.locator(".live-examples button", has_text="狗与人").click()
        settle(page)
        page.wait_for_function("document.querySelectorAll('[data-bits]').length === 9")
        choose(page, 0)
        page.get_by_text("打开 SmolLM2").wait_for()
        assert page.locator(".llm-surprise").is_hidden() and shown(page)["stale"]
        press_open(page)
        assert shown(page)["bars"][0][1] == pytest.approx(0.773, abs=1e-3)
        choose(page, 1)
        settle(page)
        assert [token for token, _ in shown(page)["bars"][:10]] == expected.topk(10).indices.tolist()
        # 一问一答，写到说完
        page.locator(".live-examples button", has_text="17 + 25").click()
        settle(page)
        stream(page, 24)
        assert shown(page)["written"]
        assert [error for error in page.errors if "404" not in error] == []  # 小书没有图标
        page.context.close()
