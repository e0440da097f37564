"""BERT 从哪里来：hub 上的名字与本地的文件夹；取不到、不能用，都是一句话，缓存不会坏。"""

import hashlib
import io
import itertools
import logging.handlers
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import types
from pathlib import Path

import pytest
import torch
import transformers
from hub_server import serving_alone
from local_server import closed_port
from safetensors.torch import load_file, save_file
from tiny_models import WEIGHTS, WORDS, make_bert, refusal, rewrite
from torch.testing import assert_close

from course_lib.bert import Bert
from course_lib.config import BertConfig
from course_lib.weights import (
    PretrainedError,
    bert_config,
    builtin_path,
    llm_source,
    load_bert,
    load_weights,
    model_folder,
    read_config,
    uses_builtin,
    uses_builtin_llm,
)
from course_lib.weights import hub as hub_module
from course_lib.weights import patience as patience_module

pytestmark = [pytest.mark.subprocess, pytest.mark.guards("course_lib/weights")]
REPO = "someone/tiny-bert"


@pytest.fixture(scope="session")
def tiny_folder(tmp_path_factory):
    return make_bert(tmp_path_factory.mktemp("tiny-bert"))


@pytest.fixture
def folder(tiny_folder, tmp_path):
    """可以随意弄坏的一份。"""
    return Path(shutil.copytree(tiny_folder, tmp_path / "model"))


@pytest.fixture
def hub(tiny_folder, tmp_path, monkeypatch):
    files = {path.name: path.read_bytes() for path in tiny_folder.iterdir()}
    with serving_alone(REPO, files, tmp_path / "home", monkeypatch) as server:
        yield server


def refuse(name=REPO) -> str:
    """十秒之内失败，一句话。"""
    start = time.monotonic()
    message = refusal(load_bert, name)
    assert time.monotonic() - start < 10
    return message


def accept(name=REPO) -> None:
    """同一个缓存，站点好了就应当装得上：分词器认得词表里的词，两边的模型相同。"""
    tokenizer, theirs = load_bert(name)
    assert tokenizer.tokenize("time bank") == ["time", "bank"] and len(tokenizer) == len(WORDS)
    batch = tokenizer("river bank", return_tensors="pt")
    with torch.no_grad():
        expected = theirs(**batch).last_hidden_state
        assert_close(Bert.from_pretrained(name)(**batch).last_hidden_state, expected, atol=1e-5, rtol=0)


# ---- hub：能取到 ----


def test_course_bert_names_a_model_on_the_hub(hub, tiny_folder, monkeypatch, capfd):
    monkeypatch.setenv("COURSE_BERT", REPO)
    tokenizer, model = load_bert()
    assert tokenizer.tokenize("time bank") == ["time", "bank"]
    assert not model.training and model.dtype == torch.float32
    batch = tokenizer(["time bank river", "a"], return_tensors="pt", padding=True)
    theirs = model(**batch, output_attentions=True)
    assert len(theirs.attentions) == 2
    ours = Bert.from_pretrained()(**batch)
    real = batch["attention_mask"].bool()
    assert_close(ours.last_hidden_state[real], theirs.last_hidden_state[real], atol=1e-5, rtol=0)
    out, err = capfd.readouterr()
    assert out == "" and "%" not in err.replace("100%", "") and "Warning" not in err


def test_never_asks_for_a_pickle(hub):
    hub.files["pytorch_model.bin"] = b"pickle"
    model_folder(REPO)
    assert not [path for _, path in hub.requests if path.endswith(".bin")]
    assert {path.split("/")[1] for _, path in hub.requests} == {"someone"}


def test_no_other_host_is_asked(hub, tmp_path, monkeypatch):
    """hub 的客户端会先向官方站点要一张名单；transformers 也可能自己去联网。"""
    from huggingface_hub import constants
    from huggingface_hub.utils import _detect_agent

    monkeypatch.setattr(_detect_agent, "_registry", None)
    monkeypatch.setattr(constants, "AGENT_HARNESSES_PATH", str(tmp_path / "harnesses.json"))
    hosts, resolve = set(), socket.getaddrinfo

    def note(host, *rest, **options):
        hosts.add(host)
        return resolve(host, *rest, **options)

    monkeypatch.setattr(socket, "getaddrinfo", note)
    load_bert(REPO)
    assert hosts == {"127.0.0.1"}


def test_cached_model_survives_a_dead_hub(hub, monkeypatch):
    """取过一次就不再取；站点没了、坏了都照用，缓存残缺时才说连不上。"""
    folder = model_folder(REPO)
    hub.requests.clear()
    monkeypatch.setenv("HF_ENDPOINT", hub.endpoint + "/")
    assert model_folder(REPO) == folder
    assert {method for method, _ in hub.requests} == {"HEAD"}
    monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{closed_port()}")
    assert model_folder(REPO) == folder
    hub.fault = "500"
    monkeypatch.setenv("HF_ENDPOINT", hub.endpoint)
    assert model_folder(REPO) == folder
    (folder / WEIGHTS).unlink()
    monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{closed_port()}")
    assert "连不上" in refuse()


def test_endpoint_home_and_name_work_from_the_environment(hub, tmp_path):
    """与读者的用法一样：全新的进程，只设环境变量；只导入、不装模型时，不拖进 transformers。

    两边的分词器与模型都来自 hub 上的那一个，编号与输出相同。
    """
    code = """if True:
        import sys
        from course_lib.bert import Bert
        from course_lib.weights import load_bert, model_folder
        from course_lib.tokenization import WordPieceTokenizer
        print(len({"transformers", "huggingface_hub"} & sys.modules.keys()))
        tokenizer, model = load_bert()
        print(len(tokenizer), model.config.hidden_size)
        texts = ["time bank river", "a"]
        ids = WordPieceTokenizer.from_vocab(model_folder()).batch(texts)
        theirs = tokenizer(texts, padding=True, return_tensors="pt")
        print(all(ids[name].equal(theirs[name]) for name in theirs), 1 in ids["input_ids"])
        gap = Bert.from_pretrained()(**ids).last_hidden_state - model(**theirs).last_hidden_state
        print(bool(gap[ids["attention_mask"].bool()].abs().max() < 1e-5))
    """
    env = os.environ | {"COURSE_BERT": REPO, "HF_HOME": str(tmp_path / "fresh")}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, timeout=120)
    assert done.stdout.split() == ["0", str(len(WORDS)), "16", "True", "False", "True"], done.stderr
    assert (tmp_path / "fresh/hub/models--someone--tiny-bert/snapshots" / hub.commit / WEIGHTS).exists()


@pytest.fixture(params=["有符号链接", "没有符号链接"])
def links(request, monkeypatch):
    """没有符号链接的系统（例如 Windows）上，缓存里的文件名说不出它的校验和。"""
    if request.param == "没有符号链接":
        monkeypatch.setattr(
            os, "symlink", lambda *args, **options: (_ for _ in ()).throw(OSError("没有权限"))
        )
    return request.param == "有符号链接"


@pytest.mark.filterwarnings("ignore:`huggingface_hub` cache-system")
def test_checksums_need_no_symlinks(hub, links, monkeypatch):
    """坏文件，不论是刚取来的、缓存里的，还是站点没有回应时缓存里的，都要认出来。"""
    hub.fault = f"corrupted:{WEIGHTS}"
    assert "校验和" in refuse()
    hub.fault = ""
    accept()
    weights = model_folder(REPO) / WEIGHTS
    assert weights.is_symlink() == links
    for endpoint in (hub.endpoint, f"http://127.0.0.1:{closed_port()}"):
        content = weights.read_bytes()
        weights.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
        monkeypatch.setenv("HF_ENDPOINT", endpoint)
        assert "校验和" in refuse() and not weights.exists()
        monkeypatch.setenv("HF_ENDPOINT", hub.endpoint)
        accept()


@pytest.mark.filterwarnings("ignore:`huggingface_hub` cache-system")
@pytest.mark.parametrize("links", ["没有符号链接"], indirect=True)
def test_files_of_unknown_checksum_wait_for_the_hub(hub, links, monkeypatch):
    """别的程序取来的文件，没有记下校验和：连上站点才能用。"""
    for note in model_folder(REPO).glob(".*.etag"):
        note.unlink()
    monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{closed_port()}")
    assert "没有核对过校验和" in refuse()
    monkeypatch.setenv("HF_ENDPOINT", hub.endpoint)
    hub.requests.clear()
    accept()
    assert not [request for request in hub.requests if request[0] == "GET"]


@pytest.mark.parametrize("form", ['"{}"', 'W/"{}"', '"0x8DC-{}"'])
def test_what_cannot_be_checked_is_said_once(hub, capsys, form):
    """有的镜像给的 ETag 不是校验和：照样能用，但说明没有核对过；从缓存里再用，也是没有核对过的。"""
    hub.etag = lambda name, content: form.format(hashlib.md5(content).hexdigest())
    for _ in range(2):
        hub_module._say_unchecked.cache_clear()
        accept()
        (line,) = capsys.readouterr().out.splitlines()
        assert line == f"{hub.endpoint} 没有给出文件的校验和，从它取来的只看过大小，内容没有核对过。"


def test_a_terminal_without_chinese_stops_no_fetch(hub, monkeypatch):
    hub.etag = lambda name, content: f'"0x8DC-{hashlib.md5(content).hexdigest()}"'
    hub_module._say_unchecked.cache_clear()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding="cp1252"))
    accept()
    hub.fault = "404"
    load_bert(REPO, allow_builtin=True)
    sys.stdout.flush()
    unchecked, otherwise = sys.stdout.buffer.getvalue().decode().splitlines()
    assert unchecked.startswith(f"{hub.endpoint} ????") and REPO in otherwise


def test_a_checksum_in_capitals_is_checked(hub, capsys):
    etag = hub.etag
    hub.etag = lambda name, content: etag(name, content).upper()
    accept()
    assert capsys.readouterr().out == ""
    hub.files[WEIGHTS] = hub.files[WEIGHTS][:-1] + b"!"
    hub.etag = lambda name, content: f'"{"A" * 64}"'
    assert "校验和与站点公布的不同" in refuse()


@pytest.mark.parametrize("etag", ['"../../../evil"', '".."', '"a/b"', '""'])
def test_an_etag_is_no_path(hub, tmp_path, etag):
    """hub 的客户端拿 ETag 作文件名。"""
    hub.etag = lambda name, content: etag
    assert "回应里缺少模型站点应有的信息" in refuse()
    assert not list(tmp_path.rglob("evil*"))


def test_offline_mode(hub, monkeypatch):
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    assert "离线模式" in refuse() and hub.requests == []
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    folder = model_folder(REPO)
    hub.requests.clear()
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    assert model_folder(REPO) == folder and hub.requests == []


# ---- hub：取不到 ----

FAULTS = {
    "hang:vocab.txt": "超时",
    "reset": "断",
    f"reset-body:{WEIGHTS}": "断",
    f"truncated:{WEIGHTS}": "不完整",
    "truncated:vocab.txt": "不完整",
    f"corrupted:{WEIGHTS}": "校验和",
    "corrupted:config.json": "校验和",
    "portal": "代理",
    "401": "401",
    "403": "403",
    "404": "404",
    "429": "429",
    f"busy:{WEIGHTS}": "429",
    "500": "500",
    f"500:{WEIGHTS}": "500",
    f"403:{WEIGHTS}": "403",
    "500:vocab.txt": "500",
    "reset:tokenizer.json": "断",
}


@pytest.mark.parametrize("fault", FAULTS)
def test_every_fault_is_one_sentence_and_leaves_the_cache_usable(hub, fault):
    hub.fault = fault
    message = refuse()
    for part in (REPO, hub.endpoint, FAULTS[fault], "HF_ENDPOINT=https://", "COURSE_BERT"):
        assert part in message
    hub.fault = ""
    accept()


@pytest.mark.parametrize("fault", ["hang", f"stalled:{WEIGHTS}"])
def test_default_patience_is_within_ten_seconds(hub, monkeypatch, fault):
    monkeypatch.delenv("HF_HUB_DOWNLOAD_TIMEOUT")
    hub.fault = fault
    assert "超时" in refuse()
    hub.fault = ""
    accept()


def test_long_body_cut_again_and_again_does_not_go_on_for_ever(hub, monkeypatch):
    """站点每次都从头再发、又断在同一处：hub 的客户端只要收到过数据，就会一直试下去。"""
    monkeypatch.setenv("HF_HUB_DOWNLOAD_TIMEOUT", "3")  # 机器忙时，这么大的文件一秒之内发不出来
    hub.files[WEIGHTS] += bytes(25 * 1024 * 1024)
    hub.fault = f"truncated:{WEIGHTS}"
    said = logging.handlers.BufferingHandler(1000)
    logging.getLogger("huggingface_hub").addHandler(said)
    assert "不完整" in refuse()
    assert not said.buffer  # 重试的过程不写到屏幕上
    hub.fault = ""
    hub.files[WEIGHTS] = hub.files[WEIGHTS][: -25 * 1024 * 1024]
    accept()


@pytest.mark.parametrize(
    ("endpoint", "reason"),
    [
        ("http://127.0.0.1:{port}", "连不上"),
        ("http://no-such-host.invalid", "连不上"),
        ("hf-mirror.com", "要以 https:// 或 http:// 开头"),
    ],
)
def test_dead_hosts(hub, monkeypatch, endpoint, reason):
    endpoint = endpoint.format(port=closed_port())
    monkeypatch.setenv("HF_ENDPOINT", endpoint)
    message = refuse()
    assert reason in message and endpoint in message and REPO in message
    monkeypatch.setenv("HF_ENDPOINT", hub.endpoint)
    accept()


@pytest.fixture
def through(monkeypatch):
    """through(代理, 站点)：此后的请求都经过代理，不给代理就直接去。"""
    import huggingface_hub

    def use(proxy, endpoint):
        huggingface_hub.close_session()  # 客户端只在新建时看一次代理的环境变量
        for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY"):
            monkeypatch.setenv(name, proxy)
        monkeypatch.setenv("HF_ENDPOINT", endpoint)

    yield use
    huggingface_hub.close_session()


@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize(
    ("fault", "reason"),
    [("dead", "连不上"), ("reset", "断"), ("hang", "超时"), ("407", "代理"), ("502", "代理")],
)
def test_bad_proxies(hub, through, scheme, fault, reason):
    """代理没有开、接了又掐断、不回应、要登录、自己出错；https 的请求要代理先开一条通道，http 的不用。"""
    hub.fault = fault
    dead = f"http://127.0.0.1:{closed_port()}"
    through(dead if fault == "dead" else hub.endpoint, f"{scheme}://hub.invalid")
    message = refuse()
    assert reason in message and f"{scheme}://hub.invalid" in message and REPO in message
    assert (fault == "dead") == (f"http_proxy={dead}" in message)
    hub.fault = ""
    through(hub.endpoint, "http://hub.invalid")
    accept()


@pytest.mark.parametrize(
    "proxy", ["socks5://me:secret@127.0.0.1:9", "socks://me:a/b@127.0.0.1:9", "http://[::1"]
)
def test_proxies_the_client_cannot_use(hub, monkeypatch, proxy):
    """客户端造都造不出来：缓存里有的照样能用，没有的说出是哪个代理，不说它的口令。"""
    import huggingface_hub

    monkeypatch.setenv("ALL_PROXY", proxy)
    huggingface_hub.close_session()
    message = refuse()
    assert f"all_proxy={re.sub('me:.*@', '', proxy)}（" in message and hub.requests == []
    monkeypatch.delenv("ALL_PROXY")
    accept()
    monkeypatch.setenv("ALL_PROXY", proxy)
    huggingface_hub.close_session()
    hub.requests.clear()
    accept()
    assert hub.requests == []
    huggingface_hub.close_session()


def test_a_client_that_cannot_be_made_for_another_reason(hub, monkeypatch):
    import huggingface_hub

    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    monkeypatch.setattr(huggingface_hub, "get_session", Path("/nowhere/ca.pem").read_bytes)
    message = refuse()
    assert "客户端造不出来（FileNotFoundError）" in message and "代理" not in message


def test_a_refused_token_is_named(hub, monkeypatch):
    hub.fault = "401"
    assert "HF_TOKEN" not in refuse()
    monkeypatch.setenv("HF_TOKEN", "hf_old")
    message = refuse()
    assert "HF_TOKEN" in message and "401" in message and "hf_old" not in message


def test_the_patience_of_the_reader(hub, monkeypatch):
    for written, seconds in [("0", 3), ("", 3), (" ", 3), ("20", 20)]:
        monkeypatch.setenv("HF_HUB_DOWNLOAD_TIMEOUT", written)
        assert patience_module.seconds() == seconds
    for name in ("HF_HUB_DOWNLOAD_TIMEOUT", "HF_HUB_ETAG_TIMEOUT"):
        for written in ("10.5", "abc", "-5"):
            monkeypatch.setenv(name, written)
            assert f"{name} 是 {written}" in refuse()
        monkeypatch.delenv(name)


def test_patience_is_read_before_the_client_is(folder):
    """hub 一导入就读这两个变量，transformers 也导入它：全新的进程，装的是本地的文件夹。"""
    code = """if True:
        import os, sys
        from course_lib.weights import PretrainedError, load_bert
        for name in ("HF_HUB_DOWNLOAD_TIMEOUT", "HF_HUB_ETAG_TIMEOUT"):
            for written in ("abc", "-5", ""):
                os.environ[name] = written
                try:
                    load_bert(sys.argv[1])
                    print("装上了", len({"transformers", "huggingface_hub"} & sys.modules.keys()))
                except PretrainedError as error:
                    print(name in str(error) and written in str(error) and error.__cause__ is None)
    """
    command = [sys.executable, "-c", code, str(folder)]
    done = subprocess.run(command, env=os.environ, capture_output=True, text=True, timeout=120)
    assert done.stdout.split("\n")[:-1] == ["True", "True", "装上了 2"] * 2, done.stderr


def test_settings_of_the_hub_client_are_put_back(hub, monkeypatch):
    from huggingface_hub import constants, get_session, logging

    # 与我们要改成的都不同，否则前面的测试若没有还原，这里就看不出来
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", False)
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_TELEMETRY", False)
    verbosity = logging.get_verbosity()

    def settings():
        hooks = {kind: list(found) for kind, found in get_session().event_hooks.items()}
        return (
            constants.HF_HUB_DISABLE_XET,
            constants.HF_HUB_DISABLE_TELEMETRY,
            logging.get_verbosity(),
            hooks,
        )

    try:
        logging.set_verbosity_info()
        before = settings()
        model_folder(REPO)
        assert settings() == before
        hub.fault = "500"
        shutil.rmtree(os.environ["HF_HOME"])
        refuse()
        assert settings() == before
    finally:
        logging.set_verbosity(verbosity)


@pytest.mark.parametrize(("gap", "allowed"), [(1.0, 2), (60.0, patience_module.MAX_RESUMES + 1)])
def test_long_transfers_may_resume(monkeypatch, gap, allowed):
    """相隔很久又来问，说明其间传成了很多，不算失败；问完马上再问到第三遍，或者总次数太多，才算。"""
    request = types.SimpleNamespace(method="GET", url="http://hub/file", extensions={})
    clock = itertools.count(0.0, gap)
    monkeypatch.setattr(patience_module.time, "monotonic", clock.__next__)
    patience = patience_module.Patience()
    for _ in range(allowed):
        patience.before(request)
    with pytest.raises(patience_module.StoppedWaitingError):
        patience.before(request)


def test_allow_builtin_is_announced_in_one_line(hub, capsys):
    hub.fault = "404"
    tokenizer, model = load_bert(REPO, allow_builtin=True)
    assert len(tokenizer) == model.config.vocab_size == 30522
    (line,) = capsys.readouterr().out.splitlines()
    assert REPO in line and "404" in line and "all-MiniLM-L6-v2" in line


def test_allow_builtin_does_not_hide_a_bad_folder(tmp_path):
    with pytest.raises(PretrainedError, match=r"config\.json"):
        load_bert(tmp_path, allow_builtin=True)


# ---- 本地文件夹 ----


def test_course_bert_may_be_a_folder(folder, monkeypatch):
    monkeypatch.setenv("COURSE_BERT", str(folder))
    assert model_folder() == folder
    _, model = load_bert()
    assert model.config.hidden_size == Bert.from_pretrained().config.d_model == 16
    monkeypatch.setenv("HOME", str(folder.parent))
    assert model_folder("~/model") == folder
    monkeypatch.setenv("COURSE_BERT", "  ")
    assert model_folder() == builtin_path()


def test_a_user_without_a_home(folder, monkeypatch):
    """容器里常有：HOME 没有设，用户也没有登记。"""
    for name in ("HOME", "XDG_CACHE_HOME", "COURSE_BERT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(os, "getuid", lambda: 54321)
    monkeypatch.setattr("course_lib.weights.builtin._installed", lambda model: None)
    builtin_path.cache_clear()
    for ask in (model_folder, uses_builtin, llm_source, uses_builtin_llm):
        assert "XDG_CACHE_HOME" in refusal(ask)
    assert "里的 ~ 不知道是哪个文件夹（没有 HOME）" in refusal(model_folder, "~/model")
    assert "（这台机器上没有用户 no-such-user）" in refusal(model_folder, "~no-such-user/model")
    monkeypatch.setenv("COURSE_BERT", str(folder))
    assert model_folder() == folder and not uses_builtin()


def test_no_home_for_what_the_hub_gives(hub, tmp_path, monkeypatch):
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_CACHE", "~/.cache/huggingface/hub")  # 没有 HOME 时导入的，就是这样
    for name in ("HOME", "HF_HOME"):
        monkeypatch.delenv(name)
    monkeypatch.setattr(os, "getuid", lambda: 54321)
    message = refuse()
    assert "HF_HOME 设成写得下的文件夹" in message and "HF_ENDPOINT" not in message
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "cache"))
    accept()


def test_what_is_no_name_is_not_asked_of_the_hub(hub):
    for name in ("./nowhere", "/no/where", "~/nowhere-at-all", "a/b/c", "models\\bert", "nowhere/"):
        assert "没有这个文件夹" in refuse(name)
    assert "不是合法的名字" in refuse("no such model")
    assert hub.requests == []


def test_file_instead_of_folder(folder, hub, monkeypatch):
    assert "不是文件夹" in refuse(folder / WEIGHTS)
    monkeypatch.chdir(folder)
    assert "不是文件夹" in refuse(WEIGHTS)
    assert hub.requests == []


def test_five_word_tokenizer_is_refused(folder):
    """transformers 遇到残缺的词表，会不声不响地给出一个只有几个词的分词器。"""
    (folder / "tokenizer.json").unlink()
    (folder / "vocab.txt").write_text("\n".join(WORDS[:5]) + "\n", encoding="utf-8")
    message = refuse(folder)
    assert " 5 个词元" in message and str(len(WORDS)) in message
    (folder / "vocab.txt").unlink()
    assert "没有词表（tokenizer.json 或 vocab.txt）" in refuse(folder)


@pytest.mark.parametrize("change", [{}, {"encoder.layer.1.output.dense.weight": torch.zeros(16, 7)}])
def test_transformers_may_not_make_up_weights(folder, change):
    state = load_file(folder / WEIGHTS)
    del state["encoder.layer.1.output.dense.weight"]
    save_file(state | change, folder / WEIGHTS)
    assert "encoder.layer.1.output.dense.weight" in refuse(folder)


def test_half_precision_weights_become_fp32(folder):
    save_file({k: v.half() for k, v in load_file(folder / WEIGHTS).items()}, folder / WEIGHTS)
    rewrite(folder / "config.json", {"dtype": "float16", "torch_dtype": "float16"})
    assert load_bert(folder)[1].dtype == torch.float32


def test_no_code_from_the_folder_is_run(folder):
    (folder / "evil.py").write_text("raise RuntimeError('不应当运行')", encoding="utf-8")
    rewrite(folder / "config.json", {"auto_map": {"AutoModel": "evil.Model", "AutoConfig": "evil.Config"}})
    load_bert(folder)


def test_transformers_speaks_again_afterwards(folder):
    from transformers.utils import logging

    before = logging.get_verbosity()
    try:
        logging.set_verbosity_info()
        load_bert(folder)
        assert logging.get_verbosity() == logging.INFO and logging.is_progress_bar_enabled()
    finally:
        logging.set_verbosity(before)


def test_pooler_may_be_absent(folder):
    state = {key: value for key, value in load_file(folder / WEIGHTS).items() if "pooler" not in key}
    save_file(state, folder / WEIGHTS)
    load_bert(folder)
    Bert.from_pretrained(folder)


# ---- 配置 ----


def test_bert_config():
    values = {
        "vocab_size": 11, "hidden_size": 12, "num_attention_heads": 3, "intermediate_size": 13,
        "num_hidden_layers": 4, "max_position_embeddings": 14, "type_vocab_size": 5, "hidden_dropout_prob": 0.6,
        "layer_norm_eps": 0.7, "hidden_act": "relu", "pad_token_id": 8,
    }  # fmt: skip
    assert bert_config(values | {"attention_probs_dropout_prob": 0.9}) == BertConfig(
        vocab_size=11, d_model=12, num_heads=3, d_ff=13, num_layers=4, max_len=14, num_segments=5, dropout=0.6,
        layer_norm_eps=0.7, activation="relu", pad_token_id=8,
    )  # fmt: skip
    assert BertConfig() == bert_config(transformers.BertConfig().to_dict())


@torch.no_grad()
def test_another_activation(tmp_path):
    """激活函数、ε、段数都不同的，照样与 transformers 相等。"""
    folder = make_bert(tmp_path, hidden_act="relu", layer_norm_eps=0.1, type_vocab_size=3)
    theirs = transformers.BertModel.from_pretrained(folder).eval()
    ids = torch.randint(0, len(WORDS), (2, 9), generator=torch.Generator().manual_seed(0))
    expected = theirs(ids, token_type_ids=ids % 3).last_hidden_state
    assert_close(Bert.from_pretrained(folder)(ids, None, ids % 3).last_hidden_state, expected)


# ---- 权重 ----


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.float64])
def test_old_checkpoint_names_and_types_are_understood(folder, dtype):
    """预训练时存的权重：名字带 bert. 前缀，层归一化叫 gamma、beta，还带着输出头。"""
    reference = Bert.from_pretrained(folder).state_dict()
    old = {
        "bert."
        + key.replace("LayerNorm.weight", "LayerNorm.gamma").replace(
            "LayerNorm.bias", "LayerNorm.beta"
        ): value
        for key, value in load_file(folder / WEIGHTS).items()
    }
    old |= {"cls.predictions.bias": torch.zeros(3), "bert.embeddings.position_ids": torch.arange(20)}
    save_file({key: v.to(dtype) if v.is_floating_point() else v for key, v in old.items()}, folder / WEIGHTS)
    model = Bert(read_config(folder))
    load_weights(model, folder)
    for name, value in model.state_dict().items():
        assert value.dtype == torch.float32
        assert_close(value, reference[name].to(dtype).float())
