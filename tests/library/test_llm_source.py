"""大语言模型从哪里来：GGUF 文件、本地文件夹、hub 上的名字；取不到、不能用，一句话说的是 COURSE_LLM。"""

import json

import pytest
import torch
from hub_server import serving_alone
from safetensors.torch import save
from tiny_models import WEIGHTS, refusal

from course_lib.weights import builtin_llm_path, llm_source, model_folder, uses_builtin_llm

pytestmark = pytest.mark.guards("course_lib/weights")

REPO = "someone/tiny-llama"
PIECE = "model-00001-of-00002.safetensors"
INDEX = "model.safetensors.index.json"
FILES = {
    "config.json": json.dumps({"model_type": "llama"}).encode(),
    WEIGHTS: save({"model.norm.weight": torch.ones(4)}),
    "tokenizer.json": b"{}",
    "tokenizer_config.json": b"{}",
    "chat_template.jinja": b"{{ messages[0].content }}",
}
# 文件的增减 → 报错里的话；本地的文件夹与 hub 上的都是这样说
FAULTS = {
    "不是 Llama": (
        {"config.json": b'{"model_type": "bert"}'},
        "model_type 是 'bert'，课程只装 'llama'、'qwen2'、'qwen3'",
    ),
    "配置读不出来": ({"config.json": b"{"}, "config.json 读不出来"),
    "权重分成几个": ({WEIGHTS: None, INDEX: b"{}", PIECE: b""}, f"分成了几个文件（{INDEX}）"),
    "只有 pickle": ({WEIGHTS: None, "pytorch_model.bin": b""}, "pickle"),
    "权重是半个": ({WEIGHTS: FILES[WEIGHTS][:-1]}, f"{WEIGHTS} 打不开"),
    "没有词表": ({"tokenizer.json": None, "vocab.txt": b"a"}, "没有词表（tokenizer.json）"),
}
IN_FOLDERS = FAULTS | {
    "没有配置": ({"config.json": None}, "没有 config.json"),
    "没有权重": ({WEIGHTS: None}, "没有权重文件"),
}


def changed(changes: dict[str, bytes | None]) -> dict[str, bytes]:
    return {name: content for name, content in (FILES | changes).items() if content is not None}


def write(folder, files):
    folder.mkdir()
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return folder


@pytest.fixture(autouse=True)
def unset(monkeypatch):
    monkeypatch.delenv("COURSE_LLM", raising=False)


@pytest.fixture
def hub(tmp_path, monkeypatch):
    with serving_alone(REPO, FILES, tmp_path / "home", monkeypatch) as server:
        yield server


# ---- 内置的与本地的 ----


@pytest.mark.parametrize("value", [None, "", "  "])
def test_nothing_chosen_means_builtin(monkeypatch, value):
    if value is not None:
        monkeypatch.setenv("COURSE_LLM", value)
    assert llm_source() == builtin_llm_path() and uses_builtin_llm()
    assert llm_source().read_bytes()[:4] == b"GGUF"


def test_gguf_file_may_be_chosen(tmp_path, monkeypatch):
    path = tmp_path / "model.gguf"
    path.write_bytes(b"GGUF rest")
    assert llm_source(path) == llm_source(str(path)) == path
    monkeypatch.setenv("COURSE_LLM", str(path))
    assert llm_source() == path and not uses_builtin_llm()
    monkeypatch.setenv("COURSE_LLM", str(builtin_llm_path()))
    assert uses_builtin_llm()
    monkeypatch.setenv("HOME", str(tmp_path))
    assert llm_source("~/model.gguf") == path


def test_folder_may_be_chosen(tmp_path, monkeypatch):
    folder = write(tmp_path / "llama", FILES)
    assert llm_source(folder) == folder
    monkeypatch.setenv("COURSE_LLM", f" {folder} ")
    assert llm_source() == folder and not uses_builtin_llm()


@pytest.mark.parametrize("fault", IN_FOLDERS)
def test_bad_folder_is_one_sentence(tmp_path, fault):
    changes, reason = IN_FOLDERS[fault]
    message = refusal(llm_source, write(tmp_path / "llama", changed(changes)))
    assert reason in message and "去掉 COURSE_LLM 改用内置模型" in message and "COURSE_BERT" not in message


def test_file_that_is_not_gguf(tmp_path):
    for name, content in (("model.gguf", b"GG"), ("model.bin", b"pickle"), ("empty.gguf", b"")):
        (tmp_path / name).write_bytes(content)
        assert f"{name} 不是 GGUF 文件，请给 GGUF 文件、装着模型的文件夹" in refusal(
            llm_source, tmp_path / name
        )


# 第二个看上去也像 hub 上的名字
@pytest.mark.parametrize("name", ["/nowhere/model.gguf", "models/model.gguf", "model.gguf", "./nowhere"])
@pytest.mark.subprocess
def test_missing_file_is_not_asked_of_the_hub(hub, name):
    assert f"{name} " in refusal(llm_source, name) and hub.requests == []


# ---- hub ----


@pytest.mark.subprocess
def test_name_on_the_hub(hub, monkeypatch):
    monkeypatch.setenv("COURSE_LLM", REPO)
    folder = llm_source()
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == FILES
    assert not uses_builtin_llm()
    hub.fault = "500"  # 取过一次，站点坏了也能用
    assert llm_source() == folder


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.subprocess
def test_bad_repository_is_one_sentence(hub, fault):
    changes, reason = FAULTS[fault]
    hub.files = changed(changes)
    message = refusal(llm_source, REPO)
    assert reason in message and REPO in message
    assert "去掉 COURSE_LLM 改用内置模型" in message and "COURSE_BERT" not in message
    asked = {path.rpartition("/")[2] for _, path in hub.requests}
    assert not asked & {"pytorch_model.bin", PIECE, "vocab.txt"}
    if "config.json" in changes:  # 在取权重之前就知道
        assert WEIGHTS not in asked


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ("404", "404"),
        ("hang", "超时"),
        (f"truncated:{WEIGHTS}", "不完整"),
        (f"corrupted:{WEIGHTS}", "校验和"),
    ],
)
@pytest.mark.subprocess
def test_fetch_fault_names_the_variable(hub, fault, reason):
    hub.fault = fault
    message = refusal(llm_source, REPO)
    assert reason in message and hub.endpoint in message and "HF_ENDPOINT=https://" in message
    assert "去掉 COURSE_LLM 改用内置模型" in message and "COURSE_BERT" not in message
    hub.fault = ""
    assert (llm_source(REPO) / WEIGHTS).read_bytes() == FILES[WEIGHTS]


@pytest.mark.subprocess
def test_llama_is_no_bert(hub):
    message = refusal(model_folder, REPO)
    assert "'llama'，课程只装 'bert'" in message and "COURSE_BERT" in message and "COURSE_LLM" not in message
