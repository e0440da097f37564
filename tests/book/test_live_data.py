"""成书时写下的两个模型的数据：切开的文件接起来就是原来的权重；大小；两次写下的一字节不差；LIVE_LLM=0 的书里没有大语言模型的。"""

import gzip
import json
import os
import re
from base64 import b64decode

import gguf
import numpy as np
import pytest
import torch
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace

from course_book.after_writing import live_bert, live_data, live_llm, live_multilingual
from course_lib.bert import Bert
from course_lib.language_model import LanguageModel
from course_lib.unigram import SPECIAL_TOKENS
from course_lib.weights import builtin_llm_path, builtin_multilingual_path
from course_lib.weights.e5_file import open_e5
from course_lib.weights.gguf_file import open_gguf
from course_lib.weights.names import GGUF_NAMES, translated

ROOMS = ["course_book.templates.live_page", "course_book.after_writing.live_data"]


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """写下的大语言模型的数据。"""
    folder = tmp_path_factory.mktemp("data") / "llm"
    live_data.write_data(folder, live_llm.data_files())
    return folder


def content(folder, name):
    """一个数据脚本的内容：全文只有一句 deliver。"""
    script = (folder / f"{name}.js").read_text(encoding="ascii")
    match = re.fullmatch(
        rf'LiveEngine\.deliver\("{folder.name}/{name}", \(\) => {{/\*([\w+/=]*)\*/}}\);\n', script
    )
    return b64decode(match[1], validate=True)


def test_the_pieces_make_up_every_tensor_of_the_file(data):
    """各片依次接起来，每个张量的字节都是文件里的，一个不缺；照格式换成浮点数，就是课程库装进模型的权重。"""
    reader = open_gguf(builtin_llm_path())
    order = [f"blk.{i}.{name}.weight" for i in range(30) for name in live_llm.LAYER]
    order = ["output_norm.weight", "token_embd.weight", *order]
    tensors = {tensor.name: tensor for tensor in reader.tensors}
    assert sorted(order) == sorted(tensors)
    model = LanguageModel.from_pretrained(builtin_llm_path()).state_dict()
    names = ["norm.bin", *(f"tokens{i}.bin" for i in range(12)), *(f"layer{i}.bin" for i in range(30))]
    raw, start = b"".join(content(data, name) for name in names), 0
    for name in order:
        tensor = tensors[name]
        ours, start = raw[start : start + tensor.n_bytes], start + tensor.n_bytes
        assert ours == tensor.data.tobytes(), name
        stored = np.frombuffer(ours, tensor.data.dtype).reshape(tensor.data.shape)
        numbers = torch.from_numpy(gguf.dequantize(stored, tensor.tensor_type).copy())
        assert torch.equal(numbers, model[translated(GGUF_NAMES, name)]), name
    assert start == len(raw)


def test_the_config_tells_the_order_and_the_sizes(data):
    config = json.loads(content(data, "config.json"))
    files = config["files"]
    assert list(files) == [name for name, _ in live_llm.data_files()][1:]
    assert list(files)[:3] == ["blocks.wasm", "vocab.json", "norm.bin"] and list(files)[-1] == "layer29.bin"
    assert files == {name: len(content(data, name)) for name in files}
    assert {path.name for path in data.iterdir()} == {f"{name}.js" for name in ("config.json", *files)}
    llm = LanguageModel.from_pretrained(builtin_llm_path()).config
    assert config["dModel"] == llm.d_model and config["dHead"] * llm.num_heads == llm.d_model
    assert (config["ropeTheta"], config["normEps"]) == (llm.rope_theta, llm.norm_eps)
    ids = [config[name] for name in ("bosId", "eosId", "padId")]
    assert ids == [llm.bos_id, llm.eos_id, llm.pad_id]


def test_the_vocabulary_is_the_files_own(data):
    vocabulary = json.loads(content(data, "vocab.json"))
    fields = open_gguf(builtin_llm_path()).fields
    for name in ("tokens", "merges", "pre"):
        assert vocabulary[name] == fields[f"tokenizer.ggml.{name}"]
    assert list(map(int, vocabulary["types"])) == fields["tokenizer.ggml.token_type"]
    assert vocabulary["chatTemplate"] == fields["tokenizer.chat_template"]


def test_small_enough(data):
    """网站压缩之后不超过 100 MB，也就是按钮上写的；不压缩、从硬盘打开，不超过 135 MB。"""
    scripts = [path.read_bytes() for path in data.iterdir()]
    stored, sent = sum(map(len, scripts)), sum(len(gzip.compress(script, 6)) for script in scripts)
    told = sum(json.loads(content(data, "config.json"))["files"].values())
    print(f"\n原来 {told / 1e6:.1f} MB，base64 {stored / 1e6:.1f} MB，gzip -6 之后 {sent / 1e6:.1f} MB")
    assert stored <= 135e6 and sent <= 100e6
    assert abs(sent / told - 1) < 0.02
    assert max(map(len, scripts)) < 4e6  # 断了只重取一片


def test_written_twice_it_is_the_same(data, tmp_path):
    live_data.write_data(tmp_path / "llm", live_llm.data_files())
    for path in data.iterdir():
        assert (tmp_path / "llm" / path.name).read_bytes() == path.read_bytes()
    assert live_bert.data_files.__wrapped__() == live_bert.data_files()


# ---- 多语 BERT ----


def test_the_multilingual_pieces_are_the_bytes_of_the_file():
    """各层与带着的各行，换成浮点数就是课程库装进模型的权重；分数、编号与片段对得上；一共不超过 20 MB。"""
    files = live_multilingual.data_files()
    config = json.loads(files["config.json"])
    assert config["files"] == {name: len(each) for name, each in files.items() if name != "config.json"}
    assert sum(config["files"].values()) <= 20e6
    bert = Bert.from_pretrained(builtin_multilingual_path())
    sent = sum(len(gzip.compress(live_data.as_script(name, each), 6)) for name, each in files.items())
    print(f"\n原来 {sum(map(len, files.values())) / 1e6:.1f} MB，gzip -6 之后 {sent / 1e6:.1f} MB")
    assert sent <= 20e6

    def numbers(content, shape):
        blocks = np.frombuffer(content, np.uint8).reshape(shape[0], -1)
        return torch.from_numpy(gguf.dequantize(blocks, gguf.GGMLQuantizationType.Q4_0).copy()).view(shape)

    for number, layer in enumerate(bert.encoder.layers):
        content, start = files[f"layer{number}.bin"], 0
        for parameter in layer.parameters():
            size = parameter.numel() // 32 * 18 if parameter.dim() == 2 else 4 * parameter.numel()
            part, start = content[start : start + size], start + size
            same = (
                numbers(part, parameter.shape)
                if parameter.dim() == 2
                else torch.frombuffer(bytearray(part), dtype=torch.float32)
            )
            assert torch.equal(same, parameter)
        assert start == len(content)
    ids = np.frombuffer(files["ids.bin"], "<u4").astype(int)
    rows = b"".join(each for name, each in files.items() if name.startswith("tokens"))
    assert torch.equal(numbers(rows, (len(ids), 384)), bert.embeddings.tokens.weight[ids])
    scores = open_e5(builtin_multilingual_path()).scores
    pieces = list(scores)
    vocabulary = json.loads(files["vocab.json"])
    assert vocabulary["pieces"] == [pieces[i] for i in ids]
    assert np.frombuffer(files["scores.bin"], "<f4").tolist() == [
        scores[each] for each in vocabulary["pieces"]
    ]
    assert vocabulary["unknown"] == min(scores.values()) - 10


def test_what_travels_follows_the_rule():
    """汉字、标点、数字拼成的一个不落；英文的照英文 BERT 的词表；别的文字没有。"""
    made = [
        "<s>",
        "▁",
        "我",
        "▁我们",
        "2019年",
        "，“",
        "a",
        "▁B",
        "▁cat",
        "ing",
        "▁zqx",
        "한국",
        "▁и",
        "私は",
        "▁The",
        "▁Cat",
    ]
    kept = [made[i] for i in live_multilingual.travels(made, {"cat", "##ing", "и"})]
    assert kept == ["<s>", "▁", "我", "▁我们", "a", "2019年", "，“", "▁B", "▁cat", "ing", "▁The", "▁Cat"]
    pieces, ids = live_multilingual.all_pieces()
    travelling = {pieces[i] for i in ids}
    assert set(SPECIAL_TOKENS) <= travelling and len(set(ids)) == len(ids)
    han = [piece for piece in pieces if re.fullmatch("▁?[\u3400-\u9fff0-9，。！？、：；%]+", piece)]
    assert len(han) > 17_000 and travelling.issuperset(han)
    assert sum(bool(re.search("[а-яא-ת가-힣ぁ-ゖァ-ヺ]", piece)) for piece in travelling) == 0


# ---- 写进书里 ----


def build(root, monkeypatch, wanted=""):
    """成一本只有一页的书；返回那一页的文字。"""
    monkeypatch.setenv("LIVE_LLM", wanted)
    live_data.put_data.cache_clear()
    (root / "chapters").mkdir(exist_ok=True)
    page = root / "chapters/llm.rst"
    if not page.exists():
        page.write_text('页\n==\n\n.. raw:: html\n\n   <div class="live-llm"></div>\n', encoding="utf-8")
    settings = {"extensions": ROOMS, "root_doc": "chapters/llm", "project": "小书"}
    with docutils_namespace():
        Sphinx(root, None, root / "html", root / "trees", "html", settings, status=None).build()
    live_data.put_data.cache_clear()
    return (root / "html/chapters/llm.html").read_text(encoding="utf-8")


def test_a_book_with_and_without_the_model(tmp_path, monkeypatch):
    """LIVE_LLM=0：没有数据，页照样成，只是不说有多少字节；换回来就又有了，没有变的不再写。"""
    data = tmp_path / "html/live/data/llm"
    told = r'panel\.js" data-root="\.\./live/" data-page="\.\./chapters/llm\.html" data-bytes="(\d+)"'
    size = int(re.search(told, build(tmp_path, monkeypatch))[1])
    assert size == sum(len(content) for name, content in live_llm.data_files() if name != "config.json")
    written = {path: path.stat().st_mtime_ns for path in data.iterdir()}
    monkeypatch.setattr(live_llm, "data_files", lambda: pytest.fail("没有变，不必再写"))
    build(tmp_path, monkeypatch)
    assert {path: path.stat().st_mtime_ns for path in data.iterdir()} == written
    without = build(tmp_path, monkeypatch, "0")
    assert not data.exists() and (tmp_path / "html/live/data/bert/config.json.js").is_file()
    assert 'class="live-llm"' in without and "llm/panel.js" in without and "data-bytes" not in without
    monkeypatch.undo()
    assert re.search(told, build(tmp_path, monkeypatch)) and len(list(data.iterdir())) == len(written)


@pytest.mark.parametrize("name", ["config.json.js", "layer7.bin.js"])
@pytest.mark.parametrize("break_it", [os.unlink, lambda path: os.truncate(path, 1000)], ids=["gone", "half"])
def test_broken_data_is_seen(tmp_path, name, break_it):
    files = {"layer7.bin": b"1" * 2000}
    config = json.dumps({"origin": "o" * 800, "files": {name: len(each) for name, each in files.items()}})
    live_data.write_data(tmp_path / "llm", ({"config.json": config.encode()} | files).items())
    assert live_data.written(tmp_path / "llm")["origin"] == "o" * 800
    break_it(tmp_path / "llm" / name)
    assert live_data.written(tmp_path / "llm") == {}


def test_the_origin_follows_its_sources(tmp_path, monkeypatch):
    kernel = tmp_path / "blocks.wat"
    monkeypatch.setattr(live_llm, "KERNEL", kernel)
    origins = []
    for text in ("一", "二", "一"):
        kernel.write_text(text, encoding="utf-8")
        origins.append(live_llm.origin())
    assert origins[0] == origins[2] != origins[1]


def test_unchanged_files_are_not_rewritten(tmp_path):
    """没有变的不写，断了的重写，多出来的删去，文件夹不动。"""
    files = {"a.bin": b"one", "b.bin": b"two"}
    live_data.fill_folder(tmp_path, files.items())
    (tmp_path / "b.bin").write_bytes(b"t")
    (tmp_path / "old.bin").write_bytes(b"three")
    (tmp_path / "more").mkdir()
    os.utime(tmp_path / "a.bin", (1, 1))
    live_data.fill_folder(tmp_path, files.items())
    (tmp_path / "more").rmdir()
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == files
    assert (tmp_path / "a.bin").stat().st_mtime == 1


def test_quantization_is_symmetric_in_groups():
    weight = torch.zeros(2, 128)
    weight[0, :64] = torch.linspace(-1, 0.5, 64)
    weight[1, 64:] = 3.0
    integers, scales = live_bert.quantize(weight)
    assert integers.dtype == torch.int8 and integers.shape == weight.shape and scales.shape == (2, 2)
    assert integers[0, 0] == -127 and (integers[1, 64:] == 127).all() and (integers[1, :64] == 0).all()
    torch.testing.assert_close(live_bert.dequantize(integers, scales), weight, atol=0.5 / 127, rtol=0)
