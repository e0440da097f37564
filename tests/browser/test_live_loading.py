"""live/engine.js 怎样取数据：次序、进度、断在半路、叫停、接着取，经 http 与从 file:// 打开都一样。

一个字节不差，用大语言模型的真数据查；其余的用名字相同的小文件。两样都不用它的计算。
"""

import json
import zlib
from itertools import accumulate

import pytest
from built_book import serve
from live_pages import both_ways, mostly_http

from course_book.after_writing import live_data, live_llm

pytestmark = pytest.mark.guards("live", "_ext")

# 收下一个文件，只算它的校验和：zlib 的 adler32
ENGINE = """
class Engine extends LiveEngine {
  constructor(root) {
    super({ root, folder: "llm", code: `(config, { fail, transfer }) => {
      const adler = (data) => {
        let a = 1, b = 0;
        for (const byte of new Uint8Array(data)) { a = (a + byte) % 65521; b = (b + a) % 65521; }
        return b * 65536 + a;
      };
      const sums = [], keep = (data, number) => { sums.push(adler(data)); return sums.at(-1); };
      const files = { blocks: keep, vocab: keep, norm: keep, tokens: keep, layer: keep };
      const refuse = () => fail("这一句给读者看。");
      const give = () => { const numbers = new Float32Array(sums.length); transfer(numbers); return { sums, numbers }; };
      return { files, calls: { give, refuse, stumble: () => missing } };
    }` });
  }
}
const progress = [];
const engine = new Engine("live/");
const open = async () => {
  try {
    await engine.open((loaded, total) => progress.push([loaded, total]));
    await engine.complete;
    return "都到了";
  } catch ({ message, again }) {
    return again ? message : `不能再试：${message}`;
  }
};
"""
PAGE = '<!doctype html><meta charset=utf-8><title>页</title><script src="live/engine.js"></script>'


def make_site(root, files):
    live_data.write_scripts(root / "live")
    live_data.write_data(root / "live/data/llm", files.items())
    (root / "page.html").write_text(f"{PAGE}<script>{ENGINE}</script>", encoding="utf-8")


@pytest.fixture(scope="module")
def real(tmp_path_factory):
    root = tmp_path_factory.mktemp("real")
    make_site(root, dict(live_llm.data_files()))
    return root


@pytest.fixture(scope="module")
def files():
    # 头一个的 base64 全是斜杠
    names = ["blocks.wasm", *(f"tokens{i}.bin" for i in range(4)), *(f"layer{i}.bin" for i in range(6))]
    contents = {name: bytes([255 - i]) * (999 + i) for i, name in enumerate(names)}
    config = {"files": {name: len(content) for name, content in contents.items()}}
    return {"config.json": json.dumps(config).encode()} | contents


@pytest.fixture
def site(tmp_path, files):
    make_site(tmp_path, files)
    return tmp_path


@pytest.fixture
def open_page(browser):
    """打开一处的那一页；`page.asked` 是它要过的文件，依次，没有取到的也算。"""
    pages = []

    def open_it(url):
        page = browser.new_context().new_page()
        pages.append(page)
        page.asked = []
        page.on("request", lambda request: page.asked.append(request.url))
        page.goto(f"{url}page.html")
        return page

    yield open_it
    for page in pages:
        page.context.close()


@pytest.fixture
def visit(open_page, site):
    with serve(site) as url:
        yield lambda scheme: open_page({"http": url, "file": f"{site.as_uri()}/"}[scheme])


def asked(page):
    names = [url.partition("/live/data/llm/")[2] for url in page.asked]
    return [name.partition("?")[0].removesuffix(".js") for name in names if name]


@both_ways
def test_every_byte_arrives(open_page, real, scheme):
    files = dict(live_llm.data_files())
    with serve(real) as url:
        page = open_page({"http": url, "file": f"{real.as_uri()}/"}[scheme])
        assert page.evaluate("open()") == "都到了"
    assert asked(page) == list(files)
    sums = page.evaluate("engine.ask('give').then(({ sums }) => sums)")
    assert sums == [zlib.adler32(content) for name, content in files.items() if name != "config.json"]


@both_ways
def test_everything_arrives_in_the_order_of_the_config(visit, files, scheme):
    """打开之前什么也不取；打开之后一个接一个，进度照实说；取齐了不再取。"""
    page = visit(scheme)
    assert asked(page) == []
    assert page.evaluate("open()") == "都到了"
    assert asked(page) == list(files)
    sums = page.evaluate("engine.ask('give').then(({ sums }) => sums)")
    assert page.evaluate("engine.arrival('layer5.bin')") == sums[-1]  # 收下时算的也交给页面
    assert page.evaluate("engine.ask('give').then(({ numbers }) => numbers.length)") == len(sums)
    sizes = list(json.loads(files["config.json"])["files"].values())
    assert page.evaluate("progress") == [[loaded, sum(sizes)] for loaded in accumulate(sizes)]
    assert page.evaluate("open()") == "都到了" and asked(page) == list(files)


DAMAGES = {
    "断了": lambda script, name, content: script[: len(script) // 2],
    "空的": lambda script, name, content: b"",
    "短了": lambda script, name, content: live_data.as_script(f"llm/{name}", content[:-20]),
    "别的": lambda script, name, content: live_data.as_script("llm/tokens0.bin", content),
    "不是 base64": lambda script, name, content: (
        b'LiveEngine.deliver("llm/%s", () => {/*%%*/});' % name.encode()
    ),
    "没有": None,
}


@mostly_http
@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("name", ["config.json", "layer3.bin"])
def test_a_broken_file_is_named_and_loading_goes_on_from_it(visit, site, files, scheme, damage, name):
    """坏的一个说得出；补好再打开，取到过的不再取。"""
    path = site / f"live/data/llm/{name}.js"
    whole = path.read_bytes()
    page = visit(scheme)
    try:
        if DAMAGES[damage] is None:
            path.unlink()
            where = {"http": "网络是否连着", "file": "书的文件夹里有没有它"}[scheme]
            told = f"取不到数据文件 {name}.js，请看看{where}，再试一次。"
        else:
            path.write_bytes(DAMAGES[damage](whole, name, files[name]))
            told = f"数据文件 {name}.js 不完整，请再试一次。"
        before = list(files)[: list(files).index(name) + 1]
        assert page.evaluate("open()") == told and asked(page) == before
        assert page.evaluate("open()") == told and asked(page) == [*before, name]
    finally:
        path.write_bytes(whole)
    assert page.evaluate("open()") == "都到了"
    assert asked(page) == [*before, name, *list(files)[len(before) - 1 :]]
    assert len(page.evaluate("engine.ask('give').then(({ sums }) => sums)")) == len(files) - 1


@both_ways
def test_stopped_it_goes_on_when_opened_again(visit, files, scheme):
    page = visit(scheme)
    stop = "(loaded, total) => { if (loaded > total / 3) engine.pause(); }"
    said = page.evaluate(
        f"engine.open({stop}).then(() => engine.complete).catch(({{ message, again }}) => [message, again])"
    )
    assert said == ["停下了；已经取到的都留着，再按一次就接着取。", True]
    some = asked(page)
    assert 1 < len(some) < len(files) / 2
    assert page.evaluate("open()") == "都到了" and asked(page) == list(files)


def test_the_connection_breaks_and_comes_back(visit, files):
    page = visit("http")
    page.route("**/tokens2.bin.js*", lambda route: route.abort())
    told = "取不到数据文件 tokens2.bin.js，请看看网络是否连着，再试一次。"
    assert page.evaluate("open()") == told
    page.unroute("**/tokens2.bin.js*")
    before = len(asked(page))
    assert page.evaluate("open()") == "都到了"
    assert asked(page)[before - 1 :] == ["tokens2.bin", *list(files)[before - 1 :]]


def test_what_goes_wrong_in_the_worker_is_said(visit):
    page = visit("file")
    page.evaluate("open()")
    said = "(call) => engine.ask(call).catch(({ message, again }) => [message, again])"
    assert page.evaluate(said, "refuse") == ["这一句给读者看。", None]
    message, _ = page.evaluate(said, "stumble")
    assert message.startswith("算不下去了（") and message.endswith("），请刷新页面再试。")
    page.evaluate("engine.worker.dispatchEvent(new ErrorEvent('error'))")
    assert page.evaluate(said, "give") == ["后台线程停了，可能是内存不够，请再试一次。", True]
